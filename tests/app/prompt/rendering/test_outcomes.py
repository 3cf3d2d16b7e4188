"""How a thread ended is told among the details, once it is no open question any more."""

from __future__ import annotations

from typing import Any

import pytest

from app.memory.records import Ending, EndReason, Memory, Source, Tier
from app.settings.slot_table import SlotName
from app.story.messages import digest
from tests.app.prompt.remembered import CHAT, LINES, memory, prompt, text_of

QUESTION = "Will Vera get the wick-key back from the harbour master?"
ANSWER = "Vera took the wick-key back from the harbour master at the ferry."


def arc(how: str = ANSWER, reason: EndReason = EndReason.RESOLVED, **values: Any) -> Memory:
    ending = Ending(reason, sources=(Source(CHAT, "m2", digest(LINES[2])),), text=how)
    return memory(QUESTION, Tier.ARCS, endings=(ending,), **values)


@pytest.mark.real_model(5)
def test_the_end_of_a_thread_is_told_in_place_of_its_question() -> None:
    """Whoever wrote on knew the plan, and not that it had come off."""
    slots = prompt([arc()])
    assert QUESTION not in text_of(slots, SlotName(Tier.ARCS))
    assert f"- {ANSWER}" in text_of(slots, SlotName.SESSION)


def test_an_end_in_two_words_says_nothing_without_its_question() -> None:
    assert text_of(prompt([arc("At once.")]), SlotName.SESSION) == ""


def test_only_what_is_resolved_has_an_outcome() -> None:
    told = text_of(prompt([arc(reason=EndReason.OUTRANKED)]), SlotName.SESSION)
    assert ANSWER not in told


def test_without_threads_there_are_no_outcomes() -> None:
    assert ANSWER not in text_of(prompt([arc()], arcs_enabled=False), SlotName.SESSION)
    assert ANSWER not in text_of(prompt([arc()], session_enabled=False), SlotName.SESSION)


def test_an_outcome_is_told_where_it_happened_among_the_details() -> None:
    before = memory("Odo limps since the winter feast.", Tier.SESSION, type="detail", at=1)
    after = memory("Odo has left by the night ferry.", Tier.SESSION, type="detail", at=3)
    text = text_of(prompt([after, arc(), before]), SlotName.SESSION)
    places = [text.index(part) for part in ("limps", "wick-key", "night ferry")]
    assert places == sorted(places) or "Continuity: Odo has left" in text


def test_the_end_of_a_thread_is_no_state_of_the_scene() -> None:
    text = text_of(prompt([arc()]), SlotName.SESSION)
    assert f": {ANSWER}" not in text
