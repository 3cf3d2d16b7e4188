"""The list of scenes: chosen by click and key, found by typing, counted in the legend."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QAbstractItemModelTester, QSignalSpy
from pytestqt.qtbot import QtBot

from app.story.story import Story
from tests.ui.samples import story, with_states
from ui.controls.buttons import IconButton
from ui.controls.fields import Field
from ui.story.messages.message_model import empty_story
from ui.story.messages.settling_table import VisibleRange
from ui.story.scenes.bars import bars_of, no_bars
from ui.story.scenes.navigator import ROW, Navigator
from ui.story.scenes.scene_model import SceneModel
from ui.theme.source import ThemeSource


@pytest.fixture
def navigator(qtbot: QtBot, theme: ThemeSource) -> Navigator:
    shown = Navigator(theme)
    qtbot.addWidget(shown)
    shown.resize(256, 800)
    with qtbot.waitActive(shown, timeout=30_000):  # a real screen takes a moment
        shown.show()
        shown.activateWindow()
    return shown


def fill(navigator: Navigator, told: Story) -> None:
    navigator.set_story(told, bars_of(told, no_bars(), empty_story()))
    navigator.set_visible(VisibleRange(0, 3))


def test_a_click_chooses_the_scene(navigator: Navigator, qtbot: QtBot) -> None:
    fill(navigator, story(40, (9, 19, 29)))
    heard = QSignalSpy(navigator.scene_chosen)
    at = QPoint(100, ROW * 2 + 20)
    qtbot.mouseClick(navigator.list.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert heard.at(0) == [2]


def test_keys_choose_the_scene(navigator: Navigator, qtbot: QtBot) -> None:
    fill(navigator, story(40, (9, 19, 29)))
    navigator.set_visible(VisibleRange(12, 14))
    heard = QSignalSpy(navigator.scene_chosen)
    keys = (Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_End, Qt.Key.Key_Return)
    for key in keys:
        qtbot.keyClick(navigator.list, key)
    assert [heard.at(n)[0] for n in range(4)] == [2, 0, 3, 1]


def test_the_scene_that_is_read_is_marked(navigator: Navigator) -> None:
    fill(navigator, story(40, (9, 19, 29)))
    navigator.set_visible(VisibleRange(25, 33))
    assert navigator.scene == 2
    assert navigator.list.currentIndex().row() == 2


def test_typing_finds_scenes_by_name_and_number(navigator: Navigator, qtbot: QtBot) -> None:
    fill(navigator, story(200, tuple(range(9, 200, 10))))
    field = navigator.findChild(Field)
    assert field is not None
    assert field.isVisible()
    qtbot.keyClicks(field, "name 17")
    assert navigator.list.model().rowCount() == 1
    heard = QSignalSpy(navigator.scene_chosen)
    at = QPoint(100, 20)
    qtbot.mouseClick(navigator.list.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert heard.at(0) == [16]
    field.clear()
    assert navigator.list.model().rowCount() == 20


def test_what_was_looked_for_is_not_looked_for_in_another_chat(
    navigator: Navigator, qtbot: QtBot
) -> None:
    """A chat of eight scenes had an empty list, with no field to empty."""
    long = story(200, tuple(range(9, 200, 10)))
    other = replace(long, chat=replace(long.chat, path=long.chat.path.with_name("Other.jsonl")))
    field = navigator.findChild(Field)
    assert field is not None
    rows = navigator.list.model().rowCount
    for shown in (story(40, (9, 19, 29)), other):
        fill(navigator, long)
        qtbot.keyClicks(field, "17")
        assert rows() == 1
        fill(navigator, long)
        assert rows() == 1, "the same chat goes on"
        fill(navigator, shown)
        assert rows() == len(shown.scenes)
        assert field.text() == ""
    qtbot.keyClicks(field, "17")
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert rows() == len(other.scenes)


def test_few_scenes_need_no_filter(navigator: Navigator) -> None:
    fill(navigator, story(40, (9, 19, 29)))
    field = navigator.findChild(Field)
    assert field is not None
    assert not field.isVisible()


def test_the_legend_counts_and_names_every_state(navigator: Navigator) -> None:
    fill(navigator, with_states(story(60, (9, 19))))
    said = navigator.legend.accessibleName()
    assert "Failed 1" in said
    assert "Waiting 8" in said
    assert navigator.legend.has_recaps


def test_a_chat_without_recaps_has_a_quiet_legend(navigator: Navigator) -> None:
    fill(navigator, story(40, (9, 19)))
    assert not navigator.legend.has_recaps
    assert navigator.legend.accessibleName() == "No message has a recap of its own."


def test_every_row_paints_in_every_length(navigator: Navigator) -> None:
    fill(navigator, with_states(story(2_000, (4, 5, 900, 1_999))))
    assert not navigator.grab().isNull()


@pytest.mark.weakness(33)
def test_scenes_that_come_and_go_are_told_exactly(qapp: object) -> None:
    model = SceneModel()
    mode = QAbstractItemModelTester.FailureReportingMode.Fatal
    tester = QAbstractItemModelTester(model, mode)
    model.set_story(story(40, (9, 19)))
    resets = QSignalSpy(model.modelReset)
    for breaks in ((9, 19, 29), (9,), (), (4, 9, 14, 19)):
        model.set_story(story(40, breaks))
        assert model.rowCount() == len(breaks) + 1
        model.set_filter("name 1")
        model.set_filter("")
    assert resets.count() == 0
    del tester


def test_a_button_beside_the_scenes_asks_the_model_for_them(
    navigator: Navigator, qtbot: QtBot
) -> None:
    action = QAction("Find", navigator)
    heard = QSignalSpy(action.triggered)
    navigator.offer(action)
    (button,) = navigator.findChildren(IconButton)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    action.setEnabled(False)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert heard.count() == 1
