"""The prompts that settle what was claimed: one closed question, and merging (spec §12, §24)."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from app.llm.prompts.prompt_files import MEMORY_PASS, RECONCILIATION_TASKS, Prompts, load_prompts
from app.llm.tokenizer import counter_for
from app.memory.lifecycle.decisions import Question, read_word
from app.memory.reading.answers import read_answer
from app.memory.records import LONG_TERM_TYPES, SESSION_TYPES, Tier

PROMPTS = load_prompts()
QUESTION, CONSOLIDATION = (PROMPTS[task] for task in RECONCILIATION_TASKS)


def test_the_question_explains_every_word_that_it_may_offer() -> None:
    for question in Question:
        for word in question.value:
            assert f"\n{word}: " in QUESTION.system


@pytest.mark.pitfall(50)
def test_the_question_is_short_and_tells_nobody_not_to_play() -> None:
    assert counter_for().count(QUESTION.system + QUESTION.user) <= 150
    assert "play" not in QUESTION.system  # small models then answer No to everything (spec §23)
    assert "instruction" not in QUESTION.system


def test_the_question_ends_with_the_words_on_offer() -> None:
    user = QUESTION.render({"known": "@known@", "new": "@new@", "words": "UPDATE, INDEPENDENT"})[1]
    assert user.index("@known@") < user.index("@new@") < user.index("UPDATE, INDEPENDENT")
    assert user.count("\n", user.index("UPDATE")) == 0
    assert "DUPLICATE" not in user


def test_a_line_of_the_question_that_is_copied_is_one_of_its_words() -> None:
    for line in QUESTION.system.splitlines()[2:]:
        assert read_word(line) is not None


def test_merging_shows_known_notes_first_and_names_the_type_last() -> None:
    user = CONSOLIDATION.render({"type": "detail", "known": "@known@", "new": "@new@"})[1]
    assert user.index("@known@") < user.index("@new@")
    assert user.endswith("[detail:")


@pytest.mark.parametrize("type_", [*LONG_TERM_TYPES, *SESSION_TYPES])
def test_the_form_that_merging_shows_is_the_form_that_is_read(type_: str) -> None:
    tier = Tier.LONG_TERM if type_ in LONG_TERM_TYPES else Tier.SESSION
    form = next(line for line in CONSOLIDATION.system.splitlines() if line.startswith("[<type>"))
    line = form.replace("<type>", type_).replace("<A>", "Ida").replace("<B>", "Otto")
    (claim,) = read_answer(line.replace("<thing>", "the boat"), (tier,)).claims
    assert (claim.type, claim.importance, claim.sources) == (type_, 2, (1, 7))
    assert claim.text == "Ida owns the boat, which Otto gave back."


def test_a_merging_prompt_that_is_copied_into_the_answer_says_nothing() -> None:
    user = CONSOLIDATION.render({"type": "fact", "known": "Nothing yet.", "new": ""})[1]
    answer = read_answer(f"{CONSOLIDATION.system}\n{user}", (Tier.LONG_TERM, Tier.SESSION))
    assert not answer.claims


@pytest.mark.pitfall(51)
def test_merging_goes_step_by_step_and_puts_no_labels_on_notes() -> None:
    """Spec §23: with labels to choose from, models keep everything."""
    steps = [line[:2] for line in CONSOLIDATION.system.splitlines() if line[:1].isdigit()]
    assert steps == ["1.", "2.", "3.", "4."]
    assert set(re.findall(r"\b[A-Z]{2,}\b", CONSOLIDATION.system)) == {"NONE"}


@pytest.mark.parametrize("task", RECONCILIATION_TASKS)
def test_another_prompt_of_settling_makes_another_pass(task: str) -> None:
    changed = {**PROMPTS.by_task, task: replace(PROMPTS[task], digest="another")}
    before, after = PROMPTS.versions, Prompts(changed).versions
    assert [work for work in before if before[work] != after[work]] == [MEMORY_PASS]
