"""In which order lines are worth their tokens: what adds most to what is told already. Pure.

Lines are taken one by one, each time the one with the most worth for its length, counted by terms
that no line before it tells. Gains only fall as lines are taken, so a line whose gain was looked up
anew and is still the best is the best of all (lazy greedy; Minoux 1978, Lin and Bilmes 2011). The
order depends on no budget: a larger one shows more of the same ranking.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from app.memory.tiers.table import THREADS
from app.prompt.choosing.drafts import ELSEWHERE, Count, Draft, Entry
from app.settings.slot_table import DEFAULTS, SLOTS, SlotName
from app.story.recap_texts.terms import Floats, TermTable, term_table

TOLD_AGAIN = 0.15  # of its weight, what a term still adds that a line before told
SAID_ELSEWHERE = 0.2  # the same for a term of a text that may or may not be sent whole
MOSTLY_NEW, REPEATING = 0.35, 0.3  # part of a line's terms; how much one counts that has less
# Tokens that a line costs beside its words: many short ones wear a reader out. Measured with
# tests/answers.
LINE_COSTS = 12.0
SIGNS_PER_TOKEN = 4.0
BARE = 0.5  # weight of a line whose every word is common
# Texts that are told in their own order, whatever each sentence adds.
IN_ORDER = frozenset({SlotName.CANON, SlotName.PROFILES, SlotName.SHORT, SlotName.REPAIR})
# What changes rarely stands at the head of the prompt, and is chosen without what changes always.
AT_HEAD = frozenset({SlotName.CANON, SlotName.PROFILES, SlotName.LONG, SlotName.SHORT})
CALLED_GAIN, CALLED_HALF = 1.0, 3  # of the first line that the moment calls up; lines to its half
NOTES_GAIN = 10.0  # of notes where nobody has read the story, against the mean of all lines
FLOOR_GAIN = 2.0  # of the first lines of people's slots, against the mean of all lines
# What is so in a chat: what another one says of it comes behind all that this one says.
OF_A_CHAT = frozenset(
    {
        *(SlotName.RELATIONSHIPS, SlotName.SESSION, SlotName.EPISTEMIC, SlotName.STATE_LEDGER),
        *(name for name, spec in SLOTS.items() if spec.tier),
    }
)
# An open question tells nothing of what it asks for, so it stands in nobody's way.
OF_THREADS = frozenset(name for name, spec in SLOTS.items() if spec.tier in THREADS)
ELSEWHERE_GAIN = 0.3
LEAST_GAIN, MOST_GAIN = 0.05, 20.0  # against the mean, for dealing out a total


def chosen(drafts: Sequence[Draft], said: Iterable[str], count: Count) -> tuple[Draft, ...]:
    """The drafts of a prompt by what their lines add, those at its head first: what they tell
    within their usual budgets need not be told again. said: lines that the prompt tells otherwise.
    """
    lines = tuple(said)
    head = by_gain([draft for draft in drafts if draft.name in AT_HEAD], lines)
    told = [
        entry.head + entry.text
        for draft in head
        for entry, cost in zip(draft.entries, draft.costs(count), strict=True)
        if cost <= DEFAULTS[draft.name]
    ]
    threads = by_gain([draft for draft in drafts if draft.name in OF_THREADS])
    others = (d for d in drafts if d.name not in AT_HEAD | OF_THREADS)
    rest = by_gain(tuple(others), (*lines, *told))
    by_name = {draft.name: draft for draft in (*head, *threads, *rest)}
    return tuple(by_name[draft.name] for draft in drafts)


def own_first(drafts: Sequence[Draft], elsewhere: Collection[str]) -> tuple[Draft, ...]:
    """The drafts of how things stand with what comes from other chats last, and adding less than
    what this chat says. elsewhere: ids of memories that do.
    """
    if not elsewhere:
        return tuple(drafts)
    found: list[Draft] = []
    for draft in drafts:
        if draft.name in OF_A_CHAT:
            entries = (
                replace(e, rank=e.rank + ELSEWHERE, gain=e.gain * ELSEWHERE_GAIN)
                if e.memory in elsewhere
                else e
                for e in draft.entries
            )
            draft = replace(draft, entries=tuple(sorted(entries, key=lambda e: e.rank)))
        found.append(draft)
    return tuple(found)


def with_floors(drafts: Sequence[Draft], floors: Mapping[SlotName, int]) -> tuple[Draft, ...]:
    """The drafts with the first so many entries of some raised to what hardly waits: what one
    feels, hides and must not know says little in its words, and a reply depends on it.
    """
    return tuple(
        replace(
            draft,
            entries=tuple(
                replace(e, gain=max(e.gain, FLOOR_GAIN)) if place < floors[draft.name] else e
                for place, e in enumerate(draft.entries)
            ),
        )
        if draft.name in floors
        else draft
        for draft in drafts
    )


def for_scarce_room(
    drafts: Sequence[Draft],
    fitting: Mapping[SlotName, int],
    called: Sequence[str],
    *,
    has_notes_first: bool,
) -> tuple[Draft, ...]:
    """The drafts where what fits the budgets does not fit the room: of long-term memories those
    first that the moment calls up, as the slot for these leaves them to this one. called: their
    ids, best first. has_notes_first: nobody has read the story, and notes of it come before what
    else was found in it.
    """
    places = {id_: place for place, id_ in enumerate(called)}
    found: list[Draft] = []
    for draft in drafts:
        entries = draft.entries
        if draft.name is SlotName.LONG:
            shown = [
                replace(e, gain=e.gain * called_gain(places[e.memory])) if e.memory in places else e
                for e in entries[: fitting[draft.name]]
            ]
            shown.sort(key=lambda e: (e.rank, -e.gain))
            entries = (*shown, *entries[fitting[draft.name] :])
        # Long-term memories that nobody read in the story are the user's, or come from elsewhere.
        if has_notes_first and draft.name in {SlotName.SHORT, SlotName.LONG}:
            entries = tuple(replace(e, gain=max(e.gain, NOTES_GAIN)) for e in entries)
        found.append(replace(draft, entries=entries))
    return tuple(found)


def called_gain(place: int) -> float:
    """How much more a line adds that the moment calls up, by its place among those."""
    return 1 + CALLED_GAIN / (1 + place / CALLED_HALF)


def by_gain(drafts: Sequence[Draft], said: Iterable[str] = ()) -> tuple[Draft, ...]:
    """The drafts, the entries of each in the order of what they add, all drafts looked at
    together; what ranks lower (Entry.rank) comes later whatever it adds. said: lines that the
    prompt tells otherwise.
    """
    entries = [(number, entry) for number, draft in enumerate(drafts) for entry in draft.entries]
    ordered: list[list[tuple[int, Entry]]] = [[] for _ in drafts]
    for place, entry in taken_in_turn([entry for _, entry in entries], said):
        ordered[entries[place][0]].append((place, entry))
    return tuple(
        replace(draft, entries=_in_order(draft, found))
        for draft, found in zip(drafts, ordered, strict=True)
    )


def taken_in_turn(entries: Sequence[Entry], said: Iterable[str] = ()) -> list[tuple[int, Entry]]:
    """Places of entries, and the entries with their gains, in the order in which they are taken."""
    if not entries:
        return []
    texts = [f"{entry.head} {entry.text}" for entry in entries]
    lines = list(said)
    table = term_table([*texts, *lines], range(len(texts) + len(lines)))
    taken = _taken(entries, table)
    mean = sum(gain for _, gain in taken) / len(taken) or 1.0
    return [
        (place, replace(entries[place], gain=min(MOST_GAIN, max(LEAST_GAIN, gain / mean))))
        for place, gain in taken
    ]


def _in_order(draft: Draft, found: Sequence[tuple[int, Entry]]) -> tuple[Entry, ...]:
    if draft.name in IN_ORDER and found:
        # No sentence of such a text can come before the one that stands before it.
        gain = sum(entry.gain for _, entry in found) / len(found)
        in_order = sorted(found, key=lambda one: one[0])
        return tuple(replace(entry, gain=gain) for _, entry in in_order)
    return tuple(entry for _, entry in sorted(found, key=lambda one: one[1].rank))


def _taken(entries: Sequence[Entry], table: TermTable) -> list[tuple[int, float]]:
    """Places of the entries and their gains, in the order in which they are taken."""
    left = table.weights.copy()
    for said in range(len(entries), table.count):
        told = table.of(said)
        left[told] = np.minimum(left[told], table.weights[told] * SAID_ELSEWHERE)
    costs = _costs(entries)
    queue = [
        (-_gain(entry, table, left, place, costs[place]), place)
        for place, entry in enumerate(entries)
    ]
    heapq.heapify(queue)
    taken: list[tuple[int, float]] = []
    while queue:
        _, place = heapq.heappop(queue)
        gain = _gain(entries[place], table, left, place, costs[place])
        if queue and (-gain, place) > queue[0]:
            heapq.heappush(queue, (-gain, place))
            continue
        taken.append((place, gain))
        told = table.of(place)
        left[told] = np.minimum(left[told], table.weights[told] * TOLD_AGAIN)
    return taken


def _costs(entries: Sequence[Entry]) -> list[float]:
    """Tokens of each, guessed; a line's beginning is shared by those that share the line."""
    sharing = Counter((entry.head, entry.row) for entry in entries)
    sizes = (
        _signs(e.text) + _signs(e.head) / (sharing[e.head, e.row] if e.row else 1) for e in entries
    )
    return [size / SIGNS_PER_TOKEN + LINE_COSTS for size in sizes]


def _signs(text: str) -> int:
    return len(text.encode("utf-8", "replace"))


def _gain(entry: Entry, table: TermTable, left: Floats, place: int, cost: float) -> float:
    terms = table.of(place)
    adds, whole = float(left[terms].sum()), float(table.weights[terms].sum())
    # What says mostly again what is told wears a reader out, whatever little it adds.
    dull = REPEATING if adds < MOSTLY_NEW * whole else 1.0
    return entry.worth * dull * (BARE + adds) / cost
