"""What the rows of the queue say of time, cost and makers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from app.core.model_use import DayCap, Spent
from app.core.operations import Operation, OperationKind, OperationSpec, OperationStatus
from app.story.story import ChatKind, ChatRef
from app.views.catch_up import CatchUpProgress
from ui.core.chat_words import chat_words
from ui.work.model import detail_words, duration_words, state_sentence, token_words
from ui.work.use_words import cap_words
from ui.work.words import progress_facts, to_do_words


def operation(number: int, status: OperationStatus = OperationStatus.PENDING) -> Operation:
    spec = OperationSpec(
        OperationKind.SCENE_RECAP, 1, f"key {number}", "anchor", f"Recap of scene {number}"
    )
    return Operation(number, spec, status)


def test_what_took_no_time_was_done_at_once() -> None:
    assert duration_words(0.0) == "at once"
    assert duration_words(0.4) == "0.4 s"
    late = replace(operation(1, OperationStatus.WAITING), error="Nobody answers.", not_before=9.99)
    assert state_sentence(late, now=10.0) == "Nobody answers. Retrying now."
    paused = state_sentence(late, now=10.0, is_paused=True)
    assert paused == "Nobody answers. Retries when work resumes."
    # Where another one asks for all of them, it stood there for minutes.
    assert state_sentence(replace(late, held="Nobody answers."), now=10.0) == "Nobody answers."


def test_what_was_done_in_vain_says_why() -> None:
    done = replace(operation(1, OperationStatus.DONE), error="The model answered something else.")
    assert state_sentence(done, now=0.0) == ("No result. The model answered something else.")


def test_a_catch_up_says_what_it_waits_for_in_place_of_the_time_left() -> None:
    waits = CatchUpProgress(1, "Harbour", 3, 0, 9, 60.0, 180.0, why="The file is not there.")
    assert progress_facts(waits, is_paused=False) == (
        "3 of 12 planned requests done, 1:00 min of work. The file is not there."
    )


def test_what_failed_is_not_said_to_be_done() -> None:
    """ "51 of 129 done, 8 of them failed" stood beside "12 failed", which counts other work too."""
    partly = CatchUpProgress(1, "Harbour", 43, 8, 78, 53.0, 50.0)
    assert progress_facts(partly, is_paused=False).startswith(
        "43 of 129 planned requests done, 53 s of "
    )


def test_a_catch_up_says_what_it_took_with_what_no_plan_names() -> None:
    """442 requests were paid for, and “345 of 345 requests done” was all that was said."""
    through = CatchUpProgress(1, "Harbour", 345, 0, 0, 60.0, None, tokens=1_360_123)
    assert progress_facts(through, is_paused=False) == (
        "345 of 345 planned requests done, 1,360,123 tokens in all, 1:00 min of work"
    )
    assert progress_facts(replace(through, requests=442, agreed=345), is_paused=False) == (
        "345 of 345 planned requests done, 442 requests and 1,360,123 tokens in all, "
        "1:00 min of work"
    )


def test_what_grew_beyond_its_plan_says_how_much_was_planned() -> None:
    """ "609 of 609 planned requests done", where 592 had been planned."""
    grown = CatchUpProgress(1, "Harbour", 597, 0, 12, 60.0, None, agreed=592)
    assert progress_facts(grown, is_paused=False).startswith(
        "597 of 609 requests done (592 planned at first), "
    )


def test_an_operation_says_what_it_cost_and_who_did_it() -> None:
    done = replace(
        operation(1, OperationStatus.DONE),
        prompt_tokens=1204,
        output_tokens=85,
        backend="qwen3:14b",
        attempts=2,
    )
    assert token_words(done) == "1,204 tokens read, 85 written."
    assert detail_words(done) == "qwen3:14b, attempt 2"
    assert detail_words(replace(done, backend="kept", attempts=1)) == "from earlier"
    assert detail_words(replace(done, backend="built-in", attempts=1)) == "without a model"
    assert token_words(operation(2)) == ""


def test_what_waits_beside_a_catch_up_is_told_apart_from_it() -> None:
    """ "139 to do" stood above "11 of 109 requests done", and neither said why."""
    strip = CatchUpProgress(1, "Harbour", 11, 0, 98, 60.0, 180.0)
    assert to_do_words(139, (strip,)) == "139 to do, 41 of them not part of the catching up below"
    assert to_do_words(98, (strip,)) == "98 to do"
    assert to_do_words(7, ()) == "7 to do"


def test_a_day_that_went_beyond_its_limit_says_why() -> None:
    """ "305 of 304 requests today" stood there alone."""
    assert cap_words(DayCap(304, spent=Spent(304))) == "304 of 304 requests today"
    beyond = cap_words(DayCap(304, spent=Spent(305)))
    assert beyond == "305 of 304 requests today; what had begun was still finished"
    lowered = cap_words(DayCap(100, spent=Spent(287), before=Spent(286)))
    assert lowered == "287 of 100 requests today; 286 of them before this limit was set"


def test_chats_of_no_group_are_called_so_in_the_language_of_the_window(in_german: None) -> None:
    path = Path("/tavern/group chats/a.jsonl")
    stray = ChatRef(path, ChatKind.GROUP, "a", "", "Chats without a group", (), Path("/tavern"))
    assert chat_words(stray) == "Chats ohne Gruppe, a"
    own = replace(stray, owner="1", owner_name="Light")
    assert chat_words(own) == "Light, a", "a name of the user's is not translated"
