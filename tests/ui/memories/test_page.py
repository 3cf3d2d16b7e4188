"""The memories page with real clicks and keys: finding, reading, changing, reviewing."""

from __future__ import annotations

import gc
import threading
import warnings
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QEnterEvent
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget

from app.companion import Companion
from app.core.errors import StoreError
from app.core.operations import OperationKind
from app.memory.documents.browsing import Wanted, arranged, sentence_of
from app.memory.documents.scene_memories import memories_by_scene
from app.memory.records import Grounding, Memory, Review, Source, Tier
from app.memory.standing import Standing, Status
from app.settings.program import ProgramSettings
from app.story.story import ChatKind
from app.views.memory_view import MemoryView
from tests.chat_files import jsonl, message
from tests.labelled import WrittenTavern
from ui.memories.listing.model import Column, MemoryModel
from ui.memories.listing.rail import MemoryRail
from ui.memories.members import members_menu
from ui.memories.page import MemoriesPage
from ui.memories.pane.pane import DETAILS, REVIEW
from ui.memories.words import importance_words, source_words
from ui.program.main_window import MainWindow
from ui.program.story_stage import StoryStage
from ui.shell.entries import ENTRY_ROLE, Entry

pytestmark = pytest.mark.slow

Until = Callable[[Callable[[], bool]], Awaitable[None]]
BUTTON = Qt.MouseButton.LeftButton
CONTROL = Qt.KeyboardModifier.ControlModifier


def shown(page: MemoriesPage) -> list[str]:
    """The sentences of the table, heads in brackets."""
    return [
        sentence_of(row.standing.memory) if row.standing is not None else f"[{row.group}]"
        for row in page.model.rows
    ]


def page_standings(page: MemoriesPage) -> list[Standing]:
    return [row.standing for row in page.model.rows if row.standing is not None]


def press_row(page: MemoriesPage, row: int, column: Column = Column.MEMORY) -> None:
    index = page.model.index(row, column)
    page.table.scrollTo(index)
    area = page.table.visualRect(index)
    QTest.mouseClick(page.table.viewport(), BUTTON, pos=area.topLeft() + QPoint(60, 12))


async def wake(page: MemoriesPage, until: Until) -> None:
    """Make the window the active one: no key reaches another, and no editor stays open in it."""

    window, seen = page.window(), [False] * 5

    def is_active() -> bool:
        seen.append(window.isActiveWindow())
        if not seen[-1]:
            window.activateWindow()
        return all(seen[-5:])

    await until(is_active)


def row_of(page: MemoriesPage, words: str) -> int:
    return next(row for row, sentence in enumerate(shown(page)) if words in sentence)


def press(widget: QWidget) -> None:
    QTest.mouseClick(widget, BUTTON)


@pytest.fixture
def standing_of(
    companion: Companion, demo_tavern: WrittenTavern
) -> Callable[[str], Standing | None]:
    def find(words: str) -> Standing | None:
        view = companion.memory(demo_tavern.chat)
        return next((s for s in view.memories if words in sentence_of(s.memory)), None)

    return find


async def test_every_tier_has_its_group_and_its_count(
    page: MemoriesPage, companion: Companion, demo_tavern: WrittenTavern
) -> None:
    heads = [words for words in shown(page) if words.startswith("[")]
    assert heads == [
        "[Long-term]",
        "[Session]",
        "[Plot threads]",
        "[Relationships]",
        "[Who knows what]",
        "[Current state]",
    ]
    view = companion.memory(demo_tavern.chat)
    for tier in Tier:
        held = sum(s.is_active for s in view.of(tier))
        assert page.rail.places[tier.value].count == held


async def test_a_message_that_no_memory_comes_from_leaves_the_rows_alone(
    page: MemoriesPage, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    resets: list[bool] = []
    page.model.modelReset.connect(lambda: resets.append(True))
    last, rows = page.moment.axis.maximum(), page.model.rows
    told = demo_tavern.chat.read_bytes().rstrip(b"\n")
    demo_tavern.chat.write_bytes(told + b"\n" + jsonl([message(999, "Nobody said a word.")]))
    await companion.open_story(demo_tavern.chat)
    await until(lambda: page.moment.axis.maximum() == last + 1)
    assert not resets
    assert page.model.rows is rows
    assert page.model.at == page.model.ground.last == last + 1


async def test_a_press_on_a_tier_shows_it_alone(page: MemoriesPage, until: Until) -> None:
    press(page.rail.places["arcs"])
    await until(lambda: shown(page)[0] == "[Open]")
    assert all(row.tier is Tier.ARCS for row in page.model.rows)


async def test_the_search_understands_who_and_is(page: MemoriesPage, until: Until) -> None:
    await wake(page, until)
    QTest.keyClick(page.table, Qt.Key.Key_F, CONTROL)
    await until(page.tools.field.hasFocus)
    QTest.keyClicks(page.tools.field, "who:midge is:active")
    await until(lambda: 0 < len(page.model.rows) < 20)
    found = [row.standing for row in page.model.rows if row.standing is not None]
    assert found
    for one in found:
        memory = one.memory
        names = (memory.subject, memory.target, *memory.entities)
        assert one.is_active
        assert any("Midge" in name for name in names)
    QTest.keyClick(page.tools.field, Qt.Key.Key_Escape)
    await until(lambda: len(page.model.rows) > 20)


async def test_a_scene_of_the_story_leads_to_the_memories_that_it_gave(
    demo_window: MainWindow, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    desk = demo_window.desk
    assert desk is not None
    stage = desk.story_stage
    assert stage is not None
    view = companion.memory(demo_tavern.chat)
    scene = view.story.scenes[2]
    stage.show_message(view.story.messages[scene.first + 1].anchor)
    action = stage.page.story_actions.scene_memories
    await until(action.isEnabled)
    assert action in stage.page.story_actions.for_scene(stage.page.target())
    action.trigger()
    page = demo_window.page
    assert isinstance(page, MemoriesPage)
    await until(lambda: page.model.rowCount() > 0)
    held = [row.standing for row in page.model.rows if row.standing is not None]
    assert held
    for standing in held:
        places = {view.ground.place(source) for source in standing.memory.sources}
        assert any(scene.first <= place <= scene.last for place in places)
    given = memories_by_scene(view.story.scenes, view.memories, view.ground)[2]
    assert {s.memory.id for s in given if s.is_active} <= {s.memory.id for s in held}


async def test_a_press_on_a_column_sorts_by_it(page: MemoriesPage, until: Until) -> None:
    press(page.rail.places["session"])
    await until(
        lambda: shown(page)[0] == "[Session]" and len({r.tier for r in page.model.rows}) == 1
    )
    header = page.table.head
    at = QPoint(header.sectionViewportPosition(Column.CONFIDENCE) + 10, 12)

    def values() -> list[float]:
        return [row.standing.memory.confidence for row in page.model.rows if row.standing]

    QTest.mouseClick(header.viewport(), BUTTON, pos=at)
    await until(lambda: values() == sorted(values(), reverse=True))
    QTest.mouseClick(header.viewport(), BUTTON, pos=at)
    await until(lambda: values() == sorted(values()))


async def test_a_group_folds_by_mouse_and_by_key(page: MemoriesPage, until: Until) -> None:
    await wake(page, until)
    before = len(page.model.rows)
    press_row(page, 0)
    await until(lambda: len(page.model.rows) < before)
    assert page.model.rows[0].is_folded
    page.table.setFocus()
    page.table.setCurrentIndex(page.model.index(0, 0))
    QTest.keyClick(page.table, Qt.Key.Key_Return)
    await until(lambda: len(page.model.rows) == before)


async def test_what_ended_is_hidden_when_not_wanted(page: MemoriesPage, until: Until) -> None:
    assert any(row.is_under for row in page.model.rows)
    page.rail.shows["ended"].click()
    await until(lambda: not any(row.is_under for row in page.model.rows))


async def test_a_history_leads_to_the_heir_and_back(page: MemoriesPage, until: Until) -> None:
    row = row_of(page, "Henrike trusts Dov")
    press_row(page, row)
    detail = page.pane.detail
    await until(lambda: len(detail.steps) == 2)
    press(detail.steps[1])
    await until(lambda: "betrayed" in detail.words.text())
    press(detail.steps[0])
    await until(lambda: "old lieutenant" in detail.words.text())


async def test_a_history_leads_past_filters(page: MemoriesPage, until: Until) -> None:
    page.rail.shows["ended"].click()
    await until(lambda: not any(row.is_under for row in page.model.rows))
    press_row(page, row_of(page, "he betrayed her"))
    detail = page.pane.detail
    await until(lambda: len(detail.steps) == 2)
    press(detail.steps[0])
    await until(lambda: "old lieutenant" in detail.words.text())
    assert page.rail.shows["ended"].isChecked()


async def test_a_source_leads_to_its_message(
    page: MemoriesPage, demo_window: MainWindow, until: Until
) -> None:
    press_row(page, row_of(page, "Annelies Corde, Casimir"))
    await until(lambda: len(page.pane.detail.proofs) == 2)
    proof = page.pane.detail.proofs[0]
    assert proof.jump.text() == "#30"
    press(proof.jump)
    await until(lambda: isinstance(demo_window.page, StoryStage))


async def test_a_press_on_sources_in_the_table_leads_there_too(
    page: MemoriesPage, demo_window: MainWindow, until: Until
) -> None:
    row = row_of(page, "Pasco's habit")
    area = page.table.visualRect(page.model.index(row, Column.SOURCES))
    QTest.mouseClick(page.table.viewport(), BUTTON, pos=area.center())
    await until(lambda: isinstance(demo_window.page, StoryStage))


@pytest.mark.pitfall(17)
async def test_words_are_changed_in_the_row_and_taken_back(
    page: MemoriesPage,
    demo_window: MainWindow,
    until: Until,
    standing_of: Callable[[str], Standing | None],
) -> None:
    await wake(page, until)
    row = row_of(page, "Dov peels an orange")
    press_row(page, row)
    area = page.table.visualRect(page.model.index(row, 0))
    QTest.mouseDClick(page.table.viewport(), BUTTON, pos=area.topLeft() + QPoint(60, 12))
    editor = page.table.viewport().findChild(QLineEdit)
    assert editor is not None
    editor.setText("Dov peels oranges slowly.")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    await until(lambda: "Dov peels oranges slowly." in shown(page))
    assert not any("one long curl" in words for words in shown(page))
    await until(lambda: demo_window.actions_["undo"].isEnabled())
    demo_window.actions_["undo"].trigger()
    await until(lambda: standing_of("one long curl") is not None)
    await until(lambda: any("one long curl" in words for words in shown(page)))


async def test_what_is_written_in_a_row_outlives_news(
    page: MemoriesPage, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    await wake(page, until)
    other = next(s.memory.id for s in page_arcs(page) if "favour" in s.memory.text)
    row = row_of(page, "Dov peels an orange")
    press_row(page, row)
    page.table.edit(page.model.index(row, Column.MEMORY))
    editor = page.table.viewport().findChild(QLineEdit)
    assert editor is not None
    editor.setText("Half a sentence")
    await companion.memories.resolve(demo_tavern.chat, other)
    await companion.settled(demo_tavern.chat)
    assert page.table.is_editing
    QTest.keyClick(editor, Qt.Key.Key_Escape)
    await until(lambda: not any(s.is_active and s.memory.id == other for s in page_arcs(page)))


async def test_nothing_of_the_page_is_a_window_of_its_own(
    page: MemoriesPage, dressed: QApplication, until: Until
) -> None:
    press_row(page, row_of(page, "Annelies Corde, Casimir"))
    page.show_review()
    page.rail.choose("texts")
    await until(lambda: page.texts.isVisible())
    names = {window.objectName() for window in dressed.topLevelWindows()}
    assert {name for name in names if name.startswith(("Link", "Button"))} == set()


async def test_words_are_changed_in_the_pane(page: MemoriesPage, until: Until) -> None:
    await wake(page, until)
    press_row(page, row_of(page, "Six honey cakes"))
    page.table.setFocus()
    QTest.keyClick(page.table, Qt.Key.Key_F2)
    editor = page.pane.detail.editor
    await until(lambda: page.pane.detail.is_editing)
    editor.prose.setPlainText("Seven honey cakes.")
    QTest.keyClick(editor.prose, Qt.Key.Key_Return, CONTROL)
    await until(lambda: "Seven honey cakes." in shown(page))


@pytest.mark.pitfall(17)
async def test_several_are_deleted_at_once_and_brought_back_at_once(
    page: MemoriesPage, demo_window: MainWindow, until: Until
) -> None:
    await wake(page, until)
    before = shown(page)
    press_row(page, row_of(page, "Six honey cakes"))
    other = page.table.visualRect(page.model.index(row_of(page, "Go and be loud"), 0))
    at = other.topLeft() + QPoint(60, 12)
    QTest.mouseClick(page.table.viewport(), BUTTON, CONTROL, at)
    assert len(page.chosen.ids) == 2
    page.table.setFocus()
    assert demo_window.desk is not None
    told: list[str] = []
    demo_window.desk.session.told.connect(told.append)
    QTest.keyClick(page.table, Qt.Key.Key_Delete)
    await until(lambda: len(shown(page)) == len(before) - 2)
    await until(lambda: told == ["2 memories were deleted. Ctrl+Z takes that back."])
    gone = ("Six honey cakes", "Go and be loud")
    assert not any(words in sentence for sentence in shown(page) for words in gone)
    await until(lambda: demo_window.actions_["undo"].text() == "Undo: delete 2 memories")
    demo_window.actions_["undo"].trigger()
    await until(lambda: shown(page) == before)


async def test_what_undo_brings_back_is_chosen_and_takes_the_page_s_keys(
    page: MemoriesPage, demo_window: MainWindow, until: Until
) -> None:
    await wake(page, until)
    before = shown(page)
    press_row(page, row_of(page, "Six honey cakes"))
    (deleted,) = page.chosen.ids
    page.table.setFocus()
    QTest.keyClick(page.table, Qt.Key.Key_Delete)
    await until(lambda: len(shown(page)) == len(before) - 1)
    at = page.table.currentIndex()
    QTest.keyClick(page.table, Qt.Key.Key_P)  # nothing is chosen: no row is looked for by it
    assert page.table.currentIndex() == at
    assert page.chosen.ids == []
    await until(lambda: demo_window.actions_["undo"].text().startswith("Undo: delete"))
    demo_window.actions_["undo"].trigger()
    await until(lambda: page.chosen.ids == [deleted])
    QTest.keyClick(page.table, Qt.Key.Key_P)
    await until(lambda: [s.memory.is_pinned for s in page.chosen.standings] == [True])
    assert page.chosen.ids == [deleted]


async def test_a_second_press_of_del_deletes_nothing_unseen(
    page: MemoriesPage, until: Until
) -> None:
    await wake(page, until)
    before = shown(page)
    press_row(page, row_of(page, "Six honey cakes"))
    page.table.setFocus()
    QTest.keyClick(page.table, Qt.Key.Key_Delete)
    await until(lambda: len(shown(page)) == len(before) - 1)
    assert page.chosen.ids == []
    assert not page.commands.delete.isEnabled()
    QTest.keyClick(page.table, Qt.Key.Key_Delete)
    page.refresh()  # nor does whatever comes meanwhile choose one
    await until(lambda: page.chosen.ids == [])
    # The keyboard goes on from there: one press chooses, and shows, what stands next.
    QTest.keyClick(page.table, Qt.Key.Key_Down)
    assert len(page.chosen.ids) == 1
    assert page.commands.delete.isEnabled()
    assert len(shown(page)) == len(before) - 1


async def test_what_is_shown_beside_what_holds_is_remembered(
    page: MemoriesPage, companion: Companion, until: Until
) -> None:
    await wake(page, until)
    assert page.rail.shows["ended"].isChecked()
    page.rail.shows["ended"].click()
    page.rail.shows["pinned"].click()
    await until(lambda: ProgramSettings(companion.settings).memories_shown != "")
    rail = MemoryRail(page.hands.shows)
    assert not rail.shows["ended"].isChecked()
    assert rail.shows["waiting"].isChecked()
    assert not rail.shows["rejected"].isChecked()
    assert not rail.shows["pinned"].isChecked()
    rail.deleteLater()


async def test_what_other_chats_say_can_be_left_out(
    page: MemoriesPage,
    companion: Companion,
    demo_tavern: WrittenTavern,
    until: Until,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A young chat of a character with many others showed mostly what those say."""
    await wake(page, until)
    view = companion.memory(demo_tavern.chat)
    foreign = next(s for s in view.memories if "Six honey cakes" in sentence_of(s.memory))
    away = replace(foreign.memory, sources=(Source(view.ground.chat + 99, "elsewhere", ""),))
    mixed = (*(s for s in view.memories if s is not foreign), replace(foreign, memory=away))
    monkeypatch.setattr(companion, "memory", lambda *_, **__: replace(view, memories=mixed))
    page.refresh()
    await until(
        lambda: "other chat" in [source_words(s, view.ground) for s in page_standings(page)]
    )
    page.rail.shows["here"].click()
    await until(lambda: not any("Six honey cakes" in words for words in shown(page)))
    assert all(view.ground.tells(s.memory) for s in page_standings(page))
    await until(lambda: "here" in ProgramSettings(companion.settings).memories_shown)
    rail = MemoryRail(page.hands.shows)
    assert rail.shows["here"].isChecked()
    rail.deleteLater()


async def test_rows_under_the_pointer_stay_while_the_story_is_read(
    page: MemoriesPage,
    companion: Companion,
    demo_tavern: WrittenTavern,
    until: Until,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Sorted by confidence the rows changed places with each reading; a press hit another one."""
    await wake(page, until)
    unsorted = shown(page)
    page.table.sort_asked.emit(Column.CONFIDENCE)
    await until(lambda: shown(page) != unsorted)
    before = shown(page)
    view = companion.memory(demo_tavern.chat)
    doubted = page_standings(page)[0]
    less = replace(doubted, memory=replace(doubted.memory, confidence=0.01))
    read = tuple(less if s.memory.id == less.memory.id else s for s in view.memories)
    monkeypatch.setattr(companion, "memory", lambda *_, **__: replace(view, memories=read))
    at = QPointF(20, 60)
    QApplication.sendEvent(page.table.viewport(), QEnterEvent(at, at, at))
    page.refresh()
    await until(lambda: page_standings(page)[0].memory.confidence == 0.01)
    assert shown(page) == before
    QApplication.sendEvent(page.table.viewport(), QEvent(QEvent.Type.Leave))
    await until(lambda: shown(page) != before)


async def test_a_pin_says_that_other_chats_share_it(page: MemoriesPage, until: Until) -> None:
    press_row(page, row_of(page, "Six honey cakes"))
    page.commands.pin.trigger()
    await until(lambda: page.commands.pin.text() == "Unpin")
    chosen = page.chosen.standings[0].memory
    assert "also in chats that share" in importance_words(replace(chosen, character="Ada"))
    assert "that share" not in importance_words(replace(chosen, character=""))


async def test_pinned_memories_can_be_shown_alone(page: MemoriesPage, until: Until) -> None:
    press_row(page, row_of(page, "Six honey cakes"))
    page.commands.pin.trigger()
    await until(lambda: page.commands.pin.text() == "Unpin")
    page.rail.shows["pinned"].click()
    await until(lambda: len([row for row in page.model.rows if row.standing]) == 2)


async def test_an_arc_is_resolved_and_reopened(
    page: MemoriesPage, until: Until, standing_of: Callable[[str], Standing | None]
) -> None:
    def status() -> Status | None:
        found = standing_of("favour Pasco owes")
        return found.status if found is not None else None

    page.show_memory(next(s.memory.id for s in page_arcs(page) if "favour" in s.memory.text))
    assert page.commands.resolve.isEnabled()
    page.commands.resolve.trigger()
    await until(lambda: status() is Status.ENDED)
    await until(lambda: page.commands.reopen.isEnabled())
    page.commands.reopen.trigger()
    await until(lambda: status() is Status.ACTIVE)


def page_arcs(page: MemoriesPage) -> list[Standing]:
    rows = (row.standing for row in page.model.rows)
    return [s for s in rows if s is not None and s.memory.tier is Tier.ARCS]


async def test_the_review_is_worked_by_keys_alone(
    page: MemoriesPage, until: Until, companion: Companion, demo_tavern: WrittenTavern
) -> None:
    await wake(page, until)

    def waiting() -> list[str]:
        return [s.memory.text for s in companion.memory(demo_tavern.chat).review]

    review = page.pane.review
    page.show_review()
    await until(review.hasFocus)
    first, second, third, fourth = waiting()
    QTest.keyClick(review, Qt.Key.Key_J)
    assert review.open_card is not None
    assert review.open_card.standing.memory.text == second
    QTest.keyClick(review, Qt.Key.Key_K)
    assert review.open_card.standing.memory.text == first
    QTest.keyClick(review, Qt.Key.Key_R)
    await until(lambda: waiting() == [second, third, fourth])
    await until(lambda: len(review.cards) == 3)
    QTest.keyClick(review, Qt.Key.Key_A)
    await until(lambda: len(review.cards) == 2)
    assert waiting() == [third, fourth]
    QTest.keyClick(review, Qt.Key.Key_E)
    card = review.open_card
    assert card is not None
    assert card.is_editing
    card.editor.prose.setPlainText("deep respect")
    QTest.keyClick(card.editor.prose, Qt.Key.Key_Return, CONTROL)
    await until(lambda: waiting() == [fourth])
    view = companion.memory(demo_tavern.chat)
    kept = next(s for s in view.memories if s.memory.text == "deep respect")
    assert kept.memory.review is Review.APPROVED


async def test_the_window_says_how_many_wait(
    page: MemoriesPage, demo_window: MainWindow, until: Until
) -> None:
    button = demo_window.frame.page_buttons["memories"]
    await until(lambda: button.badge == "4")
    page.show_review()
    page.pane.review.approve()
    await until(lambda: button.badge == "3")


async def test_the_ledger_is_shown_as_it_was(page: MemoriesPage, until: Until) -> None:
    def owner() -> str:
        rows = [row.standing for row in page.model.rows if row.standing is not None]
        held = [s.memory for s in rows if s.is_active]
        return next(m.text for m in held if (m.subject, m.field) == ("Wick-key", "owner"))

    press(page.rail.places["state_ledger"])
    await until(lambda: "[Wick-key]" in shown(page))
    assert owner() == "Madame Oyle"
    page.moment.number.setValue(40)
    await until(lambda: owner() == "Midge Reck")
    assert page.place.endswith("at #40")
    press(page.moment.now)
    await until(lambda: owner() == "Madame Oyle")


async def test_a_moment_is_chosen_on_the_axis_and_by_its_link(
    page: MemoriesPage, until: Until
) -> None:
    axis = page.moment.axis
    QTest.mouseClick(axis, BUTTON, pos=QPoint(axis.width() // 2, axis.height() // 2))
    await until(lambda: page.model.at == page.moment.at > 0)
    assert 60 < page.moment.at < 85


async def test_a_memory_is_written_by_hand(
    page: MemoriesPage, until: Until, standing_of: Callable[[str], Standing | None]
) -> None:
    await wake(page, until)
    page.table.setFocus()
    QTest.keyClick(page.table, Qt.Key.Key_N)
    adding = page.pane.adding
    await until(lambda: adding.words.prose.hasFocus())
    adding.words.prose.setPlainText("The fiddler saw everything.")
    press(adding.add)
    await until(lambda: standing_of("The fiddler saw everything.") is not None)
    await until(lambda: page.pane.detail.words.text() == "The fiddler saw everything.")
    made = standing_of("The fiddler saw everything.")
    assert made is not None
    assert made.memory.grounding is Grounding.YOURS
    # The last message says from when on it holds, and is no evidence of it.
    assert made.start == page.model.at
    assert page.pane.detail.proofs == []
    row = page.model.place_of(made.memory.id)
    assert row is not None
    assert page.model.index(row, Column.SOURCES).data() == "yours"
    assert not page.commands.jump.isEnabled()


@pytest.mark.pitfall(18)
async def test_a_memory_that_is_being_written_stays_with_its_chat(
    page: MemoriesPage,
    demo_window: MainWindow,
    companion: Companion,
    demo_tavern: WrittenTavern,
    until: Until,
) -> None:
    """Spec §23: the sheet kept the one before when another was shown, who then got the words."""
    assert demo_window.desk is not None
    session = demo_window.desk.session
    page.commands.add.trigger()
    page.pane.adding.words.prose.setPlainText("Half a memory")
    await session.open_path(companion.demo.path)
    assert page.pane.kind == DETAILS
    await until(lambda: page.model.at >= 0)
    page.commands.add.trigger()
    assert page.pane.adding.words.text == ""
    await session.open_path(demo_tavern.chat)
    await until(lambda: page.model.rowCount() > 0)
    page.commands.add.trigger()
    assert page.pane.adding.words.text == "Half a memory"


async def test_what_makes_no_sense_is_said_and_kept_on_the_sheet(
    page: MemoriesPage, demo_window: MainWindow, until: Until
) -> None:
    page.commands.add.trigger()
    press(page.pane.adding.add)
    await until(lambda: "needs a text" in demo_window.frame.notice.sentence)
    assert page.pane.kind == ""


async def test_somebody_becomes_something(
    page: MemoriesPage, until: Until, companion: Companion, demo_tavern: WrittenTavern
) -> None:
    def type_of() -> str:
        entities = companion.memory(demo_tavern.chat).entities
        return next(entity.type for entity in entities if entity.name == "Pilot's coat")

    press(page.rail.places["people"])
    await until(lambda: page.people.isVisible())
    names = [entity.name for entity in page.people.model.entities]
    page.people.table.selectRow(names.index("Pilot's coat"))
    types = page.people.types
    types.setCurrentIndex(types.findData("concept"))
    types.activated.emit(types.currentIndex())
    await until(lambda: type_of() == "concept")


async def test_two_names_become_one_and_a_name_another(
    page: MemoriesPage, until: Until, companion: Companion, demo_tavern: WrittenTavern
) -> None:
    def names() -> list[str]:
        return [entity.name for entity in companion.memory(demo_tavern.chat).entities]

    def select(name: str) -> None:
        shown = [entity.name for entity in page.people.model.entities]
        page.people.table.selectRow(shown.index(name))

    press(page.rail.places["people"])
    await until(lambda: page.people.isVisible())
    select("Ferrand")
    merge = page.people.merge
    merge.setCurrentIndex(merge.findText("Anselm Reck"))
    merge.activated.emit(merge.currentIndex())
    await until(lambda: "Ferrand" not in names())
    await until(lambda: len(page.people.model.entities) == len(names()))
    place = [entity.name for entity in page.people.model.entities].index("Heron pen")
    page.people.model.setData(page.people.model.index(place, 0), "Silver pen")
    await until(lambda: "Silver pen" in names())
    await until(lambda: len(page.people.model.entities) == len(names()))
    select("Patient Margit")
    press(page.people.delete)
    await until(lambda: "Patient Margit" not in names())


async def test_a_name_leads_to_its_memories(page: MemoriesPage, until: Until) -> None:
    press(page.rail.places["people"])
    await until(lambda: page.people.isVisible())
    names = [entity.name for entity in page.people.model.entities]
    page.people.table.selectRow(names.index("Joost Pellam"))
    press(page.people.see)
    await until(lambda: page.table.isVisible() and 0 < len(page.model.rows) < 20)
    assert page.tools.field.text() == 'who:"Joost Pellam"'


async def test_who_is_remembered_together_is_seen_and_leads_on_by_key(
    page: MemoriesPage, until: Until
) -> None:
    press(page.rail.places["people"])
    await until(lambda: page.people.isVisible())
    people, bonds = page.people, page.people.bonds
    names = [entity.name for entity in people.model.entities]
    people.table.selectRow(names.index("Joost Pellam"))
    rows = bonds.rows
    counts = [row.childCount() for row in rows if row.text(0) != "nobody else"]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] > 1
    other = rows[0].text(0)
    assert other in names
    said = rows[0].data(0, Qt.ItemDataRole.AccessibleTextRole)
    assert said == f"{other}: {counts[0]} memories"
    bonds.setFocus()
    bonds.setCurrentItem(rows[0])
    QTest.keyClick(bonds, Qt.Key.Key_Return)
    assert people.chosen is not None
    assert people.chosen.name == other
    back = bonds.findItems("Joost Pellam", Qt.MatchFlag.MatchExactly)[0]
    assert back.childCount() == counts[0]
    bonds.setCurrentItem(back)
    QTest.keyClick(bonds, Qt.Key.Key_Right)
    QTest.keyClick(bonds, Qt.Key.Key_Down)
    (row,) = bonds.selectedItems()
    words = row.text(0)
    QTest.keyClick(bonds, Qt.Key.Key_Return)
    await until(lambda: page.table.isVisible())
    (chosen,) = page.chosen.standings
    assert sentence_of(chosen.memory) == words


async def test_a_profile_is_rewritten(
    page: MemoriesPage, until: Until, companion: Companion, demo_tavern: WrittenTavern
) -> None:
    press(page.rail.places["texts"])
    await until(lambda: page.texts.isVisible() and len(page.texts.cards) == 2)
    card = page.texts.cards[0]
    press(card.edit_button)
    card.editor.prose.setPlainText("A captain again.")
    QTest.keyClick(card.editor.prose, Qt.Key.Key_Return, CONTROL)
    await until(
        lambda: any(
            d.text == "A captain again." for d in companion.memory(demo_tavern.chat).documents
        )
    )
    await until(lambda: page.texts.cards[0].words.text() == "A captain again.")


async def test_the_pane_gives_way_in_a_narrow_window(
    page: MemoriesPage, demo_window: MainWindow, until: Until
) -> None:
    await wake(page, until)
    demo_window.resize(900, 800)
    await until(lambda: not page.pane.isVisible())
    demo_window.actions_["pane.right"].trigger()
    assert page.pane.isVisible()
    demo_window.actions_["pane.right"].trigger()
    press_row(page, row_of(page, "Dov peels an orange"))
    page.commands.edit.trigger()
    assert page.table.viewport().findChild(QLineEdit) is not None


async def test_deeds_stand_in_the_palette_on_this_page(
    page: MemoriesPage, demo_window: MainWindow
) -> None:
    desk = demo_window.desk
    assert desk is not None
    assert page.commands.read_now in [action for action, _ in desk._shown_actions()]
    demo_window.show_page("story")
    assert page.commands.read_now not in [action for action, _ in desk._shown_actions()]


async def test_copy_takes_what_is_chosen(page: MemoriesPage) -> None:
    press_row(page, row_of(page, "Six honey cakes"))
    page.commands.copy.trigger()
    clipboard = QApplication.clipboard().text()
    assert clipboard == "Six honey cakes for the dogs, four for the crew."


async def test_the_model_keeps_qts_rules(page: MemoriesPage) -> None:
    model = MemoryModel()
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    rows = page.model.rows
    model.show_rows(rows, page.model.ground, page.model.at)
    model.show_rows(rows[:3], page.model.ground, page.model.at)
    model.show_rows((), page.model.ground, -1)
    del tester


async def test_rows_that_were_low_are_high_again(page: MemoriesPage, until: Until) -> None:
    def heights() -> set[int]:
        rows = page.model.rows
        return {
            page.table.rowHeight(place)
            for place, row in enumerate(rows)
            if row.standing is not None and not row.is_under
        }

    assert heights() == {45}
    page.rail.shows["ended"].click()
    await until(lambda: not any(row.is_under for row in page.model.rows))
    assert heights() == {45}


async def test_a_hundred_thousand_rows_are_shown_without_waiting(page: MemoriesPage) -> None:
    one = next(row.standing for row in page.model.rows if row.standing is not None)
    many = [
        replace(one, memory=replace(one.memory, id=f"many-{place}", text=f"Memory {place}"))
        for place in range(100_000)
    ]
    rows = arranged(many, Wanted()).rows
    page.model.show_rows(rows, page.model.ground, page.model.at)
    page.table.scrollToBottom()
    last = page.table.indexAt(QPoint(60, page.table.viewport().height() - 10))
    assert last.row() > 99_900


async def test_the_page_does_not_say_that_nothing_is_remembered_before_it_has_looked(
    page: MemoriesPage,
    companion: Companion,
    demo_tavern: WrittenTavern,
    until: Until,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    look, may_look = companion.memory, threading.Event()

    def late(path: Path, *, at: int | None = None) -> MemoryView:
        assert may_look.wait(10)
        return look(path, at=at)

    with monkeypatch.context() as patch:
        patch.setattr(companion, "memory", late)
        await wake(page, until)
        page.take_focus()
        try:
            await page._session.open_path(demo_tavern.chat)
            assert page.empty.isVisible()
            assert page.empty.title.text() == "Loading memories"
            assert not page.empty.read.isVisible()
        finally:
            may_look.set()
        await until(page.split.isVisible)
    assert page.table.hasFocus()


async def test_a_look_that_is_given_up_before_it_began_leaves_nothing(page: MemoriesPage) -> None:
    look = page.empty.waits_for(page._load, Path("gone"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        look.close()
        gc.collect()


async def test_a_look_that_failed_is_not_said_to_go_on(
    page: MemoriesPage,
    companion: Companion,
    demo_tavern: WrittenTavern,
    until: Until,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(path: Path, *, at: int | None = None) -> MemoryView:
        raise StoreError("The disk is gone.")

    monkeypatch.setattr(companion, "memory", fail)
    await page._session.open_path(demo_tavern.chat)
    await until(lambda: page.empty.title.text() == "The memories could not be loaded")
    assert not page.empty.read.isVisible()


async def test_the_page_says_what_it_is_for_when_nothing_is_remembered(
    page: MemoriesPage,
    demo_window: MainWindow,
    companion: Companion,
    demo_tavern: WrittenTavern,
    until: Until,
) -> None:
    await companion.memories.fresh_start(demo_tavern.chat)
    await companion.memories.read_again(demo_tavern.chat)
    await until(lambda: page.empty.isVisible())
    companion.work.pause()
    press(page.empty.read)
    await until(
        lambda: any(op.spec.kind is OperationKind.MEMORY_PASS for op in companion.work.operations)
    )
    await until(lambda: page.strip.isVisible())


async def test_what_a_member_of_a_group_remembers_is_shown_by_itself(
    page: MemoriesPage, demo_window: MainWindow, until: Until
) -> None:
    assert demo_window.desk is not None
    story = demo_window.desk.session.story
    assert story is not None
    assert members_menu(story, page, lambda name: None) is None
    names = story.chat.speakers
    group = replace(story, chat=replace(story.chat, kind=ChatKind.GROUP))
    menu = members_menu(group, page, partial(page.search_for, "of"))
    assert menu is not None
    assert [action.text() for action in menu.actions()] == list(names)
    before = len(shown(page))
    menu.actions()[0].trigger()
    await until(lambda: len(shown(page)) < before)
    assert names[0] in page.tools.field.text()
    tiers = {row.standing.memory.tier for row in page.model.rows if row.standing is not None}
    assert tiers <= {Tier.LONG_TERM, Tier.RELATIONSHIPS, Tier.EPISTEMIC}


async def test_the_keyboard_stays_in_the_pane_when_its_sheet_changes(
    page: MemoriesPage, until: Until
) -> None:
    await wake(page, until)
    page.show_review()
    assert page.pane.kind == REVIEW
    await until(page.pane.review.hasFocus)
    page.pane.show_kind(DETAILS)
    assert page.pane.detail.area.hasFocus()


def memories_of(page: MemoriesPage) -> list[Memory]:
    standings = (page.model.standing(row) for row in range(page.model.rowCount()))
    return [standing.memory for standing in standings if standing is not None]


async def test_the_palette_finds_memories_of_the_chat_and_leads_to_them(
    page: MemoriesPage, demo_window: MainWindow, until: Until
) -> None:
    desk = demo_window.desk
    assert desk is not None
    memory = next(m for m in memories_of(page) if len(m.text.split()) > 4)
    demo_window.show_page("story")
    desk.open_palette()
    field = QApplication.focusWidget()
    assert isinstance(field, QLineEdit)
    field.setText(" ".join(memory.text.split()[:4]))
    shown = desk._palette._model

    def rows() -> list[Entry]:
        return [shown.index(row).data(ENTRY_ROLE) for row in range(shown.rowCount())]

    await until(lambda: memory.text in [row.text for row in rows()])
    place = [row.text for row in rows()].index(memory.text)
    desk._palette._choose(shown.index(place))
    assert demo_window.page is page
    await until(lambda: page.chosen.ids == [memory.id])


async def test_what_is_left_out_of_a_chat_is_not_shown_among_its_memories_at_first(
    page: MemoriesPage, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    """ "90 active" of a new chat were nearly all of others, which its prompt left out."""
    await wake(page, until)
    here = page.rail.shows["here"]
    assert not here.isChecked()
    path = demo_tavern.chat
    await companion.put_setting("other_chats_enabled", False, path=path)
    await until(here.isChecked)
    page.rail.shows["pinned"].click()
    await until(lambda: bool(ProgramSettings(companion.settings).memories_shown))
    assert "here" not in ProgramSettings(companion.settings).memories_shown.split(",")
    await companion.put_setting("other_chats_enabled", True, path=path)
    await until(lambda: not here.isChecked())
