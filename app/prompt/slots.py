"""What the slots of one turn hold. Which slots there are stands in app/settings/slot_table.py."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from app.core.translation import N_
from app.settings.slot_table import Position, Role

RUNNING_RECAP_KEY = "auto_recap_memory_scene"
MESSAGE_RECAPS_KEY = "auto_recap_memory_short"


class TurnKind(StrEnum):
    """What a turn of the story is like (spec/smart-memory.md §15, TK4)."""

    DIALOGUE = "dialogue"
    ACTION = "action"
    TRANSITION = "transition"
    INTIMATE = "intimate"


@dataclass(frozen=True, slots=True)
class Slot:
    """One extension prompt as it will be set.

    depth: messages from the end, only used IN_CHAT. tokens: of `text`; full_tokens: of what it
    would be without the budget; budget: tokens it may take. macro: name of the macro that serves
    the text in place of the slot, "" for none; the slot then stands nowhere.
    """

    key: str
    position: Position
    depth: int
    role: Role
    scan: bool
    text: str
    tokens: int
    budget: int
    full_tokens: int
    macro: str = ""


class Reason(StrEnum):
    """Why something that is remembered is not in a slot."""

    BUDGET = N_("over this part's budget")
    TOTAL = N_("over the total budget of all parts")
    ELSEWHERE = N_("already in another part")
    VISIBLE = N_("its messages are in the prompt themselves")
    SECONDHAND = N_("the one who answers was not there")
    ABSENT = N_("about nobody who is present")
    UNKNOWN = N_("the one who answers does not know it")
    PAST = N_("from an earlier scene, and may have changed since")


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Something that is not in a slot. memory: its id, "" for a part of a longer text."""

    text: str
    reason: Reason
    memory: str = ""


@dataclass(frozen=True, slots=True)
class PassageShown:
    """A passage of an old message that stands in a slot. index: of the message. words: what it was
    called up by. is_asked: the last messages ask for it, and do not only touch it.
    """

    index: int
    words: tuple[str, ...]
    is_asked: bool


@dataclass(frozen=True, slots=True)
class SlotContent:
    """What became of what a slot might have told. key: as in Slot; in one block with others too.

    shown: ids of memories, in the order in which they matter. budget: before the bound of all,
    with what was borrowed. passages: of messages, as shown. scenes: numbers of the scenes whose
    recaps are told, in part at least. noted: indexes of the messages of which notes are shown.
    elsewhere: what other chats of the character say of it, as shown.
    """

    key: str
    shown: tuple[str, ...]
    left_out: tuple[LeftOut, ...]
    tokens: int
    budget: int
    full_tokens: int
    passages: tuple[PassageShown, ...] = ()
    scenes: tuple[int, ...] = ()
    noted: tuple[int, ...] = ()
    elsewhere: tuple[str, ...] = ()

    @property
    def of_other_chats(self) -> int:
        """How many memories it tells of other chats; a longer text counts as one."""
        return len(self.elsewhere) if self.shown else min(1, len(self.elsewhere))


@dataclass(frozen=True, slots=True)
class RecapShown:
    """What a prompt tells of the running recap. version: number of the one that it tells. happened:
    number of the version that says what happened, an earlier one where the messages in the prompt
    tell the rest. left: parts of it that other slots tell, by name. tokens: of all of that version,
    as it would stand in the prompt.
    """

    version: int
    happened: int
    left: tuple[str, ...] = ()
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class SlotSet:
    """The slots of one turn of one chat. revision grows with each change.

    responder: who answers, "" for whoever does. turn: what the turn is like. contents: of each
    slot of memory, also of those that stand in one block. warnings: sentences. full: the most that
    each slot ever wanted (key -> tokens). notes: what auto-tune changed, in sentences. whole_recap:
    tokens of the running recap with what it leaves to the messages in the prompt, 0 where it leaves
    nothing to them. recap: what of the running recap is told, None where there is none.
    """

    slots: tuple[Slot, ...] = ()
    revision: int = 0
    responder: str = ""
    turn: TurnKind | None = None
    contents: tuple[SlotContent, ...] = ()
    warnings: tuple[str, ...] = ()
    full: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    whole_recap: int = 0
    recap: RecapShown | None = None

    @property
    def total_tokens(self) -> int:
        return sum(slot.tokens for slot in self.slots)

    @property
    def of_other_chats(self) -> int:
        """How many memories the slots tell of other chats of the character."""
        return sum(content.of_other_chats for content in self.contents)
