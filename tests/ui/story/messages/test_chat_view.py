"""The column: what is read holds still, and everything works by keyboard and by mouse."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QSignalSpy
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.story.inclusion import Inclusion, InclusionState
from app.story.messages import MessageRecap
from app.story.story import Story
from tests.ui.samples import LINES, message, story, with_states
from tests.ui.story.messages.views import model_of
from ui.story.messages import geometry as geo
from ui.story.messages.chat_view import ChatView
from ui.story.messages.message_delegate import MessageDelegate
from ui.story.messages.parts import part_at
from ui.story.messages.row_tips import tip_of
from ui.story.words import recap_tip
from ui.theme.source import ThemeChoice, ThemeSource

Key = Qt.Key


def long_story(count: int = 400) -> Story:
    """Messages of very different heights, so that an estimate is nearly always wrong."""
    dice = random.Random(5)
    shown = tuple(
        message(i, "\n\n".join(dice.choices(LINES, k=dice.choice((1, 1, 2, 9)))))
        for i in range(count)
    )
    return story(count, tuple(range(19, count, 20)), messages=shown)


def y_of(view: ChatView, index: int) -> int:
    """Where a message's row begins in the viewport."""
    return view.row_rect(model_of(view).layout.row_of_message(index)).y()


def middle_of_tool(view: ChatView, index: int, tool: str) -> QPoint:
    row = view.row_rect(model_of(view).layout.row_of_message(index))
    return geo.tool_rect(row, view.column, tool).center()


def press(qtbot: QtBot, view: ChatView, *keys: Qt.Key) -> None:
    for key in keys:
        qtbot.keyClick(view, key)


# What is read holds still


def test_a_chat_opens_at_its_end(view: ChatView) -> None:
    view.show_story(long_story())
    last = view.row_rect(view.model().rowCount() - 1)
    assert last.bottom() <= view.viewport().height()
    assert view.visible.last == 399


@pytest.mark.parametrize("index", [0, 57, 200, 201, 333])
def test_a_jump_puts_the_message_at_the_top(view: ChatView, index: int) -> None:
    view.show_story(long_story())
    view.jump_to(index)
    assert y_of(view, index) == 0


def test_rows_in_view_have_their_real_heights(view: ChatView) -> None:
    view.show_story(long_story())
    view.jump_to(120)
    delegate = view.itemDelegate()
    assert isinstance(delegate, MessageDelegate)
    row = view.rowAt(0)
    while 0 <= row < view.model().rowCount() and view.row_rect(row).y() < view.viewport().height():
        assert view.rowHeight(row) == delegate.row_height(row, view.column)
        row += 1


def test_scrolling_up_into_unknown_rows_moves_no_text(view: ChatView) -> None:
    view.show_story(long_story())
    view.jump_to(200)
    bar = view.verticalScrollBar()
    for _ in range(60):
        before = y_of(view, 200)
        bar.setValue(bar.value() - 24)
        if before + 24 < view.viewport().height():
            assert y_of(view, 200) == before + 24


def test_scrolling_down_moves_by_what_was_asked(view: ChatView) -> None:
    view.show_story(long_story())
    view.jump_to(100)
    bar = view.verticalScrollBar()
    for step in range(1, 12):
        bar.setValue(bar.value() + 24)
        assert y_of(view, 100) == -24 * step


def test_a_reader_at_the_end_follows_new_messages(view: ChatView) -> None:
    view.show_story(story(40, (9, 19)))
    view.show_story(story(41, (9, 19)), first_changed=40)
    assert view.visible.last == 40
    assert view.is_at_end()


def test_a_reader_further_up_is_left_alone_by_new_messages(view: ChatView) -> None:
    view.show_story(story(80, (9, 19)))
    view.jump_to(30)
    view.show_story(story(81, (9, 19)), first_changed=80)
    assert y_of(view, 30) == 0


def test_folding_a_scene_above_moves_no_text(view: ChatView) -> None:
    view.show_story(story(80, (9, 19, 39)))
    view.jump_to(50)
    view.show_story(story(80, (9, 19, 39), folded=(19,)), first_changed=None)
    assert y_of(view, 50) == 0


def test_messages_deleted_above_move_no_text(view: ChatView) -> None:
    before = story(80, (9, 19, 39))
    view.show_story(before)
    view.jump_to(50)
    gone = (*before.messages[:12], *before.messages[20:])
    view.show_story(story(messages=gone, breaks=(9,)), first_changed=12)
    assert gone[42].anchor == before.messages[50].anchor
    assert y_of(view, 42) == 0


def test_a_narrower_window_keeps_the_top_row(view: ChatView, qtbot: QtBot) -> None:
    view.show_story(long_story())
    view.jump_to(150)
    view.resize(480, 600)
    assert y_of(view, 150) == 0
    assert view.column.text_width < 400


@pytest.mark.parametrize("size", [(760, 300), (480, 600), (1000, 900)])
def test_another_size_of_the_window_keeps_the_end_in_view(
    view: ChatView, size: tuple[int, int]
) -> None:
    view.show_story(long_story())
    view.resize(*size)
    assert view.is_at_end()
    assert view.visible.last == 399
    assert view.row_rect(view.model().rowCount() - 1).bottom() < view.viewport().height()


def test_larger_story_text_keeps_the_top_row(view: ChatView, theme: ThemeSource) -> None:
    view.show_story(long_story())
    view.jump_to(150)
    before = view.rowHeight(model_of(view).layout.row_of_message(150))
    theme.set_reading_px(21)
    assert y_of(view, 150) == 0
    assert view.rowHeight(model_of(view).layout.row_of_message(150)) > before


def test_a_recap_that_comes_in_makes_its_row_higher_by_one_line(view: ChatView) -> None:
    plain = story(60, (9,))
    view.show_story(plain)
    view.jump_to(20)
    row = model_of(view).layout.row_of_message(21)
    before = view.rowHeight(row)
    view.show_story(with_states(plain), first_changed=None)
    assert y_of(view, 20) == 0
    assert view.rowHeight(row) == before + geo.RECAP_HEIGHT


def test_visible_tells_the_first_and_last_message(view: ChatView) -> None:
    view.show_story(story(80, (9, 19, 39)))
    heard = QSignalSpy(view.visible_changed)
    view.jump_to(20)
    assert heard.count() >= 1
    assert view.visible.first == 20
    assert 21 <= view.visible.last < 40


def test_a_folded_scene_at_the_top_is_not_what_is_read(view: ChatView) -> None:
    view.show_story(story(80, (9, 19, 39), folded=(19,)))
    view.jump_to(12)
    assert view.visible.first == 20


def test_what_is_read_is_the_chosen_message_or_at_the_end_the_last(view: ChatView) -> None:
    """Beside the end of scene 9 at the top of the window all of scene 10 was read, and 9 marked."""
    view.show_story(story(80, (9, 19, 77)))
    assert view.visible.first < 78
    assert view.visible.place == 79
    view.jump_to(15)
    assert view.visible.place == view.visible.first == 15
    view.select_row(model_of(view).layout.row_of_message(20))
    assert view.visible.first == 15
    assert view.visible.place == 20
    view.jump_to_scene(1)  # chosen in the list: message 20 is in view still
    assert view.visible.place < 20
    view.jump_to(40)
    assert view.visible.place == 40


# Keyboard


def test_down_walks_and_keeps_the_row_in_view(view: ChatView, qtbot: QtBot) -> None:
    view.show_story(story(60, (9, 19)))
    view.jump_to(0)
    view.select_row(0)
    for _ in range(30):
        press(qtbot, view, Key.Key_J)
        area = view.row_rect(view.currentIndex().row())
        assert area.y() >= 0
        assert area.bottom() <= view.viewport().height()
    assert view.currentIndex().row() == 30


def test_down_scrolls_through_a_message_higher_than_the_window(
    view: ChatView, qtbot: QtBot
) -> None:
    giant = message(1, "\n\n".join(LINES * 12))
    view.show_story(story(messages=(message(0), giant, message(2)), breaks=()))
    view.jump_to(1, selects=True)
    row = view.currentIndex().row()
    press(qtbot, view, Key.Key_Down)
    assert view.currentIndex().row() == row
    assert -80 <= y_of(view, 1) < 0
    for _ in range(200):
        press(qtbot, view, Key.Key_Down)
    assert view.current_message() == 2


def test_home_and_end_go_to_the_ends(view: ChatView, qtbot: QtBot) -> None:
    view.show_story(long_story())
    press(qtbot, view, Key.Key_Home)
    assert view.currentIndex().row() == 0
    assert view.row_rect(0).y() == 0
    press(qtbot, view, Key.Key_End)
    assert view.current_message() == 399
    assert view.is_at_end()


def test_page_down_reads_on_and_ends_at_the_end(view: ChatView, qtbot: QtBot) -> None:
    view.show_story(story(60, (9, 19)))
    press(qtbot, view, Key.Key_Home)
    before = view.verticalScrollBar().value()
    press(qtbot, view, Key.Key_PageDown)
    assert view.verticalScrollBar().value() > before + 300
    for _ in range(60):
        press(qtbot, view, Key.Key_PageDown)
    assert view.current_message() == 59


def test_left_and_right_ask_to_fold_the_scene(view: ChatView, qtbot: QtBot) -> None:
    view.show_story(story(40, (9, 19)))
    view.jump_to(12, selects=True)
    heard = QSignalSpy(view.fold_asked)
    press(qtbot, view, Key.Key_Left, Key.Key_Right)
    assert [heard.at(0), heard.at(1)] == [[1, True], [1, False]]


def test_return_on_a_folded_scene_asks_to_unfold_it(view: ChatView, qtbot: QtBot) -> None:
    view.show_story(story(40, (9, 19), folded=(9,)))
    view.jump_to_scene(0, selects=True)
    heard = QSignalSpy(view.fold_asked)
    press(qtbot, view, Key.Key_Return)
    assert heard.at(0) == [0, False]


def test_the_scene_stays_current_when_its_messages_fold_away(view: ChatView) -> None:
    view.show_story(story(40, (9, 19)))
    view.jump_to(12, selects=True)
    view.show_story(story(40, (9, 19), folded=(19,)), first_changed=None)
    assert view.current_scene() == 1
    assert view.is_on_scene()


def test_the_ring_comes_with_keys_and_goes_with_the_mouse(view: ChatView, qtbot: QtBot) -> None:
    view.show_story(story(40, (9, 19)))
    press(qtbot, view, Key.Key_J)
    assert view.attention.by_key
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(380, 300))
    assert not view.attention.by_key


# Mouse


@pytest.mark.parametrize("tool", geo.TOOLS)
def test_a_tool_is_told_with_its_message(view: ChatView, qtbot: QtBot, tool: str) -> None:
    view.show_story(story(40, (9, 19)))
    view.jump_to(12)
    point = middle_of_tool(view, 13, tool)
    qtbot.mouseMove(view.viewport(), point)
    assert (view.attention.hovered, view.attention.tool) == (
        model_of(view).layout.row_of_message(13),
        tool,
    )
    heard = QSignalSpy(view.tool_used)
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=point)
    assert heard.at(0) == [tool, 13]


def test_a_press_that_ends_elsewhere_does_nothing(view: ChatView, qtbot: QtBot) -> None:
    view.show_story(story(40, (9, 19)))
    view.jump_to(12)
    heard = QSignalSpy(view.tool_used)
    port = view.viewport()
    qtbot.mousePress(port, Qt.MouseButton.LeftButton, pos=middle_of_tool(view, 13, "exclude"))
    qtbot.mouseRelease(port, Qt.MouseButton.LeftButton, pos=middle_of_tool(view, 14, "exclude"))
    assert heard.count() == 0


def test_a_click_on_a_folded_scene_asks_to_unfold_it(view: ChatView, qtbot: QtBot) -> None:
    view.show_story(story(40, (9, 19), folded=(9,)))
    view.jump_to_scene(0)
    heard = QSignalSpy(view.fold_asked)
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(380, 16))
    assert heard.at(0) == [0, False]


def test_the_chevron_of_a_divider_asks_to_fold(view: ChatView, qtbot: QtBot) -> None:
    view.show_story(story(40, (9, 19)))
    view.jump_to_scene(1)
    heard = QSignalSpy(view.fold_asked)
    at = QPoint(view.column.card_left + 28, 18)
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert heard.at(0) == [1, True]


def test_a_double_click_on_a_scenes_name_asks_to_rename_it(view: ChatView, qtbot: QtBot) -> None:
    view.show_story(story(40, (9, 19)))
    view.jump_to_scene(1)
    heard = QSignalSpy(view.rename_asked)
    at = QPoint(view.column.text_left + 60, 18)
    qtbot.mouseDClick(view.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert heard.at(0) == [1]


def test_a_stale_recap_offers_to_be_redone(view: ChatView, qtbot: QtBot) -> None:
    told = with_states(story(40, (9, 19)))
    stale = next(n for n, i in enumerate(told.inclusion) if i.is_stale and n > 20)
    view.show_story(told)
    view.jump_to(stale)
    card = geo.card_rect(view.row_rect(model_of(view).layout.row_of_message(stale)), view.column)
    at = QPoint(view.column.text_right - 30, card.bottom() - 10)
    heard = QSignalSpy(view.tool_used)
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert heard.at(0) == ["redo", stale]


def test_a_recap_under_the_pointer_is_told_whole_with_its_reasoning(view: ChatView) -> None:
    """As the extension did; and what stood before it for the model (spec/auto-recap.md §3.3)."""
    told = with_states(story(40, (9, 19)))
    index = next(n for n, i in enumerate(told.inclusion) if i.state is InclusionState.INCLUDED)
    anchor = told.messages[index].anchor
    recap = MessageRecap("She left. " * 90, reasoning="Who <b>left</b>?", prefill="In it: ")
    view.show_story(replace(told, message_recaps={**told.message_recaps, anchor: recap}))
    view.jump_to(index)
    row = model_of(view).layout.row_of_message(index)
    area, column = view.row_rect(row), view.column
    foot = geo.card_rect(area, column).bottom() - 10
    part = part_at(model_of(view), row, area, column, QPoint(column.text_left + 90, foot))
    lines = tip_of(model_of(view), row, part, in_gutter=False).splitlines()
    assert lines == [recap.text, "Starts with: In it: ", "Reasoning: Who <b>left</b>?"]
    above = part_at(model_of(view), row, area, column, QPoint(column.text_left + 90, area.y() + 40))
    assert tip_of(model_of(view), row, above, in_gutter=False) == ""
    endless = MessageRecap("x" * 90_000, reasoning="y" * 90_000)
    assert len(recap_tip(endless)) < 3_000


def test_a_right_click_makes_the_row_current_and_asks_for_its_menu(
    view: ChatView, qtbot: QtBot
) -> None:
    from PySide6.QtGui import QContextMenuEvent
    from PySide6.QtWidgets import QApplication

    view.show_story(story(40, (9, 19)))
    view.jump_to(12)
    heard = QSignalSpy(view.menu_asked)
    at = QPoint(380, 60)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, view.viewport().mapToGlobal(at))
    QApplication.sendEvent(view.viewport(), event)
    assert view.current_message() == 12
    assert heard.count() == 1


# Painting and speaking


def test_every_state_paints_in_both_palettes(
    view: ChatView, theme: ThemeSource, qtbot: QtBot
) -> None:
    plain = story(60, (9, 19), folded=(9,))
    states = tuple(
        Inclusion(state, "A reason.", 3, is_stale=stale, is_edited=stale)
        for state in InclusionState
        for stale in (False, True)
    )
    told = replace(with_states(plain), inclusion=(states * 5)[:60])
    view.show_story(told)
    for choice in (ThemeChoice.LIGHT, ThemeChoice.DARK):
        theme.set_choice(choice)
        for index in range(0, 60, 4):
            view.jump_to(index, selects=True)
            assert not view.grab().isNull()


def test_a_hostile_message_is_painted_like_any_other(view: ChatView) -> None:
    hostile = (
        '<img src="http://example.org/x.png"><b>' + "*" * 500,
        "\u202e\ufdd0\x00" + "“" * 2_000,
        "x" * 3_000_000,
        "",
    )
    shown = tuple(message(i, text, name="<b>Wren</b>\n" * 40) for i, text in enumerate(hostile))
    view.show_story(story(messages=shown, breaks=()))
    for index in range(len(hostile)):
        view.jump_to(index)
        assert not view.grab().isNull()


def test_a_screen_reader_hears_the_message(view: ChatView) -> None:
    view.show_story(with_states(story(40, (9, 19))))
    view.jump_to(12)
    interface = QAccessible.queryAccessibleInterface(view)
    said = [interface.child(n).text(QAccessible.Text.Name) for n in range(interface.childCount())]
    assert any(text.startswith("Master Ode, message 12.") for text in said)


def test_who_reads_at_the_end_goes_on_to_see_it_above_what_covers_the_foot(
    view: ChatView, monkeypatch: pytest.MonkeyPatch
) -> None:
    view.show_story(story(40, (9,)))
    model = view.model()
    assert model is not None

    def last_line() -> int:
        return view.row_rect(model.rowCount() - 1).bottom()

    is_under = [False]
    monkeypatch.setattr(view, "underMouse", lambda: is_under[0])
    view.set_foot(90)
    assert last_line() <= view.viewport().height() - 90
    view.set_foot(0)
    assert last_line() <= view.viewport().height()
    is_under[0] = True
    at = view.verticalScrollBar().value()
    view.set_foot(90)
    assert view.verticalScrollBar().value() == at, "nothing moves under the pointer"
    is_under[0] = False
    QApplication.sendEvent(view, QEvent(QEvent.Type.Leave))
    assert last_line() <= view.viewport().height() - 90
    view.set_foot(0)
    view.jump_to(5)
    at = view.verticalScrollBar().value()
    view.set_foot(90)
    assert view.verticalScrollBar().value() == at, "who reads elsewhere is left there"


def test_what_lies_over_the_foot_covers_no_last_line_and_moves_nothing(
    view: ChatView, monkeypatch: pytest.MonkeyPatch
) -> None:
    view.show_story(story(40, (9,)))
    bar, at = view.verticalScrollBar(), view.verticalScrollBar().value()
    monkeypatch.setattr(view, "underMouse", lambda: True)
    view.set_foot(90)
    assert bar.value() == at
    assert view.is_at_end(), "who reads at the end still does"
    bar.setValue(bar.maximum())
    last = view.row_rect(view.model().rowCount() - 1)
    assert last.bottom() <= view.viewport().height() - 90
    view.show_story(story(41, (9,)), first_changed=40)
    last = view.row_rect(view.model().rowCount() - 1)
    assert last.bottom() <= view.viewport().height() - 90, "a new message is whole, too"
    view.set_foot(0)
    assert bar.value() == bar.maximum()


def test_the_tip_of_a_recap_says_which_extension_wrote_it() -> None:
    theirs = MessageRecap("She came.", taken_from="MessageSummarize")
    assert recap_tip(theirs) == "She came.\nImported from MessageSummarize."
    assert recap_tip(MessageRecap("She came.")) == "She came."
