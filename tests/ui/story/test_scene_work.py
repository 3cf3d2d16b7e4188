"""Scenes are split, merged, hidden, shown and deleted from the page, each as one step."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

import msgspec
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from app.companion import Companion
from app.story.message_data import Mark
from app.story.messages import MessageRecap
from app.story.scenes import scenes_of
from app.story.story import Story
from tests.labelled import WrittenTavern
from tests.ui.samples import message, story
from tests.ui.story.conftest import ListeningSession
from ui.program.main_window import MainWindow
from ui.story.page import StoryPage

Until = Callable[[Callable[[], bool]], Awaitable[None]]
Key, Modifier = Qt.Key, Qt.KeyboardModifier


def press(
    qtbot: QtBot, page: StoryPage, key: Qt.Key, held: Qt.KeyboardModifier = Modifier.NoModifier
) -> None:
    page.view.setFocus()
    qtbot.keyClick(page.view, key, held)


def with_hidden_break(told: Story, index: int) -> Story:
    """The same story with the break on a message taken away."""
    anchor = told.messages[index].anchor
    marks = {**told.breaks, anchor: replace(told.breaks[anchor], is_visible=False)}
    return replace(told, breaks=marks, scenes=scenes_of(told.messages, marks))


def menu_texts(page: StoryPage) -> list[str]:
    page.view.menu_asked.emit(page.mapToGlobal(QPoint(60, 60)))
    menu = page.findChildren(QMenu)[-1]
    texts = [action.text() for action in menu.actions() if action.text()]
    menu.close()
    return texts


def test_a_break_inside_of_a_closed_scene_splits_it(
    page: StoryPage, session: ListeningSession, qtbot: QtBot
) -> None:
    session.show(story(40, (9, 19)))
    page.view.jump_to(14, selects=True)
    assert page.story_actions.split.text() == "Split scene 2 after #14"
    assert "Split scene 2 after #14" in menu_texts(page)
    press(qtbot, page, Key.Key_B)
    page.story_actions.split.trigger()
    assert session.companion.asked == [("scenes.split", "a000014")] * 2
    page.view.jump_to(30, selects=True)  # the open scene is only ended
    assert not page.story_actions.split.isEnabled()


@pytest.mark.parametrize(
    ("held", "anchor"),
    [
        (Modifier.ControlModifier, "a000019"),
        (Modifier.ControlModifier | Modifier.ShiftModifier, "a000009"),
    ],
)
def test_keys_merge_a_scene_with_its_neighbours(
    page: StoryPage,
    session: ListeningSession,
    qtbot: QtBot,
    held: Qt.KeyboardModifier,
    anchor: str,
) -> None:
    session.show(story(40, (9, 19)))
    page.view.jump_to_scene(1, selects=True)
    assert page.story_actions.merge_previous.text() == "Merge with scene 1 above"
    assert page.story_actions.merge_next.text() == "Merge with scene 3 below"
    press(qtbot, page, Key.Key_J, held)
    assert session.companion.asked == [("scenes.merge", anchor)]


def test_the_ends_of_the_story_have_no_neighbour_to_merge_with(
    page: StoryPage, session: ListeningSession
) -> None:
    session.show(story(40, (9, 19)))
    page.view.jump_to_scene(0, selects=True)
    assert not page.story_actions.merge_previous.isEnabled()
    page.view.jump_to_scene(2, selects=True)
    assert not page.story_actions.merge_next.isEnabled()


@pytest.mark.weakness(12)
def test_h_hides_a_break_and_shows_it_again(
    page: StoryPage, session: ListeningSession, qtbot: QtBot
) -> None:
    told = story(40, (9, 19))
    session.show(told)
    page.view.jump_to(9, selects=True)
    press(qtbot, page, Key.Key_H)
    session.change(with_hidden_break(told, 9))
    assert page.story_actions.toggle_break.text() == "Show break after #9"
    assert "Show break after #9" in menu_texts(page)
    press(qtbot, page, Key.Key_H)
    assert session.companion.asked == [("scenes.hide", "a000009"), ("scenes.mark", "a000009")]


def test_the_menu_of_a_scene_holds_what_can_be_done_with_it(
    page: StoryPage, session: ListeningSession
) -> None:
    session.show(story(40, (9, 19)))
    page.view.jump_to_scene(1, selects=True)
    assert menu_texts(page) == [
        "Rename scene",
        "Collapse scene",
        "Merge with scene 1 above",
        "Merge with scene 3 below",
        "Move break up",
        "Move break down",
        "Hide break before #10",
        "Delete break before #10 and its recaps",
        "Redo scene recap",
        "Rebuild running recap from scene 2",
        "Recap the 10 messages of scene 2",
        "Memories of this scene",
        "Find scene breaks with the model",
    ]


def test_the_menu_of_a_message_clears_its_recap(page: StoryPage, session: ListeningSession) -> None:
    told = story(40, (9, 19))
    session.show(replace(told, message_recaps={"a000014": MessageRecap(text="She waits.")}))
    page.view.jump_to(14, selects=True)
    page.story_actions.clear_recap.trigger()
    assert session.companion.asked == [("messages.clear", ("a000014",))]
    page.view.jump_to(15, selects=True)
    assert not page.story_actions.clear_recap.isEnabled()


def test_all_messages_of_a_scene_are_recapped_together(
    page: StoryPage, session: ListeningSession
) -> None:
    session.show(story(40, (9, 12)))
    page.view.jump_to(11, selects=True)
    page.story_actions.recap_scene_messages.trigger()
    assert session.companion.asked == [("messages.write", ("a000010", "a000011", "a000012"))]


def test_a_right_click_in_the_list_of_scenes_opens_the_menu_of_one(
    page: StoryPage, session: ListeningSession
) -> None:
    session.show(story(40, (9, 19)))
    page.navigator.menu_asked.emit(1, page.mapToGlobal(QPoint(50, 50)))
    menu = page.findChildren(QMenu)[-1]
    assert page.view.is_on_scene()
    assert page.view.current_scene() == 1
    assert page.story_actions.rename in menu.actions()
    menu.close()


async def test_a_drag_moves_the_break_in_one_step_that_can_be_undone(
    demo_window: MainWindow, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    path = demo_tavern.chat
    assert demo_window.desk is not None
    stage = demo_window.desk.story_stage
    assert stage is not None

    def ends() -> list[int]:
        told = companion.story(path)
        assert told is not None
        return [scene.last for scene in told.scenes]

    before = ends()
    stage.page.view.break_dropped.emit(2, before[2] - 1)
    await until(lambda: ends() != before)
    assert ends() == [*before[:2], before[2] - 1, *before[3:]]
    await until(lambda: stage.page.view.current_scene() == 3)
    await until(lambda: demo_window.actions_["undo"].text() == "Undo: moved end of scene 3")
    demo_window.actions_["undo"].trigger()
    await until(lambda: ends() == before)


async def test_split_and_merge_leave_the_story_as_it_was(
    demo_window: MainWindow, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    path = demo_tavern.chat
    assert demo_window.desk is not None
    stage = demo_window.desk.story_stage
    assert stage is not None
    page = stage.page
    count = len(page.story.scenes)
    page.view.jump_to(page.story.scenes[1].first, selects=True)
    page.story_actions.split.trigger()
    await until(lambda: len(page.story.scenes) == count + 1)
    page.view.jump_to_scene(1, selects=True)
    page.story_actions.merge_next.trigger()
    await until(lambda: len(page.story.scenes) == count)
    assert (await companion.edits.undo_labels(path))[0] == "merge of scenes 2 and 3"


# Several messages at once


def test_shift_chooses_several_messages_for_their_recaps(
    page: StoryPage, session: ListeningSession, qtbot: QtBot
) -> None:
    told = story(40, (9,))
    session.show(replace(told, message_recaps={"a000023": MessageRecap(text="She waits.")}))
    page.view.jump_to(22, selects=True)
    press(qtbot, page, Key.Key_Down, Modifier.ShiftModifier)
    press(qtbot, page, Key.Key_Down, Modifier.ShiftModifier)
    assert page.view.chosen_messages() == range(22, 25)
    texts = menu_texts(page)
    assert "Recap these 3 messages" in texts
    assert "Remember 3 recaps" in texts
    assert "Edit recap" not in texts
    page.story_actions.recap_message.trigger()
    page.story_actions.exclude.trigger()
    page.story_actions.clear_recap.trigger()
    three = ("a000022", "a000023", "a000024")
    assert session.companion.asked == [
        ("messages.write", three),
        ("messages.mark", three, Mark.EXCLUDED),
        ("messages.clear", three),
    ]
    press(qtbot, page, Key.Key_R)
    assert session.companion.asked[-1] == ("messages.write", three)
    press(qtbot, page, Key.Key_Down)
    assert page.view.chosen_messages() == range(0)


def test_shift_and_a_click_choose_all_between(
    page: StoryPage, session: ListeningSession, qtbot: QtBot
) -> None:
    lines = tuple(message(i, "A line.") for i in range(40))
    session.show(story(40, (9,), messages=lines))
    view = page.view
    view.jump_to(12, selects=True)

    def place(index: int) -> QPoint:
        area = view.row_rect(page.model.layout.row_of_message(index))
        return QPoint(view.column.text_left + 20, area.y() + 20)

    left, right = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton
    qtbot.mouseClick(view.viewport(), left, Modifier.ShiftModifier, place(15))
    assert view.chosen_messages() == range(12, 16)
    qtbot.mouseClick(view.viewport(), right, pos=place(13))  # a menu is for all that are chosen
    assert view.chosen_messages() == range(12, 16)
    assert not page.grab().isNull()
    qtbot.mouseClick(view.viewport(), left, pos=place(15))
    assert view.chosen_messages() == view.attention.chosen == range(0)


def test_messages_that_arrive_end_the_choice_of_several(
    page: StoryPage, session: ListeningSession, qtbot: QtBot
) -> None:
    session.show(story(40, (9,)))
    page.view.jump_to(22, selects=True)
    press(qtbot, page, Key.Key_Down, Modifier.ShiftModifier)
    session.change(story(41, (9,)), 40)
    assert page.view.chosen_messages() == range(0)
    page.story_actions.recap_message.trigger()
    assert session.companion.asked == [("messages.write", ("a000023",))]


def test_the_recap_of_the_swipe_before_is_offered_for_a_swipe(
    page: StoryPage, session: ListeningSession
) -> None:
    lines = list(story(40, (9,)).messages)
    lines[22] = msgspec.structs.replace(lines[22], swipe=1, swipes=2)
    session.show(story(40, (9,), messages=tuple(lines)))
    page.view.jump_to(22, selects=True)
    assert "Use the recap of the previous swipe" in menu_texts(page)
    page.story_actions.previous_recap.trigger()
    assert session.companion.asked == [("messages.take_from_previous_swipe", "a000022")]
    page.view.jump_to(23, selects=True)
    assert "Use the recap of the previous swipe" not in menu_texts(page)
