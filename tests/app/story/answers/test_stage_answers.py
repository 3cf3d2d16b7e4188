"""Answers to the stages of a scene recap: forgiving about the form, strict about emptiness."""

from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.story.answers.stage_answers import read_extracted, read_filtered, read_lore, read_organised
from app.story.answers.task_answers import Unreadable
from app.story.lore_entries.lore import LoreEntry, read_entries, related, stored_entries
from app.story.recap_texts.recap_text import Recap

READERS = (read_extracted, read_organised, read_filtered, read_lore)


@pytest.mark.parametrize(
    "answer",
    [
        '{"name": "The ford", "extracted": ["Ann left.", "Bo waits."]}',
        'So:\n```json\n{"sn": "\\"The ford\\"", "extracted": ["- Ann left.", "Bo waits."]}```',
        '{"title": "The ford", "chronological_items": [{"text": "Ann left."}, "Bo waits."]}',
        '{"name": "The ford", "plot": "Ann left.\\nBo waits.", "entities": []}',
        '{"name": "The ford", "rc": ["Ann left.", "Bo waits."]}',
        '{"name": "The ford", "goals": ["Ann left."], "tone": ["Bo waits."]}',
        '{"name": "The ford", "extracted": ["Ann left.", "Bo waits.", "Cut of',
    ],
)
def test_every_known_form_of_gathered_facts_is_read(answer: str) -> None:
    found = read_extracted(answer)
    assert found.name == "The ford"
    assert found.items == ("Ann left.", "Bo waits.")


@pytest.mark.parametrize(
    "answer",
    [
        '["Ann left.", "Bo waits."]',
        '```json\n["Ann left.", "Bo waits."]\n```\nThat is all.',
        "['Ann left.', 'Bo waits.',]",
        '[{"text": "Ann left."}, {"fact": "Bo waits."}]',
    ],
)
def test_a_bare_list_is_a_list_of_facts(answer: str) -> None:
    assert read_extracted(answer).items == ("Ann left.", "Bo waits.")


@pytest.mark.parametrize(
    "answer",
    ["", "No.", "{}", "[]", '{"extracted": []}', '{"extracted": ["..."]}', '{"extracted": "<A>"}'],
)
def test_a_scene_without_facts_is_no_answer(answer: str) -> None:
    with pytest.raises(Unreadable):
        read_extracted(answer)


@pytest.mark.parametrize(
    "recap",
    [
        {"developments": ["Ann left."], "open": ["Why?"], "state": ["Bo waits."]},
        {"outcomes": "- Ann left.", "threads": "Why?", "state": "Bo waits."},
        {"Developments": "Ann left.", "Open": "Why?", "State": ["Bo waits."], "mood": "grim"},
        "DEVELOPMENTS\nAnn left.\n\nOPEN\nWhy?\n\nSTATE\nBo waits.",
    ],
)
@pytest.mark.weakness(27)
def test_an_organised_recap_is_read_in_each_form(recap: object) -> None:
    found = read_organised(json.dumps({"recap": recap, "entities": [{"n": "Bo", "c": "Tall."}]}))
    assert found.recap == Recap(("Ann left.",), ("Why?",), ("Bo waits.",))
    assert found.lore == (LoreEntry("unknown", "Bo", (), ("Tall.",)),)


def test_a_plot_counts_as_what_happened() -> None:
    assert read_organised('{"plot": "Ann left."}').recap == Recap(("Ann left.",))


@pytest.mark.parametrize("answer", ["", "{}", '{"recap": {}}', '{"entities": [{"name": "x"}]}'])
def test_an_organised_recap_is_never_empty(answer: str) -> None:
    with pytest.raises(Unreadable):
        read_organised(answer)


@pytest.mark.parametrize(
    "answer",
    [
        '{"developments": [], "open": [], "state": [], "resolved": []}',
        '{"recap": {"developments": []}}',
        '{"developments": ""}',
    ],
)
def test_that_nothing_is_new_is_an_answer(answer: str) -> None:
    assert read_filtered(answer).is_empty


def test_what_is_new_is_read_with_what_was_settled() -> None:
    assert read_filtered('{"rc": "Ann left."}') == Recap(("Ann left.",))
    answer = '{"recap": {"developments": "Ann left.", "resolved": ["The debt was paid."]}}'
    assert read_filtered(answer) == Recap(("Ann left.",), resolved=("The debt was paid.",))


@pytest.mark.parametrize("answer", ["", "Nothing is new.", '{"answer": "none"}'])
def test_prose_is_no_statement_about_what_is_new(answer: str) -> None:
    for read in (read_filtered, read_lore):
        with pytest.raises(Unreadable):
            read(answer)


def test_lore_is_read_by_all_its_keys_and_once() -> None:
    answer = {
        "entities": [
            {"type": "place", "name": "Ford", "keywords": "river", "content": "Deep."},
            {"t": "place", "n": "ford", "k": ["water"], "c": ["Deep.", "Cold."]},
            {"name": "Empty", "content": []},
            {"type": 3, "name": None, "content": "x"},
            "no entry",
        ]
    }
    entry = LoreEntry("place", "Ford", ("river", "water"), ("Deep.", "Cold."))
    assert read_lore(json.dumps(answer)) == (entry,)
    assert read_lore(json.dumps(answer["entities"])) == (entry,)
    assert read_lore('{"entities": []}') == ()
    assert read_entries([entry.value()]) == (entry,)


def test_stored_lore_is_found_in_each_generation_of_recaps() -> None:
    item = {"type": "place", "name": "Ford", "keywords": [], "content": ["Deep."]}
    old = {"type": "place", "name": "Mill", "keywords": [], "content": ["Old."]}

    def names(stored: object) -> list[str]:
        text = stored if isinstance(stored, str) else json.dumps(stored)
        return [entry.name for entry in stored_entries(text)]

    both = {"stage2": {"entities": [old, item]}, "stage4": {"entities": [item]}}
    assert names(both) == ["Ford"]
    assert names({"stage2": {"entities": [old]}}) == ["Mill"]
    assert names({"setting_lore": [old]}) == ["Mill"]
    assert [names(text) for text in ("", "plain text", "[1]", '"x"')] == [[], [], [], []]


def test_entries_are_related_by_a_word_of_their_names() -> None:
    sloe = LoreEntry("character", "Captain Sloe", ("Henrike",), ("Tall.",))
    ford = LoreEntry("place", "The Ford", (), ("Deep.",))
    found = [LoreEntry("character", "Henrike", (), ("Left-handed.",))]
    assert related([sloe, ford], found) == (sloe,)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=30),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["recap", "extracted", "entities", "name", "content", "plot", "state"])
            | st.text(max_size=6),
            inner,
            max_size=4,
        )
    ),
)


@given(values | st.text(max_size=200))
def test_any_answer_is_read_or_refused(value: object) -> None:
    text = value if isinstance(value, str) else json.dumps(value)
    for read in READERS:
        for answer in (text, text[: len(text) * 2 // 3], f"Sure!\n{text}\nDone."):
            with contextlib.suppress(Unreadable):
                read(answer)
    stored_entries(text)
