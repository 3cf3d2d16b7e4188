"""What a newcomer sees: the demo by itself, then the way to SillyTavern, then the bridge."""

from __future__ import annotations

import gc
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog

from app.companion import Companion, open_companion
from app.core.paths import user_folders
from app.core.tasks import TaskSupervisor
from tests.labelled import WrittenTavern
from ui.core.window_state import WindowState
from ui.program.main_window import MainWindow
from ui.shell.notice import Notice
from ui.theme import theme

Until = Callable[[Callable[[], bool]], Awaitable[None]]


@pytest.fixture
async def lonely(
    dressed: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[MainWindow]:
    """A window on a machine where no SillyTavern is found."""
    for name in ("HOME", "USERPROFILE", "LOCALAPPDATA", "APPDATA"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    async with open_companion(user_folders(tmp_path / "own"), llm="builtin", watch=False) as alone:
        window = MainWindow(theme, TaskSupervisor())
        window.show()
        window.attach(alone)
        yield window
        await window.detach()
        window.hide()
        window.deleteLater()
        del window
        gc.collect()


def begin_again(window: MainWindow) -> None:
    """As after the steps of the first run, which were all skipped."""
    window._restore(WindowState(is_set_up=True).to_text())
    window.begin()


async def test_without_a_tavern_the_demo_opens_by_itself_and_says_so(
    lonely: MainWindow, until: Until
) -> None:
    assert lonely.desk is not None
    companion = lonely.desk.session.companion
    assert companion.taverns == ()
    begin_again(lonely)
    await until(lambda: lonely.desk is not None and lonely.desk.session.path is not None)
    assert lonely.desk.session.path == companion.demo.path
    notice = lonely.frame.notice
    assert "demo story" in notice.sentence
    assert notice.way_on == "Find SillyTavern"


async def test_the_demo_leads_to_the_folder_and_then_to_the_bridge(
    lonely: MainWindow, tmp_path: Path, demo_tavern: WrittenTavern, until: Until
) -> None:
    assert lonely.desk is not None
    companion, notice = lonely.desk.session.companion, lonely.frame.notice
    tavern = tmp_path / "SillyTavern" / "data"
    shutil.copytree(demo_tavern.user_folder.parent, tavern)
    begin_again(lonely)
    await until(lambda: notice.way_on == "Find SillyTavern")
    QTest.mouseClick(notice._way_on, Qt.MouseButton.LeftButton)
    await until(lambda: bool(lonely.findChildren(QFileDialog)))
    lonely.findChildren(QFileDialog)[0].reject()
    await companion.put_setting("tavern", str(tavern))
    await until(lambda: notice.way_on == "Install the bridge")
    notice.take_up()
    await until(lambda: "Reload" in notice.sentence)
    assert (await companion.bridge.status(companion.taverns[0].user_folder)).installed


async def test_the_bridge_is_offered_once_and_never_again_when_it_was_closed(
    window: MainWindow, until: Until
) -> None:
    begin_again(window)
    notice = window.frame.notice
    await until(lambda: notice.way_on == "Install the bridge")
    QTest.mouseClick(notice._close, Qt.MouseButton.LeftButton)
    assert notice.sentence == ""
    assert window.current_state().declines_bridge
    window.desk.session.library_changed.emit()  # type: ignore[union-attr]
    await window.desk.session.companion.sync()  # type: ignore[union-attr]
    assert notice.sentence == ""


async def test_a_trouble_that_comes_again_is_told_once(
    demo_window: MainWindow, companion: Companion, demo_tavern: WrittenTavern
) -> None:
    notice = demo_window.frame.notice
    companion.trouble.emit((demo_tavern.chat, "The chat cannot be read now."))
    assert notice.sentence == "The chat cannot be read now."
    notice.close_shown()
    companion.trouble.emit((demo_tavern.chat, "The chat cannot be read now."))
    assert notice.sentence == ""


async def test_a_failure_stands_before_an_offer_and_gives_way_to_it(
    dressed: QApplication, window: MainWindow
) -> None:
    notice: Notice = window.frame.notice
    told: list[str] = []
    notice.acted.connect(told.append)
    notice.offer("second", "Something else, too.")
    notice.offer("first", "Something could be done.", way_on="Do it")
    notice.say("That went wrong.")
    assert (notice.sentence, notice.way_on) == ("That went wrong.", "")
    notice.close_shown()
    assert (notice.sentence, notice.way_on) == ("Something could be done.", "Do it")
    notice.take_up()
    assert told == ["first"]
    assert notice.sentence == "Something else, too."
    notice.withdraw("second")
    assert notice.isHidden()


async def test_what_can_be_taken_back_is_named_in_header_and_palette(
    demo_window: MainWindow, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    story = companion.story(demo_tavern.chat)
    assert story is not None
    button = demo_window.frame.header._undo
    assert button.isVisible()
    assert not button.isEnabled()
    await companion.edits.scenes.mark(demo_tavern.chat, story.messages[2].anchor)
    await until(button.isEnabled)
    assert button.toolTip() == "Undo: scene break at #2 (Ctrl Z)"
    assert demo_window.desk is not None
    shown = [action.text() for action, _ in demo_window.desk._shown_actions()]
    assert "Undo: scene break at #2" in shown
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    await until(lambda: demo_window.actions_["redo"].isEnabled())
    assert demo_window.actions_["redo"].toolTip() == "Redo: scene break at #2 (Ctrl Shift Z)"
