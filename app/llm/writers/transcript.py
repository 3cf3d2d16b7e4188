"""Writes messages out for a model, whole or cut to what its context holds."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from app.story.messages import Message, MessageKind
from app.story.recap_texts.sentences import ASIDE, without_markup

CountTokens = Callable[[str], int]

# Lines of nothing but signs, and headings that name a break: models take them for evidence.
DECORATION = re.compile(
    r"^[ \t]*(?:[-*_=~#•⁂ \t]{3,}|\W{0,8}(?:scene break|chapter \w{1,12})\W{0,8})$",
    re.IGNORECASE | re.MULTILINE,
)
# Characters of a token, at most and on average over a text: a huge text is cut to so many times
# its room before anything of it is counted.
LONGEST_TOKEN = 10
CUT_MARK = " […] "
BETWEEN = 2  # tokens that keep two messages apart


def told(messages: Sequence[Message]) -> list[Message]:
    """Those messages that tell something: no notices, nothing empty."""
    return [m for m in messages if m.kind is not MessageKind.NOTICE and m.text.strip()]


def entry(message: Message) -> str:
    """One message of a scene: who writes, then the text (spec/auto-recap.md §5, inputs)."""
    name = " ".join(message.name.split()) or "?"
    if message.kind is MessageKind.NARRATOR:
        head = "NARRATOR"
    else:
        head = f"{'USER' if message.is_user else 'CHARACTER'}: {name}"
    return f"[{head}]\n{message.text.strip()}"


def numbered_entry(number: int | None, message: Message, text: str) -> str:
    """One message of a search for breaks; without a number it may not be chosen (§4.9)."""
    head = "invalid choice" if number is None else f"#{number}"
    kind = "USER" if message.is_user else "CHARACTER"
    return f"Message {head} [{kind}] {' '.join(message.name.split())}: {text}"


def undecorated(text: str) -> str:
    """Text without markup and lines of decoration."""
    return re.sub(r"\n{3,}", "\n\n", DECORATION.sub("", without_markup(text))).strip()


def parts_of(messages: Sequence[Message], room: int, count_tokens: CountTokens) -> list[str]:
    """The scene as transcripts of at most `room` tokens each, cut between messages where it can be.

    As few as there can be, and about as long as each other: a part of one message would get the
    share of a recap that the rest lacks. A message that is too long for itself is cut between
    words. One that holds nothing but an aside between the players is no story, and left out,
    unless there is nothing else.
    """
    shown = told(messages)
    pieces = [
        piece
        for message in [m for m in shown if ASIDE.sub("", m.text).strip()] or shown
        for piece in _pieces(entry(message), room, count_tokens)
    ]
    costs = [count_tokens(piece) + BETWEEN for piece in pieces]
    return ["\n\n".join(pieces[start:end]) for start, end in _evenly(costs, room)]


def _evenly(costs: Sequence[int], room: int) -> list[tuple[int, int]]:
    """Where to cut, so that no part is over the room and the longest is as short as can be."""
    widest = _cuts(costs, room)
    if len(widest) < 2:
        return widest
    low, high = max(costs), room
    while low < high:
        middle = (low + high) // 2
        if len(_cuts(costs, middle)) > len(widest):
            low = middle + 1
        else:
            high = middle
    return _cuts(costs, high)


def _cuts(costs: Sequence[int], room: int) -> list[tuple[int, int]]:
    """Parts as full as the room allows, each from its first piece to behind its last."""
    found: list[tuple[int, int]] = []
    start = spent = 0
    for place, cost in enumerate(costs):
        if place > start and spent + cost > room:
            found.append((start, place))
            start, spent = place, 0
        spent += cost
    if costs:
        found.append((start, len(costs)))
    return found


def clipped(text: str, room: int, count_tokens: CountTokens) -> str:
    """Beginning and end of a text, together at most `room` tokens."""
    if len(text) <= room * LONGEST_TOKEN and count_tokens(text) <= room:
        return text
    size = min(len(text), room * LONGEST_TOKEN)
    while True:
        size = size * 3 // 4
        half = size // 2
        if half < 8:
            return ""
        shorter = text[:half].rstrip() + CUT_MARK + text[-half:].lstrip()
        if count_tokens(shorter) <= room:
            return shorter


def newest_lines(text: str, room: int, count_tokens: CountTokens) -> str:
    """The last lines of a text that fit into `room` tokens; of one huge line its two ends."""
    if len(text) <= room * LONGEST_TOKEN and count_tokens(text) <= room:
        return text
    kept: list[str] = []
    spent = 0
    for line in reversed(text.splitlines()):
        spent += count_tokens(line) + 1
        if spent > room:
            break
        kept.append(line)
    newest = "\n".join(reversed(kept)).strip()
    return newest or clipped(text, room, count_tokens)


def _pieces(text: str, room: int, count_tokens: CountTokens) -> list[str]:
    limit = room - 4
    pieces: list[str] = []
    while text:
        length = min(len(text), limit * LONGEST_TOKEN)
        while count_tokens(text[:length]) > limit and length > 16:
            length = length * 3 // 4
        if length < len(text):
            at_word = max(text.rfind("\n", 0, length), text.rfind(" ", 0, length))
            length = at_word if at_word > length // 2 else length
        pieces.append(text[:length].strip())
        text = text[length:].strip()
    return [piece for piece in pieces if piece]
