"""The names that a message tells of, and the number of its entry in a log."""

from __future__ import annotations

import re
from collections.abc import Container

# A name within a sentence; where sentences begin every word has its capital.
_NAME = re.compile(r"(?<=[\w,;] )[A-ZÀ-ÞА-Я][^\W\d_A-ZÀ-ÞА-Я]+")
_NAME_STEM = 6
_WORD = re.compile(r"[^\W_]+")
_LOG_LINE = 60  # characters in which an entry says its number
_APART = 4  # words between "log" and its number


def names_within(text: str) -> frozenset[str]:
    """Stems of the words with a capital within the sentences of a text."""
    return frozenset(name[:_NAME_STEM].casefold() for name in _NAME.findall(text))


def log_number(text: str, logs: Container[str]) -> int | None:
    """The number of the entry of a log that a message is, by its first words; None for none."""
    words = _WORD.findall(text[:_LOG_LINE].casefold())
    if not words or words[0] not in logs:
        return None
    return next((int(word) for word in words[1 : 2 + _APART] if word.isdecimal()), None)
