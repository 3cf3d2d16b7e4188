"""The keys that menus show do what the menus say, wherever the keyboard is in their lists."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, cast

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction, QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractItemView, QApplication, QMenu, QWidget

from ui.program.main_window import MainWindow
from ui.program.story_stage import StoryStage
from ui.recaps.page import RecapsPage

Until = Callable[[Callable[[], bool]], Awaitable[None]]
Keyboard = QContextMenuEvent.Reason.Keyboard


def menus() -> list[QMenu]:
    return [w for w in QApplication.topLevelWidgets() if isinstance(w, QMenu) and w.isVisible()]


def lists_of(window: MainWindow) -> list[QAbstractItemView]:
    """Those that are seen and have rows."""
    return [
        view
        for view in window.findChildren(QAbstractItemView)
        if view.isVisible() and view.model() is not None and view.model().rowCount()
    ]


def promised(view: QAbstractItemView) -> list[QAction]:
    """What the menu of the row with the cursor shows a key for, of what can be done now."""
    view.setFocus()
    event = QContextMenuEvent(Keyboard, QPoint(4, 4), view.mapToGlobal(QPoint(4, 4)))
    for target in (view.viewport(), view):
        QApplication.sendEvent(target, event)
        if menus():
            break
    found = [
        action
        for menu in menus()
        for action in menu.actions()
        if action.isEnabled() and action.shortcuts()
    ]
    for menu in menus():
        menu.close()
    return found


def press(view: QWidget, action: QAction) -> None:
    pressed = cast("Any", action.shortcut())[0]
    QTest.keyClick(view, pressed.key(), pressed.keyboardModifiers())


@pytest.mark.parametrize("page", ["story", "recaps", "work"])
async def test_each_key_that_a_lists_menu_shows_is_answered_in_that_list(
    page: str, demo_window: MainWindow, until: Until
) -> None:
    assert demo_window.desk is not None
    demo_window.desk.show_page(page)
    await until(lambda: bool(lists_of(demo_window)) or page == "work")
    silent: list[tuple[str, ...]] = []
    for view in lists_of(demo_window):
        if not view.currentIndex().isValid():
            view.setCurrentIndex(view.model().index(min(2, view.model().rowCount() - 1), 0))
        heard: list[str] = []
        for action in promised(view):
            # The window has the same command on its main button: then that one is pressed.
            key = action.shortcut()
            twins = [one for one in demo_window.findChildren(QAction) if one.shortcut() == key]
            for one in {*twins, action}:
                one.triggered.disconnect()
                one.triggered.connect(partial(heard.append, action.text()))
            view.setFocus()
            heard.clear()
            press(view, action)
            if heard != [action.text()]:
                silent.append((type(view).__name__, key.toString(), *heard))
    assert not silent


async def test_a_key_in_the_list_of_scenes_means_the_scene_that_is_marked_there(
    demo_window: MainWindow, until: Until
) -> None:
    assert demo_window.desk is not None
    stage = demo_window.desk._pages["story"]
    assert isinstance(stage, StoryStage)
    page, scenes = stage.page, stage.navigator.list
    page.view.jump_to(2, selects=True)  # in the first scene
    asked: list[tuple[str, int | None]] = []
    page.story_actions.asked.disconnect()
    page.story_actions.asked.connect(lambda name: asked.append((name, page.target().scene)))
    await until(lambda: scenes.model().rowCount() > 2)
    scenes.scene_chosen.emit(1)
    await until(lambda: stage.navigator.scene == 1)
    scenes.setFocus()
    QTest.keyClick(scenes, Qt.Key.Key_J, Qt.KeyboardModifier.ControlModifier)
    assert asked == [("merge_next", 1)]
    QTest.keyClick(scenes, Qt.Key.Key_J, Qt.KeyboardModifier.AltModifier)  # nobody's
    assert stage.navigator.scene == 1


async def test_keys_of_what_is_read_are_answered_in_the_list_of_versions(
    demo_window: MainWindow, until: Until
) -> None:
    assert demo_window.desk is not None
    demo_window.desk.show_page("recaps")
    page = demo_window.desk._pages["recaps"]
    assert isinstance(page, RecapsPage)
    await until(lambda: page.rail.list.model().rowCount() > 1)
    heard: list[str] = []
    for action in (page.commands.compare, page.commands.edit):
        action.triggered.disconnect()
        action.triggered.connect(partial(heard.append, action.text()))
        page.rail.list.setFocus()
        assert action.isEnabled()
        press(page.rail.list, action)
    assert heard == [page.commands.compare.text(), page.commands.edit.text()]
