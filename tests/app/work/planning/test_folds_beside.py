"""Which fold goes with which recap, and that none waits for what may not begin."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from app.core.operations import MEMORY, RECAPS, OperationKind, OperationSpec
from app.story.story import Story
from app.views.catch_up import ReadingCost
from app.work.planning.catch_up import catch_up_plan, parts_of
from app.work.planning.dependencies import in_dependency_order, without
from app.work.planning.planner import fold_beside, plan
from app.work.planning.writing import Writing
from tests.app.work.planning.test_planner import settings, story_of, with_recaps, with_versions

BOTH = Writing("openai:m@http://127.0.0.1:1", "1", is_free=False, folds_beside=True)
RECAP, FOLD = OperationKind.SCENE_RECAP, OperationKind.RUNNING_RECAP


def story() -> Story:
    """Four scenes have ended: the first is folded in, the second and third are recapped."""
    return with_versions(with_recaps(story_of(20, 2, 5, 8, 11), "m2", "m5"), "m2")


def planned(told: Story, writing: Writing = BOTH, **values: Any) -> dict[str, OperationSpec]:
    """By kind and anchor."""
    specs = in_dependency_order(told, plan(told, 1, settings(**values), writing))
    return {f"{spec.kind.value} {spec.anchor}": spec for spec in specs}


def test_a_fold_comes_after_the_recap_that_asks_for_it_too() -> None:
    specs = planned(story())
    recap, fold = specs["scene_recap m8"], specs["running_recap m5"]
    assert recap.label == "Recap of scene 3, asked together with how to add scene 2"
    assert fold.after == (recap.key,)
    assert specs["scene_recap m11"].label == "Recap of scene 4"
    alone = planned(story(), replace(BOTH, folds_beside=False))
    assert alone["scene_recap m8"].key == recap.key, "the same work, however it is asked for"
    assert alone["running_recap m5"].key == fold.key
    assert not alone["running_recap m5"].after


@pytest.mark.parametrize(
    ("told", "writing", "values"),
    [
        (replace(story(), running=replace(story().running, versions=())), BOTH, {}),
        (with_recaps(story(), "m2", "m5", "m8"), BOTH, {}),
        (story(), replace(BOTH, others={FOLD: replace(BOTH, spec="openai:n@http://x")}), {}),
        (story(), BOTH, {"scene_recap_form": "staged"}),
        (story(), BOTH, {"running_recap_auto": False}),
    ],
    ids=["copied", "recapped already", "another model", "staged", "not by itself"],
)
def test_where_they_do_not_go_together_neither_waits(
    told: Story, writing: Writing, values: dict[str, Any]
) -> None:
    specs = planned(told, writing, **values)
    assert not any("asked together" in spec.label for spec in specs.values())
    folds = [spec for spec in specs.values() if spec.kind is FOLD]
    assert not any(fold.after for fold in folds)
    scene = told.scenes[2]
    asked = fold_beside(told, 1, scene, settings(**values), writing)
    # A recap that the user wants anew asks for the fold as well.
    assert (asked is not None) is (told.scene_recap(scene) is not None)


def test_a_recap_that_is_made_anew_first_is_not_folded_in_as_it_is() -> None:
    told = story()
    stale = replace(told.recaps["m5"][0], source_digest="other")
    told = replace(told, recaps={**told.recaps, "m5": (stale,)})
    specs = planned(told)
    assert specs["scene_recap m8"].label == "Recap of scene 3"
    assert specs["running_recap m5"].after == (specs["scene_recap m5"].key,)


def test_a_fold_does_not_wait_for_a_recap_that_waits_for_the_users_word() -> None:
    told, specs = story(), planned(story())
    unwanted = [spec for spec in specs.values() if spec.kind is RECAP]
    left = without(unwanted, list(specs.values()), told)
    assert [(spec.kind, spec.anchor, spec.after) for spec in left] == [(FOLD, "m5", ())]


def test_a_fold_that_is_asked_for_alone_holds_back_the_recaps_that_would_ask_for_the_next() -> None:
    """After one refused request 36 recaps went ahead, and 53 folds were paid for by themselves."""
    told = with_recaps(story(), "m2", "m5", "m8")
    specs = planned(told)
    recap, fold = specs["scene_recap m11"], specs["running_recap m5"]
    assert not fold.after
    assert recap.after == (fold.key,)
    alone = planned(told, replace(BOTH, folds_beside=False))
    assert not alone["scene_recap m11"].after
    # A recap that is to be made all the same waits for no fold that is not.
    left = without([fold], list(specs.values()), told)
    assert [(spec.kind, spec.anchor, spec.after) for spec in left] == [(RECAP, "m11", ())]


def test_a_plan_counts_both_as_one_request() -> None:
    told = replace(story_of(80, *range(2, 74, 3)), message_tokens=(50,) * 80)
    specs = plan(told, 1, settings(), BOTH)
    alone = catch_up_plan(told, specs, settings())
    both = catch_up_plan(told, specs, settings(), are_folds_beside=True)
    assert alone is not None
    assert both is not None
    assert (alone.scenes, alone.folds, alone.requests) == (24, 23, 47)
    # The five newest are recapped first, so that four, and the one before them, are folded in
    # alone; the first is copied.
    assert (both.scenes, both.folds, both.requests) == (24, 23, 29)
    assert both.by_kind[FOLD] == 5
    assert both.by_kind[RECAP] == 24
    assert both.tokens[RECAP] == alone.tokens[RECAP]
    assert both.prompt_tokens < alone.prompt_tokens
    assert both.operations == alone.operations
    reading = ReadingCost(50, 10, 400_000, 20_000, 10)
    whole = catch_up_plan(told, specs, settings(), reading=reading, are_folds_beside=True)
    assert whole is not None
    parts = parts_of(whole)
    assert parts[RECAPS].by_kind[FOLD] == 5
    assert parts[MEMORY].by_kind[FOLD] == 0
    assert parts[RECAPS].requests + parts[MEMORY].requests == whole.requests
