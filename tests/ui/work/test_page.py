"""The work page: what failed is tried again together, and why the queue holds is said."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtTest import QTest

from app.companion import Companion
from app.core.errors import StoreError
from app.core.operations import OperationStatus
from tests.fakes import MODEL, FakeLlm
from tests.labelled import WrittenTavern
from ui.program.main_window import MainWindow
from ui.work.page import WorkPage

Until = Callable[[Callable[[], bool]], Awaitable[None]]


async def test_everything_that_failed_is_tried_again_together(
    demo_window: MainWindow, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    story = companion.story(demo_tavern.chat)
    assert story is not None
    closings = [scene.closing.anchor for scene in story.scenes[:2] if scene.closing is not None]

    def failed() -> int:
        return sum(op.status is OperationStatus.FAILED for op in companion.work.operations)

    with FakeLlm(lambda request: "") as llm:
        companion.settings.put("scene_detector", "heuristic")
        await companion.put_setting("backend", f"openai:{MODEL}@{llm.url}")
        for anchor in closings:
            await companion.edits.redo_scene_recap(demo_tavern.chat, anchor)
        await until(lambda: failed() >= 2)
        demo_window.show_page("work")
        page = demo_window.page
        assert isinstance(page, WorkPage)
        assert page._retry_all.isVisible()
        before = len(llm.requests)
        QTest.mouseClick(page._retry_all, Qt.MouseButton.LeftButton)
        await until(lambda: len(llm.requests) > before)
        await companion.settled(demo_tavern.chat)


async def test_a_pause_says_why(
    demo_window: MainWindow, companion: Companion, until: Until
) -> None:
    demo_window.show_page("work")
    page = demo_window.page
    assert isinstance(page, WorkPage)
    companion._queue._worker.hold(StoreError("The disk is full."))
    await until(lambda: page._reason.text() == "Paused: The disk is full.")
    # "699 to do132,812 tokens today"
    await until(lambda: page._reason.x() >= page._summary.geometry().right() + 8)
    QTest.mouseClick(page._pause, Qt.MouseButton.LeftButton)
    await until(lambda: page._reason.text() == "")
    assert not companion.work.is_paused


async def test_many_failures_leave_the_buttons_their_words(
    demo_window: MainWindow, companion: Companion
) -> None:
    demo_window.resize(1180, 780)
    demo_window.show_page("work")
    page = demo_window.page
    assert isinstance(page, WorkPage)
    error = "The model answered twice with something other than keywords. Try it again. " * 2
    page.show_operations(
        tuple(
            replace(op, status=OperationStatus.FAILED, error=error)
            for op in companion.work.operations
        )
    )
    page._summary.setText("0 to do, 24 failed in Captain Henrike Sloe; Captain Henrike Sloe, two")
    await asyncio.sleep(0.02)
    for button in (page._retry_all, page._retry, page._cancel, page._pause):
        assert button.width() >= button.sizeHint().width()


async def test_what_failed_is_said_where_nothing_else_is_to_do(
    demo_window: MainWindow, companion: Companion
) -> None:
    """In a narrow window "Nothing to do" took the room of what had failed."""
    demo_window.resize(1000, 650)
    demo_window.show_page("work")
    page = demo_window.page
    assert isinstance(page, WorkPage)
    first, *others = companion.work.operations
    page.show_operations((replace(first, status=OperationStatus.FAILED, error="No."), *others))
    assert page._summary.text().startswith("1 failed")
    page.show_operations(companion.work.operations)
    assert page._summary.text() == "Nothing to do"


async def test_rows_and_buttons_stay_where_they_are_from_one_request_to_the_next(
    demo_window: MainWindow, companion: Companion, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was written came and went below the rows, and why the queue held moved the buttons."""
    demo_window.resize(1000, 650)
    demo_window.show_page("work")
    page = demo_window.page
    assert isinstance(page, WorkPage)
    first, *others = companion.work.operations
    running = replace(first, status=OperationStatus.RUNNING, finished=None)

    def places() -> tuple[int, int]:
        for _ in range(4):  # from the innermost layout out; nothing else that waits for the loop
            QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)
        return page._pause.mapTo(page, page._pause.rect().center()).y(), page.table.height()

    with monkeypatch.context() as patched:
        patched.setattr(type(companion.work), "to_do", 2)
        page.show_operations((running, *others))
        page._show_written("The lamp was lit.")
        at_work = places()
        page.show_operations((replace(first, status=OperationStatus.PENDING), *others))
        assert page._written.toPlainText() == "The lamp was lit.", "no empty panel takes the room"
        assert page._written_title.text() == "What it wrote last"
        assert places() == at_work
        page._writer = first.id + 800
        page.show_operations((running, *others))
        assert page._written.toPlainText() == "", "others have ended since it was written"
        assert places() == at_work
    page._reason.setText("Paused: the server does not accept the API key (401). Check it. " * 3)
    assert places() == at_work
