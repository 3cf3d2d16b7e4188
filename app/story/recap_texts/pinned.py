"""Sentences of a recap that the user pinned: a rewrite that leaves one out gets it back. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import msgspec

from app.story.recap_texts.recap_text import BULLET, HEADING, HEADINGS, clean_line
from app.story.recap_texts.sentences import spans_in

LONGEST = 600  # characters
MOST = 200


@dataclass(frozen=True, slots=True)
class Pin:
    """text: the sentence, on one line. subject: message that closes the scene whose recap says it,
    "" for the running recap. until: message that closes the newest scene told of by then.
    """

    text: str
    subject: str = ""
    until: str = ""


def pins_in(kept: str) -> tuple[Pin, ...]:
    """What is pinned in a chat. kept: as `stored`; what makes no sense is no pin."""
    try:
        pins = msgspec.json.decode(kept or "[]", type=list[tuple[str, str, str]])
    except msgspec.MsgspecError:
        return ()
    return tuple(Pin(*fields) for fields in pins)


def stored(pins: Iterable[Pin]) -> str:
    """The same as the setting keeps them."""
    kept = [(pin.text, pin.subject, pin.until) for pin in pins]
    return msgspec.json.encode(kept[-MOST:]).decode()


def sentence_at(text: str, start: int, end: int | None = None) -> str:
    """The sentence at a place of a recap, or those that a selection touches in its first line; ""
    on a heading and between lines. start, end: characters.
    """
    end = max(start, start if end is None else end)
    begin = text.rfind("\n", 0, start) + 1
    stop = text.find("\n", start)
    line = text[begin : len(text) if stop < 0 else stop]
    if HEADING.fullmatch(line.strip()):
        return ""
    first, last = start - begin, min(end - begin, len(line))
    touched = [
        line[one:other]
        for one, other in spans_in(line)
        if one <= max(first, last - 1) and (other > first or other == first == len(line))
    ]
    return clean_line("".join(touched))[:LONGEST]


def holds(text: str, sentence: str) -> bool:
    """Whether a text says a sentence, in these words."""
    return folded(sentence) in folded(text)


def missing(text: str, pins: Iterable[Pin]) -> tuple[Pin, ...]:
    """Which of these a text does not say."""
    said = folded(text)
    return tuple(pin for pin in pins if folded(pin.text) not in said)


def with_pinned(text: str, pins: Iterable[Pin], *before: str) -> str:
    """A rewritten text with what it left out, each at the end of the block that it stood in.

    before: texts that it was made from or stands in for. What none of them says, the user took out.
    """
    for pin in missing(text, pins):
        origin = next((old for old in before if holds(old, pin.text)), None)
        if origin is not None:
            text = put_into(text, pin.text, block_of(origin, pin.text))
    return text


def put_into(text: str, sentence: str, block: str) -> str:
    """A text with a sentence at the end of one of its headed blocks. block: field, "" for none."""
    lines = text.rstrip().split("\n")
    headings = [_heading(line) for line in lines]
    if block and any(headings):
        if block not in headings:
            title = next(title for title, field in HEADINGS.items() if field == block)
            return "\n".join((*lines, "", title, sentence))
        start = headings.index(block) + 1
        stop = next((n for n in range(start, len(lines)) if headings[n]), len(lines))
    else:
        start, stop = 0, len(lines)
    while stop > start and not lines[stop - 1].strip():
        stop -= 1
    bullet = BULLET.match(lines[stop - 1].lstrip()) if stop > start else None
    mark = bullet[0] if bullet is not None and not bullet[0][0].isdigit() else ""
    return "\n".join((*lines[:stop], f"{mark}{sentence}", *lines[stop:])).lstrip("\n")


def block_of(text: str, sentence: str) -> str:
    """Field of the headed block that says a sentence, "" without headings."""
    lines: Sequence[str] = text.splitlines()
    block, wanted = "", folded(sentence)
    for line in lines:
        block = _heading(line) or block
        if wanted in folded(line):
            return block
    return block


def _heading(line: str) -> str:
    """Field that a heading opens, "" for any other line."""
    found = HEADING.fullmatch(line.strip())
    is_one = found is not None and (found[2] or not found[3].strip())
    return HEADINGS[found[1]] if found is not None and is_one else ""


def folded(text: str) -> str:
    """As texts are compared: letters of one case, one space between words."""
    return " ".join(text.casefold().split())
