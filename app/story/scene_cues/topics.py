"""What a scene is about, when nothing says where it is: the thing that it names again and again."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from app.story.scene_cues.language import LanguagePack
from app.story.scene_cues.reading import STEM, Reading

_TOKEN = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*|[.!?…:;,\n]")
_SHORTEST = 3  # letters of a word that tells something
ONCE, SELDOM, OFTEN = 1, 2, 3  # times that a thing is named; often, where a place says most
_BESIDE = 0.4  # of the best one's worth that another one needs beside it
_LEAST = 0.5  # worth of a thing: what was named all the time before tells nothing
_RUN = re.compile(r"(?<![一-龯々])[一-龯々]{2,4}(?![一-龯々])|[ァ-ヴー]{3,8}")
_UNSPACED = re.compile(r"[ぁ-んァ-ヴ一-龯]")
_KANA = re.compile(r"[ぁ-ん]")
_PAIR = re.compile(r"(?=([一-龯]{2}))")
_SIMILE = 4  # words behind a simile that belong to it
_MOST = 60  # messages of a scene that are searched
_USUAL = 6  # how much more a mention before counts than one within
_UNSEEN = 0.3  # what a word is worth for something that nobody can see or touch
_ENDING = 6  # letters of a word that has an ending
_LONGEST_PART = 1_000  # characters of a message that are searched


@dataclass(slots=True)
class _Thing:
    """A noun: how it is written, and what stands between it and its article."""

    modifiers: Counter[str] = field(default_factory=Counter)
    spelled: Counter[str] = field(default_factory=Counter)

    @property
    def word(self) -> str:
        """As it is mostly written."""
        return self.spelled.most_common(1)[0][0]

    def ends_with(self, endings: tuple[str, ...]) -> bool:
        return len(self.word) >= _ENDING and self.word.casefold().endswith(endings)


def topics(
    scene: Sequence[Reading],
    pack: LanguagePack,
    strangers: Container[str],
    usual: Callable[[Sequence[str]], float],
    *,
    least: int = SELDOM,
) -> list[str]:
    """The most telling noun phrases of a scene, the best first.

    A noun is what stands between an article and the end of its phrase, in a language without
    articles a word that does not end like others, and in a script without spaces what comes again.
    strangers: casefolded words that are no things. usual: the share of messages before the scene
    that have words of these stems. least: times that a thing is named; those named but ONCE come
    last, and not at all where an adjective says already which of the others is meant.
    """
    things: dict[str, _Thing] = {}
    named, messages = Counter[str](), Counter[str]()
    read = [reading for reading in scene[:_MOST] if reading.language == pack.code]
    for reading in read:
        text = "\n".join(span.text for span in reading.spans)[:_LONGEST_PART]
        words = _TOKEN.findall(text)
        lower = list(map(str.casefold, words))
        if pack.articles:
            _add_things(words, lower, pack, strangers, things)
        elif _UNSPACED.search(text):
            words = lower = _runs(text)
            _add_runs(words, pack, strangers, things)
        else:
            _add_words(words, pack, strangers, things)
        stems = [word[:STEM] for word in lower]
        named.update(stems)
        messages.update(set(stems))
    worth = {
        stem: _worth(named[stem], messages[stem], len(read), usual(_parts(stem)))
        * (_UNSEEN if thing.ends_with(pack.endings) else 1.0)
        for stem, thing in things.items()
        if thing.spelled and messages[stem]
    }
    ranked = [stem for stem in sorted(worth, key=lambda s: -worth[s]) if worth[stem] >= _LEAST]
    again = [stem for stem in ranked if named[stem] >= max(SELDOM, least)]
    best = [stem for stem in again if worth[stem] >= _BESIDE * worth[again[0]]]
    if least == ONCE and pack.articles and not any(things[stem].modifiers for stem in best[:2]):
        best += [stem for stem in ranked if stem not in again]
    return [_written(things[stem]) for stem in best]


def _worth(named: int, messages: int, size: int, usual: float) -> float:
    """How much a word is of this scene alone: what is named all over it and seldom before.

    messages: of the scene's `size` that name it. usual: share of those before that do.
    """
    share = messages / size
    new = share / (share + _USUAL * usual)
    return (2 * messages + min(named, 2 * messages)) * new**2


def _runs(text: str) -> list[str]:
    """Words of a script without spaces: what stands between signs of another kind, else pairs."""
    return _RUN.findall(text) if _KANA.search(text) else _PAIR.findall(text)


def _parts(stem: str) -> list[str]:
    """The stems that a word is known by; of a script without spaces it is known by twos."""
    return [one + two for one, two in pairwise(stem)] if _RUN.fullmatch(stem) else [stem]


def _add_runs(
    words: Sequence[str], pack: LanguagePack, strangers: Container[str], things: dict[str, _Thing]
) -> None:
    """Take in the words of a script without spaces that may be nouns."""
    for word in words:
        if word not in strangers and not any(
            sign in pack.stopwords or sign in strangers for sign in word
        ):
            things.setdefault(word[:STEM], _Thing()).spelled[word] += 1


def _add_words(
    words: Sequence[str], pack: LanguagePack, strangers: Container[str], things: dict[str, _Thing]
) -> None:
    """Take in the words of a language without articles that may be nouns, by their endings."""
    for word in words:
        if (
            word.islower()
            and not word.endswith(pack.endings)
            and _is_telling(word, pack, strangers)
        ):
            things.setdefault(word[:STEM], _Thing()).spelled[word] += 1


def _written(thing: _Thing) -> str:
    modifier = next((word for word, _ in thing.modifiers.most_common(1)), "")
    return f"{modifier} {thing.word}" if modifier else thing.word


def _add_things(
    words: Sequence[str],
    lower: Sequence[str],
    pack: LanguagePack,
    strangers: Container[str],
    things: dict[str, _Thing],
) -> None:
    """Take in the nouns of a message: what ends a phrase that an article begins.

    lower: the words, casefolded.
    """
    last = len(words) - 1
    articles = pack.articles
    for at in [at for at, word in enumerate(lower[:last]) if word in articles]:
        if pack.similes.intersection(lower[max(0, at - _SIMILE) : at]):
            continue  # what something is like is not there
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
    if after == "," and at + 2 < len(words) and words[at + 2].casefold() not in pack.stopwords:
        return False  # one of several adjectives, or of a list
    if pack.capital_nouns is not words[at][0].isupper():
        return False  # where nouns have no capital, a word with one is a name
    return _is_telling(words[at].casefold(), pack, strangers)


def _is_telling(word: str, pack: LanguagePack, strangers: Container[str]) -> bool:
    return len(word) >= _SHORTEST and word not in strangers and pack.tells(word)
