"""What the memories page says before it has looked, when a look fails, and when it is empty."""

from __future__ import annotations

import gc
import threading
import warnings
from pathlib import Path

import pytest

from app.companion import Companion
from app.core.errors import StoreError
from app.core.operations import OperationKind
from app.views.memory_view import MemoryView
from tests.labelled import WrittenTavern
from tests.ui.memories.rows import Until, press, wake
from ui.memories.page import MemoriesPage
from ui.program.main_window import MainWindow

pytestmark = pytest.mark.slow


async def test_the_page_does_not_say_that_nothing_is_remembered_before_it_has_looked(
    page: MemoriesPage,
    companion: Companion,
    demo_tavern: WrittenTavern,
    until: Until,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    look, may_look = companion.memory, threading.Event()

    def late(path: Path, *, at: int | None = None) -> MemoryView:
        assert may_look.wait(10)
        return look(path, at=at)

    with monkeypatch.context() as patch:
        patch.setattr(companion, "memory", late)
        await wake(page, until)
        page.take_focus()
        try:
            await page._session.open_path(demo_tavern.chat)
            assert page.empty.isVisible()
            assert page.empty.title.text() == "Loading memories"
            assert not page.empty.read.isVisible()
        finally:
            may_look.set()
        await until(page.split.isVisible)
    assert page.table.hasFocus()


async def test_a_look_that_is_given_up_before_it_began_leaves_nothing(page: MemoriesPage) -> None:
    look = page.empty.waits_for(page._load, Path("gone"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        look.close()
        gc.collect()


async def test_a_look_that_failed_is_not_said_to_go_on(
    page: MemoriesPage,
    companion: Companion,
    demo_tavern: WrittenTavern,
    until: Until,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(path: Path, *, at: int | None = None) -> MemoryView:
        raise StoreError("The disk is gone.")

    monkeypatch.setattr(companion, "memory", fail)
    await page._session.open_path(demo_tavern.chat)
    await until(lambda: page.empty.title.text() == "The memories could not be loaded")
    assert not page.empty.read.isVisible()


async def test_the_page_says_what_it_is_for_when_nothing_is_remembered(
    page: MemoriesPage,
    demo_window: MainWindow,
    companion: Companion,
    demo_tavern: WrittenTavern,
    until: Until,
) -> None:
    await companion.memories.fresh_start(demo_tavern.chat)
    await companion.memories.read_again(demo_tavern.chat)
    await until(lambda: page.empty.isVisible())
    companion.work.pause()
    press(page.empty.read)
    await until(
        lambda: any(op.spec.kind is OperationKind.MEMORY_PASS for op in companion.work.operations)
    )
    await until(lambda: page.strip.isVisible())
