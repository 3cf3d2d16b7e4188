"""Where a model is asked for scene breaks: bounded whatever it answers, and nothing twice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.story.break_search import (
    NEAR_A_REMOVED_BREAK,
    WINDOW,
    BreakSearch,
    ScenesOfMessages,
    Searched,
    SearchRules,
)
from app.story.messages import Message, MessageKind, digest
from app.story.scenes import BreakOrigin, SceneBreak, scenes_of

Model = Callable[[BreakSearch], int | None]

RULES = SearchRules(minimum=4, offset=3, by="me")


def messages_of(length: int) -> list[Message]:
    return [
        Message(f"m{n}", digest(f"text {n}"), "Ana", f"text {n}", is_user=n % 2 == 0)
        for n in range(length)
    ]


class Search:
    """A search as the program does it, without a program around it."""

    def __init__(
        self, messages: list[Message], rules: SearchRules = RULES, *, tokens: int = 50
    ) -> None:
        self.messages = messages
        self.rules = rules
        self.tokens = tokens
        self.breaks: dict[str, SceneBreak] = {}
        self.searched: list[Searched] = []
        self.questions: list[BreakSearch] = []

    def place(self) -> ScenesOfMessages:
        tokens = [self.tokens] * len(self.messages)
        return ScenesOfMessages(self.messages, tokens, self.breaks, self.searched)

    def next(self) -> BreakSearch | None:
        place = self.place()
        for scene in scenes_of(self.messages, self.breaks):
            search = place.next_search(scene, self.rules)
            if search is not None:
                return search
        return None

    def at_most(self) -> int:
        place = self.place()
        scenes = scenes_of(self.messages, self.breaks)
        return sum(place.cost(scene, self.rules).requests_at_most for scene in scenes)

    def run(self, model: Model) -> list[int]:
        """Ask until there is nothing left to ask; the last messages of all scenes found."""
        while (search := self.next()) is not None:
            self.questions.append(search)
            assert len(self.questions) <= 2 * len(self.messages)
            found = model(search)
            if found is None:
                self.note(search)
            else:
                assert found in search.candidates
                anchor = self.messages[found].anchor
                assert anchor not in self.breaks
                self.breaks[anchor] = SceneBreak(anchor, BreakOrigin.MODEL)
        return [s.last for s in scenes_of(self.messages, self.breaks) if s.is_closed]

    def note(self, search: BreakSearch) -> None:
        place = self.place()
        places = (search.first, search.last, search.shown[0], search.shown[-1])
        first, last, shown_first, shown_last = (self.messages[i].anchor for i in places)
        digest_ = place.digest_of(search.shown)
        by, is_forced = self.rules.by, search.is_forced
        self.searched.append(Searched(first, last, shown_first, shown_last, digest_, by, is_forced))


def never(search: BreakSearch) -> int | None:
    return None


def always_first(search: BreakSearch) -> int | None:
    return search.candidates[0]


def always_last(search: BreakSearch) -> int | None:
    return search.candidates[-1]


def knows(*places: int) -> Model:
    """Answers with the first place that it may name, as the prompt asks for."""
    return lambda search: next((p for p in places if p in search.candidates), None)


@pytest.mark.parametrize("model", [never, always_first, always_last])
@pytest.mark.parametrize("length", [0, 5, 11, 60, 400])
def test_the_questions_are_bounded_whatever_is_answered(model: Model, length: int) -> None:
    search = Search(messages_of(length))
    at_most = search.at_most()
    search.run(model)
    assert len(search.questions) <= at_most
    assert len(set(search.questions)) == len(search.questions)


@settings(max_examples=60)
@given(
    length=st.integers(0, 150),
    minimum=st.integers(1, 12),
    offset=st.integers(0, 10),
    context=st.sampled_from([None, 1024, 4096, 32768]),
    tokens=st.sampled_from([0, 30, 400, 20_000]),
    data=st.data(),
)
@pytest.mark.weakness(13)
def test_any_answers_end_and_leave_scenes_of_the_minimum(
    length: int, minimum: int, offset: int, context: int | None, tokens: int, data: st.DataObject
) -> None:
    rules = SearchRules(minimum=minimum, offset=offset, context_tokens=context)
    search = Search(messages_of(length), rules, tokens=tokens)
    at_most = search.at_most()

    def model(question: BreakSearch) -> int | None:
        return data.draw(st.sampled_from([None, *question.candidates]))

    found = search.run(model)
    assert len(search.questions) <= at_most
    assert all(len(question.shown) <= WINDOW or question.is_forced for question in search.questions)
    ends = [-1, *found]
    assert all(b - a >= minimum for a, b in pairwise(ends))
    assert all(place <= length - 1 - max(1, offset) for place in found)


def test_a_model_that_knows_finds_what_is_there_from_the_first_on() -> None:
    search = Search(messages_of(130))
    places = (9, 30, 44, 90, 101)
    assert search.run(knows(*places)) == list(places)
    assert len(search.questions) < 20


def test_a_break_that_was_passed_over_is_found_by_the_search_backwards() -> None:
    search = Search(messages_of(60))
    answers = iter([20, 9])

    def model(question: BreakSearch) -> int | None:
        wanted = next(answers, None)
        return wanted if wanted in question.candidates else None

    assert search.run(model) == [9, 20]
    backwards = search.questions[1]
    assert backwards.shown[-1] == 20
    assert backwards.candidates[-1] == 16  # the scene up to 20 keeps its four messages


@pytest.mark.weakness(44)
def test_the_newest_messages_and_the_first_of_a_scene_cannot_be_chosen() -> None:
    question = Search(messages_of(20)).next()
    assert question is not None
    assert question.candidates == tuple(range(3, 17))
    assert question.shown == tuple(range(20))
    question = Search(messages_of(20), replace(RULES, offset=0)).next()
    assert question is not None
    assert question.candidates[-1] == 18  # a break has a message behind it


def test_an_open_scene_is_asked_about_when_enough_new_messages_came() -> None:
    search = Search(messages_of(20), replace(RULES, batch=4))
    search.run(never)
    assert len(search.questions) == 1
    search.messages = messages_of(23)
    assert search.next() is None
    search.messages = messages_of(24)
    question = search.next()
    assert question is not None
    assert question.candidates == (17, 18, 19, 20)


def test_an_edit_reopens_the_windows_that_showed_the_message_and_no_other() -> None:
    search = Search(messages_of(120))
    search.run(never)
    asked = len(search.questions)
    search.messages[30] = Message("m30", digest("other"), "Ana", "other", is_user=True)
    search.run(never)
    again = search.questions[asked:]
    assert again
    assert all(30 in question.shown for question in again)
    assert len(again) < asked


def test_an_undone_edit_is_not_asked_about_again() -> None:
    search = Search(messages_of(30))
    search.run(never)
    old = search.messages[10]
    search.messages[10] = Message("m10", digest("other"), "Ana", "other", is_user=True)
    assert search.next() is not None
    search.messages[10] = old
    assert search.next() is None


def test_another_model_is_asked_about_the_open_scene_only() -> None:
    search = Search(messages_of(60))
    search.run(knows(20))
    search.rules = replace(search.rules, by="another")
    question = search.next()
    assert question is not None
    assert question.first > 20


def test_a_removed_break_and_its_neighbours_cannot_be_chosen() -> None:
    search = Search(messages_of(30))
    search.breaks["m12"] = SceneBreak("m12", BreakOrigin.HAND, is_visible=False)
    found = search.run(always_first)
    near = range(12 - NEAR_A_REMOVED_BREAK, 12 + NEAR_A_REMOVED_BREAK + 1)
    assert found
    assert not set(found) & set(near)
    assert all(not set(question.candidates) & set(near) for question in search.questions)


def test_notices_empty_messages_and_unwanted_speakers_do_not_count() -> None:
    messages = messages_of(40)
    for n in (2, 3, 4):
        messages[n] = Message(f"m{n}", digest(""), "Ana", " " if n == 2 else "x")
    messages[4] = Message("m4", digest("x"), "Ana", "x", kind=MessageKind.NOTICE)
    question = Search(messages).next()
    assert question is not None
    assert question.first == 5  # 0, 1, 3 and 5 are the scene's first four
    assert not {2, 4} & set(question.shown)
    question = Search(messages, replace(RULES, speakers="user")).next()
    assert question is not None
    assert all(messages[index].is_user for index in question.shown)


def test_a_question_fits_the_context_and_a_huge_message_takes_a_part_of_it_only() -> None:
    rules = replace(RULES, context_tokens=8192, is_forcing=False)
    assert rules.room is not None
    question = Search(messages_of(100), rules, tokens=400).next()
    assert question is not None
    assert len(question.shown) * 400 <= rules.room
    question = Search(messages_of(100), rules, tokens=1_000_000).next()
    assert question is not None
    assert question.candidates


@pytest.mark.weakness(43)
def test_a_scene_that_outgrows_its_recap_is_cut_where_it_is_best_and_asked_so_once() -> None:
    rules = replace(RULES, context_tokens=8192)
    search = Search(messages_of(60), rules, tokens=400)
    assert search.run(lambda q: q.candidates[-1] if q.is_forced else None)
    forced = [question for question in search.questions if question.is_forced]
    assert forced
    assert rules.scene_room is not None
    for scene in scenes_of(search.messages, search.breaks):
        if scene.is_closed:
            assert scene.length * 400 <= rules.scene_room
    stubborn = Search(messages_of(60), rules, tokens=400)
    assert stubborn.run(never) == []
    assert sum(question.is_forced for question in stubborn.questions) == 1
    free = Search(messages_of(60), replace(rules, is_forcing=False), tokens=400)
    free.run(never)
    assert not any(question.is_forced for question in free.questions)


@pytest.mark.weakness(34)
def test_what_is_searched_costs_nothing_more() -> None:
    search = Search(messages_of(200))
    cost = search.place().cost(scenes_of(search.messages, {})[0], RULES)
    assert cost.messages == 194
    assert cost.requests < 50
    search.run(never)
    assert search.at_most() == 0


def test_a_few_new_messages_of_a_long_scene_are_said_to_take_few_requests() -> None:
    """It was said of 15 messages that they take 122 requests at most, since all of the scene was
    counted, most of which had been searched before.
    """
    search = Search(messages_of(100))
    search.run(never)
    search.messages = messages_of(115)
    place = search.place()
    (scene,) = scenes_of(search.messages, search.breaks)
    cost = place.cost(scene, search.rules)
    assert cost.messages == 15
    assert cost.requests_at_most <= 2 * cost.messages
    asked = len(search.questions)
    search.run(always_last)
    assert len(search.questions) - asked <= cost.requests_at_most
