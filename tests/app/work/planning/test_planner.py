"""The planner: what a story lacks, and never what it has."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from msgspec import structs

from app.core.operations import OperationKind, OperationSpec
from app.settings.values import REGISTRY
from app.story.messages import Absence, Message, MessageKind, MessageRecap, digest
from app.story.recaps import RunningRecap, RunningVersion, SceneRecap
from app.story.scenes import BreakOrigin, SceneBreak, scene_digest, scenes_of
from app.story.story import ChatKind, ChatRef, Story
from app.views.catch_up import CatchUpPlan
from app.work.planning.catch_up import catch_up_plan
from app.work.planning.folding import covered_until, fold_base, scenes_let_go, scenes_to_fold
from app.work.planning.message_recap_planner import missing_recaps
from app.work.planning.planner import plan, recapped_messages
from app.work.planning.writing import Writing

WRITING = Writing("openai:m@http://127.0.0.1:1", "1", is_free=False)


def settings(**values: Any) -> dict[str, Any]:
    return {name: setting.default for name, setting in REGISTRY.items()} | values


def story_of(length: int, *breaks: int) -> Story:
    messages = tuple(
        Message(f"m{n}", digest(f"text {n}"), "Name", f"text {n}") for n in range(length)
    )
    marks = {f"m{n}": SceneBreak(f"m{n}", BreakOrigin.HAND) for n in breaks}
    return Story(
        ChatRef(path=None, kind=ChatKind.FILE, title="chat"),  # type: ignore[arg-type]
        messages=messages,
        breaks=marks,
        scenes=scenes_of(messages, marks),
    )


def with_recaps(story: Story, *anchors: str, made_by: str = "model") -> Story:
    recaps = dict(story.recaps)
    for scene in story.scenes:
        if scene.closing is not None and scene.closing.anchor in anchors:
            source = scene_digest(recapped_messages(story.messages, scene))
            anchor = scene.closing.anchor
            recaps[anchor] = (SceneRecap(anchor, 0, "Name", f"recap {anchor}", source, made_by, 1),)
    return replace(story, recaps=recaps)


def with_versions(story: Story, *last: str, current: int | None = None) -> Story:
    versions = tuple(
        RunningVersion(n, f"content {n}", n + 1, "", anchor, "model", 1.0)
        for n, anchor in enumerate(last)
    )
    chosen = len(versions) - 1 if current is None else current
    return replace(story, running=RunningRecap(versions, chosen))


def planned(story: Story, **values: Any) -> list[OperationSpec]:
    return list(plan(story, 1, settings(**values), WRITING))


def kinds(specs: list[OperationSpec]) -> list[tuple[str, str]]:
    return [(spec.kind.value, spec.anchor) for spec in specs]


def test_every_closed_scene_without_a_recap_gets_one_and_the_open_one_none() -> None:
    assert kinds(planned(story_of(10, 2, 5))) == [("scene_recap", "m2"), ("scene_recap", "m5")]


def test_of_a_backlog_the_newest_scenes_come_first_and_what_is_folded_before_the_rest() -> None:
    story = story_of(80, *range(2, 74, 3))
    specs = sorted(planned(story), key=lambda spec: -spec.priority)
    newest = ["m71", "m68", "m65", "m62", "m59"]
    assert [spec.anchor for spec in specs] == [*newest, *(f"m{n}" for n in range(2, 58, 3))]
    assert [s.anchor for s in planned(story, scenes_shown=1)][:2] == ["m71", "m2"]
    held = sorted(plan(story, 1, settings(), WRITING, held_from=61), key=lambda s: -s.priority)
    unheld = [f"m{n}" for n in (62, 59, 56, 53, 50)]
    assert [spec.anchor for spec in held][:6] == [*unheld, "m2"]
    folding = planned(with_recaps(story, *newest, "m2"))
    first = max(folding, key=lambda spec: spec.priority)
    assert (first.kind, first.anchor) == (OperationKind.RUNNING_RECAP, "m2")


def test_a_short_backlog_is_recapped_in_the_order_of_the_story() -> None:
    specs = sorted(planned(story_of(40, *range(2, 32, 3))), key=lambda spec: -spec.priority)
    assert [spec.anchor for spec in specs] == [f"m{n}" for n in range(2, 32, 3)]


@pytest.mark.pitfall(34)
@pytest.mark.weakness(21)
def test_each_scene_is_recapped_from_its_own_messages_alone() -> None:
    """Spec §23: after a break the next scene began with the chat."""
    story = story_of(8, 2, 5)
    made_from = [recapped_messages(story.messages, scene) for scene in story.scenes]
    assert [[message.anchor for message in messages] for messages in made_from] == [
        ["m0", "m1", "m2"],
        ["m3", "m4", "m5"],
        ["m6", "m7"],
    ]


@pytest.mark.weakness(18)
def test_the_newest_closed_scene_stays_out_of_the_running_recap() -> None:
    story = with_recaps(story_of(10, 2, 5), "m2", "m5")
    assert kinds(planned(story)) == [("running_recap", "m2")]
    story = with_versions(story, "m2")
    assert planned(story) == []
    assert kinds(planned(story, running_recap_leave_out=0)) == [("running_recap", "m5")]


def test_scenes_are_folded_one_after_the_other() -> None:
    story = with_recaps(story_of(20, 2, 5, 8, 11), "m2", "m8", "m11")
    assert ("running_recap", "m2") in kinds(planned(story))
    story = with_versions(story, "m2")
    # Scene 2 has no recap yet: scene 3 must not be folded in before it.
    assert kinds(planned(story)) == [("scene_recap", "m5")]


def test_a_scene_whose_version_was_deleted_is_told_before_the_next_one() -> None:
    anchors = ("m2", "m5", "m8")
    story = with_recaps(story_of(20, 2, 5, 8), *anchors)
    story = with_versions(story, "m2")
    story = replace(story, running=replace(story.running, forgone=frozenset({"m5"})))
    assert planned(story) == []  # nothing comes back by itself
    both = settings(running_recap_leave_out=0)
    assert kinds(planned(story, running_recap_leave_out=0)) == [("running_recap", "m5")]
    assert [scene.last for scene in scenes_to_fold(story, both)] == [5, 8]
    told = with_versions(story, "m2", "m5")
    assert [scene.last for scene in scenes_to_fold(told, both)] == [8]


def test_an_edit_in_a_scene_that_is_folded_in_costs_nothing_unasked() -> None:
    story = with_versions(with_recaps(story_of(10, 2, 5), "m2", "m5"), "m2")
    edited = list(story.messages)
    edited[1] = Message("m1", digest("other"), "Name", "other")
    assert planned(replace(story, messages=tuple(edited))) == []


def test_an_edit_in_a_scene_not_folded_in_yet_writes_its_recap_anew() -> None:
    story = with_versions(with_recaps(story_of(10, 2, 5), "m2", "m5"), "m2")
    edited = list(story.messages)
    edited[4] = Message("m4", digest("other"), "Name", "other")
    assert kinds(planned(replace(story, messages=tuple(edited)))) == [("scene_recap", "m5")]


def test_a_recap_by_hand_is_never_replaced_unasked() -> None:
    story = with_recaps(story_of(10, 2, 5), "m2", "m5", made_by="you")
    edited = list(story.messages)
    edited[4] = Message("m4", digest("other"), "Name", "other")
    specs = planned(replace(story, messages=tuple(edited)))
    assert ("scene_recap", "m5") not in kinds(specs)


def test_the_same_inputs_have_the_same_key_in_every_chat() -> None:
    first = plan(story_of(10, 2), 1, settings(), WRITING)[0]
    second = plan(story_of(40, 2, 20), 2, settings(), WRITING)[0]
    other_model = plan(story_of(10, 2), 1, settings(), replace(WRITING, spec="builtin"))[0]
    assert first.key == second.key != other_model.key


def test_a_version_behind_the_end_of_a_branch_does_not_count() -> None:
    story = with_recaps(with_versions(story_of(10, 2, 5), "m2", "m99"), "m2", "m5")
    assert covered_until(story) == 2
    base = fold_base(story, 3)
    assert base is not None
    assert base.last_anchor == "m2"


@pytest.mark.weakness(19)
def test_a_fold_builds_on_the_chosen_version_where_two_reach_equally_far() -> None:
    story = with_versions(story_of(10, 2, 5), "m2", "m2", current=0)
    base = fold_base(story, 3)
    assert base is not None
    assert base.version == 0
    story = with_versions(story_of(20, 2, 5, 8), "m2", "m5", current=0)
    base = fold_base(story, 6)
    assert base is not None
    assert base.version == 1


def test_what_follows_a_version_that_the_user_chose_is_built_on_it() -> None:
    anchors = ("m2", "m5", "m8")
    story = with_recaps(story_of(20, 2, 5, 8), *anchors)
    both = settings(running_recap_leave_out=0)
    story = with_versions(story, "m2", "m5", "m8", current=0)
    assert scenes_to_fold(story, both) == ()  # to look back costs nothing
    assert [scene.last for scene in scenes_let_go(story, both)] == [5, 8]
    longer = with_recaps(with_versions(story_of(20, 2, 5, 8, 11), *anchors, current=0), "m11")
    assert [scene.last for scene in scenes_to_fold(longer, both)] == [5, 8, 11]
    longer = with_versions(longer, *anchors, "m5", current=3)
    assert [scene.last for scene in scenes_to_fold(longer, both)] == [8, 11]
    base = fold_base(longer, 6)
    assert base is not None
    assert base.version == 3


@pytest.mark.weakness(19)
def test_a_scene_that_is_folded_again_builds_on_what_stood_before_it() -> None:
    story = with_recaps(with_versions(story_of(20, 2, 5, 8), "m2", "m5", "m8"), "m2", "m5", "m8")
    base = fold_base(story, before=4)
    assert base is not None
    assert base.last_anchor == "m2"
    assert fold_base(story, before=1) is None


def test_notices_and_empty_messages_are_no_scene() -> None:
    story = story_of(6, 2)
    messages = list(story.messages)
    for n in range(3):
        messages[n] = Message(f"m{n}", digest(""), "Name", "  ", kind=MessageKind.NOTICE)
    assert planned(replace(story, messages=tuple(messages))) == []


def test_message_recaps_are_planned_only_where_they_are_free() -> None:
    story = story_of(5)
    free = replace(WRITING, spec="builtin", is_free=True)
    assert plan(story, 1, settings(), WRITING) == ()
    (spec,) = plan(story, 1, settings(), free)
    # The trailing reply may still be swiped.
    assert spec.params["anchors"] == ["m3", "m2", "m1", "m0"]
    recaps = {
        f"m{n}": MessageRecap(text="recap", source_hash=story.messages[n].content_hash)
        for n in range(4)
    }
    assert plan(replace(story, message_recaps=recaps), 1, settings(), free) == ()
    source = story.messages[1].content_hash
    recaps["m1"] = MessageRecap(source_hash=source, absence=Absence.NOTHING)
    assert plan(replace(story, message_recaps=recaps), 1, settings(), free) == ()
    recaps["m1"] = MessageRecap(text="recap", source_hash="of another text")
    (spec,) = plan(replace(story, message_recaps=recaps), 1, settings(), free)
    assert spec.params["anchors"] == ["m1"]


def test_with_a_model_messages_are_recapped_one_by_one_on_wish_only_and_newest_first() -> None:
    story = story_of(6)
    assert planned(story) == []
    specs = planned(story, message_recaps_model=True, message_recap_delay=2, message_recap_limit=3)
    assert [spec.params["anchors"] for spec in specs] == [["m3"], ["m2"], ["m1"]]
    assert planned(story, message_recaps_model=True, message_recap_batch=6) == []
    recaps = {"m4": MessageRecap(text="recap", source_hash="of another text")}
    story = replace(story, message_recaps=recaps)
    wanted = {"message_recaps_model": True, "message_recap_limit": 1}
    assert [spec.anchor for spec in planned(story, **wanted)] == ["m4"]
    assert planned(story, **wanted, message_recap_again=False) == []
    recaps["m4"] = MessageRecap(text="mine", source_hash="of another text", is_edited=True)
    assert planned(replace(story, message_recaps=recaps), **wanted) == []


def test_an_edit_and_a_swipe_are_two_reasons_to_write_a_recap_anew() -> None:
    story = story_of(4)
    wanted = {"message_recaps_model": True, "message_recap_limit": 1}
    recap = MessageRecap("recap", source_hash="of another text", swipe=0)
    for swipe, name in ((0, "message_recap_again"), (1, "message_recap_on_swipe")):
        shown = structs.replace(story.messages[2], swipe=swipe, swipes=swipe + 1)
        messages = (*story.messages[:2], shown, story.messages[3])
        told = replace(story, messages=messages, message_recaps={"m2": recap})
        other = {"message_recap_again", "message_recap_on_swipe"} - {name}
        assert [spec.anchor for spec in planned(told, **wanted)] == ["m2"]
        assert planned(told, **wanted, **dict.fromkeys(other, False)) != []
        assert planned(told, **wanted, **{name: False}) == []


def test_a_recap_is_written_for_another_swipe_only_where_the_one_before_had_one() -> None:
    story = story_of(4)
    wanted = {"message_recaps_model": True, "message_recap_limit": 1}
    shown = structs.replace(story.messages[2], swipe=1, swipes=2)
    story = replace(story, messages=(*story.messages[:2], shown, story.messages[3]))
    removed = MessageRecap(source_hash="of another text", absence=Absence.REMOVED)
    assert planned(replace(story, message_recaps={"m2": removed}), **wanted) == []
    looked_at = structs.replace(removed, absence=Absence.NOTHING)
    told = replace(story, message_recaps={"m2": looked_at})
    assert [spec.anchor for spec in planned(told, **wanted)] == ["m2"]


def test_nobody_pays_for_a_recap_that_would_not_count() -> None:
    story = replace(story_of(6), message_tokens=(9, 9, 9, 2, 9, 9))
    messages = list(story.messages)
    messages[0] = structs.replace(messages[0], is_user=True)
    messages[1] = structs.replace(messages[1], kind=MessageKind.THOUGHT)
    messages[2] = structs.replace(messages[2], name="Tobias")
    story = replace(story, messages=tuple(messages))
    wanted: dict[str, Any] = {"message_recaps_model": True, "include_user_messages": False}
    wanted |= {"left_out": "Bob, Tobias", "inclusion_minimum_tokens": 3}
    assert [spec.anchor for spec in planned(story, **wanted)] == ["m4"]
    assert [m.anchor for m in missing_recaps(story, settings(**wanted))] == ["m4", "m5"]


def two_voices() -> Story:
    story = story_of(6, 2, 4)
    spoken = tuple(structs.replace(m, is_user=n % 2 == 0) for n, m in enumerate(story.messages[:5]))
    return replace(story, messages=(*spoken, story.messages[5]))


def test_a_scene_recap_is_made_from_the_messages_that_are_wanted() -> None:
    story = two_voices()
    scene = story.scenes[0]

    def wanted(speakers: str) -> list[str]:
        return [m.anchor for m in recapped_messages(story.messages, scene, speakers)]

    assert wanted("both") == ["m0", "m1", "m2"]
    assert wanted("user") == ["m0", "m2"]
    assert wanted("character") == ["m1"]


def test_a_scene_in_which_nobody_wanted_speaks_is_read_whole() -> None:
    story = two_voices()
    silent = replace(
        story, messages=tuple(structs.replace(m, is_user=True) for m in story.messages)
    )
    both = recapped_messages(silent.messages, silent.scenes[0])
    assert recapped_messages(silent.messages, silent.scenes[0], "character") == both


def test_whose_messages_count_is_part_of_what_a_recap_is_of() -> None:
    story = with_recaps(two_voices(), "m2", "m4")
    assert not [s for s in planned(story) if s.kind.value == "scene_recap"]
    again = planned(story, scene_recap_messages="user")
    assert [s.anchor for s in again if s.kind.value == "scene_recap"] == ["m2", "m4"]
    keys = {
        next(iter(planned(two_voices(), scene_recap_messages=whose))).key
        for whose in ("both", "user", "character")
    }
    assert len(keys) == 3


def test_making_recaps_in_stages_is_other_work_and_nothing_without_a_model() -> None:
    story = story_of(6, 2)
    (one,), (staged,) = planned(story), planned(story, scene_recap_form="staged")
    assert one.key != staged.key
    assert (one.params["staged"], staged.params["staged"]) == (False, True)
    prompts = replace(WRITING, versions={"staged_recap": "2"})
    (other,) = plan(story, 1, settings(scene_recap_form="staged"), prompts)
    assert other.key != staged.key
    (unstaged,) = plan(story, 1, settings(), prompts)
    assert unstaged.key == one.key
    free = replace(WRITING, is_free=True)
    off = {"message_recaps_auto": False}
    assert plan(story, 1, settings(scene_recap_form="staged", **off), free) == plan(
        story, 1, settings(**off), free
    )


def test_a_backlog_in_stages_says_the_requests_that_it_may_take() -> None:
    story = replace(story_of(12, 2, 5, 8), message_tokens=(100,) * 12)

    def cost(form: str) -> CatchUpPlan:
        values = settings(scene_recap_form=form)
        found = catch_up_plan(story, plan(story, 1, values, WRITING), values)
        assert found is not None
        return found

    one, staged = cost("one"), cost("staged")
    assert (one.requests, staged.requests) == (3 + 2, 3 * 4 + 2)
    assert staged.prompt_tokens > one.prompt_tokens
    assert staged.output_tokens > one.output_tokens


FREE = Writing("builtin", "extractive-1", is_free=True)


def versions(*made_by: str, retired: int = 0) -> RunningRecap:
    """Of the scenes that end at m2, m5 and so on; the last ones retired."""
    count = len(made_by)
    return RunningRecap(
        tuple(
            RunningVersion(n, f"content {n}", n + 1, "", f"m{3 * n + 2}", maker, 1.0)
            if n < count - retired
            else RunningVersion(
                n, f"content {n}", n + 1, "", f"m{3 * n + 2}", maker, 1.0, is_retired=True
            )
            for n, maker in enumerate(made_by)
        ),
        count - 1,
    )


@pytest.mark.parametrize(
    ("made_by", "is_folded"),
    [
        (("model",), False),
        (("model", "built-in, in place of model"), False),
        (("model", "you"), False),
        (("ST-Auto-Recap",), False),
        (("built-in",), True),
        (("built-in", "you"), True),
        (("you",), True),
        ((), True),
    ],
)
@pytest.mark.real_model(11)
def test_nothing_built_in_is_put_upon_a_models_running_recap_unasked(
    made_by: tuple[str, ...], is_folded: bool
) -> None:
    story = with_recaps(story_of(14, 2, 5, 8, 11), "m2", "m5", "m8", "m11", made_by="built-in")
    story = replace(story, running=versions(*made_by))
    folds = [s for s in plan(story, 1, settings(), FREE) if s.kind is OperationKind.RUNNING_RECAP]
    assert bool(folds) is is_folded
    with_model = plan(story, 1, settings(), WRITING)
    assert any(spec.kind is OperationKind.RUNNING_RECAP for spec in with_model)


def test_whoever_has_it_rebuilt_without_a_model_gets_it_from_there_on() -> None:
    story = with_recaps(story_of(14, 2, 5, 8, 11), "m2", "m5", "m8", "m11", made_by="built-in")
    story = replace(story, running=versions("model", "model", "model", retired=2))
    assert [spec.anchor for spec in plan(story, 1, settings(), FREE)][:1] == ["m5"]


@pytest.mark.real_model(11)
def test_a_models_recap_of_an_edited_scene_stays_where_there_is_no_model() -> None:
    story = with_recaps(story_of(10, 2, 5), "m2", "m5")
    edited = list(story.messages)
    edited[4] = Message("m4", digest("other"), "Name", "other")
    story = replace(story, messages=tuple(edited))
    off = settings(message_recaps_auto=False)
    scene_recaps = {"scene_recap"}
    assert not scene_recaps & {spec.kind.value for spec in plan(story, 1, off, FREE)}
    assert scene_recaps & {spec.kind.value for spec in plan(story, 1, off, WRITING)}


def test_the_bounds_of_a_recap_are_part_of_the_work_and_never_contradict_each_other() -> None:
    story = story_of(10, 2)
    (one,), (other,) = planned(story), planned(story, scene_recap_most=700)
    assert one.key != other.key
    (long,) = planned(story, scene_recap_tokens=900)
    assert (long.params["tokens"], long.params["most"]) == (900, 900)
