"""What the notice says before a model is given much to do."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from app.story.break_search import SearchCost
from app.work.catch_up import CatchUpPlan
from ui.shell.notice import Notice, plan_sentence

SEARCH = SearchCost(90, 12, 60, 9_000, 1_000)


def test_a_backlog_of_recaps_says_how_many_scenes_and_what_they_take() -> None:
    sentence = plan_sentence(CatchUpPlan(5, 0, 80, 9, 11_000, 1_000))
    assert sentence == (
        "5 scenes have no recap yet, #0 to #80. Writing them takes 9 requests to the model, "
        "about 12,000 tokens."
    )


def test_a_search_for_breaks_says_what_it_takes_about_and_at_most() -> None:
    sentence = plan_sentence(CatchUpPlan(0, 0, 99, 12, 9_000, 1_000, search=SEARCH))
    assert sentence == (
        "Looking for scene breaks takes about 12 requests, at most 60; the scenes found are "
        "recapped then. About 10,000 tokens."
    )
    sentence = plan_sentence(CatchUpPlan(5, 0, 80, 21, 20_000, 2_000, search=SEARCH))
    assert "about 12 requests, at most 60" in sentence
    assert "All of it takes 21 requests to the model, about 22,000 tokens." in sentence


@pytest.mark.pitfall(11)
def test_what_is_withdrawn_is_what_was_meant_and_not_what_came_last(dressed: QApplication) -> None:
    notice = Notice()
    notice.offer("first", "The first.")
    notice.offer("second", "The second.")
    notice.withdraw("first")
    assert notice.sentence == "The second."
    notice.withdraw("second")
    assert notice.sentence == ""
    notice.deleteLater()
