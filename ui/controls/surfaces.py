"""Grounds that things lie on: the stage, a card, a line, a floating sheet."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from ui.theme import current_tokens
from ui.theme.compositing import can_be_translucent
from ui.theme.style import rounded
from ui.theme.tokens import Tokens

STAGE_RADIUS = 10.0
CARD_RADIUS = 8.0
SHADOW_STEPS = 10


class Surface(QWidget):
    """A rounded ground in one token's colour, with or without an edge.

    Its corners are rounded, so children keep 1 px off the edge.
    """

    def __init__(
        self,
        token: str = "raised",
        *,
        radius: float = CARD_RADIUS,
        edge: str = "line",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._token = token
        self._edge = edge
        self._radius = radius

    def set_ground(self, token: str, edge: str) -> None:
        """Change both tokens; edge "" draws none."""
        self._token, self._edge = token, edge
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current_tokens()
        painter = QPainter(self)
        edge = _colour(t, self._edge) if self._edge else None
        rounded(painter, self.rect(), self._radius, _colour(t, self._token), edge)


class FloatingSheet(QWidget):
    """Content over the page: a float ground, in the light with a painted shadow (look.md §2.5).

    Where nothing can show through, a popup is cut to its ground, with a plain edge.
    """

    MARGIN = 12

    def __init__(self, parent: QWidget | None = None, *, is_popup: bool = True) -> None:
        super().__init__(parent)
        if is_popup:
            self.setWindowFlags(
                Qt.WindowType.Popup
                | Qt.WindowType.FramelessWindowHint
                | Qt.WindowType.NoDropShadowWindowHint
            )
        self._is_cut = is_popup and not can_be_translucent()
        if is_popup and not self._is_cut:
            self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(self.MARGIN, self.MARGIN, self.MARGIN, self.MARGIN)
        layout.setSpacing(0)

    @property
    def _sheet(self) -> QRect:
        edge = self.MARGIN - 1
        return self.rect().adjusted(edge, edge, -edge, -edge)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._is_cut:
            self.setMask(self._sheet)

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current_tokens()
        painter = QPainter(self)
        sheet = QRectF(self._sheet)
        if self._is_cut:
            painter.fillRect(sheet, t.line2)
            painter.fillRect(sheet.adjusted(1, 1, -1, -1), t.float_)
            return
        if not t.is_dark:
            for step in range(SHADOW_STEPS, 0, -1):
                shadow = QColor(20, 18, 12, 3)
                grown = sheet.adjusted(-step, -step, step, step).translated(0, 3)
                rounded(painter, grown, CARD_RADIUS + step, shadow)
        rounded(painter, sheet, CARD_RADIUS, t.float_, t.line2)


def centred(widget: QWidget, widest: int) -> QHBoxLayout:
    """A row with this in its middle, as wide as there is room, at most `widest` px."""
    widget.setMaximumWidth(widest)
    row = QHBoxLayout()
    row.addStretch(1)
    row.addWidget(widget, 1000)
    row.addStretch(1)
    return row


class Line(QWidget):
    """A hairline that divides."""

    def __init__(self, *, is_upright: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        fixed, free = QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding
        if is_upright:
            self.setFixedWidth(1)
            self.setSizePolicy(fixed, free)
        else:
            self.setFixedHeight(1)
            self.setSizePolicy(free, fixed)

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(self.rect(), current_tokens().line)


class Stage(QWidget):
    """The one raised sheet that a page lies on; clips its corners over what is inside."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(1, 1, 1, 1)
        self._column.setSpacing(0)
        self._corners = _Corners(self)

    @property
    def column(self) -> QVBoxLayout:
        """Where the header and the page are put."""
        return self._column

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current_tokens()
        painter = QPainter(self)
        rounded(painter, self.rect(), STAGE_RADIUS, t.stage)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._corners.setGeometry(self.rect())
        self._corners.raise_()


class _Corners(QWidget):
    """Covers what children paint into the stage's corners, and draws its edge."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current_tokens()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        outside = QPainterPath()
        outside.addRect(QRectF(self.rect()))
        inside = QPainterPath()
        inside.addRoundedRect(area, STAGE_RADIUS, STAGE_RADIUS)
        painter.fillPath(outside - inside, t.chrome)
        painter.setPen(QPen(t.line, 1))
        painter.drawPath(inside)


def scrolling(content: QWidget, *, name: str) -> QScrollArea:
    """A frameless area that scrolls `content` upright; `name` is for screen readers."""
    area = QScrollArea()
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setWidgetResizable(True)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setAccessibleName(name)
    area.setWidget(content)
    area.viewport().setAutoFillBackground(False)
    content.setAutoFillBackground(False)
    return area


def _colour(tokens: Tokens, name: str) -> QColor:
    colour: QColor = getattr(tokens, name)
    return colour
