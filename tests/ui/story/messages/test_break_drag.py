"""A divider in the mouse's hand: what it shows on its way, and where it lands."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QSignalSpy
from pytestqt.qtbot import QtBot

from app.story.scenes import BreakOrigin, scenes_of
from app.story.story import Story
from tests.ui.samples import message, story
from tests.ui.story.messages.views import model_of
from ui.controls.labels import plain_tip
from ui.story.messages import geometry as geo
from ui.story.messages.break_drag import scene_sentence
from ui.story.messages.chat_view import ChatView
from ui.story.messages.message_model import MessageModel
from ui.story.messages.row_tips import tip_of

LEFT = Qt.MouseButton.LeftButton


def short_lines(count: int = 40, breaks: tuple[int, ...] = (9, 19), **options: object) -> Story:
    """A story whose messages are low: many of them fit into the viewport."""
    shown = tuple(message(i, "A line.") for i in range(count))
    return story(count, breaks, messages=shown, **options)  # type: ignore[arg-type]


def grip(view: ChatView, scene: int) -> QPoint:
    area = view.row_rect(model_of(view).layout.row_of_scene(scene))
    return QPoint(view.column.text_left + 200, area.y() + geo.DIVIDER_HEIGHT // 2)


def foot(view: ChatView, index: int) -> QPoint:
    """A place just above the lower edge of a message."""
    area = view.row_rect(model_of(view).layout.row_of_message(index))
    return QPoint(view.column.text_left + 200, area.bottom() - 8)


def take(qtbot: QtBot, view: ChatView, scene: int, *ways: QPoint) -> None:
    """Take hold of a scene's divider and go from place to place."""
    qtbot.mousePress(view.viewport(), LEFT, pos=grip(view, scene))
    for way in ways:
        qtbot.mouseMove(view.viewport(), way)


def drop(qtbot: QtBot, view: ChatView, at: QPoint) -> None:
    qtbot.mouseRelease(view.viewport(), LEFT, pos=at)


def ready(view: ChatView, told: Story, *, at: int = 5) -> QSignalSpy:
    view.show_story(told)
    view.jump_to(at)
    return QSignalSpy(view.break_dropped)


def test_a_divider_is_dragged_to_another_message(view: ChatView, qtbot: QtBot) -> None:
    dropped = ready(view, short_lines())
    end = foot(view, 12)
    take(qtbot, view, 1, end)
    landing = view.drag.landing
    assert landing is not None
    assert scene_sentence(landing.upper) == "Scene 1: 13 messages, #0–12"
    assert scene_sentence(landing.lower) == "Scene 2: 7 messages, #13–19"
    drop(qtbot, view, end)
    assert dropped.count() == 1
    assert dropped.at(0) == [0, 12]
    assert not view.drag.is_active


def test_escape_leaves_the_break_where_it_was(view: ChatView, qtbot: QtBot) -> None:
    dropped = ready(view, short_lines())
    end = foot(view, 12)
    take(qtbot, view, 1, end)
    qtbot.keyClick(view, Qt.Key.Key_Escape)
    assert not view.drag.is_active
    drop(qtbot, view, end)
    assert dropped.count() == 0


def test_a_break_let_go_at_its_own_place_is_not_moved(view: ChatView, qtbot: QtBot) -> None:
    dropped = ready(view, short_lines())
    home = grip(view, 1)
    take(qtbot, view, 1, foot(view, 12), home)
    assert view.drag.is_active
    drop(qtbot, view, home)
    assert dropped.count() == 0


def test_a_click_on_a_divider_drags_nothing(view: ChatView, qtbot: QtBot) -> None:
    dropped = ready(view, short_lines())
    at = grip(view, 1)
    take(qtbot, view, 1, at + QPoint(0, 2))
    assert not view.drag.is_active
    drop(qtbot, view, at)
    assert dropped.count() == 0
    assert view.is_on_scene()


def test_both_scenes_keep_a_message(view: ChatView, qtbot: QtBot) -> None:
    dropped = ready(view, short_lines(40, (9, 12)), at=7)
    end = foot(view, 14)
    take(qtbot, view, 1, end)
    assert view.drag.landing is not None
    assert view.drag.landing.last == 11
    drop(qtbot, view, end)
    assert dropped.at(0) == [0, 11]


def test_no_break_ends_inside_of_a_folded_scene(view: ChatView, qtbot: QtBot) -> None:
    dropped = ready(view, short_lines(folded=(9,)), at=0)
    end = QPoint(view.column.text_left + 200, 2)
    take(qtbot, view, 1, end)
    assert view.drag.landing is not None
    assert view.drag.landing.last == 9
    drop(qtbot, view, end)
    assert dropped.count() == 0


def test_the_pointer_says_that_a_divider_can_be_grabbed(view: ChatView, qtbot: QtBot) -> None:
    ready(view, short_lines())
    qtbot.mouseMove(view.viewport(), grip(view, 1))
    assert view.viewport().cursor().shape() is Qt.CursorShape.SplitVCursor
    qtbot.mouseMove(view.viewport(), foot(view, 12))
    assert view.viewport().cursor().shape() is Qt.CursorShape.ArrowCursor
    view.jump_to_scene(0)
    qtbot.mouseMove(view.viewport(), grip(view, 0))  # nothing ends above the first scene
    assert view.viewport().cursor().shape() is Qt.CursorShape.ArrowCursor


def test_a_break_held_at_the_edge_scrolls_to_places_further_on(
    view: ChatView, qtbot: QtBot
) -> None:
    dropped = ready(view, short_lines(200, (9, 99)))
    edge = QPoint(view.column.text_left + 200, view.viewport().height() - 2)
    seen = view.visible.last
    take(qtbot, view, 1, edge)
    qtbot.waitUntil(lambda: view.visible.last > seen + 20)
    drop(qtbot, view, edge)
    assert dropped.count() == 1
    assert seen < dropped.at(0)[1] <= 98


def test_the_edge_scrolls_no_further_than_the_last_place(view: ChatView, qtbot: QtBot) -> None:
    ready(view, short_lines(200, (9, 29)))
    take(qtbot, view, 1, QPoint(300, view.viewport().height() - 2))
    qtbot.waitUntil(lambda: not view.drag._scroll.isActive())
    assert view.drag.landing is not None
    assert view.drag.landing.last == 28
    assert view.visible.last < 40


def test_messages_that_arrive_leave_the_break_in_hand(view: ChatView, qtbot: QtBot) -> None:
    told = short_lines()
    dropped = ready(view, told)
    take(qtbot, view, 1, foot(view, 12))
    view.show_story(short_lines(41), first_changed=40)
    assert view.drag.is_active
    drop(qtbot, view, foot(view, 12))
    assert dropped.at(0) == [0, 12]


def test_a_break_that_is_gone_drops_out_of_the_hand(view: ChatView, qtbot: QtBot) -> None:
    told = short_lines()
    dropped = ready(view, told)
    take(qtbot, view, 1, foot(view, 12))
    marks = {anchor: mark for anchor, mark in told.breaks.items() if anchor != "a000009"}
    view.show_story(replace(told, breaks=marks, scenes=scenes_of(told.messages, marks)))
    assert not view.drag.is_active
    drop(qtbot, view, foot(view, 12))
    assert dropped.count() == 0


@pytest.mark.parametrize("y", [-500, 40, 300, 5_000])
def test_the_line_paints_wherever_the_pointer_is(view: ChatView, qtbot: QtBot, y: int) -> None:
    ready(view, story(40, (9, 19)))
    take(qtbot, view, 1, QPoint(300, y))
    assert not view.grab().isNull()


def test_a_move_asks_for_rows_in_view_only(
    view: ChatView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    ready(view, story(100_000, tuple(range(499, 100_000, 500))))
    view.jump_to_scene(122)
    take(qtbot, view, 122, QPoint(300, 300))
    assert view.drag.is_active
    asked: list[int] = []
    place = MessageModel.place

    def counted(model: MessageModel, row: int) -> object:
        asked.append(row)
        return place(model, row)

    monkeypatch.setattr(MessageModel, "place", counted)
    for y in range(0, 600, 5):
        view.drag.move(QPoint(300, y))
    assert len(asked) <= 3 * 120


def test_a_divider_says_why_the_model_set_its_break(view: ChatView) -> None:
    told = short_lines()
    why = "They <b>part</b> for the night."
    mark = replace(told.breaks["a000009"], origin=BreakOrigin.MODEL, rationale=why)
    marks = {**told.breaks, "a000009": mark}
    told = replace(told, breaks=marks, scenes=scenes_of(told.messages, marks))
    ready(view, told)
    row = model_of(view).layout.row_of_scene(1)
    tip = tip_of(model_of(view), row, "name", in_gutter=False)
    assert tip.splitlines() == [
        f"Why here: {why}",
        "Drag to end scene 1 elsewhere. (Alt Shift Up, Alt Shift Down)",
    ]
    assert "<b>" not in plain_tip(tip)
    spoken = view.model().index(row, 0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken.endswith(why)
    view.select_row(row)
    assert not view.grab().isNull()
    other = model_of(view).layout.row_of_scene(2)
    assert "Why here" not in tip_of(model_of(view), other, "name", in_gutter=False)
