"""Which part of a row lies under the pointer."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect

from ui.story.messages import geometry as geo
from ui.story.messages.geometry import Column
from ui.story.messages.message_delegate import has_recap_line, needs_redo, shows_recap_text
from ui.story.messages.message_model import MessageModel, MessageRow
from ui.story.messages.rows import RowKind

REDO, FOLD, NAME, RECAP = "redo", "fold", "name", "recap"
REDO_WIDTH = 96  # of "Stale. Redo R" at the right of a recap line


def part_at(model: MessageModel, row: int, area: QRect, column: Column, point: QPoint) -> str:
    """A tool of `geometry.TOOLS`, "redo", "fold", "name" of a divider, "recap" of a message, or "".

    area: the row's, in the viewport. point: in the same, inside of the row.
    """
    shown = model.message_row(row)
    if shown is not None:
        return _message_part(area, column, shown, point)
    scene = model.scene_row(row)
    if scene is not None and scene.is_stale and _is_at_redo(area, column, point):
        return REDO
    if model.place(row).kind is RowKind.FOLDED:
        return FOLD if point.y() < area.y() + geo.FOLDED_HEIGHT else ""
    return FOLD if point.x() < column.text_left - 6 else NAME


def is_grip(model: MessageModel, row: int, part: str) -> bool:
    """Whether a break can be taken hold of here: on each divider but the first, which has none."""
    return part == NAME and model.place(row).scene > 0


def _is_at_redo(area: QRect, column: Column, point: QPoint) -> bool:
    in_row = point.y() < area.y() + geo.DIVIDER_HEIGHT
    return in_row and 0 <= column.text_right - point.x() < REDO_WIDTH


def _message_part(area: QRect, column: Column, shown: MessageRow, point: QPoint) -> str:
    for tool in geo.TOOLS:
        if geo.tool_rect(area, column, tool).contains(point):
            return tool
    card = geo.card_rect(area, column)
    in_line = card.bottom() - geo.RECAP_HEIGHT - geo.CARD_FOOT <= point.y() <= card.bottom()
    if not in_line or not has_recap_line(shown):
        return ""
    if needs_redo(shown) and 0 <= column.text_right - point.x() < REDO_WIDTH:
        return REDO
    return RECAP if shows_recap_text(shown) else ""
