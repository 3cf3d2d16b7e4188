"""Which stretches a model is asked about, and which marks it may take away."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from app.story.break_search import ScenesOfMessages, Searched, SearchRules
from app.story.doubtful_breaks import (
    ASKED,
    LEAST,
    NEXT_TO,
    STRETCH,
    SURE,
    Asked,
    asked,
    cost_of_stretches,
    is_next_to_a_break,
    next_stretch,
    refuted,
    unasked,
)
from app.story.messages import Message, digest
from app.story.recaps import RunningRecap, RunningVersion
from app.story.scenes import BreakOrigin, SceneBreak, scenes_of
from app.story.story import ChatKind, ChatRef, Story

RULES = SearchRules(minimum=3, offset=8)
WEAK, STRONG = SURE - 0.1, SURE + 0.05


def story_of(length: int, *marks: SceneBreak) -> Story:
    messages = tuple(Message(f"m{n}", digest(str(n)), "Ann", f"text {n}") for n in range(length))
    breaks = {mark.anchor: mark for mark in marks}
    return Story(
        ChatRef(Path("chat.jsonl"), ChatKind.FILE, "chat"),
        messages=messages,
        breaks=breaks,
        scenes=scenes_of(messages, breaks),
        message_tokens=(50,) * length,
    )


def found(anchor: str, confidence: float = WEAK) -> SceneBreak:
    return SceneBreak(anchor, BreakOrigin.HEURISTIC, "place", confidence)


def place_of(story: Story) -> ScenesOfMessages:
    return ScenesOfMessages(story.messages, story.message_tokens, story.breaks, ())


def row(first: int, last: int) -> Searched:
    return Searched(f"m{first}", f"m{last}", f"m{first}", f"m{last}", "digest", f"{ASKED}:me")


def test_a_stretch_begins_just_before_the_first_doubt_and_asks_about_many_messages() -> None:
    story = story_of(200, found("m40"))
    search = next_stretch(place_of(story), story, {"m40"}, Asked(), RULES)
    assert search is not None
    assert search.takes_several
    assert search.first <= 40
    assert search.first > 30
    assert search.last - search.first + 1 == STRETCH
    assert search.shown[0] < search.first
    assert search.shown[-1] > search.last


def test_without_doubt_or_with_too_few_messages_there_is_no_question() -> None:
    story = story_of(200)
    assert next_stretch(place_of(story), story, set(), Asked(), RULES) is None
    short = story_of(LEAST + 7, found("m5"))
    assert next_stretch(place_of(short), short, {"m5"}, Asked(), RULES) is None


def test_what_is_sure_and_what_lies_beside_it_may_not_be_chosen() -> None:
    story = story_of(100, found("m20"), found("m40", STRONG), SceneBreak("m50", BreakOrigin.HAND))
    search = next_stretch(place_of(story), story, {"m20"}, Asked(), RULES)
    assert search is not None
    assert 20 in search.candidates
    assert not {38, 39, 40, 41, 42, 48, 50, 52} & set(search.candidates)
    assert {37, 43, 47, 53} <= set(search.candidates)


def test_the_count_of_questions_is_bound_by_the_messages_there_are() -> None:
    story = story_of(110)
    done = asked(story, [row(10, 20), row(21, 30), replace(row(40, 50), by="another")])
    assert (done.count, done.until) == (2, 30)
    assert unasked(story, done, RULES)
    assert not unasked(story, Asked(3, 30), RULES)
    assert cost_of_stretches(story, done, RULES).requests == 1
    assert cost_of_stretches(story, Asked(3, 30), RULES).requests == 0


def test_what_lies_before_the_first_doubt_is_not_asked_about_and_costs_nothing() -> None:
    """Two requests were offered for the one question that a chat of 70 messages had."""
    story = story_of(70, found("m33"))
    assert cost_of_stretches(story, Asked(), RULES).requests == 2
    doubts = frozenset({"m33"})
    search = next_stretch(place_of(story), story, doubts, Asked(), RULES)
    assert search is not None
    cost = cost_of_stretches(story, Asked(), RULES, doubts)
    assert (cost.requests, cost.messages) == (1, search.last - search.first + 1)


def test_scenes_that_came_with_the_chat_are_left_alone() -> None:
    story = story_of(110, SceneBreak("m60", BreakOrigin.IMPORT))
    assert unasked(story, asked(story, []), RULES)[0] == 61


def test_a_stretch_is_not_asked_about_again_where_its_last_message_is_gone() -> None:
    """A branch asked anew, and cut scenes in two whose recaps were paid for."""
    short = story_of(60, found("m20"))
    gone = row(15, 62)
    assert asked(short, [gone]) == Asked(1, 59)
    longer = story_of(120, found("m20"))
    assert asked(longer, [replace(row(15, 62), last="deleted")]) == Asked(1, 14 + STRETCH)
    assert asked(longer, [replace(gone, first="deleted", last="deleted")]) == Asked(1, -1)


def test_only_doubtful_marks_that_were_asked_about_and_not_named_are_refuted() -> None:
    story = story_of(
        120,
        found("m12"),
        found("m20"),
        found("m30", STRONG),
        replace(found("m36"), is_named=True, name="Mine"),
        SceneBreak("m42", BreakOrigin.HAND),
        SceneBreak("m46", BreakOrigin.MODEL),
        found("m52"),
        found("m90"),
    )
    search = next_stretch(place_of(story), story, {"m12"}, Asked(), RULES)
    assert search is not None
    assert search.last < 90
    gone = refuted(story, story.breaks, search, [21], covered=-1)
    assert {mark.anchor for mark in gone} == {"m12", "m52"}
    told = refuted(story, story.breaks, search, [21], covered=12)
    assert {mark.anchor for mark in told} == {"m52"}


def test_a_place_beside_a_break_that_is_seen_is_next_to_it() -> None:
    hidden = replace(found("m20"), is_visible=False)
    story = story_of(40, found("m10"), hidden)
    near = [n for n in range(40) if is_next_to_a_break(story, story.breaks, n)]
    assert near == [*range(10 - NEXT_TO, 10 + NEXT_TO + 1)]
    assert is_next_to_a_break(story_of(1, found("m0")), {"m0": found("m0")}, 0)


def test_what_the_running_recap_tells_is_asked_about_no_more() -> None:
    """A scene that was recapped and told was cut in two, and kept the recap of the whole."""
    folded = RunningRecap((RunningVersion(1, "They met.", 1, "m0", "m50", "model", 0),), 1)
    story = replace(story_of(200, found("m40"), found("m90")), running=folded)
    assert unasked(story, Asked(), RULES)[0] == 51
    search = next_stretch(place_of(story), story, {"m40", "m90"}, Asked(), RULES)
    assert search is not None
    assert 50 < search.first <= 90
    cost = cost_of_stretches(story, Asked(), RULES)
    assert cost.messages == len(unasked(story, Asked(), RULES))
