"""What a scene is about, when nothing says where it is: the thing that it names again and again."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, field

from app.story.scene_cues.language import LanguagePack
from app.story.scene_cues.reading import STEM, Reading

_TOKEN = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*|[.!?…:;,\n]")
_SHORTEST = 3  # letters of a word that tells something
SELDOM, OFTEN = 2, 3  # times that a thing is named
_LONGEST_PART = 1_000  # characters of a message that are searched


@dataclass(slots=True)
class _Thing:
    """A noun: how it is written, and what stands between it and its article."""

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
    named, messages = Counter[str](), Counter[str]()
    for reading in scene:
        words = _TOKEN.findall("\n".join(span.text for span in reading.spans)[:_LONGEST_PART])
        _add_things(words, pack, strangers, things)
        stems = Counter([word[:STEM] for word in map(str.casefold, words)])
        named.update(stems)
        messages.update(stems.keys())
    best, best_worth = "", 0.0
    for stem, thing in things.items():
        if not thing.spelled or named[stem] < least:
            continue
        worth = (named[stem] + messages[stem]) * freshness([stem]) ** 2
        if worth > best_worth:
            best, best_worth = stem, worth
    if not best:
        return ""
    word = things[best].spelled.most_common(1)[0][0]
    modifier = next((word for word, _ in things[best].modifiers.most_common(1)), "")
    return f"{modifier} {word}" if modifier else word


def _add_things(
    words: Sequence[str], pack: LanguagePack, strangers: Container[str], things: dict[str, _Thing]
) -> None:
    """Take in the nouns of a message: what ends a phrase that an article begins."""
    last = len(words) - 1
    for at, word in enumerate(words):
        if at == last or word.casefold() not in pack.articles:
            continue
        if _is_head(words, at + 1, pack, strangers):
            noun = words[at + 1]
            things.setdefault(noun[:STEM].casefold(), _Thing()).spelled[noun] += 1
        elif at + 1 < last and _is_head(words, at + 2, pack, strangers):
            noun, modifier = words[at + 2], words[at + 1]
            if modifier.islower() and _is_telling(modifier, pack, strangers):
                things.setdefault(noun[:STEM].casefold(), _Thing()).modifiers[modifier] += 1


def _is_head(words: Sequence[str], at: int, pack: LanguagePack, strangers: Container[str]) -> bool:
    """Whether a phrase ends with this word: otherwise it may be an adjective."""
    after = words[at + 1].casefold() if at + 1 < len(words) else "."
    if after[0].isalnum() and after not in pack.stopwords:
        return False
    if pack.capital_nouns is not words[at][0].isupper():
        return False  # where nouns have no capital, a word with one is a name
    return _is_telling(words[at].casefold(), pack, strangers)


def _is_telling(word: str, pack: LanguagePack, strangers: Container[str]) -> bool:
    return (
        len(word) >= _SHORTEST
        and word.isalpha()
        and word not in strangers
        and word not in pack.stopwords
        and word not in pack.fillers
        and not pack.cues_of(word)
    )
