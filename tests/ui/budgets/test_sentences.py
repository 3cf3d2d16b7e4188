"""What the budgets page says of a part that is cut is true of that part."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import QPointF
from PySide6.QtTest import QSignalSpy
from PySide6.QtWidgets import QApplication

from app.core.translation import tr
from app.memory.records import Tier
from app.memory.standing import BEFORE
from app.views.asked_cost import AskedCost
from app.views.budget_preview import BudgetPreview
from ui.budgets.page import BudgetsPage
from ui.budgets.pane import NO_ROOM, OF_OTHER_CHATS

pytestmark = pytest.mark.slow

Until = Callable[[Callable[[], bool]], Awaitable[None]]
KNOWS, LONG = "epistemic", "long"


def by_one_total(preview: BudgetPreview, *, is_elsewhere: bool = False) -> BudgetPreview:
    """The preview with one small total, who knows what said here or by other chats."""
    settings = {**preview.settings, "budget_mode": "simple", "budget_total": 900}
    occasion = preview.prepared.occasion
    standings = tuple(
        replace(
            s,
            start=BEFORE,
            memory=replace(
                s.memory,
                is_pinned=False,
                sources=tuple(replace(one, chat=99) for one in s.memory.sources),
            ),
        )
        if is_elsewhere and s.memory.tier is Tier.EPISTEMIC
        else s
        for s in occasion.told.standings
    )
    told = replace(occasion.told, standings=standings)
    occasion = replace(occasion, told=told, settings=settings)
    prepared = replace(preview.prepared, occasion=occasion)
    return replace(preview, prepared=prepared, settings=settings)


def cut_of(page: BudgetsPage) -> int:
    facts = page.board.rows[KNOWS].facts
    assert facts is not None
    return facts.cut


async def test_only_what_borrows_is_said_to_get_what_others_leave(page: BudgetsPage) -> None:
    assert page.preview is not None
    page.show_preview(by_one_total(page.preview))
    said = {key: row.facts.why_fixed for key, row in page.board.rows.items() if row.facts}
    assert ", more where others need less." in said[KNOWS]
    assert ", and no more where others need less." in said[LONG]


async def test_what_other_chats_say_is_said_to_borrow_nothing(page: BudgetsPage) -> None:
    """Who knows what was cut at its own limit, with most of the total free and no word why."""
    assert page.preview is not None
    page.choose(KNOWS)
    page.show_preview(by_one_total(page.preview))
    assert not cut_of(page)
    page.show_preview(by_one_total(page.preview, is_elsewhere=True))
    assert cut_of(page)
    assert not page.pane.sentence.isHidden()
    assert page.pane.sentence.text() == tr(OF_OTHER_CHATS)


async def test_why_the_head_of_the_prompt_is_lent_nothing_is_said(page: BudgetsPage) -> None:
    """ "2,201 of 3,750" stood above a part that was cut by 345, without a word why."""
    pane = page.pane
    assert pane.facts is not None
    facts = replace(pane.facts, not_lent=1_549, count=13, row=replace(pane.facts.row, full=892))
    pane.show_facts(facts)
    assert not pane.sentence.isHidden()
    assert pane.sentence.text().startswith("1,549 tokens of the total are free, but lent only")


async def test_what_the_running_recap_lost_is_offered_again_where_its_budget_is_set(
    page: BudgetsPage,
) -> None:
    """With 2,000 in place of 1,000 "everything fits", but the beginning had been dropped."""
    session = page._session
    page.choose("running_recap_budget")
    assert page.pane.rebuild.isHidden()
    session._reach = replace(session.reach, untold=(1, 2, 3))
    session.reach_changed.emit(session.reach)
    assert page.pane.sentence.text().startswith("3 scenes are not in it any more, from scene 1")
    assert page.pane.rebuild.text() == "Rebuild from scene 1"
    asked = QSignalSpy(page.recaps_asked)
    page.pane.rebuild.click()
    assert asked.count() == 1
    assert isinstance(asked.at(0)[0], AskedCost)


async def test_what_the_messages_leave_no_room_for_is_said_so(page: BudgetsPage) -> None:
    """It said that memory has half of the prompt, where it had an eighth."""
    assert page.preview is not None
    preview = by_one_total(page.preview)
    page.choose(KNOWS)
    page.show_preview(replace(preview, prepared=replace(preview.prepared, room=120)))
    assert page.pane.sentence.text().endswith(tr(NO_ROOM))
    assert "half" not in tr(NO_ROOM)


async def test_the_chart_of_needs_holds_the_figure_that_is_shown_beside_it(
    page: BudgetsPage, dressed: QApplication
) -> None:
    """It said "at most 181" of the last replies, and the next prompt held 228."""
    pane = page.pane
    assert pane.facts is not None
    row = replace(pane.facts.row, used=228, full=228)
    pane.show_facts(replace(pane.facts, row=row, needs=[(140, 160), (142, 181)]))
    assert pane.chart_title.text() == f"{row.title}, last 2 replies and the next"
    assert pane.most.text() == "at most 228"
    assert "160 at #140, 181 at #142, 228 next" in pane.chart.accessibleName()
    tip = pane.chart._tip(QPointF(pane.chart._step() * 2.5, 20))
    assert tip.startswith("Next reply: 228 tokens in full")
