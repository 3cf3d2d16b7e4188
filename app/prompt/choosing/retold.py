"""Leaves out what a line that the prompt tells anyway says in other words. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from math import log1p

from app.prompt.choosing.drafts import Draft, Entry
from app.prompt.slots import LeftOut, Reason
from app.recall.words import Words
from app.settings.slot_table import SlotName

# Slots of sentences that tell what happened: a question, a value or a feeling is another thing.
TELLING = frozenset(
    {SlotName.CANON, SlotName.LONG, SlotName.TRIGGERED, SlotName.SCENES, SlotName.SESSION}
)
# Slots of values, which other lines may tell by the way: "she came in with the key in her hand".
VALUES = frozenset({SlotName.RELATIONSHIPS, SlotName.STATE_LEDGER})
FEWEST_OF_VALUE = 3  # terms of a value and of whose it is
# Headings of the slot of who knows what under which stands what the responder may be told anyway.
KNOWN_GROUPS = 2
# Share of a line's terms that another has to have to tell it: by their rarity, and by their number.
SAME, SAME_IN_NUMBER = 0.5, 0.4
FEWEST_TERMS = 5  # of a line; fewer say too little to know it again
# Share of a line's terms, by their rarity, that the newest messages have together where they show
# what it tells, and what it counts for then.
SHOWN, SHOWN_WEIGHS = 0.72, 0.3

_ASIDE = re.compile(r"\([^()]{0,40}\)|→")

Rarity = Callable[[str], float]


def without_retold(draft: Draft, lines: Iterable[str], words: Words) -> Draft:
    """The draft without the entries that one of these lines tells as well. Of how things stand
    those whose every word a line has; who does not know what is never told by the way.
    """
    if draft.name not in TELLING | VALUES | {SlotName.EPISTEMIC} or not draft.entries:
        return draft
    told = [terms for line in lines if len(terms := frozenset(words.of(line))) >= FEWEST_OF_VALUE]
    if draft.name in VALUES:
        own = [frozenset(words.of(_value_of(entry))) for entry in draft.entries]
        is_retold = [_is_held(terms, told) for terms in own]
    else:
        own = [frozenset(words.of(entry.text)) for entry in draft.entries]
        is_retold = are_retold(own, [terms for terms in told if len(terms) >= FEWEST_TERMS])
    if draft.name is SlotName.EPISTEMIC:
        known = (entry.group < KNOWN_GROUPS for entry in draft.entries)
        is_retold = [
            is_told and is_known for is_told, is_known in zip(is_retold, known, strict=True)
        ]
    if not any(is_retold):
        return draft
    marked = tuple(zip(draft.entries, is_retold, strict=True))
    left = (
        LeftOut(e.head + e.text if e.row else e.text, Reason.ELSEWHERE, e.memory)
        for e, is_told in marked
        if is_told
    )
    kept = tuple(entry for entry, is_told in marked if not is_told)
    return replace(draft, entries=kept, left_out=(*draft.left_out, *left))


def _value_of(entry: Entry) -> str:
    """Whose value it is and what it is, without its label and without how strong a feeling is."""
    label, colon, value = entry.text.partition(": ")
    value = value if colon else label  # a feeling has none
    return _ASIDE.sub(" ", f"{entry.head} {value}")


def _is_held(terms: frozenset[str], told: Iterable[frozenset[str]]) -> bool:
    return len(terms) >= FEWEST_OF_VALUE and any(terms <= line for line in told)


def behind_what_is_shown(
    draft: Draft, shown: Collection[str], words: Words, rarity: Rarity
) -> Draft:
    """The draft with what the newest messages of the prompt show stepping back. shown: their terms;
    they may say again what older ones told.
    """
    if draft.name not in TELLING or not shown:
        return draft
    entries = tuple(
        replace(entry, worth=entry.worth * SHOWN_WEIGHS)
        if _is_shown(frozenset(words.of(entry.text)), shown, rarity)
        else entry
        for entry in draft.entries
    )
    return replace(draft, entries=entries)


def _is_shown(terms: frozenset[str], shown: Collection[str], rarity: Rarity) -> bool:
    # A word that no message has weighs as much as one that a single message has.
    rare = max(map(rarity, terms), default=0.0)
    weights = {term: rarity(term) or rare for term in terms}
    held = sum(weight for term, weight in weights.items() if term in shown)
    return len(terms) >= FEWEST_TERMS and held >= SHOWN * sum(weights.values()) > 0


def are_retold(own: Sequence[frozenset[str]], told: Sequence[frozenset[str]]) -> list[bool]:
    """For each line of own whether one of the others has enough of its terms."""
    holders = Counter(term for line in (*told, *own) for term in line)
    total = len(told) + len(own)
    weights = {term: log1p(total / count) for term, count in holders.items()}
    lines_with: dict[str, list[int]] = {}
    for number, line in enumerate(told):
        for term in line:
            lines_with.setdefault(term, []).append(number)

    def is_retold(terms: frozenset[str]) -> bool:
        weight: dict[int, float] = {}
        shared = Counter[int]()
        for term in terms:
            for number in lines_with.get(term, ()):
                weight[number] = weight.get(number, 0.0) + weights[term]
                shared[number] += 1
        needed = SAME * sum(weights[term] for term in terms)
        fewest = len(terms) * SAME_IN_NUMBER
        return any(weight[n] >= needed and shared[n] >= fewest for n in weight)

    return [len(terms) >= FEWEST_TERMS and is_retold(terms) for terms in own]
