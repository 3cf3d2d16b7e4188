"""The map of who knows, suspects, believes and hides what, to be asked for any message."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from app.memory.epistemic.propositions import People, is_a_name, is_alike, is_everyone, is_same
from app.memory.epistemic.second_order import Inner, inner_of
from app.memory.epistemic.witnessing import Witnessing
from app.memory.names import name_in
from app.memory.records import Tier
from app.memory.similarity import NO_VECTORS, Vectors, normalised
from app.memory.standing import Standing, Status

HOLDING = ("knows", "suspects", "believes", "hiding")
PUBLIC = (Status.ACTIVE, Status.ENDED, Status.LATER)


class Spreading(StrEnum):
    """What an event does to a proposition."""

    FOUND = "found"  # somebody learned it by themselves
    TOLD = "told"
    DECEIVED = "deceived"  # somebody came to hold what is false
    SUSPECTED = "suspected"
    HIDDEN = "hidden"
    LEFT_OUT = "left out"  # somebody does not know it though others do


@dataclass(frozen=True, slots=True)
class Proposition:
    """One thing that people know of or not. text: of its first entry. standings: oldest first."""

    number: int
    text: str
    standings: tuple[Standing, ...]


@dataclass(frozen=True, slots=True)
class World:
    """What a person's world is at a message.

    unaware: what others know and they do not. hides: what they keep from whom (`memory.target`).
    kept_from: what others hide from them, which they have not learned. minds: of others.
    """

    person: str
    at: int
    knows: tuple[Standing, ...] = ()
    suspects: tuple[Standing, ...] = ()
    believes: tuple[Standing, ...] = ()
    unaware: tuple[Standing, ...] = ()
    hides: tuple[Standing, ...] = ()
    kept_from: tuple[Standing, ...] = ()
    minds: tuple[Inner, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a chain. teller: "" where the learner found it out, or nobody says who told."""

    message: int
    teller: str
    learner: str
    channel: str
    standing: Standing


@dataclass(frozen=True, slots=True)
class Happening:
    """One event in the life of a proposition. other: who told it, or from whom it is hidden."""

    message: int
    kind: Spreading
    person: str
    other: str
    standing: Standing


@dataclass(frozen=True, slots=True)
class Risk:
    """Whom a secret can still hurt. unaware: who does not know it. keepers: who hides it."""

    unaware: tuple[str, ...] = ()
    hidden_from: tuple[str, ...] = ()
    keepers: tuple[str, ...] = ()


class EpistemicMap:
    """Entries by holder and proposition, with the messages between which they hold.

    propositions: in the order in which they came up. people: keys and names of holders and others.
    """

    def __init__(
        self,
        standings: Iterable[Standing],
        *,
        participants: Sequence[str] = (),
        aliases: Mapping[str, str] | None = None,
        stopwords: frozenset[str] = frozenset(),
        vectors: Vectors = NO_VECTORS,
        witnessing: Witnessing | None = None,
    ) -> None:
        """standings: of any tiers, as at any message. participants: names of who speaks. stopwords:
        of the story's languages, for grouping. witnessing: who learned what with whom, where that
        is known.
        """
        self.witnessing = witnessing
        entries = [s for s in standings if s.memory.tier is Tier.EPISTEMIC and s.status in PUBLIC]
        self.entries = tuple(sorted(entries, key=lambda s: s.start))
        named = [s.memory.subject for s in self.entries]
        named += [s.memory.target for s in self.entries if name_in(s.memory.target)]
        tellers = [s.memory.told_by for s in self.entries if s.memory.told_by]
        holders = People.of([*participants, *(s.memory.subject for s in self.entries)], aliases)
        targets = [name for name in named if holders.is_known(name) or is_a_name(name)]
        self.people = People.of(dict.fromkeys([*participants, *targets, *tellers]), aliases)
        self._stopwords, self._vectors = stopwords, vectors
        self.propositions = self._grouped()
        self._proposition_of = {
            standing.memory.id: proposition
            for proposition in self.propositions
            for standing in proposition.standings
        }

    def proposition(self, text: str) -> Proposition | None:
        """The proposition that a text is about, None when nobody holds anything of the kind."""
        same = [m for m in self.propositions if any(self._is_same(text, s) for s in m.standings)]
        alike = [m for m in self.propositions if is_alike(text, m.text, self._stopwords)]
        return next(iter((*same, *alike)), None)

    def proposition_of(self, standing: Standing) -> Proposition:
        """The proposition that an entry is about."""
        return self._proposition_of[standing.memory.id]

    def holds(self, standing: Standing) -> bool:
        """Whether an entry is one of the map's."""
        return standing.memory.id in self._proposition_of

    def holders(self, proposition: Proposition, at: int) -> tuple[Standing, ...]:
        """Who holds what of a proposition at a message; of several equal entries the first."""
        found: list[Standing] = []
        for standing in proposition.standings:
            if standing.holds_at(at) and not any(self._repeats(standing, s) for s in found):
                found.append(standing)
        return tuple(found)

    def _repeats(self, standing: Standing, other: Standing) -> bool:
        new, old = standing.memory, other.memory
        return (
            new.type == old.type
            and self._is(new.subject, old.subject)
            and self.people.key(new.target) == self.people.key(old.target)
            and is_same(new.text, old.text, vectors=self._vectors)
        )

    def of_person(self, person: str, proposition: Proposition, at: int) -> tuple[Standing, ...]:
        """What one person holds of a proposition at a message."""
        key = self.people.key(person)
        return tuple(
            s for s in self.holders(proposition, at) if self.people.key(s.memory.subject) == key
        )

    def has(self, person: str, proposition: Proposition, at: int) -> bool:
        """Whether a person knows, suspects or hides it at a message."""
        held = self.of_person(person, proposition, at)
        return any(s.memory.type in ("knows", "suspects", "hiding") for s in held)

    def world_of(self, person: str, at: int) -> World:
        """What a person's world is at a message."""
        mine: dict[str, list[Standing]] = {}
        kept: list[Standing] = []
        for proposition in self.propositions:
            for standing in self.holders(proposition, at):
                if self._is(standing.memory.subject, person):
                    mine.setdefault(standing.memory.type, []).append(standing)
                elif self.is_hidden_from(standing, person) and not self.has(
                    person, proposition, at
                ):
                    kept.append(standing)
        held = [s for kind in mine.values() for s in kind]
        minds = [inner for inner in map(inner_of, held) if inner is not None]
        minds += self._second_order_seen(person, at, held)
        return World(
            self.people.name(self.people.key(person)),
            at,
            knows=tuple(mine.get("knows", ())),
            suspects=tuple(mine.get("suspects", ())),
            believes=tuple(mine.get("believes", ())),
            unaware=tuple(mine.get("unaware", ())),
            hides=tuple(mine.get("hiding", ())),
            kept_from=tuple(kept),
            minds=tuple(minds),
        )

    def _second_order_seen(self, person: str, at: int, held: Sequence[Standing]) -> Iterator[Inner]:
        """What somebody takes others to hold, since they learned it together and nothing is stated
        otherwise.
        """
        if self.witnessing is None:
            return
        own = {normalised(s.memory.text): s for s in held}
        by_message = {s.start: s for s in held}
        for mind in self.witnessing.second_order_of(person, at, held):
            standing = own.get(normalised(mind.text)) or by_message.get(mind.at)
            standing = standing or next(iter(own.values()), None)
            if standing is not None:
                state = "knows" if mind.is_so else "believes"
                yield Inner(standing, self.people.name(mind.of), state, mind.text)

    def is_hidden_from(self, hiding: Standing, person: str) -> bool:
        """Whether an entry hides something from a person, by name or as from everyone."""
        memory = hiding.memory
        if memory.type != "hiding" or self._is(memory.subject, person):
            return False
        return self._is(memory.target, person) or is_everyone(memory.target, self.people)

    def chain(self, standing: Standing) -> tuple[Step, ...]:
        """Who told whom until it reached this entry's holder, the origin first."""
        proposition, steps = self.proposition_of(standing), [_step(standing)]
        seen = {standing.memory.id}
        while steps[0].teller:
            before = [
                s
                for s in proposition.standings
                if self._is(s.memory.subject, steps[0].teller)
                and s.memory.type in HOLDING
                and s.start <= steps[0].message
                and s.memory.id not in seen
            ]
            if not before:
                break
            # How they learned it says more than that they hide it.
            learned = [s for s in before if s.memory.type != "hiding"] or before
            seen.add(learned[-1].memory.id)
            steps.insert(0, _step(learned[-1]))
        return tuple(steps)

    def at_risk(self, proposition: Proposition, at: int) -> Risk:
        """Whom a secret can still hurt at a message; without keepers it is none any more."""
        held = self.holders(proposition, at)
        hiding = [s for s in held if s.memory.type == "hiding"]
        unaware = [s.memory.subject for s in held if s.memory.type in ("unaware", "believes")]
        hidden = [
            s.memory.target
            for s in hiding
            if not self._has_learned(s.memory.target, proposition, at)
        ]
        keepers = dict.fromkeys(s.memory.subject for s in hiding)
        return Risk(tuple(dict.fromkeys(unaware)), tuple(dict.fromkeys(hidden)), tuple(keepers))

    def spread(
        self, proposition: Proposition | None = None, until: int | None = None
    ) -> list[Happening]:
        """How a proposition, or everything, spread: each event in the order of the story."""
        standings = self.entries if proposition is None else proposition.standings
        return [
            Happening(
                s.start,
                _kind(s),
                s.memory.subject,
                s.memory.target if s.memory.type == "hiding" else s.memory.told_by,
                s,
            )
            for s in standings
            if until is None or s.start <= until
        ]

    def _has_learned(self, person: str, proposition: Proposition, at: int) -> bool:
        held = self.of_person(person, proposition, at)
        return any(s.memory.type in ("knows", "hiding") for s in held)

    def _is(self, name: str, person: str) -> bool:
        return bool(name) and self.people.key(name) == self.people.key(person)

    def _is_same(self, text: str, standing: Standing) -> bool:
        return is_same(text, standing.memory.text, vectors=self._vectors)

    def _grouped(self) -> tuple[Proposition, ...]:
        """Entries by proposition, oldest first; each joins the first group that has one like it."""
        groups: list[list[Standing]] = []
        group_of: dict[str, list[Standing]] = {}
        for standing in self.entries:
            text = standing.memory.text
            group = group_of.get(normalised(text)) or self._group_like(text, groups)
            if group is None:
                group = []
                groups.append(group)
            group.append(standing)
            group_of.setdefault(normalised(text), group)
        return tuple(Proposition(n, g[0].memory.text, tuple(g)) for n, g in enumerate(groups))

    def _group_like(self, text: str, groups: Sequence[list[Standing]]) -> list[Standing] | None:
        for group in groups:
            texts = dict.fromkeys(s.memory.text for s in group)
            if any(is_same(text, other, vectors=self._vectors) for other in texts):
                return group
        for group in groups:
            if is_alike(text, group[0].memory.text, self._stopwords):
                return group
        return None


def _step(standing: Standing) -> Step:
    memory = standing.memory
    return Step(standing.start, memory.told_by, memory.subject, memory.channel, standing)


def _kind(standing: Standing) -> Spreading:
    memory = standing.memory
    if memory.type == "hiding":
        return Spreading.HIDDEN
    if memory.type == "unaware":
        return Spreading.LEFT_OUT
    if memory.type == "believes":
        return Spreading.DECEIVED
    if memory.type == "suspects":
        return Spreading.SUSPECTED
    return Spreading.TOLD if memory.told_by else Spreading.FOUND
