"""Finds known names in texts: whole words, in their own case, never parts of other words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Generic, TypeVar

from app.memory.names import ARTICLE
from app.story.recap_texts.terms import UNSPACED

K = TypeVar("K")

_WORD = re.compile(r"\w+(?:['-]\w+)*")
_OWNED = re.compile(r"'s?$")
_APOSTROPHES = str.maketrans({"\u2019": "'", "\u02bc": "'", "\u2018": "'"})


def bare(name: str) -> str:
    """A name without what may stand around it: case, article, kind of apostrophe, full stops."""
    plain = ARTICLE.sub("", " ".join(name.translate(_APOSTROPHES).split()))
    return " ".join(plain.replace(".", " ").split()).casefold()


class NameFinder(Generic[K]):
    """Which of many things a text names. names: pairs of a name and what goes by it.

    "Ann" is not in "planned", and "Will" not in "she will": a name that is written with a capital
    is one only so. Where a script has no spaces the name may stand anywhere.
    """

    def __init__(self, names: Iterable[tuple[str, K]]) -> None:
        self._by_first: dict[str, list[tuple[tuple[str, ...], K]]] = {}
        self._unspaced: list[tuple[str, K]] = []
        for name, key in names:
            plain = ARTICLE.sub("", name.translate(_APOSTROPHES))
            if UNSPACED.search(plain):
                self._unspaced.append((plain, key))
                continue
            words = tuple(_WORD.findall(plain))
            if words:
                first = _OWNED.sub("", words[0]).casefold()
                self._by_first.setdefault(first, []).append((words, key))

    def find(self, text: str) -> dict[K, int]:
        """What the text names, with the place of its first mention."""
        plain = text.translate(_APOSTROPHES)
        found: dict[K, int] = {}
        matches = list(_WORD.finditer(plain))
        words = [_OWNED.sub("", match[0]) for match in matches]
        for at, word in enumerate(words):
            for name, key in self._by_first.get(word.casefold(), ()):
                if key not in found and _stands(name, words, matches, at):
                    found[key] = matches[at].start()
        for sign_run, key in self._unspaced:
            at = plain.find(sign_run)
            if at >= 0:
                found.setdefault(key, at)
        return found


def _stands(name: tuple[str, ...], words: list[str], matches: list[re.Match[str]], at: int) -> bool:
    if at + len(name) > len(words):
        return False
    for offset, part in enumerate(name):
        # Inside of a longer name the possessive belongs to it: "Mara's lantern".
        word = words[at + offset] if offset == len(name) - 1 else matches[at + offset][0]
        if word.casefold() not in (part.casefold(), _OWNED.sub("", part).casefold()):
            return False
        if part[0].isupper() and not word[0].isupper():
            return False
    return True
