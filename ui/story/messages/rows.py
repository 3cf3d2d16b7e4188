"""Which row of the column shows what: scenes and messages as rows, and how rows change."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import compress, count
from operator import ne

from app.story.messages import Message
from app.story.scenes import Scene


class RowKind(Enum):
    """What a row shows."""

    DIVIDER = "divider"  # above the messages of an open or unfolded scene
    FOLDED = "folded"  # a whole scene in one row
    MESSAGE = "message"


@dataclass(frozen=True, slots=True)
class Place:
    """What one row shows. message: index into the story, the scene's first for the others."""

    kind: RowKind
    scene: int
    message: int


@dataclass(frozen=True, slots=True)
class RowChange:
    """Rows `first` on: so many are gone, then so many are new. The others only moved."""

    first: int
    removed: int
    inserted: int


def is_folded(scene: Scene) -> bool:
    """Whether a scene is one row. The open scene cannot be folded: nothing closes it."""
    return scene.closing is not None and scene.closing.is_collapsed


class RowLayout:
    """Rows of a story, computed from its scenes alone: a divider each, then their messages.

    firsts and starts: of each scene, its first message and the row of its divider.
    Costs O(scenes) to make and O(log scenes) to ask, however many messages there are.
    """

    __slots__ = ("count", "firsts", "scenes", "starts")

    def __init__(self, scenes: Sequence[Scene] = ()) -> None:
        self.scenes = tuple(scenes)
        self.firsts = [scene.first for scene in self.scenes]
        self.starts: list[int] = []
        row = 0
        for scene in self.scenes:
            self.starts.append(row)
            closing = scene.closing  # is_folded and length, without 5,000 calls for a long story
            is_shut = closing is not None and closing.is_collapsed
            row += 1 if is_shut else scene.last - scene.first + 2
        self.count = row

    def place(self, row: int) -> Place:
        """What row `row` shows. Raises IndexError outside of 0 to count - 1."""
        if not 0 <= row < self.count:
            raise IndexError(row)
        number = bisect_right(self.starts, row) - 1
        scene = self.scenes[number]
        offset = row - self.starts[number]
        if offset:
            return Place(RowKind.MESSAGE, number, scene.first + offset - 1)
        kind = RowKind.FOLDED if is_folded(scene) else RowKind.DIVIDER
        return Place(kind, number, scene.first)

    def row_of_message(self, message: int) -> int:
        """Row of a message, or of the folded scene that hides it. Raises IndexError."""
        number = self.scene_of_message(message)
        scene = self.scenes[number]
        start = self.starts[number]
        return start if is_folded(scene) else start + 1 + message - scene.first

    def row_of_scene(self, number: int) -> int:
        """Row of a scene's divider, `number` counting from 0."""
        return self.starts[number]

    def scene_of_message(self, message: int) -> int:
        """Index of the scene that holds a message. Raises IndexError outside of the story."""
        number = bisect_right(self.firsts, message) - 1
        if number < 0 or message > self.scenes[number].last:
            raise IndexError(message)
        return number


def change_between(
    old: RowLayout,
    new: RowLayout,
    old_messages: Sequence[Message],
    new_messages: Sequence[Message],
    *,
    first_changed: int | None = None,
) -> RowChange:
    """The one stretch of rows by which two layouts of the same chat differ.

    A message row is known by its anchor, a divider by its scene's first message.
    first_changed: messages before it are known to be the same; None: all are compared.
    """
    head, tail = _common_messages(old_messages, new_messages, first_changed or 0)
    first = _common_head(old, new, head)
    last = _common_tail(old, new, tail, len(old_messages), len(new_messages))
    last = min(last, old.count - first, new.count - first)
    return RowChange(first, old.count - first - last, new.count - first - last)


def _common_messages(old: Sequence[Message], new: Sequence[Message], start: int) -> tuple[int, int]:
    """How many messages at the head and at the tail have the same anchor in both."""
    shorter = min(len(old), len(new))
    head = min(start, shorter)
    if old is new:
        return shorter, shorter
    for a, b in zip(old[head:], new[head:], strict=False):
        if a is not b and a.anchor != b.anchor:
            break
        head += 1
    if head == shorter:  # all the same, or the one is the beginning of the other
        return head, head if len(old) == len(new) else 0
    tail = 0
    for a, b in zip(reversed(old), reversed(new), strict=False):
        if a is not b and a.anchor != b.anchor:
            break
        tail += 1
    return head, min(tail, shorter - head)


def _common_head(old: RowLayout, new: RowLayout, messages: int) -> int:
    """Rows at the top that are the same, given how many messages are."""
    # Scenes that begin at the same messages and rows have the same rows before them.
    begun = min(_same_head(old.firsts, new.firsts), _same_head(old.starts, new.starts))
    begun = min(begun, bisect_left(old.firsts, messages))
    if not begun:
        return 0
    a, b = old.scenes[begun - 1], new.scenes[begun - 1]
    rows = old.starts[begun - 1] + 1
    if is_folded(a) or is_folded(b):
        return rows
    return rows + min(a.last, b.last, messages - 1) - a.first + 1


def _same_head(a: Sequence[int], b: Sequence[int]) -> int:
    different = compress(count(), map(ne, a, b))
    return next(different, min(len(a), len(b)))


def _common_tail(
    old: RowLayout, new: RowLayout, messages: int, old_size: int, new_size: int
) -> int:
    """Rows at the foot that are the same, given how many messages there are."""
    rows = 0
    for a, b in zip(reversed(old.scenes), reversed(new.scenes), strict=False):
        if old_size - a.last != new_size - b.last:
            break
        known = messages - (old_size - 1 - a.last)  # same messages up to the scene's last
        same = min(a.length, b.length, known)
        is_whole = same == a.length == b.length
        if is_folded(a) != is_folded(b) or same <= 0:
            break
        if is_folded(a):
            if not is_whole:
                break
            rows += 1
            continue
        rows += same
        if not is_whole:
            break
        rows += 1
    return rows
