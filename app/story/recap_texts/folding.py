"""Folds scene recaps into a running recap without a model: what is old gets shorter, and stays put.

The text is a row of blocks, one for each scene: its name, then one sentence a line.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from app.story.recap_texts.terms import Floats, TermTable, term_table

# When the recap is full it is cut to this part of its room, so that the next folds only append:
# text that stays the same is read from a server's prompt cache.
CUT_TO = 0.85
OLDEST_WORTH = 0.45  # of a sentence of the oldest scene, against 1 for the newest
KEPT_TITLES = frozenset({"STATE", "OPEN"})  # blocks of a recap that a model wrote
KEPT_WORTH = 3.0

CountTokens = Callable[[str], int]


@dataclass(slots=True)
class _Block:
    title: str
    lines: list[str]


@dataclass(frozen=True, slots=True)
class _Line:
    block: int
    text: str
    tokens: int


def fold_running(
    previous: str, scene_name: str, scene_text: str, *, tokens: int, count_tokens: CountTokens
) -> str:
    """The running recap with one more scene at its end, within `tokens`.

    What fits is left as it is, word for word. Otherwise whole lines go, those first that tell
    least for their length: the older the scene and the more of it other lines tell, the sooner.
    Each scene keeps a line as long as there is room for that.
    """
    blocks = _blocks(previous)
    lines = [line for block in _blocks(scene_text) for line in (block.title, *block.lines) if line]
    blocks.append(_Block(" ".join(scene_name.split()), lines))
    text = _render(blocks)
    if count_tokens(text) <= tokens:
        return text
    return _cut(blocks, int(tokens * CUT_TO), count_tokens)


def _blocks(text: str) -> list[_Block]:
    blocks: list[_Block] = []
    for part in text.replace("\r\n", "\n").split("\n\n"):
        lines = [line.strip() for line in part.splitlines() if line.strip()]
        if not lines:
            continue
        # A single line, or a first one that ends like a sentence, is text and no title.
        has_title = len(lines) > 1 and not lines[0].endswith((".", "!", "?", "…", "”", '"', "。"))
        blocks.append(_Block(lines[0], lines[1:]) if has_title else _Block("", lines))
    return blocks


def _render(blocks: Sequence[_Block]) -> str:
    parts = ("\n".join((b.title, *b.lines) if b.title else b.lines) for b in blocks if b.lines)
    return "\n\n".join(parts)


def _cut(blocks: list[_Block], room: int, count_tokens: CountTokens) -> str:
    lines = [
        _Line(i, line, count_tokens(line) + 1)
        for i, block in enumerate(blocks)
        for line in block.lines
    ]
    title_tokens = [count_tokens(b.title) + 2 if b.title else 1 for b in blocks]
    kept = _kept(lines, blocks, title_tokens, room)
    for block in blocks:
        block.lines = []
    for line, keep in zip(lines, kept, strict=True):
        if keep:
            blocks[line.block].lines.append(line.text)
    return _render(blocks)


def _kept(
    lines: list[_Line], blocks: list[_Block], title_tokens: list[int], room: int
) -> list[bool]:
    table = term_table([line.text for line in lines], [line.block for line in lines])
    owners = np.array([line.block for line in lines])
    costs = np.array([float(line.tokens) for line in lines])
    worth = _worth(owners, blocks)
    is_kept = np.ones(len(lines), dtype=bool)
    in_block = np.bincount(owners, minlength=len(blocks))
    spent = float(costs.sum()) + sum(title_tokens)
    told = np.bincount(table.terms, minlength=len(table.weights)).astype(float)
    while spent > room and is_kept.any():
        # A fact that only one line tells counts in full, one that many tell in parts.
        value = _value(table, told) * worth / costs
        allowed = is_kept & (in_block[owners] > 1)
        if not allowed.any():
            allowed = is_kept
        worst = int(np.argmin(np.where(allowed, value, np.inf)))
        is_kept[worst] = False
        told[table.of(worst)] -= 1
        spent -= costs[worst]
        in_block[owners[worst]] -= 1
        if not in_block[owners[worst]]:
            spent -= title_tokens[owners[worst]]
    return [bool(keep) for keep in is_kept]


def _value(table: TermTable, told: Floats) -> Floats:
    return table.sums(table.weights / np.maximum(told, 1.0)) + 1e-9


def _worth(owners: np.ndarray[tuple[int], np.dtype[np.int64]], blocks: list[_Block]) -> Floats:
    newest = max(1, len(blocks) - 1)
    worth = OLDEST_WORTH + (1.0 - OLDEST_WORTH) * owners / newest
    for i, block in enumerate(blocks):
        if block.title.upper() in KEPT_TITLES:
            worth[owners == i] = KEPT_WORTH
    return np.asarray(worth)
