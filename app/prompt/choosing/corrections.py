"""Which values of the ledger hold no longer, by what else is noted. Pure.

A model notes where a thing is, or that somebody else has it now, and forgets to strike it from the
list of the one who had it; and the other way round. Or it notes as a memory that a clock goes now,
and leaves the value by which it stands. The later word counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from app.memory.epistemic.propositions import content_words
from app.memory.lifecycle.state_change import Wording
from app.memory.records import Tier
from app.memory.standing import Standing

CARRIED = "carried_items"
STATES = frozenset({"condition", "status"})
PLACES = frozenset({"location", "owner"})  # fields of a thing that say where it is
# Commas of the scripts that have their own; a slash and "and" belong to names of things too often.
_BETWEEN = re.compile(r"\s*[,;、，；]\s*")

Words = frozenset[str]


def is_changed(
    value: Standing, later: Iterable[Standing], wording: Wording, stopwords: Words
) -> bool:
    """Whether a later memory says of a thing that it is otherwise now than a value has it."""
    if value.memory.type != "object" or value.memory.field not in STATES:
        return False
    names = _subject(value, stopwords)
    own = content_words(value.memory.text, stopwords)
    return bool(names) and any(
        memory.start > value.start
        and names <= (words := content_words(memory.memory.text, stopwords))
        and not (own and own <= words)
        and wording.read(memory.memory.text).says_change
        for memory in later
    )


def corrected(standings: Sequence[Standing], stopwords: Words) -> dict[str, str]:
    """The values of the ledger that others correct, by the memory's id: what is left of a list of
    things, "" where nothing is.

    standings: what holds of the ledger.
    """
    held = [s for s in standings if s.memory.tier is Tier.STATE_LEDGER]
    lists = [s for s in held if s.memory.field == CARRIED]
    places = [s for s in held if s.memory.type == "object" and s.memory.field in PLACES]
    found: dict[str, str] = {}
    for carried in lists:
        items = [item for item in _BETWEEN.split(carried.memory.text) if item]
        left = [
            item for item in items if not _is_elsewhere(item, carried, places, lists, stopwords)
        ]
        if len(left) < len(items):
            found[carried.memory.id] = ", ".join(left)
    for place in places:
        if place.memory.field == "location" and _is_taken(place, lists, stopwords):
            found[place.memory.id] = ""
    return found


def _is_elsewhere(
    item: str,
    carried: Standing,
    places: Iterable[Standing],
    lists: Iterable[Standing],
    stopwords: Words,
) -> bool:
    """Whether a later word gives a carried thing another place or keeper."""
    words, holder = content_words(item, stopwords), _subject(carried, stopwords)
    if not words:
        return False
    for place in places:
        names = _subject(place, stopwords)
        if place.start > carried.start and _is_named(names, words):
            return holder.isdisjoint(content_words(place.memory.text, stopwords))
    return any(
        other.start > carried.start
        and _subject(other, stopwords) != holder
        and any(words == theirs for theirs in _items(other, stopwords))
        for other in lists
    )


def _is_taken(place: Standing, lists: Iterable[Standing], stopwords: Words) -> bool:
    """Whether somebody took a thing from where it was."""
    names, where = _subject(place, stopwords), content_words(place.memory.text, stopwords)
    return any(
        carried.start > place.start
        and where.isdisjoint(_subject(carried, stopwords))
        and any(_is_named(names, words) for words in _items(carried, stopwords))
        for carried in lists
    )


def _is_named(names: Words, item: Words) -> bool:
    """Whether an item is the thing; one word alone may be a part of another thing's name."""
    return names == item or (len(names) > 1 and names <= item)


def _items(carried: Standing, stopwords: Words) -> Iterator[Words]:
    return (content_words(item, stopwords) for item in _BETWEEN.split(carried.memory.text))


def _subject(standing: Standing, stopwords: Words) -> Words:
    return content_words(standing.memory.subject, stopwords)
