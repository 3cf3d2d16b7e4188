"""What a scene is about, when nothing says where it is: the thing that it names again and again."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, field

from app.story.scene_cues.language import LanguagePack
from app.story.scene_cues.reading import STEM, Reading

_TOKEN = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*|[.!?…:;,\n]")
_SHORTEST = 3  # letters of a word that tells something
SELDOM, OFTEN = 2, 3  # times that a thing is named
_LONGEST_PART = 1_000  # characters of a message that are searched


@dataclass(slots=True)
class _Thing:
    """A word that stands like a noun: how often, with what before it, and how it is written."""

    named: int = 0
    headed: int = 0
    modifiers: Counter[str] = field(default_factory=Counter)
    spelled: Counter[str] = field(default_factory=Counter)


def topic(
    scene: Sequence[Reading],
    pack: LanguagePack,
    strangers: Container[str],
    freshness: Callable[[Sequence[str]], float],
    *,
    least: int = SELDOM,
) -> str:
    """The most telling noun phrase of a scene, "" where no thing is named twice.

    A noun is what stands between an article and the end of its phrase. strangers: casefolded
    words that are no things. freshness: of words, 1 for those that were not used before.
    least: times that the thing is named.
    """
    if not pack.articles:
        return ""
    things: dict[str, _Thing] = {}
    messages = Counter[str]()
    for reading in scene:
        messages.update(set(_add_things(reading, pack, strangers, things)))
    best, best_worth = "", 0.0
    for stem, thing in things.items():
        if not thing.headed or thing.named < least:
            continue
        worth = (thing.named + messages[stem]) * freshness([stem]) ** 2
        if worth > best_worth:
            best, best_worth = stem, worth
    if not best:
        return ""
    thing = things[best]
    word = thing.spelled.most_common(1)[0][0]
    modifier = next((word for word, _ in thing.modifiers.most_common(1)), "")
    return f"{modifier} {word}" if modifier else word


def _add_things(
    reading: Reading, pack: LanguagePack, strangers: Container[str], things: dict[str, _Thing]
) -> Iterator[str]:
    """Count the things of a message; gives the stem of each mention."""
    text = "\n".join(span.text for span in reading.spans)[:_LONGEST_PART]
    words = _TOKEN.findall(text)
    lower = [word.casefold() for word in words]
    for at, word in enumerate(lower):
        if not _is_telling(word, pack, strangers):
            continue
        stem = word[:STEM]
        thing = things.setdefault(stem, _Thing())
        thing.named += 1
        yield stem
        after = lower[at + 1] if at + 1 < len(lower) else "."
        if after[0].isalnum() and after not in pack.stopwords:
            continue  # it may be an adjective
        if pack.capital_nouns and not words[at][0].isupper():
            continue
        if at and lower[at - 1] in pack.articles:
            thing.headed += 1
            thing.spelled[words[at]] += 1
        elif at > 1 and lower[at - 2] in pack.articles:
            before = words[at - 1]
            if before.islower() and _is_telling(before, pack, strangers):
                thing.spelled[words[at]] += 1
                thing.modifiers[before] += 1


def _is_telling(word: str, pack: LanguagePack, strangers: Container[str]) -> bool:
    return (
        len(word) >= _SHORTEST
        and word.isalpha()
        and word not in strangers
        and word not in pack.stopwords
        and word not in pack.fillers
        and not pack.cues_of(word)
    )
