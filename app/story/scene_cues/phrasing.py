"""How much the first words of a message sound like a scene that opens, its last like one that ends.

Words and pairs of words whose weights tests/scenes/fit.py learned from novels; a language that
none were learned for says nothing either way.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum

from app.core.resources import RESOURCES

_FILE = RESOURCES / "scene_phrases.json"
_WINDOW = 280  # characters at either end of a message
_LONGEST = 28  # words of the sentence that is looked at in order
_FIRST = 4  # words of it that open it
_SHORTEST = 3  # words of a sentence; "No." opens nothing by itself
_TOKEN = re.compile(r"[^\W\d_]+(?:['’][a-z]+)?|\d+|[.!?…—:;,\"]")
_QUOTES = str.maketrans("“”„«»", '"' * 5)
_STOPS = frozenset(".!?…")
_BEFORE_CAPITALS = frozenset('.!?…:"—')
_AFTER_I = ("", "'", "’")  # "I" and "I'm" are no names
NAME, NUMBER = "#N", "#n"


@dataclass(frozen=True, slots=True)
class Phrasing:
    """Log-odds of a scene's end by what the next message begins with, and this one ends with."""

    opening: Mapping[str, float] = field(default_factory=dict)
    closing: Mapping[str, float] = field(default_factory=dict)

    def opens(self, text: str) -> float:
        """How much the beginning of a text speaks for a scene that begins with it."""
        return _sum(self.opening, opening_features(text)) if self.opening else 0.0

    def closes(self, text: str) -> float:
        """How much the end of a text speaks for a scene that ends with it."""
        return _sum(self.closing, closing_features(text)) if self.closing else 0.0


def head_of(text: str) -> str:
    """As much of the beginning of a text as is looked at."""
    return text.replace("*", "").lstrip()[:_WINDOW]


def tail_of(text: str) -> str:
    """As much of the end of a text as is looked at."""
    return text.replace("*", "").rstrip()[-_WINDOW:]


def parse_phrasings(text: str) -> dict[str, Phrasing]:
    """By the code of the language, from the JSON that tests/scenes/fit.py writes."""
    return {
        code: Phrasing(data["opening"], data["closing"]) for code, data in json.loads(text).items()
    }


def opening_features(text: str) -> set[str]:
    """What a text begins with: its first words in order, each word and pair of its first sentence,
    each word of what follows it.
    """
    words = _words(head_of(text))
    end = next((i + 1 for i, word in enumerate(words) if _ends(word, i)), len(words))
    sentence = words[: min(end, _LONGEST)]
    found = {f"{n} {' '.join(words[:n])}" for n in (1, 2, 3)}
    found.update(f"early {word}" for word in sentence[:_FIRST])
    found.update(f"late {word}" for word in sentence[_FIRST:])
    found.update(_alone_and_paired(sentence))
    found.update(f"next {word}" for word in words[end:])
    return found


def closing_features(text: str) -> set[str]:
    """What a text ends with: its last words in order, each word and pair of its last sentence,
    each word of what stands before it.
    """
    words = _words(tail_of(text))
    back = words[::-1]
    size = next((i for i, word in enumerate(back) if _ends(word, i)), len(words))
    before, sentence = words[: len(words) - size], words[len(words) - size :]
    found = {f"1 {' '.join(words[-1:])}", f"2 {' '.join(words[-2:])}"}
    found.add(f"first {' '.join(sentence[:2])}")
    found.update(_alone_and_paired(sentence[-_LONGEST:]))
    found.update(f"before {word}" for word in before)
    return found


def _ends(word: str, at: int) -> bool:
    return word in _STOPS and at >= _SHORTEST


def _alone_and_paired(words: Sequence[str]) -> Iterator[str]:
    yield from words
    for at in range(len(words) - 1):
        yield f"{words[at]} {words[at + 1]}"


def _words(text: str) -> list[str]:
    """Words and marks in small letters, without names and numbers: these belong to one story."""
    words: list[str] = []
    before = "."
    for word in _TOKEN.findall(text.translate(_QUOTES)):
        if word[0].isdecimal():
            words.append(NUMBER)
        elif word[0].isupper() and before not in _BEFORE_CAPITALS and word[1:2] not in _AFTER_I:
            words.append(NAME)
        else:
            words.append(word.casefold().replace("’", "'"))
        before = word
    return words


def _sum(weights: Mapping[str, float], features: set[str]) -> float:
    # Exact, since a set's order differs from process to process and a sum must not.
    return fsum([weights[name] for name in features if name in weights])


NOTHING_LEARNED = Phrasing()
# A part of the program, like its code: it is read once and never changes.
PHRASINGS: Mapping[str, Phrasing] = parse_phrasings(_FILE.read_text(encoding="utf-8"))
