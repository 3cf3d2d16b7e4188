"""The recaps page with real clicks and keys: reading, comparing, keeping, deleting, drafts."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget

from app.companion import Companion
from app.core.errors import StoreError
from app.core.operations import OperationKind
from app.prompt.slots import RUNNING_RECAP_KEY
from app.story.comparison import Choice
from app.story.drafts import RUNNING_RECAP, Draft
from app.story.recaps import RunningRecap
from app.story.scenes import Scene
from tests.labelled import WrittenTavern
from ui.program.main_window import MainWindow
from ui.recaps.comparing.merging import OPEN_WORDS
from ui.recaps.page import RecapsPage
from ui.recaps.version_rows import LEFT, RIGHT
from ui.theme import ThemeChoice, theme

Until = Callable[[Callable[[], bool]], Awaitable[None]]
BUTTON = Qt.MouseButton.LeftButton
CONTROL = Qt.KeyboardModifier.ControlModifier


def press(widget: QWidget) -> None:
    QTest.mouseClick(widget, BUTTON)


def press_chip(page: RecapsPage, side: str, number: int) -> None:
    index = page.model.index_of(number)
    page.list.scrollTo(index)
    QTest.mouseClick(page.list.viewport(), BUTTON, pos=page.list.chip(index, side).center())


def press_row(page: RecapsPage, number: int) -> None:
    index = page.model.index_of(number)
    page.list.scrollTo(index)
    area = page.list.visualRect(index)
    QTest.mouseClick(page.list.viewport(), BUTTON, pos=area.topLeft() + QPoint(20, 30))


def newest(page: RecapsPage) -> int:
    return max(row.number for row in page.model.rows)


@pytest.fixture
def running(companion: Companion, demo_tavern: WrittenTavern) -> Callable[[], RunningRecap]:
    def read() -> RunningRecap:
        story = companion.story(demo_tavern.chat)
        assert story is not None
        return story.running

    return read


def content(running: RunningRecap) -> str:
    return running.current.content if running.current is not None else ""


async def drafts_become(companion: Companion, tavern: WrittenTavern, texts: list[str]) -> None:
    """Wait until these are the drafts: no signal tells of them."""
    drafts = companion.edits.drafts
    async with asyncio.timeout(10):
        while [d.text for d in await drafts.of(tavern.chat)] != texts:  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def test_chips_put_two_versions_side_by_side(page: RecapsPage) -> None:
    right = newest(page)
    press_chip(page, LEFT, right - 3)
    assert page.is_comparing  # the one that was read went right
    assert page.place == f"v{right - 2} with v{right + 1}, word by word"
    press_chip(page, RIGHT, right - 1)
    assert page.place == f"v{right - 2} with v{right}, word by word"
    press_chip(page, LEFT, right - 1)  # the other way round
    assert page.place == f"v{right} with v{right - 2}, word by word"
    press_chip(page, LEFT, right - 1)
    assert not page.is_comparing


async def test_l_and_r_put_the_row_with_the_keyboard_left_and_right(page: RecapsPage) -> None:
    right = newest(page)
    page.list.setFocus()
    QTest.keyClick(page.list, Qt.Key.Key_Down)
    QTest.keyClick(page.list, Qt.Key.Key_R)
    assert not page.is_comparing
    QTest.keyClick(page.list, Qt.Key.Key_Down)
    QTest.keyClick(page.list, Qt.Key.Key_L)
    assert page.place == f"v{right - 1} with v{right}, word by word"


async def test_choices_make_a_version_that_goes_into_the_prompt_and_back_by_undo(
    page: RecapsPage,
    demo_window: MainWindow,
    running: Callable[[], RunningRecap],
    until: Until,
) -> None:
    before = running()
    press(page.reading.compare)
    comparison = page.comparison
    assert comparison.result.editor.toPlainText().count(OPEN_WORDS) == 3
    assert not comparison.tools.keep.isEnabled()
    assert "3 changes are not chosen yet" in comparison.tools.keep.toolTip()
    pair = comparison.columns.pair(0)
    assert pair is not None
    press(pair.right)
    assert comparison.current == 0
    QTest.keyClick(comparison.columns.right, Qt.Key.Key_F7)
    QTest.keyClicks(comparison.columns.right, "[")
    QTest.keyClick(comparison.columns.right, Qt.Key.Key_F7)
    QTest.keyClicks(comparison.columns.right, "]")
    wanted = (
        "Dov\nHe gave the key.\n\nThe crew\nThey wait.\n\nMidge\nShe climbs."
        "\n\nThe Feast\nThe lamps go out."
    )
    assert comparison.result_text == wanted
    assert comparison.tools.keep.text() == f"Keep as v{page.model.rows[0].number + 2}"
    press(comparison.tools.keep)
    await until(lambda: content(running()) == wanted)
    assert not page.is_comparing
    await until(lambda: page.reading.text.text == wanted)
    await until(lambda: demo_window.actions_["undo"].isEnabled())
    QTest.keyClick(page.list, Qt.Key.Key_Z, CONTROL)
    await until(lambda: running().current == before.current)


async def test_undo_takes_back_choices_first(
    page: RecapsPage, running: Callable[[], RunningRecap]
) -> None:
    before = running()
    press(page.reading.compare)
    comparison = page.comparison
    QTest.keyClicks(comparison.columns.right, "]")
    QTest.keyClicks(comparison.columns.right, "=")
    assert comparison.merge.choice(0) is Choice.BOTH
    QTest.keyClick(comparison.columns.right, Qt.Key.Key_Z, CONTROL)
    assert comparison.merge.choice(0) is Choice.RIGHT
    QTest.keyClick(comparison.result.editor, Qt.Key.Key_Z, CONTROL)
    assert comparison.merge.is_open(0)
    QTest.keyClick(comparison.columns.left, Qt.Key.Key_Y, CONTROL)
    assert comparison.merge.choice(0) is Choice.RIGHT
    assert running() == before


async def test_words_are_written_where_nothing_is_chosen(page: RecapsPage) -> None:
    press(page.reading.compare)
    comparison = page.comparison
    editor = comparison.result.editor
    editor.setFocus()
    editor.reveal(comparison.merge.open_stretches()[0][0])
    QTest.keyClicks(editor, "He lost the key.")
    assert comparison.result_text.startswith("Dov\nHe lost the key.\n\nThe crew")
    QTest.keyClick(editor, Qt.Key.Key_BracketRight, CONTROL)  # takes, and is not written
    assert comparison.result_text.startswith("Dov\nHe gave the key.\n\nThe crew")
    QTest.keyClick(editor, Qt.Key.Key_Z, CONTROL)
    assert comparison.result_text.startswith("Dov\nHe lost the key.")


async def test_a_result_that_only_repeats_a_version_is_not_kept(
    page: RecapsPage, running: Callable[[], RunningRecap]
) -> None:
    before = running()
    press(page.reading.compare)
    comparison = page.comparison
    comparison.take_all("left")
    assert f"exactly v{newest(page)}" in comparison.tools.keep.toolTip()
    QTest.keyClick(comparison.columns.right, Qt.Key.Key_S, CONTROL)
    assert page.is_comparing
    assert running() == before


async def test_what_is_the_same_in_both_is_folded_and_opens_on_a_click(page: RecapsPage) -> None:
    press(page.reading.compare)
    columns = page.comparison.columns
    assert "They wait." not in columns.left.toPlainText()
    fold = next(iter(columns._folds.values()))
    assert fold.accessibleName() == "The crew, the same in both"
    press(fold)
    assert "They wait." in columns.left.toPlainText()
    assert "They wait." in columns.right.toPlainText()


async def test_rows_of_both_columns_begin_on_one_line_and_scroll_together(
    page: RecapsPage, demo_window: MainWindow
) -> None:
    press_chip(page, LEFT, 6)
    columns = page.comparison.columns
    for width in (1360, 900):
        demo_window.resize(width, 700)
        left, right = columns.left.tops(), columns.right.tops()
        assert len(left) > 4
        assert left == pytest.approx(right, abs=1)
    columns.bar.setValue(90)
    assert columns.left.verticalScrollBar().value() == 90
    columns.left.verticalScrollBar().setValue(40)
    assert columns.right.verticalScrollBar().value() == columns.bar.value() == 40


async def test_the_choices_of_a_closed_comparison_are_a_draft(
    page: RecapsPage, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    press(page.reading.compare)
    page.comparison.take_all("right")
    page.comparison.take(0, Choice.LEFT)
    wanted = page.comparison.result_text
    QTest.keyClick(page.comparison.columns.right, Qt.Key.Key_Escape)
    await until(page.reading.offer.isVisible)
    await drafts_become(companion, demo_tavern, [wanted])
    press(page.reading.offer.go_on)
    assert page.reading.text.text == wanted


async def test_a_draft_left_behind_by_a_crash_is_offered_and_can_be_discarded(
    page: RecapsPage, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    drafts = companion.edits.drafts
    await drafts.save(demo_tavern.chat, Draft(RUNNING_RECAP, "", "Half a sen", base=2))
    page.rail.choose("")
    await until(page.reading.offer.isVisible)
    press(page.reading.offer.discard)
    assert not page.reading.offer.isVisible()
    await drafts_become(companion, demo_tavern, [])


async def test_a_draft_that_could_not_be_saved_says_so_until_it_is(
    page: RecapsPage, companion: Companion, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It said "saved as you type" while the disk was full."""

    async def full(path: Path, draft: Draft) -> None:
        raise StoreError("The disk is full.")

    press(page.reading.edit)
    prose = page.reading.text.prose
    drafts = companion.edits.drafts
    with monkeypatch.context() as patched:
        patched.setattr(drafts, "save", full)
        QTest.keyClicks(prose, "Now: ")
        page.drafts.flush()
        await until(lambda: "could not be saved" in page.reading.origin.text())
    page.drafts.flush()  # what waits is tried again
    await until(lambda: "saved as you type" in page.reading.origin.text())
    assert prose.toPlainText().startswith("Now: ")


async def test_what_is_typed_is_kept_as_a_draft_until_it_is_a_version(
    page: RecapsPage,
    companion: Companion,
    demo_tavern: WrittenTavern,
    running: Callable[[], RunningRecap],
    until: Until,
) -> None:
    press(page.reading.edit)
    prose = page.reading.text.prose
    QTest.keyClicks(prose, "Now: ")
    page.drafts.flush()
    await drafts_become(companion, demo_tavern, [prose.toPlainText()])
    assert prose.toPlainText().startswith("Now: Dov")
    QTest.keyClick(prose, Qt.Key.Key_S, CONTROL)
    await until(lambda: content(running()).startswith("Now: Dov"))
    await drafts_become(companion, demo_tavern, [])
    assert not page.reading.offer.isVisible()


async def test_what_came_while_the_version_in_the_prompt_was_corrected_stays_with_the_correction(
    page: RecapsPage,
    companion: Companion,
    demo_tavern: WrittenTavern,
    running: Callable[[], RunningRecap],
    until: Until,
) -> None:
    before = content(running())
    press(page.reading.edit)
    page.reading.text.prose.setPlainText(before.replace("They wait.", "They sleep."))
    await companion.edits.edit_running_recap(demo_tavern.chat, f"{before}\nMidge sang.")
    await until(lambda: "Midge sang." in content(running()))
    press(page.reading.keep)
    await until(lambda: "They sleep." in content(running()))
    assert "Midge sang." in content(running())
    assert "They wait." not in content(running())


async def test_a_version_that_was_not_in_the_prompt_is_kept_as_it_was_written(
    page: RecapsPage, running: Callable[[], RunningRecap], until: Until
) -> None:
    press_row(page, newest(page) - 1)
    press(page.reading.edit)
    old = page.reading.text.prose.toPlainText()
    assert "The Feast" not in old
    page.reading.text.prose.setPlainText(f"{old}\nDov left.")
    press(page.reading.keep)
    await until(lambda: "Dov left." in content(running()))
    assert "The Feast" not in content(running())


async def test_a_deleted_version_stands_under_deleted_and_is_restored(
    page: RecapsPage, running: Callable[[], RunningRecap], until: Until
) -> None:
    gone = newest(page) - 4
    press_row(page, gone)
    press(page.reading.delete)
    await until(lambda: any(row.is_deleted for row in page.model.rows))
    assert all(version.version != gone for version in running().versions)
    press_row(page, gone)
    assert page.reading.restore.isVisible()
    press(page.reading.restore)
    await until(lambda: not any(row.is_deleted for row in page.model.rows))
    assert any(version.version == gone for version in running().versions)


async def test_all_versions_are_deleted_at_once_and_come_back_by_undo(
    page: RecapsPage, demo_window: MainWindow, running: Callable[[], RunningRecap], until: Until
) -> None:
    before = running()
    page.rail.clear.trigger()
    await until(lambda: not running().versions)
    await until(lambda: all(row.is_deleted for row in page.model.rows))
    await until(lambda: "clear" in demo_window.actions_["undo"].text())
    demo_window.actions_["undo"].trigger()
    await until(lambda: running() == before)


async def test_the_running_recap_is_rebuilt_from_the_first_scene_on(
    page: RecapsPage, running: Callable[[], RunningRecap], until: Until
) -> None:
    mine = running().current
    assert mine is not None
    assert mine.made_by == "you"
    press(page.rail.more)
    assert page.rail.redo.text() == "Rebuild it from the first scene"
    page.rail.redo.trigger()
    await until(lambda: (now := running().current) is not None and now.made_by != "you")
    assert any(version.content == mine.content for version in running().versions)


async def test_the_open_list_of_scenes_stays_as_it_is_while_they_get_their_names(
    page: RecapsPage, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    """The row that had been looked for was lost whenever a scene's name was known."""
    scenes = page.rail.scenes
    page.rail.choose(scenes.itemData(2))
    scenes.showPopup()
    scenes.view().setCurrentIndex(scenes.model().index(0, 0))
    await companion.edits.scenes.rename(demo_tavern.chat, str(scenes.itemData(1)), "The ferry")
    story = companion.story(demo_tavern.chat)
    assert story is not None
    page.rail.show_scenes(story)
    assert scenes.view().currentIndex().row() == 0
    QTest.keyClick(scenes.view(), Qt.Key.Key_Return)
    assert page.rail.anchor == scenes.itemData(0)
    await until(lambda: scenes.itemText(1) == "2  The ferry")
    assert page.rail.anchor == scenes.itemData(0)


async def test_a_scene_has_versions_of_its_own(
    page: RecapsPage, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    def scene() -> Scene:
        story = companion.story(demo_tavern.chat)
        assert story is not None
        return story.scenes[1]

    page.rail.choose(page.rail.scenes.itemData(1))
    assert page.rail.scenes.currentText().startswith("2  ")
    press(page.reading.edit)
    page.reading.text.prose.setPlainText("They met.")
    press(page.reading.keep)
    await until(lambda: page.model.rowCount() == 2)
    assert page.reading.row is not None
    assert page.reading.row.text == "They met."
    told = "while the running recap still tells its v1"
    assert [(row.is_locked, row.told) for row in page.model.rows] == [
        (False, told),
        (True, "told by the running recap"),
    ]
    assert told in str(page.model.data(page.model.index(0)))
    assert page.reading.told.isVisible()
    press(page.rail.more)
    assert page.rail.rebuild.isEnabled()
    press(page.reading.told.rebuild)
    await until(lambda: [row.is_locked for row in page.model.rows] == [True, False])
    assert page.model.rows[1].told == ""
    await until(page.reading.told.isHidden)
    press_row(page, 0)
    press(page.reading.use)

    def text() -> str:
        story = companion.story(demo_tavern.chat)
        recap = story.scene_recap(scene()) if story is not None else None
        return recap.text if recap is not None else ""

    await until(lambda: text() not in ("", "They met."))
    assert page._subject.budget == 0


async def test_a_recap_whose_scene_changed_since_says_so(
    page: RecapsPage, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    """ "In use", it said, of a recap that told what had been edited away."""
    page.rail.choose(page.rail.scenes.itemData(1))
    assert "outdated" not in page.reading.origin.text()
    story = companion.story(demo_tavern.chat)
    assert story is not None
    edited = story.messages[story.scenes[1].first].text
    text = demo_tavern.chat.read_text("utf-8")
    start = json.dumps(edited[:20], ensure_ascii=False)[1:-1]
    assert start in text
    demo_tavern.chat.write_text(text.replace(start, f"Now {start}"), "utf-8")
    await companion.open_story(demo_tavern.chat)
    await until(lambda: "outdated: the scene changed since" in page.reading.origin.text())


async def test_reading_another_version_leaves_the_comparison_open(page: RecapsPage) -> None:
    press(page.reading.compare)
    page.comparison.take(0, Choice.LEFT)
    press_row(page, 3)
    assert not page.is_comparing
    press(page.reading.back)
    assert page.is_comparing
    assert page.comparison.merge.choice(0) is Choice.LEFT


@pytest.mark.parametrize("choice", [ThemeChoice.DARK, ThemeChoice.LIGHT])
async def test_marked_words_stand_on_the_ground_of_their_side(
    page: RecapsPage, demo_window: MainWindow, choice: ThemeChoice
) -> None:
    theme.set_choice(choice)
    try:
        press(page.reading.compare)
        for column, tone in (
            (page.comparison.columns.left, theme.tokens.compare_left),
            (page.comparison.columns.right, theme.tokens.compare_right),
        ):
            picture = column.grab().toImage()
            found = {
                picture.pixelColor(x, y).name()
                for x in range(picture.width())
                for y in range(min(80, picture.height()))
            }
            assert tone.ground.name() in found
    finally:
        theme.set_choice(ThemeChoice.DARK)


async def test_everything_that_is_compared_with_has_a_name_and_is_reached_by_tab(
    page: RecapsPage, demo_window: MainWindow
) -> None:
    press(page.reading.compare)
    wanted = [
        widget
        for widget in demo_window.findChildren(QWidget)
        if widget.isVisible()
        and widget.isEnabled()
        and widget.focusPolicy() & Qt.FocusPolicy.TabFocus
    ]
    assert [type(w).__name__ for w in wanted if not w.accessibleName()] == []
    names = {widget.accessibleName() for widget in wanted}
    assert {"Take left in Dov", "Take right in Dov", "Result", "Versions"} <= names
    wanted[0].setFocus(Qt.FocusReason.TabFocusReason)
    reached = set()
    for _ in range(3 * len(wanted)):
        demo_window.focusNextPrevChild(True)
        reached.add(QApplication.focusWidget())
    # Of buttons of which one is on, Tab comes to that one, and the arrow keys to the others.
    others = [
        w for w in wanted if isinstance(w, QAbstractButton) and w.group() and not w.isChecked()
    ]
    assert [w for w in wanted if w not in reached and w not in others] == []


async def test_the_first_version_is_written_by_hand_where_there_is_none(
    page: RecapsPage, running: Callable[[], RunningRecap], until: Until
) -> None:
    page.rail.clear.trigger()
    await until(lambda: not running().versions)
    press(page.rail.write)
    page.reading.text.prose.setPlainText("Begun anew.")
    press(page.reading.keep)
    await until(lambda: content(running()) == "Begun anew.")


async def test_turning_to_a_scene_keeps_what_was_being_written(
    page: RecapsPage, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    press(page.reading.edit)
    QTest.keyClicks(page.reading.text.prose, "Now: ")
    written = page.reading.text.text
    page.rail.choose(page.rail.scenes.itemData(0))
    assert not page.reading.is_editing
    assert page.reading.text.text != written
    await drafts_become(companion, demo_tavern, [written])
    page.rail.choose("")
    await until(page.reading.offer.isVisible)


async def test_looking_into_a_version_leaves_an_older_draft_alone(
    page: RecapsPage, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    draft = Draft(RUNNING_RECAP, "", "Half a sen")
    await companion.edits.drafts.save(demo_tavern.chat, draft)
    page.rail.choose("")
    await until(page.reading.offer.isVisible)
    press(page.reading.edit)
    QTest.keyClick(page.reading.text.prose, Qt.Key.Key_Escape)
    await drafts_become(companion, demo_tavern, [draft.text])
    await until(page.reading.offer.isVisible)


async def test_rows_begin_on_one_line_when_the_columns_are_first_shown(
    demo_window: MainWindow, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    long = "Dov\n" + "He sold the key to the Lord Warden of Lamps and went home. " * 8
    for text in (long, "Dov\nHe gave it.\n\nMidge\nShe climbs."):
        await companion.edits.edit_running_recap(demo_tavern.chat, text)
    demo_window.show_page("recaps")
    page = demo_window.page
    assert isinstance(page, RecapsPage)
    page.compare_shown()  # laid out before any of it was seen
    columns = page.comparison.columns
    await until(lambda: columns.pair(1) is not None and columns.left.viewport().width() > 300)
    tops = columns.left.tops()
    assert columns.right.tops() == pytest.approx(tops, abs=1)
    pair = columns.pair(1)
    assert pair is not None
    assert 0 <= pair.y() + columns.bar.value() - tops[1] < 12


async def test_a_model_is_let_redo_what_was_written_before_it(
    page: RecapsPage, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    story = companion.story(demo_tavern.chat)
    assert story is not None
    rail, scenes = page.rail, len(story.made_without_model)
    assert scenes
    assert rail.made_without_model() == 0  # there is no model that could
    companion.work.pause()
    await companion.put_setting("backend", "openai:any@http://127.0.0.1:9/v1")
    press(rail.more)
    assert rail.renew.text() == (f"Let the model redo {scenes} recaps that were written without it")
    rail.renew.trigger()
    kinds = (OperationKind.SCENE_RECAP, OperationKind.RUNNING_RECAP)
    await until(lambda: {op.spec.kind for op in companion.work.operations} >= set(kinds))


async def test_what_a_deleted_version_told_is_folded_in_again_when_asked(
    page: RecapsPage, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    path = demo_tavern.chat
    story = companion.story(path)
    assert story is not None
    last = story.running.versions[-1]
    assert page.rail.let_go() == ()
    await companion.edits.clear_running_recap(path)
    await companion.settled(path)
    assert [s.number for s in page.rail.let_go()] == list(range(1, last.scene_count + 1))
    press(page.rail.more)
    assert page.rail.again.text() == f"Add scenes 1 to {last.scene_count} again"
    page.rail.again.trigger()

    def is_told() -> bool:
        story = companion.story(path)
        newest = story.running.latest if story is not None else None
        return newest is not None and newest.last_anchor == last.last_anchor

    await until(is_told)
    assert page.rail.let_go() == ()


async def test_the_running_recap_has_one_size_on_every_page(
    demo_window: MainWindow, until: Until
) -> None:
    demo_window.show_page("recaps")
    page, desk = demo_window.page, demo_window.desk
    assert isinstance(page, RecapsPage)
    assert desk is not None
    await until(lambda: any(slot.key == RUNNING_RECAP_KEY for slot in desk.session.slots.slots))
    slot = next(s for s in desk.session.slots.slots if s.key == RUNNING_RECAP_KEY)
    row = next(row for row in page.model.rows if row.is_current)
    await until(lambda: page.model.tokens(row.number) is not None)
    assert page.model.tokens(row.number) == slot.full_tokens


async def test_only_the_version_in_the_prompt_says_how_much_of_it_is_there(
    page: RecapsPage, until: Until
) -> None:
    """What was said of v287 stood beneath v278 as well, which was in no prompt."""
    session = page._session
    await until(lambda: session.slots.recap is not None)
    told = next(row.number for row in page.model.rows if row.is_current)
    recap = session.slots.recap
    assert recap is not None
    session._slots = replace(session.slots, recap=replace(recap, version=told, tokens=99_999))
    session.slots_changed.emit(session.slots)
    assert page.reading.size_note.isVisibleTo(page.reading)
    press_row(page, told - 1)
    assert page.reading.row is not None
    assert page.reading.row.number == told - 1
    assert not page.reading.size_note.isVisibleTo(page.reading)
    press_row(page, told)
    assert page.reading.size_note.isVisibleTo(page.reading)
    # Another was chosen, and the next prompt is not made yet.
    session._slots = replace(session.slots, recap=replace(recap, version=told - 1, tokens=99_999))
    session.slots_changed.emit(session.slots)
    assert not page.reading.size_note.isVisibleTo(page.reading)


async def test_the_growth_of_a_recap_is_drawn_under_its_own_budget(
    page: RecapsPage, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    """What a turn had room for was drawn as the budget, and all versions flat on its line."""
    session = page._session
    await until(lambda: bool(session.slots.slots))
    (running, *others) = session.slots.slots
    session._slots = replace(session.slots, slots=(replace(running, budget=320), *others))
    own = companion.setting("running_recap_budget", path=demo_tavern.chat).value
    assert own > 320
    assert page._subject.budget == own


async def test_who_wrote_a_version_is_read_to_the_end(page: RecapsPage) -> None:
    """It shared a line with the buttons, and "written 16:57 v…" was all there was room for."""
    origin = page.reading.origin
    shown = origin.text()
    assert shown
    assert origin.wordWrap()
    assert origin.width() > page.width() // 2


async def test_a_scenes_recap_has_the_headings_of_the_running_one(
    page: RecapsPage, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    """One page called the same parts by English words, and by those of the story."""
    path = demo_tavern.chat
    await companion.put_setting("headings_language", "de", path=path)
    story = companion.story(path)
    assert story is not None
    closing = story.scenes[0].closing
    assert closing is not None
    await companion.edits.edit_scene_recap(path, closing.anchor, "STATE\nThe key is sold.")
    subject = page._subject
    subject.anchor = closing.anchor
    assert subject.rows(())[0].text == "STAND\nThe key is sold."
    subject.keep("STAND\nThe key is gone.", None)

    def kept() -> str:
        now = companion.story(path)
        recap = now.scene_recap(now.scenes[0]) if now is not None else None
        return recap.text if recap is not None else ""

    await until(lambda: "gone" in kept())
    assert kept() == "STATE\nThe key is gone."


async def test_the_scene_chosen_on_the_page_story_is_the_one_looked_at(
    page: RecapsPage, demo_window: MainWindow
) -> None:
    rail = page.rail

    def choose_on_story(scene: int) -> None:
        demo_window.show_page("story")
        assert demo_window.desk is not None
        stage = demo_window.desk.story_stage
        assert stage is not None
        stage.navigator.scene_chosen.emit(scene)
        demo_window.show_page("recaps")

    choose_on_story(1)
    rail.kinds.chosen.emit("scene")
    assert rail.scenes.currentText().startswith("2  ")
    rail.scenes.setCurrentIndex(2)
    rail.scenes.activated.emit(2)
    rail.kinds.chosen.emit("running")
    rail.kinds.chosen.emit("scene")
    assert rail.scenes.currentText().startswith("3  ")  # chosen here, and later
    choose_on_story(0)
    assert rail.scenes.currentText().startswith("1  ")
    assert page.reading.row is not None


async def test_safe_mode_greys_what_it_would_refuse_and_says_why(
    demo_window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert demo_window.desk is not None
    for is_safe in (False, True):
        monkeypatch.setattr(Companion, "is_reading_only", is_safe)
        page = RecapsPage(demo_window.desk.session)
        page.rail.offer()
        reading, rail, commands = page.reading, page.rail, page.commands
        buttons = (reading.edit, reading.use, reading.delete, rail.write)
        changing = (*buttons, commands.edit, rail.redo, rail.clear)
        assert {one.isEnabled() for one in changing} == {not is_safe}
        assert ("Start normally" in rail.write.toolTip()) is is_safe
        assert reading.compare.isEnabled()
        assert page.lore.stages.isEnabled()  # a setting is not refused
        page.rail.deleteLater()
        page.deleteLater()
