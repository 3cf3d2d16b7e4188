"""Room at the end of what scrolls: its last rows can be scrolled out from under a notice."""

from __future__ import annotations

from typing import Self, TypeGuard

from PySide6.QtCore import QObject
from PySide6.QtWidgets import (
    QAbstractItemView,
    QAbstractScrollArea,
    QScrollArea,
    QTextEdit,
    QWidget,
)

SCROLLED_BY_PX = (QScrollArea, QAbstractItemView, QTextEdit)


class FootRoom(QObject):
    """Lets one area scroll so many px beyond its end. Nothing moves when it comes or goes: who has
    scrolled into it keeps it until they scroll back. What fits without scrolling gets none, since
    a scroll bar would move it. Owned by the area.
    """

    def __init__(self, area: QAbstractScrollArea) -> None:
        super().__init__(area)
        self._bar = area.verticalScrollBar()
        self._px = 0
        self._end = self._bar.maximum()  # where the area itself ends
        self._is_setting = False
        self._bar.rangeChanged.connect(self._on_range)
        self._bar.valueChanged.connect(self._on_value)

    @classmethod
    def of(cls, area: QAbstractScrollArea) -> Self:
        """That of an area, made where it has none yet."""
        return area.findChild(cls) or cls(area)

    @staticmethod
    def is_for(area: QWidget) -> TypeGuard[QAbstractScrollArea]:
        """Whether it is an area that scrolls by pixels and does not see to its end by itself."""
        by_px = QAbstractItemView.ScrollMode.ScrollPerPixel
        if isinstance(area, QAbstractItemView) and area.verticalScrollMode() != by_px:
            return False
        return isinstance(area, SCROLLED_BY_PX) and not hasattr(area, "set_foot")

    def set_px(self, px: int) -> None:
        """So much of the foot is covered, 0 for none of it."""
        if px != self._px:
            self._px = px
            self._fit()

    def _on_range(self, _least: int, most: int) -> None:
        if not self._is_setting:
            self._end = most
            self._fit()

    def _on_value(self) -> None:
        if self._bar.maximum() > self._end + self._px:
            self._fit()

    def _fit(self) -> None:
        if not self._end:
            return
        self._is_setting = True
        self._bar.setMaximum(max(self._end + self._px, min(self._bar.value(), self._bar.maximum())))
        self._is_setting = False
