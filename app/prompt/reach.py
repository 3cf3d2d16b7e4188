"""How each message of a story reaches the next prompt: word for word, by what tells of it, or not
at all. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

from app.prompt.rendering.still_told import untold_scenes
from app.prompt.slots import MESSAGE_RECAPS_KEY, RUNNING_RECAP_KEY, SlotSet
from app.settings.slot_table import Position, SlotName
from app.story.inclusion import InclusionState
from app.story.messages import Message, MessageKind
from app.story.recaps import injected_version
from app.story.scenes import Scene
from app.story.story import Story

_INCLUDED = (InclusionState.INCLUDED, InclusionState.LONG_TERM)


class Reach(IntEnum):
    """How a message reaches the prompt, from best to worst."""

    ASIDE = 0  # no part of the story
    VERBATIM = 1
    RECAP = 2  # its own recap
    SCENE = 3
    RUNNING = 4
    SUMMARY = 5  # or notes in its place
    MEMORIES = 6  # those that cite it, and what is quoted of it
    NOT_AT_ALL = 7


class Mend(IntEnum):
    """What would bring a message into the prompt that does not reach it."""

    NOTHING = 0
    RECAP_SCENE = 1
    RAISE_SCENES = 2  # the budget of scene recaps
    RAISE_RECAPS = 3  # the budget of message recaps
    CLOSE_SCENE = 4
    REBUILD_RECAP = 5  # the running recap, with more room, from its scene on


@dataclass(frozen=True, slots=True)
class Reached:
    """How all messages reach the prompt.

    codes: a Reach per message. verbatim_from: index of the first one sent word for word. is_seen:
    a real prompt showed where that is; else it is reckoned. untold: numbers of the scenes that went
    into the running recap and of which it holds nothing any more, nor does any other recap.
    was_sent: there was a prompt, if of a chat that has changed since.
    """

    codes: bytes = b""
    verbatim_from: int = 0
    is_seen: bool = False
    untold: tuple[int, ...] = ()
    was_sent: bool = False


@dataclass(frozen=True, slots=True)
class Sent:
    """What a prompt showed: indexes of the first and last message that it held, and keys of slots
    that SillyTavern dropped. slots: tokens of those that stood in it, None for none.
    """

    first: int
    last: int
    dropped: frozenset[str] = frozenset()
    slots: int | None = None


NOTHING_REACHED = Reached()
_HARDLY_TOLD = frozenset({Reach.SUMMARY, Reach.MEMORIES, Reach.NOT_AT_ALL})


def reached(
    story: Story,
    slots: SlotSet,
    *,
    cited: Mapping[str, Sequence[str]],
    room: int,
    sent: Sent | None = None,
    summary_until: str = "",
) -> Reached:
    """How the messages of a story reach the prompt with these slots.

    cited: anchors of messages by the id of the memory that cites them. room: tokens that the chat
    itself may take. sent: what the newest prompt held, None where none is known. summary_until:
    anchor of the last message that the summary tells of.
    """
    count = len(story.messages)
    codes = bytearray([Reach.NOT_AT_ALL]) * count
    telling = _Telling(slots, sent.dropped if sent else frozenset())
    _mark(codes, _cited(story, telling, cited), Reach.MEMORIES)
    _mark(codes, _noted(story, telling), Reach.SUMMARY)
    if telling.tells_summary and not telling.tells_notes:
        _fill(codes, 0, story.places.get(summary_until, -1) + 1, Reach.SUMMARY)
    until = _folded_until(story, telling)
    untold = untold_scenes(story, telling.texts[RUNNING_RECAP_KEY]) if until >= 0 else ()
    _fill_but(codes, until + 1, untold, Reach.RUNNING)
    numbers = telling.scenes
    for scene in story.scenes:
        if scene.number in numbers:
            _fill(codes, scene.first, scene.last + 1, Reach.SCENE)
    _mark(codes, _recapped(story, telling), Reach.RECAP)
    first = verbatim_from(story, room, sent, slots.total_tokens)
    for index in range(first, count):
        if not story.messages[index].is_hidden:
            codes[index] = Reach.VERBATIM
    _mark(codes, story.places.where(_is_aside), Reach.ASIDE)
    lacking = tuple(scene.number for scene in untold if _lacks(codes, scene))
    return Reached(bytes(codes), first, sent is not None, lacking)


def verbatim_from(story: Story, room: int, sent: Sent | None, slots: int | None = None) -> int:
    """Index of the first message that the next prompt holds itself. slots: tokens of its slots.

    A prompt that had no room for more shows how much the chat gets beside slots of that size; one
    that held all of it, that it gets as much at least.
    """
    tokens = story.message_tokens
    if sent is not None:
        held = sum(
            count
            for message, count in zip(
                story.messages[sent.first : sent.last + 1],
                tokens[sent.first : sent.last + 1],
                strict=False,
            )
            if not message.is_hidden
        )
        if sent.first and slots is not None and sent.slots is not None:
            held = max(0, held + sent.slots - slots)
        room = max(room, held) if sent.first == 0 else held
    for index in range(len(story.messages) - 1, -1, -1):
        if not story.messages[index].is_hidden and index < len(tokens):
            room -= tokens[index]
            if room < 0 and index < len(story.messages) - 1:
                return index + 1
    return 0


def mend_of(story: Story, reach: Reached, index: int) -> Mend:
    """What would bring a message into the prompt, or into the running recap again; nothing for one
    that reaches it.
    """
    if index >= len(reach.codes) or reach.codes[index] not in _HARDLY_TOLD:
        return Mend.NOTHING
    scene = story.scene_at(index)
    if scene is None:
        return Mend.NOTHING
    if scene.number in reach.untold:
        return Mend.REBUILD_RECAP
    if reach.codes[index] != Reach.NOT_AT_ALL:
        return Mend.NOTHING
    if scene.is_closed and story.scene_recap(scene) is None:
        return Mend.RECAP_SCENE
    inclusion = story.inclusion[index] if index < len(story.inclusion) else None
    if inclusion is not None and inclusion.state is InclusionState.OUT_OF_BUDGET:
        return Mend.RAISE_RECAPS
    return Mend.RAISE_SCENES if scene.is_closed else Mend.CLOSE_SCENE


def unrecapped_scenes(story: Story, reach: Reached) -> tuple[Scene, ...]:
    """The closed scenes without a recap, of which something does not reach the prompt at all."""
    lost, found = bytes([Reach.NOT_AT_ALL]), []
    at = reach.codes.find(lost)
    while at >= 0:
        scene = story.scene_at(at)
        if scene is not None and scene.is_closed and story.scene_recap(scene) is None:
            found.append(scene)
        at = reach.codes.find(lost, 1 + (scene.last if scene is not None else at))
    return tuple(found)


def sent_of(messages: Sequence[Message], prompt: str, dropped: Iterable[str] = ()) -> Sent | None:
    """Which messages a prompt held. prompt: its text without the slots. None where none is found.

    A message is known by its longest lines: scripts and macros may change the others. Short ones
    say nothing, and behind many that are not there, none is. Each stands before the one that
    follows it: stories repeat their sentences.
    """
    first = last = -1
    missed, end = 0, len(prompt)
    for index in range(len(messages) - 1, -1, -1):
        message = messages[index]
        lines = _probes(message)
        if not lines:
            continue
        start = _start_in(prompt, end, lines, len(message.text))
        if start >= 0:
            first, last, missed, end = index, max(last, index), 0, start
            continue
        missed += 1
        if missed > MOST_MISSED:
            break
    if 0 < first <= MOST_MISSED and not any(map(_probes, messages[:first])):
        first = 0  # a greeting of three words tells nothing; that it had no room is not shown
    return Sent(first, last, frozenset(dropped)) if first >= 0 else None


def _probes(message: Message) -> list[str]:
    """The lines by which a message is known in a prompt, the longest last; none of what is not sent
    and of what is too short.
    """
    if message.is_hidden or message.kind is MessageKind.NOTICE:
        return []
    lines = sorted(map(str.strip, message.text.splitlines()), key=len)[-LINES_ASKED:]
    return [line[:LONGEST_PROBE] for line in lines if len(line) >= SHORTEST_PROBE]


def _start_in(prompt: str, end: int, lines: Sequence[str], length: int) -> int:
    """Where the last message before `end` with any of these lines begins, -1 for nowhere.

    lines: the longest last, by which it is found; the others of a message of this length are near.
    """
    found = [place for line in lines if (place := prompt.rfind(line, 0, end)) >= 0]
    return min((place for place in found if found[-1] - place <= length), default=-1)


LINES_ASKED = 3
SHORTEST_PROBE = 16  # characters of a line that tell a message from others
LONGEST_PROBE = 200
MOST_MISSED = 30  # messages in a row


class _Telling:
    """What the slots tell that really stand in the prompt. dropped: keys of those that do not."""

    def __init__(self, slots: SlotSet, dropped: frozenset[str]) -> None:
        self.texts = {
            slot.key: slot.text
            for slot in slots.slots
            if slot.text.strip()
            and slot.key not in dropped
            and (slot.position is not Position.NONE or slot.macro)
        }
        in_block = SlotName.UNIFIED.key in self.texts
        own = {slot.key for slot in slots.slots}
        self.contents = [
            content
            for content in slots.contents
            if content.key in self.texts or (in_block and content.key not in own)
        ]

    @property
    def scenes(self) -> frozenset[int]:
        """Numbers of the scenes whose recaps are told."""
        return frozenset(number for content in self.contents for number in content.scenes)

    @property
    def tells_summary(self) -> bool:
        key = SlotName.SHORT.key
        return any(content.key == key and content.tokens for content in self.contents)

    @property
    def tells_notes(self) -> bool:
        return any(content.noted for content in self.contents)


def _cited(story: Story, telling: _Telling, cited: Mapping[str, Sequence[str]]) -> list[int]:
    """Indexes of the messages that memories in the prompt cite, and of those that are quoted."""
    found = []
    for content in telling.contents:
        for memory in content.shown:
            for anchor in cited.get(memory, ()):
                index = story.places.get(anchor)
                if index is not None:
                    found.append(index)
        found += [p.index for p in content.passages if p.index < len(story.messages)]
    return found


def _noted(story: Story, telling: _Telling) -> list[int]:
    """Indexes of the messages of which notes stand in a slot, until a model has read them."""
    count = len(story.messages)
    return [index for content in telling.contents for index in content.noted if index < count]


def _folded_until(story: Story, telling: _Telling) -> int:
    """Index of the last message that the running recap tells of, -1 where it is not told."""
    if RUNNING_RECAP_KEY not in telling.texts:
        return -1
    version = injected_version(story.running, story.places)
    return story.places.get(version.last_anchor, -1) if version is not None else -1


def _recapped(story: Story, telling: _Telling) -> list[int]:
    """Indexes of the messages whose own recap is told; a cut slot has lost the oldest."""
    text = telling.texts.get(MESSAGE_RECAPS_KEY)
    if text is None:
        return []
    found = []
    for index in range(min(len(story.inclusion), len(story.messages)) - 1, -1, -1):
        if story.inclusion[index].state in _INCLUDED:
            recap = story.message_recaps.get(story.messages[index].anchor)
            if recap is None or " ".join(recap.text.split()) not in text:
                continue
            found.append(index)
    return found


def _is_aside(message: Message) -> bool:
    return message.kind is MessageKind.NOTICE


def _fill_but(codes: bytearray, end: int, scenes: Sequence[Scene], reach: Reach) -> None:
    """All before `end` that is in none of these scenes."""
    first = 0
    for scene in scenes:
        _fill(codes, first, scene.first, reach)
        first = scene.last + 1
    _fill(codes, first, end, reach)


def _lacks(codes: bytearray, scene: Scene) -> bool:
    """Whether anything of a scene is told by less than a recap."""
    return any(code in _HARDLY_TOLD for code in codes[scene.first : scene.last + 1])


def _fill(codes: bytearray, first: int, end: int, reach: Reach) -> None:
    if end > first:
        codes[first:end] = bytes([reach]) * (end - first)


def _mark(codes: bytearray, indexes: Iterable[int], reach: Reach) -> None:
    for index in indexes:
        codes[index] = reach
