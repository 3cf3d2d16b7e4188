"""Which claims on who knows what hold up: nobody learns without a way to learn it (spec §7, PE)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from app.core.translation import N_
from app.memory.epistemic.propositions import (
    People,
    Reading,
    is_a_name,
    is_contrary,
    is_everyone,
    is_same,
)
from app.memory.lifecycle.state_change import Wording
from app.memory.lifecycle.verification import NO_WORDING
from app.memory.records import Ending, EndReason, Memory, Review, Source, Tier
from app.memory.similarity import NO_VECTORS, Vectors, normalised
from app.memory.standing import BEFORE
from app.story.messages import Message, MessageKind
from app.story.scene_cues.language import tokens_of

NEAR = 8  # messages before the cited ones in which somebody's name says that they are about
LEARNING = frozenset({"knows", "suspects", "believes"})
WITHOUT_IT = N_("{teller}, who is said to have told it, did not know it.")
NOT_THERE = N_(
    "{holder} is not in the messages that it cites, and it does not say how they learned it."
)


@dataclass(frozen=True, slots=True)
class Presence:
    """Who is about in which messages. A narrator's card speaks for many people, so whoever is named
    is taken to be there.
    """

    messages: Sequence[Message] = ()
    places: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, messages: Sequence[Message]) -> Presence:
        """Of a chat's messages."""
        return cls(messages, {message.anchor: n for n, message in enumerate(messages)})

    @property
    def speakers(self) -> frozenset[str]:
        """Names of who speaks in the story."""
        return frozenset(m.name for m in self.messages if m.kind is not MessageKind.NOTICE)

    def is_near(self, words: frozenset[str], sources: Sequence[Source]) -> bool:
        """Whether somebody with these words in the name speaks or is named in the sources, or
        shortly before. Where nothing is known of the sources, yes.
        """
        found = [self.places[s.anchor] for s in sources if s.anchor in self.places]
        if not found or not words:
            return True
        return any(
            self._is_in(words, index) for index in range(max(0, min(found) - NEAR), max(found) + 1)
        )

    def _is_in(self, words: frozenset[str], index: int) -> bool:
        message = self.messages[index]
        return not words.isdisjoint(tokens_of(normalised(f"{message.name} {message.text}")))


@dataclass(frozen=True, slots=True)
class Admitted:
    """candidates: as they came, some of them changed: they wait for review, or what somebody was
    told turns out to be a belief. ended: known entries in their new state, for they ended by it.
    """

    candidates: tuple[Memory, ...] = ()
    ended: tuple[Memory, ...] = ()


# 7 parameters: what claims are held against; all but three by name.
def admitted(
    candidates: Sequence[Memory],
    known: Sequence[Memory],
    presence: Presence,
    *,
    wording: Wording = NO_WORDING,
    vectors: Vectors = NO_VECTORS,
    places: Mapping[str, int] | None = None,
    aliases: Mapping[str, str] | None = None,
) -> Admitted:
    """Hold the epistemic ones of the candidates against what is known; others pass as they are.

    known: what holds, or begins later. places: message index of each by id; without it, the known
    ones come first. Rules: who is told something by somebody that does not have it, or who is
    nowhere near and has no channel, waits for review; what somebody tells who holds it wrongly, or
    who knows or hides the opposite, is believed and not known; from who knows it, in any words,
    nobody hides it any more, and from all others not when everybody knows it; who knows it is not
    unaware of it, suspects it no longer, and no longer believes the opposite, as far as the way is
    given in which they learned it. In doubt a claim is let pass.
    """
    return _Admission(candidates, known, presence, wording, vectors, places, aliases).result()


class _Admission:
    """The entries as they stand while the candidates come in, in the order of the story."""

    # 7 parameters: as of `admitted`.
    def __init__(
        self,
        candidates: Sequence[Memory],
        known: Sequence[Memory],
        presence: Presence,
        wording: Wording,
        vectors: Vectors,
        places: Mapping[str, int] | None,
        aliases: Mapping[str, str] | None,
    ) -> None:
        self._candidates = candidates
        self._presence = presence
        self._wording, self._vectors = wording, vectors
        self._places = places or {}
        entries = [m for m in known if m.tier is Tier.EPISTEMIC]
        claimed = [m for m in candidates if m.tier is Tier.EPISTEMIC]
        holders = (m.subject for m in (*entries, *claimed))
        self._people = People.of(dict.fromkeys(holders), aliases)
        self._reading = Reading.of(self._people, wording, vectors)
        self._of: dict[str, list[Memory]] = {}
        for entry in entries:
            self._add(entry)
        self._known = {entry.id: entry for entry in entries}
        self._changed: dict[str, Memory] = {}

    def result(self) -> Admitted:
        new: dict[str, Memory] = {}
        for candidate in sorted(self._candidates, key=self._place):
            if candidate.tier is not Tier.EPISTEMIC or candidate.review is Review.WAITING:
                continue
            checked = self._checked(candidate)
            if checked.review is not Review.WAITING:
                self._end_what_it_ends(checked)
                self._add(checked)
            new[checked.id] = checked
        new |= {id_: m for id_, m in self._changed.items() if id_ in new}
        return Admitted(
            tuple(new.get(candidate.id, candidate) for candidate in self._candidates),
            tuple(memory for id_, memory in self._changed.items() if id_ not in new),
        )

    def _place(self, memory: Memory) -> int:
        return self._places.get(memory.id, BEFORE)

    def _add(self, entry: Memory) -> None:
        self._of.setdefault(self._people.key(entry.subject), []).append(entry)

    def _checked(self, candidate: Memory) -> Memory:
        if candidate.type not in LEARNING:
            return candidate
        if candidate.told_by and self._people.key(candidate.told_by) != self._people.key(
            candidate.subject
        ):
            return self._told(candidate)
        words = self._people.words(self._people.key(candidate.subject))
        if (
            candidate.type == "knows"
            and not candidate.channel
            and not self._presence.is_near(words, candidate.sources)
        ):
            return _waiting(candidate, NOT_THERE.format(holder=candidate.subject))
        return candidate

    def _told(self, candidate: Memory) -> Memory:
        """What the listener holds, by what the teller held at that moment."""
        place = self._place(candidate)
        theirs = [
            entry
            for entry in self._of.get(self._people.key(candidate.told_by), ())
            if self._place(entry) <= place
        ]
        same = [entry for entry in theirs if self._is_same(entry, candidate)]
        attitudes = [entry for entry in same if entry.type != "hiding"]
        # Of those that have ended the caller keeps none, so the last one is what they hold.
        held = max(attitudes, key=self._place, default=None)
        if held is None:
            return self._believed(candidate) if self._is_lie(candidate, theirs) else candidate
        if held.type == "unaware" and not any(entry.type == "hiding" for entry in same):
            return _waiting(candidate, WITHOUT_IT.format(teller=candidate.told_by))
        return self._believed(candidate) if held.type == "believes" else candidate

    def _is_lie(self, candidate: Memory, theirs: Sequence[Memory]) -> bool:
        return any(
            entry.type in ("knows", "hiding")
            and is_contrary(entry.text, candidate.text, self._wording, self._vectors)
            for entry in theirs
        )

    def _believed(self, candidate: Memory) -> Memory:
        return replace(candidate, type="believes") if candidate.type == "knows" else candidate

    def _end_what_it_ends(self, learned: Memory) -> None:
        own = self._of.get(self._people.key(learned.subject), ())
        if learned.type == "suspects" and learned.told_by:
            for entry in self._of.get(self._people.key(learned.told_by), ()):
                if entry.type == "hiding" and self._is_from(entry, learned.subject):
                    self._end(entry, learned, self._is_same(entry, learned))
        elif learned.type == "hiding":
            for entry in own:
                self._end(entry, learned, entry.type == "unaware" and self._is_new(entry, learned))
        # Without a word on how they learned it, others may hide it on, or it is another
        # proposition: then whoever notes it says what no longer holds.
        elif learned.type == "knows" and (learned.channel or learned.told_by):
            for entry in (entry for entries in self._of.values() for entry in entries):
                if entry.type == "hiding":
                    self._end(entry, learned, self._is_out(entry, learned))
            for entry in own:
                if entry.type in ("unaware", "suspects"):
                    self._end(entry, learned, self._is_new(entry, learned))
                elif entry.type == "believes":
                    self._end(entry, learned, self._is_opposite(entry, learned))

    def _is_opposite(self, believed: Memory, learned: Memory) -> bool:
        return is_contrary(
            believed.text, learned.text, self._wording, self._vectors
        ) or self._reading.is_learned(believed, learned, is_opposite=True)

    def _is_new(self, entry: Memory, learned: Memory) -> bool:
        """Whether it is the same in other words; in the same ones the new attitude takes the place
        of the old one anyway.
        """
        return not self._is_same(entry, learned) and self._is_learned(entry, learned)

    def _is_learned(self, entry: Memory, learned: Memory) -> bool:
        return self._reading.is_learned(entry, learned)

    def _is_out(self, hiding: Memory, learned: Memory) -> bool:
        """Whether the one it was hidden from knows it now; of a group everybody there is."""
        if self._is_from(hiding, learned.subject):
            return self._is_learned(hiding, learned)
        if is_a_name(hiding.target) or not is_everyone(hiding.target, self._people):
            return False
        if not self._is_learned(hiding, learned):
            return False
        at = self._place(learned)
        knowing = {self._people.key(hiding.subject), self._people.key(learned.subject)}
        targets = (e.target for entries in self._of.values() for e in entries if e.target)
        named = [*filter(is_a_name, targets), *self._presence.speakers]
        everybody = set(self._of) | set(map(self._people.key, named))
        for holder in everybody - knowing:
            known = (e for e in self._of.get(holder, ()) if e.type in ("knows", "hiding"))
            if any(self._place(e) <= at and self._is_learned(hiding, e) for e in known):
                knowing.add(holder)
        return len(knowing) > 1 and everybody <= knowing

    def _is_from(self, hiding: Memory, listener: str) -> bool:
        """Whether it was hidden from just the listener; from a group it is hidden all the same."""
        return self._people.key(hiding.target) == self._people.key(listener)

    def _is_same(self, one: Memory, other: Memory) -> bool:
        return is_same(one.text, other.text, self._wording, self._vectors)

    def _end(self, entry: Memory, learned: Memory, is_ended: bool) -> None:
        if not is_ended or self._place(entry) > self._place(learned) or entry.id == learned.id:
            return
        known = self._changed.get(entry.id, entry)
        # By the entry, not by its sources: where that one falls with its teller, this one is back.
        ending = Ending(EndReason.RETIRED, by=learned.id)
        if ending not in known.endings:
            self._changed[entry.id] = replace(known, endings=(*known.endings, ending))


def _waiting(candidate: Memory, note: str) -> Memory:
    return replace(candidate, review=Review.WAITING, notes=(*candidate.notes, note))
