"""What models were asked for: today with its cap, the days as bars, and both as tables."""

from __future__ import annotations

from datetime import date, timedelta

from PySide6.QtCore import QItemSelectionModel, Qt, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QVBoxLayout, QWidget

from app.core.model_use import ModelUse, Prices, by_day, by_task, total
from app.core.translation import N_, number, roughly, tr
from app.settings.tariff import OF_MODELS, with_prices
from app.settings.values import REGISTRY
from ui.controls.buttons import Button, ButtonRole
from ui.controls.fields import Choice, Segments
from ui.controls.labels import Label, body, headline, meta, section
from ui.controls.number_fields import NumberField
from ui.controls.surfaces import scrolling
from ui.controls.timers import once
from ui.core.session import Session
from ui.theme.fonts import ui_font
from ui.theme.palette import T2_ROLE
from ui.work.day_chart import DayChart
from ui.work.legend import CapGauge, ReadWritten
from ui.work.model_prices import ModelPrices
from ui.work.use_table import UseModel, UseRow, UseTable
from ui.work.use_words import (
    EMPTY,
    by_task_words,
    cap_words,
    day_words,
    estimate_words,
    sum_words,
    task_words,
)

COLUMN = 920
SIDE_BY_SIDE = 820
SPANS = {"7": N_("7 days"), "30": N_("30 days"), "90": N_("90 days")}
SETTLE_MS = 200


class UsePane(QWidget):
    """Follows the counts while it is shown.

    Signals:
        prices_wanted: the user wants to say what tokens cost.
    """

    prices_wanted = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._uses: tuple[ModelUse, ...] = ()
        self._figure = headline()
        self._sum = Label(font=ui_font(12.5), tone=T2_ROLE, wraps=True)
        self._estimate = meta(wraps=True)
        self._prices = Button(tr("Set prices"), role=ButtonRole.QUIET, flush=Qt.Edge.RightEdge)
        self._prices.clicked.connect(self.prices_wanted)
        self._cap_words = Label(font=ui_font(12), tone=T2_ROLE, wraps=True)
        self._hold_again = Button(tr("Keep to it again"), role=ButtonRole.QUIET)
        self._hold_again.setToolTip(tr("The limit holds work back again, today too."))
        self._hold_again.clicked.connect(self._on_hold_again)
        self._gauge = CapGauge()
        cap, unit = REGISTRY["daily_cap"], REGISTRY["daily_cap_unit"]
        self.cap = NumberField(cap.label, 0, int(cap.maximum or 0), tr(cap.minimum_word))
        self.cap.setFixedWidth(120)
        self.unit = Choice(unit.label)
        for choice in unit.choices:
            self.unit.addItem(unit.word(choice), choice)
        self.spans = Segments(tr("Days shown"), {span: tr(name) for span, name in SPANS.items()})
        self.spans.choose("30")
        self._span = 30
        self.chart = DayChart()
        self._tasks = UseModel(tr("Task"))
        self._days = UseModel(tr("Day"))
        self.tasks_table = UseTable(tr("Usage by task"), self._tasks)
        self.days_table = UseTable(tr("Usage by day"), self._days)
        self._tasks_title = section()
        self.models = ModelPrices()
        self._nothing = body(tr(EMPTY))
        self._build()
        self._settle = once(self, SETTLE_MS, self.refresh)
        self.cap.valueChanged.connect(self._on_cap)
        self.unit.activated.connect(self._on_unit)
        self.models.priced.connect(self._on_priced)
        self.spans.chosen.connect(self._on_span)
        self.chart.picked.connect(self._on_picked)
        self.days_table.selectionModel().selectionChanged.connect(self._on_day_selected)
        session.operations_changed.connect(self._on_operations_changed)
        session.replayed.connect(self.refresh)
        self._show()

    # --- building

    def _build(self) -> None:
        content = QWidget()
        block = QWidget()
        block.setMaximumWidth(COLUMN)
        column = QVBoxLayout(block)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        head = QHBoxLayout()
        head.addWidget(self._figure)
        head.addStretch(1)
        head.addWidget(self._prices)
        column.addLayout(head)
        column.addWidget(self._sum)
        column.addWidget(self._estimate)
        column.addSpacing(10)
        column.addLayout(self._cap_row())
        column.addWidget(self._gauge)
        column.addSpacing(18)
        self._below = QWidget()
        below = QVBoxLayout(self._below)
        below.setContentsMargins(0, 0, 0, 0)
        below.setSpacing(8)
        title = QHBoxLayout()
        title.setSpacing(16)
        title.addWidget(section(tr("Tokens by day")))
        title.addWidget(ReadWritten())
        title.addStretch(1)
        title.addWidget(self.spans)
        below.addLayout(title)
        below.addWidget(self.chart)
        below.addSpacing(18)
        below.addLayout(self._tables())
        below.addSpacing(18)
        below.addWidget(self.models)
        column.addWidget(self._nothing)
        column.addWidget(self._below)
        column.addStretch(1)
        middle = QHBoxLayout(content)
        middle.setContentsMargins(24, 20, 24, 32)
        middle.addStretch(1)
        middle.addWidget(block, 1000)
        middle.addStretch(1)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(scrolling(content, name=tr("Model usage")))

    def _cap_row(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self._cap_words, 1)
        row.addWidget(self._hold_again)
        row.addWidget(body(tr("Daily limit"), wraps=False))
        row.addWidget(self.cap)
        row.addWidget(self.unit)
        return row

    def _tables(self) -> QBoxLayout:
        self._side_by_side = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._side_by_side.setSpacing(32)
        for title, table in (
            (self._tasks_title, self.tasks_table),
            (section(tr("By day")), self.days_table),
        ):
            column = QVBoxLayout()
            column.setSpacing(4)
            column.addWidget(title)
            column.addWidget(table)
            column.addStretch(1)
            self._side_by_side.addLayout(column, 1)
        return self._side_by_side

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        is_wide = self.width() >= SIDE_BY_SIDE
        way = QBoxLayout.Direction.LeftToRight if is_wide else QBoxLayout.Direction.TopToBottom
        self._side_by_side.setDirection(way)

    # --- what is shown

    def refresh(self) -> None:
        """Read the counts and show them."""
        self._session.do(self._load(), name=N_("loading the usage"))

    async def _load(self) -> None:
        self._uses = await self._session.companion.use.uses(max(int(span) for span in SPANS))
        self._show()

    def _show(self) -> None:
        use = self._session.companion.use
        today, tariff, cap = use.today, use.tariff, use.cap
        spent = cap.spent
        self._figure.setText(
            tr("About {tokens} tokens today", tokens=roughly(spent.tokens))
            if spent.estimated
            else tr("{tokens} tokens today", tokens=number(spent.tokens))
        )
        of_today = [use for use in self._uses if use.day == today]
        self._sum.setText(sum_words(spent, tariff.price(of_today)))
        self._sum.setVisible(spent.requests > 0)
        self._estimate.setText(estimate_words(spent))
        self._estimate.setVisible(bool(spent.estimated))
        has_prices = tariff.has_any
        self._prices.set_text(tr("Change prices") if has_prices else tr("Set prices"))
        self._show_cap()
        first = today - timedelta(days=self._span - 1)
        shown = tuple(use for use in self._uses if use.day >= first)
        days = by_day(shown, first, today)
        self.chart.show_days(days, today)
        rows = (
            UseRow(day, day_words(day, today), one, self._price(shown, day=day))
            for day, one in reversed(days)
            if one.requests
        )
        self._days.show_rows(tuple(rows))
        self.models.show_uses(self._uses, tariff)
        self._show_tasks(shown, today)
        for table in (self.tasks_table, self.days_table):
            table.setColumnHidden(4, not has_prices)
        self._nothing.setVisible(not self._uses)
        self._below.setVisible(bool(self._uses))

    def _show_cap(self) -> None:
        cap = self._session.companion.use.cap
        self._cap_words.setText(cap_words(cap))
        self._hold_again.setVisible(cap.is_lifted and cap.limit > 0)
        self._gauge.setVisible(cap.limit > 0)
        self._gauge.show_share(cap.used / cap.limit if cap.limit else 0.0, cap_words(cap))
        for control in (self.cap, self.unit):
            control.blockSignals(True)
        if not self.cap.hasFocus() or self.cap.value() == cap.limit:
            self.cap.setValue(cap.limit)
        self.cap.setSingleStep(10 if cap.unit == "requests" else 10_000)
        self.unit.setCurrentIndex(self.unit.findData(cap.unit))
        for control in (self.cap, self.unit):
            control.blockSignals(False)

    def _show_tasks(self, shown: tuple[ModelUse, ...], today: date) -> None:
        picked = self.chart.day
        if picked is not None:
            shown = tuple(use for use in shown if use.day == picked)
        self._tasks_title.setText(
            tr("By task, {when}", when=tr(SPANS[str(self._span)]))
            if picked is None
            else by_task_words(picked, today)
        )
        rows = [
            UseRow(task, task_words(task), one, self._price(shown, task=task))
            for task, one in by_task(shown)
        ]
        if len(rows) > 1:
            rows.append(UseRow("", tr("Total"), total(shown), self._price(shown)))
        self._tasks.show_rows(tuple(rows))

    def _price(
        self, uses: tuple[ModelUse, ...], *, day: date | None = None, task: str = ""
    ) -> float | None:
        """What these cost. day, task: only of it."""
        return self._session.companion.use.tariff.price(
            use for use in uses if day in (None, use.day) and task in ("", use.task)
        )

    # --- hands

    def _on_span(self, key: str) -> None:
        self._span = int(key)
        self._show()

    def _on_picked(self, day: date | None) -> None:
        number = -1 if day is None else self._days.number_of(day)
        selection = self.days_table.selectionModel()
        if number < 0:
            selection.clear()
        elif selection.currentIndex().row() != number or not selection.hasSelection():
            flags = QItemSelectionModel.SelectionFlag
            index = self._days.index(number, 0)
            selection.setCurrentIndex(index, flags.ClearAndSelect | flags.Rows)
        self._show()

    def _on_day_selected(self) -> None:
        rows = self.days_table.selectionModel().selectedRows()
        row = self._days.row(rows[0].row()) if rows else None
        if row is not None and row.key != self.chart.day:
            self.chart.pick(row.key)

    def _on_hold_again(self) -> None:
        self._session.do(self._session.companion.use.hold_again(), name=N_("keeping to the limit"))

    def _on_cap(self, value: int) -> None:
        self._put("daily_cap", value)

    def _on_unit(self, place: int) -> None:
        self._put("daily_cap_unit", self.unit.itemData(place))

    def _on_priced(self, backend: str, prices: Prices | None) -> None:
        value = with_prices(self._session.companion.settings, backend, prices)
        self._put(OF_MODELS, value)

    def _put(self, name: str, value: object) -> None:
        async def put() -> None:
            path = self._session.path
            await self._session.companion.put_setting(name, value, noted_in=path)
            self._session.refresh()
            self._show()

        self._session.do(put(), name=N_("changing a setting"))

    def _on_operations_changed(self, _operations: object) -> None:
        if self.isVisible() and not self._settle.isActive():
            self._settle.start()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()
