"""All rows under one scale: the total or the ten tiers, and what stands beside them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from app.core.translation import number, tr
from ui.budgets.facts import RowFacts
from ui.budgets.legend import Legend, marks_of
from ui.budgets.rows import (
    FIELD_WIDTH,
    GAP,
    LEFT,
    NAME_WIDTH,
    RESET_WIDTH,
    RIGHT,
    SlotRow,
)
from ui.budgets.scale import Scale
from ui.budgets.track import CUT_ROOM, EDGE
from ui.controls.surfaces import Line, scrolling
from ui.story.lettering import letters, meta
from ui.theme import current_tokens
from ui.theme.fonts import MEDIUM

HEAD = 32


class Board(QWidget):
    """Signals:
    chosen: key of the row that the pane is to be about.
    moved, settled: (setting, value) while it moves, and when it is meant.
    cancelled: setting.
    reset_asked: key of a row.
    """

    chosen = Signal(str)
    moved = Signal(str, int)
    settled = Signal(str, int)
    cancelled = Signal(str)
    reset_asked = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.rows: dict[str, SlotRow] = {}
        self._scale = Scale()
        self._head = _Head(self)
        self._content = _Grid(self)
        self._column = QVBoxLayout(self._content)
        self._column.setContentsMargins(0, 0, 0, 8)
        self._column.setSpacing(0)
        self._gap = Line(parent=self._content)
        self.area = scrolling(self._content, name=tr("Budgets"))
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 0, 4, 0)
        column.setSpacing(0)
        column.addWidget(self._head)
        column.addWidget(self.area, 1)
        self.legend = Legend()
        column.addWidget(self.legend)

    @property
    def scale(self) -> Scale:
        """Tokens along the tracks."""
        return self._scale

    @property
    def is_moving(self) -> bool:
        """Whether something is shown that is not meant yet."""
        return any(row.is_moving for row in self.rows.values())

    def show_rows(
        self, tiers: Sequence[RowFacts], beside: Sequence[RowFacts], own: frozenset[str]
    ) -> None:
        """own: settings that have a value of this chat's own. While one moves the scale holds."""
        shown = (*tiers, *beside)
        self.legend.show_marks(marks_of(shown))
        before = self._scale
        if not self.is_moving:
            most = [max(facts.budget, facts.used) for facts in shown]
            most += [facts.full for facts in tiers]
            self._scale = Scale.reaching(max(most, default=0))
        keys = [key_of(facts) for facts in shown]
        if keys != list(self.rows):
            self._lay_out(keys, len(tiers))
        for facts in shown:
            row = self.rows[key_of(facts)]
            row.show_facts(facts, self._scale, is_own=facts.setting in own)
        if self._scale != before:  # what lies under the rows paints all of them anew
            self._head.update()
            self._content.update()

    def choose(self, key: str) -> None:
        """Mark the row that the pane is about."""
        for name, row in self.rows.items():
            row.choose(name == key)

    def _lay_out(self, keys: Sequence[str], tiers: int) -> None:
        """The rows in this order, with a line behind the tiers."""
        for key in self.rows.keys() - set(keys):
            row = self.rows.pop(key)
            row.hide()
            row.deleteLater()
        while self._column.takeAt(0) is not None:
            pass
        self.rows = {key: self.rows.get(key) or self._made(key) for key in keys}
        for place, row in enumerate(self.rows.values()):
            if place == tiers:
                self._column.addWidget(self._gap)
            self._column.addWidget(row, 1)
        self._column.addStretch(1)

    def _made(self, key: str) -> SlotRow:
        row = SlotRow(key)
        row.chosen.connect(self._on_chosen)
        row.moved.connect(self._on_moved)
        row.settled.connect(self._on_settled)
        row.cancelled.connect(self._on_cancelled)
        row.reset_asked.connect(self._on_reset)
        return row

    def _asking(self) -> SlotRow:
        row = self.sender()
        assert isinstance(row, SlotRow)
        return row

    def _on_chosen(self) -> None:
        self.chosen.emit(self._asking().key)

    def _on_moved(self, value: int) -> None:
        self.moved.emit(self._setting(), value)

    def _on_settled(self, value: int) -> None:
        self.settled.emit(self._setting(), value)

    def _on_cancelled(self) -> None:
        self.cancelled.emit(self._setting())

    def _on_reset(self) -> None:
        self.reset_asked.emit(self._asking().key)

    def _setting(self) -> str:
        facts = self._asking().facts
        return facts.setting if facts is not None else ""

    # Where the tracks lie

    def track_left(self) -> float:
        """Px from the content's left edge to the tracks' scale."""
        return LEFT + NAME_WIDTH + GAP + EDGE

    def track_span(self, width: int) -> float:
        """Px that the scale takes, of a content so wide."""
        beside = RIGHT + RESET_WIDTH + GAP + FIELD_WIDTH + GAP + 56 + GAP
        return max(1.0, width - self.track_left() - beside - EDGE - CUT_ROOM)

    @property
    def content_width(self) -> int:
        return self._content.width()


class _Grid(QWidget):
    """Lines from the labels down, behind the rows."""

    def __init__(self, board: Board) -> None:
        super().__init__()
        self._board = board

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current_tokens()
        painter = QPainter(self)
        left, span = self._board.track_left(), self._board.track_span(self.width())
        for mark in self._board.scale.marks(span):
            x = round(left + self._board.scale.place(mark, span))
            painter.fillRect(x, 0, 1, self.height(), t.line)


class _Head(QWidget):
    """Names of the columns, and the numbers of the scale."""

    def __init__(self, board: Board) -> None:
        super().__init__()
        self._board = board
        self.setFixedHeight(HEAD)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(tr("Part, in the prompt then cut, used, budget"))
        self.setToolTip(
            tr(
                "In tokens. The scale is stretched for small budgets; use the bar above to "
                "compare parts."
            )
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current_tokens()
        painter = QPainter(self)
        middle = HEAD / 2 + 1
        width = self._board.content_width
        face = letters(11, MEDIUM)
        face.draw(painter, tr("Part"), t.t3, LEFT, middle)
        left, span = self._board.track_left(), self._board.track_span(width)
        first = tr("In the prompt, then cut")
        face.draw(painter, first, t.t3, left, middle)
        for mark in self._board.scale.marks(span):
            label = number(mark)
            x = left + self._board.scale.place(mark, span) - meta().width(label) / 2
            if x > left + face.width(first) + 12:
                meta().draw(painter, label, t.t3, x, middle)
            painter.fillRect(
                QRectF(round(left + self._board.scale.place(mark, span)), HEAD - 5, 1, 5), t.line
            )
        right = width - RIGHT - RESET_WIDTH - GAP
        face.draw_right(painter, tr("Budget"), t.t3, right - 7, middle)
        face.draw_right(painter, tr("Used"), t.t3, right - FIELD_WIDTH - GAP, middle)


def key_of(facts: RowFacts) -> str:
    """What a row goes by: its slot, or its setting."""
    return str(facts.name) if facts.name is not None else facts.setting
