"""Profiles: three sections for each character, kept free of what nobody knows (spec §9, PD1)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.memory.documents.profiles import (
    MOST_BESIDE,
    SECTIONS,
    Subject,
    cast,
    concerns,
    outdated,
    profile_inputs,
    read_profiles,
    rendered,
    subjects,
    without_figures,
)
from app.memory.records import Document, DocumentKind, Memory, Tier
from app.story.answers.task_answers import Unreadable
from app.story.messages import Message, MessageKind, digest

ANN = {
    "character_state": "goals: find the ring\nfears: the dark",
    "world_state": "location: the mill",
    "relationship_matrix": "Bo: grateful, confidence 0.8",
}
BO = {"character_state": "goals: leave", "world_state": "", "relationship_matrix": ""}


def bracketed(name: str, parts: dict[str, str]) -> str:
    body = "\n".join(f"[{part}]\n{text}" for part, text in parts.items() if text)
    return f"[PROFILE {name}]\n{body}"


BOTH = f"{bracketed('Ann', ANN)}\n{bracketed('Bo', BO)}"


@pytest.mark.parametrize(
    "answer",
    [
        BOTH,
        f"Here are the profiles:\n\n```\n{BOTH}\n```",
        BOTH.replace("[PROFILE Ann]", "## Profile: Ann").replace("[PROFILE Bo]", "# Bo"),
        BOTH.replace("[PROFILE Ann]", '<profile name="Ann">').replace(
            "[PROFILE Bo]", '</profile>\n<profile name="Bo">'
        ),
        BOTH.replace("[character_state]", "### Character State").replace(
            "[world_state]", "**World state:**"
        ),
        BOTH.replace("[character_state]\n", "<character_state>").replace("goals:", "- **goals:**"),
        BOTH.replace("[world_state]\n", "[World State] "),
        BOTH.replace("[relationship_matrix]", "<relationship_matrix>") + "\n</relationship_matrix>",
    ],
)
def test_portraits_are_read_however_they_are_dressed(answer: str) -> None:
    assert read_profiles(answer, ["Ann", "Bo"]) == {"Ann": ANN, "Bo": BO}


def test_the_xml_form_of_others_is_read_too() -> None:
    answer = "\n".join(f"<{part}>{text}</{part}>" for part, text in ANN.items())
    assert read_profiles(answer, ["Ann"]) == {"Ann": ANN}


def test_of_one_character_the_name_may_be_missing() -> None:
    answer = bracketed("Ann", ANN).partition("\n")[2]
    assert read_profiles(answer, ["Ann Lee"]) == {"Ann Lee": ANN}
    assert read_profiles(bracketed("Ann", ANN), ["Ann Lee", "Bo"]) == {"Ann Lee": ANN}


@pytest.mark.parametrize(
    "head", ["[PROFILE {}]", "## Profile: {}", '<profile name="{}">', "**Portrait of {}**"]
)
def test_a_portrait_of_somebody_else_is_dropped(head: str) -> None:
    def headed(name: str, parts: dict[str, str]) -> str:
        return bracketed(name, parts).replace(f"[PROFILE {name}]", head.format(name))

    other = headed("Cy", {**ANN, "character_state": "goals: burn the mill"})
    first, last = headed("Ann", ANN), headed("Bo", BO)
    for answer in (f"{first}\n{other}\n{last}", f"{other}\n{first}\n{last}\n{other}"):
        assert read_profiles(answer, ["Ann", "Bo"]) == {"Ann": ANN, "Bo": BO}
    assert read_profiles(f"{first}\n{other}", ["Ann"]) == {"Ann": ANN}
    with pytest.raises(Unreadable):
        read_profiles(other, ["Ann"])


def test_lines_that_say_that_nobody_knows_are_dropped() -> None:
    answer = bracketed("Ann", {**ANN, "world_state": "location: unknown\nthreats: None.\ntime:"})
    assert read_profiles(answer, ["Ann"])["Ann"]["world_state"] == ""


def test_a_name_in_a_list_of_relationships_begins_no_portrait() -> None:
    parts = {**ANN, "relationship_matrix": "**Bo**\ngrateful, confidence 0.8"}
    read = read_profiles(f"{bracketed('Ann', parts)}\n{bracketed('Bo', BO)}", ["Ann", "Bo"])
    assert read["Bo"] == BO
    assert "grateful" in read["Ann"]["relationship_matrix"]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Bo: grateful, confidence 0.8", "Bo: grateful"),
        ("Bo: grateful, confidence 0.8.", "Bo: grateful."),
        ("Bo: grateful (confidence: 0.8)", "Bo: grateful"),
        ("Bo: grateful; Confidence 85%", "Bo: grateful"),
        ("Bo: grateful, confidence: high", "Bo: grateful"),
        ("Bo: grateful [0.8 confidence]", "Bo: grateful"),
        ("Bo: grateful (confidence 0.8), but wary", "Bo: grateful, but wary"),
        ("Bo: confidence 0.8, grateful", "Bo: grateful"),
        ("Bo: dankbar, Zuversicht 0,8", "Bo: dankbar"),
        ("Bo: agradecida (0.9)", "Bo: agradecida"),
        ("Bo: her confidence low after the fall", None),
        ("Bo: has confidence in her", "Bo: has confidence in her"),
        ("Bo: her confidence 12 years ago was broken", None),
        ("Bo: owes her 0.5 marks", "Bo: owes her 0.5 marks"),
        ("time: the year 1.0 of the mill", "time: the year 1.0 of the mill"),
    ],
)
def test_how_sure_a_model_is_reads_nobody(said: str, told: str | None) -> None:
    """ "confidence 0.8" stood in portraits on pages, and in prompts before a full stop."""
    assert without_figures(said) == (said if told is None else told)
    text = rendered({"relationship_matrix": f"{said}\nCy: calm"})
    assert text == f"Relationships:\n{said if told is None else told}\nCy: calm"


@pytest.mark.parametrize(
    "answer",
    ["", "NONE", "Ann is a brave woman.", "[PROFILE Ann]\n[world_state]\nlocation: <where <A> is>"],
)
def test_an_answer_without_sections_is_none(answer: str) -> None:
    with pytest.raises(Unreadable):
        read_profiles(answer, ["Ann"])


@given(st.text())
def test_any_answer_is_read_or_refused(text: str) -> None:
    try:
        read = read_profiles(text, ["Ann", "Bo"])
    except Unreadable:
        return
    assert all(set(parts) == set(SECTIONS) and any(parts.values()) for parts in read.values())


def test_empty_sections_are_not_shown() -> None:
    assert rendered(BO) == "State:\ngoals: leave"


def memory(number: int, text: str, tier: Tier = Tier.LONG_TERM, **fields: object) -> Memory:
    made = Memory(f"m{number}", 1, tier, "fact", text)
    return replace(made, **fields)  # type: ignore[arg-type]


OF_ANN = [
    memory(1, "Ann fears the dark."),
    memory(2, "the mill", Tier.STATE_LEDGER, type="character", subject="Ann", field="location"),
    memory(3, "grateful", Tier.RELATIONSHIPS, subject="Bo", target="ann"),
]


def test_a_portrait_needs_enough_that_is_about_somebody() -> None:
    assert [s.name for s in subjects(["Ann", "Bo"], OF_ANN)] == ["Ann"]
    assert subjects(["Ann"], OF_ANN[:2]) == ()


def test_a_name_within_a_word_is_nobody() -> None:
    assert not concerns(memory(1, "They planned it in Annville."), "Ann")
    assert concerns(memory(1, "It was Ann's idea."), "Ann Lee")


@pytest.mark.real_model(9)
def test_what_somebody_knows_goes_into_no_portrait() -> None:
    secret = memory(9, "that Ann lied", Tier.EPISTEMIC, type="knows", subject="Bo")
    texts = profile_inputs(["Ann"], [*OF_ANN, secret], room=500, count=lambda t: len(t.split()))
    assert "lied" not in texts["memories"]
    assert subjects(["Ann"], [*OF_ANN, secret]) == subjects(["Ann"], OF_ANN)


def test_a_portrait_is_outdated_when_something_about_them_changed() -> None:
    (ann,) = subjects(["Ann"], OF_ANN)
    document = Document("d", 1, DocumentKind.PROFILE, "x", subject="Ann", inputs=ann.digest)
    others = [*OF_ANN, memory(4, "Bo left.")]
    assert outdated(subjects(["Ann"], others), [document]) == ()
    changed = subjects(["Ann"], [*OF_ANN, memory(4, "Ann left.")])
    assert outdated(changed, [document]) == changed
    assert outdated([Subject("Bo", "x", 3)], [document]) == (Subject("Bo", "x", 3),)


def test_what_is_about_them_is_shown_first_where_room_is_short() -> None:
    others = [memory(n, f"The sea is wide {n}.", importance=3) for n in range(10, 60)]
    texts = profile_inputs(["Ann"], [*others, *OF_ANN], room=60, count=lambda t: len(t.split()))
    assert "Ann fears the dark." in texts["memories"]
    assert len(texts["memories"].split()) <= 60
    assert texts["names"] == "Ann"


def test_what_is_so_no_longer_is_marked_in_what_a_portrait_is_made_of() -> None:
    texts = profile_inputs(
        ["Ann"], OF_ANN, room=500, count=lambda t: len(t.split()), past={OF_ANN[0].id}
    )
    marked = [line for line in texts["memories"].splitlines() if line.startswith("- [earlier ")]
    assert [OF_ANN[0].text in line for line in marked] == [True]
    mood = replace(OF_ANN[0], tier=Tier.STATE_LEDGER, subject="Ann", type="character", field="mood")
    texts = profile_inputs(
        ["Ann"], [mood], room=500, count=lambda t: len(t.split()), past={mood.id}
    )
    assert texts["memories"].startswith("- [earlier] Ann (character): mood=")


def test_of_what_is_about_others_a_portrait_is_given_a_little() -> None:
    others = [memory(n, f"The sea is wide {n}.", importance=3) for n in range(10, 60)]
    texts = profile_inputs(["Ann"], [*others, *OF_ANN], room=5_000, count=lambda t: len(t.split()))
    lines = texts["memories"].split("\n")
    assert len(lines) == len(OF_ANN) + MOST_BESIDE
    assert len([line for line in lines if "sea" in line]) == MOST_BESIDE


def test_the_cast_are_those_who_spoke_the_last_one_first() -> None:
    def said(name: str, **fields: object) -> Message:
        return Message(name, digest(name), name, "Hm.", **fields)  # type: ignore[arg-type]

    messages = [
        said("Bo"),
        said("Ann"),
        said("You", is_user=True),
        said("Fate", kind=MessageKind.NARRATOR),
        said("Bo"),
        said("Cy"),
    ]
    assert cast(messages, ()) == ("Cy", "Bo", "Ann")
    assert cast(messages, ("Ann", "Bo")) == ("Bo", "Ann")
