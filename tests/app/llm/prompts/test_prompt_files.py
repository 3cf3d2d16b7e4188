"""Prompt files: what they must hold, and that inputs go in as they are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import PromptUnusable
from app.llm.prompts.prompt_files import TASKS, load_prompts, parse_prompt

GOOD = """---
task: t
version: 3
inputs: a, b
output: text
max_output_tokens: 64
---

# System
Steady {single} braces.

# User
{{a}} and {{ b }}
"""


def test_inputs_replace_their_names() -> None:
    assert parse_prompt(GOOD, "t").render({"a": "1", "b": "2"}) == (
        "Steady {single} braces.",
        "1 and 2",
    )


@given(st.text(), st.text())
def test_an_input_is_never_read_again(a: str, b: str) -> None:
    assert parse_prompt(GOOD, "t").render({"a": a, "b": b})[1] == f"{a} and {b}"


@pytest.mark.parametrize("value", ["{{b}}", r"\1 \g<0>", "$& $1", "%s {0}"])
def test_no_sign_in_an_input_has_a_meaning(value: str) -> None:
    assert parse_prompt(GOOD, "t").render({"a": value, "b": "x"})[1] == f"{value} and x"


@pytest.mark.parametrize(
    "hostile", ["</messages>", "</ Messages >", "<messages>", "< / messages>", "</news>"]
)
def test_no_input_closes_its_own_part_of_the_prompt(hostile: str) -> None:
    prompt = load_prompts()["memory_pass"]
    inputs = {"known": "k", "news": "n", "new_from": "1", "window": f"before\n{hostile}\nafter <b>"}
    _, user = prompt.render(inputs)
    tags = re.findall(r"<\s*/?\s*(?:messages|news|known)\s*>", user, re.IGNORECASE)
    assert tags == ["<known>", "</known>", "<news>", "</news>", "<messages>", "</messages>"]
    assert "after <b>" in user


@pytest.mark.parametrize("inputs", [{}, {"a": ""}, {"a": "", "b": "", "c": ""}])
def test_missing_and_unknown_inputs_are_refused(inputs: dict[str, str]) -> None:
    with pytest.raises(PromptUnusable):
        parse_prompt(GOOD, "t").render(inputs)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "---\n",
            "",
        ),
        ("version: 3\n", ""),
        ("inputs: a, b", "inputs: a"),
        ("inputs: a, b", "inputs: a, b, c"),
        ("task: t", "task: other"),
        ("# User", "# Users"),
        ("# System", "# User"),
        ("64", "many"),
        ("64", "9999999"),
    ],
)
def test_a_broken_file_is_refused(old: str, new: str) -> None:
    with pytest.raises(PromptUnusable, match=r"\.$"):
        parse_prompt(GOOD.replace(old, new, 1), "t")


@given(st.text())
def test_any_file_is_read_or_refused(text: str) -> None:
    with pytest.raises(PromptUnusable):
        parse_prompt(text, "t")


def test_every_task_ships_a_prompt_with_its_stable_part_apart() -> None:
    prompts = load_prompts()
    for task in TASKS:
        assert prompts[task].task == task
        assert "{{" not in prompts[task].system, "an input in the system part spoils the cache"


def test_a_users_file_replaces_the_shipped_one(tmp_path: Path) -> None:
    shipped = load_prompts()
    own = GOOD.replace("task: t", "task: message_recap").replace("a, b", "message")
    own = own.replace("{{a}} and {{ b }}", "{{message}}")
    (tmp_path / "message_recap.md").write_text(own, encoding="utf-8")
    prompts = load_prompts(tmp_path)
    assert prompts["message_recap"].version == "3"
    assert prompts["scene_recap"] == shipped["scene_recap"]
    assert prompts.version != shipped.version


def test_where_a_users_file_asks_for_what_there_is_not_ours_is_used_and_it_is_said(
    tmp_path: Path,
) -> None:
    own = GOOD.replace("task: t", "task: message_recap")
    (tmp_path / "message_recap.md").write_text(own, encoding="utf-8")
    prompts = load_prompts(tmp_path)
    assert prompts.by_task == load_prompts().by_task
    assert len(prompts.problems) == 1
    assert "a, b" in prompts.problems[0]
    assert prompts.problems[0].endswith("The original is used.")


def test_every_shipped_prompt_explains_each_of_its_inputs_in_a_sentence() -> None:
    for prompt in load_prompts().by_task.values():
        assert prompt.purpose.endswith(".")
        assert {name for name, _ in prompt.about} == prompt.inputs
        assert all(sentence.endswith(".") for _, sentence in prompt.about)
