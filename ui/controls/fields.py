"""Fields: one line to write in, a choice of a list, choices as cards or words in a row."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QRectF, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import (
    QFontMetrics,
    QHelpEvent,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QButtonGroup,
    QComboBox,
    QLineEdit,
    QSizePolicy,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
    QToolTip,
    QWidget,
)

from ui.controls.labels import plain_tip
from ui.controls.timers import once
from ui.controls.wrapping import wrapped
from ui.theme import current_tokens
from ui.theme.fonts import MEDIUM, SEMIBOLD, ui_font
from ui.theme.icons import icon_pixmap
from ui.theme.style import rounded

FIELD_HEIGHT = 28
CARD_HEIGHT, CARD_SIDES, LEAST_CARD = 52, 46 + 16, 200
ROUNDED = 2  # px by which a font measures less than it draws
CARD_LINE, CARD_LINES = 16, 3  # px of a line of its detail, and how many it has at most
FIGURES = "0123456789"
ROWS = 20  # of an open list
MORE = "  "  # in an item of a brief choice: what is behind it, only the open list says


class Field(QLineEdit):
    """One line of text; Return is told by `returnPressed`."""

    def __init__(
        self, name: str, *, placeholder: str = "", icon: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._icon = icon
        self.setAccessibleName(name)
        self.setPlaceholderText(placeholder)
        self.setFont(ui_font(12.5))
        self.setFixedHeight(FIELD_HEIGHT)
        self.setTextMargins(26 if icon else 6, 0, 6, 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._icon:
            t = current_tokens()
            pixmap = icon_pixmap(self._icon, t.t3, 14, self.devicePixelRatioF())
            QPainter(self).drawPixmap(11, (self.height() - 14) // 2, pixmap)


class FindField(Field):
    """A field that says what to find; Escape empties it."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, placeholder=name, icon="search", parent=parent)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        else:
            super().keyPressEvent(event)


class Choice(QComboBox):
    """One of a list. is_brief: of an item, what is behind MORE is said by the open list only."""

    def __init__(self, name: str, parent: QWidget | None = None, *, is_brief: bool = False) -> None:
        super().__init__(parent)
        self._is_brief = is_brief
        self._widest: int | None = None  # pixels of its longest word; None: to be measured
        self._filling: Callable[[], None] | None = None  # waits for the open list to be closed
        self._fill_later = once(self, 0, self._fill_now)
        self.setAccessibleName(name)
        self.setFont(ui_font(12.5, MEDIUM))
        self.setFixedHeight(FIELD_HEIGHT)
        policy = QComboBox.SizeAdjustPolicy
        if is_brief:  # the style need not measure each item beside us
            self.setMinimumContentsLength(4)
            self.setSizeAdjustPolicy(policy.AdjustToMinimumContentsLengthWithIcon)
        else:
            self.setSizeAdjustPolicy(policy.AdjustToContents)
        self.setMaxVisibleItems(ROWS)
        self.view().setTextElideMode(Qt.TextElideMode.ElideRight)
        model = self.model()
        for changed in (model.rowsInserted, model.rowsRemoved, model.dataChanged, model.modelReset):
            changed.connect(self._measure_anew)

    def _measure_anew(self, *_what: object) -> None:
        self._widest = None
        if self._is_brief:  # of others the style itself asks for the room that they need now
            self.updateGeometry()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._widest = None
        super().changeEvent(event)

    def sizeHint(self) -> QSize:
        """As wide as its longest word needs: the style's own hint leaves its edges out."""
        hint = super().sizeHint()
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        option.rect.setSize(hint)
        part = QStyle.SubControl.SC_ComboBoxEditField
        whole = QStyle.ComplexControl.CC_ComboBox
        room = self.style().subControlRect(whole, option, part, self).width() - 2
        if self._widest is None:
            # Thousands of versions differ in their figures only: each as wide as the widest.
            width_of = self.fontMetrics().horizontalAdvance
            figures = str.maketrans(dict.fromkeys(FIGURES, max(FIGURES, key=width_of)))
            words = "\n".join(map(self.itemText, range(self.count()))).translate(figures)
            self._widest = max(width_of(self._brief(word)) for word in set(words.split("\n")))
        width = hint.width() + self._widest - room + ROUNDED
        return QSize(width if self._is_brief else max(width, hint.width()), hint.height())

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint() if self._is_brief else super().minimumSizeHint()

    def _brief(self, text: str) -> str:
        """What stands in the field for an item while the list is closed."""
        return text.partition(MORE)[0] if self._is_brief else text

    def fill(self, filling: Callable[[], None]) -> None:
        """Have what is offered changed by `filling`, without signals: at once, or when the list
        that is open is closed. Rows that move under whoever looks through them are chosen in error.
        """
        self._filling = filling
        if not self.view().isVisible():
            self._fill_now()

    def _fill_now(self) -> None:
        filling, self._filling = self._filling, None
        if filling is not None:
            with QSignalBlocker(self):
                filling()

    def showPopup(self) -> None:
        """Open a list that is wide enough to say all of each item."""
        room = self.screen().availableGeometry().width() // 2
        needed = min(self.view().sizeHintForColumn(0) + 24, room)
        self.view().setMinimumWidth(max(self.width(), needed))
        super().showPopup()

    def hidePopup(self) -> None:
        super().hidePopup()
        self._fill_later.start()  # what is chosen by closing it is chosen first

    def _cut(self, option: QStyleOptionComboBox) -> str:
        """As much of the word as there is room for; the style draws on over its edge."""
        part = QStyle.SubControl.SC_ComboBoxEditField
        room = (
            self.style()
            .subControlRect(QStyle.ComplexControl.CC_ComboBox, option, part, self)
            .width()
        )
        text = self._brief(self.currentText())
        return self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, room - 2)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QStylePainter(self)
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        option.currentText = self._cut(option)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and not self.toolTip():
            option = QStyleOptionComboBox()
            self.initStyleOption(option)
            is_cut = self._cut(option) != self.currentText()  # brief is cut, too
            text = plain_tip(self.currentText()) if is_cut else ""
            QToolTip.showText(event.globalPos(), text, self)
            return True
        return super().event(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """A wheel over a closed list scrolls the page and changes nothing."""
        event.ignore()


class ChoiceCard(QAbstractButton):
    """A radio with a title, what it means, and one fact at the right."""

    def __init__(
        self, title: str, detail: str, fact: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._detail = detail
        self._fact = fact
        self.setText(title)
        self.setCheckable(True)
        self.setAutoExclusive(True)
        self.setAccessibleName(title)
        self.setAccessibleDescription(detail)
        self.setToolTip(plain_tip(detail))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_detail(self, detail: str, fact: str = "") -> None:
        self._detail, self._fact = detail, fact
        self.setAccessibleDescription(detail)
        self.setToolTip(plain_tip(detail))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """As high as the detail needs in the width that the card has."""
        lines = max(1, len(self._lines(max(LEAST_CARD, self.width()))))
        return QSize(320, CARD_HEIGHT + CARD_LINE * (lines - 1))

    def minimumSizeHint(self) -> QSize:
        return QSize(LEAST_CARD, self.sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.height() != self.sizeHint().height():
            self.updateGeometry()

    def _fact_width(self, width: int) -> int:
        """Px that the fact takes at the right, 0 where the words need them more."""
        if not self._fact:
            return 0
        needed = QFontMetrics(ui_font(12)).horizontalAdvance(self._fact) + 16
        return needed if needed <= (width - CARD_SIDES) / 2 else 0

    def _lines(self, width: int) -> list[str]:
        """The detail as it stands in a card of that width."""
        return wrapped(self._detail, QFontMetrics(ui_font(12)), width - CARD_SIDES, CARD_LINES)

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current_tokens()
        painter = QPainter(self)
        is_on = self.isChecked()
        fill = t.accent_soft if is_on else t.hover if self.underMouse() else t.raised
        edge = t.ring if is_on else t.line2
        rounded(painter, self.rect(), 8, fill, edge, 1.6 if is_on else 1.0)
        middle = self.height() / 2
        dot = QRectF(16, middle - 8, 16, 16)
        if is_on:
            rounded(painter, dot, 8, t.accent)
            rounded(painter, dot.adjusted(5, 5, -5, -5), 3, t.accent_ink)
        else:
            rounded(painter, dot, 8, t.well, t.ctl, 1.35)
        left, top = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignVCenter
        width = self.width() - CARD_SIDES
        painter.setFont(ui_font(12))
        painter.setPen(t.t2)
        fact_width = self._fact_width(self.width())
        room, cut = int(width - fact_width), Qt.TextElideMode.ElideRight
        if fact_width:
            # Beside the title: beside a long detail it has no room, and all of a list stand alike.
            area = QRectF(46, 7, width, 20)
            painter.drawText(area, Qt.AlignmentFlag.AlignRight | top, self._fact)
        for place, line in enumerate(self._lines(self.width())):
            area = QRectF(46, 26 + CARD_LINE * place, width, 18)
            painter.drawText(area, left | top, line)
        painter.setPen(t.t1 if self.isEnabled() else t.t3)
        painter.setFont(ui_font(13, SEMIBOLD))
        title = painter.fontMetrics().elidedText(self.text(), cut, room)
        painter.drawText(QRectF(46, 7, width, 20), left | top, title)


class Segments(QWidget):
    """Two to four words of which one is on, side by side on a well.

    Signals:
        chosen: the key of the word that is on now, by the user.
    """

    chosen = Signal(str)

    def __init__(self, name: str, choices: dict[str, str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        from PySide6.QtWidgets import QHBoxLayout

        self.setAccessibleName(name)
        row = QHBoxLayout(self)
        row.setContentsMargins(2, 2, 2, 2)
        row.setSpacing(0)
        self._buttons: dict[str, _Segment] = {}
        # Without a group of their own they and cards around them would turn each other off.
        self._group = QButtonGroup(self)
        for key, word in choices.items():
            button = _Segment(key, word, name)
            button.clicked.connect(self._on_clicked)
            self._group.addButton(button)
            row.addWidget(button)
            self._buttons[key] = button
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def choose(self, key: str) -> None:
        """Turn one on without telling `chosen`."""
        if key in self._buttons:
            self._buttons[key].setChecked(True)

    def choose_none(self) -> None:
        """Turn all off: what is shown is none of them."""
        self._group.setExclusive(False)
        for button in self._buttons.values():
            button.setChecked(False)
        self._group.setExclusive(True)

    @property
    def shown(self) -> str:
        """The key of the word that is on, "" for none."""
        return next((key for key, button in self._buttons.items() if button.isChecked()), "")

    def set_word(self, key: str, word: str) -> None:
        """Say one of them otherwise, with a count, say."""
        button = self._buttons[key]
        if button.text() != word:
            button.setText(word)
            button.setAccessibleName(f"{self.accessibleName()}: {word}")
            button.updateGeometry()

    def _on_clicked(self) -> None:
        for key, button in self._buttons.items():
            if button.isChecked():
                self.chosen.emit(key)

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current_tokens()
        rounded(QPainter(self), self.rect(), 7, t.well, t.line)


class _Segment(QAbstractButton):
    def __init__(self, key: str, word: str, group: str) -> None:
        super().__init__()
        self.key = key
        self.setText(word)
        self.setAccessibleName(f"{group}: {word}")
        self.setCheckable(True)
        self.setFont(ui_font(12, MEDIUM))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def sizeHint(self) -> QSize:
        return QSize(self.fontMetrics().horizontalAdvance(self.text()) + 24, 22)

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current_tokens()
        painter = QPainter(self)
        if self.isChecked():
            rounded(painter, self.rect(), 5, t.raised, t.line2)
        painter.setFont(self.font())
        painter.setPen(t.t1 if self.isChecked() or self.underMouse() else t.t2)
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.text())
