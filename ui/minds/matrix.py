"""The map as a table: propositions in rows, people in columns, the same glyphs in the cells."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QPersistentModelIndex,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter, QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from app.core.translation import tr, trn
from app.memory.epistemic.map_view import EpistemicMapView, Person, Stance, Topic
from ui.controls.labels import plain_tip
from ui.minds.tones import paint_glyph, paint_person, paint_veil
from ui.minds.veil import Veil
from ui.minds.words import VEILED, counts_words, stance_words
from ui.theme import current_tokens
from ui.theme.fonts import MEDIUM, SEMIBOLD, ui_font
from ui.theme.icons import icon_pixmap
from ui.theme.style import BAR_EXTENT

Index = QModelIndex | QPersistentModelIndex
ROW = 44
HEAD = 62
COLUMN, COLUMN_WANTED = 84, 132
TITLE, TITLE_WIDEST = 300, 560
TITLE_NARROW = 220


class MatrixModel(QAbstractTableModel):
    """Rows are the propositions that somebody holds at the moment; columns are people."""

    def __init__(self, veil: Veil) -> None:
        super().__init__()
        self._veil = veil
        self._minds: EpistemicMapView | None = None
        self._shown: tuple[tuple[Person, ...], tuple[Topic, ...], tuple[Stance, ...]] | None = None
        self.people: tuple[Person, ...] = ()
        self.topics: tuple[Topic, ...] = ()
        self._cells: dict[tuple[int, str], list[Stance]] = {}
        self._counts: dict[int, str] = {}
        veil.changed.connect(self._on_veil)

    def show_stances(self, minds: EpistemicMapView, stances: Iterable[Stance]) -> None:
        """Who holds what at the moment that is looked at; what stands there already stays."""
        before, self._shown = self._shown, (minds.people, minds.topics, tuple(stances))
        if before == self._shown:
            self._minds = minds
            return
        self.beginResetModel()
        self._minds = minds
        self.people = minds.people
        cells: defaultdict[tuple[int, str], list[Stance]] = defaultdict(list)
        for stance in self._shown[2]:
            cells[stance.proposition, stance.person].append(stance)
        self._cells = dict(cells)
        of_proposition: defaultdict[int, list[Stance]] = defaultdict(list)
        for (number, _), own in cells.items():
            of_proposition[number] += own
        self._counts = {number: counts_words(own) for number, own in of_proposition.items()}
        numbers = sorted(of_proposition)
        self.topics = tuple(minds.topic(number) for number in numbers)
        self.endResetModel()

    def _on_veil(self) -> None:
        if self.topics:
            self.headerDataChanged.emit(Qt.Orientation.Vertical, 0, len(self.topics) - 1)

    def is_veiled(self, row: int) -> bool:
        return self._veil.hides(self.topics[row])

    def title(self, row: int) -> str:
        """A proposition as it may be read now."""
        return tr(VEILED) if self.is_veiled(row) else self.topics[row].title

    def stances(self, row: int, column: int) -> list[Stance]:
        """What a person has to do with a proposition."""
        return self._cells.get((self.topics[row].number, self.people[column].key), [])

    def counts(self, row: int) -> str:
        """How many hold how much of a proposition."""
        return self._counts[self.topics[row].number]

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.topics)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.people)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or self._minds is None:
            return None
        stances = self.stances(index.row(), index.column())
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{self.title(index.row())}: {self._said(index)}"
        if role == Qt.ItemDataRole.ToolTipRole and stances:
            return plain_tip(self._said(index))
        return None

    def _said(self, index: Index) -> str:
        assert self._minds is not None
        words = [stance_words(self._minds, s) for s in self.stances(index.row(), index.column())]
        return ", ".join(words) or tr(
            "nothing known of {name}", name=self.people[index.column()].name
        )

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        is_up = orientation is Qt.Orientation.Vertical
        if not 0 <= section < (len(self.topics) if is_up else len(self.people)):
            return None
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return self.title(section) if is_up else self.people[section].name
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(self.title(section) if is_up else self.people[section].name)
        return None


class MatrixTable(QTableView):
    """Signals:
    person_chosen: key. matter_chosen: number. left, opened: as of the map.
    """

    person_chosen = Signal(str)
    proposition_chosen = Signal(int)
    left = Signal()
    opened = Signal()

    def __init__(self, veil: Veil, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.matrix = MatrixModel(veil)
        self.person, self.proposition = "", -1
        self.is_short = False
        self.setModel(self.matrix)
        self.setAccessibleName(tr("Who knows what, as a table"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setHorizontalHeader(_PeopleHeader(self))
        self.setVerticalHeader(_TitleHeader(self))
        self.setItemDelegate(_Cell(self))
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setCornerButtonEnabled(False)
        self.setTabKeyNavigation(False)
        self.horizontalHeader().sectionClicked.connect(self._on_column)
        self.verticalHeader().sectionClicked.connect(self._on_row)
        self.clicked.connect(self._on_clicked)
        self.doubleClicked.connect(self.opened)
        self._corner = _Corner(self)
        self.setCornerWidget(QWidget())
        self.viewport().setAutoFillBackground(False)
        for header in (self.horizontalHeader(), self.verticalHeader()):
            header.viewport().setAutoFillBackground(False)
            header.setBackgroundRole(QPalette.ColorRole.Base)
        veil.changed.connect(self._on_veil)

    def show_stances(self, minds: EpistemicMapView, stances: Iterable[Stance]) -> None:
        """Who holds what at the moment that is looked at; the place is kept."""
        right, down = self.horizontalScrollBar().value(), self.verticalScrollBar().value()
        self.matrix.show_stances(minds, stances)
        self.horizontalScrollBar().setValue(right)
        self.verticalScrollBar().setValue(down)
        propositions = trn("{n} matter", "{n} matters", len(self.matrix.topics))
        self._fit_columns()
        self._corner.say(f"{propositions}, {trn('{n} person', '{n} people', len(minds.people))}")
        self.choose(self.person, self.proposition)

    def choose(self, person: str, proposition: int) -> None:
        """Put a person's column and a proposition's row in front."""
        self.person, self.proposition = person, proposition
        row = next((n for n, t in enumerate(self.matrix.topics) if t.number == proposition), -1)
        column = next((n for n, p in enumerate(self.matrix.people) if p.key == person), -1)
        if row >= 0:
            index = self.matrix.index(row, max(column, 0, self.currentIndex().column()))
            if column >= 0 or self.currentIndex().row() != row:
                self.setCurrentIndex(index)
        self.viewport().update()
        self.horizontalHeader().viewport().update()
        self.verticalHeader().viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_columns()

    def _fit_columns(self) -> None:
        """Use the room there is, for titles first, which give way before a column is out of sight;
        where names do not fit, all are shortened alike.
        """
        header, count = self.horizontalHeader(), max(1, len(self.matrix.people))
        room = self.width() - BAR_EXTENT
        least = max(TITLE_NARROW, min(TITLE, room - count * COLUMN))
        title = max(least, min(TITLE_WIDEST, room - count * COLUMN_WANTED))
        if self.verticalHeader().width() != title:
            self.verticalHeader().setFixedWidth(title)
        self._corner.setGeometry(0, 0, title, HEAD)
        self._corner.raise_()
        if (wide := max(COLUMN, (room - title) // count)) != header.defaultSectionSize():
            header.setDefaultSectionSize(wide)  # which measures all of them
        metrics = QFontMetrics(ui_font(11, SEMIBOLD))
        fits = header.defaultSectionSize() - 8
        self.is_short = any(
            metrics.horizontalAdvance(person.name) > fits for person in self.matrix.people
        )

    def _on_veil(self) -> None:
        self.verticalHeader().viewport().update()

    def _on_column(self, column: int) -> None:
        self.person_chosen.emit(self.matrix.people[column].key)

    def _on_row(self, row: int) -> None:
        self.proposition_chosen.emit(self.matrix.topics[row].number)

    def _on_clicked(self, index: QModelIndex) -> None:
        self.proposition_chosen.emit(self.matrix.topics[index.row()].number)
        if self.matrix.stances(index.row(), index.column()):
            self.person_chosen.emit(self.matrix.people[index.column()].key)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self._on_clicked(self.currentIndex())
            self.opened.emit()
            return
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
            return
        super().keyPressEvent(event)


class _Corner(QWidget):
    """Over the corner between both heads: how much there is."""

    def __init__(self, table: QWidget) -> None:
        super().__init__(table)
        self._words = ""

    def say(self, words: str) -> None:
        self._words = words
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current_tokens()
        painter = QPainter(self)
        painter.fillRect(self.rect(), t.stage)
        painter.fillRect(0, self.height() - 1, self.width(), 1, t.line2)
        painter.setFont(ui_font(12, MEDIUM))
        painter.setPen(t.t3)
        area = QRectF(16, 37, self.width() - 20, 18)
        painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, self._words)


class _Cell(QStyledItemDelegate):
    """The glyphs of one person and one proposition side by side."""

    def __init__(self, table: MatrixTable) -> None:
        super().__init__(table)
        self._table = table

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        t = current_tokens()
        area = QRectF(option.rect)
        table = self._table
        is_row = table.matrix.topics[index.row()].number == table.proposition
        is_column = table.matrix.people[index.column()].key == table.person
        ground = t.accent_soft if is_row else t.hover if is_column else t.stage
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(area, ground)
        painter.fillRect(QRectF(area.left(), area.bottom() - 1, area.width(), 1), t.line)
        stances = table.matrix.stances(index.row(), index.column())
        step = 23.0
        left = area.center().x() - step * (len(stances) - 1) / 2
        for place, stance in enumerate(stances):
            centre = QPointF(left + place * step, area.center().y() - 0.5)
            paint_glyph(painter, centre, stance.attitude, t, ground=ground, disc=20)
        if index == table.currentIndex() and table.hasFocus():
            ring = area.adjusted(3, 3, -3, -4)
            painter.setPen(t.ring)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(ring, 6, 6)
        painter.restore()


class _PeopleHeader(QHeaderView):
    def __init__(self, table: MatrixTable) -> None:
        super().__init__(Qt.Orientation.Horizontal, table)
        self._table = table
        self.setAccessibleName(tr("People"))
        self.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setDefaultSectionSize(COLUMN)
        self.setSectionsClickable(True)
        self.setFixedHeight(HEAD)

    def sizeHint(self) -> QSize:
        return QSize(COLUMN, HEAD)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        rest = QRect(self.length() - self.offset(), 0, self.width(), self.height())
        t = current_tokens()
        painter = QPainter(self.viewport())
        painter.fillRect(rest, t.stage)
        painter.fillRect(rest.adjusted(0, self.height() - 1, 0, 0), t.line2)

    def paintSection(self, painter: QPainter, rect: QRect, logical: int) -> None:
        t = current_tokens()
        person = self._table.matrix.people[logical]
        is_chosen = person.key == self._table.person
        area = QRectF(rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(area, t.hover if is_chosen else t.stage)
        painter.fillRect(QRectF(area.left(), area.bottom() - 1, area.width(), 1), t.line2)
        disc = QRectF(area.center().x() - 13, area.top() + 8, 26, 26)
        paint_person(painter, disc, person.name, logical, t)
        font = ui_font(11, SEMIBOLD if is_chosen else MEDIUM)
        painter.setFont(font)
        painter.setPen(t.t1 if is_chosen else t.t2)
        words = person.short if self._table.is_short else person.name
        words = QFontMetrics(font).elidedText(words, Qt.TextElideMode.ElideRight, rect.width() - 8)
        name = QRectF(area.left() + 2, area.top() + 37, area.width() - 4, 18)
        painter.drawText(name, Qt.AlignmentFlag.AlignCenter, words)
        painter.restore()


class _TitleHeader(QHeaderView):
    def __init__(self, table: MatrixTable) -> None:
        super().__init__(Qt.Orientation.Vertical, table)
        self._table = table
        self.setAccessibleName(tr("Matters"))
        self.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setDefaultSectionSize(ROW)
        self.setSectionsClickable(True)
        self.setFixedWidth(TITLE)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        rest = QRect(0, self.length() - self.offset(), self.width(), self.height())
        QPainter(self.viewport()).fillRect(rest, current_tokens().stage)

    def paintSection(self, painter: QPainter, rect: QRect, logical: int) -> None:
        t = current_tokens()
        model = self._table.matrix
        topic = model.topics[logical]
        is_chosen = topic.number == self._table.proposition
        area = QRectF(rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(area, t.accent_soft if is_chosen else t.stage)
        painter.fillRect(QRectF(area.left(), area.bottom() - 1, area.width(), 1), t.line)
        if is_chosen:
            painter.fillRect(QRectF(0, area.top() + 2, 3, area.height() - 5), t.ring)
        left = 16.0
        if topic.is_secret:
            pixmap = icon_pixmap("lock", t.t3, 13, self.devicePixelRatioF())
            painter.drawPixmap(QPointF(left, area.top() + 7), pixmap)
        left += 19
        title = QRectF(left, area.top() + 4, self.width() - left - 10, 18)
        if model.is_veiled(logical):
            paint_veil(painter, title, topic.title, t)
        else:
            font = ui_font(12, SEMIBOLD)
            painter.setFont(font)
            painter.setPen(t.t1)
            words = QFontMetrics(font).elidedText(
                topic.title, Qt.TextElideMode.ElideRight, int(title.width())
            )
            painter.drawText(title, Qt.AlignmentFlag.AlignVCenter, words)
        foot = title.translated(0, 17)
        font = ui_font(11, MEDIUM)
        painter.setFont(font)
        painter.setPen(t.t3)
        words = QFontMetrics(font).elidedText(
            model.counts(logical), Qt.TextElideMode.ElideRight, int(foot.width())
        )
        painter.drawText(foot, Qt.AlignmentFlag.AlignVCenter, words)
        painter.restore()
