"""Breaks words that are painted by hand over a few lines."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics


def wrapped(text: str, face: QFontMetrics, width: int, most: int = 2) -> list[str]:
    """The text in lines of so many px, `most` of them; the last one ends in an ellipsis where room
    runs out.
    """

    def fits(words: list[str]) -> bool:
        # Asked of what cuts: an advance is rounded down, and what it lets pass may be cut after.
        line = " ".join(words)
        return face.elidedText(line, Qt.TextElideMode.ElideRight, width) == line

    lines: list[str] = []
    rest = text.split()
    while rest and len(lines) < most - 1:
        taken = 1
        while taken < len(rest) and fits(rest[: taken + 1]):
            taken += 1
        if taken == len(rest) or not fits(rest[:1]):
            break
        lines.append(" ".join(rest[:taken]))
        rest = rest[taken:]
    if rest:
        lines.append(face.elidedText(" ".join(rest), Qt.TextElideMode.ElideRight, width))
    return lines
