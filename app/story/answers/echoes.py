"""Whether what was read of an answer says words of its own request. Pure.

A small model that does not know how to go on repeats the end of what it was asked. That tells
nothing of the story, and kept as a recap it would stand in every prompt to come.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass

FEWEST_WORDS, SHORTEST = 5, 24  # words and signs of a sentence that nobody writes by chance
DEEPEST = 6
_APART = re.compile(r"\{\{?\s?[A-Za-z_]{1,60}\s?\}?\}|\n|(?<=[.!?:])\s")
_BULLET = re.compile(r"^(?:[-*•]|\d{1,2}[.)])\s")


def sentences_of(*texts: str) -> frozenset[str]:
    """The sentences of templates, as they are looked for: without their placeholders, and without
    those that are too short to be known by.
    """
    pieces = (piece for text in texts for piece in _APART.split(text))
    found = (_BULLET.sub("", _folded(piece)) for piece in pieces)
    return frozenset(
        one for one in found if len(one) >= SHORTEST and len(one.split()) >= FEWEST_WORDS
    )


def echoes(
    read: object,
    sentences: Collection[str],
    tags: Collection[str] = (),
    given: Iterable[str] = (),
) -> bool:
    """Whether a text in what was read holds one of these sentences or tags.

    read: a text, or whatever holds texts. tags: names of those around the inputs. given: what the
    request was about; who tells of it may say its sentences.
    """
    said = [_folded(text) for text in _texts(read, 0)]
    marks = [mark for tag in tags for mark in (f"<{tag}>", f"</{tag}>")]
    if any(mark in text for mark in marks for text in said):
        return True
    found = [one for one in sentences if any(one in text for text in said)]
    if not found:
        return False
    about = " ".join(map(_folded, given))
    return any(one not in about for one in found)


def _texts(value: object, depth: int) -> Iterator[str]:
    """All texts in a value, however it holds them."""
    if isinstance(value, str):
        yield value
    elif depth >= DEEPEST:
        return
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from _texts(one, depth + 1)
    elif isinstance(value, Iterable):
        for one in value:
            yield from _texts(one, depth + 1)
    elif is_dataclass(value):
        for field in fields(value):
            yield from _texts(getattr(value, field.name), depth + 1)


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()
