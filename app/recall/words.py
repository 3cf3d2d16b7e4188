"""The words by which a text is found: their stems, without those that say nothing. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

from app.story.recap_texts.terms import UNSPACED
from app.story.scene_cues.language import LanguagePack, common_words, tokens_of

# Languages of the packs that have endings, by the names that Snowball gives them.
STEMMERS = {
    "de": "german",
    "en": "english",
    "es": "spanish",
    "fr": "french",
    "it": "italian",
    "nl": "dutch",
    "pl": "polish",
    "pt": "portuguese",
    "ru": "russian",
}
LONGEST_TEXT = 20_000  # characters of one text that are read
LONGEST_WORD = 60
LEAST_COMMON = 3  # common words that show a text's language
_MOST_KEPT = 100_000  # words whose terms are remembered, a bound for hostile text
_WORD = re.compile(r"[^\W_]+(?:['’ʼ][^\W_]+)*")
_APOSTROPHES = str.maketrans({"’": "'", "ʼ": "'"})


class Words:
    """Reads texts of one story. packs: of all languages; text: of the story, by which its own is
    found. Texts in another language keep their names and numbers, and what is spelled alike.
    """

    def __init__(self, packs: Sequence[LanguagePack], text: str) -> None:
        self._packs = packs
        own = language_of(text, packs)
        self.language = own.code if own is not None else ""
        self._little = little_of(own)
        self._forms = own.forms if own is not None else {}
        self._known = _known(self.language, self._little)
        self._stem: Callable[[str], str] = str
        if self.language in STEMMERS:
            import snowballstemmer  # 20 ms for all its languages, that no window waits for

            self._stem = snowballstemmer.stemmer(STEMMERS[self.language]).stemWord

    def of(self, text: str) -> list[str]:
        """The terms of a text in their order; one that comes twice is there twice."""
        known = self._known
        found: list[str] = []
        for word in _WORD.findall(_plain(text)):
            terms = known.get(word)
            if terms is None:
                terms = tuple(self._terms(word))
                if len(known) < _MOST_KEPT:
                    known[word] = terms
            found += terms
        return found

    def asked(self, text: str) -> list[str]:
        """The terms of what is looked for, without those that its own language only asks with."""
        other = language_of(text, self._packs)
        if other is None or other.code == self.language:
            return self.of(text)
        little = little_of(other)
        return [
            term
            for word in _WORD.findall(_plain(text))
            if word not in little
            for term in self._terms(word)
        ]

    def is_foreign(self, text: str) -> bool:
        """Whether a text is in a language that is known, and not the story's own."""
        other = language_of(text, self._packs)
        return other is not None and other.code != self.language

    def _terms(self, word: str) -> Iterator[str]:
        """What a word is looked for by: one term, none, or the pairs of its signs."""
        if word in self._little or len(word) > LONGEST_WORD:
            return
        if UNSPACED.search(word) is not None:
            yield from self._pairs(word)
            return
        for part in word.split("'"):
            if part not in self._little and (len(part) > 1 or part.isdecimal()):
                yield self._stem(self._forms.get(part, part))

    def _pairs(self, word: str) -> Iterator[str]:
        for run in UNSPACED.findall(word):
            signs = [run[at : at + 2] for at in range(max(1, len(run) - 1))]
            yield from (pair for pair in signs if not all(sign in self._little for sign in pair))
        for part in UNSPACED.split(word):
            if len(part) > 1 and part not in self._little:
                yield self._stem(part)


@lru_cache(maxsize=4)
def _known(language: str, little: frozenset[str]) -> dict[str, tuple[str, ...]]:
    """The terms of words that were read already, for all that reads the same language."""
    return {}


def language_of(text: str, packs: Sequence[LanguagePack]) -> LanguagePack | None:
    """The language that most common words of a text are of, None where too few are of any."""
    counts = common_words(tokens_of(text[:LONGEST_TEXT]), packs)
    most = max(counts, default=0)
    return packs[counts.index(most)] if most >= LEAST_COMMON else None


def little_of(pack: LanguagePack | None) -> frozenset[str]:
    """Words of a language by which nothing is found: very common ones, and those it asks with."""
    if pack is None:
        return frozenset()
    return pack.stopwords | pack.fillers | pack.articles | pack.questions


def _plain(text: str) -> str:
    text = text[:LONGEST_TEXT]
    if text.isascii():
        return text.casefold()
    return unicodedata.normalize("NFKC", text).casefold().translate(_APOSTROPHES)


ANY_WORDS = Words((), "")  # of a story whose language nobody looked at
