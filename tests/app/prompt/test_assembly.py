"""The running recap's slot: literal frame, budget with frame counted, no future of a branch."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.llm.tokenizer import counter_for
from app.prompt.choosing.framing import framed, shortened
from app.prompt.material import Means
from app.prompt.slots import RUNNING_RECAP_KEY, Slot
from app.settings.slot_table import Position, Role
from app.settings.values import REGISTRY
from app.story.inclusion import Inclusion, InclusionState
from app.story.messages import Message, MessageRecap, digest
from app.story.recaps import RunningRecap, RunningVersion
from app.story.story import ChatKind, ChatRef, Story
from tests.app.prompt.remembered import assembled

COUNT = counter_for().count


def settings(**values: Any) -> dict[str, Any]:
    return {name: setting.default for name, setting in REGISTRY.items()} | values


def story_of(*contents: str, current: int = 0, last: str = "m1") -> Story:
    versions = tuple(
        RunningVersion(n, content, 1, "", last, "model", 1.0) for n, content in enumerate(contents)
    )
    return Story(
        ChatRef(Path("chat.jsonl"), ChatKind.FILE, "chat"),
        messages=tuple(Message(f"m{n}", digest(""), "Name", "") for n in range(3)),
        running=RunningRecap(versions, current),
    )


def slot_of(story: Story, total: int | None = None, **values: Any) -> Slot:
    (slot,) = assembled(story, settings(**values), Means(COUNT), total=total).slots
    return slot


def test_the_slot_is_the_extensions_own_with_its_defaults() -> None:
    slot = slot_of(story_of("They met."))
    assert slot.key == RUNNING_RECAP_KEY == "auto_recap_memory_scene"
    assert (slot.position, slot.depth, slot.role, slot.scan) == (
        Position.BEFORE_PROMPT,
        2,
        Role.SYSTEM,
        False,
    )
    assert "They met." in slot.text
    assert slot.tokens == COUNT(slot.text) == slot.full_tokens


def test_the_frame_is_filled_literally() -> None:
    assert framed(r"costs $1 & \g<0> {{char}}", "<a>{{x}}</a>", "{{x}}") == (
        r"<a>costs $1 & \g<0> {{char}}</a>"
    )
    assert framed("text", "{{x}}\n{{x}}", "{{x}}") == "text\ntext"  # each of them
    assert framed("text", "  ", "{{x}}") == "text"
    assert framed("  ", "<a>{{x}}</a>", "{{x}}") == ""


def test_a_story_cannot_use_sillytaverns_macros_but_for_names() -> None:
    text = framed("{{User}} told {{char}} {{setvar::x::1}} {{{roll:20}}}", "", "{{x}}")
    assert text == "{{User}} told {{char}} { {setvar::x::1}} { { {roll:20}}}"


@given(st.text(alphabet="{}xcharus:", max_size=30), st.sampled_from(["{{{x}}}", "{{x}}{", ""]))
def test_no_row_of_braces_and_no_frame_leaves_a_macro(content: str, template: str) -> None:
    text = framed(content, template, "{{x}}")
    for start in range(len(text) - 1):
        if text[start : start + 2] == "{{":
            assert re.match(r"\{\{(char|user|group|persona)\}\}", text[start:])


def test_no_recap_and_switched_off_give_an_empty_slot() -> None:
    assert slot_of(story_of()).text == ""
    assert slot_of(story_of("text"), running_recap_enabled=False).text == ""


def test_the_chosen_version_is_injected() -> None:
    assert "old" in slot_of(story_of("old", "new", current=0)).text
    assert "new" in slot_of(story_of("old", "new", current=1)).text


def test_a_branch_is_not_told_its_future() -> None:
    story = story_of("until m1", "until m9", current=1)
    versions = list(story.running.versions)
    versions[1] = replace(versions[1], last_anchor="m9")
    story = replace(story, running=RunningRecap(tuple(versions), 1))
    text = slot_of(story).text
    assert "until m1" in text
    assert "m9" not in text


_lines = st.lists(st.text(min_size=1, max_size=30).filter(str.strip), max_size=12)


@given(lines=_lines, headed=st.booleans(), budget=st.integers(0, 200), more=st.integers(0, 60))
def test_never_over_the_budget_and_more_budget_never_shows_less(
    lines: list[str], headed: bool, budget: int, more: int
) -> None:
    content = "\n".join((["DEVELOPMENTS"] if headed else []) + lines)
    story = story_of(content)
    small = slot_of(story, running_recap_budget=budget)
    large = slot_of(story, running_recap_budget=budget + more)
    assert small.tokens <= budget
    assert COUNT(small.text) == small.tokens <= large.tokens
    assert small.full_tokens == large.full_tokens >= large.tokens


def test_the_total_bounds_the_slot() -> None:
    story = story_of("\n".join(f"Line {n} of the story so far." for n in range(100)))
    slot = slot_of(story, total=120)
    assert 0 < slot.tokens <= 120
    assert slot.full_tokens > 500
    assert "Line 99" in slot.text
    assert "Line 0 " not in slot.text


@pytest.mark.parametrize("is_shown", [True, False])
def test_a_message_recap_is_told_with_what_began_it_where_that_is_wanted(*, is_shown: bool) -> None:
    recap = MessageRecap(text="Ann left.", prefill="In this scene: ")
    story = replace(
        story_of("The running recap."),
        message_recaps={f"m{n}": recap for n in range(3)},
        inclusion=(Inclusion(InclusionState.INCLUDED, ""),) * 3,
    )
    wanted = settings(message_recaps_inject=True, message_recap_prefill_shown=is_shown)
    _, messages = assembled(story, wanted, Means(COUNT)).slots
    assert ("In this scene: Ann left." in messages.text) is is_shown
    assert "Ann left." in messages.text


def test_included_message_recaps_have_a_slot_of_their_own_on_wish() -> None:
    story = replace(
        story_of("The running recap."),
        message_recaps={f"m{n}": MessageRecap(text=f"Recap\nnumber {n}.") for n in range(3)},
        inclusion=(
            Inclusion(InclusionState.OUT_OF_BUDGET, ""),
            Inclusion(InclusionState.LONG_TERM, ""),
            Inclusion(InclusionState.INCLUDED, ""),
        ),
    )
    assert len(assembled(story, settings(), Means(COUNT)).slots) == 1
    wanted = settings(message_recaps_inject=True)
    running, messages = assembled(story, wanted, Means(COUNT)).slots
    assert messages.key == "auto_recap_memory_short"
    assert "Recap number 1.\nRecap number 2." in messages.text
    assert "number 0" not in messages.text
    total = running.tokens + messages.tokens - 1
    running, messages = assembled(story, wanted, Means(COUNT), total=total).slots
    assert "Recap number 1." not in messages.text
    assert "Recap number 2." in messages.text
    assert running.tokens + messages.tokens <= total


def test_the_state_outlives_old_developments() -> None:
    developments = "\n".join(f"Development number {n} happened." for n in range(40))
    content = f"DEVELOPMENTS\n{developments}\n\nSTATE\nThe key is in the well."
    text = shortened(content, 60, COUNT)
    assert "The key is in the well." in text
    assert "number 39" in text
    assert "number 0 " not in text
