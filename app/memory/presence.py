"""Who was where, and what they know and go on believing by it: computed, never stored. Pure.

It stands on the state ledger alone: who came and went, and what of things changed. Who is there
when something changes knows it, and knows of the others there that they know; who is away goes on
believing what was so before; who comes back sees how the things of the place are.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from app.memory.matters import People
from app.memory.names import folded
from app.memory.presence_lines import AWAY, BY_PRESENCE
from app.memory.records import Grounding, Memory, Tier
from app.memory.standing import Standing, Status
from app.story.messages import Message, combined_digest
from app.story.scene_cues.language import tokens_of

COUNTING = (Status.ACTIVE, Status.ENDED, Status.LATER)
PERSON, LOCATION = "character", "location"
MOST_WITNESSES = 4  # of a change that somebody missed, who are noted to know it
MOST_PEOPLE = 40  # of whose thoughts of each other account is kept


@dataclass(frozen=True, slots=True)
class Held:
    """A value of the ledger as somebody knows it. message: at which they learned it. saw: whether
    it changed before their eyes; else they came to where it could be seen.
    """

    memory: Memory
    message: int
    saw: bool = True

    @property
    def value(self) -> str:
        return self.memory.text

    def is_like(self, other: Held) -> bool:
        """Whether both are the same value."""
        return folded(self.value) == folded(other.value)


@dataclass(frozen=True, slots=True)
class Missed:
    """For a time somebody's value was not how it is. person: their name. held: theirs. now: as it
    was. start, end: messages between which it was so, end None while it is.
    """

    person: str
    held: Held
    now: Held
    start: int
    end: int | None = None


_Key = tuple[str, str]  # a thing's name, folded, and the field


@dataclass(slots=True)
class _History:
    """What somebody held of something, in the order of the story."""

    starts: list[int] = field(default_factory=list)
    held: list[Held] = field(default_factory=list)

    def add(self, held: Held) -> None:
        self.starts.append(held.message)
        self.held.append(held)

    def at(self, message: int) -> Held | None:
        place = bisect_right(self.starts, message)
        return self.held[place - 1] if place else None


class PresenceTimeline:
    """Where people were and what they saw, for any message of a story."""

    def __init__(
        self,
        standings: Iterable[Standing],
        messages: Sequence[Message] = (),
        aliases: Mapping[str, str] | None = None,
    ) -> None:
        """standings: of any tiers. messages: of the chat, for whose doing a change is."""
        values = [
            s for s in standings if s.memory.tier is Tier.STATE_LEDGER and s.status in COUNTING
        ]
        values.sort(key=lambda s: (s.start, s.memory.created))
        moves = [s.memory for s in values if s.memory.channel == BY_PRESENCE]
        if not moves:
            values = []  # nobody is known to have come or gone
        subjects = (memory.subject for memory in moves)
        self.people = People.of(dict.fromkeys(subjects), aliases)
        self._messages = messages
        self._stays: dict[str, list[tuple[int, str]]] = {}
        self._places: dict[str, frozenset[str]] = {}
        self._at: dict[str, str] = {}
        self._where_things: dict[str, str] = {}
        self._values: dict[_Key, _History] = {}
        self._direct: dict[tuple[str, _Key], _History] = {}
        self._thought: dict[tuple[str, str, _Key], _History] = {}
        for standing in values:
            self._take(standing)

    def __bool__(self) -> bool:
        """Whether anything is known of where people were."""
        return bool(self._stays)

    # --- asked

    def where(self, person: str, at: int) -> str:
        """The place where somebody is at a message; AWAY, or "" where nothing is known of it."""
        stays = self._stays.get(self.people.key(person), [])
        place = bisect_right(stays, at, key=lambda stay: stay[0])
        return stays[place - 1][1] if place else ""

    def there(self, at: int) -> tuple[str, ...]:
        """The names of those who are where a message happens, by its writer or whom it names; ()
        where nobody knows.
        """
        room = self._room_of(at, {key: self.where(key, at) for key in self._stays})
        if not room:
            return ()
        return tuple(self.people.name(k) for k in self._stays if self.where(k, at) == room)

    def belief(self, person: str, subject: str, of: str, at: int) -> Held | None:
        """What somebody takes a field of a thing to be at a message; None where they never saw."""
        history = self._direct.get((self.people.key(person), (folded(subject), of)))
        return history.at(at) if history is not None else None

    def thought(self, person: str, other: str, subject: str, of: str, at: int) -> Held | None:
        """What somebody thinks that another takes it to be: as it was when both saw it last."""
        key = (self.people.key(person), self.people.key(other), (folded(subject), of))
        history = self._thought.get(key)
        return history.at(at) if history is not None else None

    def missed(self) -> Iterator[Missed]:
        """What changed behind somebody's back, of everybody and of each value of a thing."""
        for (person, thing), history in self._direct.items():
            values = self._values[thing]
            open_at: Missed | None = None
            for message in sorted({*history.starts, *values.starts}):
                held, now = history.at(message), values.at(message)
                if held is None or now is None:
                    continue
                if open_at is not None and not (held.is_like(open_at.held) and now is open_at.now):
                    yield replace(open_at, end=message)
                    open_at = None
                if open_at is None and not held.is_like(now):
                    open_at = Missed(self.people.name(person), held, now, message)
            if open_at is not None:
                yield open_at

    def witnesses(self, message: int, speakers: Sequence[str]) -> tuple[str, ...]:
        """Who of these was there at a message, and who else was; those of whom nobody knows where
        they were may have been there.
        """
        there = self.there(message)
        if not there:
            return tuple(speakers)
        keys = {self.people.key(name) for name in there}
        near = (n for n in speakers if not self.where(n, message) or self.people.key(n) in keys)
        return tuple({self.people.key(name): name for name in (*near, *there)}.values())

    # --- taken in

    def _take(self, standing: Standing) -> None:
        memory = standing.memory
        if memory.type == PERSON:
            if memory.field == LOCATION and memory.channel == BY_PRESENCE:
                self._move(self.people.key(memory.subject), memory.text, standing.start)
        else:
            self._change(memory, standing.start)

    def _move(self, person: str, value: str, start: int) -> None:
        place = AWAY if folded(value) == AWAY else self._place(value)
        self._at[person] = place
        self._stays.setdefault(person, []).append((start, place))
        if place == AWAY:
            return
        company = self._company(place)
        for thing, room in self._where_things.items():
            if room == place:
                for key in [key for key in self._values if key[0] == thing]:
                    self._see(key, company, start, newcomer=person)

    def _change(self, memory: Memory, start: int) -> None:
        thing = folded(memory.subject)
        room = self._room(memory, start)
        inside = self._where_things.get(folded(memory.text)) if memory.field == LOCATION else None
        if memory.field == LOCATION and inside is None and self._is_place(memory.text):
            inside = self._place(memory.text)
        if inside or room:
            self._where_things[thing] = inside or room
        key = (thing, memory.field)
        self._values.setdefault(key, _History()).add(Held(memory, start))
        company = self._company(room) | self._company(inside or "")
        self._see(key, company, start)

    def _see(self, key: _Key, company: set[str], start: int, newcomer: str = "") -> None:
        """All who are there know it, each of the others too. newcomer: who alone learns it."""
        now = self._values[key].held[-1]
        seen = Held(now.memory, start, saw=not newcomer)
        for one in {newcomer} if newcomer else company:
            self._direct.setdefault((one, key), _History()).add(seen)
        if len(company) > MOST_PEOPLE:
            return
        for one in company:
            for other in company - {one}:
                self._thought.setdefault((one, other, key), _History()).add(seen)

    def _company(self, place: str) -> set[str]:
        return {person for person, at in self._at.items() if place and at == place != AWAY}

    # --- where

    def _room(self, memory: Memory, start: int) -> str:
        """Where a change happens: where its doer is, where the thing is, or where most are."""
        doer = self._room_of(start, self._at)
        known = self._where_things.get(folded(memory.subject))
        if doer or known:
            return doer or known or ""
        among = Counter(place for place in self._at.values() if place != AWAY)
        return among.most_common(1)[0][0] if among else ""

    def _room_of(self, message: int, at: Mapping[str, str]) -> str:
        """Where a message happens: where its writer is, else whoever it names first."""
        if not 0 <= message < len(self._messages):
            return ""
        one = self._messages[message]
        writer = at.get(self.people.key(one.name), "")
        if writer and writer != AWAY:
            return writer
        words = tokens_of(folded(one.text))
        named = {key: set(tokens_of(key)) for key in at}
        for word in words:
            for key, parts in named.items():
                if word in parts and at[key] not in ("", AWAY):
                    return at[key]
        return ""

    def _is_place(self, text: str) -> bool:
        words = frozenset(tokens_of(folded(text)))
        return any(words and (words <= known or known <= words) for known in self._places.values())

    def _place(self, text: str) -> str:
        """One name for one place: the first by which it was known."""
        words = frozenset(tokens_of(folded(text)))
        for name, known in self._places.items():
            if words == known or (words and known and (words <= known or known <= words)):
                return name
        name = text.strip()
        self._places[name] = words
        return name


def witnessed(
    memories: Sequence[Memory],
    timeline: PresenceTimeline,
    places: Mapping[str, int],
    speakers: Sequence[str],
) -> tuple[Memory, ...]:
    """Long-term memories with the names of those who were there at one of their messages. places:
    of messages by anchor. speakers: of the window that was read.
    """

    def of(memory: Memory) -> Memory:
        if memory.tier is not Tier.LONG_TERM:
            return memory
        at = (places[source.anchor] for source in memory.sources if source.anchor in places)
        names = dict.fromkeys(name for place in at for name in timeline.witnesses(place, speakers))
        return replace(memory, witnessed_by=tuple(names)) if names else memory

    return tuple(map(of, memories)) if timeline else tuple(memories)


def behind_their_backs(timeline: PresenceTimeline, at: int) -> tuple[Standing, ...]:
    """What follows of who knows what, as entries that nobody noted: who was away believes what was
    so before, and who saw the change knows it. As it stands at a message.
    """
    found: dict[str, Standing] = {}
    for missed in timeline.missed():
        found |= _entry(missed, "believes", missed.person, missed.held, at)
        for name in timeline.there(missed.now.message)[:MOST_WITNESSES]:
            if timeline.people.key(name) != timeline.people.key(missed.person):
                found |= _entry(missed, "knows", name, missed.now, at)
    return tuple(found.values())


def _entry(missed: Missed, kind: str, person: str, held: Held, at: int) -> dict[str, Standing]:
    value, change = held.memory, missed.now.memory
    id_ = combined_digest(BY_PRESENCE, kind, folded(person), value.id, change.id)
    memory = Memory(
        id_,
        change.chat,
        Tier.EPISTEMIC,
        kind,
        f"{value.subject}, {value.field.replace('_', ' ')}: {value.text}",
        subject=person,
        channel="saw",
        sources=change.sources,
        grounding=Grounding.DERIVED,
        made_by=BY_PRESENCE,
        created=change.created,
    )
    status = Status.LATER if missed.start > at else Status.ACTIVE
    if missed.end is not None and missed.end <= at:
        status = Status.ENDED
    return {id_: Standing(memory, status, missed.start, missed.end)}
