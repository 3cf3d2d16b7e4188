"""Where the parts of the column lie, in px (look.md §3, "Story")."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRect

COLUMN_WIDTH = 640  # about 80 characters of the reading font
GUTTER = 50  # icon and rail, 40, and 10 to the text
CARD_RIGHT = 16
MARGIN = 22

TEXT_TOP = 31
RECAP_GAP = 3
RECAP_HEIGHT = 20
CARD_FOOT = 2
MESSAGE_GAP = 12

DIVIDER_HEIGHT = 36
DIVIDER_GAP = 4
FOLDED_HEIGHT = 34
FOLDED_GAP = 8

RAIL_WIDTH = 3
ICON = 16
TOOL = 29
TOOLS = ("remember", "exclude", "edit", "break")


@dataclass(frozen=True, slots=True)
class Column:
    """Left edges and widths of card and text for one width of the viewport."""

    card_left: int
    card_width: int

    @property
    def text_left(self) -> int:
        return self.card_left + GUTTER

    @property
    def text_width(self) -> int:
        return self.card_width - GUTTER - CARD_RIGHT

    @property
    def text_right(self) -> int:
        """First px right of the text."""
        return self.card_left + self.card_width - CARD_RIGHT


def column_in(width: int) -> Column:
    """The column in a viewport `width` px wide: centred, at most 640 of text, never under 120."""
    card = max(min(COLUMN_WIDTH + GUTTER + CARD_RIGHT, width - 2 * MARGIN), 186)
    return Column(max((width - card) // 2, 0), card)


def message_height(text_height: float, *, has_recap_line: bool) -> int:
    """Height of a message's row with the gap below its card."""
    recap = RECAP_HEIGHT if has_recap_line else 0
    return TEXT_TOP + round(text_height) + RECAP_GAP + recap + CARD_FOOT + MESSAGE_GAP


def card_rect(row: QRect, column: Column) -> QRect:
    """The card of a message in its row."""
    return QRect(column.card_left, row.y(), column.card_width, row.height() - MESSAGE_GAP)


def tools_rect(row: QRect, column: Column) -> QRect:
    """The panel of tools at the top right of a card."""
    width = TOOL * len(TOOLS) + 4
    return QRect(column.card_left + column.card_width - 8 - width, row.y() + 2, width, 25)


def tool_rect(row: QRect, column: Column, tool: str) -> QRect:
    """One tool of the panel."""
    panel = tools_rect(row, column)
    return QRect(panel.x() + 2 + TOOL * TOOLS.index(tool), panel.y(), TOOL, panel.height())
