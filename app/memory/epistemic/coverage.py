"""Whether a sentence says what a text says, by how much its words tell in a story. Pure."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable

from app.memory.epistemic.propositions import STEM, content_words
from app.memory.epistemic.word_counts import Frequency
from app.memory.similarity import normalised
from app.story.scene_cues.language import tokens_of

SAID = 0.6  # share of a text's words, by weight, that a sentence has to say
FEWEST_WORDS = 2
PART = 0.35  # of a text with several parts: so much of it, if RUN of its words follow one another
RUN = 3
WORTH = 0.7  # what the words of such a part weigh at least, against those of the whole


class Coverage:
    """Holds sentences against texts.

    names: beginnings of all words that name people of the story. frequency: of the story's words.
    stopwords: words that say nothing, in its languages.
    """

    def __init__(
        self, names: frozenset[str], frequency: Frequency, stopwords: frozenset[str]
    ) -> None:
        self.names = names
        self._frequency = frequency
        self._stopwords = stopwords

    def covers(
        self,
        sentence: str,
        text: str,
        own: Collection[str] = frozenset(),
        enough: float = 0.0,
        *,
        run: int = 0,
    ) -> bool:
        """Whether a sentence has enough of the words of a text, and so many in a row. Names count
        less: "you" and "she" stand in for them. own: words of the speaker's own name.
        """
        wanted = content_words(text, self._stopwords)
        found = wanted & content_words(sentence, self._stopwords)
        names = wanted & self.names
        rest = wanted - names
        if len(found.difference(own)) < min(FEWEST_WORDS, len(wanted)):
            return False
        if not rest:
            # "D.P. is Ann Lee": whoever merely names Ann Lee does not say it.
            signs = self._signs(text)
            return not run and names.difference(own) <= found and signs <= self._signs(sentence)
        if len(rest) < FEWEST_WORDS and not names.difference(own) & found:
            return False
        common, whole = self.weight(found & rest), self.weight(rest)
        if run and (
            self._longest_run(text, found & rest) < run
            or common * len(rest)
            < WORTH * whole * len(found & rest)  # "four years ago" says little
        ):
            return False
        return common >= enough * whole

    def _signs(self, text: str) -> frozenset[str]:
        """Letters that stand alone in it, as initials do."""
        alone = (word for word in tokens_of(normalised(text)) if len(word) == 1 and word.isascii())
        return frozenset(alone) - self._stopwords

    def weight(self, words: Iterable[str]) -> float:
        """How much the words say: the rarer in this story, the more."""
        count, of = self._frequency.messages, self._frequency.of
        return sum(math.log(1 + (count + 1) / (1 + of(word))) for word in words)

    def _longest_run(self, text: str, found: Collection[str]) -> int:
        """How many of the found words follow one another in the text, common ones left out."""
        longest = length = 0
        for word in tokens_of(normalised(text)):
            if not content_words(word, self._stopwords):
                continue
            length = length + 1 if word[:STEM] in found else 0
            longest = max(longest, length)
        return longest
