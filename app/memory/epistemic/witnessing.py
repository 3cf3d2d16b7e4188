"""What follows from presence: who was there knows it, who was away goes on believing what was so.

Derived entries are never kept. They are made anew from what the story says, and yield to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from app.core.translation import N_
from app.memory.epistemic.presence import Company, Event, Whereabouts
from app.memory.epistemic.propositions import is_alike, is_same
from app.memory.epistemic.second_order import StatedMinds, inner_of, unshared_of
from app.memory.epistemic.shared_sights import SharedSight
from app.memory.lifecycle.state_change import takes_place
from app.memory.reading.presence_lines import OPEN, SAID
from app.memory.records import Grounding, Memory, Source, Tier
from app.memory.standing import Standing, Status
from app.story.messages import combined_digest
from app.story.scene_cues.language import LanguagePack

MADE_BY = "presence"
WAS_THERE, WAS_AWAY = N_("was there"), N_("was not there")  # channels of derived entries


@dataclass(frozen=True, slots=True)
class Witnessed:
    """One thing that was said or shown. proposition: number, the same for what takes its place
    later.

    there, away: keys of who surely learned it so, and of who surely did not.
    """

    event: Event
    proposition: int
    there: frozenset[str]
    away: frozenset[str]


@dataclass(frozen=True, slots=True)
class SecondOrderBelief:
    """What one person takes another to hold, since both were there. is_so: as far as the first
    one knows it is still so.
    """

    of: str
    text: str
    at: int
    is_so: bool


class Witnessing:
    """What people of a story know by having been there.

    where: of the same people. packs: languages whose words for places tell what takes the place of
    what: "the key is in the box", "the key is under the bed". shared: beliefs of which others saw
    the ground, too.
    """

    def __init__(
        self,
        where: Whereabouts,
        packs: Sequence[LanguagePack] = (),
        shared: Sequence[SharedSight] = (),
    ) -> None:
        self.where = where
        self._shared = shared
        self._place_words = frozenset[str]().union(*(pack.place_words for pack in packs))
        self._stopwords = frozenset[str]().union(*(pack.stopwords for pack in packs))
        self.things = tuple(self._witnessed())

    def entries(self, chat: int, stated: Iterable[Standing] = ()) -> tuple[Standing, ...]:
        """Who knows, believes and does not know what, as entries of the map.

        stated: entries of the story itself; of what somebody holds by them nothing is derived from
        where they begin.
        """
        by_person: dict[str, list[Standing]] = {}
        for standing in stated:
            by_person.setdefault(self._key(standing.memory.subject), []).append(standing)
        found = []
        for person in sorted({key for thing in self.things for key in thing.there | thing.away}):
            for thing, state, first, end in self._life_of(person):
                standing = self._standing(chat, person, thing, state, first, end)
                kept = self._yielding(standing, by_person.get(person, ()))
                if kept is not None:
                    found.append(kept)
        return tuple(sorted(found, key=lambda s: s.start))

    def second_order_of(
        self, person: str, at: int, held: Sequence[Standing] = ()
    ) -> tuple[SecondOrderBelief, ...]:
        """What somebody takes the others to hold at a message: what both learned together last,
        unless their own entries, held, state what they think of the others.
        """
        key, stated = self._key(person), self._stated_in(held)
        together: dict[tuple[str, int], list[Event]] = {}
        own: dict[int, Event] = {}
        for thing in self.things:
            if thing.event.at > at or key not in thing.there:
                continue
            own[thing.proposition] = thing.event
            for other in thing.there - {key}:
                together.setdefault((other, thing.proposition), []).append(thing.event)
        found = []
        for (other, proposition), events in together.items():
            last = stated.left(other, ((event.at, event.text) for event in events))
            if last is not None:
                is_so = last == (own[proposition].at, own[proposition].text)
                found.append(SecondOrderBelief(other, last[1], last[0], is_so))
        shared = self._second_order_by_shared(key, at)
        left = (mind for mind in shared if stated.left(mind.of, [(mind.at, mind.text)]))
        return (*found, *left)

    def _stated_in(self, held: Sequence[Standing]) -> StatedMinds:
        """What entries state of others' minds."""
        return StatedMinds(
            tuple(inner for inner in map(inner_of, held) if inner is not None),
            tuple(one for one in map(unshared_of, held) if one is not None),
            self._key,
            is_same=self._is_told_as,
            is_of_same=lambda stated, text: (
                self._is_told_as(stated, text) or self._is_of_same(_bare(stated), _bare(text))
            ),
        )

    def _is_told_as(self, stated: str, text: str) -> bool:
        """Whether what is stated of a mind is what was said or shown, in other words."""
        if takes_place(_bare(stated), _bare(text), self._place_words):
            return False
        return is_same(stated, text) or is_alike(stated, text, self._stopwords)

    def _second_order_by_shared(self, key: str, at: int) -> Iterator[SecondOrderBelief]:
        """What somebody takes the others to hold still, by what they saw together once. Who does
        not go by it any more knows that those others do who were not there since.
        """
        holding = [sight for sight in self._shared if sight.belief.holds_at(at)]
        for sight in holding:
            text = sight.belief.memory.text
            if key == sight.holder:
                yield from (
                    SecondOrderBelief(other, text, sight.at, is_so=True) for other in sight.beside
                )
            elif key in sight.beside:
                is_so = any(
                    o.holder == key and self._is_same(o.belief.memory.text, text) for o in holding
                )
                yield SecondOrderBelief(sight.holder, text, sight.at, is_so)

    def _witnessed(self) -> Iterator[Witnessed]:
        last: list[Event] = []  # of each proposition what was said of it last
        for event in self.where.events:
            if event.kind not in OPEN:
                continue
            proposition = next(
                (n for n, old in enumerate(last) if self._is_of_same(old.text, event.text)),
                len(last),
            )
            last[proposition : proposition + 1] = [event]
            place = self.where.place_of(event.who, event.at)
            company = Company() if place is None else self.where.company(event.at, place)
            people = set(company.there)
            if place != event.who:
                people.add(self._key(event.who))
            people |= set(map(self._key, event.whom))
            yield Witnessed(event, proposition, frozenset(people), company.away - people)

    def _is_of_same(self, old: str, new: str) -> bool:
        """Whether a thing takes the place of another, or says it once more."""
        return self._is_same(old, new) or takes_place(old, new, self._place_words)

    def _is_same(self, old: str, new: str) -> bool:
        return is_same(old, new) and not takes_place(old, new, self._place_words)

    def _life_of(self, person: str) -> Iterator[tuple[Witnessed, str, int, int | None]]:
        """What somebody holds of each proposition, from where to where."""
        held: dict[int, tuple[Witnessed, str, int]] = {}
        for thing in self.things:
            at, before = thing.event.at, held.get(thing.proposition)
            is_other = before is None or not self._is_same(before[0].event.text, thing.event.text)
            if person in thing.there:
                state, holds = "knows", thing
            elif person in thing.away and before is not None and before[1] != "unaware":
                if not is_other and before[1] == "knows":
                    continue  # said once more, where they were not
                # What is put back is as they left it.
                state, holds = ("believes" if is_other else "knows"), before[0]
            elif person in thing.away:
                state, holds = "unaware", thing
            elif before is not None and is_other and before[1] == "knows":
                state, holds = "", before[0]  # nobody says whether they learned it
            else:
                continue
            if before is not None and (before[1], before[0].event.text) == (
                state,
                holds.event.text,
            ):
                continue
            if before is not None and before[1]:
                yield *before, at
            held[thing.proposition] = (holds, state, at)
        for thing, state, first in held.values():
            if state:
                yield thing, state, first, None

    def _standing(
        self, chat: int, person: str, thing: Witnessed, state: str, first: int, end: int | None
    ) -> Standing:
        event = thing.event
        is_own = self._key(event.who) == person
        # What keeps somebody in a belief is what happened while they were away.
        cause = next((t.event for t in self.things if t.event.at == first), event)
        told_by = event.who if event.kind == SAID and not is_own and state == "knows" else ""
        memory = Memory(
            id=combined_digest(MADE_BY, person, state, event.text, str(first)),
            chat=chat,
            tier=Tier.EPISTEMIC,
            type=state,
            text=event.text,
            subject=self.where.people.name(person),
            told_by=told_by,
            channel=WAS_THERE if state == "knows" else WAS_AWAY,
            sources=(Source(chat, cause.anchor, cause.content_hash),) if cause.anchor else (),
            grounding=Grounding.DERIVED,
            made_by=MADE_BY,
        )
        status = Status.ACTIVE if end is None else Status.ENDED
        return Standing(memory, status, first, end)

    def _yielding(self, derived: Standing, stated: Iterable[Standing]) -> Standing | None:
        """A derived entry up to where the story itself says what is held; None for nothing."""
        end = derived.end
        for standing in stated:
            if not self._is_same(standing.memory.text, derived.memory.text):
                continue
            if standing.start <= derived.start:
                if standing.end is None or standing.end > derived.start:
                    return None
            elif end is None or standing.start < end:
                end = standing.start
        if end == derived.end:
            return derived
        return replace(derived, end=end, status=Status.ENDED)

    def _key(self, name: str) -> str:
        return self.where.people.key(name)


def _bare(text: str) -> str:
    return text.removeprefix("that ")
