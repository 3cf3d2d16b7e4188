"""When entries of the smaller tiers are the same: arcs, feelings, the ledger, who knows what."""

from __future__ import annotations

from collections.abc import Callable, Container, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from app.memory.lifecycle.decisions import Decision, Outcome
from app.memory.lifecycle.state_change import Wording
from app.memory.lifecycle.verification import NO_WORDING
from app.memory.records import EndReason, Memory, Review
from app.memory.similarity import NO_VECTORS, Limit, Vectors, normalised, words
from app.memory.standing import BEFORE

ARC_SAME = Limit(0.82, 0.40)  # spec/smart-memory.md §8.6
ARC_SHARED = 0.6  # of the words that are not common ones, to be exceeded
ARC_IN_SESSION = Limit(0.78, 0.45)
EPISTEMIC_SAME = Limit(0.70, 0.70)  # §7, PE
HIDING = "hiding"
# What somebody held of where a thing is, by what they hold of another place of it later.
_ATTITUDES = ("knows", "believes", "suspects")
_ENDED_ELSEWHERE: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        **dict.fromkeys(_ATTITUDES, (*_ATTITUDES, "unaware")),
        "unaware": ("knows", "suspects"),  # and what they believe is what keeps them unaware
    }
)
MAGNITUDES = ("low", "medium", "high")
FEELINGS_PER_PAIR = 6
_CLOSED = frozenset({EndReason.RETIRED, EndReason.RESOLVED, EndReason.BY_HAND})


def open_threads(
    arcs: Iterable[Memory], session: Sequence[Memory], vectors: Vectors = NO_VECTORS
) -> tuple[Memory, ...]:
    """The proposed arcs without those that a session memory, also an ended one, tells as done."""
    return tuple(
        arc
        for arc in arcs
        if not any(vectors.score(arc.text, m.text).reaches(ARC_IN_SESSION) for m in session)
    )


def verify_threads(
    candidates: Sequence[Memory],
    known: Sequence[Memory],
    *,
    wording: Wording = NO_WORDING,
    vectors: Vectors = NO_VECTORS,
) -> tuple[Decision, ...]:
    """NEW or DUPLICATE for each; the limits are low, so that other names or numbers count, and by
    words also what is asked of them: "Who took the ring?" is not "Who took the map?".
    """
    common = frozenset[str]().union(*(pack.stopwords for pack in wording.packs))

    def is_same(candidate: Memory, other: Memory) -> bool:
        score = vectors.score(candidate.text, other.text)
        return (
            _between(candidate) == _between(other)
            and score.reaches(ARC_SAME)
            and (score.is_cosine or _is_about_the_same(candidate.text, other.text, common))
            and not wording.read(candidate.text).mismatch(wording.read(other.text))
        )

    decided: list[Decision] = []
    seen = list(known)
    for candidate in candidates:
        same = next((o for o in seen if o.id == candidate.id or is_same(candidate, o)), None)
        if same is None:
            seen.append(candidate)
            decided.append(Decision(candidate, Outcome.NEW))
        else:
            decided.append(Decision(candidate, Outcome.DUPLICATE, same.id))
    return tuple(decided)


def verify_epistemic(
    candidates: Sequence[Memory],
    known: Sequence[Memory],
    *,
    wording: Wording = NO_WORDING,
    vectors: Vectors = NO_VECTORS,
    places: Mapping[str, int] | None = None,
) -> tuple[Decision, ...]:
    """One attitude of a holder to a proposition: said again it is a duplicate, another one
    supersedes. Learned again in another message it stands by, for the case that the first one goes.

    Hiding stands beside the attitudes: who hides something knows it too. A likeness proposes only:
    other names, numbers, roles or a negation make it another proposition. Where one thing is said
    to be at another place, that ends what it leaves no room for: who does not know where it is now
    goes on believing that it is where it was.
    """
    order = _Order(known, candidates, places)
    by_holder: dict[str, list[Memory]] = {}
    for memory in known:
        by_holder.setdefault(normalised(memory.subject), []).append(memory)
    decided: list[Decision] = []
    for candidate in candidates:
        mine = by_holder.setdefault(normalised(candidate.subject), [])
        said = wording.read(candidate.text)
        about = [
            other
            for other in mine
            if other.id == candidate.id
            or (
                _is_same_line(candidate, other)
                and vectors.score(candidate.text, other.text).reaches(EPISTEMIC_SAME)
                and not said.mismatch(wording.read(other.text))
            )
        ]
        elsewhere = {o.id for o in about if wording.is_elsewhere(candidate.text, o.text)}
        decision = _attitude(candidate, about, elsewhere, order)
        if decision.outcome is not Outcome.DUPLICATE:
            mine.append(candidate)
        decided.append(decision)
    return tuple(decided)


def verify_values(
    candidates: Sequence[Memory],
    known: Sequence[Memory],
    *,
    key: Callable[[Memory], Hashable],
    value: Callable[[Memory], object],
    places: Mapping[str, int] | None = None,
) -> tuple[Decision, ...]:
    """One value for each key, as for a field of the ledger: the same again is a duplicate, a newer
    one supersedes.

    known: also ended ones, where windows are read a second time; then a value of an earlier message
    takes its place in the history.
    """
    order = _Order(known, candidates, places)
    lines: dict[Hashable, list[Memory]] = {}
    for memory in known:
        lines.setdefault(key(memory), []).append(memory)
    decided: list[Decision] = []
    for candidate in candidates:
        line = lines.setdefault(key(candidate), [])
        before = [m for m in line if not order.is_later(m, candidate) and not _is_closed(m)]
        after = [m for m in line if order.is_later(m, candidate)]
        previous = max(before, key=order.key, default=None)
        following = min(after, key=order.key, default=None)
        decision = Decision(candidate, Outcome.NEW, ended_by=following.id if following else "")
        if previous is not None and value(previous) == value(candidate):
            decided.append(Decision(candidate, Outcome.DUPLICATE, previous.id))
            continue
        line.append(candidate)
        if previous is not None:
            decision = replace(decision, outcome=Outcome.SUPERSEDES, other=previous.id)
        decided.append(decision)
    return tuple(decided)


def beyond_cap(feelings: Iterable[Memory]) -> tuple[Memory, ...]:
    """Of active feelings, those too many for their pair: six stay, the weakest go, then the oldest
    (§8.4).
    """
    pairs: dict[tuple[str, str], list[Memory]] = {}
    for feeling in feelings:
        pair = (normalised(feeling.subject), normalised(feeling.target))
        pairs.setdefault(pair, []).append(feeling)
    over: list[Memory] = []
    for felt in pairs.values():
        strongest_first = sorted(felt, key=lambda m: (-_strength(m), -m.created, m.id))
        over += strongest_first[FEELINGS_PER_PAIR:]
    return tuple(over)


class _Order:
    """Where entries stand in the story: known ones before candidates, unless places say more."""

    def __init__(
        self,
        known: Sequence[Memory],
        candidates: Sequence[Memory],
        places: Mapping[str, int] | None,
    ) -> None:
        self._places = places or {}
        listed = {memory.id: n for n, memory in enumerate((*known, *candidates))}
        self._listed = listed

    def is_later(self, one: Memory, other: Memory) -> bool:
        """Whether the one stands behind the other."""
        return self.key(one) > self.key(other)

    def key(self, memory: Memory) -> tuple[int, int]:
        """For sorting; without places for all, the order in which they were given."""
        return self._places.get(memory.id, BEFORE), self._listed[memory.id]


def _attitude(
    candidate: Memory, about: Sequence[Memory], elsewhere: Container[str], order: _Order
) -> Decision:
    """elsewhere: of those about the same, ids of what says that it is at another place."""
    same = [o for o in about if o.type == candidate.type and o.id not in elsewhere]
    if same and _stands_by(candidate, same):
        return Decision(candidate, Outcome.NEW, ended_by=same[0].id)
    if same:
        return Decision(candidate, Outcome.DUPLICATE, same[0].id)

    def ends(later: Memory, earlier: Memory) -> bool:
        if later.id not in elsewhere and earlier.id not in elsewhere:
            return True
        return earlier.type in _ENDED_ELSEWHERE.get(later.type, ())

    later = [o for o in about if order.is_later(o, candidate) and ends(o, candidate)]
    earlier = [o.id for o in about if not order.is_later(o, candidate) and ends(candidate, o)]
    ended_by = min(later, key=order.key).id if later else ""
    if not earlier:
        return Decision(candidate, Outcome.NEW, ended_by=ended_by)
    return Decision(
        candidate, Outcome.SUPERSEDES, earlier[0], also=tuple(earlier[1:]), ended_by=ended_by
    )


def _stands_by(candidate: Memory, same: Sequence[Memory]) -> bool:
    """Whether it was learned once more, so that deleting one message does not take both away."""
    cited = frozenset(source.anchor for source in candidate.sources)
    return (
        bool(candidate.channel or candidate.told_by)
        and candidate.review is not Review.WAITING
        and all(
            cited.isdisjoint(source.anchor for source in other.sources) and other.sources
            for other in same
        )
    )


def _is_about_the_same(one: str, other: str, common: frozenset[str]) -> bool:
    """Whether one says all that the other does, or they share most of what they say."""
    ours, theirs = words(one) - common, words(other) - common
    shared = len(ours & theirs)
    return ours <= theirs or theirs <= ours or shared > ARC_SHARED * len(ours | theirs)


def _is_same_line(one: Memory, other: Memory) -> bool:
    """Both attitudes, or both hidings from the same one."""
    if HIDING not in (one.type, other.type):
        return True
    return one.type == other.type and normalised(one.target) == normalised(other.target)


def _between(thread: Memory) -> tuple[str, str]:
    return normalised(thread.subject), normalised(thread.target)


def _is_closed(memory: Memory) -> bool:
    return any(ending.reason in _CLOSED for ending in memory.endings)


def _strength(feeling: Memory) -> int:
    return MAGNITUDES.index(feeling.magnitude) if feeling.magnitude in MAGNITUDES else 1
