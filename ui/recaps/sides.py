"""Which two versions are compared."""

from __future__ import annotations

from collections.abc import Sequence

from ui.recaps.version_rows import LEFT, RIGHT, VersionRow

Pair = tuple[VersionRow, VersionRow]


class Sides:
    """The numbers at the left and the right; None while a side is free."""

    def __init__(self) -> None:
        self.left: int | None = None
        self.right: int | None = None

    def put(self, side: str, number: int, shown: int | None) -> None:
        """Put a version on a side. shown: goes to the other one where that is free.

        A version that stood on the other side changes places with the one that stood here.
        """
        here, other = (self.left, self.right) if side == LEFT else (self.right, self.left)
        if other == number:
            other = here
        if other is None and shown != number:
            other = shown
        self.left, self.right = (number, other) if side == LEFT else (other, number)

    def set_both(self, one: int, other: int) -> None:
        """The older one left."""
        self.left, self.right = sorted((one, other))

    def clear(self) -> None:
        """Compare nothing."""
        self.left = self.right = None

    def holds(self, side: str, number: int) -> bool:
        """Whether a version stands on a side."""
        return number == (self.left if side == LEFT else self.right)

    def side_of(self, number: int) -> str:
        """LEFT, RIGHT or ""."""
        return LEFT if number == self.left else RIGHT if number == self.right else ""

    def rows(self, rows: Sequence[VersionRow]) -> Pair | None:
        """The two versions; None unless both are there."""
        found = {row.number: row for row in rows}
        left = found.get(self.left) if self.left is not None else None
        right = found.get(self.right) if self.right is not None else None
        return (left, right) if left is not None and right is not None else None


def farther(pair: Pair) -> int:
    """The version of two that reaches farther into the story, the newer one of equals."""
    return max(pair, key=lambda row: (row.reach, row.number)).number
