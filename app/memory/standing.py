"""How memories stand at a moment of the story: which hold, which ended, which lost their ground."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from app.memory.records import Ending, EndReason, Grounding, Memory, Review, Source, Tier
from app.memory.retraction import retracted
from app.story.messages import Message
from app.story.places import Places

BEFORE = -1  # place of what was so before the chat began


class Status(StrEnum):
    """What a memory is at a moment."""

    ACTIVE = "active"
    ENDED = "ended"  # superseded, merged, resolved, retired
    LATER = "later"  # begins after that moment
    STALE = "stale"  # a source reads otherwise now
    WITHDRAWN = "withdrawn"  # no source of it is left
    WAITING = "waiting"  # for the user's review
    REJECTED = "rejected"


LOST = frozenset({Status.STALE, Status.WITHDRAWN, Status.REJECTED})


@dataclass(frozen=True, slots=True)
class Standing:
    """One memory at one moment. start, end: message indexes, BEFORE for what was always so; end is
    the message from which on it no longer holds, None while it does. ending: why it ended.
    """

    memory: Memory
    status: Status
    start: int = BEFORE
    end: int | None = None
    ending: Ending | None = None

    @property
    def is_set_aside(self) -> bool:
        """Whether it gave way to others of its kind only: nothing says that it is over."""
        is_outranked = self.ending is not None and self.ending.reason is EndReason.OUTRANKED
        return self.status is Status.ENDED and is_outranked

    @property
    def is_active(self) -> bool:
        return self.status is Status.ACTIVE

    def holds_at(self, index: int) -> bool:
        """Whether it is part of the story at that message."""
        return (
            self.status in (Status.ACTIVE, Status.ENDED, Status.LATER)
            and self.start <= index
            and (self.end is None or index < self.end)
        )


@dataclass(frozen=True, slots=True)
class Ground:
    """The messages that memories stand on: index and content hash by anchor, of one chat.

    hidden messages count: they happened. foreign: what is known of sources in other chats, content
    hash by (chat, anchor); a source that is not in there is believed. kin: other chats whose
    anchors mean the messages of this one: branches and copies.
    """

    chat: int
    places: Mapping[str, int]
    hashes: Mapping[str, str]
    last: int
    foreign: Mapping[tuple[int, str], str] | None = None
    kin: frozenset[int] = frozenset()

    @classmethod
    def of(
        cls,
        chat: int,
        messages: Sequence[Message],
        foreign: Mapping[tuple[int, str], str] | None = None,
        kin: frozenset[int] = frozenset(),
    ) -> Ground:
        """The ground that a chat's messages give."""
        return cls.at(chat, Places(messages), foreign, kin)

    @classmethod
    def at(
        cls,
        chat: int,
        places: Places,
        foreign: Mapping[tuple[int, str], str] | None = None,
        kin: frozenset[int] = frozenset(),
    ) -> Ground:
        """The same, where the places of the messages are at hand."""
        return cls(chat, places, places.hashes, len(places) - 1, foreign, kin)

    def tells(self, memory: Memory) -> bool:
        """Whether this chat says so: a message of it or, where none is cited, who noted it here."""
        if memory.sources:
            return any(self.is_here(source) for source in memory.sources)
        return memory.chat == self.chat or memory.chat in self.kin

    def is_there(self, source: Source) -> bool:
        """Whether the message is still part of the story."""
        return not self.is_here(source) or source.anchor in self.places

    def reads_as_then(self, source: Source) -> bool:
        """Whether it is there and shows the text that was read."""
        if not self.is_here(source):
            known = (self.foreign or {}).get((source.chat, source.anchor), source.content_hash)
        else:
            known = self.hashes.get(source.anchor, "")
            if source.anchor not in self.places:
                return False
        return not source.content_hash or known == source.content_hash

    def place(self, source: Source) -> int:
        """Index of the message; BEFORE for one of an earlier chat."""
        return self.places.get(source.anchor, BEFORE) if self.is_here(source) else BEFORE

    def is_here(self, source: Source) -> bool:
        """Whether it is a message of this story, whatever branch or copy of it was read."""
        return source.chat == self.chat or source.chat in self.kin


def standings(
    memories: Sequence[Memory], ground: Ground, at: int | None = None
) -> tuple[Standing, ...]:
    """How each memory stands at message `at` (the last one by default), in the order given.

    An ending counts only while what it rests on does: a message that is deleted or swiped away
    takes its memories along, and what was told on from them, and what they had replaced holds
    again, until what came after them.
    """
    by_id = {memory.id: memory for memory in memories}
    own = _statuses(memories, ground)
    stand_ins = {} if LOST.isdisjoint(own.values()) else _stand_ins(memories, by_id)
    at = ground.last if at is None else at
    result = []
    for memory in memories:
        start = _start(memory, ground)
        if own[memory.id] is not Status.ACTIVE:
            result.append(Standing(memory, own[memory.id], start))
            continue
        end, ending = None, None
        for place, candidate in _endings(memory, ground, by_id, own, stand_ins):
            if end is None or place < end:
                end, ending = place, candidate
        if start > at:
            status = Status.LATER
        elif end is not None and end <= at:
            status = Status.ENDED
        else:
            status = Status.ACTIVE
        result.append(Standing(memory, status, start, end, ending))
    return tuple(result)


def active(memories: Sequence[Memory], ground: Ground, at: int | None = None) -> tuple[Memory, ...]:
    """The memories that hold at a message: what may be shown to a model and put into a prompt."""
    return tuple(s.memory for s in standings(memories, ground, at) if s.is_active)


class LastStandings:
    """How the memories of a chat stand at its last message. A message that no memory comes from
    changes nothing: then they stand as they did. From any thread.
    """

    def __init__(self) -> None:
        self._known: _Stood | None = None

    def of(self, memories: Sequence[Memory], ground: Ground) -> tuple[Standing, ...]:
        """As `standings` gives it."""
        known = self._known
        if known is None or not known.is_so_for(memories, ground):
            cited = frozenset(s.anchor for memory in memories for s in _cited(memory))
            known = _Stood(memories, ground, cited, standings(memories, ground))
        self._known = replace(known, ground=ground)
        return known.standings


@dataclass(frozen=True, slots=True)
class _Stood:
    """What was found of some memories. cited: anchors of all messages that they come from."""

    memories: Sequence[Memory]
    ground: Ground
    cited: frozenset[str]
    standings: tuple[Standing, ...]

    def is_so_for(self, memories: Sequence[Memory], ground: Ground) -> bool:
        """Whether it is true on a ground, too: where only messages came that nothing cites."""
        old, places, was = self.ground, ground.places, self.ground.places
        if not (isinstance(places, Places) and isinstance(was, Places)) or (
            (old.chat, old.foreign, old.kin) != (ground.chat, ground.foreign, ground.kin)
        ):
            return False
        before = len(was.messages)
        if places.head_of(was.messages) < before or memories != self.memories:
            return False
        return self.cited.isdisjoint(m.anchor for m in places.messages[before:])


def _cited(memory: Memory) -> Iterator[Source]:
    yield from memory.sources
    for ending in memory.endings:
        yield from ending.sources


def _statuses(memories: Sequence[Memory], ground: Ground) -> dict[str, Status]:
    """What each is by review, sources, and by whoever told it, but for where it begins and ends."""
    own = {memory.id: _own_status(memory, ground) for memory in memories}
    lost = {id_ for id_, status in own.items() if status in LOST - {Status.REJECTED}}
    if lost:
        starts = {m.id: _start(m, ground) for m in memories if own[m.id] is Status.ACTIVE}
        for id_, cause in retracted(memories, frozenset(lost), starts).items():
            own[id_] = own[cause]  # causes come first
    return own


def _own_status(memory: Memory, ground: Ground) -> Status:
    """Status by review and sources alone. One source that reads otherwise is enough to doubt."""
    if memory.review is Review.REJECTED:
        return Status.REJECTED
    stands_on_none = not memory.sources or memory.grounding in (Grounding.YOURS, Grounding.IMPORTED)
    if not (stands_on_none or any(map(ground.is_there, memory.sources))):
        return Status.WITHDRAWN
    if memory.review is Review.WAITING:
        return Status.WAITING
    if stands_on_none:
        return Status.ACTIVE
    return Status.ACTIVE if all(map(ground.reads_as_then, memory.sources)) else Status.STALE


def _stand_ins(memories: Sequence[Memory], by_id: Mapping[str, Memory]) -> dict[str, list[Memory]]:
    """By id of an entry on who knows what, those of the same holder that say it once more."""
    found: dict[str, list[Memory]] = {}
    for memory in memories:
        for ending in memory.endings if memory.tier is Tier.EPISTEMIC else ():
            first = by_id.get(ending.by)
            if first and (first.type, first.subject) == (memory.type, memory.subject):
                found.setdefault(first.id, []).append(memory)
    return found


def _start(memory: Memory, ground: Ground) -> int:
    """Where the last of its sources stands: only there all of it was said."""
    places = [ground.place(source) for source in memory.sources if ground.is_there(source)]
    return max(places, default=BEFORE)


def _gave_way_elsewhere(memory: Memory, ending: Ending, ground: Ground) -> bool:
    """Whether what this story tells gave way to others in another chat of its character, which says
    nothing of it here: a new story would else take from an older one all that it is about.
    """
    is_outranked = ending.reason is EndReason.OUTRANKED and bool(ending.sources)
    return is_outranked and ground.tells(memory) and not any(map(ground.is_here, ending.sources))


def _endings(
    memory: Memory,
    ground: Ground,
    by_id: Mapping[str, Memory],
    own: Mapping[str, Status],
    stand_ins: Mapping[str, Sequence[Memory]],
) -> Iterator[tuple[int, Ending]]:
    """Where each ending takes effect, those left out whose own ground is gone.

    What took the memory's place and is gone itself hands on to what says the same, and to what
    ended it: of three values in a row, without the second, the first holds until the third.
    """
    seen = {memory.id}
    waiting = list(memory.endings)
    while waiting:
        ending = waiting.pop(0)
        if _gave_way_elsewhere(memory, ending, ground):
            continue
        if not ending.by:
            if all(map(ground.reads_as_then, ending.sources)):
                yield max(map(ground.place, ending.sources), default=BEFORE), ending
        elif own.get(ending.by) is Status.ACTIVE:
            yield _start(by_id[ending.by], ground), ending
        elif ending.by in by_id and ending.by not in seen:
            seen.add(ending.by)
            gone = by_id[ending.by]
            # What merely said the same once more was never replaced by what it repeated.
            waiting += [e for e in gone.endings if gone not in stand_ins.get(e.by, ())]
            same = [other.id for other in stand_ins.get(ending.by, ())]
            if memory.id in same:  # of several that say the same the earliest holds
                same = same[: same.index(memory.id)]
            waiting += (replace(ending, by=id_) for id_ in same if id_ not in seen)
