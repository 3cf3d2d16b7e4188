"""What a prompt of so many tokens holds without any memory: the newest messages, or the likeliest.

The likeliest are found by BM25, which is told the question: no prompt knows it beforehand.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence

Count = Callable[[str], int]
WORD = re.compile(r"\w+")
K1, B = 1.5, 0.75


def newest(texts: Sequence[str], room: int, count: Count) -> str:
    """The newest texts that fit together, whole ones, oldest first."""
    kept: list[str] = []
    for text in reversed(texts):
        room -= count(text) + 1
        if room < 0:
            break
        kept.append(text)
    return "\n".join(reversed(kept))


def likeliest(texts: Sequence[str], question: str, room: int, count: Count) -> str:
    """The texts that BM25 finds to be most about the question and that fit together."""
    scores = bm25(texts)(question)
    kept: list[int] = []
    for place in sorted(range(len(texts)), key=lambda place: (-scores[place], place)):
        cost = count(texts[place]) + 1
        if cost <= room:
            room -= cost
            kept.append(place)
    return "\n".join(texts[place] for place in sorted(kept))


def bm25(texts: Sequence[str]) -> Callable[[str], list[float]]:
    """What gives, for a question, how much each of the texts is about it."""
    documents = [Counter(_words(text)) for text in texts]
    lengths = [sum(document.values()) for document in documents]
    usual = sum(lengths) / max(1, len(lengths))

    def scores(question: str) -> list[float]:
        found = [0.0] * len(texts)
        for word in set(_words(question)):
            holding = sum(word in document for document in documents)
            rarity = math.log(1 + (len(texts) - holding + 0.5) / (holding + 0.5))
            for place, document in enumerate(documents):
                often = document[word]
                damping = K1 * (1 - B + B * lengths[place] / usual)
                found[place] += rarity * often * (K1 + 1) / (often + damping)
        return found

    return scores


def _words(text: str) -> list[str]:
    return WORD.findall(text.casefold())
