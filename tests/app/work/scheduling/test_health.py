"""The light of the work is red only where something went wrong."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from app.core import translation
from app.core.model_use import CAPPED
from app.core.operations import Operation, OperationKind, OperationSpec, OperationStatus
from app.core.part_health import Health, HealthItem, Light
from app.views.catch_up import CatchUpProgress
from app.work.pages.page_badge import LONGEST_SENTENCE, badge_of
from app.work.queue.patience import BEGINS_SOON
from app.work.scheduling.health import (
    backend_health,
    catch_up_words,
    queue_health,
    sillytavern_health,
)

SPEC = OperationSpec(OperationKind.SCENE_RECAP, 1, "key", "anchor", "Recap of scene 1")


@pytest.mark.parametrize(
    ("error", "held", "light"),
    [
        ("", "", Light.IDLE),  # it begins in a moment
        ("", CAPPED, Light.IDLE),
        ("", BEGINS_SOON, Light.IDLE),
        ("Nobody answers.", "", Light.BAD),
        ("", "Needs “Recap of scene 1”, which failed.", Light.BAD),
    ],
)
def test_waiting_is_red_only_when_something_keeps_it(error: str, held: str, light: Light) -> None:
    waits = Operation(1, SPEC, OperationStatus.PENDING, error=error, held=held)
    assert queue_health((waits,)).light is light


def test_that_changes_have_to_be_looked_for_is_said_where_nothing_worse_is() -> None:
    how: dict[str, Any] = {"is_writing": False, "unwritten": (), "folder_gone": ""}
    assert "drive" not in sillytavern_health((), (), **how).sentence
    assert (
        "its drive does not report changes"
        in sillytavern_health((), (), **how, is_silent=True).sentence
    )
    gone = sillytavern_health((), (), **how | {"folder_gone": "It is gone."}, is_silent=True)
    assert gone.sentence == "It is gone."


CATCHING_UP = CatchUpProgress(1, "Harbour", 14, 0, 592, 0.0, None)


def test_between_two_requests_a_catch_up_is_still_one() -> None:
    """The status bar changed to and fro between "Catching up, 14 of 606" and "220 waiting"."""
    next_one = Operation(2, SPEC, OperationStatus.PENDING)
    health = queue_health((next_one,), catching_up=(CATCHING_UP,))
    assert (health.light, health.sentence) == (Light.WORKING, "Catching up, 14 of 606 requests")


def test_what_failed_is_not_said_to_be_done() -> None:
    """68 of 161 requests here, 60 of 161 on the page Work."""
    failed = replace(CATCHING_UP, failed=8)
    health = queue_health((Operation(2, SPEC, OperationStatus.PENDING),), catching_up=(failed,))
    assert health.sentence == "Catching up, 14 of 614 requests"


def test_what_one_waits_for_is_not_why_all_wait() -> None:
    """Seconds in which an undo spares one request were told in red of 264."""
    patient = Operation(2, SPEC, OperationStatus.PENDING, held=BEGINS_SOON)
    free = Operation(3, replace(SPEC, key="next"), OperationStatus.PENDING)
    health = queue_health((patient, free), catching_up=(CATCHING_UP,))
    assert (health.light, health.sentence) == (Light.WORKING, "Catching up, 14 of 606 requests")


def test_what_is_tried_again_by_itself_says_so() -> None:
    """ "Try again later" was said of what went on twenty seconds later."""
    why = "The server limits how many requests you may send (429)."
    asked = Operation(2, SPEC, OperationStatus.WAITING, error=why, not_before=20.0)
    other = Operation(3, replace(SPEC, key="next"), OperationStatus.PENDING, held=why)
    said = f"2 to do: {why} It is tried again by itself."
    assert queue_health((asked, other)).sentence == said
    assert queue_health((other, asked)).sentence == said
    failed = replace(asked, status=OperationStatus.PENDING)
    assert queue_health((failed,)).sentence == f"1 to do: {why}"


def test_what_waits_for_another_says_what_is_in_the_way_of_that() -> None:
    """141 waited, and the bar said for which recap, not that the model took no more requests."""
    recap = Operation(7, SPEC, OperationStatus.WAITING, error="Too many requests.", started=5.0)
    fold = replace(SPEC, kind=OperationKind.RUNNING_RECAP, key="fold", after=("key",), priority=20)
    next_one = Operation(8, fold, OperationStatus.PENDING, held="Waits for “Recap of scene 1”.")
    health = queue_health((next_one, recap), catching_up=(CATCHING_UP,))
    assert (health.light, health.sentence) == (
        Light.BAD,
        "2 to do: Too many requests. It is tried again by itself.",
    )
    around = replace(fold, key="key", after=("fold",))  # each for the other
    circle = (next_one, Operation(9, around, OperationStatus.PENDING, held="Waits for “X”."))
    assert queue_health(circle).light is Light.BAD


def test_what_was_overcome_is_told_of_no_more() -> None:
    missed = replace(
        Operation(2, SPEC, OperationStatus.WAITING), error="Nobody answers.", started=5
    )
    made = replace(Operation(1, SPEC, OperationStatus.DONE), finished=9.0)
    assert queue_health((missed,), catching_up=(CATCHING_UP,)).light is Light.BAD
    assert queue_health((missed, made)).sentence == "1 waiting"
    again = replace(missed, started=10.0)
    assert queue_health((again, made)).sentence.startswith("1 to do: Nobody answers.")
    kept = replace(
        again,
        error="SillyTavern's page is not open. Work continues once it is open "
        "in a browser on this computer.",
    )
    translation.use("de")
    try:
        assert "Die Seite von SillyTavern ist nicht offen" in queue_health((kept, made)).sentence
    finally:
        translation.use(translation.ENGLISH)


def test_a_catch_up_that_has_nothing_queued_is_not_nothing_to_do() -> None:
    """Between two of its requests, and while the chat's folder was away."""
    health = queue_health((), catching_up=(CATCHING_UP,))
    assert (health.light, health.sentence) == (Light.WORKING, "Catching up, 14 of 606 requests")
    away = replace(CATCHING_UP, why="The chat's file is missing.")
    assert queue_health((), catching_up=(away,)).sentence == (
        "Catching up waits: The chat's file is missing."
    )
    both = queue_health((), catching_up=(away, replace(CATCHING_UP, chat=2, done=20)))
    assert both.sentence == "Catching up, 20 of 612 requests"
    assert queue_health((), catching_up=(replace(CATCHING_UP, left=0),)).sentence == (
        "Nothing to do"
    )


def test_what_failed_is_said_where_nothing_else_is_to_do() -> None:
    failed = Operation(1, SPEC, OperationStatus.FAILED, error="No.", finished=5.0)
    assert queue_health((failed,)).sentence == "1 failed, nothing else to do"
    assert queue_health(()).sentence == "Nothing to do"


def test_what_waits_for_an_answer_is_something_to_do() -> None:
    """The bar said "Nothing to do" beside "Waits for your answer: 358 requests"."""
    failed = Operation(1, SPEC, OperationStatus.FAILED, error="No.", finished=5.0)
    vain = replace(Operation(1, SPEC, OperationStatus.DONE), finished=9.0, error="Prose.")
    assert queue_health((), is_offered=True).sentence == "Nothing in progress"
    assert queue_health((failed,), is_offered=True).sentence == "1 failed, nothing in progress"
    assert queue_health((vain,), is_offered=True).sentence.startswith("Nothing in progress. Recap")


def test_what_waits_beside_a_catch_up_is_in_the_number() -> None:
    """3,012 recaps went before it, and the status bar spoke of the catch-up alone."""
    running = Operation(1, SPEC, OperationStatus.RUNNING)
    words = catch_up_words(CATCHING_UP)
    many = queue_health((running,), catching_up=(CATCHING_UP,), to_do=CATCHING_UP.left + 3_012)
    assert many.sentence == f"{words}, 3,012 more waiting"
    alone = queue_health((running,), catching_up=(CATCHING_UP,), to_do=CATCHING_UP.left)
    assert alone.sentence == words


def test_an_answer_of_no_use_is_not_nothing_to_do() -> None:
    """A search that got prose in place of an answer ended with "Nothing to do", in green."""
    vain = replace(
        Operation(1, SPEC, OperationStatus.DONE), finished=9.0, error="It wrote prose, twice."
    )
    said = "Nothing else to do. Recap of scene 1 gave no result."
    assert queue_health((vain,)).sentence == said
    model = backend_health("model", (vain,), "", 100)
    assert (model.light, model.sentence) == (Light.BAD, "model: It wrote prose, twice.")
    made = replace(Operation(2, SPEC, OperationStatus.DONE), finished=10.0)
    assert queue_health((vain, made)).sentence == "Nothing to do"
    assert backend_health("model", (vain, made), "", 100).light is Light.GOOD


def test_an_error_that_is_over_is_told_no_more() -> None:
    """A search that failed was told for minutes, and cut off how things stood."""
    vain = Operation(1, SPEC, OperationStatus.DONE, finished=100.0, error="It wrote prose.")
    soon, late = 130.0, 161.0
    assert queue_health((vain,), now=soon).sentence.endswith("gave no result.")
    assert backend_health("model", (vain,), "", 0, now=soon).light is Light.BAD
    assert queue_health((vain,), now=late).sentence == "Nothing to do"
    assert backend_health("model", (vain,), "", 0, now=late).light is Light.GOOD
    # What is begun behind it is newer, however that ends.
    running = Operation(2, SPEC, OperationStatus.RUNNING, started=101.0)
    assert backend_health("model", (running, vain), "", 0, now=soon).light is Light.GOOD
    begun_before = replace(running, started=99.0)
    assert backend_health("model", (begun_before, vain), "", 0, now=soon).light is Light.BAD


def test_the_badge_says_how_things_stand_before_what_went_wrong() -> None:
    error = "It wrote prose. " * 40
    vain = Operation(1, SPEC, OperationStatus.DONE, finished=9.0, error=error)
    good = HealthItem("", Light.GOOD, "Fine")
    parts = Health(good, good, good, queue_health((vain,)), backend_health("m", (vain,), "", 0))
    badge = badge_of(parts, 0)
    assert badge.state == "trouble"
    assert badge.sentence.startswith(f"{parts.queue.sentence} · m: It wrote prose.")
    assert len(badge.sentence) == LONGEST_SENTENCE


def test_no_model_is_told_to_have_done_what_another_did() -> None:
    """After another model was chosen, the old one's error stood behind the new one's name."""
    vain = Operation(
        1, SPEC, OperationStatus.DONE, finished=9.0, error="It wrote prose.", backend="old"
    )
    new = backend_health("new", (vain,), "", 100)
    assert (new.light, new.sentence) == (Light.GOOD, "new, 100 tokens today")
    # One that does a kind of work beside it is named itself.
    beside = backend_health("new", (vain,), "", 100, others=("old",))
    assert (beside.light, beside.sentence) == (Light.BAD, "old: It wrote prose.")
    unheard = replace(vain, status=OperationStatus.FAILED, error="Nobody answers.", backend="")
    assert backend_health("new", (unheard,), "", 0, since=10.0).light is Light.GOOD
    assert backend_health("new", (unheard,), "", 0, since=8.0).sentence == "new: Nobody answers."


def test_where_there_is_no_model_the_bar_says_so() -> None:
    """It said "built-in", which nobody could tell from a model's name."""
    assert backend_health("built-in", (), "", 0).sentence == "No model"
