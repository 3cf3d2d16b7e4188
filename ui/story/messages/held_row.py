"""Knows a row again in the next state of the story: by its message, not by its number."""

from __future__ import annotations

from dataclasses import dataclass

from ui.story.messages.message_model import MessageModel
from ui.story.messages.rows import RowKind


@dataclass(frozen=True, slots=True)
class HeldRow:
    """A row as one state of the story knows it. y: where it lies in the viewport, in px."""

    anchor: str
    index: int
    is_scene: bool
    y: int = 0


def remember(rows: MessageModel, row: int, y: int = 0) -> HeldRow | None:
    """What a row shows now; None for no row."""
    if not 0 <= row < rows.rowCount():
        return None
    place = rows.place(row)
    anchor = rows.story.messages[place.message].anchor
    return HeldRow(anchor, place.message, place.kind is not RowKind.MESSAGE, y)


def find(rows: MessageModel, held: HeldRow | None) -> int:
    """The row that shows what `held` showed, -1 when its message is gone."""
    if held is None:
        return -1
    messages, layout = rows.story.messages, rows.layout
    index = held.index
    if index >= len(messages) or messages[index].anchor != held.anchor:
        index = next((i for i, m in enumerate(messages) if m.anchor == held.anchor), -1)
    if index < 0:
        return -1
    if held.is_scene:
        return layout.row_of_scene(layout.scene_of_message(index))
    return layout.row_of_message(index)
