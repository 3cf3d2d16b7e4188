"""What the notice says before a model is given much to do."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.core.operations import MEMORY, RECAPS
from app.story.break_search import SearchCost
from app.views.catch_up import CatchUpPlan, ReadingCost
from app.work.planning.catch_up import parts_of
from ui.shell import notice as notice_module
from ui.shell.notice import Notice
from ui.shell.plan_words import (
    detail_sentence,
    offer_sentence,
    parts_sentence,
    plan_command,
    plan_sentence,
    total_sentence,
)

SEARCH = SearchCost(90, 12, 60, 9_000, 1_000)


def test_a_backlog_of_recaps_says_how_many_scenes_and_what_they_take() -> None:
    sentence = plan_sentence(CatchUpPlan(5, 0, 80, 9, 11_000, 1_000))
    assert sentence == (
        "5 scenes have no recap yet, #0 to #80. Writing them takes 9 requests to the model, "
        "about 12,000 tokens."
    )


def test_a_branch_says_that_its_parent_is_worked_off() -> None:
    plan = CatchUpPlan(5, 0, 80, 9, 11_000, 1_000, read_in="Harbour")
    assert plan_sentence(plan).startswith("“Harbour” shares messages with this chat")
    assert "you pay for it twice" in plan_sentence(plan)


def test_a_search_for_breaks_says_what_it_takes_about_and_at_most() -> None:
    sentence = plan_sentence(CatchUpPlan(0, 0, 99, 12, 9_000, 1_000, search=SEARCH))
    assert sentence == (
        "Looking for scene breaks takes about 12 requests, at most 60. About 10,000 tokens. "
        "Each further scene that is found adds a recap; you are asked again before 25 % is added."
    )
    assert "of the scenes found" not in sentence  # those found already are counted in
    sure = replace(SEARCH, requests_at_most=SEARCH.requests)
    assert plan_sentence(CatchUpPlan(0, 0, 99, 12, 9_000, 1_000, search=sure)).startswith(
        "Looking for scene breaks takes 12 requests. About 10,000 tokens."
    )
    sentence = plan_sentence(CatchUpPlan(5, 0, 80, 21, 20_000, 2_000, search=SEARCH))
    assert "about 12 requests, at most 60" in sentence
    assert "Together that takes at least 21 requests to the model, about 22,000" in sentence
    more = plan_sentence(CatchUpPlan(5, 0, 80, 9, 11_000, 1_000, agreed=140))
    assert more.startswith("It takes more than the 140 requests you agreed to; this is")


def test_reading_alone_is_no_writing_of_recaps() -> None:
    reading = ReadingCost(140, 8, 30_000, 3_000, passes=8, first=4, last=143)
    plan = CatchUpPlan(0, 0, 143, 8, 30_000, 3_000, reading=reading)
    assert plan_sentence(plan) == (
        "140 messages have not been read for memory yet, #4 to #143. Reading them takes at least 8 "
        "requests to the model, about 33,000 tokens. What is made of it later, such as portraits "
        "and summaries, needs a few more."
    )
    assert plan_command(plan) == "Read for memory"
    assert offer_sentence(plan) == (
        "140 messages not read for memory: at least 8 requests, 33,000 tokens."
    )
    foretold = replace(plan, texts=5, text_tokens=12_000)
    assert plan_sentence(foretold) == (
        "140 messages have not been read for memory yet, #4 to #143. Reading them takes 8 to 13 "
        "requests to the model, about 33,000 to 45,000 tokens. The higher numbers count what is "
        "made of it later, too, such as portraits and summaries."
    )
    both = CatchUpPlan(5, 0, 143, 17, 30_000, 3_000, reading=reading)
    assert plan_sentence(both) == (
        "140 messages have not been read for memory yet, #4 to #143. 5 scenes have no recap yet, "
        "#0 to #143. Everything together takes at least 17 requests to the model, about 33,000 "
        "tokens. What is made of it later, such as portraits and summaries, needs a few more."
    )
    assert plan_command(both) == "Do all of it"
    assert total_sentence(both) == "At least 17 requests, 33,000 tokens."
    assert detail_sentence(both) == (
        "140 messages have not been read for memory yet, #4 to #143. 5 scenes have no recap yet, "
        "#0 to #143. What is made of it later, such as portraits and summaries, needs a few more."
    )


def test_what_is_left_of_a_rebuild_is_no_writing_of_recaps() -> None:
    """It said "About 570,000 tokens." beside "Write the recaps", and not how many requests."""
    left = CatchUpPlan(0, 0, 2_990, 265, 540_000, 30_000, folds=265)
    assert plan_sentence(left) == (
        "265 scenes are still to be added to the running recap. "
        "That takes 265 requests to the model, about 570,000 tokens."
    )
    assert plan_command(left) == "Add them"


def test_an_offer_over_the_story_says_the_same_in_one_sentence() -> None:
    """Nine lines with eleven numbers lay over the chat."""
    reading = ReadingCost(140, 8, 30_000, 3_000, passes=8, first=4, last=143)
    plan = CatchUpPlan(5, 0, 143, 29, 40_000, 5_000, reading=reading, search=SEARCH)
    assert offer_sentence(plan) == (
        "Looking for scene breaks, 5 scenes without a recap, 140 messages not read for memory: at "
        "least 29 requests, 45,000 tokens."
    )
    twice = offer_sentence(replace(plan, read_in="Harbour", agreed=20))
    assert "pay for it twice. It takes more than the 20 requests" in twice
    folds = CatchUpPlan(0, 0, 99, 3, 9_000, 1_000, folds=3)
    assert offer_sentence(folds) == "Running recap: 3 requests, 10,000 tokens."


def test_messages_that_wait_to_be_recapped_are_named() -> None:
    """After a clearing the model recaps none before the user's word."""
    alone = CatchUpPlan(0, 0, 61, 10, 5_000, 600, messages=10, message_tokens=(5_000, 600))
    assert plan_sentence(alone) == (
        "10 messages have no recap yet. "
        "Writing them takes 10 requests to the model, about 5,600 tokens."
    )
    assert offer_sentence(alone) == "10 messages without a recap: 10 requests, 5,600 tokens."
    assert plan_command(alone) == "Write the recaps"
    both = replace(alone, scenes=2, last=48, folds=2)
    assert plan_sentence(both).startswith(
        "2 scenes have no recap yet, #0 to #48. 10 messages have no recap yet. Writing them takes"
    )


def test_what_asks_for_two_things_at_once_may_take_more_requests() -> None:
    """Nine requests were said for all, and four more came for folds that the model left out."""
    said = plan_sentence(CatchUpPlan(6, 0, 48, 6, 11_000, 1_000, folds=5, beside=5))
    assert "takes at least 6 requests" in said
    said = plan_sentence(CatchUpPlan(2, 0, 48, 2, 11_000, 1_000, folds=1, beside=1))
    assert "takes 2 requests" in said


def test_a_reply_that_may_still_be_swiped_is_named_where_it_is_not_counted() -> None:
    """Of a chat with 402 messages 401 were to be read, and nobody said which was not."""
    reading = ReadingCost(401, 12, 90_000, 9_000, passes=12, first=0, last=400, waiting=1)
    said = plan_sentence(CatchUpPlan(0, 0, 0, 12, 90_000, 9_000, reading=reading))
    assert (
        "401 messages have not been read for memory yet, #0 to #400. "
        "The newest message is read when the story goes on." in said
    )


def test_a_message_without_words_is_not_missing_in_the_count() -> None:
    """ "2,998 messages were not read, #0 to #2998" are 2,999, one of which says only "...": why the
    numbers differ is said.
    """
    reading = ReadingCost(2_998, 95, 400_000, 30_000, passes=95, first=0, last=2_998)
    plan = CatchUpPlan(0, 0, 2_998, 95, 400_000, 30_000, reading=reading)
    assert plan_sentence(plan).startswith(
        "2,998 messages have not been read for memory yet, #0 to #2998. (1 in between needs no "
        "reading.) Reading them takes "
    )


def test_each_part_says_what_it_takes_alone() -> None:
    """What the chosen part costs was said nowhere before it began."""
    reading = ReadingCost(140, 8, 30_000, 3_000, passes=8, first=4, last=143)
    plan = CatchUpPlan(5, 0, 143, 17, 40_000, 5_000, reading=reading)
    assert parts_sentence(plan) == ""
    parts = {RECAPS: replace(parts_of(plan)[RECAPS], price=0.5), MEMORY: parts_of(plan)[MEMORY]}
    plan = replace(plan, parts=parts)
    assert parts_sentence(plan) == (
        "Only the recaps: 9 requests, 12,000 tokens, about 0.50 at your prices. "
        "Only memory: at least 8 requests, 33,000 tokens."
    )
    assert plan_sentence(plan.of_part(RECAPS)) == (
        "5 scenes have no recap yet, #0 to #143. Writing them takes 9 requests to the model, about "
        "12,000 tokens, about 0.50 at your prices."
    )
    assert "Reading them takes at least 8 requests" in plan_sentence(plan.of_part(MEMORY))


@pytest.mark.usefixtures("in_german")
def test_one_message_is_no_messages() -> None:
    reading = ReadingCost(1, 1, 3_000, 300, passes=1, first=143, last=143)
    sentence = plan_sentence(CatchUpPlan(0, 0, 143, 1, 3_000, 300, reading=reading))
    assert sentence.startswith("1 Nachricht wurde noch nicht fürs Gedächtnis gelesen, #143. ")


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


def test_a_press_meant_for_what_stood_there_is_not_taken_by_an_offer_that_comes_between(
    dressed: QApplication, qtbot: QtBot
) -> None:
    """A click on another button lifted the day's limit, since the offer had come over it."""
    notice = Notice()
    qtbot.addWidget(notice)
    notice.resize(700, 60)
    notice.offer("cap", "The limit is reached.", way_on="Go on today")
    notice.show()
    button = notice._way_on

    def is_reached() -> bool:
        return notice.childAt(button.geometry().center()) is button

    assert not is_reached()
    qtbot.waitUntil(is_reached)


def test_what_only_informs_goes_by_itself_and_what_asks_stays(
    dressed: QApplication, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notice_module, "INFORMS_SECONDS", 0.05)
    monkeypatch.setattr(notice_module, "FAILED_SECONDS", 0.05)
    monkeypatch.setattr(Notice, "underMouse", lambda _: False)
    notice = Notice()
    qtbot.addWidget(notice)
    notice.offer("question", "Shall it?", way_on="It shall")
    notice.offer("news", "It was done.")
    assert notice.sentence == "It was done."
    qtbot.waitUntil(lambda: notice.sentence == "Shall it?")
    notice.say("It did not work.")
    assert notice.sentence == "It did not work."
    qtbot.waitUntil(lambda: notice.sentence == "Shall it?")
    qtbot.wait(150)
    assert notice.sentence == "Shall it?"


def test_what_is_about_a_page_stands_on_no_other(dressed: QApplication, qtbot: QtBot) -> None:
    notice = Notice()
    qtbot.addWidget(notice)
    notice.follow_page("story")
    notice.offer("cut", "89 are cut.", way_on="See", pages=("story", "prompt"))
    notice.follow_page("recaps")
    assert notice.sentence == ""
    notice.amend("cut", "12 are cut.")
    assert notice.sentence == ""
    notice.follow_page("prompt")
    assert notice.sentence == "12 are cut."


def test_what_is_worse_and_later_than_a_failure_is_shown_at_once(qtbot: QtBot) -> None:
    """A chat that had lost messages was told of a minute late, behind an older failure."""
    notice = Notice()
    qtbot.addWidget(notice)
    notice.offer("older", "The disk is full.", is_bad=True)
    notice.say("The chat is no longer there.")
    notice.offer("plan", "5 scenes have no recap yet.", way_on="Write them")
    assert notice.sentence == "The chat is no longer there."
    notice.offer("alarm", "A chat lost messages.", way_on="Look at the copy", is_bad=True)
    assert notice.sentence == "A chat lost messages."
    notice.close_shown()
    assert notice.sentence == "The chat is no longer there."
    notice.close_shown()
    assert notice.sentence == "5 scenes have no recap yet."
    notice.say("The chat is no longer there.")
    notice.take_back("The chat is no longer there.")
    assert notice.sentence == "5 scenes have no recap yet."
