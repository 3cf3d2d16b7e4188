"""What is at hand on every page: the history of changes, search, and how all parts are doing."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

from app.companion import Companion
from app.core.help_pages import help_pages
from app.core.part_health import HealthItem, Light
from app.work.pages.bridge_health import bridge_health
from tests.labelled import WrittenTavern
from ui.controls.labels import Label
from ui.core.actions import PAGE_ACTIONS
from ui.program.everywhere import Everywhere
from ui.program.main_window import MainWindow
from ui.program.story_stage import StoryStage
from ui.shell.command_palette import find_entries
from ui.shell.entries import ENTRY_ROLE
from ui.shell.history_sheet import BEFORE_ALL, HistorySheet
from ui.shell.search_sheet import HOW, NOTHING
from ui.shell.status_bar import StatusItem

Until = Callable[[Callable[[], bool]], Awaitable[None]]


def everywhere(window: MainWindow) -> Everywhere:
    assert window.desk is not None
    return window.desk.everywhere


def rows(sheet: HistorySheet) -> list[tuple[str, bool]]:
    """Label of each row, and whether it was taken back."""
    model = sheet.list.model()
    entries = [model.index(row, 0).data(ENTRY_ROLE) for row in range(model.rowCount())]
    return [(entry.text, entry.is_faded) for entry in entries]


async def test_the_history_goes_back_and_forth_by_a_press(
    demo_window: MainWindow, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    path, sheet = demo_tavern.chat, everywhere(demo_window).history
    story = companion.story(path)
    assert story is not None
    before = story.running.current
    for text in ("One.", "Two."):
        await companion.edits.edit_running_recap(path, text)

    def current() -> str:
        story = companion.story(path)
        return story.running.current.content if story and story.running.current else ""

    demo_window.actions_["history"].trigger()
    await until(sheet.isVisible)
    edit = "Edit of the running recap"
    assert rows(sheet) == [(edit, False), (edit, False), (BEFORE_ALL, False)]
    second = sheet.list.visualRect(sheet.list.model().index(1, 0)).center()
    QTest.mouseClick(sheet.list.viewport(), Qt.MouseButton.LeftButton, pos=second)
    await until(lambda: current() == "One.")
    assert not sheet.isVisible()

    demo_window.actions_["history"].trigger()
    await until(sheet.isVisible)
    assert rows(sheet) == [(edit, True), (edit, False), (BEFORE_ALL, False)]
    QTest.keyClick(sheet.list, Qt.Key.Key_Down)
    QTest.keyClick(sheet.list, Qt.Key.Key_Return)
    await until(lambda: before is not None and current() == before.content)
    assert "back to the beginning" in demo_window.frame.status.said

    demo_window.actions_["history"].trigger()
    await until(sheet.isVisible)
    QTest.keyClick(sheet.list, Qt.Key.Key_Up)
    QTest.keyClick(sheet.list, Qt.Key.Key_Up)
    QTest.keyClick(sheet.list, Qt.Key.Key_Return)
    await until(lambda: current() == "Two.")


async def test_a_chat_without_changes_says_so(demo_window: MainWindow, until: Until) -> None:
    sheet = everywhere(demo_window).history
    demo_window.actions_["history"].trigger()
    await until(sheet.isVisible)
    assert rows(sheet) == []
    assert not sheet.list.isVisible()
    QTest.keyClick(sheet, Qt.Key.Key_Escape)
    assert not sheet.isVisible()


async def test_search_finds_in_other_chats_and_leads_there(
    demo_window: MainWindow, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    other = demo_tavern.chat.with_name("Another.jsonl")
    header, *lines = demo_tavern.chat.read_text("utf-8").splitlines()
    lines[5] = json.dumps({**json.loads(lines[5]), "mes": "A zanthor sings on the quay."})
    other.write_text("\n".join([header, *lines[:9]]), "utf-8")
    await companion.search.index_all([other], lambda _done: None)
    demo_window.show_page("budgets")
    demo_window.actions_["search.all"].trigger()
    sheet = everywhere(demo_window).search_sheet
    QTest.keyClicks(sheet.field, "zanthor -lamp in:anoth")
    await until(lambda: sheet.list.model().rowCount() == 1)
    assert "#5" in sheet.list.model().index(0, 0).data()
    QTest.keyClick(sheet.field, Qt.Key.Key_Return)
    assert demo_window.desk is not None
    session = demo_window.desk.session
    await until(lambda: session.path == other)
    await until(lambda: demo_window.current_state().page == "story")
    stage = demo_window.page
    assert isinstance(stage, StoryStage)
    await until(lambda: stage.page.view.current_message() == 5)


async def test_a_press_reads_all_chats_for_the_search(
    demo_window: MainWindow, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    other = demo_tavern.chat.with_name("Another.jsonl")
    header, *lines = demo_tavern.chat.read_text("utf-8").splitlines()
    lines[5] = json.dumps({**json.loads(lines[5]), "mes": "A zanthor sings on the quay."})
    other.write_text("\n".join([header, *lines[:9]]), "utf-8")
    await companion.sync()
    demo_window.actions_["search.all"].trigger()
    sheet = everywhere(demo_window).search_sheet
    QTest.keyClicks(sheet.field, "zanthor")
    await until(lambda: sheet.words.text() == NOTHING)
    QTest.mouseClick(sheet.index, Qt.MouseButton.LeftButton)
    await until(lambda: sheet.list.model().rowCount() == 1)
    assert sheet.progress.text() == "All chats have been read."
    assert sheet.index.isEnabled()


async def test_search_says_what_it_takes_and_what_it_does_not_find(
    demo_window: MainWindow, until: Until
) -> None:
    demo_window.actions_["search.all"].trigger()
    sheet = everywhere(demo_window).search_sheet
    assert sheet.words.text() == HOW
    shown = {label.text(): label for label in sheet.forms.findChildren(Label)}
    assert {"-word", "who:Ada", "in:here", "kind:plot-threads"} <= shown.keys()
    assert all(one.width() >= one.sizeHint().width() for one in shown.values() if one.isVisible())
    assert sheet.rect().contains(sheet.forms.geometry())
    QTest.keyClicks(sheet.field, "tier:dreams x")
    await until(lambda: "no kind of memory" in sheet.words.text())
    assert not sheet.forms.isVisible()
    sheet.field.setText("quxquux")
    await until(lambda: sheet.words.text() == NOTHING)
    QTest.keyClick(sheet.field, Qt.Key.Key_Escape)
    assert not sheet.isVisible()


def _is_whole(label: QLabel) -> bool:
    """Whether a wrapped text has the room that it takes."""
    return label.height() >= label.heightForWidth(label.width())


async def test_health_names_each_part_and_its_button_does_the_next_thing(
    demo_window: MainWindow, companion: Companion, until: Until
) -> None:
    companion.work.pause()
    demo_window.actions_["health"].trigger()
    sheet = everywhere(demo_window).health_sheet
    assert sheet.isVisible()
    for part, row in sheet.rows.items():
        assert row.sentence.text() == getattr(companion.health, part).sentence
    assert not sheet.rows["backend"].fix.isVisible()
    long = HealthItem("backend", Light.BAD, "The model says a great deal about it. " * 4)
    whole = replace(companion.health, backend=long)
    sheet.show_health(whole, everywhere(demo_window)._remedy)
    await until(lambda: _is_whole(sheet.rows["backend"].sentence))
    QTest.mouseClick(sheet.rows["queue"].fix, Qt.MouseButton.LeftButton)
    assert not companion.work.is_paused
    assert not sheet.isVisible()
    demo_window.actions_["health"].trigger()
    QTest.mouseClick(sheet.rows["bridge"].fix, Qt.MouseButton.LeftButton)
    assert demo_window.current_state().page == "settings"


async def test_the_bridge_s_word_in_the_status_bar_leads_to_what_mends_it(
    demo_window: MainWindow,
    companion: Companion,
    monkeypatch: pytest.MonkeyPatch,
    until: Until,
) -> None:
    """A press opened the settings at their top, and nothing opened SillyTavern's page."""
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toString()))
    waits = bridge_health((), {}, is_listening=True, is_seeking=False, unplaced=(), unreached=())
    whole = replace(companion.health, bridge=waits)
    monkeypatch.setattr(type(companion), "health", property(lambda _: whole))
    companion.health_changed.emit(whole)
    bar, sheet = demo_window.frame.status, everywhere(demo_window).health_sheet
    (word,) = (item for item in bar.findChildren(StatusItem) if item.key == "bridge")
    QTest.mouseClick(word, Qt.MouseButton.LeftButton)
    assert sheet.isVisible()
    assert sheet.rows["bridge"].fix.text() == "Open SillyTavern"
    QTest.mouseClick(sheet.rows["bridge"].fix, Qt.MouseButton.LeftButton)
    await until(lambda: opened == ["http://127.0.0.1:8000"])
    bar.item_pressed.emit("sillytavern")
    assert demo_window.current_state().page == "settings"


async def test_the_report_names_no_chat_and_no_folder(
    demo_window: MainWindow, companion: Companion, demo_tavern: WrittenTavern
) -> None:
    demo_window.actions_["health"].trigger()
    sheet = everywhere(demo_window).health_sheet
    QTest.mouseClick(sheet.copy, Qt.MouseButton.LeftButton)
    report = QGuiApplication.clipboard().text()
    story = companion.story(demo_tavern.chat)
    assert story is not None
    assert f"messages of the chat that is shown: {len(story.messages)}" in report
    for told in (story.chat.owner_name, story.chat.title, str(demo_tavern.user_folder.parent)):
        assert told not in report
    sheet.close()


async def test_help_opens_by_its_key_and_finds_its_pages(demo_window: MainWindow) -> None:
    sheet = everywhere(demo_window).help_sheet
    demo_window.actions_["help"].trigger()
    assert sheet.isVisible()
    first = sheet.title.text()
    assert sheet.page.toPlainText()
    sheet.field.setText("macro")  # which an earlier page speaks of, too
    assert sheet.title.text() == "Macros" != first
    assert "macro" in sheet.page.toPlainText().casefold()
    sheet.field.setText("zzyzx")
    assert not sheet.page.isVisible()
    sheet.close()


async def test_the_word_looked_for_in_help_is_marked_and_in_sight(demo_window: MainWindow) -> None:
    sheet = everywhere(demo_window).help_sheet
    demo_window.actions_["help"].trigger()
    sheet.field.setText("copy")
    assert sheet.title.text() == "Your data and copies of chats"
    sheet.field.setText("“About this program”")  # at the end of that page
    marks = sheet.page.extraSelections()
    assert marks
    marked = marks[0].cursor
    area = sheet.page.cursorRect(marked)
    assert sheet.page.viewport().rect().intersects(area)
    sheet.field.setText("")
    assert not sheet.page.extraSelections()
    sheet.close()


async def test_help_names_every_page_of_the_window_with_its_key() -> None:
    page = next(page for page in help_pages() if page.title == "What each page is for")
    named = re.findall(r"^\| (.+?) \((Ctrl\+.)\) \|", page.text, re.MULTILINE)
    assert named == [(spec.name, spec.shortcuts[0]) for spec in PAGE_ACTIONS]


async def test_a_page_of_help_opens_from_the_palette(demo_window: MainWindow) -> None:
    desk, sheet = demo_window.desk, everywhere(demo_window).help_sheet
    assert desk is not None
    found = [e for e in find_entries("branches groups", (), None) if e.detail == "Help"]
    assert found
    desk._palette.help_chosen.emit(found[0].text, "branches groups")
    assert sheet.title.text() == found[0].text
    assert sheet.page.extraSelections()
    sheet.close()
