"""What falls with a message besides what cites it: whatever was told on by who lost it there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.memory.names import folded
from app.memory.records import Memory, Review, Tier
from app.memory.similarity import jaccard, normalised

SAME_PROPOSITION = (
    0.70  # Jaccard, spec/smart-memory.md §7; a denial of the proposition counts as it, too
)
# Which attitudes of a teller stand behind what the listener holds.
BEHIND: Mapping[str, frozenset[str]] = {
    "knows": frozenset({"knows", "hiding", "suspects"}),
    "suspects": frozenset({"knows", "hiding", "suspects", "believes"}),
    "believes": frozenset({"believes"}),
}


def retracted(
    memories: Sequence[Memory], lost: frozenset[str], starts: Mapping[str, int]
) -> dict[str, str]:
    """Entries that somebody was told by a person who, as it turns out, never had it: id -> id of
    the teller's entry that is lost.

    memories: in the order in which they were made. lost: ids of those that have no ground left.
    starts: message index of each that has. A teller of whom the map never said that they had it is
    believed; a lie hangs on nothing.
    """
    entries = [
        memory
        for memory in memories
        if memory.tier is Tier.EPISTEMIC and memory.review not in (Review.WAITING, Review.REJECTED)
    ]
    if not any(memory.id in lost for memory in entries):
        return {}
    of: dict[str, list[tuple[int, Memory]]] = {}
    for place, entry in enumerate(entries):
        of.setdefault(folded(entry.subject), []).append((place, entry))
    fallen: dict[str, str] = {}
    for place, entry in enumerate(entries):
        if not entry.told_by or entry.id in lost or entry.type not in BEHIND:
            continue
        theirs = [
            (at, other)
            for name in _names_of(entry.told_by, of)
            for at, other in of[name]
            if other.id != entry.id and _is_same_proposition(entry.text, other.text)
        ]
        before = [other for at, other in theirs if at < place]
        attitudes = [other for other in before if other.type != "hiding"]
        if attitudes and attitudes[-1].type not in BEHIND[entry.type] | {"hiding"}:
            continue  # they said what they did not hold themselves
        behind = [other for other in before if other.type in BEHIND[entry.type]]
        gone = [other for other in behind if other.id in lost or other.id in fallen]
        if gone and len(gone) == len(behind) and not _is_found_later(entry, place, theirs, starts):
            fallen[entry.id] = gone[-1].id
    return fallen


def _is_found_later(
    entry: Memory,
    place: int,
    theirs: Sequence[tuple[int, Memory]],
    starts: Mapping[str, int],
) -> bool:
    """Whether a message that was read again says that the teller had it all the same."""
    return any(
        at > place
        and not other.told_by
        and other.type in BEHIND[entry.type]
        and starts.get(other.id, starts.get(entry.id, 0) + 1) <= starts.get(entry.id, 0)
        for at, other in theirs
    )


def _names_of(teller: str, of: Mapping[str, object]) -> list[str]:
    """Holders whom the teller's name may mean: the same name, else the only longer one."""
    plain = folded(teller)
    if plain in of:
        return [plain]
    words = set(plain.split())
    fitting = [name for name in of if words <= set(name.split())]
    return fitting if len(fitting) == 1 else []


def _is_same_proposition(one: str, other: str) -> bool:
    return normalised(one) == normalised(other) or jaccard(one, other) >= SAME_PROPOSITION
