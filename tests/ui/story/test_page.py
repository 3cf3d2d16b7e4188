"""The story page: what a reader does reaches the Companion, what it says reaches the page."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QSignalSpy
from PySide6.QtWidgets import QAbstractButton, QApplication, QMenu
from pytestqt.qtbot import QtBot

from app.story.inclusion import Inclusion, InclusionState
from app.story.message_data import Mark
from app.story.messages import MessageRecap
from app.story.recaps import RunningRecap, RunningVersion, SceneRecap
from app.story.story import Story
from tests.ui.samples import message, story, with_states
from tests.ui.story.conftest import ListeningSession
from ui.story.messages import geometry as geo
from ui.story.messages.inline_editors import NameEditor, RecapEditor
from ui.story.messages.message_delegate import state_sentence
from ui.story.page import StoryPage
from ui.story.scenes.strip import Clips
from ui.story.story_actions import ONLY_SHOW

Key = Qt.Key
Modifier = Qt.KeyboardModifier
LEFT = Qt.MouseButton.LeftButton


def press(qtbot: QtBot, page: StoryPage, key: Qt.Key, *modifiers: Qt.KeyboardModifier) -> None:
    page.view.setFocus()
    held = Qt.KeyboardModifier.NoModifier
    for modifier in modifiers:
        held |= modifier
    qtbot.keyClick(page.view, key, held)


def test_before_a_chat_is_opened_the_page_says_what_it_is_for(
    page: StoryPage, session: ListeningSession, qtbot: QtBot
) -> None:
    buttons = {b.text(): b for b in page.findChildren(QAbstractButton) if b.isVisible()}
    assert {"Choose a chat", "Open the demo story"} <= set(buttons)
    wanted = QSignalSpy(page.chat_wanted)
    qtbot.mouseClick(buttons["Choose a chat"], LEFT)
    qtbot.mouseClick(buttons["Open the demo story"], LEFT)
    assert wanted.count() == 1
    assert session.opened == ["the demo"]
    assert not page.strip.isVisible()


def test_a_chat_fills_column_strip_and_navigator(
    page: StoryPage, session: ListeningSession
) -> None:
    session.show(story(40, (9, 19, 29)))
    assert page.view.isVisible()
    assert page.strip.isVisible()
    assert page.view.visible.last == 39
    assert page.navigator.list.model().rowCount() == 4
    assert page.navigator.scene == 3


def test_a_page_made_late_shows_the_chat_that_is_open(
    qtbot: QtBot, session: ListeningSession, page: StoryPage
) -> None:
    session.story = story(40, (9,))
    late = StoryPage(session)  # type: ignore[arg-type]
    qtbot.addWidget(late)
    qtbot.addWidget(late.navigator)
    assert late.model.rowCount() == 42


def test_an_empty_chat_says_so(page: StoryPage, session: ListeningSession) -> None:
    session.show(story(0, ()))
    assert not page.view.isVisible()


def test_reading_shows_rows_and_then_the_chat(page: StoryPage, session: ListeningSession) -> None:
    session.reading.emit(True)
    assert not page.view.isVisible()
    session.reading.emit(False)
    session.show(story(40, (9,)))
    assert page.view.isVisible()


def test_a_failed_reading_keeps_the_chat_that_was_open(
    page: StoryPage, session: ListeningSession
) -> None:
    session.show(story(40, (9,)))
    session.reading.emit(True)
    session.reading.emit(False)
    assert page.view.isVisible()


def test_a_new_message_is_inserted_and_nothing_is_reset(
    page: StoryPage, session: ListeningSession
) -> None:
    session.show(story(40, (9,)))
    resets = QSignalSpy(page.model.modelReset)
    inserted = QSignalSpy(page.model.rowsInserted)
    session.change(story(41, (9,)), 40)
    assert (resets.count(), inserted.count()) == (0, 1)
    assert page.view.visible.last == 40


def test_break_here_ends_the_scene_with_the_current_message(
    page: StoryPage, session: ListeningSession, qtbot: QtBot
) -> None:
    session.show(story(40, (9,)))
    page.view.jump_to(22, selects=True)
    press(qtbot, page, Key.Key_B)
    page.break_here.trigger()
    assert session.companion.asked == [("scenes.mark", "a000022")] * 2


def test_safe_mode_offers_nothing_that_it_would_refuse(
    qtbot: QtBot, session: ListeningSession, page: StoryPage
) -> None:
    session.companion.is_reading_only = True
    session.story = story(40, (9, 19))
    safe = StoryPage(session)  # type: ignore[arg-type]
    qtbot.addWidget(safe)
    qtbot.addWidget(safe.navigator)
    safe.resize(900, 700)
    safe.show()
    safe.view.jump_to(22, selects=True)
    assert not safe.break_here.isEnabled()
    assert "Start normally" in safe.break_here.toolTip()
    offered = {action.objectName() for action in safe.actions() if action.isEnabled()}
    assert offered <= {f"story.{name}" for name in ONLY_SHOW}
    for key in (Key.Key_B, Key.Key_Left, Key.Key_F2, Key.Key_E, Key.Key_M):
        press(qtbot, safe, key)
    row = safe.model.layout.row_of_message(22)
    tool = geo.tool_rect(safe.view.row_rect(row), safe.view.column, "remember").center()
    qtbot.mouseClick(safe.view.viewport(), LEFT, pos=tool)
    assert session.companion.asked == []
    assert not safe.findChildren(NameEditor)[0].isVisible()


def test_without_a_current_message_the_newest_is_meant(
    page: StoryPage, session: ListeningSession
) -> None:
    session.show(story(40, (9,)))
    page.break_here.trigger()
    assert session.companion.asked == [("scenes.mark", "a000039")]


def test_a_scene_cannot_be_ended_twice(page: StoryPage, session: ListeningSession) -> None:
    session.show(story(40, (9,)))
    page.view.jump_to(9, selects=True)
    assert not page.break_here.isEnabled()
    assert page.story_actions.toggle_break.text() == "Hide break after #9"
    page.story_actions.toggle_break.trigger()
    assert session.companion.asked == [("scenes.hide", "a000009")]


def test_on_a_divider_the_break_above_it_is_removed(
    page: StoryPage, session: ListeningSession
) -> None:
    session.show(story(40, (9, 19)))
    page.view.jump_to_scene(1, selects=True)
    assert page.story_actions.toggle_break.text() == "Hide break before #10"
    page.story_actions.toggle_break.trigger()
    assert session.companion.asked == [("scenes.hide", "a000009")]


@pytest.mark.parametrize(
    ("key", "mark"), [(Key.Key_M, Mark.REMEMBERED), (Key.Key_X, Mark.EXCLUDED)]
)
def test_keys_mark_the_current_message(
    page: StoryPage, session: ListeningSession, qtbot: QtBot, key: Qt.Key, mark: Mark
) -> None:
    session.show(story(40, (9,)))
    page.view.jump_to(22, selects=True)
    press(qtbot, page, key)
    assert session.companion.asked == [("messages.mark", ("a000022",), mark)]


def test_the_scissors_of_a_message_end_the_scene_there(
    page: StoryPage, session: ListeningSession, qtbot: QtBot
) -> None:
    session.show(story(40, (9,)))
    page.view.jump_to(22)
    view = page.view
    row = view.row_rect(page.model.layout.row_of_message(23))
    at = geo.tool_rect(row, view.column, "break").center()
    qtbot.mouseClick(view.viewport(), LEFT, pos=at)
    assert session.companion.asked == [("scenes.mark", "a000023")]


def test_left_folds_and_right_unfolds(
    page: StoryPage, session: ListeningSession, qtbot: QtBot
) -> None:
    session.show(story(40, (9, 19)))
    page.view.jump_to(12, selects=True)
    press(qtbot, page, Key.Key_Left)
    session.change(story(40, (9, 19), folded=(19,)))
    assert page.view.is_on_scene()
    press(qtbot, page, Key.Key_Right)
    asked = session.companion.asked
    assert asked == [("scenes.collapse", "a000019", True), ("scenes.collapse", "a000019", False)]


def test_the_open_scene_is_not_folded(
    page: StoryPage, session: ListeningSession, qtbot: QtBot
) -> None:
    session.show(story(40, (9, 19)))
    page.view.jump_to(30, selects=True)
    press(qtbot, page, Key.Key_Left)
    assert session.companion.asked == []
    assert not page.story_actions.rename.isEnabled()


def test_f2_renames_the_scene_over_its_divider(
    page: StoryPage, session: ListeningSession, qtbot: QtBot
) -> None:
    session.show(story(40, (9, 19)))
    page.view.jump_to_scene(1, selects=True)
    press(qtbot, page, Key.Key_F2)
    editor = page.findChild(NameEditor)
    assert editor is not None
    assert editor.isVisible()
    assert editor.text() == "Scene name 2"
    editor.selectAll()
    qtbot.keyClicks(editor, "The long way")
    qtbot.keyClick(editor, Key.Key_Return)
    assert session.companion.asked == [("scenes.rename", "a000019", "The long way")]
    assert not editor.isVisible()


def test_f2_offers_the_name_that_the_list_and_the_heading_show(
    page: StoryPage, session: ListeningSession, qtbot: QtBot
) -> None:
    """It offered the name that a cue had found, which nobody saw any more."""
    shown = story(40, (9, 19))
    recap = SceneRecap("a000019", 0, "The letter in the lute", "They read it.", "", "m", 1.0)
    session.show(replace(shown, recaps={"a000019": (recap,)}))
    page.view.jump_to_scene(1, selects=True)
    press(qtbot, page, Key.Key_F2)
    editor = page.findChild(NameEditor)
    assert editor is not None
    assert editor.text() == "The letter in the lute"


def test_escape_keeps_the_old_name(
    page: StoryPage, session: ListeningSession, qtbot: QtBot
) -> None:
    session.show(story(40, (9, 19)))
    page.view.jump_to_scene(1, selects=True)
    press(qtbot, page, Key.Key_F2)
    editor = page.findChild(NameEditor)
    assert editor is not None
    qtbot.keyClicks(editor, "x")
    qtbot.keyClick(editor, Key.Key_Escape)
    assert session.companion.asked == []
    assert not editor.isVisible()


def test_letters_typed_into_the_name_are_letters(
    page: StoryPage, session: ListeningSession, qtbot: QtBot
) -> None:
    session.show(story(40, (9, 19)))
    page.view.jump_to_scene(1, selects=True)
    press(qtbot, page, Key.Key_F2)
    editor = page.findChild(NameEditor)
    assert editor is not None
    editor.selectAll()
    qtbot.keyClicks(editor, "bmxre")
    assert editor.text() == "bmxre"
    assert session.companion.asked == []


def test_a_recap_is_written_by_hand_under_its_message(
    page: StoryPage, session: ListeningSession, qtbot: QtBot
) -> None:
    session.show(with_states(story(40, (9, 19))))
    page.view.jump_to(12, selects=True)
    press(qtbot, page, Key.Key_E)
    editor = page.findChild(RecapEditor)
    assert editor is not None
    assert editor.isVisible()
    editor.prose.selectAll()
    qtbot.keyClicks(editor.prose, "She waits.")
    qtbot.keyClick(editor.prose, Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert session.companion.asked == [("messages.edit", "a000012", "She waits.")]


def test_the_editor_of_a_message_s_recap_shows_how_it_is_kept_and_left(
    page: StoryPage, session: ListeningSession, qtbot: QtBot
) -> None:
    """It had neither button nor hint, and Ctrl+S, which keeps a recap elsewhere, did nothing."""
    session.show(with_states(story(40, (9, 19))))
    page.view.jump_to(12, selects=True)
    editor = page.findChild(RecapEditor)
    assert editor is not None

    def write(words: str) -> None:
        press(qtbot, page, Key.Key_E)
        editor.prose.selectAll()
        qtbot.keyClicks(editor.prose, words)

    write("She waits.")
    qtbot.keyClick(editor.prose, Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    assert not editor.isVisible()
    write("She goes.")
    qtbot.mouseClick(editor.keep, Qt.MouseButton.LeftButton)
    asked = [("messages.edit", "a000012", words) for words in ("She waits.", "She goes.")]
    assert session.companion.asked == asked
    write("She stays.")
    qtbot.mouseClick(editor.drop, Qt.MouseButton.LeftButton)
    assert not editor.isVisible()
    assert session.companion.asked == asked


@pytest.mark.parametrize(
    ("has_recap", "deed"),
    [(True, ("messages.write", ("a000012",))), (False, ("redo_scene_recap", "a000019"))],
)
def test_r_redoes_the_messages_recap_or_else_the_scenes(
    page: StoryPage,
    session: ListeningSession,
    qtbot: QtBot,
    has_recap: bool,
    deed: tuple[object, ...],
) -> None:
    plain = story(40, (9, 19))
    session.show(with_states(plain) if has_recap else plain)
    page.view.jump_to(12, selects=True)
    press(qtbot, page, Key.Key_R)
    assert session.companion.asked == [deed]


def test_alt_down_goes_to_the_next_scene(
    page: StoryPage, session: ListeningSession, qtbot: QtBot
) -> None:
    session.show(story(80, (9, 19, 39)))
    page.view.jump_to(12, selects=True)
    press(qtbot, page, Key.Key_Down, Qt.KeyboardModifier.AltModifier)
    assert page.view.current_scene() == 2
    press(qtbot, page, Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert page.view.current_scene() == 1


def test_a_scene_chosen_in_the_navigator_is_shown(
    page: StoryPage, session: ListeningSession
) -> None:
    session.show(story(80, (9, 19, 39)))
    page.navigator.scene_chosen.emit(1)
    assert page.view.visible.first == 10
    assert page.navigator.scene == 1


def test_a_click_on_the_strip_shows_its_message(
    page: StoryPage, session: ListeningSession, qtbot: QtBot
) -> None:
    told = story(200, (49, 99))
    session.show(told)
    clips = Clips(told, page.strip.width())
    clip = clips[1]
    qtbot.mouseClick(page.strip, LEFT, pos=QPoint(round(clip.x_of(70) + clip.bar_width / 2), 40))
    assert page.view.visible.first == 70


def test_the_menu_of_a_message_holds_its_actions(
    page: StoryPage, session: ListeningSession, qtbot: QtBot
) -> None:
    session.show(story(40, (9,)))
    page.view.jump_to(22, selects=True)
    page.view.menu_asked.emit(page.mapToGlobal(QPoint(100, 100)))
    menu = page.findChild(QMenu)
    assert menu is not None
    assert next(a.text() for a in menu.actions() if a.text()) == "Break scene here"
    assert page.story_actions.remember in menu.actions()
    menu.close()


# Find


def test_find_steps_through_the_messages_that_hold_a_text(
    page: StoryPage, session: ListeningSession, qtbot: QtBot
) -> None:
    shown = list(story(60, ()).messages)
    for index in (5, 20, 44):
        shown[index] = message(index, "The heron again.")
    session.show(story(messages=tuple(shown), breaks=(9,)))
    page.view.jump_to(10)
    press(qtbot, page, Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    bar = page.find_bar
    assert bar.isVisible()
    qtbot.keyClicks(bar.field, "HERON")
    qtbot.waitUntil(lambda: not bar.is_searching)
    assert bar.hits == (5, 20, 44)
    assert page.view.current_message() == 20
    assert bar.count_text == "2 of 3"
    qtbot.keyClick(bar.field, Key.Key_Return)
    assert page.view.current_message() == 44
    qtbot.keyClick(bar.field, Key.Key_Return)
    assert page.view.current_message() == 5
    qtbot.keyClick(bar.field, Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert page.view.current_message() == 44
    assert page.view.attention.found == "HERON"
    qtbot.keyClick(bar.field, Key.Key_Escape)
    assert not bar.isVisible()
    assert page.view.attention.found == ""


def test_find_says_when_there_is_nothing(
    page: StoryPage, session: ListeningSession, qtbot: QtBot
) -> None:
    session.show(story(60, ()))
    page.find_bar.open_at(0)
    qtbot.keyClicks(page.find_bar.field, "no such thing")
    qtbot.waitUntil(lambda: not page.find_bar.is_searching)
    assert page.find_bar.count_text == "Not found"


def test_find_unfolds_the_scene_that_holds_the_text(
    page: StoryPage, session: ListeningSession, qtbot: QtBot
) -> None:
    shown = list(story(60, ()).messages)
    shown[5] = message(5, "The heron again.")
    session.show(story(messages=tuple(shown), breaks=(9, 19), folded=(9,)))
    page.find_bar.open_at(0)
    qtbot.keyClicks(page.find_bar.field, "heron")
    qtbot.waitUntil(lambda: not page.find_bar.is_searching)
    assert session.companion.asked == [("scenes.collapse", "a000009", False)]


def test_find_hears_of_messages_that_arrive(
    page: StoryPage, session: ListeningSession, qtbot: QtBot
) -> None:
    session.show(story(60, ()))
    page.find_bar.open_at(0)
    qtbot.keyClicks(page.find_bar.field, "heron")
    qtbot.waitUntil(lambda: not page.find_bar.is_searching)
    grown = (*story(60, ()).messages, message(60, "The heron again."))
    session.change(story(messages=grown, breaks=()), 60)
    qtbot.waitUntil(lambda: page.find_bar.hits == (60,))


def test_tab_reaches_strip_and_column(
    page: StoryPage, session: ListeningSession, qtbot: QtBot
) -> None:
    session.show(story(40, (9,)))
    page.setFocus()
    assert page.view.hasFocus()
    reached = set()
    for _ in range(6):
        page.window().focusNextPrevChild(True)
        reached.add(QApplication.focusWidget())
    assert {page.strip, page.view} <= reached


def recapped(told: Story, anchor: str, made_by: str = "qwen3:14b") -> Story:
    """The same story with a recap of the scene that ends at `anchor`."""
    recap = SceneRecap(anchor, 0, "", "What happened.", "digest", made_by, 0.0)
    return replace(told, recaps={anchor: (recap,)})


def redo_spot(page: StoryPage, scene: int) -> QPoint:
    area = page.view.row_rect(page.model.layout.row_of_scene(scene))
    return QPoint(page.view.column.text_right - 30, area.y() + geo.DIVIDER_HEIGHT // 2)


def test_a_stale_scene_says_so_and_is_redone_by_a_click_or_r(
    page: StoryPage, session: ListeningSession, qtbot: QtBot
) -> None:
    session.companion.edits.stale = {"a000019"}
    session.show(recapped(story(40, (9, 19)), "a000019"))
    page.view.jump_to_scene(1)
    row = page.model.scene_row(page.model.layout.row_of_scene(1))
    assert row is not None
    assert row.is_stale
    qtbot.mouseClick(page.view.viewport(), LEFT, pos=redo_spot(page, 1))
    press(qtbot, page, Key.Key_R)
    assert session.companion.asked == [("redo_scene_recap", "a000019")] * 2


def test_a_fresh_scene_has_nothing_to_click_there(
    page: StoryPage, session: ListeningSession, qtbot: QtBot
) -> None:
    session.show(recapped(story(40, (9, 19)), "a000019"))
    page.view.jump_to_scene(1)
    qtbot.mouseClick(page.view.viewport(), LEFT, pos=redo_spot(page, 1))
    assert session.companion.asked == []


def test_a_stand_in_is_shown_as_one(page: StoryPage, session: ListeningSession) -> None:
    session.show(recapped(story(40, (9, 19)), "a000019", "built-in, in place of qwen3:14b"))
    row = page.model.scene_row(page.model.layout.row_of_scene(1))
    assert row is not None
    assert row.stand_in == "Built-in, in place of qwen3:14b"
    page.view.jump_to_scene(1)
    assert not page.grab().isNull()


def test_keys_move_a_break_and_stay_on_it(
    page: StoryPage, session: ListeningSession, qtbot: QtBot
) -> None:
    session.show(story(40, (9, 19)))
    page.view.jump_to_scene(1, selects=True)
    press(qtbot, page, Key.Key_Down, Modifier.AltModifier | Modifier.ShiftModifier)
    assert session.companion.asked == [("scenes.move", "a000009", "a000010")]
    session.change(story(40, (10, 19)))
    assert page.view.is_on_scene()
    assert page.view.current_scene() == 1
    press(qtbot, page, Key.Key_Up, Modifier.AltModifier | Modifier.ShiftModifier)
    assert session.companion.asked[-1] == ("scenes.move", "a000010", "a000009")


def test_a_break_moved_from_its_message_takes_the_reader_along(
    page: StoryPage, session: ListeningSession, qtbot: QtBot
) -> None:
    session.show(story(40, (9, 19)))
    page.view.jump_to(9, selects=True)
    press(qtbot, page, Key.Key_Up, Modifier.AltModifier | Modifier.ShiftModifier)
    session.change(story(40, (8, 19)))
    assert page.view.current_message() == 8
    assert page.story_actions.move_up.isEnabled()


def test_a_break_stays_between_its_neighbours(page: StoryPage, session: ListeningSession) -> None:
    session.show(story(40, (9, 10, 12)))
    actions = page.story_actions
    page.view.jump_to_scene(2, selects=True)  # the break on #10 ends a scene of one message
    assert not actions.move_up.isEnabled()
    assert actions.move_down.isEnabled()
    page.view.jump_to_scene(1, selects=True)  # the scene behind the break on #9 has one message
    assert actions.move_up.isEnabled()
    assert not actions.move_down.isEnabled()
    page.view.jump_to(5, selects=True)
    assert not actions.move_up.isEnabled()


def test_the_menu_of_a_scene_rebuilds_from_it_and_deletes_its_break(
    page: StoryPage, session: ListeningSession
) -> None:
    told = story(40, (9, 19))
    version = RunningVersion(0, "So far.", 1, "", "a000009", "you", 0.0)
    session.show(replace(told, running=RunningRecap((version,), 0)))
    page.view.jump_to_scene(1, selects=True)
    actions = page.story_actions
    assert actions.rebuild.text() == "Rebuild running recap from scene 2"
    actions.rebuild.trigger()
    actions.delete_break.trigger()
    assert session.companion.asked == [
        ("rebuild_running_recap", "a000019"),
        ("scenes.delete", "a000009"),
    ]


def test_the_menu_says_how_many_messages_lack_a_recap(
    page: StoryPage, session: ListeningSession, qtbot: QtBot
) -> None:
    session.show(story(40, (9,)))
    page.view.jump_to(22, selects=True)
    page._show_menu(page.mapToGlobal(QPoint(50, 50)))
    menu = page.findChild(QMenu)
    assert menu is not None
    texts = [action.text() for action in menu.actions()]
    assert "Recap 3 messages without one" in texts
    assert "Recap this message" in texts
    menu.close()
    press(qtbot, page, Key.Key_R, Modifier.ShiftModifier)
    page.story_actions.recap_missing.trigger()
    assert session.companion.asked == [
        ("messages.write", ("a000022",)),
        ("messages.write_missing",),
    ]


def test_a_message_is_shown_in_sillytavern_while_its_page_shows_the_chat(
    page: StoryPage, session: ListeningSession, qtbot: QtBot
) -> None:
    session.show(story(40, (9,)))
    page.view.jump_to(22, selects=True)
    show = page.story_actions.show_in_page
    assert not show.isEnabled()
    assert show.toolTip() == "SillyTavern is not showing this chat right now."
    session.companion.page.is_shown = True
    session.health_changed.emit(None)
    assert show.isEnabled()
    press(qtbot, page, Key.Key_S, Modifier.ShiftModifier)
    assert session.companion.asked == [("page.go_to", "a000022")]


def test_a_message_is_left_out_of_memory_and_says_so(
    page: StoryPage, session: ListeningSession, qtbot: QtBot
) -> None:
    session.show(story(40, (9,)))
    page.show_message(20)
    leave = page.story_actions.leave_out
    assert leave in page.story_actions.for_message(page.target())
    told: list[str] = []
    session.told.connect(told.append)
    press(qtbot, page, Key.Key_X, Modifier.ShiftModifier)
    assert session.companion.asked == [("bounds.toggle", ("a000020",))]
    assert not told
    session.companion.reading_bounds.stays = 2  # nothing said that what was noted goes on to count
    press(qtbot, page, Key.Key_X, Modifier.ShiftModifier)
    assert "2 memories that come from there stay" in told[0]
    assert not leave.isChecked()
    session.companion.reading_bounds.anchors = frozenset({"a000020"})
    session.health_changed.emit(None)
    assert leave.isChecked()
    assert page.model.message_at(20).is_left_out
    index = page.model.index(page.model.layout.row_of_message(20), 0)
    spoken = page.model.data(index, Qt.ItemDataRole.AccessibleTextRole)
    assert "Not read for memory." in spoken
    assert not page.model.message_at(21).is_left_out


def test_leaving_out_a_recap_says_what_it_does_where_there_is_none(
    page: StoryPage, session: ListeningSession
) -> None:
    told = story(4, ())
    recap = MessageRecap(is_excluded=True)
    out = Inclusion(InclusionState.EXCLUDED, "You left its recap out.")
    told = replace(
        told,
        message_recaps={told.messages[1].anchor: recap},
        inclusion=(told.inclusion[0], out, *told.inclusion[2:]),
    )
    session.show(told)
    page.show_message(1)
    assert "No recap yet" in page.story_actions.exclude.toolTip()
    assert state_sentence(page.model.message_at(1)).startswith("No recap yet. One written")
    told = replace(told, message_recaps={told.messages[1].anchor: MessageRecap("It rained.", True)})
    session.change(told)
    page.show_message(1)
    assert "no recap yet" not in page.story_actions.exclude.toolTip()
    assert state_sentence(page.model.message_at(1)) == "You left its recap out."


def test_what_comes_while_another_page_is_in_front_is_taken_in_by_itself(
    page: StoryPage, session: ListeningSession, qtbot: QtBot
) -> None:
    """Whoever looks at another page waits for that one alone; shown again, all is there at once."""
    session.show(story(40, (9, 19)))
    page.hide()
    session.change(story(41, (9, 19)), first_message=40)
    assert len(page.story.messages) == 40
    qtbot.waitUntil(lambda: len(page.story.messages) == 41)
    session.change(story(42, (9, 19)), first_message=41)
    session.change(story(43, (9, 19)), first_message=42)
    page.show()
    assert len(page.story.messages) == 43
    assert page.model.rowCount() == 43 + 3
