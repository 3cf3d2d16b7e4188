"""Two texts side by side, word by word, and the text that comes of choosing between them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from enum import StrEnum

# Scripts written without spaces: each sign is a word.
_UNSPACED = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
# Signs that continue a word and that \w leaves out: accents, vowel signs, joiners.
_MARKS = "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0900-\u0963\u200c\u200d\ufe0f"
_LETTER = rf"[^\W{_UNSPACED}]|[{_MARKS}]"
TOKEN = re.compile(rf"[{_UNSPACED}]|(?:{_LETTER})+(?:['’](?:{_LETTER})+)*|[^\w\s]")

WORK_PER_ITEM = 400  # steps a matching may take for each word or line of its input
STOPS = frozenset(".!?…")  # what ends a sentence
LONGEST_HEADING = 80  # characters
MOST_PAIRINGS = 2500  # lines at the left times lines at the right that are paired by their words
SAME_BODY = 3.0  # more than all that one heading in common can be worth
LEAST_ALIKE = 0.25  # share of words that two lines have in common to count as one, changed


class BlockKind(StrEnum):
    """How a block differs."""

    EQUAL = "equal"
    CHANGED = "changed"
    ONLY_LEFT = "only left"
    ONLY_RIGHT = "only right"


class Choice(StrEnum):
    """Which side of a block is taken."""

    LEFT = "left"
    RIGHT = "right"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class Passage:
    """One side of a block.

    lead: the white space before it, tail: behind it, at the end of its text only. is_first: it
    begins its text. heading: the line that titles it, "" for none. marked: (start, end) in `text`
    of what the other side does not have, in order and apart.
    """

    lead: str
    text: str
    tail: str = ""
    is_first: bool = False
    heading: str = ""
    marked: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch that both texts share, or one difference between them. A missing side is None."""

    kind: BlockKind
    left: Passage | None
    right: Passage | None

    @property
    def heading(self) -> str:
        """The heading of either side."""
        sides = (self.right, self.left)
        return next((side.heading for side in sides if side is not None and side.heading), "")


def compare(left: str, right: str) -> tuple[Block, ...]:
    """The blocks of two texts, in order.

    Lines are matched first, a heading together with the line under it; then the words of lines
    that changed. White space alone makes no difference. The time grows with the length of the
    texts, whatever they hold: where matching gets too long, more is said to be different.
    """
    lines, others = _passages(left), _passages(right)
    keys = [" ".join(line.text.split()) for line in lines]
    other_keys = [" ".join(line.text.split()) for line in others]
    blocks: list[Block] = []
    at = other_at = 0
    for start, other_start, size in (
        *matching_runs(keys, other_keys),
        (len(lines), len(others), 0),
    ):
        blocks.extend(_differences(lines[at:start], others[other_at:other_start]))
        at, other_at = start + size, other_start + size
        if size:
            same, other = _joined(lines[start:at]), _joined(others[other_start:other_at])
            blocks.append(Block(BlockKind.EQUAL, same, other))
    return tuple(blocks)


def chosen_text(blocks: Sequence[Block], choices: Sequence[Choice]) -> str:
    """The text that the choices make; `choices` runs parallel to `blocks`.

    Only LEFT gives the left text exactly, only RIGHT the right one. In an equal block the choice
    says whose white space is kept.
    """
    text = tail = ""
    for block, choice in zip(blocks, choices, strict=True):
        for passage in taken(block, choice):
            lead = passage.lead
            if not text and not passage.is_first:
                lead = ""
            elif text and passage.is_first:
                lead = "\n\n"
            text += lead + passage.text
            tail = passage.tail
    return text + tail


def taken(block: Block, choice: Choice) -> Iterator[Passage]:
    """The passages that a choice takes of a block; what is the same in both only once, as is a
    heading that both have."""
    if block.left is not None and choice is not Choice.RIGHT:
        yield block.left
        if block.kind is BlockKind.EQUAL:
            return
    if block.right is not None and choice is not Choice.LEFT:
        left, right = block.left, block.right
        if choice is Choice.BOTH and left is not None and left.heading == right.heading != "":
            right = replace(right, lead="\n", text=right.text.split("\n", 1)[1], is_first=False)
        yield right


def matching_runs(
    left: Sequence[Hashable], right: Sequence[Hashable]
) -> tuple[tuple[int, int, int], ...]:
    """Runs that two sequences share, as (start, other start, size), in order, the longest first
    found. Work is bounded by the length of both; what is not matched within it counts as different.
    """
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    work = WORK_PER_ITEM * (len(left) + len(right))
    often = Counter(right)
    found: list[tuple[int, int, int]] = []
    waiting = [(0, len(left), 0, len(right))]
    while waiting:
        low, high, other_low, other_high = waiting.pop()
        start = _shared(left, right, low, high, other_low, other_high)
        if start:
            found.append((low, other_low, start))
            low, other_low = low + start, other_low + start
        end = _shared_end(left, right, low, high, other_low, other_high)
        if end:
            high, other_high = high - end, other_high - end
            found.append((high, other_high, end))
        if low == high or other_low == other_high:
            continue
        # What one search takes at most is known beforehand.
        work -= high - low + sum(often[item] for item in left[low:high])
        if work < 0:
            continue
        at, other, size = matcher.find_longest_match(low, high, other_low, other_high)
        if size:
            found.append((at, other, size))
            waiting.append((low, at, other_low, other))
            waiting.append((at + size, high, other + size, other_high))
    found.sort()
    return tuple(found)


def _shared(
    left: Sequence[Hashable], right: Sequence[Hashable], low: int, high: int, other: int, end: int
) -> int:
    size = 0
    while low + size < high and other + size < end and left[low + size] == right[other + size]:
        size += 1
    return size


def _shared_end(
    left: Sequence[Hashable], right: Sequence[Hashable], low: int, high: int, other: int, end: int
) -> int:
    size = 0
    while (
        high - size > low and end - size > other and left[high - size - 1] == right[end - size - 1]
    ):
        size += 1
    return size


def _passages(text: str) -> list[Passage]:
    """The lines that hold something, each with the white space before it; a heading joins the
    line under it. Put together they are the text."""
    found: list[Passage] = []
    lines = text.split("\n")
    lead, heading = "", ""
    for number, line in enumerate(lines):
        body = line.rstrip()
        end = line[len(body) :] + ("\n" if number + 1 < len(lines) else "")
        if not body:
            if heading:
                heading += end
            else:
                lead += end
        elif not heading and is_heading(lines, number):
            heading = line + "\n"
        else:
            title = heading.strip()
            found.append(Passage(lead, heading + body, heading=title, is_first=not found))
            lead, heading = end, ""
    if not found:
        return [Passage(text, "", is_first=True)] if text else []
    found[-1] = _with_tail(found[-1], lead)
    return found


def is_heading(lines: Sequence[str], number: int) -> bool:
    """Whether a line titles the lines under it: first of its paragraph, short, no sentence."""
    line = lines[number].strip()
    starts = number == 0 or not lines[number - 1].strip()
    has_more = number + 1 < len(lines) and bool(lines[number + 1].strip())
    return (
        bool(line)
        and starts
        and has_more
        and len(line) <= LONGEST_HEADING
        and ": " not in line
        and line[-1] not in ".!?…”\"'"
    )


def _with_tail(passage: Passage, tail: str) -> Passage:
    return replace(passage, tail=tail)


def _joined(passages: Sequence[Passage]) -> Passage:
    """Neighbours as one passage."""
    first, last = passages[0], passages[-1]
    text = first.text + "".join(passage.lead + passage.text for passage in passages[1:])
    return Passage(first.lead, text, last.tail, first.is_first, first.heading)


def _differences(left: Sequence[Passage], right: Sequence[Passage]) -> Iterator[Block]:
    """The blocks of a stretch in which no line is the same."""
    at = other_at = 0
    for start, other_start in (*_pairs(left, right), (len(left), len(right))):
        for passage in left[at:start]:
            yield Block(BlockKind.ONLY_LEFT, _all_marked(passage), None)
        for passage in right[other_at:other_start]:
            yield Block(BlockKind.ONLY_RIGHT, None, _all_marked(passage))
        at, other_at = start + 1, other_start + 1
        if start < len(left):
            yield _changed(left[start], right[other_start])


def _all_marked(passage: Passage) -> Passage:
    whole = ((0, len(passage.text)),) if passage.text else ()
    return _marked(passage, whole)


def _marked(passage: Passage, marked: tuple[tuple[int, int], ...]) -> Passage:
    return replace(passage, marked=marked)


def _changed(left: Passage, right: Passage) -> Block:
    words, other_words = list(TOKEN.finditer(left.text)), list(TOKEN.finditer(right.text))
    runs = _slid([w.group() for w in words], [w.group() for w in other_words])
    marked = _gaps(words, [(start, start + size) for start, _, size in runs])
    other_marked = _gaps(other_words, [(start, start + size) for _, start, size in runs])
    return Block(BlockKind.CHANGED, _marked(left, marked), _marked(right, other_marked))


def _slid(left: Sequence[str], right: Sequence[str]) -> list[tuple[int, int, int]]:
    """The runs that two lines share, so that a sentence put in between ends with its own stop."""
    runs = list(matching_runs(left, right))
    for place in range(1, len(runs)):
        (at, other, size), (low, high, rest) = runs[place - 1], runs[place]
        gap, other_gap = low - at - size, high - other - size
        stop = left[low]
        if stop not in STOPS or bool(gap) == bool(other_gap):
            continue
        longer, start = (left, at + size) if gap else (right, other + size)
        if longer[start] == stop:
            runs[place - 1] = (at, other, size + 1)
            runs[place] = (low + 1, high + 1, rest - 1)
    return runs


def _gaps(
    words: Sequence[re.Match[str]], same: Sequence[tuple[int, int]]
) -> tuple[tuple[int, int], ...]:
    """Where the words stand that are in no run, those side by side as one stretch."""
    found: list[tuple[int, int]] = []
    at = 0
    for start, end in (*same, (len(words), len(words))):
        if start > at:
            found.append((words[at].start(), words[start - 1].end()))
        at = end
    return tuple(found)


def _body(passage: Passage) -> str:
    """The words without what titles them."""
    return " ".join(passage.text.removeprefix(passage.heading).split())


def _pairs(left: Sequence[Passage], right: Sequence[Passage]) -> list[tuple[int, int]]:
    """Which lines are one another, changed: under the same heading, or alike in their words."""
    if len(left) == 1 and len(right) == 1 and not (left[0].heading and right[0].heading):
        return [(0, 0)]
    if len(left) * len(right) > MOST_PAIRINGS:
        return list(zip(range(len(left)), range(len(right)), strict=False))
    bags = [frozenset(TOKEN.findall(passage.text.casefold())) for passage in left]
    other_bags = [frozenset(TOKEN.findall(passage.text.casefold())) for passage in right]

    bodies, other_bodies = [_body(p) for p in left], [_body(p) for p in right]

    def alike(i: int, j: int) -> float:
        share = 2 * len(bags[i] & other_bags[j]) / max(1, len(bags[i]) + len(other_bags[j]))
        if bodies[i] == other_bodies[j]:  # only what titles it is another
            return share + SAME_BODY
        has_same_heading = bool(left[i].heading) and left[i].heading == right[j].heading
        return share + 1.0 if has_same_heading else share if share >= LEAST_ALIKE else 0.0

    # The pairs, none crossing another, that are most alike in sum.
    best = [[0.0] * (len(right) + 1) for _ in range(len(left) + 1)]
    worth = [[alike(i, j) for j in range(len(right))] for i in range(len(left))]
    for i in reversed(range(len(left))):
        for j in reversed(range(len(right))):
            paired = worth[i][j] + best[i + 1][j + 1] if worth[i][j] else 0.0
            best[i][j] = max(paired, best[i + 1][j], best[i][j + 1])
    pairs: list[tuple[int, int]] = []
    i = j = 0
    while i < len(left) and j < len(right):
        if worth[i][j] and best[i][j] == worth[i][j] + best[i + 1][j + 1]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs
