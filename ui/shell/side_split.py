"""A page with a pane at one side that can be dragged, hidden, or laid over the page."""

from __future__ import annotations

from enum import Enum

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit, QTextEdit, QWidget

from ui.theme import current_tokens
from ui.theme.tokens import faded

HANDLE = 7


class Side(Enum):
    """Where the pane stands."""

    LEFT = "left"
    RIGHT = "right"


class SideSplit(QWidget):
    """Lays out `main` and `pane`; as an overlay the pane floats over main until dismissed.

    Signals:
        pane_shown: whether the pane is to be seen now.
        width_changed: the pane's width in px, after the user dragged it.
    """

    pane_shown = Signal(bool)
    width_changed = Signal(int)

    # 7 parameters: two parts and their widths, which have defaults.
    def __init__(
        self,
        main: QWidget,
        pane: QWidget,
        side: Side,
        *,
        width: int,
        minimum: int = 200,
        maximum: int = 460,
        draws_line: bool = False,
    ) -> None:
        super().__init__()
        self._main, self._pane, self._side = main, pane, side
        self._width, self._minimum, self._maximum = width, minimum, maximum
        self._is_overlay = False
        self._is_open = True
        self._is_available = True
        self._is_overlay_open = False
        main.setParent(self)
        self._shade = _Shade(self)
        self._shade.pressed.connect(self.close_overlay)
        self._ground = _Ground(self, draws_line=draws_line, side=side)
        pane.setParent(self._ground)
        self._handle = _Handle(self)
        self._handle.dragged.connect(self._on_dragged)
        self._ground.installEventFilter(self)
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._on_focus_changed)
        self._arrange()

    @property
    def is_pane_shown(self) -> bool:
        if not self._is_available:
            return False
        return self._is_overlay_open if self._is_overlay else self._is_open

    @property
    def is_open(self) -> bool:
        """Whether the user wants the pane beside the page."""
        return self._is_open

    @property
    def is_overlay(self) -> bool:
        return self._is_overlay

    @property
    def pane_width(self) -> int:
        return self._width

    def set_pane_width(self, width: int) -> None:
        """Kept between the pane's bounds."""
        self._width = max(self._minimum, min(self._maximum, width))
        self._arrange()

    def set_overlay(self, is_overlay: bool) -> None:
        """Lay the pane over the page (narrow window) or beside it."""
        if is_overlay != self._is_overlay:
            self._is_overlay = is_overlay
            self._is_overlay_open = False
            self._arrange()
            self.pane_shown.emit(self.is_pane_shown)

    def set_available(self, is_available: bool) -> None:
        """Whether the page that is shown has this pane at all."""
        if is_available != self._is_available:
            self._is_available = is_available
            self._is_overlay_open = False
            self._arrange()
            self.pane_shown.emit(self.is_pane_shown)

    def set_open(self, is_open: bool) -> None:
        """Show or hide the pane beside the page."""
        self._is_open = is_open
        self._arrange()
        self.pane_shown.emit(self.is_pane_shown)

    def toggle(self) -> None:
        """Show the pane if it is hidden, hide it if it is shown."""
        if self._is_overlay:
            self._is_overlay_open = not self._is_overlay_open
            self._arrange()
            if self._is_overlay_open:
                self._pane.setFocus(Qt.FocusReason.PopupFocusReason)
            self.pane_shown.emit(self.is_pane_shown)
        else:
            self.set_open(not self._is_open)

    def close_overlay(self) -> None:
        """Put an overlaid pane away."""
        if self._is_overlay and self._is_overlay_open:
            self.toggle()

    def _on_focus_changed(self, _old: QWidget | None, new: QWidget | None) -> None:
        """Nobody writes behind an overlay: an editor that opens beneath it is wanted now."""
        if not isinstance(new, QLineEdit | QPlainTextEdit | QTextEdit) or new.isReadOnly():
            return
        if self._main.isAncestorOf(new):
            self.close_overlay()

    def sizeHint(self) -> QSize:
        return QSize(800, 600)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self._is_overlay and self._is_overlay_open:
            self.close_overlay()
            return
        super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._pane.setGeometry(self._ground.inner())
        return False

    def _arrange(self) -> None:
        area = self.rect()
        width = min(self._width, max(0, area.width() - 48)) if self._is_overlay else self._width
        is_shown = self.is_pane_shown
        beside = is_shown and not self._is_overlay
        at_left = self._side is Side.LEFT
        main_left = width if beside and at_left else 0
        main_width = area.width() - (width if beside else 0)
        self._main.setGeometry(main_left, 0, main_width, area.height())
        left = 0 if at_left else area.width() - width
        self._ground.set_floating(self._is_overlay)
        self._ground.setGeometry(left, 0, width, area.height())
        self._pane.setGeometry(self._ground.inner())
        self._ground.setVisible(is_shown)
        self._pane.setVisible(True)
        self._shade.setGeometry(area)
        self._shade.setVisible(is_shown and self._is_overlay)
        edge = width if at_left else left
        self._handle.setGeometry(edge - HANDLE // 2, 0, HANDLE, area.height())
        self._handle.setVisible(beside)
        self._shade.raise_()
        self._ground.raise_()
        self._handle.raise_()

    def _on_dragged(self, x: int) -> None:
        self.set_pane_width(x if self._side is Side.LEFT else self.width() - x)
        self.width_changed.emit(self._width)


class _Ground(QWidget):
    def __init__(self, parent: QWidget, *, draws_line: bool, side: Side) -> None:
        super().__init__(parent)
        self._draws_line = draws_line
        self._side = side
        self._is_floating = False

    def set_floating(self, is_floating: bool) -> None:
        if is_floating != self._is_floating:
            self._is_floating = is_floating
            self.update()

    def inner(self) -> QRect:
        area = self.rect()
        if self._draws_line:
            if self._side is Side.RIGHT:
                area.setLeft(1)
            else:
                area.setRight(area.right() - 1)
        return area

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current_tokens()
        painter = QPainter(self)
        if self._is_floating:
            on_chrome = self._side is Side.LEFT
            painter.fillRect(self.rect(), t.chrome if on_chrome else t.stage)
        if self._draws_line or self._is_floating:
            x = 0 if self._side is Side.RIGHT else self.width() - 1
            painter.fillRect(x, 0, 1, self.height(), t.line)


class _Shade(QWidget):
    """Dims the page under an overlay; a press on it closes the overlay."""

    pressed = Signal()

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(self.rect(), faded(current_tokens().chrome, 0.55))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.pressed.emit()


class _Handle(QWidget):
    dragged = Signal(int)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setCursor(Qt.CursorShape.SplitHCursor)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            at = self.mapToParent(QPoint(round(event.position().x()), 0))
            self.dragged.emit(at.x())
