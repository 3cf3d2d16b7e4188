"""Continuity: contradictions are read as such, and a repair waits for one reply (spec §9, PD3)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.memory.documents.continuity import (
    MOST_CONTRADICTIONS,
    Contradiction,
    Fact,
    facts_of,
    is_checked,
    last_reply,
    listed,
    pending_repair,
    read_contradictions,
    read_repair,
    repair_inputs,
)
from app.memory.records import Document, DocumentKind, Memory, Tier
from app.story.answers.task_answers import Unreadable
from app.story.messages import Message, digest

FACTS = (Fact("Ann has green eyes.", "m1"), Fact("Bo is at sea.", "m2"))


def texts(answer: str) -> list[str]:
    return [one.text for one in read_contradictions(answer, FACTS)]


@pytest.mark.parametrize(
    "answer",
    [
        "NONE",
        "None.",
        " none \n",
        "**NONE**",
        "No contradictions were found.",
        "The passage does not contradict the facts.",
        "It is consistent with what was said.\nAnn is fine.",
        "There are no conflicts.",
        "It aligns with the facts.",
    ],
)
@pytest.mark.pitfall(45)
def test_an_all_clear_is_no_contradiction(answer: str) -> None:
    assert read_contradictions(answer, FACTS) == ()


def test_headings_and_numbering_are_taken_off() -> None:
    answer = "Contradictions:\n\n1. Her eyes are blue, not green.\n- Bo is home.\n\nNONE\n"
    assert texts(answer) == ["Her eyes are blue, not green.", "Bo is home."]


@pytest.mark.parametrize("line", ["2 | Bo is home.", "[2] | Bo is home.", "- 2: Bo is home."])
def test_a_line_says_which_memory_it_is_about(line: str) -> None:
    assert read_contradictions(line, FACTS) == (Contradiction("Bo is home.", "m2"),)


def test_a_fact_that_was_not_shown_is_no_memory() -> None:
    assert read_contradictions("7 | Bo is home.", FACTS) == (Contradiction("Bo is home."),)


def test_prose_that_names_no_fact_is_no_contradiction() -> None:
    """Sentences copied from the request stood there as what the newest reply contradicts."""
    with pytest.raises(Unreadable, match="which fact"):
        read_contradictions("Rowan is mate of a barge.\nMira has not told him why.", FACTS)
    assert texts("I compared both.\n2 | Bo is home.") == ["Bo is home."]


@pytest.mark.parametrize(
    "refusal",
    ["I'm sorry, but I can't help with that.", "Es tut mir leid, dabei kann ich nicht helfen."],
)
def test_a_refusal_is_no_contradiction_and_no_repair(refusal: str) -> None:
    for read in (read_contradictions, read_repair):
        with pytest.raises(Unreadable, match="refusal"):
            read(refusal)


def test_nothing_at_all_is_no_answer() -> None:
    with pytest.raises(Unreadable):
        read_contradictions("  \n")


@given(st.text(min_size=1))
def test_any_answer_is_bounded(text: str) -> None:
    try:
        found = read_contradictions(text, FACTS)
    except Unreadable:
        return
    assert len(found) <= MOST_CONTRADICTIONS
    assert all(any(map(str.isalpha, one.text)) for one in found)


def test_facts_come_in_order_and_within_their_room() -> None:
    memories = [
        Memory("s", 1, Tier.SESSION, "detail", "The lamp is out."),
        Memory("l", 1, Tier.LONG_TERM, "fact", "Ann has green eyes."),
        Memory("v", 1, Tier.STATE_LEDGER, "character", "sea", subject="Bo", field="location"),
        Memory("e", 1, Tier.EPISTEMIC, "knows", "that it burned", subject="Bo"),
    ]
    facts = facts_of("A card.", "A summary.", memories, room=900, count=lambda t: len(t.split()))
    assert [fact.id for fact in facts] == ["", "", "l", "s", "v"]
    assert listed(facts).splitlines()[2] == "3. [fact] Ann has green eyes."
    many = [Memory(f"m{n}", 1, Tier.LONG_TERM, "fact", "word " * 9) for n in range(99)]
    facts = facts_of("w " * 99, "w " * 99, many, room=100, count=lambda t: len(t.split()))
    assert sum(len(fact.text.split()) for fact in facts) <= 100


def test_a_repair_is_shown_only_the_facts_that_it_is_about() -> None:
    shown = repair_inputs("Ann", [Contradiction("Bo is home.", "m2")], FACTS)
    assert shown == {"name": "Ann", "contradictions": "1. Bo is home.", "facts": "- Bo is at sea."}
    shown = repair_inputs("Ann", [Contradiction("Something.")], FACTS)
    assert shown["facts"].count("\n") == 1


def test_a_repair_is_one_paragraph_without_brackets() -> None:
    answer = '```\n"[You wrote that Bo is home.\n\nBo is at sea.]"\n```'
    assert read_repair(answer) == "You wrote that Bo is home. Bo is at sea."
    assert len(read_repair("You wrote this wrong. " * 200)) <= 900
    with pytest.raises(Unreadable):
        read_repair("NONE")


def message(number: int, *, is_user: bool = False, text: str = "") -> Message:
    text = text or f"Text {number}."
    return Message(f"m{number}", digest(text), "You" if is_user else "Ann", text, is_user=is_user)


STORY = [message(0), message(1, is_user=True), message(2)]
REPAIR = Document("r", 1, DocumentKind.REPAIR, "Mind.", until="m2", inputs=digest("Text 2."))


@pytest.mark.pitfall(57)
def test_a_repair_waits_until_the_next_reply() -> None:
    assert pending_repair([REPAIR], STORY) == REPAIR
    asked = [*STORY, message(3, is_user=True)]
    assert pending_repair([REPAIR], asked) == REPAIR
    assert pending_repair([REPAIR], [*asked, message(4)]) is None


def test_a_repair_of_a_reply_that_was_swiped_or_deleted_is_none() -> None:
    assert pending_repair([REPAIR], [*STORY[:2], message(2, text="Otherwise.")]) is None
    assert pending_repair([REPAIR], STORY[:2]) is None
    assert pending_repair([], STORY) is None


def test_only_a_reply_at_the_end_is_checked_and_each_text_once() -> None:
    assert last_reply(STORY) == 2
    assert last_reply(STORY[:2]) is None
    assert last_reply([]) is None
    clean = Document("c", 1, DocumentKind.CONTINUITY, "", until="m2", inputs=digest("Text 2."))
    assert is_checked([clean], STORY[2])
    assert not is_checked([clean], message(2, text="Otherwise."))
