"""Breaks words that are painted by hand over a few lines."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics


def wrapped(text: str, face: QFontMetrics, width: int, most: int = 2) -> list[str]:
    """The text in lines of so many px, `most` of them; the last one ends in an ellipsis where room
    runs out.
    """
    lines: list[str] = []
    rest = text.split()
    while rest and len(lines) < most - 1:
        taken = 1
        while taken < len(rest) and face.horizontalAdvance(" ".join(rest[: taken + 1])) <= width:
            taken += 1
        if taken == len(rest) or face.horizontalAdvance(rest[0]) > width:
            break
        lines.append(" ".join(rest[:taken]))
        rest = rest[taken:]
    if rest:
        lines.append(face.elidedText(" ".join(rest), Qt.TextElideMode.ElideRight, width))
    return lines
