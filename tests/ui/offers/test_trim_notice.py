"""That memory is cut is said once for each chat."""

from __future__ import annotations

import pytest

from app.companion import Companion
from app.memory.records import Tier
from app.prompt.slots import SlotSet
from app.settings.slot_table import SlotName
from tests.labelled import WrittenTavern
from tests.prompt_turns import slot
from ui.budgets.page import BudgetsPage
from ui.core.window_state import read_state
from ui.offers.trim_notice import SEE, TrimNotice, trim_sentence
from ui.program.main_window import MainWindow

CUT = SlotSet((slot(SlotName.LONG, "The well.", cut=120), slot(SlotName.SHORT, "So.", cut=9)))
WHOLE = SlotSet((slot(SlotName.LONG, "The well."),))


def test_the_most_cut_is_named_first() -> None:
    assert trim_sentence(WHOLE) == ""
    assert trim_sentence(CUT) == (
        "Not everything fits into its budget. Cut, in tokens: Long-term 120, Summary 9."
    )
    names = (SlotName(Tier.ARCS), SlotName.CANON, SlotName.LONG, SlotName.SESSION, SlotName.SCENES)
    many = SlotSet(tuple(slot(name, "x", cut=n + 1) for n, name in enumerate(names)))
    assert trim_sentence(many).endswith("Cut, in tokens: Scenes 5, Session 4, Long-term 3, 2 more.")


def test_a_summary_that_is_cut_alone_is_named_too() -> None:
    """The budgets showed 1,230 tokens of it that fell out, and the notice none."""
    cut = SlotSet((slot(SlotName.LONG, "The well."), slot(SlotName.SHORT, "So.", cut=1230)))
    assert trim_sentence(cut).endswith("Cut, in tokens: Summary 1,230.")
    called_up = SlotSet((slot(SlotName.TRIGGERED, "Once.", cut=80),))
    assert trim_sentence(called_up) == ""


@pytest.mark.pitfall(41)
async def test_it_is_said_once_for_each_chat(
    window: MainWindow, companion: Companion, demo_tavern: WrittenTavern
) -> None:
    assert window.desk is not None
    session, notice = window.desk.session, window.frame.notice
    await session.open_path(demo_tavern.chat)
    session.slots_changed.emit(CUT)
    assert notice.sentence == trim_sentence(CUT)
    notice.close_shown()
    session.slots_changed.emit(CUT)
    assert notice.sentence == ""
    await session.open_path(companion.demo.path)
    session.slots_changed.emit(CUT)
    assert notice.way_on == SEE
    notice.take_up()
    assert isinstance(window.page, BudgetsPage)
    assert notice.way_on != SEE


async def test_the_way_on_leads_to_the_slot_that_is_cut_most(
    window: MainWindow, demo_tavern: WrittenTavern
) -> None:
    """It led to the row that happened to be chosen, which cut nothing."""
    assert window.desk is not None
    session, notice = window.desk.session, window.frame.notice
    await session.open_path(demo_tavern.chat)
    session.slots_changed.emit(SlotSet((slot(SlotName.SHORT, "So.", cut=1230),)))
    notice.take_up()
    assert isinstance(window.page, BudgetsPage)
    assert window.page.key == SlotName.SHORT


async def test_it_is_not_said_again_after_a_restart(
    window: MainWindow, demo_tavern: WrittenTavern
) -> None:
    """It covered the newest messages at each start, though nothing was new about it."""
    assert window.desk is not None
    session, notice = window.desk.session, window.frame.notice
    await session.open_path(demo_tavern.chat)
    session.slots_changed.emit(CUT)
    kept = read_state(window.current_state().to_text())
    notice.withdraw("trimmed")
    again = TrimNotice(session, notice)
    again.told = kept.told_cuts
    session.slots_changed.emit(CUT)
    assert notice.sentence == ""


@pytest.mark.pitfall(11)
async def test_it_goes_with_its_reason(
    window: MainWindow, companion: Companion, demo_tavern: WrittenTavern
) -> None:
    assert window.desk is not None
    session, notice = window.desk.session, window.frame.notice
    await session.open_path(demo_tavern.chat)
    session.slots_changed.emit(CUT)
    session.slots_changed.emit(WHOLE)
    assert notice.sentence == ""


async def test_it_never_shows_an_old_number(window: MainWindow, demo_tavern: WrittenTavern) -> None:
    assert window.desk is not None
    session, notice = window.desk.session, window.frame.notice
    await session.open_path(demo_tavern.chat)
    session.slots_changed.emit(CUT)
    session.slots_changed.emit(SlotSet((slot(SlotName.LONG, "The well.", cut=7),)))
    assert notice.sentence.endswith("Long-term 7.")
    window.show_page("work")
    assert notice.sentence == ""
