"""Reasoning comes off in every form, in linear time, also while an answer streams in."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.llm.backends.reasoning import strip_reasoning, visible_text

ANSWER = '{"name": "x"}'


@pytest.mark.parametrize(
    "text",
    [
        f"<think>a</think>{ANSWER}",
        f"<THINK>\na\n</Think>\n\n{ANSWER}",
        f"<thinking>a</thinking>{ANSWER}",
        f"<thought>a</thought>{ANSWER}",
        f"<reasoning>a</reasoning>{ANSWER}",
        f"<reflection>a</reflection>{ANSWER}",
        f"<analysis>a</analysis>{ANSWER}",
        f"<seed:think>a</seed:think>{ANSWER}",
        f'<think duration="3">a</think>{ANSWER}',
        f"[THINK]a[/THINK]{ANSWER}",
        f"◁think▷a◁/think▷{ANSWER}",
        f"<|channel>thought\na\n<channel|>{ANSWER}",
        f"<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>{ANSWER}",
        f"<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final "
        f"<|constrain|>json<|message|>{ANSWER}<|return|>",
        f"analysisWe think a.assistantfinal{ANSWER}",
        f"<think>a<think>b</think>c</think>{ANSWER}",
        f"<think>a<analysis>b</analysis>c</think>{ANSWER}",
        f"<think>a</thinking>{ANSWER}",
        f"<think>a</think>{ANSWER}<think>b</think>",
        f"the opener was in the prompt</think>{ANSWER}",
        f"first</think>second</think>{ANSWER}",
        f"<think>I should not write <think> here.</think>{ANSWER}",
        f"<think>a<reasoning>b</think>{ANSWER}",
        f"```json\n{ANSWER}\n```",
        f"<think>a</think>\n```\n{ANSWER}\n```\n",
    ],
)
def test_only_the_answer_is_left(text: str) -> None:
    stripped = strip_reasoning(text)
    assert (stripped.text, stripped.is_truncated) == (ANSWER, False)


def test_reasoning_is_kept_apart() -> None:
    assert strip_reasoning("<think>why</think>yes").reasoning == "why"


def test_reasoning_that_never_ends_leaves_what_stood_before() -> None:
    stripped = strip_reasoning("Yes.<think>but then")
    assert (stripped.text, stripped.is_truncated, stripped.is_salvaged) == ("Yes.", True, False)


@pytest.mark.parametrize(
    "text", ["<think>half\nline", "<|channel|>analysis<|message|>half\nline", "half\nline</think>"]
)
def test_where_nothing_else_is_the_inside_is_saved_and_marked(text: str) -> None:
    stripped = strip_reasoning(text)
    assert (stripped.text, stripped.is_truncated, stripped.is_salvaged) == (
        "half\nline",
        True,
        True,
    )


def test_closed_reasoning_without_an_answer_is_an_empty_text() -> None:
    assert strip_reasoning("<think>a</think>").text == ""


def test_the_users_own_marks_count() -> None:
    stripped = strip_reasoning("((plan))a((/plan))yes", [("((plan))", "((/plan))")])
    assert stripped.text == "yes"


@pytest.mark.parametrize(
    "text", ["He felt <b>bold</b>.", "2 < 3 and 4 > 1", "[thinking] of home", "a `code` b", ""]
)
def test_a_text_without_reasoning_stays(text: str) -> None:
    assert strip_reasoning(text).text == text


def test_code_inside_of_an_answer_stays() -> None:
    text = "```\na\n```\nand\n```\nb\n```"
    assert strip_reasoning(text).text == text


def test_no_mark_and_no_reasoning_is_shown_while_streaming() -> None:
    whole = f"<think>secret</think>\n{ANSWER} done <|channel>thought\nsecret<channel|> end"
    for end in range(len(whole) + 1):
        shown = visible_text(whole[:end])
        assert "secret" not in shown
        assert "<" not in shown
    assert visible_text(whole).endswith("end")


def test_harmony_is_not_shown_while_streaming() -> None:
    whole = "<|channel|>analysis<|message|>secret<|end|><|start|>assistant"
    whole += "<|channel|>final<|message|>Yes"
    for end in range(len(whole) + 1):
        shown = visible_text(whole[:end])
        assert "secret" not in shown
        assert shown in ("", "Y", "Ye", "Yes"), (whole[:end], shown)
    assert visible_text(whole) == "Yes"


PIECES = st.sampled_from(
    [
        "<think>",
        "</think>",
        "<THINKING>",
        "</analysis>",
        "[THINK]",
        "[/THINK]",
        "◁think▷",
        "◁/think▷",
        "<|channel>thought\n",
        "<channel|>",
        "<|channel|>final<|message|>",
        "<|end|>",
        "<",
        ">",
        "`",
        "<|channel|>analysis<|message|>",
        "```",
        "\n",
        " ",
        "words",
        "{",
        "assistantfinal",
        "<|",
    ]
)


@given(st.lists(PIECES, max_size=30).map("".join))
def test_any_mixture_of_marks_is_survived(text: str) -> None:
    stripped = strip_reasoning(text)
    assert len(stripped.text) <= len(text)
    assert stripped.text == stripped.text.strip()
    assert len(visible_text(text)) <= len(text)


@given(st.lists(st.sampled_from(["a", "b ", "c\n"])).map("".join), st.sampled_from(["yes", "no."]))
def test_one_closed_block_never_costs_the_answer(inside: str, answer: str) -> None:
    assert strip_reasoning(f"<think>{inside}</think>{answer}").text == answer


@pytest.mark.parametrize(
    "piece",
    [
        "<think>",
        "</think>",
        "<think></think>",
        "<",
        "<think ",
        "[",
        "<|channel|>",
        "```\n",
        "\n ",
        "<think><analysis></think>",
        "<|channel|>analysis<|message|>",
        "<|",
        "◁",
        "analysis",
    ],
)
@pytest.mark.weakness(48)
def test_hostile_answers_cost_linear_time(piece: str) -> None:
    text = piece * (400_000 // len(piece))
    started = time.perf_counter()
    strip_reasoning(text)
    visible_text(text)
    assert time.perf_counter() - started < 4.0
