"""What keeps the program from its work has one line, with a way on, and takes it back by itself."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.companion import Companion
from app.work.scheduling.work_to_do import WorkToDo
from tests.labelled import WrittenTavern
from ui.program.main_window import MainWindow
from ui.settings.page import SettingsPage

Until = Callable[[Callable[[], bool]], Awaitable[None]]

GONE = "SillyTavern's folder is gone: /data."


async def test_a_folder_that_is_gone_is_the_one_thing_that_is_said(
    demo_window: MainWindow, companion: Companion, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That a chat in it was missed, too, came first and covered it."""
    notice, said = demo_window.frame.notice, ""
    monkeypatch.setattr(Companion, "folder_gone", property(lambda _: said))
    notice.say("The chat is no longer there.")
    said = GONE
    companion.health_changed.emit(companion.health)
    assert (notice.sentence, notice.way_on) == (GONE, "Choose the folder")
    said = ""
    companion.health_changed.emit(companion.health)
    assert notice.sentence == ""
    assert demo_window.frame.status.said == "SillyTavern's folder is there again."


async def test_a_full_disk_that_escape_closed_stays_closed(
    demo_window: MainWindow, companion: Companion, monkeypatch: pytest.MonkeyPatch
) -> None:
    notice, said = demo_window.frame.notice, "The disk is full; 3 changes wait."
    monkeypatch.setattr(type(companion.room), "sentence", property(lambda _: said))
    companion.health_changed.emit(companion.health)
    assert notice.sentence == said
    QTest.keyClick(demo_window, Qt.Key.Key_Escape)
    assert notice.sentence != said
    said = "The disk is full; 4 changes wait."
    companion.health_changed.emit(companion.health)
    demo_window.show_page("work")
    assert notice.sentence != said


async def test_a_refused_key_leads_to_its_field(
    demo_window: MainWindow, companion: Companion, monkeypatch: pytest.MonkeyPatch, until: Until
) -> None:
    await companion.put_setting("backend", "openai:small@http://localhost:9/v1")
    said = "http://localhost:9 asks for an API key (401). Enter one."
    monkeypatch.setattr(WorkToDo, "missing_key", property(lambda _: said))
    companion.health_changed.emit(companion.health)
    notice = demo_window.frame.notice
    assert (notice.sentence, notice.way_on) == (said, "Enter the key")
    notice.take_up()
    page = demo_window.page
    assert isinstance(page, SettingsPage)
    assert QApplication.focusWidget() is page.backend.key
    await until(lambda: not page.backend.key.visibleRegion().isEmpty())
    assert notice.sentence == ""
    said = ""
    companion.health_changed.emit(companion.health)
    said = "http://localhost:9 does not accept the API key (401). Check it."
    companion.health_changed.emit(companion.health)
    assert notice.sentence == said


async def test_answers_in_vain_are_told_with_both_ways_on(
    demo_window: MainWindow, companion: Companion, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = "4 jobs in a row got no usable answer. The last one: not in the form."
    monkeypatch.setattr(WorkToDo, "in_vain", property(lambda _: said))
    companion.work.pause()
    companion.health_changed.emit(companion.health)
    notice = demo_window.frame.notice
    assert notice.sentence.startswith(said)
    assert "paused" in notice.sentence
    assert (notice.way_on, notice.ways) == ("Test or change the model", ("Go on",))
    notice.choose("Go on")
    assert not companion.work.is_paused
    said = ""
    companion.health_changed.emit(companion.health)
    said = "3 requests in a row failed. The last one: the connection broke."
    companion.health_changed.emit(companion.health)
    notice.take_up()
    assert isinstance(demo_window.page, SettingsPage)


async def test_a_kind_of_work_that_waits_alone_is_named_with_both_ways_on(
    demo_window: MainWindow, companion: Companion, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = "Model for memory: 4 jobs in a row got no usable answer. The last one: not in the form."
    went_on: list[str] = []
    monkeypatch.setattr(WorkToDo, "held_in_vain", property(lambda _: said))
    monkeypatch.setattr(WorkToDo, "go_on_in_vain", lambda _: went_on.append("on"))
    companion.health_changed.emit(companion.health)
    notice = demo_window.frame.notice
    assert notice.sentence.startswith(said)
    assert "everything else continues" in notice.sentence
    assert (notice.way_on, notice.ways) == ("Test or change the model", ("Go on",))
    notice.choose("Go on")
    assert went_on == ["on"]
    said = ""
    companion.health_changed.emit(companion.health)
    assert notice.sentence == ""


async def test_the_last_chat_is_not_said_to_be_missed_where_its_folder_is_gone(
    demo_window: MainWindow, demo_tavern: WrittenTavern, companion: Companion, until: Until
) -> None:
    assert demo_window.desk is not None
    notice, folder = demo_window.frame.notice, demo_tavern.user_folder
    folder.rename(folder.with_name("elsewhere"))
    demo_window.open_path(demo_tavern.chat)
    await until(lambda: notice.way_on == "Choose the folder")
    assert str(folder) in notice.sentence
    assert "no longer there" not in notice.sentence
