"""Buttons: a word that names the command, with an icon and the key that does the same."""

from __future__ import annotations

from enum import Enum

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QAction, QColor, QHelpEvent, QKeySequence, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QToolTip, QWidget

from ui.controls.labels import plain_tip, safe_tip, words_of
from ui.theme import current_tokens
from ui.theme.fonts import MEDIUM, SEMIBOLD, ui_font
from ui.theme.icons import icon_pixmap
from ui.theme.style import CONTROL_RADIUS, rounded

TIGHT = 5  # px at each side, at least
ROOM = 14  # px at each side, where there is so much
NATIVE = QKeySequence.SequenceFormat.NativeText
ARROWS = {Qt.Key.Key_Up: "↑", Qt.Key.Key_Down: "↓", Qt.Key.Key_Left: "←", Qt.Key.Key_Right: "→"}


class ButtonRole(Enum):
    """How loud a button is; at most one MAIN in a pane."""

    PLAIN = "plain"
    MAIN = "main"
    QUIET = "quiet"


def key_text(shortcut: QKeySequence) -> str:
    """The key as people say it: "Ctrl K", "Ctrl +"; arrows as arrows, since Qt's words for them are
    none that stand on a keyboard.
    """
    text = shortcut.toString(NATIVE)
    for key, arrow in ARROWS.items():
        text = text.replace(QKeySequence(key).toString(NATIVE), arrow)
    return text[:-1].replace("+", " ") + text[-1:]


def keep_place(widget: QWidget) -> None:
    """Leave its room free while it is hidden, so that nothing moves when it comes."""
    policy = widget.sizePolicy()
    policy.setRetainSizeWhenHidden(True)
    widget.setSizePolicy(policy)


class Button(QAbstractButton):
    """Icon, word and key hint on a raised ground.

    flush: a quiet one that begins or ends at this edge of what is above it. Its word stands there,
    so it has no ground and is underlined under the pointer, as a link is.
    """

    def __init__(
        self,
        text: str,
        *,
        icon: str = "",
        role: ButtonRole = ButtonRole.PLAIN,
        hint: str = "",
        flush: Qt.Edge | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._icon = icon
        self._role = role
        self._hint = hint
        self._flush = flush
        self._action: QAction | None = None
        self.setText(text)
        self.setAccessibleName(text)
        self.setFont(ui_font(12.5, SEMIBOLD))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    @property
    def role(self) -> ButtonRole:
        return self._role

    @property
    def icon_name(self) -> str:
        """Of its icon, "" for none."""
        return self._icon

    def set_icon(self, name: str) -> None:
        self._icon = name
        self.updateGeometry()
        self.update()

    def set_text(self, text: str) -> None:
        """Change the word and what a screen reader says."""
        if text != self.text():
            self.setText(text)
            self.setAccessibleName(text)
            self.updateGeometry()

    def follow(self, action: QAction) -> None:
        """Do what the action does and be enabled when it is."""
        self.clicked.connect(action.trigger)
        self.setEnabled(action.isEnabled())
        action.enabledChanged.connect(self.setEnabled)
        self._hint = key_text(action.shortcut())
        self._action = action
        self._retell()
        action.changed.connect(self._retell)
        self.updateGeometry()

    def _retell(self) -> None:
        if self._action is not None:
            self.setToolTip(safe_tip(self._action.toolTip()))

    def sizeHint(self) -> QSize:
        hint = 10 + self._hint_width() if self._hint else 0
        return QSize(self._word_width() + hint + self._beside(ROOM), 28)

    def minimumSizeHint(self) -> QSize:
        """Without the key; a layout goes down to it where the size policy lets it."""
        return QSize(self._word_width() + self._beside(TIGHT), 28)

    def _beside(self, room: int) -> int:
        """The room at both sides together: none at the edge where the word stands."""
        return room * (2 if self._flush is None else 1)

    def _word_width(self) -> int:
        return self.fontMetrics().horizontalAdvance(self.text()) + (20 if self._icon else 0)

    def _hint_width(self) -> int:
        from PySide6.QtGui import QFontMetrics

        return QFontMetrics(ui_font(10, MEDIUM)).horizontalAdvance(self._hint)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        ink = self._paint_ground(painter)
        t = current_tokens()
        text, has_hint = self._shown_in(self.width() - self._beside(TIGHT))
        width = self.fontMetrics().horizontalAdvance(text)
        content = width + (20 if self._icon and text else 14 if self._icon else 0)
        left = self.width() - content - (10 + self._hint_width() if has_hint else 0)
        x = {None: left / 2, Qt.Edge.LeftEdge: 0.0}.get(self._flush, float(left))
        if self._icon:
            pixmap = icon_pixmap(self._icon, ink, 14, self.devicePixelRatioF())
            painter.drawPixmap(round(x), (self.height() - 14) // 2, pixmap)
            x += 20
        font = self.font()
        font.setUnderline(self._flush is not None and self.underMouse() and self.isEnabled())
        painter.setFont(font)
        painter.setPen(ink)
        middle = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.drawText(QRectF(x, 0, width + 2, self.height()), middle, text)
        if has_hint:
            painter.setFont(ui_font(10, MEDIUM))
            painter.setPen(ink if self._role is ButtonRole.MAIN else t.t3)
            area = QRectF(x + width + 10, 0, self._hint_width() + 2, self.height())
            painter.drawText(area, middle, self._hint)

    def _shown_in(self, room: int) -> tuple[str, bool]:
        """What is shown of the word, and whether the key is, in so many px. In a narrow window the
        key goes first; then an icon stands alone, and a word without one is cut at its end.
        """
        face, text = self.fontMetrics(), self.text()
        wanted = self._word_width()
        if wanted <= room:
            return text, bool(self._hint) and wanted + 10 + self._hint_width() <= room
        if self._icon:
            return "", False
        return face.elidedText(text, Qt.TextElideMode.ElideRight, room), False

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and not self.toolTip():
            is_cut = self._shown_in(self.width() - self._beside(TIGHT))[0] != self.text()
            QToolTip.showText(event.globalPos(), plain_tip(self.text()) if is_cut else "", self)
            return True
        return super().event(event)

    def _paint_ground(self, painter: QPainter) -> QColor:
        """Draw the ground; the colour of what stands on it."""
        t = current_tokens()
        is_down = self.isDown() or self.isChecked()
        is_over = self.underMouse() and self.isEnabled()
        if not self.isEnabled():
            if self._role is not ButtonRole.QUIET:
                rounded(painter, self.rect(), CONTROL_RADIUS, None, t.line)
            return t.t3
        if self._role is ButtonRole.MAIN:
            fill = QColor(t.accent)
            if is_down:
                fill = fill.darker(112)
            elif is_over:
                fill = fill.lighter(106)
            rounded(painter, self.rect(), CONTROL_RADIUS, fill)
            return t.accent_ink
        if self._flush is not None:
            return t.t1 if is_over or is_down else t.t2
        if self._role is ButtonRole.QUIET:
            if is_over or is_down:
                rounded(painter, self.rect(), CONTROL_RADIUS, t.well if is_down else t.hover)
            return t.t2
        fill = t.well if is_down else t.hover if is_over else t.raised
        rounded(painter, self.rect(), CONTROL_RADIUS, fill, t.line2)
        return t.t1


class IconButton(QAbstractButton):
    """An icon without a word; its name is the tooltip and what a screen reader says."""

    def __init__(
        self,
        icon: str,
        name: str,
        *,
        side: int = 28,
        icon_size: int = 16,
        is_framed: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._icon = icon
        self._side = side
        self._icon_size = icon_size
        self._is_framed = is_framed
        self.set_name(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def set_name(self, name: str) -> None:
        """Name it anew; one word or a short sentence."""
        self.setAccessibleName(name)
        self.setToolTip(safe_tip(name))

    def set_icon(self, icon: str) -> None:
        if icon != self._icon:
            self._icon = icon
            self.update()

    def follow(self, action: QAction) -> None:
        """Do what the action does and be enabled when it is."""
        self.clicked.connect(action.trigger)
        self.setEnabled(action.isEnabled())
        action.enabledChanged.connect(self.setEnabled)

        def rename() -> None:
            self.set_name(action.toolTip() or words_of(action))

        rename()
        action.changed.connect(rename)

    def sizeHint(self) -> QSize:
        return QSize(self._side, self._side)

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current_tokens()
        painter = QPainter(self)
        is_over = self.underMouse() and self.isEnabled()
        if self._is_framed:
            fill = t.well if self.isDown() else t.hover if is_over else t.raised
            if not self.isEnabled():
                rounded(painter, self.rect(), CONTROL_RADIUS, None, t.line)
            else:
                rounded(painter, self.rect(), CONTROL_RADIUS, fill, t.line2)
        elif is_over or self.isDown():
            rounded(painter, self.rect(), CONTROL_RADIUS, t.well if self.isDown() else t.hover)
        ink = t.t3 if not self.isEnabled() else t.t1 if is_over or self._is_framed else t.t2
        pixmap = icon_pixmap(self._icon, ink, self._icon_size, self.devicePixelRatioF())
        left = (self.width() - self._icon_size) // 2
        top = (self.height() - self._icon_size) // 2
        painter.drawPixmap(left, top, pixmap)


class Switch(QAbstractButton):
    """On or off, at once; 34 x 18 px. `toggled` says when."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setCheckable(True)
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(32, 18)

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current_tokens()
        painter = QPainter(self)
        track = QRectF(self.rect())
        knob = 12.0
        left = track.right() - knob - 3 if self.isChecked() else 3.0
        if not self.isEnabled():
            rounded(painter, track, 9, None, t.line2)
            ink = t.line2
        elif self.isChecked():
            rounded(painter, track, 9, t.accent)
            ink = t.accent_ink
        else:
            rounded(painter, track, 9, t.well, t.ctl)
            ink = t.t2
        rounded(painter, QRectF(left, 3, knob, knob), knob / 2, ink)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.EnabledChange:
            self.update()
        return super().event(event)
