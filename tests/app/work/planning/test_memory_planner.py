"""How much of a chat one reading for its memory takes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from msgspec import structs

from app.settings.values import REGISTRY
from app.story.messages import Message, digest
from app.story.story import ChatKind, ChatRef, Story
from app.work.planning.memory_planner import (
    CATCH_UP_MESSAGES,
    MOST_SHORT,
    Reading,
    next_pass,
    pass_window,
    reading_cost,
)
from app.work.planning.writing import Writing

WRITING = Writing("openai:m@http://127.0.0.1:1", "1", is_free=False, context_tokens=32_000)
SETTINGS = {name: setting.default for name, setting in REGISTRY.items()}


def story_of(count: int, tokens: int) -> Story:
    """So many messages of so many tokens each."""
    messages = tuple(
        Message(f"m{n}", digest(str(n)), "Ana", f"Text {n}.", is_user=n % 2 == 0)
        for n in range(count)
    )
    chat = ChatRef(path=None, kind=ChatKind.FILE, title="chat")  # type: ignore[arg-type]
    return Story(chat, messages=messages, message_tokens=(tokens,) * count)


@pytest.mark.parametrize(("tokens", "count"), [(150, 20), (75, 20), (50, 30), (10, MOST_SHORT)])
def test_of_short_messages_one_request_reads_more(tokens: int, count: int) -> None:
    """Twenty of thirty tokens each were paid for with seven thousand."""
    story = story_of(200, tokens)
    spec = next_pass(story, 1, SETTINGS, WRITING, Reading(is_whole=True))
    assert spec is not None
    assert len(spec.params["anchors"]) == count
    cost = reading_cost(story, SETTINGS, WRITING, Reading(is_whole=True))
    assert cost.passes == -(-200 // count)


def test_of_messages_that_nobody_counted_it_reads_no_more() -> None:
    story = replace(story_of(200, 10), message_tokens=())
    spec = next_pass(story, 1, SETTINGS, WRITING, Reading(is_whole=True))
    assert spec is not None
    assert len(spec.params["anchors"]) == CATCH_UP_MESSAGES


def test_a_reply_that_may_still_be_swiped_waits_and_is_counted_apart() -> None:
    story = story_of(22, 50)  # the user speaks first
    cost = reading_cost(story, SETTINGS, WRITING, Reading())
    assert (cost.messages, cost.last, cost.waiting) == (21, 20, 1)
    assert reading_cost(story, SETTINGS, WRITING, Reading(is_whole=True)).waiting == 0


@pytest.mark.parametrize(("tokens", "before"), [(20, 4), (75, 4), (100, 3), (150, 2), (900, 2)])
def test_of_long_messages_fewer_are_shown_that_were_read_before(tokens: int, before: int) -> None:
    story = story_of(40, tokens)
    text = "word " * (tokens * 4 // 5)
    long = replace(story, messages=tuple(structs.replace(m, text=text) for m in story.messages))
    window = pass_window(long, 1, SETTINGS, WRITING, range(20, 28))
    assert (window.new_from, len(window.messages)) == (before + 1, before + 8)
    first = pass_window(long, 1, SETTINGS, WRITING, range(1, 8))
    assert (first.new_from, len(first.messages)) == (2, 8)
