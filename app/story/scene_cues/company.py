"""Who is in a scene and was in few before: a name that finds it where no place does."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterator, Sequence
from itertools import pairwise

from app.story.scene_cues.language import LanguagePack
from app.story.scene_cues.reading import STEM, Reading

_TOKEN = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*|[.!?…:;,\n]")
_POSSESSIVE = re.compile(r"['’]s$")
_SENTENCE_ENDS = frozenset(".!?…\n:")
_MOST = 60  # messages of a scene that are searched
_LONGEST_PART = 1_000  # characters of a piece of a message that are searched
_SHORTEST = 3  # letters of a name
_LEAST_MESSAGES = 3  # that name somebody who belongs to the scene
_LEAST_SHARE = 0.3  # of its messages
_USUAL = 4  # how much more a mention before counts than one within
_NEW = 0.6  # of the mentions, so weighed, must lie within


def company(
    scene: Sequence[Reading],
    pack: LanguagePack,
    strangers: Container[str],
    usual: Callable[[Sequence[str]], float],
) -> str:
    """The name of who comes again and again in this scene and in few before, "" for nobody.

    strangers: casefolded words that are no such names. usual: the share of messages before the
    scene that have words of these stems. Nobody is found in a language that writes all nouns with
    a capital, since names do not show there.
    """
    if pack.capital_nouns:
        return ""
    read = scene[:_MOST]
    messages: defaultdict[str, set[int]] = defaultdict(set)
    spelled: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for number, reading in enumerate(read):
        for word in _capitals(reading):
            name = word.casefold()
            if _is_name(name, pack, strangers):
                messages[name].add(number)
                spelled[name][word] += 1
    worth = {}
    for name, at in messages.items():
        share = len(at) / len(read)
        new = share / (share + _USUAL * usual([name[:STEM]]))
        if len(at) >= _LEAST_MESSAGES and share >= _LEAST_SHARE and new > _NEW:
            worth[name] = len(at) * new
    best = max(worth, key=lambda name: (worth[name], name), default="")
    return spelled[best].most_common(1)[0][0] if best else ""


def _capitals(reading: Reading) -> Iterator[str]:
    """Words with a capital that begin no sentence, without the mark of whose something is."""
    for span in reading.spans:
        text = span.text[:_LONGEST_PART]
        if text[1:].islower():
            continue
        for before, word in pairwise(_TOKEN.findall(text)):
            if word[0].isupper() and before[0] not in _SENTENCE_ENDS:
                yield _POSSESSIVE.sub("", word)


def _is_name(word: str, pack: LanguagePack, strangers: Container[str]) -> bool:
    is_known = word in strangers or word in pack.place_kinds
    return len(word) >= _SHORTEST and not is_known and pack.tells(word)
