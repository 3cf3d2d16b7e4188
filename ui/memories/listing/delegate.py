"""How a row of the table is drawn: a memory, one that ended, or the head of a group."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QTableView, QWidget

from app.core.translation import number, tr, trn
from app.memory.documents.browsing import Row, sentence_in
from app.memory.lifecycle.decay import is_judged
from app.memory.records import Tier
from app.memory.standing import BEFORE, Standing, Status
from app.memory.tiers.table import TIERS
from ui.controls.fields import Field
from ui.memories.listing.model import ROW_ROLE, Column, MemoryModel
from ui.memories.words import (
    STATUS_ICONS,
    WITHOUT_MODEL,
    head_words,
    is_without_model,
    kind_words,
    percent,
    plain_kind,
    source_words,
    standing_words,
)
from ui.theme import Tokens, current_tokens
from ui.theme.fonts import MEDIUM, SEMIBOLD, ui_font
from ui.theme.icons import icon_pixmap
from ui.theme.style import rounded

Index = QModelIndex | QPersistentModelIndex

MEMORY_HEIGHT = 45
NARROW_HEIGHT = 31  # heads of groups, and what was replaced
INDENT = 43
DOT = 7.0
LONGEST_EDIT = 2_000

_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


def tier_hue(t: Tokens, tier: Tier) -> QColor:
    """The colour that names a tier, wherever it appears."""
    return t.slot_hues[TIERS[tier].hue]


def status_tone(t: Tokens, standing: Standing) -> QColor:
    """Colour of the icon and the words that say how a memory stands."""
    match standing.status:
        case Status.ACTIVE:
            return t.included.text
        case Status.STALE:
            return t.stale.text
        case Status.WITHDRAWN | Status.REJECTED:
            return t.excluded.text
        case Status.WAITING:
            return t.t2
        case _:
            return t.t3


class MemoryDelegate(QStyledItemDelegate):
    """Paints every cell; the text of a memory may be edited in its place."""

    def __init__(self, view: QTableView, model: MemoryModel) -> None:
        super().__init__(view)
        self._view = view
        self._model = model
        self.by_key = False  # a ring is drawn after a key press only

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(80, MEMORY_HEIGHT)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        t = current_tokens()
        row: Row = index.data(ROW_ROLE)
        area = QRectF(option.rect)
        painter.save()
        painter.setClipRect(area)
        if row.standing is None:
            self._paint_head(painter, area, row, t, has_focus=self._has_focus(index))
        else:
            self._paint_ground(painter, option, index, t)
            self._paint_cell(painter, area, row, row.standing, Column(index.column()), t)
        painter.restore()

    def _has_focus(self, index: Index) -> bool:
        is_there = index.row() == self._view.currentIndex().row()
        return self.by_key and is_there and self._view.hasFocus()

    def _paint_head(
        self, painter: QPainter, area: QRectF, row: Row, t: Tokens, *, has_focus: bool
    ) -> None:
        painter.fillRect(area, t.well)
        painter.fillRect(QRectF(area.x(), area.bottom() - 1, area.width(), 1), t.line)
        dpr = painter.device().devicePixelRatioF()
        chevron = "chevron-right" if row.is_folded else "chevron-down"
        top = round(area.center().y() - 7)
        painter.drawPixmap(round(area.x()) + 16, top, icon_pixmap(chevron, t.t2, 14, dpr))
        if row.tier is not None:
            swatch = QRectF(area.x() + INDENT - 4, area.center().y() - 5, 10, 10)
            rounded(painter, swatch, 3, tier_hue(t, row.tier))
        x = _write(
            painter, area, area.x() + INDENT + 16, head_words(row), ui_font(12.5, SEMIBOLD), t.t1
        )
        _write(painter, area, x + 10, number(row.count), ui_font(12, MEDIUM), t.t3)
        if has_focus:
            rounded(painter, area.adjusted(2, 1, -2, -2), 6, None, t.ring, t.ring_width)

    def _paint_ground(
        self, painter: QPainter, option: QStyleOptionViewItem, index: Index, t: Tokens
    ) -> None:
        area, state = QRectF(option.rect), option.state
        is_first = index.column() == Column.MEMORY
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(area, t.accent_soft)
            if is_first:
                lamp = t.ring if self._view.hasFocus() else t.t3
                painter.fillRect(QRectF(area.x(), area.y(), 3, area.height()), lamp)
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(area, t.hover)
        left = INDENT if is_first else 0
        line = QRectF(area.x() + left, area.bottom() - 1, area.width() - left, 1)
        painter.fillRect(line, t.line)
        if self._has_focus(index):
            self._paint_ring(painter, area, index, t)

    def _paint_ring(self, painter: QPainter, area: QRectF, index: Index, t: Tokens) -> None:
        """A ring around the whole row, of which each cell draws its part."""
        first = self._view.visualRect(self._model.index(index.row(), 0))
        last = self._view.visualRect(self._model.index(index.row(), len(Column) - 1))
        whole = QRectF(first.united(last)).adjusted(2, 1, -2, -2)
        rounded(painter, whole, 6, None, t.ring, t.ring_width)

    def _paint_cell(
        self,
        painter: QPainter,
        area: QRectF,
        row: Row,
        standing: Standing,
        column: Column,
        t: Tokens,
    ) -> None:
        is_over = standing.status in (Status.ENDED, Status.WITHDRAWN, Status.REJECTED)
        ink = t.t3 if is_over else t.t1
        match column:
            case Column.MEMORY:
                self._paint_memory(painter, area, row, standing, t)
            case Column.IMPORTANCE:
                _paint_dots(painter, area, standing.memory.importance, ink)
            case Column.CONFIDENCE if is_judged(standing.memory):
                _paint_confidence(painter, area, percent(standing.memory), ink, t)
            case Column.VALID:
                self._paint_validity(painter, area, standing, t)
            case Column.SOURCES:
                painter.setFont(ui_font(12, SEMIBOLD if not is_over else MEDIUM))
                painter.setPen(t.t3 if is_over else t.long_term.text)
                words = source_words(standing, self._model.ground)
                _draw(painter, area.adjusted(4, 0, -4, 0), words)
            case Column.USED:
                painter.setFont(ui_font(12, MEDIUM))
                painter.setPen(t.t3 if is_over else t.t2)
                count = standing.memory.recalls
                words = f"{number(count)}×" if count else ""
                painter.drawText(area.adjusted(0, 0, -16, 0), _RIGHT, words)

    def _paint_memory(
        self, painter: QPainter, area: QRectF, row: Row, standing: Standing, t: Tokens
    ) -> None:
        is_narrow = area.height() < MEMORY_HEIGHT
        if row.is_under:
            self._paint_elbow(painter, area, row, t)
        else:
            self._paint_icon(painter, area, standing, t)
            if row.count:
                x = area.x() + 24
                painter.fillRect(QRectF(x, area.y() + 32, 1, area.height() - 32), t.ctl)
        is_ended = standing.status in (Status.ENDED, Status.WITHDRAWN, Status.REJECTED)
        font = ui_font(12 if is_narrow else 12.5, MEDIUM if is_ended else SEMIBOLD)
        font.setStrikeOut(is_ended and not standing.is_set_aside)  # it may well be true
        line = area.adjusted(INDENT, 0, -8, 0)
        if not is_narrow:
            line = area.adjusted(INDENT, 4, -8, -21)
        painter.setFont(font)
        painter.setPen(t.t3 if is_ended else t.t1)
        _draw(painter, line, sentence_in(row, standing.memory))
        if not is_narrow:
            self._paint_facts(painter, area.adjusted(INDENT, 22, -8, -5), row, standing, t)

    def _paint_icon(self, painter: QPainter, area: QRectF, standing: Standing, t: Tokens) -> None:
        dpr = painter.device().devicePixelRatioF()
        name, tone = STATUS_ICONS[standing.status], status_tone(t, standing)
        if standing.is_active and standing.memory.is_pinned:
            name, tone = "bookmark", t.long_term.text
        top = round(area.y()) + 8
        painter.drawPixmap(round(area.x()) + 17, top, icon_pixmap(name, tone, 14, dpr))

    def _paint_elbow(self, painter: QPainter, area: QRectF, row: Row, t: Tokens) -> None:
        """The line from what was replaced to its heir."""
        painter.setPen(QPen(t.ctl, 1))
        x, middle = area.x() + 24.5, area.center().y()
        end = middle if row.is_last else area.bottom() + 1
        painter.drawLine(round(x), round(area.y()), round(x), round(end))
        painter.drawLine(round(x), round(middle), round(x + 12), round(middle))

    def _paint_facts(
        self, painter: QPainter, area: QRectF, row: Row, standing: Standing, t: Tokens
    ) -> None:
        """Type, how it stands, what it replaced, who found it: one after the other."""
        x = area.x()
        font = ui_font(11, MEDIUM)
        kind = kind_words(standing.memory)
        if not kind and standing.is_active:
            kind = plain_kind(standing.memory.tier)
        if kind:
            x = _write(painter, area, x, kind, font, t.t3) + 10
        said = standing_words(standing)
        if said:
            x = _write(painter, area, x, said, ui_font(11, SEMIBOLD), status_tone(t, standing)) + 10
        if row.count:
            dpr = painter.device().devicePixelRatioF()
            icon = icon_pixmap("undo", t.t3, 12, dpr)
            painter.drawPixmap(round(x), round(area.center().y() - 6), icon)
            words = trn("replaces {n} older", "replaces {n} older", row.count)
            x = _write(painter, area, x + 16, words, font, t.t3) + 10
        if standing.memory.is_pinned:
            x = _write(painter, area, x, tr("pinned"), font, t.long_term.text) + 10
        if is_without_model(standing.memory):
            _write(painter, area, x, tr(WITHOUT_MODEL), font, t.t3)

    def _paint_validity(
        self, painter: QPainter, area: QRectF, standing: Standing, t: Tokens
    ) -> None:
        """A segment of the story's axis; the playhead is where one looks."""
        track = QRectF(area.x() + 4, area.center().y() - 1.5, area.width() - 22, 3)
        rounded(painter, track, 1.5, t.line)
        last = max(1, self._model.ground.last)
        if standing.status is not Status.WAITING:
            end = last if standing.end is None else max(standing.start, standing.end)
            left = track.x() + track.width() * max(standing.start, 0) / last
            right = track.x() + track.width() * min(max(end, 0), last) / last
            left = min(left, track.right() - 5)
            bar = QRectF(left, track.center().y() - 3.5, max(5.0, right - left), 7)
            is_over = standing.status is not Status.ACTIVE
            fill = t.ctl if is_over else tier_hue(t, standing.memory.tier)
            rounded(painter, bar, 2, fill)
        if self._model.at > BEFORE:
            x = track.x() + track.width() * min(self._model.at, last) / last
            painter.fillRect(QRectF(x - 0.5, track.center().y() - 6, 1.5, 12), t.t3)

    # Editing in the row

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        editor = Field(tr("Text of this memory"), parent=parent)
        editor.setMaxLength(LONGEST_EDIT)
        return editor

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        assert isinstance(editor, Field)
        editor.setText(str(index.data(Qt.ItemDataRole.EditRole)))
        editor.selectAll()

    def setModelData(self, editor: QWidget, model: object, index: Index) -> None:
        assert isinstance(editor, Field)
        self._model.setData(index, editor.text())

    def updateEditorGeometry(
        self, editor: QWidget, option: QStyleOptionViewItem, index: Index
    ) -> None:
        area = option.rect
        height = editor.height()
        top = area.y() + (area.height() - height) // 2
        editor.setGeometry(area.x() + INDENT - 8, top, area.width() - INDENT, height)


class PlainDelegate(QStyledItemDelegate):
    """Rows of plain words: the first column stands out. numbers: columns that are flush right."""

    def __init__(self, view: QTableView, *, numbers: Collection[int]) -> None:
        super().__init__(view)
        self._view = view
        self._numbers = frozenset(numbers)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        t = current_tokens()
        area, state, column = QRectF(option.rect), option.state, index.column()
        painter.save()
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(area, t.accent_soft)
            if column == 0:
                lamp = t.ring if self._view.hasFocus() else t.t3
                painter.fillRect(QRectF(area.x(), area.y(), 3, area.height()), lamp)
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(area, t.hover)
        painter.fillRect(QRectF(area.x(), area.bottom() - 1, area.width(), 1), t.line)
        painter.setFont(ui_font(12.5, SEMIBOLD) if column == 0 else ui_font(12, MEDIUM))
        painter.setPen(t.t1 if column == 0 else t.t2)
        words = str(index.data())
        if column in self._numbers:
            painter.drawText(area.adjusted(0, 0, -16, 0), _RIGHT, words)
        else:
            _draw(painter, area.adjusted(16 if column == 0 else 4, 0, -8, 0), words)
        painter.restore()


def _paint_dots(painter: QPainter, area: QRectF, importance: int, ink: QColor) -> None:
    for place in range(3):
        dot = QRectF(area.x() + 4 + place * (DOT + 4), area.center().y() - DOT / 2, DOT, DOT)
        if place < importance:
            rounded(painter, dot, DOT / 2, ink)
        else:
            rounded(painter, dot, DOT / 2, None, ink, 1.1)


def _paint_confidence(painter: QPainter, area: QRectF, value: int, ink: QColor, t: Tokens) -> None:
    painter.setFont(ui_font(12, SEMIBOLD))
    painter.setPen(ink)
    painter.drawText(QRectF(area.x(), area.y(), 26, area.height()), _RIGHT, str(value))
    bar = QRectF(area.x() + 32, area.center().y() - 2, 26, 4)
    rounded(painter, bar, 2, t.line)
    bar.setWidth(max(4.0, 26 * value / 100))
    rounded(painter, bar, 2, t.t3 if ink == t.t3 else t.t2)


def _draw(painter: QPainter, area: QRectF, text: str) -> None:
    metrics = painter.fontMetrics()
    text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, max(0, int(area.width())))
    painter.drawText(area, _LEFT, text)


def _write(painter: QPainter, area: QRectF, x: float, text: str, font: QFont, ink: QColor) -> float:
    """Words from x on, cut where the area ends; gives where they end."""
    painter.setFont(font)
    painter.setPen(ink)
    room = QRectF(x, area.y(), max(0.0, area.right() - x), area.height())
    _draw(painter, room, text)
    return min(area.right(), x + QFontMetricsF(font).horizontalAdvance(text))
