"""One field finds commands, scenes and messages."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.story.story import Story
from tests.ui.samples import story
from ui.core.actions import ALSO_CALLED
from ui.core.actions import Actions as WindowActions
from ui.shell.command_palette import CommandPalette, find_entries


@pytest.fixture
def actions(qapp: QApplication) -> tuple[tuple[QAction, str], ...]:
    sync, undo = QAction("Sync"), QAction("Undo")
    undo.setEnabled(False)
    return ((sync, "sync"), (undo, "undo"))


Actions = tuple[tuple[QAction, str], ...]


def test_an_empty_field_lists_what_can_be_done_now(actions: Actions) -> None:
    assert [entry.text for entry in find_entries("", actions, story())] == ["Sync"]


def test_words_find_a_scene_by_name_or_number(actions: Actions) -> None:
    found = find_entries("name 2", actions, story())
    assert found[0].text == "Scene name 2"
    assert found[0].anchor == "a000010"


def test_a_text_finds_messages_newest_first(actions: Actions) -> None:
    found = find_entries("kettle HUMS", actions, story(8, ()))
    assert [entry.anchor for entry in found] == ["a000005", "a000001"]


def test_words_find_a_message_wherever_they_stand_in_it(actions: Actions) -> None:
    """ "oyelaran piano" found nothing, though two messages hold both."""
    found = find_entries("hums kettle", actions, story(8, ()))
    assert [entry.anchor for entry in found] == ["a000005", "a000001"]
    assert all("kettle" in entry.text for entry in found)
    of = story(2, ())
    texts = ("He hums, the old kettle.", "The kettle, he hums, hums the kettle.")
    said = tuple(
        msgspec.structs.replace(one, text=text)
        for one, text in zip(of.messages, reversed(texts), strict=True)
    )
    found = find_entries("hums the kettle", actions, replace(of, messages=said))
    assert [entry.anchor for entry in found] == ["a000000", "a000001"], "as it was typed first"


def test_help_comes_while_something_is_looked_for(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    palette = CommandPalette(tuple, lambda: None)
    qtbot.addWidget(palette)
    palette.open_over(window)
    with qtbot.waitSignal(palette.help_chosen) as heard:
        qtbot.keyClick(palette._field, Qt.Key.Key_F1)
    assert heard.args == ["", ""]
    assert not palette.isVisible()


def told(text: str) -> Story:
    of = story(1, ())
    return replace(of, messages=(msgspec.structs.replace(of.messages[0], text=text),))


@pytest.mark.parametrize("needle", ["kettle", "ettle hums", "sang"])
def test_what_a_message_is_found_by_is_shown_from_the_beginning_of_a_word(
    actions: Actions, needle: str
) -> None:
    of = told("Towards the middle of the afternoon the old kettle hums again; nobody sang along.")
    (found,) = find_entries(needle, actions, of)
    begin = found.text.removeprefix("\u2026").split(" ")[0]
    assert begin in of.messages[0].text.split(" ")
    assert needle in found.text


def test_without_a_story_only_commands_are_found(actions: Actions) -> None:
    assert [entry.text for entry in find_entries("syn", actions, None)] == ["Sync"]


def test_an_action_is_found_by_other_words_for_it(actions: Actions) -> None:
    sync = actions[0][0]
    sync.setProperty(ALSO_CALLED, "refresh")
    assert find_entries("refresh", actions, None)[0].text == "Sync"


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("language", "Language"),
        ("uninstall", "Settings"),
        ("exit", "Close Tavernkeep"),
        ("first run", "Set up step by step"),
        ("bug", "How Tavernkeep is doing"),
    ],
)
def test_what_newcomers_type_finds_the_way(qtbot: QtBot, words: str, name: str) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    actions = tuple((action, "") for action in WindowActions(window).all())
    assert [entry.text for entry in find_entries(words, actions, None)][:1] == [name]


def test_a_search_without_a_result_says_so(actions: Actions, qtbot: QtBot) -> None:
    palette = CommandPalette(lambda: actions, lambda: None)
    qtbot.addWidget(palette)
    palette._field.setText("zzyzx")
    palette.search()
    assert palette._nothing.isVisibleTo(palette)
    assert not palette._list.isVisibleTo(palette)
    palette._field.setText("sync")
    palette.search()
    assert not palette._nothing.isVisibleTo(palette)
    palette._settle.stop()


def test_a_setting_is_found_by_its_name_before_what_is_only_also_called_so(
    actions: Actions,
) -> None:
    sync = actions[0][0]
    sync.setProperty(ALSO_CALLED, "theme")
    found = find_entries("theme", actions, story())
    assert [(entry.text, entry.detail) for entry in found[:2]] == [("Theme", "Look"), ("Sync", "")]
    assert found[0].value == "theme"
    assert all(entry.value is None for entry in find_entries("", actions, story()))


@pytest.mark.parametrize("words", ["light", "dark", "high"])
def test_what_a_setting_can_be_set_to_finds_it_before_the_page(
    actions: Actions, words: str
) -> None:
    """ "Hell" put the page of settings first, whose top it led to."""
    found = [entry.text for entry in find_entries(words, actions, None)]
    assert found[0] in ("Theme", "Contrast")


def test_marks_of_emphasis_are_not_shown_in_a_find(actions: Actions) -> None:
    told = story(8, ())
    first = msgspec.structs.replace(told.messages[0], text="*She waits* by the *rowan* tree.")
    (found,) = find_entries("rowan", actions, replace(told, messages=(first, *told.messages[1:])))
    assert found.text == "She waits by the rowan tree."
