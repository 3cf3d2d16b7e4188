"""The budgets page as people use it: dragging, keys, auto-tune, kinds of turn, and the way back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from app.companion import Companion
from app.core import translation
from app.core.translation import retold, tr
from app.prompt.assembly import prepared
from app.settings.recaps import RecapSettings
from app.settings.slot_table import SHARING, Position
from app.story.inclusion import InclusionState, include
from app.story.inclusion_preview import InclusionPreview
from app.story.messages import MessageRecap
from app.views.budget_preview import BudgetPreview
from tests.labelled import WrittenTavern
from tests.ui.samples import story
from ui.budgets.hands import ONE_EACH
from ui.budgets.legend import Mark, marks_of
from ui.budgets.lost_list import sentences_within
from ui.budgets.page import BudgetsPage
from ui.budgets.pane_facts import LostLine, fitting_budget
from ui.budgets.rows import NAME_WIDTH, SlotRow
from ui.budgets.track import track_tip
from ui.budgets.words import RECAPS_TITLE, RUNNING_TITLE, TITLES, moved_label, spoken_row
from ui.program.main_window import MainWindow
from ui.program.story_stage import StoryStage
from ui.story.lettering import letters
from ui.theme.fonts import MEDIUM

pytestmark = pytest.mark.slow

Until = Callable[[Callable[[], bool]], Awaitable[None]]
LEFT = Qt.MouseButton.LeftButton
NO_KEYS = Qt.KeyboardModifier.NoModifier
KNOWS = "epistemic"


def row(page: BudgetsPage, key: str) -> SlotRow:
    return page.board.rows[key]


def shown(page: BudgetsPage, key: str) -> Any:
    """Facts of a row as it is shown."""
    facts = row(page, key).facts
    assert facts is not None
    return facts


def mouse(page: BudgetsPage, key: str, kind: QEvent.Type, tokens: float) -> None:
    """The pointer at so many tokens of a row's track."""
    track = row(page, key).track
    at = QPointF(track.place(tokens), track.height() / 2)
    event = QMouseEvent(kind, at, track.mapToGlobal(at), LEFT, LEFT, NO_KEYS)
    QApplication.sendEvent(track, event)


def press(page: BudgetsPage, key: str) -> None:
    mouse(page, key, QEvent.Type.MouseButtonPress, shown(page, key).budget)


def drag(page: BudgetsPage, key: str, tokens: float) -> None:
    """Move there with the button held."""
    mouse(page, key, QEvent.Type.MouseMove, tokens)
    page.try_now()


def let_go(page: BudgetsPage, key: str, tokens: float) -> None:
    mouse(page, key, QEvent.Type.MouseButtonRelease, tokens)


def in_force(companion: Companion, tavern: WrittenTavern, name: str) -> Any:
    return companion.setting(name, path=tavern.chat).value


async def test_dragging_moves_everything_and_writes_nothing_until_it_is_let_go(
    page: BudgetsPage, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    before = shown(page, KNOWS)
    assert before.cut > 0
    assert page.outlook is not None
    memory = page.outlook.memory
    press(page, KNOWS)
    drag(page, KNOWS, 400)
    assert shown(page, KNOWS).budget == 400
    assert shown(page, KNOWS).used == shown(page, KNOWS).full > before.used
    assert row(page, KNOWS).field.value() == 400
    assert page.outlook.memory > memory
    assert page.pane.facts is not None
    assert page.pane.facts.count == 0
    drag(page, KNOWS, 50)
    assert shown(page, KNOWS).used <= 50 < shown(page, KNOWS).full
    assert page.pane.facts.count > 0
    assert in_force(companion, demo_tavern, "budget_epistemic") == 60
    drag(page, KNOWS, 400)
    let_go(page, KNOWS, 400)
    await until(lambda: in_force(companion, demo_tavern, "budget_epistemic") == 400)
    label = "budget of who knows what: 60 → 400"
    assert (await companion.edits.undo_labels(demo_tavern.chat))[0] == label


async def test_undo_of_the_window_brings_a_budget_back_by_name(
    page: BudgetsPage, window: MainWindow, companion: Companion, until: Until
) -> None:
    press(page, KNOWS)
    drag(page, KNOWS, 400)
    let_go(page, KNOWS, 400)
    assert window.desk is not None
    session = window.desk.session
    labels: list[str] = []
    session.undo_changed.connect(lambda label, _redo: labels.append(label))
    await until(lambda: "budget of who knows what: 60 → 400" in labels)
    session.undo()
    await until(lambda: shown(page, KNOWS).budget == 60)
    assert shown(page, KNOWS).cut > 0


@pytest.mark.parametrize("where", ["beside the thumb", "scissors"])
async def test_a_press_on_what_is_cut_shows_it_and_changes_no_budget(
    page: BudgetsPage, companion: Companion, demo_tavern: WrittenTavern, until: Until, where: str
) -> None:
    facts, track = shown(page, KNOWS), row(page, KNOWS).track
    assert facts.cut > 0
    other = next(key for key in page.board.rows if key != KNOWS)
    page.choose(other)
    before = await companion.edits.undo_labels(demo_tavern.chat)
    at = track.thumb.right() + (8 if where == "beside the thumb" else 34)
    QTest.mouseClick(track, LEFT, NO_KEYS, QPoint(round(at), track.height() // 2))
    assert shown(page, KNOWS).budget == facts.budget == 60
    await until(lambda: page.pane.facts is not None and page.pane.facts.count > 0)
    assert page.pane.lost.lines[0].isVisible()
    assert in_force(companion, demo_tavern, "budget_epistemic") == 60
    assert await companion.edits.undo_labels(demo_tavern.chat) == before


async def test_escape_leaves_a_budget_as_it_was(
    page: BudgetsPage, companion: Companion, demo_tavern: WrittenTavern
) -> None:
    press(page, KNOWS)
    drag(page, KNOWS, 600)
    QTest.keyClick(row(page, KNOWS).track, Qt.Key.Key_Escape)
    assert shown(page, KNOWS).budget == 60
    assert not page.board.is_moving
    assert (await companion.edits.undo_labels(demo_tavern.chat))[0] == "a scarce budget"


async def test_keys_move_a_budget_in_steps_of_50_and_with_shift_of_10(
    page: BudgetsPage, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    track = row(page, KNOWS).track
    track.setFocus()
    QTest.keyPress(track, Qt.Key.Key_Right)
    page.try_now()
    assert shown(page, KNOWS).budget == 100
    assert in_force(companion, demo_tavern, "budget_epistemic") == 60
    QTest.keyRelease(track, Qt.Key.Key_Right)
    await until(lambda: in_force(companion, demo_tavern, "budget_epistemic") == 100)
    QTest.keyClick(track, Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier)
    await until(lambda: in_force(companion, demo_tavern, "budget_epistemic") == 90)


async def test_a_budget_can_be_written_in_figures(
    page: BudgetsPage, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    field = row(page, "long").field
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, "730")
    QTest.keyClick(field, Qt.Key.Key_Return)
    await until(lambda: in_force(companion, demo_tavern, "budget_long") == 730)
    assert page.key == "long"


async def test_one_total_is_dealt_out_to_the_last_token_while_it_is_dragged(
    page: BudgetsPage, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    page.tools.modes.chosen.emit("simple")
    await until(lambda: "budget_total" in page.board.rows)
    for tokens in (1_500, 2_950, 6_100):
        press(page, "budget_total")
        drag(page, "budget_total", tokens)
        total = shown(page, "budget_total").budget
        assert sum(shown(page, name).budget for name in SHARING) == total
        row(page, "budget_total").track.cancel()
    assert not row(page, KNOWS).track.isEnabled()
    assert "Advanced" in shown(page, KNOWS).why_fixed
    assert row(page, KNOWS).field.text() == "–", "a part of the total bounds nothing"
    assert row(page, "short").track.isEnabled()
    page.tools.modes.chosen.emit("advanced")
    await until(lambda: "budget_total" not in page.board.rows)
    assert shown(page, KNOWS).budget == 60  # neither forgets what the other was
    assert row(page, KNOWS).field.text() == "60"


async def test_a_switch_of_modes_says_what_it_changes_in_the_prompt(
    window: MainWindow, page: BudgetsPage, until: Until
) -> None:
    assert window.desk is not None
    said: list[str] = []
    window.desk.session.told.connect(said.append)
    page.tools.modes.chosen.emit("simple")
    await until(lambda: "budget_total" in page.board.rows)
    assert said[0].startswith("All kinds of memory share one total now. The next prompt gets ")
    assert said[0].split(" tokens ")[-1].startswith("instead of ")
    bar = window.frame.status
    bar.resize(1366, bar.height())
    item = bar._said
    assert item.sizeHint().width() <= (1366 - 28) // 2  # what it may have beside bad news


async def test_a_slot_is_made_to_fit_with_what_it_needs_and_a_little_more(
    page: BudgetsPage, until: Until
) -> None:
    page.choose(KNOWS)
    facts = page.pane.facts
    assert facts is not None
    assert len(facts.lost) == facts.count > 0
    assert f"Left out of {facts.row.title}" == page.pane.title.text()
    QTest.mouseClick(page.pane.fit, LEFT)
    await until(lambda: shown(page, KNOWS).cut == 0)
    assert shown(page, KNOWS).budget == facts.fit
    assert not page.pane.fit.isVisible()


async def test_auto_tune_says_why_and_keeps_the_users_own_values(
    page: BudgetsPage, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    tuned = {tuning.name: tuning for tuning in page.outlook.tunings} if page.outlook else {}
    names = page.pane.tuning.rows[KNOWS].accessibleName()  # type: ignore[index]
    assert f"raised from 60 to {tuned[KNOWS].after}" in names  # type: ignore[index]
    QTest.mouseClick(page.pane.tuning.switch, LEFT)
    await until(lambda: shown(page, KNOWS).budget == tuned[KNOWS].after)  # type: ignore[index]
    assert shown(page, KNOWS).own == 60
    assert not row(page, KNOWS).track.isEnabled()
    assert "60" in shown(page, KNOWS).why_fixed
    assert in_force(companion, demo_tavern, "budget_epistemic") == 60
    QTest.mouseClick(page.pane.tuning.switch, LEFT)
    await until(lambda: shown(page, KNOWS).budget == 60)
    QTest.mouseClick(page.pane.tuning.use, LEFT)
    await until(lambda: shown(page, KNOWS).budget == tuned[KNOWS].after)  # type: ignore[index]
    label = (await companion.edits.undo_labels(demo_tavern.chat))[0]
    assert label == "the tuned budgets"


async def test_that_the_tuned_budgets_leave_the_one_total_is_said(
    page: BudgetsPage, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    """The page turned from Simple to Advanced without a word."""
    told: list[str] = []
    page._session.told.connect(told.append)
    await companion.put_setting("budget_mode", "simple", path=demo_tavern.chat)
    await until(lambda: "budget_total" in page.board.rows)
    assert page.outlook is not None
    page.hands.use_tuned(page.outlook)
    await until(lambda: "budget_total" not in page.board.rows)
    assert told == [tr(ONE_EACH)]


async def test_what_auto_tune_does_is_said_as_it_is_with_one_total_and_without(
    page: BudgetsPage, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    sentence = page.pane.tuning.sentence
    assert "never drops below its default" in sentence.text()
    await companion.put_setting("budget_mode", "simple", path=demo_tavern.chat)
    await until(lambda: "The total stays as you set it" in sentence.text())
    # "Up to 115 %" stood over budgets of 177 %.
    assert "What is left is shared out" in sentence.text()


async def test_a_kind_of_turn_is_tried_without_a_trace(
    page: BudgetsPage, companion: Companion, demo_tavern: WrittenTavern
) -> None:
    seen = {}
    for word in ("Dialogue", "Action"):
        button = next(
            child
            for child in page.prompt_bar.turns.findChildren(QWidget)
            if child.accessibleName() == f"Turn: {word}"
        )
        QTest.mouseClick(button, LEFT)
        seen[word] = shown(page, "long").turn
    assert seen["Dialogue"] > 500 > seen["Action"]
    assert (await companion.edits.undo_labels(demo_tavern.chat))[0] == "a scarce budget"


async def test_the_colours_of_the_story_move_with_the_budget_of_message_recaps(
    page: BudgetsPage,
) -> None:
    assert page.preview is not None
    page.show_preview(with_recaps(page.preview))
    assert page.strip.isVisibleTo(page)
    before = page.strip.counts[InclusionState.INCLUDED]
    page.board.area.ensureWidgetVisible(row(page, "inclusion_limit"))
    press(page, "inclusion_limit")
    drag(page, "inclusion_limit", 200)
    few = page.strip.counts[InclusionState.INCLUDED]
    drag(page, "inclusion_limit", 2_000)
    many = page.strip.counts[InclusionState.INCLUDED]
    assert few < before < many
    assert page.strip.counts[InclusionState.OUT_OF_BUDGET] == 200 - many
    row(page, "inclusion_limit").track.cancel()
    assert page.strip.counts[InclusionState.INCLUDED] == before


def with_recaps(preview: BudgetPreview) -> BudgetPreview:
    """The same turn of a story of 200 messages, each with a recap."""
    bare = story(200)
    recaps = {
        message.anchor: MessageRecap(f"She counts the panes and says {n}.")
        for n, message in enumerate(bare.messages)
    }
    rules = RecapSettings(preview.settings).inclusion_rules(preview.context)
    count, tokens = preview.prepared.means.count, bare.message_tokens
    inclusion = include(bare.messages, recaps, rules, message_tokens=tokens, count=count)
    told = replace(bare, message_recaps=recaps, inclusion=inclusion)
    turn = prepared(told, preview.settings, preview.prepared.means)
    return replace(preview, prepared=turn, recaps=InclusionPreview(told, count))


async def test_a_budget_is_reset_to_what_holds_for_all_chats(
    page: BudgetsPage, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    reset = row(page, KNOWS).reset
    assert reset.isEnabled()
    assert not row(page, "canon").reset.isEnabled()
    QTest.mouseClick(reset, LEFT)
    await until(lambda: shown(page, KNOWS).budget == 200)
    await until(lambda: not reset.isEnabled())
    page.commands.reset_all.trigger()
    await until(lambda: in_force(companion, demo_tavern, "budget_mode") == "simple")


async def test_what_falls_out_leads_to_its_message(
    page: BudgetsPage, window: MainWindow, until: Until
) -> None:
    page.choose(KNOWS)
    line = next(line for line in page.pane.lost.lines if line.isVisible())
    QTest.mouseClick(line, LEFT, pos=QPoint(20, 8))
    assert window.desk is not None
    await until(lambda: window.desk is not None and window.desk.page_key == "story")


async def test_everything_that_can_be_used_has_a_name_and_numbers_explain_themselves(
    page: BudgetsPage,
) -> None:
    for child in page.findChildren(QWidget):
        if child.focusPolicy() != Qt.FocusPolicy.NoFocus and child.isVisibleTo(page):
            inner = child.objectName().startswith("qt_")
            assert inner or child.accessibleName(), child
    is_said = page.preview is not None and page.preview.is_context_said
    assert ("until SillyTavern reports it" in page.prompt_bar.note.words) is not is_said
    said = page.prompt_bar.bar.accessibleName()
    assert "Who knows what" in said
    assert "too few for another message" in said
    facts = shown(page, KNOWS)
    assert f"{facts.used:,} of 60 tokens used" in row(page, KNOWS).track.accessibleDescription()


async def test_what_no_message_gets_is_the_same_in_every_number(page: BudgetsPage) -> None:
    """ "15,700 of 15,700 tokens are spoken for", "0 free", and 108 left over in the bar."""
    top, bar = page.prompt_bar, page.prompt_bar.bar.accessibleName()
    assert "too few for another message" in bar
    spoken = int(top.figure.figure.replace(",", ""))
    rest, said = top.note.words.split(" ", 1)
    assert said.startswith("left over, ")
    assert page.preview is not None
    assert spoken + int(rest.replace(",", "")) == page.preview.context
    assert f"{rest} tokens too few for another message" in bar


async def test_the_page_has_a_key_and_a_button(
    window: MainWindow, demo_tavern: WrittenTavern, until: Until
) -> None:
    assert window.desk is not None
    await window.desk.session.open_path(demo_tavern.chat)
    QTest.keyClick(window, Qt.Key.Key_5, Qt.KeyboardModifier.ControlModifier)
    await until(lambda: isinstance(window.page, BudgetsPage))
    assert "Ctrl 5" in window.frame.page_buttons["budgets"].toolTip()


async def test_the_marks_that_are_there_are_explained(page: BudgetsPage) -> None:
    rows = [row.facts for row in page.board.rows.values() if row.facts is not None]
    assert page.board.legend.isVisible()
    assert page.board.legend.marks == marks_of(rows)
    assert Mark.CUT in page.board.legend.marks
    assert "cut" in page.board.legend.accessibleName()
    calm = [replace(facts, turn=9, own=9, budget=9, used=3, full=3, most=3) for facts in rows]
    assert marks_of(calm) == (Mark.BUDGET,)
    assert Mark.TURN in marks_of([replace(calm[0], turn=5)])
    assert Mark.MOST in marks_of([replace(calm[0], most=5)])
    assert Mark.LENT in marks_of([replace(calm[0], used=12, full=12)])


async def test_what_falls_out_is_read_to_the_end_of_a_sentence(page: BudgetsPage) -> None:
    page.choose(KNOWS)
    facts = page.pane.facts
    assert facts is not None
    for line, shown_line in zip(facts.lost, page.pane.lost.lines, strict=False):
        assert not line.text[:1].islower()
        assert shown_line.shown_text == line.text
    long = "She waits at the ford. " * 40 + "And then"
    lines = page.pane.lost
    lines.show_lines([LostLine(long, "fact", 400)], 1)
    assert lines.lines[0].shown_text.endswith("ford. …")
    assert sentences_within("Nothing ends he") == "Nothing ends"


async def test_every_piece_of_the_bar_that_has_room_is_named(page: BudgetsPage) -> None:
    picture = page.prompt_bar.bar.named
    assert {"card", "memory", "chat"} <= picture


async def test_a_slot_is_said_to_stand_where_it_stands_in_the_prompt(page: BudgetsPage) -> None:
    """Each tier's own depth was shown, though none stands deeper than all of them may."""
    assert page.outlook is not None
    sent = {slot.key: slot for slot in page.outlook.slots.slots}
    for name in SHARING:
        slot = sent.get(name.key)
        if slot is not None and slot.text and slot.position is Position.IN_CHAT:
            assert shown(page, name).place == f"in the chat, depth {slot.depth}"
            assert slot.depth == 1


async def test_what_auto_tune_leaves_alone_and_is_cut_is_said_to_be(
    page: BudgetsPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = shown(page, "running_recap_budget")
    cut = replace(whole, used=100, full=177, budget=100)
    rows = {"running_recap_budget": SimpleNamespace(facts=cut)}
    assert page.outlook is not None
    roomy = replace(page.outlook, own=dict.fromkeys(page.outlook.own, 100_000))
    monkeypatch.setattr(page.board, "rows", rows)
    said = page._nothing_to_tune(roomy, has_memory=True)
    assert "every part has what it needs" not in said
    assert said.endswith("Running recap, by 77 tokens. A larger budget for it would help.")
    monkeypatch.setattr(page.board, "rows", {})
    assert "every part has what it needs" in page._nothing_to_tune(roomy, has_memory=True)


async def test_more_room_for_recaps_leads_to_their_row(
    page: BudgetsPage, window: MainWindow
) -> None:
    window.show_page("story")
    stage = window.page
    assert isinstance(stage, StoryStage)
    stage.page.navigator.reach_legend.budget_button.click()
    assert window.page is page
    assert page.key == "running_recap_budget"
    assert page.pane.facts is not None
    assert page.pane.facts.row.setting == page.key


async def test_a_larger_budget_is_offered_only_where_it_would_help(page: BudgetsPage) -> None:
    """A slot that the prompt has no room for was to be made fit with the budget that it had."""
    facts = shown(page, KNOWS)
    roomless = replace(facts, budget=500, turn=500, own=500, used=40, full=200, is_tuned=False)
    roomless = replace(roomless, by_budget=False)
    assert fitting_budget(replace(roomless, budget=100, by_budget=True)) == 250
    assert fitting_budget(roomless) is None
    assert fitting_budget(replace(roomless, full=480)) is None
    assert fitting_budget(replace(roomless, full=9_000, budget=roomless.most_allowed)) is None


async def test_a_recap_that_is_cut_is_not_said_to_fit(page: BudgetsPage) -> None:
    page.choose("running_recap_budget")
    facts = page.pane.facts
    assert facts is not None
    cut = replace(facts, row=replace(facts.row, used=300, full=884, budget=1000))
    page.pane.show_facts(cut)
    said = page.pane.sentence.text()
    assert "584 tokens of it do not reach the next prompt." in said
    assert "Everything fits" not in said
    assert "larger budget would change nothing" in said
    page.pane.show_facts(replace(cut, row=replace(cut.row, budget=300)))
    assert "A larger budget would let more of it in." in page.pane.sentence.text()


async def test_a_cut_that_no_budget_mends_asks_for_no_budget(
    page: BudgetsPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut = replace(shown(page, "running_recap_budget"), used=294, full=870, budget=1000)
    monkeypatch.setattr(page.board, "rows", {"r": SimpleNamespace(facts=cut)})
    assert page.outlook is not None
    roomy = replace(page.outlook, own=dict.fromkeys(page.outlook.own, 100_000))
    said = page._nothing_to_tune(roomy, has_memory=True)
    assert "by 576 tokens" in said
    assert "would help" not in said


async def test_what_its_part_of_one_total_cuts_is_not_said_to_have_a_budget_that_is_large_enough(
    page: BudgetsPage, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    """All tiers together need less than the total, and one of them more than its part of it."""
    changes = {"budget_mode": "simple", "budget_total": 900, "budgets_lend": False}
    for name, value in changes.items():
        await companion.put_setting(name, value, path=demo_tavern.chat)
    await until(lambda: "budget_total" in page.board.rows)
    await until(lambda: shown(page, "budget_total").budget == 900)
    total, knows = shown(page, "budget_total"), shown(page, KNOWS)
    assert knows.cut
    assert total.full <= total.budget
    for key in ("budget_total", KNOWS):
        page.choose(key)
        assert not shown(page, key).lacks_room
        assert "large enough" not in page.pane.sentence.text()


async def test_a_figure_that_is_another_on_the_page_prompt_says_why(page: BudgetsPage) -> None:
    """Prompt said "174 of 597" of a budget of 1,000, and a used slot stood above its budget."""
    running = replace(shown(page, "running_recap_budget"), budget=1_000, own=1_000, turn=597)
    assert "The next prompt has room for 597 of it" in track_tip(running)
    lent = replace(shown(page, KNOWS), used=317, full=317, budget=85, turn=85)
    assert spoken_row(lent.title, lent.used, lent.budget, lent.full, lent.lent).endswith(
        "317 used, its own 85 tokens plus 232 lent by others"
    )


async def test_a_step_is_named_by_all_of_its_slots_name_in_the_windows_language() -> None:
    translation.use("de")
    try:
        label = moved_label("long-term memories", 500, 1550)
        assert retold(label) == "Budget von „Langzeit-Erinnerungen“: 500 → 1.550"
    finally:
        translation.use("en")


async def test_the_figures_of_the_chat_before_do_not_stand_under_the_name_of_the_next(
    page: BudgetsPage, window: MainWindow, companion: Companion, until: Until
) -> None:
    assert window.desk is not None
    assert page.board.isVisible()
    seen: list[bool] = []
    window.desk.session.chat_opened.connect(
        lambda _story: seen.append(page.board.isVisible() or page.prompt_bar.isVisible())
    )
    await window.desk.session.open_path(companion.demo.path)
    assert seen == [False]
    assert page._waiting.isVisible()
    await until(page.board.isVisible)
    assert page.prompt_bar.isVisible()
    assert not page._waiting.isVisible()


async def test_every_name_of_a_row_fits_its_column_in_each_language(page: BudgetsPage) -> None:
    face = letters(13, MEDIUM)
    for code in translation.languages():
        translation.use(code)
        try:
            titles = [tr(name) for name in (*TITLES.values(), RUNNING_TITLE, RECAPS_TITLE)]
        finally:
            translation.use(translation.ENGLISH)
        assert [name for name in titles if face.width(name) > NAME_WIDTH - 20] == []


async def test_a_low_window_gives_its_height_to_the_rows(
    page: BudgetsPage, window: MainWindow, until: Until
) -> None:
    """At 145 % head, bars and legend took half of it, and six rows were left."""
    assert page.board.legend.isVisible()
    high = page.strip.height()
    window.resize(938, 593)
    await until(lambda: not page.board.legend.isVisible())
    assert page.strip.height() < high
    window.resize(1360, 860)
    await until(page.board.legend.isVisible)
    assert page.strip.height() == high
