"""How an operation's row is drawn."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app.core.model_use import CAPPED
from app.core.operations import Operation, OperationStatus
from app.core.translation import tr
from ui.controls.wrapping import wrapped
from ui.theme import current_tokens
from ui.theme.fonts import MEDIUM, SEMIBOLD, ui_font
from ui.theme.icons import icon_pixmap
from ui.work.model import DETAIL_ROLE, OPERATION_ROLE, Column, Index

ROW_HEIGHT = 44
ICONS = {
    OperationStatus.PENDING: "hourglass",
    OperationStatus.RUNNING: "pulse",
    OperationStatus.WAITING: "clock",
    OperationStatus.DONE: "check",
    OperationStatus.FAILED: "triangle",
    OperationStatus.CANCELLED: "barred",
    OperationStatus.OUTDATED: "barred",
}


def icon_of(operation: Operation) -> str:
    """Name of the icon that says where an operation stands."""
    if operation.pauses_before:
        return "pause"
    if operation.held == tr(CAPPED):
        return "clock"
    if operation.status is OperationStatus.PENDING and operation.held:
        return "link"
    return ICONS[operation.status]


def status_tone(operation: Operation) -> QColor:
    """Colour of that icon."""
    t = current_tokens()
    if operation.pauses_before:
        return t.accent_text
    match operation.status:
        case OperationStatus.RUNNING:
            return t.accent_text
        case OperationStatus.DONE:
            return t.included.text
        case OperationStatus.FAILED:
            return t.failed.text
        case OperationStatus.CANCELLED | OperationStatus.OUTDATED:
            return t.excluded.text
        case _:
            return t.t3


class OperationDelegate(QStyledItemDelegate):
    """Icon, label and kind; then state, tokens and time."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(120, ROW_HEIGHT)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        t = current_tokens()
        operation: Operation = index.data(OPERATION_ROLE)
        area = QRectF(option.rect)
        state = option.state
        is_selected = bool(state & QStyle.StateFlag.State_Selected)
        painter.save()
        if is_selected:
            painter.fillRect(area, t.accent_soft)
            if index.column() == 0:
                is_active = bool(state & QStyle.StateFlag.State_Active)
                lamp = t.ring if is_active else t.t3
                painter.fillRect(QRectF(area.x(), area.y(), 3, area.height()), lamp)
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(area, t.hover)
        painter.fillRect(QRectF(area.x(), area.bottom() - 1, area.width(), 1), t.line)
        if index.column() == Column.WORK:
            self._paint_work(painter, area, operation, index)
        else:
            self._paint_fact(painter, area, operation, index)
        painter.restore()

    def _paint_work(
        self, painter: QPainter, area: QRectF, operation: Operation, index: Index
    ) -> None:
        t, label = current_tokens(), str(index.data())
        ratio = painter.device().devicePixelRatioF()
        icon = icon_pixmap(icon_of(operation), status_tone(operation), 15, ratio)
        painter.drawPixmap(int(area.x()) + 16, int(area.y()) + 14, icon)
        words = area.adjusted(44, 5, -8, -22)
        left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        painter.setFont(ui_font(12.5, SEMIBOLD))
        painter.setPen(t.t1)
        elide = Qt.TextElideMode.ElideRight
        painter.drawText(
            words, left, painter.fontMetrics().elidedText(label, elide, int(words.width()))
        )
        painter.setFont(ui_font(11))
        painter.setPen(t.t3)
        detail = painter.fontMetrics().elidedText(
            str(index.data(DETAIL_ROLE)), elide, int(words.width())
        )
        painter.drawText(area.adjusted(44, 22, -8, -4), left, detail)

    def _paint_fact(
        self, painter: QPainter, area: QRectF, operation: Operation, index: Index
    ) -> None:
        t = current_tokens()
        is_number = index.column() in (Column.TOKENS, Column.TIME)
        side = Qt.AlignmentFlag.AlignRight if is_number else Qt.AlignmentFlag.AlignLeft
        is_failure = index.column() == Column.STATE and operation.status is OperationStatus.FAILED
        painter.setFont(ui_font(12, MEDIUM if is_number else ui_font(12).weight()))
        painter.setPen(t.failed.text if is_failure else t.t2)
        words = area.adjusted(8, 0, -16 if is_number else -8, 0)
        said, width = str(index.data()), int(words.width())
        lines = wrapped(said, painter.fontMetrics(), width, 1 if is_number else 2)
        if not is_number and lines != wrapped(said, painter.fontMetrics(), width, 3):
            painter.setFont(ui_font(10.5))  # three lines of it stand in the row
            lines = wrapped(said, painter.fontMetrics(), width, 3)
        painter.drawText(words, side | Qt.AlignmentFlag.AlignVCenter, "\n".join(lines))
