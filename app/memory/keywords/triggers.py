"""Keywords that call memories up: which lack them, what is asked, and what is read (spec §8.4)."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from app.core.translation import N_
from app.memory.records import Grounding, Memory
from app.memory.similarity import normalised, words
from app.memory.tiers.lines import LARGEST_ANSWER, is_copied
from app.memory.tiers.table import PLAIN
from app.story.answers.task_answers import Unreadable

MOST_AT_ONCE = 24  # memories in one request
# Until so many lack them, their own words call them up: few in a story that begins, more later, so
# that all of them take few requests.
LEAST_AT_FIRST, LEAST_AT_ONCE = 5, 20
MOST_TRIGGERS = 6
SHORTEST, LONGEST = 3, 40
# A word that calls up more of the memories than this says nothing of any.
COMMON_SHARE = 0.35

_NUMBERED = re.compile(
    r"[ \t]{0,8}(?:[-*•][ \t]+)?[*_\[(#]{0,3}(\d{1,3})[*_]{0,3}"
    r"(?:[\])]|[ \t]{0,4}[.:)|\-–—])[ \t]{0,4}[.:|\-–—]?[*_]{0,2}(.+)"
)
_BETWEEN = re.compile(r"[\s,;|/、，]+")


def untriggered(memories: Sequence[Memory]) -> tuple[Memory, ...]:
    """The memories that nobody was asked about yet, oldest first. memories: that hold, in the
    order in which they were made.

    Those before one with keywords of its own were asked about with it: a model that finds none
    for a memory is not asked again.
    """
    called = [memory for memory in memories if memory.tier in PLAIN]
    return tuple(memory for memory in called[_asked(called) :] if not memory.triggers)


def due(memories: Sequence[Memory]) -> tuple[Memory, ...]:
    """Those that are to be asked about now with one request; none while there are too few."""
    called = [memory for memory in memories if memory.tier in PLAIN]
    least = LEAST_AT_ONCE if _asked(called) else LEAST_AT_FIRST
    lacking = untriggered(called)
    return lacking[:MOST_AT_ONCE] if len(lacking) >= least else ()


def _asked(called: Sequence[Memory]) -> int:
    """How many of those that can be called up, the oldest, were asked about."""
    own = [n for n, m in enumerate(called) if m.triggers and m.grounding is not Grounding.DERIVED]
    return own[-1] + 1 if own else 0


def listed(memories: Iterable[Memory]) -> str:
    """The memories as a request shows them, numbered from 1."""
    return "\n".join(f"{n}. {' '.join(m.text.split())}" for n, m in enumerate(memories, 1))


def read_triggers(text: str, memories: Sequence[Memory]) -> dict[str, tuple[str, ...]]:
    """The keywords that an answer gives, by id of the memory. Raises Unreadable for none at all.

    memories: in the order of their numbers. Of a single memory the number may be missing.
    """
    found: dict[str, tuple[str, ...]] = {}
    lines = text[:LARGEST_ANSWER].splitlines()
    for line in lines:
        numbered = _NUMBERED.match(line[:1000])
        if numbered is None or is_copied(numbered[2]):
            continue
        number = int(numbered[1])
        if 1 <= number <= len(memories):
            memory = memories[number - 1]
            given = keywords_in(numbered[2], memory.text)
            if given and memory.id not in found:
                found[memory.id] = given
    if not found and len(memories) == 1 and not is_copied(text):
        given = keywords_in(", ".join(line.lstrip(" -*•") for line in lines), memories[0].text)
        found = {memories[0].id: given} if given else {}
    if not found:
        raise Unreadable(N_("with something other than keywords"))
    return found


def keywords_in(text: str, content: str) -> tuple[str, ...]:
    """The words of a list that the content does not hold, six at most."""
    held = {word for word in words(content) if len(word) >= SHORTEST}
    kept: dict[str, None] = {}
    for part in _BETWEEN.split(normalised(text[:2000])):
        word = part.strip(".,!?…:;\"'“”‘’«»()[]{}*_`-")
        is_word = SHORTEST <= len(word) <= LONGEST or (word and not word.isascii())
        if is_word and any(map(str.isalpha, word)) and word not in held:
            kept[word] = None
    return tuple(kept)[:MOST_TRIGGERS]


def with_triggers(
    memories: Iterable[Memory], given: Mapping[str, Sequence[str]], among: Sequence[Memory]
) -> tuple[Memory, ...]:
    """The memories with what was found for them, without words that too many of `among` hold."""
    others = [normalised(memory.text) for memory in among]
    most = max(1, math.ceil(COMMON_SHARE * len(others)))
    told = {word for found in given.values() for word in found}
    counts = Counter({word: sum(word in text for text in others) for word in told})
    changed = []
    for memory in memories:
        kept = tuple(word for word in given.get(memory.id, ()) if counts[word] <= most)
        if kept:
            changed.append(replace(memory, triggers=kept))
    return tuple(changed)
