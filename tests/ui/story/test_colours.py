"""The colours of the story: how each message gets into the next prompt, or its recap's state."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtTest import QSignalSpy
from pytestqt.qtbot import QtBot

from app.companion import Companion
from app.core.translation import tr
from app.prompt.reach import Reach, Reached
from app.prompt.turns import FinalPrompt, SentPart, SentTurn, Wire
from app.story.inclusion import Inclusion, InclusionState
from app.story.messages import MessageRecap
from tests.labelled import WrittenTavern
from tests.ui.samples import message, story, with_states
from tests.ui.story.conftest import ListeningSession
from ui.program.main_window import MainWindow
from ui.story.messages.message_delegate import recap_ink
from ui.story.messages.message_model import MessageRow, empty_story
from ui.story.messages.row_tips import tip_of
from ui.story.page import StoryPage
from ui.story.reach_look import ICONS, SHOWN
from ui.story.scenes.bar_painter import BarPainter
from ui.story.scenes.bars import REACHES, Amount, amounts_by_reach, bars_of, no_bars, reach_bars
from ui.story.scenes.navigator import PROMPT, RECAPS
from ui.story.scenes.reach_legend import CHANGED, RECKONED, SEEN
from ui.theme import DARK, LIGHT
from ui.theme.tokens import CONTRAST_DARK, CONTRAST_LIGHT, Tokens

LEFT = Qt.MouseButton.LeftButton
Until = Callable[[Callable[[], bool]], Awaitable[None]]
# 60 messages: recap of scene, running recap, nothing, memories, their own, word for word.
CODES = bytes(
    [Reach.SCENE] * 10
    + [Reach.RUNNING] * 10
    + [Reach.NOT_AT_ALL] * 10
    + [Reach.MEMORIES] * 5
    + [Reach.NOT_AT_ALL] * 4
    + [Reach.RECAP]
    + [Reach.VERBATIM] * 20
)
REACH = Reached(CODES, 40)


@pytest.fixture
def coloured(page: StoryPage, session: ListeningSession) -> StoryPage:
    """The page in the view of the prompt, with a story of six scenes."""
    shown = story(60, (9, 19, 29, 39, 49))
    shown = replace(shown, inclusion=(Inclusion(InclusionState.OUT_OF_BUDGET, ""),) * 60)
    session.show(shown)
    session.reaches(REACH)
    page.navigator.view_chosen.emit(PROMPT)
    session.companion.asked.clear()
    return page


def press(qtbot: QtBot, page: StoryPage, reach: Reach) -> None:
    qtbot.mouseClick(page.navigator.reach_legend.rows[reach], LEFT)


def test_the_legend_counts_messages_and_tokens(coloured: StoryPage) -> None:
    tokens = coloured.story.message_tokens
    rows = coloured.navigator.reach_legend.rows
    assert rows[Reach.SCENE].accessibleName() == (
        f"Scene recap: 10 messages, {sum(tokens[:10])} tokens"
    )
    assert rows[Reach.RECAP].accessibleName().startswith("Own recap: 1 message, ")
    assert rows[Reach.NOT_AT_ALL].accessibleName().startswith("Not at all: 14 messages, ")
    assert not coloured.navigator.legend.isVisibleTo(coloured.navigator)


def test_where_the_figures_come_from_is_said(
    coloured: StoryPage, session: ListeningSession
) -> None:
    """ "SillyTavern has not sent a prompt yet", it said after five, since one message was cut."""
    source = coloured.navigator.reach_legend.source
    assert source.text() == tr(RECKONED)
    session.reaches(replace(REACH, was_sent=True))
    assert source.text() == tr(CHANGED)
    session.reaches(replace(REACH, was_sent=True, is_seen=True))
    assert source.text() == tr(SEEN)


def test_a_press_chooses_the_messages_and_goes_from_one_to_the_next(
    coloured: StoryPage, qtbot: QtBot
) -> None:
    press(qtbot, coloured, Reach.MEMORIES)
    view = coloured.view
    assert view.current_message() == 30
    assert list(view.chosen_messages()) == [30, 31, 32, 33, 34]
    press(qtbot, coloured, Reach.NOT_AT_ALL)
    assert list(view.chosen_messages()) == [*range(20, 30), *range(35, 39)]
    assert view.current_message() == 35
    press(qtbot, coloured, Reach.NOT_AT_ALL)
    assert view.current_message() == 36
    anchors = coloured.target().anchors()
    assert len(anchors) == 14
    qtbot.keyClick(view, Qt.Key.Key_Down)
    assert not view.chosen_messages(), "another step is about one message again"


def test_what_is_not_told_can_be_mended(
    coloured: StoryPage, session: ListeningSession, qtbot: QtBot
) -> None:
    legend = coloured.navigator.reach_legend
    coloured.navigator.show()
    assert not legend.budget_button.isVisible()
    press(qtbot, coloured, Reach.NOT_AT_ALL)
    assert legend.recap_button.isVisible()
    assert legend.recap_button.text() == "Recap 2 scenes without one"
    qtbot.mouseClick(legend.recap_button, LEFT)
    assert session.companion.asked == [
        ("redo_scene_recap", "a000029"),
        ("redo_scene_recap", "a000039"),
    ]
    wanted = QSignalSpy(coloured.budget_wanted)
    qtbot.mouseClick(legend.budget_button, LEFT)
    assert wanted.count() == 1
    press(qtbot, coloured, Reach.VERBATIM)
    assert not legend.recap_button.isVisible()


def test_a_mark_says_how_its_message_gets_there_and_what_would_mend_it(
    coloured: StoryPage,
) -> None:
    row = coloured.model.layout.row_of_message(25)
    said = tip_of(coloured.model, row, "", in_gutter=True)
    assert said == (
        "Nothing in the next prompt tells of this message. "
        "Its scene has no recap yet. Write one to bring it in."
    )
    index = coloured.model.index(coloured.model.layout.row_of_message(2), 0)
    spoken = coloured.model.data(index, Qt.ItemDataRole.AccessibleTextRole)
    assert spoken.endswith("Scene recap.")


def test_the_switch_shows_the_recaps_states_and_is_remembered(
    coloured: StoryPage, session: ListeningSession, qtbot: QtBot
) -> None:
    before = coloured.strip.grab().toImage()
    assert coloured.model.message_at(3).reach is Reach.SCENE
    choice = coloured.navigator.views
    choice.setCurrentIndex(choice.findData(RECAPS))
    choice.activated.emit(choice.currentIndex())
    assert session.companion.asked == [("story_colours", RECAPS)]
    assert coloured.model.message_at(3).reach is None
    assert coloured.navigator.legend.isVisibleTo(coloured.navigator)
    assert not coloured.navigator.reach_legend.isVisibleTo(coloured.navigator)
    assert coloured.strip.grab().toImage() != before


def test_the_view_of_the_last_time_comes_back(
    qtbot: QtBot, session: ListeningSession, page: StoryPage
) -> None:
    session.companion.colours = PROMPT
    session.story, session.reach = story(60, (9, 19, 29, 39, 49)), REACH
    late = StoryPage(session)  # type: ignore[arg-type]
    qtbot.addWidget(late)
    qtbot.addWidget(late.navigator)
    assert late.model.message_at(2).reach is Reach.SCENE
    assert late.navigator.views.currentData() == PROMPT


@pytest.mark.parametrize("tokens", [DARK, LIGHT, CONTRAST_DARK, CONTRAST_LIGHT])
def test_no_way_is_told_by_its_colour_alone(tokens: Tokens) -> None:
    """Drawn in black and white, each bar and each mark still looks like no other."""
    looks = set()
    for reach in SHOWN:
        image = QImage(12, 24, QImage.Format.Format_ARGB32)
        image.fill(tokens.stage)
        painter = QPainter(image)
        BarPainter(tokens).bar(painter, REACHES + reach, QRectF(2, 2, 8, 20))
        painter.end()
        shades = [image.pixelColor(x, y).lightness() for y in range(2, 22) for x in range(2, 10)]
        ground = tokens.stage.lightness()
        middle = (ground + max(shades, key=lambda shade: abs(shade - ground))) / 2
        looks.add(tuple(shade > middle for shade in shades))
    assert len(looks) == len(SHOWN)
    assert len(set(ICONS.values())) == len(SHOWN)


def test_what_came_since_is_word_for_word_until_the_prompt_is_made_anew() -> None:
    told = story(62, (9,))
    bars = reach_bars(REACH, bars_of(told, no_bars(), empty_story()))
    assert bars.base[60] == REACHES + Reach.VERBATIM
    assert amounts_by_reach(bars)[Reach.RECAP] == Amount(1, told.message_tokens[39])


def test_ten_thousand_messages_are_coloured_in_a_moment(
    page: StoryPage, session: ListeningSession
) -> None:
    page.navigator.view_chosen.emit(PROMPT)
    session.show(story(10_000, tuple(range(19, 10_000, 20))))
    began = time.perf_counter()
    session.reaches(Reached(bytes([Reach.RUNNING]) * 9_900 + bytes([Reach.VERBATIM]) * 100, 9_900))
    assert time.perf_counter() - began < 0.1


def test_stale_and_failed_recaps_are_seen_in_their_own_view_only(
    coloured: StoryPage, session: ListeningSession
) -> None:
    session.change(with_states(coloured.story), 0)
    assert set(coloured.colours.shown.ranks) <= {REACHES + reach for reach in Reach}


async def test_the_window_shows_it_first_and_takes_a_real_prompt_for_the_truth(
    demo_window: MainWindow, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    desk = demo_window.desk
    assert desk is not None
    assert desk.story_stage is not None
    session, page = desk.session, desk.story_stage.page
    await until(lambda: bool(session.reach.codes))
    assert page.navigator.views.currentData() == PROMPT
    assert not session.reach.is_seen
    count = len(page.story.messages)
    parts = [SentPart.of("system", "You are somebody.")]
    parts += [SentPart.of("user", m.text) for m in page.story.messages[count - 12 :]]
    turn = SentTurn(
        0, 1.0, "normal", "", None, 1, 8000, 12, (), prompt=FinalPrompt(Wire.CHAT, tuple(parts))
    )
    chat = companion._chats.required(demo_tavern.chat)
    await companion._store.run(lambda: companion._store.turns.save(chat.chat_id, turn))
    companion.turns.changed.emit(demo_tavern.chat)
    await until(lambda: session.reach.is_seen)
    assert session.reach.verbatim_from == count - 12
    rows = page.navigator.reach_legend.rows
    assert rows[Reach.VERBATIM].accessibleName().startswith("Word for word: 12 messages")
    lines = demo_tavern.chat.read_text("utf-8").splitlines()
    demo_tavern.chat.write_text("\n".join(lines[:-3]), "utf-8")
    await companion.open_story(demo_tavern.chat)
    await until(lambda: not session.reach.is_seen)
    assert session.reach.was_sent, "it was said that none was sent yet"


@pytest.mark.parametrize("tokens", [DARK, LIGHT, CONTRAST_DARK, CONTRAST_LIGHT])
def test_a_recap_that_is_not_sent_looks_like_a_fault_only_among_the_colours_of_recaps(
    tokens: Tokens,
) -> None:
    out = Inclusion(InclusionState.OUT_OF_BUDGET, "out of budget")
    row = MessageRow(1, message(1), out, MessageRecap(text="A recap."), 9)
    alarm = tokens.text_tone(InclusionState.OUT_OF_BUDGET)
    assert recap_ink(tokens, row) == alarm
    for reach in SHOWN:
        assert recap_ink(tokens, replace(row, reach=reach)) != alarm
