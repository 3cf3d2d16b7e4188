"""What waits is moved, stopped before, cleared and put back from the work page; a catch-up too."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from app.companion import Companion, open_companion
from app.core.operations import MEMORY, OperationStatus
from app.core.paths import user_folders
from app.views.catch_up import CatchUpPlan, CatchUpProgress, ReadingCost
from app.work.planning.catch_up import parts_of
from app.work.scheduling.work_to_do import WorkToDo
from tests.fakes import MODEL, FakeLlm
from tests.labelled import WrittenTavern
from ui.program.main_window import MainWindow
from ui.work.page import WorkPage

Until = Callable[[Callable[[], bool]], Awaitable[None]]
ANSWER = '{"name": "Name", "recap": {"developments": ["Something happened."]}}'


def page_of(window: MainWindow) -> WorkPage:
    window.show_page("work")
    page = window.page
    assert isinstance(page, WorkPage)
    return page


def waiting(companion: Companion) -> list[str]:
    status = OperationStatus.PENDING
    return [op.spec.label for op in companion.work.operations if op.status is status]


@pytest.fixture
async def queued(
    demo_window: MainWindow, companion: Companion, demo_tavern: WrittenTavern
) -> MainWindow:
    """Three scenes are to be recapped again, and the queue is paused."""
    story = companion.story(demo_tavern.chat)
    assert story is not None
    companion.work.pause()
    for scene in story.scenes[:3]:
        assert scene.closing is not None
        await companion.edits.redo_scene_recap(demo_tavern.chat, scene.closing.anchor)
    return demo_window


async def test_keys_move_and_mark_the_selected_operation(
    queued: MainWindow, companion: Companion, until: Until
) -> None:
    page = page_of(queued)
    page.take_focus()
    page.table.select_row(2)
    QTest.keyClick(page.table, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    await until(
        lambda: waiting(companion) == ["Recap of scene 1", "Recap of scene 3", "Recap of scene 2"]
    )
    QTest.keyClick(page.table, Qt.Key.Key_Home, Qt.KeyboardModifier.AltModifier)
    await until(lambda: waiting(companion)[0] == "Recap of scene 3")
    assert not page.commands.move_up.isEnabled()
    page.table.select_row(1)
    QTest.keyClick(page.table, Qt.Key.Key_B)
    await until(lambda: companion.work.operations[1].pauses_before)
    assert page.model.index(1, 1).data() == "The queue pauses before this one"
    assert page.commands.pause_before.text() == "Do not pause before this one"
    QTest.mouseClick(page._pause, Qt.MouseButton.LeftButton)
    await until(lambda: companion.work.stopped_before is not None)
    assert waiting(companion) == ["Recap of scene 1", "Recap of scene 2"]
    await until(lambda: page._reason.text() == "Paused before “Recap of scene 1”")
    QTest.mouseClick(page._pause, Qt.MouseButton.LeftButton)
    await until(lambda: waiting(companion) == [])


async def test_what_is_cleared_is_said_honestly_and_put_back(
    queued: MainWindow, companion: Companion, until: Until
) -> None:
    page = page_of(queued)
    before = waiting(companion)
    page.commands.clear_chat.trigger()
    await until(lambda: waiting(companion) == [])
    assert page._put_back.isVisible()
    assert "3 requests were taken out of the queue" in page._put_back._sentence.text()
    assert "the next start" in page._put_back._sentence.text()
    page.commands.put_back.trigger()
    await until(lambda: waiting(companion) == before)
    assert not page._put_back.isVisible()


async def test_the_menu_of_a_row_and_the_palette_hold_every_deed(queued: MainWindow) -> None:
    page = page_of(queued)
    place = page.table.visualRect(page.model.index(1, 0)).center()
    QApplication.sendEvent(
        page.table.viewport(),
        QContextMenuEvent(
            QContextMenuEvent.Reason.Mouse, place, page.table.viewport().mapToGlobal(place)
        ),
    )
    (menu,) = (menu for menu in page.findChildren(QMenu) if menu.isVisible())
    shown = {action.text() for action in menu.actions()}
    assert {"Cancel", "Try again", "Pause before this one", "Move up", "Do it next"} < shown
    menu.close()
    operation = page.selected()
    assert operation is not None
    assert operation.spec.label == "Recap of scene 2"
    assert queued.desk is not None
    offered = {action.text() for action, _ in queued.desk._shown_actions()}
    assert shown - {""} <= offered
    assert "Stop catching up now" in offered


@pytest.fixture
async def companion(
    request: pytest.FixtureRequest, tmp_path: Path, demo_tavern: WrittenTavern
) -> AsyncIterator[Companion]:
    """A companion that asks first."""
    async with open_companion(
        user_folders(tmp_path / "own"),
        tavern=demo_tavern.user_folder.parent,
        llm="builtin",
        watch=False,
        asks_first=True,
    ) as running:
        yield running


async def test_a_backlog_is_begun_followed_and_stopped_on_the_work_page(
    window: MainWindow, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    go_on = threading.Event()

    def reply(request: object) -> str:
        if len(llm.requests) == 2:
            go_on.wait(20)
        return ANSWER

    with FakeLlm(reply) as llm:
        companion.settings.put("scene_detector", "heuristic")
        await companion.put_setting("backend", f"openai:{MODEL}@{llm.url}")
        assert window.desk is not None
        await window.desk.session.open_path(demo_tavern.chat)
        page = page_of(window)
        strip = page._catching_up
        await until(strip.isVisible)
        assert "scenes have no recap yet" in strip._facts.text()
        assert window.frame.notice.isHidden()
        QTest.mouseClick(strip._start, Qt.MouseButton.LeftButton)
        await until(lambda: len(llm.requests) == 2)
        await until(lambda: strip._stop.isVisible())
        assert "of work" in strip._facts.text()
        # The recap of a scene; the first fold asks nobody.
        assert "1 of" in strip._facts.text()
        assert not strip._start.isVisible()
        QTest.mouseClick(strip._stop, Qt.MouseButton.LeftButton)
        await until(lambda: "stops after this job" in strip._title.text())
        go_on.set()
        await companion.settled(demo_tavern.chat)
        await until(lambda: "scenes have no recap yet" in strip._facts.text())
        assert len(llm.requests) == 2
        window.show_page("story")
        assert "scenes without a recap" in window.frame.notice.sentence
        await companion.put_setting("backend", "builtin")
        await companion.settled(demo_tavern.chat)
        await until(lambda: not strip.isVisible())


async def test_a_catch_up_that_has_ended_is_shown_no_longer(
    window: MainWindow, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    """Its end comes after that of its last operation, of which the page hears."""
    with FakeLlm(lambda _request: ANSWER) as llm:
        for name, value in (
            ("scene_detector", "heuristic"),
            ("running_recap_auto", False),
            ("memory_auto", False),
        ):
            companion.settings.put(name, value)
        await companion.put_setting("backend", f"openai:{MODEL}@{llm.url}")
        assert window.desk is not None
        await window.desk.session.open_path(demo_tavern.chat)
        page = page_of(window)
        await until(page._catching_up.isVisible)
        QTest.mouseClick(page._catching_up._start, Qt.MouseButton.LeftButton)
        await until(lambda: len(llm.requests) > 0)
        await companion.settled(demo_tavern.chat)
        assert companion.work.catching_up == ()
        assert companion.work.to_do == 0
        assert page._catching_up.isHidden()
        assert page._summary.text() == "Nothing to do"


async def test_the_notice_of_a_backlog_says_that_it_starts_all_of_it_or_leads_to_the_parts(
    window: MainWindow, demo_tavern: WrittenTavern, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its one button said that it writes the recaps, and had everything read for memory too."""
    assert window.desk is not None
    session = window.desk.session
    await session.open_path(demo_tavern.chat)
    window.show_page("story")
    begun: list[bool] = []
    monkeypatch.setattr(session, "catch_up", lambda: begun.append(True))
    reading = ReadingCost(140, 8, 30_000, 3_000, passes=8, first=4, last=143)
    plan = CatchUpPlan(5, 0, 143, 17, 30_000, 3_000, reading=reading)
    notice = window.frame.notice
    session.catch_up_offered.emit(plan)
    assert notice.way_on == "Do all of it"
    for page in ("memories", "budgets", "work"):  # it lay over what they show
        window.show_page(page)
        assert notice.sentence == ""
    window.show_page("story")
    assert notice.sentence.endswith("at least 17 requests, 33,000 tokens.")
    notice.take_up()
    assert begun == [True]
    session.catch_up_offered.emit(plan)
    notice.choose("Choose a part")
    assert window.desk.page_key == "work"
    assert begun == [True]


async def test_a_part_is_chosen_while_another_chat_is_caught_up(
    window: MainWindow, demo_tavern: WrittenTavern, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The notice led here, and only the other chat's progress stood here."""
    assert window.desk is not None
    session = window.desk.session
    await session.open_path(demo_tavern.chat)
    reading = ReadingCost(140, 8, 30_000, 3_000, passes=8, first=4, last=143)
    plan = CatchUpPlan(5, 0, 143, 17, 40_000, 5_000, reading=reading)
    plan = replace(plan, parts=parts_of(plan))
    other = CatchUpProgress(99, "Another evening", 3, 0, 30, 12.0, 100.0)
    monkeypatch.setattr(WorkToDo, "catching_up", property(lambda _: (other,)))
    monkeypatch.setattr(WorkToDo, "catch_up", lambda *_: plan)
    begun: list[str] = []
    monkeypatch.setattr(session, "catch_up", begun.append)
    page = page_of(window)
    page._tick()
    assert page._catching_up._title.text() == "Catching up Another evening"
    assert page._offered._title.text().endswith(": waits for your answer")
    QTest.mouseClick(page._offered._memory, Qt.MouseButton.LeftButton)
    assert begun == [MEMORY]
    monkeypatch.setattr(WorkToDo, "catch_up", lambda *_: None)
    page._tick()
    assert page._offered.isHidden()


async def test_the_buttons_of_a_part_stand_beside_what_it_takes(window: MainWindow) -> None:
    """Whoever wanted the recaps alone read what all takes, and paid an unknown price."""
    reading = ReadingCost(140, 8, 30_000, 3_000, passes=8, first=4, last=143)
    plan = CatchUpPlan(5, 0, 143, 17, 40_000, 5_000, reading=reading)
    strip = page_of(window)._catching_up
    strip.show_plan(replace(plan, parts=parts_of(plan)))
    assert strip._recaps.isVisible()
    assert "Only the recaps: 9 requests, 12,000 tokens." in strip._facts.text()
    assert "Only memory: at least 8 requests, 33,000 tokens." in strip._facts.text()
