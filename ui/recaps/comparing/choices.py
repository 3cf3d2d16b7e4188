"""What stands between two columns: which side is taken, and rows that are the same in both."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QVBoxLayout, QWidget

from app.core.translation import tr
from app.story.comparison import Choice
from ui.theme import current_tokens
from ui.theme.fonts import MEDIUM, SEMIBOLD, ui_font
from ui.theme.icons import icon_pixmap
from ui.theme.style import CONTROL_RADIUS, rounded

BUTTON = QSize(80, 24)
PAIR_HEIGHT = 52
FOLD_HEIGHT = 30


class SideButton(QAbstractButton):
    """Left or Right; lit while its side is taken."""

    def __init__(self, choice: Choice, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icon = "arrow-left" if choice is Choice.LEFT else "arrow-right"
        self.setText(tr("Left") if choice is Choice.LEFT else tr("Right"))
        self.setCheckable(True)
        self.setFixedSize(BUTTON)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def nextCheckState(self) -> None:
        """What is lit follows the choice, not the click."""

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current_tokens()
        painter = QPainter(self)
        is_on = self.isChecked()
        if is_on:
            rounded(painter, self.rect(), CONTROL_RADIUS, t.accent_soft, t.ring)
        else:
            fill = t.well if self.isDown() else t.hover if self.underMouse() else t.stage
            rounded(painter, self.rect(), CONTROL_RADIUS, fill, t.line2)
        ink = t.accent_text if is_on else t.t1
        icon = "check" if is_on else self._icon
        pixmap = icon_pixmap(icon, ink, 12, self.devicePixelRatioF())
        painter.drawPixmap(8, 6, pixmap)
        painter.setFont(ui_font(12, SEMIBOLD))
        painter.setPen(ink)
        middle = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.drawText(QRectF(self.rect()).adjusted(25, 0, -4, 0), middle, self.text())


class ChoicePair(QWidget):
    """The two buttons of one difference. Shift with a click takes both.

    Signals:
        chosen: (number of the difference, Choice).
    """

    chosen = Signal(int, object)

    def __init__(
        self, difference: int, name: str, parent: QWidget, sides: tuple[str, str] = ("", "")
    ) -> None:
        super().__init__(parent)
        self._difference = difference
        self.left, self.right = SideButton(Choice.LEFT), SideButton(Choice.RIGHT)
        self.left.setToolTip(tr("Take the left words. Shift takes both. ([)"))
        self.right.setToolTip(tr("Take the right words. Shift takes both. (])"))
        for button, word in zip((self.left, self.right), sides, strict=True):
            if word:
                button.setText(word)
                button.setToolTip(tr("Take {side} here.", side=word))
                button.setAccessibleName(tr("Take {side} in {name}", side=word, name=name))
            elif button is self.left:
                button.setAccessibleName(tr("Take left in {name}", name=name))
            else:
                button.setAccessibleName(tr("Take right in {name}", name=name))
        self.left.clicked.connect(self._on_left)
        self.right.clicked.connect(self._on_right)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self.left)
        column.addWidget(self.right)
        self.setFixedSize(BUTTON.width(), PAIR_HEIGHT)

    def show_choice(self, choice: Choice | None) -> None:
        """Light what is taken."""
        self.left.setChecked(choice in (Choice.LEFT, Choice.BOTH))
        self.right.setChecked(choice in (Choice.RIGHT, Choice.BOTH))

    def _on_left(self) -> None:
        self._choose(Choice.LEFT)

    def _on_right(self) -> None:
        self._choose(Choice.RIGHT)

    def _choose(self, choice: Choice) -> None:
        if QApplication.keyboardModifiers() & Qt.KeyboardModifier.ShiftModifier:
            choice = Choice.BOTH
        self.chosen.emit(self._difference, choice)


class FoldRow(QAbstractButton):
    """30 px for what both sides share; unfolds it.

    Signals:
        turned: number of the block.
    """

    turned = Signal(int)

    def __init__(self, block: int, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._block = block
        self._is_open = False
        self.setText(title)
        self.setAccessibleName(tr("{title}, the same in both", title=title))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setFixedHeight(FOLD_HEIGHT)
        self.clicked.connect(self._on_clicked)

    def show_open(self, is_open: bool) -> None:
        """Point down while its text is shown."""
        self._is_open = is_open
        self.setAccessibleDescription(tr("Shown") if is_open else tr("Collapsed"))
        self.update()

    def _on_clicked(self) -> None:
        self.turned.emit(self._block)

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current_tokens()
        painter = QPainter(self)
        rounded(painter, self.rect(), 5, t.hover if self.underMouse() else t.well)
        icon = "chevron-down" if self._is_open else "chevron-right"
        pixmap = icon_pixmap(icon, t.t3, 12, self.devicePixelRatioF())
        painter.drawPixmap(8, 9, pixmap)
        painter.setFont(ui_font(12, SEMIBOLD))
        painter.setPen(t.t2)
        middle = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        room = self.width() - 26 - 120
        metrics = painter.fontMetrics()
        title = metrics.elidedText(self.text(), Qt.TextElideMode.ElideRight, room)
        painter.drawText(QRectF(26, 0, room + 4, FOLD_HEIGHT), middle, title)
        x = 26 + metrics.horizontalAdvance(title) + 10
        painter.setFont(ui_font(12, MEDIUM))
        painter.setPen(t.t3)
        painter.drawText(QRectF(x, 0, 120, FOLD_HEIGHT), middle, tr("the same in both"))
