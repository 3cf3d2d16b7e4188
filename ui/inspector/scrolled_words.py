"""Words that keep their lines whole where room is scarce: what has none is scrolled to."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy

from ui.controls.labels import Label, plain_tip

LEAST_LINES = 2


class ScrolledWords(QScrollArea):
    """As high as its words, or lower. label: wraps."""

    def __init__(self, label: Label) -> None:
        super().__init__()
        self._label = label
        label.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        self.setWidget(label)
        self.viewport().setAutoFillBackground(False)
        label.setAutoFillBackground(False)
        self.verticalScrollBar().rangeChanged.connect(self._on_range)
        self._on_range(0, 0)

    def say(self, words: str) -> None:
        """Show these words, nothing at all for none."""
        self._label.setText(words)
        self._label.setToolTip(plain_tip(words))
        self.setAccessibleName(words)
        self.setVisible(bool(words))
        self.updateGeometry()

    def _on_range(self, _least: int, most: int) -> None:
        """The keyboard stops here only where there is something to scroll to."""
        policy = Qt.FocusPolicy
        self.setFocusPolicy(policy.StrongFocus if most > 0 else policy.NoFocus)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()

    def sizeHint(self) -> QSize:
        width = self.viewport().width()
        return QSize(self._label.minimumSizeHint().width(), self._label.heightForWidth(width))

    def minimumSizeHint(self) -> QSize:
        hint = self.sizeHint()
        lines = LEAST_LINES * self._label.fontMetrics().lineSpacing()
        return QSize(0, min(hint.height(), lines))
