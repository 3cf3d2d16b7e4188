"""What models were asked for is shown by day and task, and the day's cap with its way on."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import date, timedelta

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QAbstractButton, QWidget

from app.companion import Companion
from app.core.model_use import ModelUse, Prices, Spent
from app.core.operations import OperationStatus
from app.llm.writers.meter import RequestUse
from tests.fakes import MODEL, FakeLlm
from tests.labelled import WrittenTavern
from ui.program.main_window import MainWindow
from ui.work.day_chart import DayChart, ceiling, short
from ui.work.page import WorkPage
from ui.work.use_table import UseModel, UseRow

Until = Callable[[Callable[[], bool]], Awaitable[None]]
TODAY = date(2026, 3, 14)


def button(inside: QWidget, words: str) -> QAbstractButton:
    (found,) = [
        b for b in inside.findChildren(QAbstractButton) if b.text() == words and b.isVisible()
    ]
    return found


def work_page(window: MainWindow) -> WorkPage:
    window.show_page("work")
    page = window.page
    assert isinstance(page, WorkPage)
    return page


async def give(companion: Companion, day: date, task: str, spent: Spent, model: str = "m") -> None:
    use = ModelUse(day, task, model, spent)
    await companion._store.run(lambda: companion._store.model_uses.add(use))


async def test_a_picked_day_narrows_the_tasks_and_the_table_says_the_same(
    window: MainWindow, companion: Companion, until: Until
) -> None:
    today = companion.use.today
    before = today - timedelta(days=2)
    await give(companion, today, "memory_pass", Spent(3, 900, 100))
    await give(companion, before, "scene_recap", Spent(2, 400, 50, 2))
    page = work_page(window)
    QTest.mouseClick(button(page.views, "Usage"), Qt.MouseButton.LeftButton)
    pane = page.use
    tasks, days = pane.tasks_table.model(), pane.days_table.model()
    await until(lambda: days.rowCount() == 2)
    assert [tasks.index(row, 0).data() for row in range(tasks.rowCount())] == [
        *("Memories", "Scene recap", "Total")
    ]
    chart = pane.chart
    reached = [w for w in pane.findChildren(QWidget) if w.focusPolicy() != Qt.FocusPolicy.NoFocus]
    reached = [w for w in reached if w.isVisible() and not w.objectName().startswith("qt_")]
    assert [w for w in reached if not w.accessibleName()] == []
    at = chart.column(27).center().toPoint()  # of thirty days, the one before yesterday
    QTest.mouseClick(chart, Qt.MouseButton.LeftButton, pos=at)
    assert chart.day == before
    assert [tasks.index(row, 0).data() for row in range(tasks.rowCount())] == ["Scene recap"]
    assert tasks.index(0, 2).data() == "~400"
    assert pane.days_table.selectionModel().selectedRows()[0].row() == 1
    QTest.mouseClick(
        pane.days_table.viewport(),
        Qt.MouseButton.LeftButton,
        pos=pane.days_table.visualRect(days.index(0, 0)).center(),
    )
    assert chart.day == today
    assert "900 tokens read" in chart.accessibleDescription()


async def test_prices_are_shown_once_the_user_set_one(
    window: MainWindow, companion: Companion, until: Until
) -> None:
    await give(companion, companion.use.today, "canon", Spent(1, 1_000_000, 500_000))
    page = work_page(window)
    page.show_view("use")
    table = page.use.tasks_table
    await until(lambda: table.model().rowCount() == 1)
    assert table.isColumnHidden(4)
    await companion.put_setting("price_prompt_tokens", 2.0)
    await companion.put_setting("price_output_tokens", 4.0)
    page.use.refresh()
    await until(lambda: not table.isColumnHidden(4))
    assert table.model().index(0, 4).data() == "4.00"


async def test_each_model_has_prices_of_its_own_where_the_user_says_so(
    window: MainWindow, companion: Companion, until: Until
) -> None:
    million = Spent(1, 1_000_000, 1_000_000)
    await give(companion, companion.use.today, "canon", million, "good")
    await give(companion, companion.use.today, "message_recap", million, "cheap")
    await companion.put_setting("price_prompt_tokens", 2.0)
    page = work_page(window)
    page.show_view("use")
    models, table = page.use.models, page.use.tasks_table
    await until(lambda: set(models.by_name) == {"good", "cheap"})
    assert models.by_name["cheap"].read.value() == 2.0
    assert not models.by_name["cheap"].as_for_all.isVisible()
    models.by_name["good"].read.setValue(10.0)
    models.by_name["good"].written.setValue(30.0)
    await until(lambda: companion.use.tariff.of("good") == Prices(10.0, 30.0))
    await until(lambda: table.model().rowCount() == 3)
    costs = {table.model().index(row, 0).data(): table.model().index(row, 4) for row in range(3)}
    await until(lambda: costs["Total"].data() == "42.00")
    assert costs["Canon"].data() == "40.00"
    models.by_name["good"].as_for_all.click()
    await until(lambda: costs["Total"].data() == "4.00")


async def test_the_cap_is_set_here_and_holds(
    window: MainWindow, companion: Companion, until: Until
) -> None:
    page = work_page(window)
    page.show_view("use")
    await companion.put_setting("daily_cap", 11)
    await companion.use.go_on_today()
    page.use.cap.setFocus()
    page.use.cap.selectAll()
    QTest.keyClicks(page.use.cap, "12")
    QTest.keyClick(page.use.cap, Qt.Key.Key_Return)
    await until(lambda: companion.settings["daily_cap"] == 12)
    await until(lambda: not companion.use.cap.is_lifted)  # a new limit did not hold
    page.use.cap.selectAll()
    QTest.keyClick(page.use.cap, Qt.Key.Key_Backspace)
    QTest.keyClick(page.use.cap, Qt.Key.Key_Return)  # brought the 12 back
    await until(lambda: companion.settings["daily_cap"] == 0)
    assert page.use.cap.text() == "No limit"
    await companion.put_setting("daily_cap", 12)
    await until(page.use._hold_again.isHidden)
    await companion.use.go_on_today()
    page.use.refresh()
    await until(page.use._hold_again.isVisible)  # nothing took it back
    page.use._hold_again.click()
    await until(lambda: not companion.use.cap.is_lifted)


async def test_prices_are_set_where_the_settings_have_them(
    window: MainWindow, companion: Companion
) -> None:
    """The button led to the top of the settings."""
    page = work_page(window)
    page.show_view("use")
    wanted: list[str] = []
    page.setting_wanted.connect(wanted.append)
    page.use._prices.click()
    assert wanted == ["price_prompt_tokens"]
    assert window.desk is not None
    assert window.desk.page_key == "settings"


@pytest.fixture
def is_held(companion: Companion) -> None:
    """A companion that follows SillyTavern holds its queue at the cap."""
    companion.use._is_held = True


@pytest.mark.usefixtures("is_held")
async def test_what_was_asked_for_by_hand_asks_first_beyond_the_cap(
    demo_window: MainWindow, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    story = companion.story(demo_tavern.chat)
    assert story is not None
    first, second = [s.closing.anchor for s in story.scenes[:2] if s.closing is not None]
    assert demo_window.desk is not None
    notice = demo_window.frame.notice
    with FakeLlm(lambda request: '{"name": "A yard", "recap": "- Ada waits."}') as llm:
        companion.settings.put("scene_detector", "heuristic")
        await companion.put_setting("backend", f"openai:{MODEL}@{llm.url}")
        await companion.put_setting("daily_cap", 1)
        await companion.use.took(RequestUse("trial", "m", 1, 1))
        await companion.edits.redo_scene_recap(demo_tavern.chat, first)
        await companion.edits.redo_scene_recap(demo_tavern.chat, second)
        await until(lambda: notice.way_on == "Do it anyway")
        assert "which you asked for" in notice.sentence
        assert llm.requests == []
        QTest.mouseClick(button(notice, "Do it anyway"), Qt.MouseButton.LeftButton)
        await until(lambda: len(llm.requests) == 1)
        await until(lambda: notice.way_on == "Do it anyway")  # for the other one
        notice.close_shown()
        assert notice.way_on == "Go on today"

        page = work_page(demo_window)
        assert notice.sentence == "", "the page says so itself"
        QTest.mouseClick(button(page, "Go on today"), Qt.MouseButton.LeftButton)
        await until(lambda: len(llm.requests) >= 2)
        await companion.settled(demo_tavern.chat)
    assert not companion.work.held_back
    assert notice.sentence == ""
    ended = [op.status for op in companion.work.operations[:2]]
    assert OperationStatus.PENDING not in ended


# --- the pieces


def days(*tokens: int) -> tuple[tuple[date, Spent], ...]:
    first = TODAY - timedelta(days=len(tokens) - 1)
    return tuple((first + timedelta(days=n), Spent(1, count, 0)) for n, count in enumerate(tokens))


@pytest.mark.parametrize(
    ("tokens", "top", "words"),
    [(0, 1000, "1k"), (1001, 2000, "2k"), (2400, 2500, "2.5k"), (9_000_001, 10_000_000, "10M")],
)
def test_the_scale_ends_at_a_round_number(tokens: int, top: int, words: str) -> None:
    assert ceiling(tokens) == top
    assert short(top) == words


@pytest.mark.usefixtures("dressed")
def test_the_arrow_keys_walk_the_days_and_escape_lets_go() -> None:
    chart = DayChart()
    chart.resize(400, 168)
    chart.show_days(days(5, 0, 7), TODAY)
    QTest.keyClick(chart, Qt.Key.Key_Left)
    assert chart.day == TODAY
    QTest.keyClick(chart, Qt.Key.Key_Left)
    QTest.keyClick(chart, Qt.Key.Key_Left)
    QTest.keyClick(chart, Qt.Key.Key_Left)
    assert chart.day == TODAY - timedelta(days=2)
    QTest.keyClick(chart, Qt.Key.Key_Escape)
    assert chart.day is None
    QTest.mouseClick(chart, Qt.MouseButton.LeftButton, pos=QPoint(390, 100))
    assert chart.day == TODAY
    chart.deleteLater()


@pytest.mark.usefixtures("dressed")
def test_the_table_keeps_the_rules_of_its_kind() -> None:
    model = UseModel("Task")
    tester = QAbstractItemModelTester(model)
    model.show_rows((UseRow("a", "A", Spent(1, 2, 3)),))
    model.show_rows((UseRow("a", "A", Spent(2, 2, 3), 0.5),))
    model.show_rows(())
    assert model.rowCount() == 0
    tester.deleteLater()
