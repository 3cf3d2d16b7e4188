"""The epistemic map as people look at it: who holds what at a message, and since when."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from app.core.translation import N_
from app.memory.epistemic.epistemic_map import EpistemicMap, Proposition, Risk, Step, World
from app.memory.epistemic.presence import Stay
from app.memory.epistemic.propositions import People
from app.memory.names import folded
from app.memory.similarity import normalised
from app.memory.standing import Standing
from app.memory.tiers.epistemic import title_of
from app.story.scene_cues.language import tokens_of

HAVING = ("knows", "hiding")
STATE_WORDS = {
    "knows": N_("knows"),
    "suspects": N_("suspects"),
    "believes": N_("believes"),
    "unaware": N_("does not know"),
    "hiding": N_("hides"),
}
SECRET_TYPES = ("hiding", "believes")  # what one would not like to read by accident


class Attitude(StrEnum):
    """How somebody stands to a proposition; KEPT: somebody hides it from them; no more is known."""

    HIDING = "hiding"
    KNOWS = "knows"
    SUSPECTS = "suspects"
    BELIEVES = "believes"
    UNAWARE = "unaware"
    KEPT = "kept"


ORDER = {attitude: place for place, attitude in enumerate(Attitude)}


@dataclass(frozen=True, slots=True)
class Stance:
    """One person's attitude to one proposition at a message. person: key. proposition: number.
    standing: the entry that says so; for KEPT that of the one who hides it.
    """

    person: str
    proposition: int
    attitude: Attitude
    standing: Standing


@dataclass(frozen=True, slots=True)
class Stretch:
    """From where to where a person has an attitude. end: None while it holds, else exclusive."""

    attitude: Attitude
    first: int
    end: int | None
    standing: Standing


@dataclass(frozen=True, slots=True)
class Topic:
    """A proposition with a title of its own. key: the same as long as its first entry is there.

    is_secret: somebody hides it, or is wrong about it, at any time. end: where nobody holds it any
    more, None where somebody does.
    """

    number: int
    key: str
    title: str
    is_secret: bool
    first: int
    end: int | None


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who holds something, or from whom something is hidden. short: what others call them
    for short, where no second person could be meant.
    """

    key: str
    name: str
    short: str


class EpistemicMapView:
    """What an epistemic map says of its people and propositions, for whoever shows it.

    topics: in the order in which they came up, by number of their proposition. people: likewise.
    """

    def __init__(self, knowledge: EpistemicMap) -> None:
        self.knowledge = knowledge
        self.topics = tuple(self._topic(proposition) for proposition in knowledge.propositions)
        self.people = tuple(self._people())
        self._by_key = {person.key: person for person in self.people}
        self._stretches: dict[int, dict[str, tuple[Stretch, ...]]] = {}

    def topic(self, number: int) -> Topic:
        """A proposition by its number. Raises IndexError."""
        return self.topics[number]

    def topic_of(self, standing: Standing) -> Topic:
        """The proposition that an entry is about."""
        return self.topics[self.knowledge.proposition_of(standing).number]

    def name(self, key: str) -> str:
        """A person's name."""
        person = self._by_key.get(key)
        return person.name if person is not None else self.knowledge.people.name(key)

    def short(self, key: str) -> str:
        """A person's name for where there is little room."""
        person = self._by_key.get(key)
        return person.short if person is not None else self.knowledge.people.name(key)

    def key(self, name: str) -> str:
        """Key of the person that a name means."""
        return self.knowledge.people.key(name)

    def stances(self, at: int) -> tuple[Stance, ...]:
        """Who holds what at a message, proposition by proposition."""
        return tuple(
            stance
            for proposition in self.knowledge.propositions
            for stance in self.stances_to(proposition, at)
        )

    def stances_to(self, proposition: Proposition, at: int) -> tuple[Stance, ...]:
        """Who holds what of one proposition at a message, and from whom it is kept: one attitude
        of each person, the one that says most.
        """
        found: dict[tuple[str, Attitude], Stance] = {}
        held = self.knowledge.holders(proposition, at)
        for standing in held:
            person, attitude = self.key(standing.memory.subject), Attitude(standing.memory.type)
            if person:
                found.setdefault(
                    (person, attitude), Stance(person, proposition.number, attitude, standing)
                )
        holders = {person for person, _ in found}
        for standing in held:
            target = self._target(standing)
            if target and target not in holders:
                kept = Stance(target, proposition.number, Attitude.KEPT, standing)
                found.setdefault((target, Attitude.KEPT), kept)
        most: dict[str, Stance] = {}
        for stance in sorted(found.values(), key=lambda s: ORDER[s.attitude]):
            most.setdefault(stance.person, stance)
        return tuple(most.values())

    def stretches(self, number: int) -> dict[str, tuple[Stretch, ...]]:
        """By person, how their attitude to a proposition went through the story; one at a time,
        the one that says most.
        """
        if number not in self._stretches:
            self._stretches[number] = self._found_stretches(number)
        return self._stretches[number]

    def _found_stretches(self, number: int) -> dict[str, tuple[Stretch, ...]]:
        proposition = self.knowledge.propositions[number]
        edges = _edges(proposition)
        found: dict[str, list[Stretch]] = {}
        for place, edge in enumerate(edges):
            end = edges[place + 1] if place + 1 < len(edges) else None
            seen: set[str] = set()
            for stance in self.stances_to(proposition, edge):
                if stance.person not in seen:
                    seen.add(stance.person)
                    _extend(found.setdefault(stance.person, []), stance, edge, end)
        return {person: tuple(stretches) for person, stretches in found.items()}

    def stays(self, person: str) -> tuple[Stay, ...]:
        """Where somebody is through the story, as far as it is known."""
        presence = self.knowledge.witnessing
        return presence.where.stays(person) if presence is not None else ()

    def knowing(self, number: int) -> tuple[tuple[int, int], ...]:
        """(message, how many know it from there on), at each change."""
        steps: list[tuple[int, int]] = []
        proposition = self.knowledge.propositions[number]
        for edge in _edges(proposition):
            held = self.knowledge.holders(proposition, edge)
            know = {self.key(s.memory.subject) for s in held if s.memory.type in HAVING}
            if not steps or steps[-1][1] != len(know):
                steps.append((edge, len(know)))
        return tuple(steps)

    def world(self, person: str, at: int) -> World:
        """What a person's world is at a message."""
        return self.knowledge.world_of(self.name(person), at)

    def risk(self, number: int, at: int) -> Risk:
        """Whom a secret can still hurt at a message."""
        return self.knowledge.at_risk(self.knowledge.propositions[number], at)

    def chain(self, number: int, at: int) -> tuple[Step, ...]:
        """Who told whom of a proposition up to a message, in the story's order; what memories say
        alike, as those of several chats do, once.
        """
        proposition = self.knowledge.propositions[number]
        steps: dict[tuple[object, ...], Step] = {}
        for standing in proposition.standings:
            if standing.start <= at and standing.memory.type in ("knows", "suspects", "believes"):
                for step in self.knowledge.chain(standing):
                    who = (step.teller and self.key(step.teller), self.key(step.learner))
                    steps.setdefault((*who, step.channel, step.message), step)
        return tuple(sorted(steps.values(), key=lambda step: step.message))

    def _target(self, hiding: Standing) -> str:
        """Key of the one person from whom something is hidden, "" for all or nobody."""
        target, people = hiding.memory.target, self.knowledge.people
        if hiding.memory.type != "hiding" or not people.is_known(target):
            return ""
        return people.key(target)

    def _people(self) -> Iterator[Person]:
        keys: dict[str, None] = {}
        for standing in self.knowledge.entries:
            for key in (self.key(standing.memory.subject), self._target(standing)):
                if key:
                    keys.setdefault(key)
        names = {key: self.knowledge.people.name(key) for key in keys}
        words = Counter(word for name in names.values() for word in name.split())
        for key, name in names.items():
            yield Person(key, name, self._short(key, name, words))

    def _short(self, key: str, name: str, words: Mapping[str, int]) -> str:
        """The first word that is a name of theirs by itself, else the first that no other has."""
        own = [word for word in name.split() if words[word] == 1 and word[:1].isalpha()]
        known = [w for w in own if self.knowledge.people.keys.get(folded(w)) == key]
        return next(iter(known or own), name)

    def _topic(self, proposition: Proposition) -> Topic:
        standings = proposition.standings
        ends = [standing.end for standing in standings]
        end = None if None in ends else max(e for e in ends if e is not None)
        is_secret = any(s.memory.type in SECRET_TYPES for s in standings)
        title = title_of(_telling(standings, self.knowledge.people))
        first = min(s.start for s in standings)
        return Topic(proposition.number, standings[0].memory.id, title, is_secret, first, end)


def _edges(proposition: Proposition) -> list[int]:
    """Where something begins or ends, in the story's order."""
    return sorted({at for s in proposition.standings for at in (s.start, s.end) if at is not None})


def _telling(standings: Sequence[Standing], people: People) -> str:
    """The wording that says most by itself: it names whom it is about instead of "he", and others
    use it too.
    """
    named = frozenset(word for key in people.keys.values() for word in people.words(key))
    texts = [standing.memory.text for standing in standings]
    uses = [normalised(text) for text in texts]

    def worth(text: str) -> tuple[int, int]:
        plain = normalised(text)
        return len(named.intersection(tokens_of(plain))), uses.count(plain)

    return max(texts, key=worth)


def _extend(stretches: list[Stretch], stance: Stance, first: int, end: int | None) -> None:
    """Go on with the last stretch where it is of the same kind and ends here, else begin one."""
    last = stretches[-1] if stretches else None
    if last is not None and last.end == first and last.attitude is stance.attitude:
        stretches[-1] = Stretch(last.attitude, last.first, end, last.standing)
    else:
        stretches.append(Stretch(stance.attitude, first, end, stance.standing))


def counted(stances: Iterable[Stance]) -> dict[Attitude, int]:
    """How many people have each attitude, in the order of Attitude."""
    counts = dict.fromkeys(Attitude, 0)
    for stance in stances:
        counts[stance.attitude] += 1
    return {attitude: count for attitude, count in counts.items() if count}
