"""What a backlog takes, and how far it is: sums that a user can check."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from app.core.model_use import Prices
from app.core.operations import (
    MEMORY,
    RECAPS,
    Operation,
    OperationKind,
    OperationSpec,
    OperationStatus,
    Worked,
)
from app.core.part_health import about
from app.story.break_search import SearchCost
from app.views.catch_up import CatchUpPlan, ReadingCost
from app.work.planning.catch_up import (
    Pace,
    catch_up_progress,
    estimated,
    pace_of,
    parts_of,
    with_measured_folds,
)

SCENE, FOLD = OperationKind.SCENE_RECAP, OperationKind.RUNNING_RECAP
PLAN = CatchUpPlan(4, 0, 80, 7, 2_000_000, 100_000, folds=3)
PACE = Pace({SCENE: 10.0, FOLD: 4.0}, 7.0)


def at(prompt: float = 0.0, output: float = 0.0) -> Callable[[OperationKind], Prices]:
    """The same prices for all work."""
    return lambda kind: Prices(prompt, output)


def running(started: float) -> Operation:
    spec = OperationSpec(SCENE, 1, "key", "m1", "Recap of scene 1")
    return Operation(1, spec, OperationStatus.RUNNING, started=started)


def test_the_pace_is_the_middle_of_the_last_ones_of_each_kind() -> None:
    slow_start = [(SCENE, 5.0)] * 20 + [(SCENE, 300.0)] * 50
    assert pace_of(slow_start).of(SCENE) == 5.0
    assert pace_of([(SCENE, 5.0), (SCENE, 400.0), (SCENE, 7.0)]).of(SCENE) == 7.0
    # What was never done is expected to take as long as what was.
    assert pace_of([(SCENE, 5.0)]).of(FOLD) == 5.0
    assert pace_of([]).of(SCENE) is None


def test_a_single_slow_answer_says_nothing_of_other_work() -> None:
    quick = [(OperationKind.MEMORY_PASS, 0.6)] * 20
    pace = pace_of([(FOLD, 27.0), (OperationKind.DETECT_BREAKS, 16.0), *quick])
    assert pace.of(SCENE) == 0.6
    # The second of its kind shows that the first was none of the usual ones.
    assert pace_of([(FOLD, 0.7), (FOLD, 27.0), *quick]).of(FOLD) == 0.7
    # A kind that does take longer is believed as soon as it did so twice.
    assert pace_of([(FOLD, 27.0), (FOLD, 25.0), *quick]).of(FOLD) == 25.0


def test_a_pace_that_changed_is_believed_of_work_that_was_not_done_since() -> None:
    """129 requests of 1.5 seconds were to take 35 seconds: the server had answered at once when
    recaps were written last.
    """
    look = OperationKind.DETECT_BREAKS
    at_once = [(SCENE, 0.06), (FOLD, 0.04)] * 6 + [(look, 0.05)]
    for asked in (3, 12, 15):
        pace = pace_of([(look, 1.6)] * asked + at_once)
        assert pace.of(look) == pytest.approx(1.6, abs=0.1)
        assert pace.of(SCENE) == pytest.approx(1.6, abs=0.1)
        assert pace.of(FOLD) == pytest.approx(1.6, abs=0.1)
    # Likewise where it answers faster now, but nothing takes less than no time.
    slow = [(SCENE, 40.0), (FOLD, 20.0)] * 6 + [(look, 30.0)]
    pace = pace_of([(look, 2.0)] * 3 + slow)
    assert (pace.of(SCENE), pace.of(FOLD)) == (12.0, 2.0)
    # Twice is no other pace yet; nor is a little more.
    assert pace_of([(look, 1.6)] * 2 + at_once).of(SCENE) == 0.06
    assert pace_of([(look, 0.09)] * 3 + at_once).of(SCENE) == 0.06


def test_the_last_of_a_kind_say_more_than_all_before_where_the_pace_changed() -> None:
    assert pace_of([(SCENE, 9.0)] * 3 + [(SCENE, 3.0)] * 17).of(SCENE) == 9.0
    assert pace_of([(SCENE, 9.0)] * 2 + [(SCENE, 3.0)] * 17).of(SCENE) == 3.0


def test_time_and_price_are_sums_over_the_plan() -> None:
    plan = estimated(PLAN, PACE, at(3.0, 15.0))
    assert plan.seconds == 4 * 10 + 3 * 4
    assert plan.price == pytest.approx(2 * 3.0 + 0.1 * 15.0)
    unknown = estimated(PLAN, Pace(), at())
    assert unknown.price is None
    # As of a middling model, and said so.
    assert unknown.is_guessed
    assert not plan.is_guessed
    assert unknown.seconds == PLAN.prompt_tokens / 800 + PLAN.output_tokens / 30
    assert estimated(PLAN, PACE, at(output=15.0)).price == pytest.approx(1.5)


def test_each_kind_of_work_costs_what_its_model_costs() -> None:
    reading = ReadingCost(50, 10, 400_000, 20_000, 10)
    plan = replace(PLAN, fold_tokens=(600_000, 30_000), reading=reading)
    assert plan.tokens[SCENE] == (1_000_000, 50_000)
    prices = {SCENE: Prices(1.0, 2.0), FOLD: Prices(10.0, 20.0)}
    found = estimated(plan, PACE, lambda kind: prices.get(kind, Prices()))
    assert found.price == pytest.approx(1.0 + 0.1 + 6.0 + 0.6)


def test_reasoning_is_paid_for_with_each_request() -> None:
    plan = estimated(PLAN, PACE, at(3.0, 15.0), reasoning_tokens=1000)
    assert plan.output_tokens == PLAN.output_tokens + PLAN.requests * 1000
    more = PLAN.requests * 1000 / 1_000_000 * 15.0
    assert plan.price == pytest.approx(2 * 3.0 + 0.1 * 15.0 + more)


def test_what_runs_is_taken_off_the_rest_and_never_more_than_it_usually_takes() -> None:
    def told(started: float) -> tuple[float, float | None]:
        progress = catch_up_progress(
            1,
            "Mira",
            left=PLAN,
            worked=Worked(5, 1, 60.0),
            running=running(started),
            pace=PACE,
            now=100.0,
        )
        assert (progress.done, progress.failed, progress.left) == (5, 1, 7)
        assert progress.share == pytest.approx(5 / 13)  # what failed is not done
        return progress.elapsed, progress.remaining

    assert told(94.0) == (66.0, 46.0)
    assert told(20.0) == (140.0, 42.0)


def test_one_that_stops_has_only_what_runs_before_it() -> None:
    progress = catch_up_progress(
        1,
        "Mira",
        left=PLAN,
        worked=Worked(5, 0, 60.0),
        running=running(98.0),
        pace=PACE,
        now=100.0,
        is_stopping=True,
    )
    assert (progress.left, progress.remaining) == (1, 8.0)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.0, "about 5 s"),
        (38.0, "about 40 s"),
        (57.0, "about 1 min"),
        (750.0, "about 12 min"),
        (3599.0, "about 1 h"),
        (7800.0, "about 2 h 10 min"),
    ],
)
def test_an_expected_time_is_said_roughly(seconds: float, words: str) -> None:
    assert about(seconds) == words


def test_progress_counts_the_requests_that_the_plan_named() -> None:
    plan = replace(PLAN, of_each={SCENE: 4}, requests=4 * 4 + 3)
    worked = Worked(2, 1, 60.0, by_kind={SCENE: (1, 1), FOLD: (1, 0)})
    left = replace(plan, scenes=2, folds=2, requests=2 * 4 + 2)
    told = catch_up_progress(
        1, "Mira", left=left, worked=worked, running=None, pace=PACE, now=100.0
    )
    assert (told.done, told.failed, told.left) == (5, 4, 10)
    assert told.done + told.failed + told.left == plan.requests


def test_what_is_asked_for_alone_after_all_is_a_request_that_was_made() -> None:
    """53 folds were asked for alone, and the progress stood still."""
    plan = replace(PLAN, of_each={SCENE: 1, FOLD: 0})
    worked = Worked(9, 1, 60.0, by_kind={SCENE: (3, 0), FOLD: (6, 1)}, paid={FOLD: (2, 1)})
    assert plan.requests_in(worked) == (5, 1)


def test_no_time_is_promised_while_nothing_is_answered() -> None:
    def remaining(*, started: float | None, is_held: bool) -> float | None:
        return catch_up_progress(
            1,
            "Mira",
            left=PLAN,
            worked=Worked(5, 1, 60.0),
            running=None if started is None else running(started),
            pace=PACE,
            now=1_000.0,
            is_held=is_held,
        ).remaining

    assert remaining(started=None, is_held=False) == 52.0
    assert remaining(started=None, is_held=True) is None
    assert remaining(started=995.0, is_held=False) == 47.0
    assert remaining(started=700.0, is_held=False) is None  # it hangs, or may as well


def test_a_model_that_was_tested_is_no_middling_one() -> None:
    plan = estimated(PLAN, Pace(), at(), write_speed=60.0)
    middling = estimated(PLAN, Pace(), at()).seconds
    assert middling is not None
    assert plan.seconds == middling / 2
    assert plan.is_tested
    assert not plan.is_guessed
    assert not estimated(PLAN, PACE, at(), write_speed=60.0).is_tested


def test_what_a_part_takes_is_what_all_takes_without_the_other() -> None:
    reading = ReadingCost(50, 10, 400_000, 20_000, 10, first=4, last=90)
    search = SearchCost(90, 12, 60, 9_000, 1_000)
    whole = replace(PLAN, requests=29, fold_tokens=(600_000, 30_000), search=search)
    whole = replace(whole, reading=reading)
    parts = parts_of(whole)
    recaps, memory = parts[RECAPS], parts[MEMORY]
    assert (recaps.requests, memory.requests) == (19, 10)
    assert (recaps.prompt_tokens, memory.prompt_tokens) == (1_600_000, 400_000)
    assert (recaps.output_tokens, memory.output_tokens) == (80_000, 20_000)
    assert (recaps.scenes, recaps.folds, recaps.search) == (4, 3, search)
    assert (memory.scenes, memory.folds, memory.first, memory.last) == (0, 0, 4, 90)
    for kind, tokens in whole.tokens.items():
        alone = (memory if kind is OperationKind.MEMORY_PASS else recaps).tokens[kind]
        assert alone == tokens
    whole_price, *prices = (
        estimated(one, PACE, at(3.0, 15.0), reasoning_tokens=100).price
        for one in (whole, recaps, memory)
    )
    assert whole_price == pytest.approx(sum(price or 0.0 for price in prices))


def test_what_is_of_one_kind_has_no_parts() -> None:
    assert parts_of(PLAN) == {}
    reading = ReadingCost(50, 7, 2_000_000, 100_000, 7)
    assert parts_of(replace(PLAN, scenes=0, folds=0, reading=reading)) == {}


def test_folds_are_as_dear_as_the_last_ones_were() -> None:
    """68,000 tokens were said, and 154,000 taken: each fold was asked for twice, as before."""
    plan = CatchUpPlan(4, 0, 80, 7, 20_000, 2_000, folds=3, fold_tokens=(6_000, 750))
    assert with_measured_folds(plan, None) == plan
    assert with_measured_folds(plan, 2_000.0) == plan
    dear = with_measured_folds(plan, 4_600.0)
    assert dear.tokens[FOLD] == (3 * 4_600 - 750, 750)
    assert dear.tokens[SCENE] == plan.tokens[SCENE]
    assert with_measured_folds(plan, 4_600.0, 600).tokens[FOLD][0] == 3 * 4_000 - 750
    assert with_measured_folds(replace(plan, beside=3), 4_600.0) == replace(plan, beside=3)
