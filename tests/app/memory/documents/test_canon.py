"""Canon: three paragraphs that outlive the notes (spec §9, PD2)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.llm.prompts.prompt_files import load_prompts
from app.memory.documents.canon import canon_digest, canon_inputs, read_canon, rendered
from app.memory.records import Document, DocumentKind, Memory, Tier
from app.story.answers.task_answers import Unreadable

PARTS = {
    "identity": "Ann is a miller's daughter with a scar.",
    "history": "She found the ring and gave it back.",
    "now": "She lives at the mill with Bo.",
}
TEXT = rendered(PARTS)


def count(text: str) -> int:
    return len(text.split())


@pytest.mark.parametrize(
    "answer",
    [
        TEXT,
        f"Here is the history:\n\n{TEXT}",
        TEXT.replace("Identity:", "**Identity:**").replace("Now:", "## Current state\n"),
        "\n\n".join(PARTS.values()),
        TEXT.replace("\n\n", "\n"),
        f"```\n{TEXT}\n```",
        "\n".join(f"[{name}]\n{body}\n[/{name}]" for name, body in PARTS.items()),
    ],
)
def test_a_canon_is_read_however_it_is_dressed(answer: str) -> None:
    assert read_canon(answer) == PARTS


def test_a_paragraph_that_is_left_out_stays_as_it_was() -> None:
    read = read_canon("History: She found the ring. Then she went to sea for years.", TEXT)
    assert read["identity"] == PARTS["identity"]
    assert "sea" in read["history"]
    same = read_canon(f"Identity: unchanged\nHistory: {'x' * 50}\nNow: Same as before.", TEXT)
    assert (same["identity"], same["now"]) == (PARTS["identity"], PARTS["now"])


@pytest.mark.parametrize("answer", ["", "NONE", "I'm sorry.", "Identity: Ann.", "One paragraph."])
def test_an_answer_without_paragraphs_is_none(answer: str) -> None:
    with pytest.raises(Unreadable):
        read_canon(answer)


@given(st.text(), st.text())
def test_any_answer_is_read_or_refused(text: str, previous: str) -> None:
    try:
        read = read_canon(text, previous)
    except Unreadable:
        return
    assert read
    assert set(read) <= set(PARTS)


def summary(number: int, inputs: str = "x") -> Document:
    return Document(
        f"d{number}",
        1,
        DocumentKind.ARC_SUMMARY,
        f"Plot {number}: " + "word " * 20,
        subject=f"a{number}",
        inputs=inputs,
    )


def test_it_is_due_again_when_an_arc_was_added_or_ended_otherwise() -> None:
    one = canon_digest([summary(1), summary(2)])
    assert one == canon_digest([summary(2), summary(1)])
    assert one != canon_digest([summary(1)])
    assert one != canon_digest([summary(1), summary(2, "y")])


def test_a_request_holds_the_canon_so_far_the_newest_arcs_and_what_weighs() -> None:
    memories = [
        Memory(f"m{n}", 1, Tier.LONG_TERM, "fact", f"Fact {n}.", importance=1 + n % 3)
        for n in range(90)
    ]
    shown = canon_inputs(
        "Ann",
        TEXT,
        [summary(n) for n in range(30)],
        memories,
        room=400,
        tokens=200,
        count=count,
        past={m.id for m in memories if m.importance == 2},
    )
    told = shown["memories"].splitlines()
    by_number = {int(line.split()[-1].strip(".")): line for line in told}
    assert all(
        line.startswith("- [earlier fact] ") is (n % 3 == 1) for n, line in by_number.items()
    )
    assert shown["canon"] == TEXT
    assert "Plot 29" in shown["arcs"]
    assert "Plot 0:" not in shown["arcs"]
    assert 0 < shown["memories"].count("\n") < 30
    assert "Fact 0." not in shown["memories"]  # of importance 1
    assert sum(map(count, shown.values())) <= 420


def test_what_is_about_the_character_goes_before_what_others_did() -> None:
    others = [
        Memory(f"m{n}", 1, Tier.LONG_TERM, "fact", f"Bo did {n}.", importance=3) for n in range(40)
    ]
    own = Memory("own", 1, Tier.LONG_TERM, "fact", "Ann lacks a finger.", importance=2)
    shown = canon_inputs("Ann", "", [], [own, *others], room=4000, tokens=200, count=count)
    assert "lacks a finger" in shown["memories"]


def test_requests_for_the_members_of_a_group_begin_with_what_they_have_in_common() -> None:
    user = load_prompts()["memory_canon"].user
    assert user.index("{{arcs}}") < user.index("{{memories}}") < user.index("{{name}}")
    assert user.index("{{memories}}") < user.index("{{canon}}")


@pytest.mark.real_model(9)
def test_what_somebody_knows_goes_into_no_canon() -> None:
    """It is told to whoever answers, also to the one from whom it is hidden."""
    fact = Memory("f", 1, Tier.LONG_TERM, "fact", "Ann guards the gate.", importance=3)
    secret = Memory(
        "s", 1, Tier.EPISTEMIC, "hiding", "that Ann lied", subject="Ann", target="Bo", importance=3
    )
    shown = canon_inputs("Ann", "", [], [fact, secret], room=400, tokens=200, count=count)
    assert "guards the gate" in shown["memories"]
    assert "lied" not in str(shown)
