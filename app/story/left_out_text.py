"""What models do not read of messages: passages that begin and end as the user says. Pure.

A rule is a line of text as it stands in messages, with "…" for anything: "<status>…</status>"
leaves out all from the one to the next of the other, "OOC: …" all to the end of its line. A text is
gone through once for each rule, from left to right, so that none takes long.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from msgspec import structs

from app.story.messages import Message

MOST_RULES = 100
LONGEST_RULE = 300  # characters
_DOTS = re.compile(r"\.{3,}|…+")
_EMPTY_LINES = re.compile(r"\n{3,}")


@dataclass(frozen=True, slots=True)
class Rule:
    """pieces: what stands in the text, one behind the other, with anything between. is_to_end: with
    all that follows on the line of the last.
    """

    pieces: tuple[str, ...]
    is_to_end: bool = False


def read_rules(text: str) -> tuple[Rule, ...]:
    """The rules of a setting, a line each; lines that name nothing are none, nor those with "#"
    before them.
    """
    found = (_rule(line.strip()) for line in text.splitlines()[: 2 * MOST_RULES])
    return tuple(rule for rule in found if rule is not None)[:MOST_RULES]


def spans_left_out(text: str, rules: Sequence[Rule]) -> tuple[tuple[int, int], ...]:
    """Where a text is left out: spans in order, none touching another."""
    lowered = _lowered(text)
    found = sorted(span for rule in rules for span in _spans(lowered, rule))
    joined: list[tuple[int, int]] = []
    for start, end in found:
        if joined and start <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return tuple(joined)


def text_as_read(text: str, rules: Sequence[Rule]) -> str:
    """The text without what is left out, and without the empty lines that it leaves."""
    spans = spans_left_out(text, rules)
    if not spans:
        return text
    starts = (0, *(end for _, end in spans))
    ends = (*(start for start, _ in spans), len(text))
    kept = "".join(text[start:end] for start, end in zip(starts, ends, strict=True))
    return _EMPTY_LINES.sub("\n\n", kept).strip()


def messages_as_read(messages: Sequence[Message], rules: Sequence[Rule]) -> tuple[Message, ...]:
    """The messages as models read them. Who they are, and of which text, stays."""
    if not rules:
        return tuple(messages)
    told = ((message, text_as_read(message.text, rules)) for message in messages)
    return tuple(m if text == m.text else structs.replace(m, text=text) for m, text in told)


def _rule(line: str) -> Rule | None:
    if line.startswith("#") or len(line) > LONGEST_RULE:
        return None
    pieces = [piece.strip() for piece in _DOTS.split(_lowered(line))]
    named = tuple(filter(None, pieces))
    return Rule(named, is_to_end=not pieces[-1]) if named else None


def _spans(text: str, rule: Rule) -> Iterator[tuple[int, int]]:
    begin = 0
    while (start := text.find(rule.pieces[0], begin)) >= 0:
        end = start + len(rule.pieces[0])
        for piece in rule.pieces[1:]:
            at = text.find(piece, end)
            if at < 0:
                return  # nor behind any later beginning
            end = at + len(piece)
        if rule.is_to_end:
            line_end = text.find("\n", end)
            end = len(text) if line_end < 0 else line_end
        yield start, end
        begin = end


def _lowered(text: str) -> str:
    """In small letters, sign by sign, so that places stay the same."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
