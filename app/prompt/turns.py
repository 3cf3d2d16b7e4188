"""One turn as it was sent: the slots that stood in the prompt, and the prompt itself. Pure."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property

from app.memory.reading.windows import is_told
from app.prompt.generation import REPLACING, UNHEARD
from app.prompt.slots import LeftOut, Slot, SlotContent, SlotSet, TurnKind
from app.settings.slot_table import SlotName
from app.story.messages import Message, digest

KEPT_TURNS = 50  # of each chat
MOST_LEFT_OUT = 40  # entries of a slot that are kept
LONGEST_LEFT_OUT = 200  # characters of one
LONGEST_SAID = 300  # characters of the message that a turn went on from
NOT_OF_A_CHARACTER = ("quiet", "impersonate")  # of SillyTavern's types of a generation


class Wire(StrEnum):
    """How SillyTavern hands a prompt to its model."""

    CHAT = "chat"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class SentPart:
    """One message of a chat completion, or the whole of a text completion.

    role: "" for a text completion. length: characters, as the page counts them. text: "" where the
    prompt was too long to be kept whole; mark: tells texts apart then.
    """

    role: str
    text: str
    length: int
    mark: str = ""

    @classmethod
    def of(cls, role: str, text: str) -> SentPart:
        return cls(role, text, len(text))

    @property
    def is_kept(self) -> bool:
        return bool(self.text) or not self.length

    @property
    def identity(self) -> tuple[str, str]:
        """Equal for equal parts."""
        return (self.role, f"{self.mark}.{self.length}" if self.mark else digest(self.text))


@dataclass(frozen=True, slots=True)
class FinalPrompt:
    """What SillyTavern sent to its model, as its page reports it."""

    wire: Wire
    parts: tuple[SentPart, ...]


@dataclass(frozen=True, slots=True)
class SentTurn:
    """One generation.

    id: 0 while it is not kept. moment: seconds since the epoch. generation: SillyTavern's type.
    kind: what the turn is like. context: tokens that the prompt may take, 0 if unknown. slots: as
    the page set them; contents: what became of what they might have told. messages: of the chat,
    that SillyTavern considered. is_late: the page did not wait for these slots and set older ones.
    has_prompt: the prompt is kept too; prompt: it, where it was asked for. wire: how it was handed
    over, None until the page told. after: index of the message that it went on from, -1 where that
    is not known; said_by, said: who said it, and how it began, both as they were then.
    """

    id: int
    moment: float
    generation: str
    responder: str
    kind: TurnKind | None
    revision: int
    context: int
    messages: int
    slots: tuple[Slot, ...]
    contents: tuple[SlotContent, ...] = ()
    is_late: bool = False
    has_prompt: bool = False
    prompt: FinalPrompt | None = None
    wire: Wire | None = None
    after: int = -1
    said_by: str = ""
    said: str = ""

    @property
    def total_tokens(self) -> int:
        """Of all slots."""
        return sum(slot.tokens for slot in self.slots)

    @property
    def cut_tokens(self) -> int:
        """That all slots would have taken beyond that."""
        return sum(max(0, slot.full_tokens - slot.tokens) for slot in self.slots)


def turn_of(
    slots: SlotSet,
    *,
    moment: float,
    generation: str,
    responder: str,
    context: int,
    messages: int,
) -> SentTurn:
    """The turn for which these slots were made; what was left out is kept in part."""
    return SentTurn(
        0,
        moment,
        generation,
        responder,
        slots.turn,
        slots.revision,
        context,
        messages,
        slots.slots,
        tuple(_shortened(content) for content in slots.contents),
    )


def going_on_from(
    turn: SentTurn, messages: Sequence[Message], said: Sequence[tuple[str, str]]
) -> SentTurn:
    """The turn with the message that it went on from. said: name and text of the newest ones as
    the page had them, which may be ahead of the story; () where it told none.
    """
    last = len(messages) - 1
    if said:
        by, text = said[-1]
        near = range(last, max(-1, last - UNHEARD), -1)
        found = next((i for i in near if messages[i].text.startswith(text)), last + 1)
        return replace(turn, after=found, said_by=by, said=text[:LONGEST_SAID])
    if turn.generation in REPLACING and messages and not messages[last].is_user:
        last -= 1
    told = (i for i in range(last, -1, -1) if is_told(messages[i]))
    found = next(told, -1)
    if found < 0:
        return turn
    message = messages[found]
    return replace(turn, after=found, said_by=message.name, said=message.text[:LONGEST_SAID])


def _shortened(content: SlotContent) -> SlotContent:
    kept = tuple(
        LeftOut(one.text[:LONGEST_LEFT_OUT], one.reason, one.memory)
        for one in content.left_out[:MOST_LEFT_OUT]
    )
    return replace(content, left_out=kept)


class Share(StrEnum):
    """Whose a piece of a prompt is."""

    SLOT = "slot"
    CHAT = "chat"
    OWN = "own"


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a prompt. slot: whose text it is, None for SillyTavern's own.

    part, start: where it begins in the final prompt. count: messages that it holds.
    """

    share: Share
    text: str
    length: int
    role: str = ""
    slot: Slot | None = None
    part: int = 0
    start: int = 0
    count: int = 1
    identity: tuple[str, str] = ("", "")


def pieces_of(turn: SentTurn) -> tuple[Piece, ...]:
    """The prompt of a turn, cut where slots begin and end; () where it is not kept.

    A slot is found by its words, wherever they stand: SillyTavern joins and trims what it is given.
    """
    if turn.prompt is None:
        return ()
    waiting = [slot for slot in turn.slots if slot.text.strip()]
    first_chat = _first_of_chat(turn.prompt)
    found: list[Piece] = []
    for number, part in enumerate(turn.prompt.parts):
        share = Share.CHAT if number >= first_chat and part.role != "system" else Share.OWN
        marks = _slots_in(part, waiting)
        at = 0
        for start, end, slot in marks:
            found += _between(part, number, at, start, share)
            text = part.text[start:end]
            found.append(
                Piece(
                    Share.SLOT,
                    text,
                    len(text),
                    part.role,
                    slot,
                    number,
                    start,
                    identity=(part.role, digest(text)),
                )
            )
            at = end
        if part.is_kept:
            found += _between(part, number, at, len(part.text), share)
        else:
            whole = Piece(share, "", part.length, part.role, part=number, identity=part.identity)
            found.append(whole)
    return tuple(found)


def missing_slots(turn: SentTurn, pieces: tuple[Piece, ...]) -> tuple[Slot, ...]:
    """Slots with a text that does not stand in the prompt that was sent.

    SillyTavern drops what stands deeper in the chat than the prompt reaches; a macro may stand
    nowhere; and where the prompt is not kept whole, nothing can be told.
    """
    if turn.prompt is None or not all(part.is_kept for part in turn.prompt.parts):
        return ()
    told = {piece.slot.key for piece in pieces if piece.slot is not None}
    return tuple(slot for slot in turn.slots if slot.text.strip() and slot.key not in told)


def told_memories(made: SentTurn, sent: SentTurn) -> tuple[str, ...]:
    """Ids of the memories that went out in a prompt for a character's words, each once.

    made: the turn as it was prepared; sent: as the page set it, with its prompt. A slot that the
    page had from before, or that SillyTavern dropped, told none of them (spec/smart-memory.md §11:
    recalls count on a turn of the model only).
    """
    if sent.prompt is None or sent.generation in NOT_OF_A_CHARACTER:
        return ()
    dropped = {slot.key for slot in missing_slots(sent, pieces_of(sent))}
    as_set = {slot.key: slot.text for slot in sent.slots}
    filled = {slot.key for slot in made.slots if slot.text.strip()}
    told = {
        slot.key
        for slot in made.slots
        if slot.key in filled - dropped and as_set.get(slot.key) == slot.text
    }
    in_block = SlotName.UNIFIED.key in told
    ids = (
        memory
        for content in made.contents
        if content.key in told or (in_block and content.key not in filled)
        for memory in content.shown
    )
    return tuple(dict.fromkeys(ids))


def fixed_tokens(turn: SentTurn, count: Callable[[str], int], around: int = 0) -> int:
    """Tokens of what a prompt holds beside its slots and the chat: card, persona, lore, presets.

    around: tokens that SillyTavern counts of each message of a chat completion beside its text.
    What stands between two messages of the chat may be a narrator's, and counts as chat. A text
    completion does not show where its chat begins: 0.
    """
    if turn.prompt is None or turn.prompt.wire is Wire.TEXT:
        return 0
    pieces = pieces_of(turn)
    chat = [number for number, piece in enumerate(pieces) if piece.share is Share.CHAT]
    outside = (*pieces[: chat[0]], *pieces[chat[-1] + 1 :]) if chat else pieces
    own = (piece for piece in outside if piece.share is Share.OWN)
    texts = sum(count(piece.text) if piece.text else piece.length // 4 for piece in own)
    return texts + around * len(turn.prompt.parts)


def _first_of_chat(prompt: FinalPrompt) -> int:
    """Number of the first message of the chat: behind the last block of system messages at the
    head. Examples are sent as system messages by default, so they count as SillyTavern's own.
    """
    for number, part in enumerate(prompt.parts):
        if part.role in ("user", "assistant"):
            return number
    return len(prompt.parts)


def _between(part: SentPart, number: int, start: int, end: int, share: Share) -> list[Piece]:
    text = part.text[start:end]
    if not text.strip():
        return []
    is_whole = start == 0 and end == len(part.text)
    identity = part.identity if is_whole else (part.role, digest(text))
    return [Piece(share, text, len(text), part.role, part=number, start=start, identity=identity)]


def _slots_in(part: SentPart, waiting: list[Slot]) -> list[tuple[int, int, Slot]]:
    """Where slots stand in a part, in order and apart; those found wait no longer."""
    marks: list[tuple[int, int, Slot]] = []
    loose = _Loose(part.text)
    for slot in sorted(waiting, key=lambda one: -len(one.text)):
        place = loose.find(slot.text)
        if place is None or any(place[0] < end and start < place[1] for start, end, _ in marks):
            continue
        marks.append((*place, slot))
        waiting.remove(slot)
    return sorted(marks, key=lambda mark: mark[0])


class _Loose:
    """A text in which others are found whatever white space stands between their words."""

    def __init__(self, text: str) -> None:
        self._text = text

    def find(self, wanted: str) -> tuple[int, int] | None:
        """Where it stands, None for nowhere."""
        wanted = wanted.strip()
        if not wanted:
            return None
        start = self._text.find(wanted)
        if start >= 0:
            return start, start + len(wanted)
        words = wanted.split()
        if len(self._text) < len(words) or not all(word in self._text for word in words[:5]):
            return None
        plain, places = self._plain
        key = " ".join(words)
        start = plain.find(key)
        if start < 0:
            return None
        return places[start], places[start + len(key) - 1] + 1

    @cached_property
    def _plain(self) -> tuple[str, array[int]]:
        """The text with one space between its words, and where each of its signs came from."""
        signs: list[str] = []
        places = array("l")
        for word in re.finditer(r"\S+", self._text):
            if places:
                signs.append(" ")
                places.append(word.start() - 1)
            signs.append(word.group())
            places.extend(range(word.start(), word.end()))
        return "".join(signs), places
