"""What of things changed while somebody was away: they go on believing what was so before. Pure.

It stands on the values of the state ledger and on who is where. Nothing is kept of it: it is made
anew from what the story says. Of whom nobody knows where they were, nothing follows.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from app.memory.epistemic.presence import Whereabouts, is_same_place
from app.memory.epistemic.propositions import content_words
from app.memory.epistemic.witnessing import MADE_BY, WAS_AWAY, WAS_THERE
from app.memory.names import folded
from app.memory.records import Grounding, Memory, Tier
from app.memory.standing import Standing, Status
from app.story.messages import Message, combined_digest
from app.story.scene_cues.language import tokens_of

COUNTING = (Status.ACTIVE, Status.ENDED, Status.LATER)
PERSON, LOCATION = "character", "location"
WHEREABOUTS = frozenset({LOCATION, "owner"})  # fields of a thing
MOST_WITNESSES = 4  # of a change that somebody missed, who are noted to know it

_Key = tuple[str, str]  # a thing's name, folded, and the field


@dataclass(frozen=True, slots=True)
class Held:
    """A value of the ledger as somebody knows it, from a message on."""

    memory: Memory
    message: int

    def is_like(self, other: Held, stopwords: frozenset[str]) -> bool:
        """Whether both are the same value. "The cellar" and "the cellar of the inn, box three" may
        be one place: nobody is said to be wrong about where a thing is for how it was put.
        """
        one, two = self.memory.text, other.memory.text
        if folded(one) == folded(two):
            return True
        return bool(content_words(one, stopwords) & content_words(two, stopwords))


@dataclass(frozen=True, slots=True)
class Missed:
    """For a time somebody's value was not how it is. person: their key. held: theirs. now: as it
    was. there: keys of who saw it. start, end: messages, end None while it lasts.
    """

    person: str
    held: Held
    now: Held
    there: frozenset[str]
    start: int
    end: int | None = None


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


class SeenChanges:
    """What people of a story saw change, for any of its messages."""

    def __init__(
        self,
        standings: Iterable[Standing],
        where: Whereabouts,
        messages: Sequence[Message],
        stopwords: frozenset[str] = frozenset(),
    ) -> None:
        """standings: of any tiers. messages: of the chat, for whose doing a change is. stopwords:
        words that say nothing, in its languages.
        """
        self.where = where
        self._stopwords = stopwords
        self._messages = messages
        self._rooms: dict[str, str] = {}  # of things
        self._values: dict[_Key, _History] = {}
        self._known: dict[tuple[str, _Key], _History] = {}
        self._saw: dict[str, frozenset[str]] = {}  # who saw a change, by id of its value
        self._walk(standings)

    def belief(self, person: str, subject: str, of: str, at: int) -> str:
        """What somebody takes a field of a thing to be at a message; "" where they never saw."""
        history = self._known.get((self.where.people.key(person), (folded(subject), of)))
        held = history.at(at) if history is not None else None
        return held.memory.text if held is not None else ""

    def missed(self) -> Iterator[Missed]:
        """What changed behind somebody's back, of everybody: where a thing is and whose it is. How
        it looks is put in other words each time, and nobody is wrong for that.
        """
        for (person, thing), history in self._known.items():
            if thing[1] not in WHEREABOUTS:
                continue
            values = self._values[thing]
            under_way: Missed | None = None
            for message in sorted({*history.starts, *values.starts}):
                held, now = history.at(message), values.at(message)
                if held is None or now is None:
                    continue
                goes_on = under_way is not None and (
                    held.is_like(under_way.held, self._stopwords) and now is under_way.now
                )
                if under_way is not None and not goes_on:
                    yield replace(under_way, end=message)
                    under_way = None
                if under_way is None and not held.is_like(now, self._stopwords):
                    saw = self._saw.get(now.memory.id, frozenset())
                    under_way = Missed(person, held, now, saw, message)
            if under_way is not None:
                yield under_way

    def _walk(self, standings: Iterable[Standing]) -> None:
        """Go through the story once; who comes in while something changes sees how it is then."""
        changes = [
            (s.start, 0, s.memory.created, s.memory)
            for s in standings
            if s.memory.tier is Tier.STATE_LEDGER
            and s.memory.type != PERSON
            and s.status in COUNTING
            and s.start >= 0
        ]
        if not changes:
            return
        arrivals = [
            (stay.first, person, stay.spot.place)
            for person in self.where.followed
            for stay in self.where.stays(person)
            if stay.spot.place and not stay.spot.is_away
        ]
        arrivals.sort()
        arrived = 0
        for start, _, _, memory in sorted(changes, key=lambda c: c[:3]):
            while arrived < len(arrivals) and arrivals[arrived][0] < start:
                self._arrive(*arrivals[arrived])
                arrived += 1
            self._change(memory, start)
        for arrival in arrivals[arrived:]:
            self._arrive(*arrival)

    def _arrive(self, at: int, person: str, place: str) -> None:
        for thing, history in self._values.items():
            if is_same_place(self._rooms.get(thing[0], ""), place):
                self._learn(person, thing, Held(history.held[-1].memory, at))

    def _change(self, memory: Memory, start: int) -> None:
        thing = (folded(memory.subject), memory.field)
        room = self._room(memory, start)
        inside = self._place_of(memory.text, start) if memory.field == LOCATION else None
        if inside or room:
            self._rooms[thing[0]] = inside or room or ""
        held = Held(memory, start)
        self._values.setdefault(thing, _History()).add(held)
        company = [
            self.where.company(start, place) for place in {room, inside} if place is not None
        ]
        there = frozenset[str]().union(*(one.there for one in company))
        away = frozenset[str]().union(*(one.away for one in company)) - there
        self._saw[memory.id] = there
        for person in self.where.followed:
            is_known = (person, thing) in self._known
            # Of whom nobody knows whether they were there, none is said to have missed it.
            if person in there or (is_known and person not in away):
                self._learn(person, thing, held)

    def _learn(self, person: str, thing: _Key, held: Held) -> None:
        self._known.setdefault((person, thing), _History()).add(held)

    def _room(self, memory: Memory, start: int) -> str | None:
        """Where a change happens: where its doer is, where the thing is, or where most are."""
        for name in self._doers(start):
            place = self.where.place_of(name, start)
            if place is not None:
                return place
        if folded(memory.subject) in self._rooms:
            return self._rooms[folded(memory.subject)]
        spots = (self.where.spot(person, start) for person in self.where.followed)
        among = Counter(spot.place for spot in spots if spot is not None and not spot.is_away)
        return among.most_common(1)[0][0] if among else None

    def _doers(self, start: int) -> Iterator[str]:
        """Who may do what a message tells: its writer, then whom it names, in that order."""
        if start >= len(self._messages):
            return
        message = self._messages[start]
        yield message.name
        named = {word: key for key in self.where.followed for word in tokens_of(key)}
        yield from (named[word] for word in tokens_of(folded(message.text)) if word in named)

    def _place_of(self, text: str, start: int) -> str | None:
        """The place that a value means: a thing's, or one of the story's own."""
        return self._rooms.get(folded(text)) or self.where.place_of(text, start)


def behind_their_backs(seen: SeenChanges, at: int) -> tuple[Standing, ...]:
    """What follows of who knows what, as entries that nobody noted: who was away believes what was
    so before, and who saw the change knows it. As it stands at a message.
    """
    found: dict[str, Standing] = {}
    for missed in seen.missed():
        found |= _entry(missed, "believes", seen.where.people.name(missed.person), missed.held, at)
        for key in sorted(missed.there)[:MOST_WITNESSES]:
            found |= _entry(missed, "knows", seen.where.people.name(key), missed.now, at)
    return tuple(found.values())


def _entry(missed: Missed, kind: str, person: str, held: Held, at: int) -> dict[str, Standing]:
    value, change = held.memory, missed.now.memory
    id_ = combined_digest(MADE_BY, kind, folded(person), value.id, change.id)
    memory = Memory(
        id_,
        change.chat,
        Tier.EPISTEMIC,
        kind,
        f"{value.subject}, {value.field.replace('_', ' ')}: {value.text}",
        subject=person,
        field=value.field,
        channel=WAS_AWAY if kind == "believes" else WAS_THERE,
        sources=change.sources,
        grounding=Grounding.DERIVED,
        made_by=MADE_BY,
        created=change.created,
    )
    status = Status.LATER if missed.start > at else Status.ACTIVE
    if missed.end is not None and missed.end <= at:
        status = Status.ENDED
    return {id_: Standing(memory, status, missed.start, missed.end)}
