"""One use of a prompt: what is asked, how its answer is read, what it took, and why it failed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from app.core.translation import N_, tr
from app.llm.backends.backend import Answer, Request
from app.llm.prompts.prompt_files import TAG, Prompt
from app.llm.writers.written import KeptAnswers, OnText, Written
from app.story.answers.echoes import echoes, sentences_of
from app.story.answers.task_answers import Unreadable, preview

T = TypeVar("T")

CUT_REASON = N_("only with its reasoning, then ran out of room")
TOO_LONG_REASON = N_("with more than fits")


@dataclass(slots=True)
class Spent:
    """Tokens of all calls of one task."""

    prompt: int = 0
    output: int = 0
    reasoning: str = ""  # of the last answer
    was_cut: bool = False  # the last prompt left too little room for the reasoning
    was_in_vain: bool = False  # a task was asked twice for nothing: others are asked once

    def add(self, request: Request, answer: Answer, count: Callable[[str], int]) -> None:
        prompt, output = answer.prompt_tokens, answer.output_tokens
        self.prompt += prompt if prompt is not None else count(request.system + request.prompt)
        self.output += output if output is not None else count(answer.text + answer.reasoning)
        self.reasoning = answer.reasoning


@dataclass(frozen=True, slots=True)
class Task:
    """One use of a prompt. what: the noun of its failure: "No recap: ...". kept: where readable
    answers are kept, so that the same question is not asked twice. answer: tokens that an answer
    is to have room for, None for as many as the prompt's file says. is_told: what is read of an
    answer is kept as a text about the story; else it may speak of its request.
    """

    prompt: Prompt
    what: str
    is_json: bool = True
    on_text: OnText | None = None
    kept: KeptAnswers | None = None
    spent: Spent = field(default_factory=Spent)
    answer: int | None = None
    is_told: bool = True

    def written(self, value: T, *, left_out: int = 0) -> Written[T]:
        """A value with what it took, and how many entries it had no room for."""
        spent = self.spent
        return Written(value, spent.prompt, spent.output, spent.reasoning, left_out)


@dataclass(frozen=True, slots=True)
class Telling(Generic[T]):
    """An answer is to be in the language of its source. text_of: its words, without the form's."""

    source: str
    text_of: Callable[[T], str]


@dataclass(frozen=True, slots=True)
class Form(Generic[T]):
    """What is asked the second time, in place of the same once more. rendered: system and user."""

    prompt: Prompt
    rendered: tuple[str, str]
    read: Callable[[str], T]


def refusing_echoes(
    read: Callable[[str], T], prompt: Prompt, inputs: Mapping[str, str], behind: str
) -> Callable[[str], T]:
    """The reader, which raises Unreadable too for an answer that says words of our request.
    behind: what stands, or may stand, behind the prompt.
    """
    template = f"{prompt.system}\n{prompt.user}"
    ours, tags = sentences_of(template, behind), frozenset(TAG.findall(template))

    def strictly(text: str) -> T:
        value = read(text)
        if echoes(value, ours, tags, inputs.values()):
            raise Unreadable(N_("with words from the request itself"))
        return value

    return strictly


def in_vain(task: Task, reason: str, *, is_once: bool) -> str:
    """The sentence of its failure. is_once: it was asked only once."""
    said = {"what": tr(task.what), "reason": tr(reason)}
    if is_once:
        return tr(
            "No {what}: the model answered {reason}. Try again, or choose another model.", **said
        )
    return tr(
        "No {what}: the model answered {reason}, twice. Try again, or choose another model.", **said
    )


def listener(task: Task) -> OnText | None:
    """Who is told what an answer says so far, where somebody is."""
    on_text = task.on_text
    if on_text is None or not task.is_json:
        return on_text

    def show(text: str) -> None:
        readable = preview(text)
        if readable:
            on_text(readable)

    return show


def reason_of(answer: Answer, error: Unreadable | None) -> str:
    """What was wrong with an answer. error: of its reader, None where it was cut at its length."""
    if not answer.text.strip() and answer.reasoning:
        return CUT_REASON
    if error is None or (answer.truncated and answer.text.strip()):
        return TOO_LONG_REASON
    return str(error)
