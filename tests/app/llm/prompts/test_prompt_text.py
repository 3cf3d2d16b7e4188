"""What is edited of a prompt, and what is said of it while it is written."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.llm.prompts.prompt_files import TASKS, load_prompts, parse_prompt
from app.llm.prompts.prompt_library import checked_prompt
from app.llm.prompts.prompt_text import PromptText, file_of, findings, text_of

SHIPPED = load_prompts()["scene_recap"]
OURS = text_of(SHIPPED)


@pytest.mark.parametrize("task", TASKS)
def test_the_file_of_what_is_edited_of_ours_is_ours(task: str) -> None:
    shipped = load_prompts()[task]
    made = parse_prompt(file_of(text_of(shipped), shipped), task)
    assert made.digest == shipped.digest
    assert findings(text_of(shipped), shipped).problem == ""
    assert findings(text_of(shipped), shipped).remarks == ()


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"user": "{{mesages}}"}, "This task has no input {{mesages}}. Did you mean"),
        ({"user": "{{weather}}"}, "It has {{messages}}, {{previous}} and {{tokens}}."),
        ({"user": " \n "}, "The lower part is empty"),
        ({"user": "one\n# System\ntwo"}, "A line that says only “# System”"),
        ({"system": "# user"}, "A line that says only “# user”"),
        ({"max_output_tokens": 3}, "The longest answer must be 16 to 65,536 tokens."),
        ({"system": "x" * 60_000}, "too long"),
        ({"system": "\ud800"}, "characters that cannot be saved"),
    ],
)
def test_what_cannot_be_used_is_said_in_one_sentence(
    changes: dict[str, Any], sentence: str
) -> None:
    assert sentence in findings(replace(OURS, **changes), SHIPPED).problem


def test_what_may_not_be_meant_so_is_remarked_and_can_be_used() -> None:
    text = replace(OURS, user="{{messages}} {{ to do }}", system=OURS.system + "{{previous}}")
    found = findings(text, SHIPPED)
    assert found.problem == ""
    left_out, odd, upper = found.remarks
    assert left_out.startswith("{{tokens}} is missing, so the model is not told: ")
    assert odd == "{{ to do }} is not the name of an input and is sent as it is."
    assert upper.startswith("An input in the upper part")
    assert checked_prompt(file_of(text, SHIPPED), SHIPPED).inputs == {"messages", "previous"}


PIECES = st.lists(
    st.sampled_from(["{{messages}}", "{{", "}}", "# User\n", "# System", "---", "\n", " ", "x"])
    | st.text(max_size=4)
).map("".join)


@given(PIECES, PIECES, st.integers(-5, 70_000))
def test_what_has_no_problem_can_be_saved_and_is_read_as_it_was(
    system: str, user: str, tokens: int
) -> None:
    text = PromptText(system, user, tokens)
    if findings(text, SHIPPED).problem:
        return
    made = checked_prompt(file_of(text, SHIPPED), SHIPPED)
    assert text_of(made).user == user.replace("\r\n", "\n").strip()
    assert text_of(made).max_output_tokens == tokens
