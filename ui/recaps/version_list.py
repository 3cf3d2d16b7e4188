"""The list of versions: 52 px a row, and chips that put a version left or right."""

from __future__ import annotations

import time

from PySide6.QtCore import QEvent, QModelIndex, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFont,
    QFontMetrics,
    QKeyEvent,
    QMouseEvent,
    QPainter,
)
from PySide6.QtWidgets import (
    QFrame,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolTip,
    QWidget,
)

from app.core.translation import N_, number, tr
from ui.controls.dates import time_words
from ui.controls.page_commands import is_letter_of_page
from ui.recaps.version_rows import (
    CURRENT,
    DELETED,
    LEFT,
    RIGHT,
    ROW_ROLE,
    SIDE_ROLE,
    TOKENS_ROLE,
    Index,
    VersionModel,
    VersionRow,
    over_words,
)
from ui.theme import Tokens, current_tokens
from ui.theme.fonts import MEDIUM, SEMIBOLD, story_font, ui_font
from ui.theme.icons import icon_pixmap
from ui.theme.style import rounded

WIDTH = 212
ROW_HEIGHT = 52
QUOTE_HEIGHT = 18
HEADING_HEIGHT = 34
CHIP = 18
LOCK = 12
BAR = 16
SIDES = {
    Qt.Key.Key_L: LEFT,
    Qt.Key.Key_R: RIGHT,
}

TIPS = (
    N_("Put this version on the left to compare. (L)"),
    N_("Put this version on the right. (R)"),
)  # left, right


class VersionList(QListView):
    """The row with the keyboard is read; L and R compare it, Delete puts it away.

    Signals:
        side_asked: (LEFT or RIGHT, number of the version that goes there).
        delete_asked: number of the version.
    """

    side_asked = Signal(str, int)
    delete_asked = Signal(int)

    def __init__(
        self, model: VersionModel, parent: QWidget | None = None, *, tips: tuple[str, str] = TIPS
    ) -> None:
        super().__init__(parent)
        self.versions = model
        self._tips = tips
        self._delegate = _VersionDelegate(self)
        self.setModel(model)
        self.setItemDelegate(self._delegate)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(tr("Versions"))
        self.setAutoFillBackground(False)
        self.viewport().setAutoFillBackground(False)
        self.setMouseTracking(True)

    def version_at(self, index: QModelIndex) -> VersionRow | None:
        """The version of a row, None for a heading and outside."""
        row = index.data(ROW_ROLE) if index.isValid() else None
        return row if isinstance(row, VersionRow) else None

    def chip(self, index: QModelIndex, side: str) -> QRect:
        """Where a row's chip for a side lies, in px of the viewport."""
        return chip_area(self.visualRect(index), side)

    def keyboardSearch(self, search: str) -> None:
        if not is_letter_of_page(self, search):
            super().keyboardSearch(search)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        row = self.version_at(self.currentIndex())
        self._delegate.by_key = True
        if row is not None and event.modifiers() == Qt.KeyboardModifier.NoModifier:
            side = SIDES.get(Qt.Key(event.key()))
            if side is not None:
                self.side_asked.emit(side, row.number)
                return
            if event.key() == Qt.Key.Key_Delete:
                self.delete_asked.emit(row.number)
                return
        super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._delegate.by_key = False
        at = event.position().toPoint()
        row = self.version_at(self.indexAt(at))
        side = self._chip_at(at)
        if side and row is not None:
            self.side_asked.emit(side, row.number)
            return
        super().mousePressEvent(event)

    def _chip_at(self, at: QPoint) -> str:
        index = self.indexAt(at)
        if self.version_at(index) is None:
            return ""
        return next((side for side in (LEFT, RIGHT) if self.chip(index, side).contains(at)), "")

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        self.viewport().update()

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip:
            at = self.viewport().mapFromGlobal(self.cursor().pos())
            side = self._chip_at(at)
            row = self.version_at(self.indexAt(at))
            words = {
                LEFT: tr(self._tips[0]),
                RIGHT: tr(self._tips[1]),
            }
            over = self.versions.over(row.number) if row is not None else 0
            told = row.told if row is not None else ""
            told = told or (over_words(over) if over else "")
            QToolTip.showText(
                self.cursor().pos(), words.get(side, told[:1].upper() + told[1:]), self
            )
            return True
        return super().viewportEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        tabs = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason)
        self._delegate.by_key = event.reason() in tabs
        super().focusInEvent(event)


def chip_area(row: QRect, side: str) -> QRect:
    """Left and right chip at the end of a row's first line."""
    right = row.right() - 8 - (CHIP + 2 if side == LEFT else 0)
    return QRect(right - CHIP + 1, row.top() + 7, CHIP, CHIP)


class _VersionDelegate(QStyledItemDelegate):
    def __init__(self, view: VersionList) -> None:
        super().__init__(view)
        self._view = view
        self.by_key = False

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        row = index.data(ROW_ROLE)
        if row is None:
            return QSize(WIDTH, HEADING_HEIGHT)
        return QSize(WIDTH, ROW_HEIGHT + (QUOTE_HEIGHT if row.quote else 0))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        t = current_tokens()
        row = index.data(ROW_ROLE)
        painter.save()
        if isinstance(row, VersionRow):
            self._paint_row(painter, option, index, row, t)
        else:
            painter.setFont(ui_font(12, MEDIUM))
            painter.setPen(t.t2)
            area = QRectF(option.rect).adjusted(8, 6, -8, 0)
            painter.drawText(area, _LEFT, tr(DELETED))
        painter.restore()

    def _paint_row(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: Index,
        row: VersionRow,
        t: Tokens,
    ) -> None:
        area = QRectF(option.rect).adjusted(0, 2, 0, -2)
        side = str(index.data(SIDE_ROLE))
        is_selected = bool(option.state & QStyle.StateFlag.State_Selected)
        is_over = bool(option.state & QStyle.StateFlag.State_MouseOver)
        has_focus = self._view.hasFocus()
        if self._view.versions.is_comparing and not side and not has_focus:
            is_selected = False  # the two that are compared stand out
        if side or is_selected:
            rounded(painter, area, 8, t.raised)
            rounded(painter, QRectF(area.x(), area.y() + 9, 3, 30), 1.5, _lamp(t, side, has_focus))
        elif is_over:
            rounded(painter, area, 8, t.hover)
        if is_selected and has_focus and self.by_key:
            rounded(painter, area, 8, None, t.ring, t.ring_width)
        offers = is_over or (is_selected and has_focus and self.by_key)
        room = 2 * CHIP + 12 if offers else CHIP + 8 if side else 10
        lines = QRectF(area)
        lines.setHeight(ROW_HEIGHT - 4)
        self._paint_first_line(painter, lines, row, t, room=room)
        self._paint_second_line(painter, lines, row, t, index.data(TOKENS_ROLE))
        if row.quote:
            line = QRectF(area.x() + 12, lines.bottom() - 4, area.width() - 20, QUOTE_HEIGHT)
            _draw(painter, line, row.quote, story_font(12), t.t2)
        if offers:
            self._paint_chips(painter, option.rect, side, t)
        elif side:
            self._paint_chip(painter, chip_area(option.rect, RIGHT), side, t, is_on=True)

    def _paint_first_line(
        self, painter: QPainter, area: QRectF, row: VersionRow, t: Tokens, *, room: int
    ) -> None:
        line = area.adjusted(12, 5, -room, -24)
        x = _draw(painter, line, row.word, ui_font(13, SEMIBOLD), t.t3 if row.is_deleted else t.t1)
        line.setLeft(x + 9)
        when = time_words(row.created, now=time.time()) if row.created else ""
        x = _draw(painter, line, when, ui_font(12, MEDIUM), t.t3)
        line.setLeft(x + 7)
        if row.is_current:
            self._paint_current(painter, line, t)
        elif row.is_latest:
            _draw(painter, line, tr("latest"), ui_font(12, MEDIUM), t.accent_text)

    def _paint_current(self, painter: QPainter, line: QRectF, t: Tokens) -> None:
        font = ui_font(12, MEDIUM)
        if QFontMetrics(font).horizontalAdvance(tr(CURRENT)) <= line.width():
            _draw(painter, line, tr(CURRENT), font, t.included.text)
        else:
            dpr = painter.device().devicePixelRatioF()
            pixmap = icon_pixmap("check", t.included.text, 13, dpr)
            painter.drawPixmap(round(line.left()), round(line.center().y() - 6), pixmap)

    def _paint_second_line(
        self, painter: QPainter, area: QRectF, row: VersionRow, t: Tokens, tokens: object
    ) -> None:
        line = area.adjusted(12, 24, -8, -5)
        if isinstance(tokens, int):
            painter.setFont(ui_font(12, SEMIBOLD))
            is_over = self._view.versions.over(row.number) > 0
            ink = t.out_of_budget.text if is_over else t.t1
            painter.setPen(t.t3 if row.is_deleted else ink)
            painter.drawText(line, _RIGHT, number(tokens))
            figure = painter.fontMetrics().horizontalAdvance(number(max(tokens, 100)))
            most = max(1, self._view.versions.most_tokens())
            bar = QRectF(line.right() - figure - 8 - BAR, line.center().y() - 2, BAR, 4)
            rounded(painter, bar, 2, t.line)
            bar.setWidth(max(4.0, BAR * tokens / most))
            rounded(painter, bar, 2, t.out_of_budget.fill if is_over else t.t3)
            line.setRight(line.right() - figure - 10 - BAR)
        if row.is_locked:
            lock = icon_pixmap("lock", t.t2, LOCK, painter.device().devicePixelRatioF())
            painter.drawPixmap(round(line.left()), round(line.center().y() - LOCK / 2), lock)
            line.setLeft(line.left() + LOCK + 5)
        has_room = QFontMetrics(ui_font(12)).horizontalAdvance(row.why) <= line.width()
        words = row.why if has_room or not row.brief else row.brief
        _draw(painter, line, words, ui_font(12), t.t3 if row.is_deleted else t.t2)

    def _paint_chips(self, painter: QPainter, rect: QRect, side: str, t: Tokens) -> None:
        for letter in (LEFT, RIGHT):
            self._paint_chip(painter, chip_area(rect, letter), letter, t, is_on=letter == side)

    def _paint_chip(
        self, painter: QPainter, area: QRect, letter: str, t: Tokens, *, is_on: bool
    ) -> None:
        tone = t.out_of_budget if letter == LEFT else t.included
        if not is_on:
            rounded(painter, area, 5, None, t.line2)
        painter.setFont(ui_font(11, SEMIBOLD))
        painter.setPen(tone.text if is_on else t.t3)
        painter.drawText(area, Qt.AlignmentFlag.AlignCenter, letter)


_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


def _lamp(t: Tokens, side: str, has_focus: bool) -> QColor:
    if side:
        return t.out_of_budget.fill if side == LEFT else t.included.fill
    return t.ring if has_focus else t.t3


def _draw(painter: QPainter, area: QRectF, text: str, font: QFont, ink: QColor) -> float:
    """One line, cut where room runs out; gives where it ends."""
    painter.setFont(font)
    painter.setPen(ink)
    metrics = painter.fontMetrics()
    text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, max(0, int(area.width())))
    painter.drawText(area, _LEFT, text)
    return area.left() + metrics.horizontalAdvance(text)
