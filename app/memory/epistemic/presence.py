"""Who is where at any message, as far as the story says so.

What nobody says is not known: somebody is somewhere, elsewhere, or it is unknown where. A new scene
may be anywhere, so nothing is known of anybody at its beginning.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from app.memory.epistemic.propositions import People
from app.memory.names import folded
from app.memory.reading.presence_lines import ENTER, LEAVE, MOVES, PRESENT
from app.story.scene_cues.language import tokens_of

HERE = ""  # the place of a scene that nobody names
_UNSAYING = frozenset({"the", "a", "an", "of", "in", "at", "der", "die", "das", "le", "la", "el"})


@dataclass(frozen=True, slots=True)
class Event:
    """Somebody comes, goes or is where at a message, or says or shows something before others.

    kind: as in PresenceLine. whom, text: of what is said or shown. anchor, content_hash: of the
    message, for what is made of it.
    """

    kind: str
    who: str
    at: int
    place: str = HERE
    whom: tuple[str, ...] = ()
    text: str = ""
    anchor: str = ""
    content_hash: str = ""


@dataclass(frozen=True, slots=True)
class Spot:
    """Where somebody is. is_away: they are gone from there, and nobody says where to."""

    place: str
    is_away: bool = False


@dataclass(frozen=True, slots=True)
class Stay:
    """From where to where somebody is at a spot. first, end: message indexes, end exclusive and
    None while it lasts.
    """

    first: int
    end: int | None
    spot: Spot


@dataclass(frozen=True, slots=True)
class Company:
    """Who is known to be at a place at a message, and who is known not to be. Keys of people."""

    there: frozenset[str] = frozenset()
    away: frozenset[str] = frozenset()


class Whereabouts:
    """Who is where in one story.

    events: in any order; of one message in the order in which they are told. speakers: (message,
    name) of who writes for a person. openings: first messages of scenes. people: whom names mean.
    """

    def __init__(
        self,
        events: Iterable[Event],
        *,
        speakers: Iterable[tuple[int, str]] = (),
        openings: Collection[int] = (),
        people: People | None = None,
    ) -> None:
        self.events = tuple(sorted(events, key=lambda e: e.at))
        named = (name for e in self.events for name in (e.who, *e.whom))
        self.people = people or People.of(dict.fromkeys(named))
        self._openings = sorted(openings)
        self._marks: dict[str, list[tuple[int, Spot | None]]] = {}
        self._comes: dict[tuple[str, int], bool] = {}  # (person, message): said to be there in it
        self._walk(speakers)

    @property
    def followed(self) -> tuple[str, ...]:
        """Keys of those of whom it is known at some message where they are."""
        return tuple(self._marks)

    def spot(self, person: str, at: int) -> Spot | None:
        """Where somebody is when a message ends, None where nobody says. person: key or name."""
        marks = self._marks.get(self.people.key(person), ())
        place = bisect_right(marks, at, key=lambda mark: mark[0]) - 1
        return marks[place][1] if place >= 0 else None

    def stays(self, person: str) -> tuple[Stay, ...]:
        """Where somebody is through the story, what is unknown left out."""
        marks = self._marks.get(self.people.key(person), [])
        found = []
        for number, (first, spot) in enumerate(marks):
            end = marks[number + 1][0] if number + 1 < len(marks) else None
            if spot is not None and end != first:
                found.append(Stay(first, end, spot))
        return tuple(found)

    def company(self, at: int, place: str) -> Company:
        """Who is at a place all through a message, and who is not there at all. Who comes or goes
        in that message is in neither.
        """
        there, away = set(), set()
        for person in self._marks:
            spots = [self.spot(person, at)]
            if not self._comes.get((person, at), False):
                spots.append(self.spot(person, at - 1))
            if all(spot is not None and is_at(spot, place) for spot in spots):
                there.add(person)
            elif all(spot is not None and is_elsewhere(spot, place) for spot in spots):
                away.add(person)
        return Company(frozenset(there), frozenset(away))

    def beside(self, person: str, at: int) -> frozenset[str]:
        """Keys of the others who are with somebody at some time of a message, as it begins, in its
        course or as it ends; who leaves in it is with them until then.
        """
        key, mine = self.people.key(person), self._places_in(person, at)
        return frozenset(
            other
            for other in self._marks
            if other != key
            and any(is_same_place(a, b) for a in mine for b in self._places_in(other, at))
        )

    def _places_in(self, person: str, at: int) -> frozenset[str]:
        key = self.people.key(person)
        in_its_course = (spot for first, spot in self._marks.get(key, ()) if first == at)
        spots = (self.spot(key, at - 1), *in_its_course)
        return frozenset(spot.place for spot in spots if spot is not None and not spot.is_away)

    def place_of(self, who: str, at: int) -> str | None:
        """Where somebody who does something in a message does it, or the place that the name means
        itself; None where it is unknown.
        """
        for index in (at, at - 1):
            spot = self.spot(who, index)
            if spot is not None and not spot.is_away:
                return spot.place
        key = self.people.key(who)
        is_place = key not in self._marks and any(is_same_place(who, p) for p in self._places)
        return who if is_place else None

    def _walk(self, speakers: Iterable[tuple[int, str]]) -> None:
        """Go through the story once."""
        moves = [event for event in self.events if event.kind in MOVES]
        self._places = frozenset(event.place for event in moves if event.place)
        steps: list[tuple[int, int, Callable[[], None]]] = []
        steps += ((at, 0, self._opener(at)) for at in self._openings)
        steps += ((at, 1, self._speaker(at, name)) for at, name in speakers)
        steps += ((e.at, 2, self._mover(e)) for e in moves)
        for _, _, step in sorted(steps, key=lambda step: step[:2]):
            step()

    def _opener(self, at: int) -> Callable[[], None]:
        def open_scene() -> None:
            for marks in self._marks.values():
                if marks and marks[-1][1] is not None:
                    marks.append((at, None))

        return open_scene

    def _speaker(self, at: int, name: str) -> Callable[[], None]:
        def speak() -> None:
            key = self.people.key(name)
            spot = self.spot(key, at)
            if spot is None:
                self._put(key, at, Spot(HERE))
                self._comes[key, at] = True
            elif spot.is_away:  # they are back, or write from where they went
                self._put(key, at, None)

        return speak

    def _mover(self, event: Event) -> Callable[[], None]:
        def move() -> None:
            key, before = self.people.key(event.who), self.spot(event.who, event.at)
            if event.kind == LEAVE:
                place = event.place or (before.place if before else HERE)
                self._put(key, event.at, Spot(place, is_away=True))
                return
            if event.kind == ENTER and before is None and self._is_new(key, event.at):
                # Who comes in was not there before.
                self._put(key, self._scene_of(event.at), Spot(event.place, is_away=True))
            self._put(key, event.at, Spot(event.place))
            if event.kind == PRESENT:
                self._comes[key, event.at] = True

        return move

    def _is_new(self, key: str, at: int) -> bool:
        marks = self._marks.get(key)
        return not marks or marks[-1][0] <= self._scene_of(at)

    def _scene_of(self, at: int) -> int:
        place = bisect_right(self._openings, at) - 1
        return self._openings[place] if place >= 0 else 0

    def _put(self, key: str, at: int, spot: Spot | None) -> None:
        self._marks.setdefault(key, []).append((at, spot))


def is_at(spot: Spot, place: str) -> bool:
    """Whether a spot is surely at a place."""
    return not spot.is_away and is_same_place(spot.place, place)


def is_elsewhere(spot: Spot, place: str) -> bool:
    """Whether a spot is surely not at a place: another one with a name, or gone from it."""
    if spot.is_away:
        return is_same_place(spot.place, place)
    return bool(spot.place and place) and not is_same_place(spot.place, place)


@lru_cache(maxsize=4096)
def is_same_place(one: str, other: str) -> bool:
    """Whether two names mean one place: the same words, or one name has all words of the other."""
    left, right = _words(one), _words(other)
    if not left or not right:
        return left == right
    return left <= right or right <= left


def _words(place: str) -> frozenset[str]:
    return frozenset(tokens_of(folded(place).replace("_", " "))) - _UNSAYING


def witnesses(
    where: Whereabouts, speakers: Sequence[str], cited: Mapping[int, str]
) -> tuple[str, ...]:
    """Who was there when something was told: of those who speak around it, all that were not away
    all the time, and who else is known to be there. cited: who writes each message, by index.
    """
    there: dict[str, None] = {}
    away: set[str] | None = None
    for at, writer in cited.items():
        place = where.place_of(writer, at)
        company = Company() if place is None else where.company(at, place)
        there |= dict.fromkeys(sorted(company.there))
        away = set(company.away) if away is None else away & company.away
    gone = (away or set()) - there.keys()
    named = {where.people.key(name): name for name in speakers}
    kept = [name for key, name in named.items() if key not in gone]
    return (*kept, *(where.people.name(key) for key in there if key not in named))
