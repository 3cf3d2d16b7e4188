"""The pages, with a notice that lies over their foot and moves nothing when it comes and goes."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QStackedWidget, QWidget

WIDEST = 860  # px; a line that is longer is read worse
BESIDE = 12


class PageArea(QWidget):
    """Fills itself with the pages.

    Signals:
        covered: px of the pages' foot that the notice lies over, 0 while there is none.
    """

    covered = Signal(int)

    def __init__(self, stack: QStackedWidget, notice: QWidget) -> None:
        super().__init__()
        self._stack = stack
        self._notice = notice
        stack.setParent(self)
        notice.setParent(self)
        notice.installEventFilter(self)
        notice.hide()
        self._covered = 0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    @property
    def covered_px(self) -> int:
        """As `covered` said last."""
        return self._covered

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            # Whoever asks has invalidated the layout; once more would ask again, without an end.
            self._place()
        elif event.type() in (QEvent.Type.Show, QEvent.Type.Resize):
            # Its words may be others, or wrap otherwise.
            self._place_anew()
        elif event.type() == QEvent.Type.Hide:
            self._tell_covered(0)
        return False

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._stack.setGeometry(self.rect())
        self._place_anew()

    def _place_anew(self) -> None:
        if (layout := self._notice.layout()) is not None:
            layout.invalidate()
        self._place()

    def _place(self) -> None:
        notice = self._notice
        width = min(self.width() - 2 * BESIDE, WIDEST)
        layout = notice.layout()
        if width <= 0 or layout is None:
            return
        height = layout.totalHeightForWidth(width)
        if height <= 0:
            height = notice.sizeHint().height()
        height = min(height, self.height() - 2 * BESIDE)
        left = (self.width() - width) // 2
        notice.setGeometry(left, self.height() - height - BESIDE, width, height)
        notice.raise_()
        if not notice.isHidden():
            self._tell_covered(height + 2 * BESIDE)

    def _tell_covered(self, px: int) -> None:
        if px != self._covered:
            self._covered = px
            self.covered.emit(px)
