"""Versions and slots in words."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from PySide6.QtCore import Qt

from app.prompt.slot_names import SLOT_NAMES, slot_name
from app.prompt.slots import RUNNING_RECAP_KEY, Slot, SlotSet
from app.settings.slot_table import Position, Role, SlotName
from app.story.comparison import is_heading
from app.story.recaps import RunningVersion
from ui.controls.dates import time_words
from ui.core.slot_words import (
    change_words,
    origin_words,
    place_words,
    slot_meaning,
    untold_words,
    used_words,
    where_words,
)
from ui.recaps.version_rows import VersionModel, VersionRow


def slot(position: Position, depth: int = 0, role: Role = Role.SYSTEM) -> Slot:
    return Slot(RUNNING_RECAP_KEY, position, depth, role, False, "text", 1, 10, 1)


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (slot(Position.BEFORE_PROMPT), "Before the main prompt, as system"),
        (slot(Position.IN_PROMPT, role=Role.USER), "After the main prompt, as user"),
        (slot(Position.IN_CHAT), "At the end of the chat, as system"),
        (slot(Position.IN_CHAT, 1), "In the chat, depth 1, as system"),
        (slot(Position.IN_CHAT, 4, Role.ASSISTANT), "In the chat, depth 4, as assistant"),
        (slot(Position.NONE), "Not in the prompt"),
    ],
)
def test_a_slots_place_is_said_in_words(made: Slot, words: str) -> None:
    assert place_words(made) == words
    # The same words on Budgets, which has no room for who says it.
    where = where_words(made.position, made.depth)
    assert words.casefold().startswith(where) or made.position is Position.NONE


def test_an_unknown_slot_is_called_by_its_key() -> None:
    assert slot_name("some_other_key") == "Some other key"
    assert slot_name(RUNNING_RECAP_KEY) == "Running recap"


def test_a_time_of_today_needs_no_date() -> None:
    noon = datetime(2026, 3, 6, 12, 5, tzinfo=UTC).timestamp()
    local = datetime.fromtimestamp(noon, tz=UTC).astimezone()
    assert time_words(noon, now=noon) == f"{local:%H:%M}"
    assert time_words(noon, now=noon + 3 * 86400) == f"6 Mar, {local:%H:%M}"
    assert time_words(noon, now=noon + 400 * 86400) == "6 Mar 2026"


@pytest.mark.parametrize(
    ("text", "headings"),
    [
        ("The crew\nJoost poles the boat.", [0]),
        ("He sleeps.\nShe wakes.", []),
        ("One\n\nTwo", []),
        ("A\nb.\n\nC\nd.", [0, 3]),
        ("Ode: “No.”\nWren: “Yes.”", []),
    ],
)
def test_headings_title_what_stands_under_them(text: str, headings: list[int]) -> None:
    lines = text.split("\n")
    assert [number for number in range(len(lines)) if is_heading(lines, number)] == headings


@pytest.mark.parametrize(
    ("reason", "made_by", "is_retired", "words"),
    [
        ("fold", "qwen3:14b", False, "written 12:00 by qwen3:14b"),
        ("edit", "you", False, "edited by you, 12:00"),
        ("foreign", "", False, "set aside: from another chat, 12:00"),
        ("fold", "qwen3:14b", True, "12:00, until it is rebuilt"),
        (
            "fold",
            "built-in, in place of qwen3:14b",
            False,
            "written 12:00 by built-in, because qwen3:14b gave nothing usable",
        ),
        ("fold", "the demo's authors", False, "by the demo's authors"),
    ],
)
def test_a_version_says_where_it_comes_from(
    reason: str, made_by: str, is_retired: bool, words: str
) -> None:
    noon = datetime.now(tz=UTC).astimezone().replace(hour=12, minute=0).timestamp()
    version = RunningVersion(6, "", 10, "", "", made_by, noon, reason, is_retired)
    assert origin_words(version, now=noon) == f"Scenes 1–10, {words}"


@pytest.mark.parametrize(("tokens", "words"), [(412, "+37 since v6"), (300, "−75 since v6")])
def test_a_version_says_how_much_longer_it_is_than_the_one_before(tokens: int, words: str) -> None:
    assert change_words(tokens, 375, RunningVersion(5, "", 1, "", "", "", 0.0)) == words


def test_a_slot_whose_name_does_not_explain_it_is_explained() -> None:
    clear = {"auto_recap_memory_long", "auto_recap_memory_short"}
    clear |= {SlotName.REPAIR.key, SlotName.UNIFIED.key}
    assert {key for key in SLOT_NAMES if not slot_meaning(key)} == clear
    assert "the running recap replaces it" in slot_meaning(SlotName.SHORT.key)


def test_a_budget_that_says_nothing_is_not_told() -> None:
    """ "609 of 609 tokens" stood at a slot that others lent room, "597 of 592" at a sent one."""
    made = replace(slot(Position.IN_CHAT, 1), tokens=100)
    said = [used_words(replace(made, budget=budget)) for budget in (200, 100, 95)]
    assert said == ["100 of 200 tokens", "100 tokens", "100 tokens"]


def test_a_recap_that_the_messages_tell_is_called_in_use_and_not_in_the_prompt() -> None:
    untold = replace(slot(Position.BEFORE_PROMPT), text="", tokens=0, full_tokens=0)
    assert untold_words(SlotSet((untold,), whole_recap=201), untold) == (
        "The messages that are sent tell all of it."
    )
    assert untold_words(SlotSet((untold,)), untold) == ""
    model = VersionModel()
    model.show_rows([VersionRow(0, "It rained.", 1.0, "you", "Your edit", is_current=True)])
    spoken = str(model.index(0).data(Qt.ItemDataRole.AccessibleTextRole))
    assert "in use" in spoken
    assert "in the prompt" not in spoken
