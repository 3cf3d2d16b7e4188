"""The names that a message tells of, its title, and the number of its entry in a log."""

from __future__ import annotations

import re
from collections.abc import Container

# A name within a sentence; where sentences begin every word has its capital.
_NAME = re.compile(r"(?<=[\w,;] )[A-ZÀ-ÞА-Я][^\W\d_A-ZÀ-ÞА-Я]+")
_NAME_STEM = 6
_WORD = re.compile(r"[^\W_]+")
_ENTRY = re.compile(r"\b(\d{1,6})\s*(?:$|[.,:;|)\]*\n–—-])")
_LOG_LINE = 60  # characters in which an entry says its number
_TITLE = re.compile(
    r"\s*(?:#{1,4}[ \t]+(?P<head>[^\n]+)|(?P<mark>\*\*|__)(?P<bold>[^\n]+?)(?P=mark))[ \t]*\n"
)
_LONGEST_TITLE = 60
_SAID = re.compile(
    r"[\"“”„«»「」*_]|[.!?…:,;。！？：]\W*$"
)  # a label, a noise or a sentence is no title
_APART = 4  # words between "log" and its number


def names_within(text: str) -> frozenset[str]:
    """Stems of the words with a capital within the sentences of a text."""
    return frozenset(name[:_NAME_STEM].casefold() for name in _NAME.findall(text))


def split_title(text: str, people: Container[str]) -> tuple[str, str]:
    """The title that a message stands under, and the rest of it; "" where it has none.

    A line of its own at the beginning, a heading or bold. people: casefolded words of names, which
    are labels of who speaks.
    """
    found = _TITLE.match(text)
    if found is None:
        return "", text
    title = (found["head"] or found["bold"]).strip(" #*_")
    words = _WORD.findall(title.casefold())
    if not words or len(title) > _LONGEST_TITLE or _SAID.search(title):
        return "", text
    if all(word in people for word in words):
        return "", text
    return title, text[found.end() :]


def log_number(text: str, logs: Container[str]) -> int | None:
    """The number of the entry of a log that a message is, by its first words; None for none."""
    head = text[:_LOG_LINE].casefold()
    first = _WORD.search(head)
    if first is None or first.group() not in logs:
        return None
    number = _ENTRY.search(head, first.end())
    if number is None or len(_WORD.findall(head[first.end() : number.start()])) > _APART:
        return None
    return int(number[1])
