"""Which searches for scene breaks are planned, by settings and by what happened."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from app.core.operations import PRIORITY_ASKED, OperationKind, OperationSpec
from app.settings.values import REGISTRY
from app.story.break_search import ScenesOfMessages, Searched
from app.story.messages import Message, digest
from app.story.recaps import RunningRecap, RunningVersion
from app.story.scenes import BreakOrigin, SceneBreak, scenes_of
from app.story.story import ChatKind, ChatRef, Story
from app.work.planning.break_planner import (
    PRIORITY_SEARCH,
    SearchExtent,
    SearchState,
    search_cost,
    search_of,
    search_specs,
    searcher,
)
from app.work.planning.planner import PRIORITY_FOLD, plan
from app.work.planning.writing import Writing

WRITING = Writing("openai:m@http://127.0.0.1:1", "1", is_free=False)
NEWS = SearchState(has_news=True)
WANTED = SearchState(is_wanted=True)


def settings(**values: Any) -> dict[str, Any]:
    defaults = {name: setting.default for name, setting in REGISTRY.items()}
    return defaults | {"scene_detector": "model"} | values


def story_of(length: int, **origins: BreakOrigin) -> Story:
    """A story with breaks at these messages: m20=BreakOrigin.MODEL."""
    messages = tuple(
        Message(f"m{n}", digest(f"text {n}"), "Name", f"text {n}") for n in range(length)
    )
    marks = {anchor: SceneBreak(anchor, origin) for anchor, origin in origins.items()}
    return Story(
        ChatRef(path=None, kind=ChatKind.FILE, title="chat"),  # type: ignore[arg-type]
        messages=messages,
        breaks=marks,
        scenes=scenes_of(messages, marks),
        message_tokens=(50,) * length,
    )


def planned(
    story: Story, state: SearchState = NEWS, writing: Writing = WRITING, **values: Any
) -> tuple[OperationSpec, ...]:
    return search_specs(story, 1, settings(**values), writing, state)


def searched(story: Story, spec: OperationSpec) -> Searched:
    """What is kept when this operation found nothing."""
    place = ScenesOfMessages(story.messages, story.message_tokens, story.breaks, ())
    search = search_of(place, spec)
    assert search is not None
    first, last = spec.params["eligible"]
    shown_first, shown_last = spec.params["shown"]
    digest_ = place.digest_of(search.shown)
    return Searched(first, last, shown_first, shown_last, digest_, searcher(WRITING))


@pytest.mark.parametrize(
    ("state", "values", "is_searched"),
    [
        (SearchState(), {}, False),
        (NEWS, {}, True),
        (NEWS, {"scene_breaks_on_new_message": False}, False),
        (SearchState(), {"scene_breaks_on_load": True}, True),
        (NEWS, {"scene_detector": "heuristic"}, False),
        (NEWS, {"scene_breaks_auto": False}, False),
        (WANTED, {"scene_detector": "heuristic", "scene_breaks_auto": False}, True),
    ],
)
def test_a_model_is_asked_only_when_something_calls_for_it(
    state: SearchState, values: dict[str, Any], is_searched: bool
) -> None:
    assert bool(planned(story_of(40), state, **values)) == is_searched


def test_without_a_model_nothing_is_asked_and_nothing_is_said_to_cost() -> None:
    free = replace(WRITING, spec="builtin", is_free=True)
    assert planned(story_of(40), WANTED, free) == ()
    cost = search_cost(story_of(40), settings(), free, WANTED, SearchExtent.ALL)
    assert cost.requests == 0


def test_unasked_only_the_open_scene_is_searched_and_what_a_search_has_closed() -> None:
    story = story_of(60, m20=BreakOrigin.HAND, m40=BreakOrigin.MODEL)
    assert [spec.params["shown"] for spec in planned(story)] == [["m21", "m40"], ["m41", "m59"]]
    wanted = planned(story, WANTED)
    assert [spec.params["shown"][0] for spec in wanted] == ["m0", "m21", "m41"]


def test_what_the_running_recap_tells_of_is_not_searched_unasked() -> None:
    story = story_of(60, m20=BreakOrigin.MODEL, m40=BreakOrigin.MODEL)
    version = RunningVersion(0, "content", 1, "", "m20", "model", 1.0)
    story = replace(story, running=RunningRecap((version,), 0))
    assert [spec.params["shown"][0] for spec in planned(story)] == ["m21", "m41"]


def test_with_both_ways_only_long_stretches_are_searched() -> None:
    story = story_of(70, m20=BreakOrigin.HEURISTIC)
    short = story_of(45, m20=BreakOrigin.HEURISTIC)
    assert len(planned(story, scene_detector="both")) == 1
    assert planned(short, scene_detector="both") == ()
    assert len(planned(short, scene_detector="both", scene_break_stretch=20)) == 1


def test_a_search_goes_before_recaps_and_one_that_the_user_asked_for_before_all() -> None:
    story = story_of(60, m20=BreakOrigin.MODEL)
    (first, _) = planned(story)
    assert first.kind is OperationKind.DETECT_BREAKS
    recaps = plan(story, 1, settings(), WRITING)
    assert first.priority == PRIORITY_SEARCH > PRIORITY_FOLD > max(s.priority for s in recaps)
    assert planned(story, WANTED)[0].priority == PRIORITY_ASKED


def test_the_same_question_has_the_same_key_in_every_chat_and_another_for_another_model() -> None:
    story = story_of(40)
    (spec,) = planned(story)
    (again,) = search_specs(story, 2, settings(), WRITING, NEWS)
    (other,) = planned(story, writing=replace(WRITING, prompt_version="2"))
    assert spec.key == again.key != other.key
    edited = list(story.messages)
    edited[5] = Message("m5", digest("other"), "Name", "other")
    (changed,) = planned(replace(story, messages=tuple(edited)))
    assert changed.key != spec.key


def test_an_operation_is_bound_to_anchors_and_gone_with_them() -> None:
    story = story_of(40)
    (spec,) = planned(story)
    before = Message("new", digest("new"), "Name", "new")
    moved = replace(story, messages=(before, *story.messages), message_tokens=(50,) * 41)
    place = ScenesOfMessages(moved.messages, moved.message_tokens, {}, ())
    search = search_of(place, spec)
    assert search is not None
    assert search.shown[0] == 1
    end = story.messages.index(next(m for m in story.messages if m.anchor == spec.anchor))
    cut = story.messages[:end]
    assert search_of(ScenesOfMessages(cut, (50,) * end, {}, ()), spec) is None


def test_what_was_searched_is_planned_no_more() -> None:
    story = story_of(50)
    rows: list[Searched] = []
    while specs := planned(story, SearchState(rows, has_news=True)):
        rows.append(searched(story, specs[0]))
    assert len(rows) == 2
    cost = search_cost(story, settings(), WRITING, SearchState(rows, has_news=True))
    assert cost.requests == 0


@pytest.mark.weakness(44)
def test_an_offset_of_none_and_a_minimum_are_asked_with_as_they_are_set() -> None:
    """The extension took 0 for 2, and knew three defaults of the minimum."""
    (spec,) = planned(story_of(30), scene_break_offset=0, scene_minimum_length=7)
    search = search_of(ScenesOfMessages(story_of(30).messages, (50,) * 30, {}, ()), spec)
    assert search is not None
    assert (search.candidates[0], search.candidates[-1]) == (6, 28)
