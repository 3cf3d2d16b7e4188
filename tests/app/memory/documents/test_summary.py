"""The rolling summary: read in every dress, never lost, made part by part (spec §6)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.memory.documents.summary import (
    TITLES,
    covered_until,
    cut_to,
    parts_of,
    read_summary,
    rendered,
    summary_inputs,
    to_summarise,
)
from app.memory.records import Document, DocumentKind, Memory, Tier
from app.story.answers.task_answers import Unreadable
from app.story.messages import Message, digest

PARTS = {
    "scene": "The inn, at night.",
    "present": "Ann, wounded; Bo.",
    "events": "Ann came. She told of the fire.",
    "relationships": "Bo mistrusts Ann.",
    "revealed": "The mill burned down.",
    "threads": "Who lit the fire?",
    "moment": "Bo bars the door.",
}
BODY = rendered(PARTS)


def count(text: str) -> int:
    return len(text.split())


def message(number: int, text: str, *, is_hidden: bool = False) -> Message:
    return Message(f"m{number}", digest(text), "Ann", text, is_hidden=is_hidden)


@pytest.mark.parametrize(
    "answer",
    [
        f"[SUMMARY]\n{BODY}\n[/SUMMARY]",
        f"<analysis>What to keep?\n1. Scene: no</analysis>\n[SUMMARY]{BODY}[/SUMMARY] Hope so!",
        f"<analysis>it never ends\n[SUMMARY]\n{BODY}",
        f"<analysis>\n1. Scene: the sea?\n3. Events: none?\n</analysis>\n{BODY}",
        f"Here is the summary:\n[summary]\n{BODY}",
        f"<summary>\n{BODY}\n</summary>",
        f"<summary>{BODY}",
        f"I have read it all.\n{BODY}",
        f"```\n{BODY}\n```",
        "[SUMMARY]" + "".join(f"<p>{line}</p>" for line in BODY.splitlines()) + "[/SUMMARY]",
        "\n\n\n\n".join(f"## {n}. {TITLES[k]}\n{v}" for n, (k, v) in enumerate(PARTS.items(), 1)),
        "\n".join(f"{n}. **{TITLES[k]}:** {v}" for n, (k, v) in enumerate(PARTS.items(), 1)),
    ],
)
@pytest.mark.pitfall(49)
def test_a_summary_is_read_however_it_is_dressed(answer: str) -> None:
    assert read_summary(answer) == PARTS


@pytest.mark.parametrize("answer", ["", "NONE", "I cannot do that.", "1. Scene: The inn."])
def test_an_answer_without_sections_is_none(answer: str) -> None:
    with pytest.raises(Unreadable):
        read_summary(answer, PARTS)


@pytest.mark.pitfall(52)
def test_what_is_called_unchanged_or_left_out_stays_as_it_was() -> None:
    answer = (
        "1. Scene: The road.\n2. Present: Same as before.\n3. Events: They left.\n7. Moment: x y"
    )
    read = read_summary(answer, PARTS)
    assert (read["scene"], read["present"]) == ("The road.", PARTS["present"])
    assert read["revealed"] == PARTS["revealed"]


def test_sections_that_say_that_there_is_nothing_are_left_out() -> None:
    read = read_summary(BODY.replace(PARTS["threads"], "None mentioned."))
    assert "threads" not in read
    assert len(read) == len(PARTS) - 1


def test_guesses_at_what_comes_next_have_no_section() -> None:
    read = read_summary(f"{BODY}\n\n8. Next beat: They may flee.")
    assert set(read) == set(PARTS)


@given(st.text())
def test_any_answer_is_read_or_refused(text: str) -> None:
    try:
        read = read_summary(text, PARTS)
    except Unreadable:
        return
    assert set(read) <= set(TITLES)


@given(
    st.dictionaries(
        st.sampled_from(sorted(TITLES)),
        st.text("abc xyz.,", min_size=5).filter(lambda t: sum(map(str.isalpha, t)) > 5),
        min_size=3,
    )
)
def test_what_is_written_is_read_back(parts: dict[str, str]) -> None:
    parts = {name: " ".join(text.split()) for name, text in parts.items()}
    assert read_summary(rendered(parts)) == {k: parts[k] for k in TITLES if k in parts}


def test_what_the_user_wrote_is_the_summary_that_goes_on() -> None:
    own = Document("d", 1, DocumentKind.SUMMARY, "1. Scene: The sea.", sections=PARTS)
    assert parts_of(own) == {"scene": "The sea."}
    assert parts_of(Document("d", 1, DocumentKind.SUMMARY, "Just prose.", sections=PARTS)) == PARTS
    assert parts_of(None) == {}


def test_a_deleted_message_gives_way_to_the_summary_before() -> None:
    messages = [message(n, f"Text {n}.") for n in range(6)]
    documents = [
        Document("a", 1, DocumentKind.SUMMARY, "x", until="m2"),
        Document("b", 1, DocumentKind.SUMMARY, "y", until="gone"),
        Document("c", 1, DocumentKind.CANON, "z", until="m5"),
    ]
    assert covered_until(documents, messages) == 2
    assert covered_until([], messages) == -1


def test_hidden_messages_are_not_summed_up() -> None:
    messages = [message(0, "One."), message(1, "Two.", is_hidden=True), message(2, "Three.")]
    assert list(to_summarise(messages, -1, 2)) == [0, 2]
    assert list(to_summarise(messages, 0, 1)) == []


def test_a_request_takes_as_many_messages_as_fit_and_at_least_one() -> None:
    messages = [message(n, "word " * 50) for n in range(5)]
    given = summary_inputs("", (), messages, room=120, tokens=500, count=count)
    assert given.taken == 2
    huge = [message(0, "first " + "word " * 1000 + "last"), *messages]
    given = summary_inputs("", (), huge, room=100, tokens=500, count=count)
    assert given.taken == 1
    assert count(given.texts["events"]) <= 100
    assert "first" in given.texts["events"]
    assert "last" in given.texts["events"]


def test_what_is_remembered_elsewhere_is_shown_bounded() -> None:
    memories = [
        Memory(str(n), 1, tier, kind, f"{kind} {n} " + "word " * 20)
        for tier, kind in ((Tier.LONG_TERM, "fact"), (Tier.SESSION, "detail"))
        for n in range(40)
    ]
    texts = summary_inputs("", memories, [message(0, "x")], room=5000, tokens=9, count=count).texts
    assert 700 < count(texts["digest"]) <= 800
    assert "[fact] fact 39" in texts["digest"]
    assert "[detail] detail 39" in texts["digest"]


def test_a_cut_prefers_the_end_of_a_sentence() -> None:
    text = "One two three four five six seven eight nine. Ten eleven twelve."
    assert cut_to(text, 11, count) == "One two three four five six seven eight nine. […]"
    assert cut_to(text, 99, count) == text


@given(st.text(max_size=300), st.integers(0, 50))
def test_a_cut_fits(text: str, room: int) -> None:
    assert count(cut_to(text, room, count)) <= room
