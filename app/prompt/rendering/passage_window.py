"""The sentences of a message that a passage tells: what holds most of what is asked. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from textwrap import wrap

from app.prompt.occasion import LONGEST_READ
from app.story.recap_texts.sentences import (
    CLOSING,
    PAIRS,
    open_quote,
    split_sentences,
    without_markup,
)

LONGEST = 240  # characters of a passage; a sign of a script without spaces counts as two
PART = 120  # characters of a part of a sentence that is longer than a passage
CUT = "…"
_ENDS = re.compile(rf"[.!?…。！？｡؟۔][{CLOSING}*_)\]\s]*\Z")
_CLAUSE_ENDS = re.compile(r"(?<=[,;–—])(?=\s)|(?<=[，；、])")


@dataclass(frozen=True, slots=True)
class _Piece:
    """A sentence, or a clause of one that is too long. sentence: its number among those that
    `split_sentences` finds. quote: the one that is open before it, "" for none; left_open: behind
    it. begins, ends: whether a sentence does.
    """

    text: str
    sentence: int
    quote: str
    left_open: str
    begins: bool
    ends: bool


def passage_of(text: str, worth: Callable[[str], dict[str, float]], likest: int | None) -> str:
    """Pieces of a message that follow each other and together hold most of what is looked for;
    what is left of the room goes to what stands around them.

    worth: what is looked for in a text, by term. likest: number of a sentence that is told whatever
    it holds.
    """
    pieces = _pieces(text)
    if not pieces:
        return text[:LONGEST]
    held = [worth(piece.text) for piece in pieces]
    first, last = _core(pieces, held)
    if likest is not None:
        of_it = [at for at, piece in enumerate(pieces) if piece.sentence == likest]
        first = last = of_it[0] if of_it else first
    room = LONGEST - sum(_length(piece.text) + 1 for piece in pieces[first : last + 1])
    while True:
        sides = [at for at in (last + 1, first - 1) if 0 <= at < len(pieces)]
        fitting = [at for at in sides if _length(pieces[at].text) + 1 <= room]
        if not fitting:
            return _told(pieces[first : last + 1])
        at = max(fitting, key=lambda one: (_is_torn(pieces, one, first), sum(held[one].values())))
        room -= _length(pieces[at].text) + 1
        first, last = min(first, at), max(last, at)


def _core(pieces: Sequence[_Piece], held: Sequence[dict[str, float]]) -> tuple[int, int]:
    """The first and last of the fewest pieces that together hold most and have room."""
    best, found = (0.0, 0), (0, 0)
    for first, terms in enumerate(held):
        if not terms:
            continue
        together: dict[str, float] = {}
        length = 0
        for last in range(first, len(pieces)):
            length += _length(pieces[last].text) + 1
            if last > first and length > LONGEST:
                break
            together |= held[last]
            rank = (sum(sorted(together.values())), first - last)
            if rank > best:
                best, found = rank, (first, last)
    return found


def _is_torn(pieces: Sequence[_Piece], at: int, first: int) -> bool:
    """Whether the run beside this piece begins or ends inside of a quote or a sentence."""
    if at < first:
        return bool(pieces[first].quote) or not pieces[first].begins
    return bool(pieces[at].quote) or not pieces[at].begins


def _told(run: Sequence[_Piece]) -> str:
    """The pieces as one text; a quote or a sentence that goes on before or behind it says so."""
    told = " ".join(piece.text for piece in run)
    if told.count("*") % 2:
        told = told.replace("*", "")
    before = "" if run[0].begins else f"{CUT} "
    behind = "" if run[-1].ends else f" {CUT}"
    return f"{run[0].quote}{before}{told}{behind}{PAIRS.get(run[-1].left_open, '')}"


@lru_cache(maxsize=600)
def _pieces(text: str) -> tuple[_Piece, ...]:
    found: list[_Piece] = []
    number = 0
    for line in without_markup(text[:LONGEST_READ]).splitlines():
        quote, begins = "", True
        sentences = split_sentences(line)
        parts = [(number + at, p) for at, one in enumerate(sentences) for p in _parts(one)]
        for at, (sentence, part) in enumerate(parts):
            behind = "".join(rest for _, rest in parts[at + 1 :])
            left_open = open_quote(part, quote)
            if left_open and PAIRS[left_open] not in behind:
                left_open = ""  # nobody closes it: another sign, or a speech of many paragraphs
            ends = not behind or _ENDS.search(part) is not None
            found.append(_Piece(part, sentence, quote, left_open, begins, ends))
            quote, begins = left_open, ends
        number += len(sentences)
    return tuple(found)


def _parts(sentence: str) -> Iterator[str]:
    """The sentence, or parts of one that is too long for a passage, at its commas if it has any."""
    if _length(sentence) <= LONGEST:
        yield sentence
        return
    held = ""
    for clause in _CLAUSE_ENDS.split(sentence):
        if held and _length(held) + _length(clause) > PART:
            yield held.strip()
            held = ""
        held += clause
        if _length(held) > LONGEST:
            *whole, held = wrap(held, PART) or [""]
            yield from whole
    if held.strip():
        yield held.strip()


def _length(text: str) -> int:
    return len(text) + sum(sign > "\u3000" for sign in text)
