"""Asks a model for what a task needs: within its context, read, and once more where need be."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar, runtime_checkable

from app.errors import AnswerUnusable, BackendError, BackendRefused, PromptTooLong
from app.llm.backend import Answer, Backend, Request
from app.llm.correction import Corrections
from app.llm.meter import Meter, answered, broken_off
from app.llm.prompt_files import Prompt
from app.llm.writer import KeptAnswers, OnText, Written
from app.story.answer_language import is_in_another_language
from app.story.answers import Unreadable, preview
from app.story.messages import combined_digest
from app.story.recap_length import most_entries
from app.story.scene_cues.language import LanguagePack
from app.translation import N_, tr

T = TypeVar("T")

# Other tokenizers cut a text into up to a third more pieces than the one that counts here.
MARGIN = 0.2
KNOWN_MARGIN = 0.05  # where it is known how many more a backend counts
SMALLEST_ROOM = 256
OUTPUT_SHARE = 0.35
SHRINKINGS = 2

AGAIN = (
    "\n\nAn answer to this was given {reason} and could not be used. Answer once more, in exactly "
    "the form that was asked for, with nothing before or after it."
)
# Behind a prompt: how many entries the answer may have. A model can count those, tokens it cannot.
ENTRIES = "\nAt most {most} entries in all lists together."
LIMIT_ROOM = 16  # tokens of that
# Behind a prompt whose answer was longer than what it was asked for.
SHORTER = (
    "\n\nAn answer to this had {now} entries. Answer once more, in the same form, with at most "
    "{most} entries in all lists: join some, and leave out what matters least later."
)


def entries_limit(prompt: Prompt, tokens: int) -> str:
    """What is put behind a prompt for a recap of so many tokens; nothing behind a user's own."""
    return "" if prompt.is_own else ENTRIES.format(most=most_entries(tokens))


@runtime_checkable
class Preparing(Protocol):
    """A backend that learns its context from its server."""

    async def prepare(self) -> None: ...


@dataclass(slots=True)
class Spent:
    """Tokens of all calls of one task."""

    prompt: int = 0
    output: int = 0
    reasoning: str = ""  # of the last answer

    def add(self, request: Request, answer: Answer, count: Callable[[str], int]) -> None:
        prompt, output = answer.prompt_tokens, answer.output_tokens
        self.prompt += prompt if prompt is not None else count(request.system + request.prompt)
        self.output += output if output is not None else count(answer.text + answer.reasoning)
        self.reasoning = answer.reasoning


@dataclass(frozen=True, slots=True)
class Task:
    """One use of a prompt. what: the noun of its failure: "No recap: ...". kept: where readable
    answers are kept, so that the same question is not asked twice.
    """

    prompt: Prompt
    what: str
    is_json: bool = True
    on_text: OnText | None = None
    kept: KeptAnswers | None = None
    spent: Spent = field(default_factory=Spent)

    def written(self, value: T, *, left_out: int = 0) -> Written[T]:
        """A value with what it took, and how many entries it had no room for."""
        spent = self.spent
        return Written(value, spent.prompt, spent.output, spent.reasoning, left_out)


@dataclass(frozen=True, slots=True)
class Telling(Generic[T]):
    """An answer is to be in the language of its source. text_of: its words, without the form's."""

    source: str
    text_of: Callable[[T], str]


class Asker:
    """Asks one backend. An answer that cannot be read is asked for once more, never oftener."""

    def __init__(
        self,
        backend: Backend,
        *,
        count_tokens: Callable[[str], int],
        meter: Meter | None = None,
        corrections: Corrections | None = None,
        packs: Sequence[LanguagePack] = (),
    ) -> None:
        self.backend = backend
        self._packs = packs
        self._corrections = corrections or Corrections()
        self.count = count_tokens
        self._meter = meter
        self._learned_context: int | None = None
        self.is_prepared = False

    @property
    def context(self) -> int:
        """Tokens that prompt and answer may take together, as far as it is known."""
        known = self.backend.context_tokens
        return known if self._learned_context is None else min(known, self._learned_context)

    async def within_context(self, write: Callable[[], Awaitable[T]]) -> T:
        """Run a task; when the server finds its prompt too long, again with half of the context."""
        if isinstance(self.backend, Preparing):
            await self.backend.prepare()
        self.is_prepared = True
        before = self._learned_context
        for _ in range(SHRINKINGS):
            try:
                return await write()
            except PromptTooLong:
                self._learned_context = self.context // 2
        try:
            return await write()
        except PromptTooLong:
            # Nothing was learned: other tasks must not be cut to pieces for this one.
            self._learned_context = before
            raise

    def room(self, prompt: Prompt, inputs: Mapping[str, str], *, spare: str = AGAIN) -> int:
        """Tokens left for the inputs that are still empty, as we count them.

        spare: what may be put behind the prompt. Raises BackendRefused for too few.
        """
        system, user = prompt.render({k: v for k, v in inputs.items() if k in prompt.inputs})
        fixed = self.count(system) + self.count(user) + self.count(spare) + 32
        # Parts that were cut before a factor was learned stay as they are while they fit.
        share = (1 - KNOWN_MARGIN) / self._corrections.factor(self.backend.spec)
        free = int((self.context - self._output_tokens(prompt)) * min(1 - MARGIN, share)) - fixed
        if free < SMALLEST_ROOM:
            raise BackendRefused(
                tr(
                    "The context of {label} is too small for this task: {context} tokens. "
                    "Choose another model.",
                    label=self.backend.label,
                    context=self.context,
                )
            )
        return free

    async def ask(
        self,
        task: Task,
        prompt: Prompt,
        inputs: Mapping[str, str],
        read: Callable[[str], T],
        telling: Telling[T] | None = None,
        *,
        more: str = "",
        again: str = AGAIN,
        tries: int = 2,
    ) -> T:
        """Ask, read, and ask once more when the answer cannot be read. Raises BackendError.

        telling: what it is to be in the language of, where the prompt is ours: whoever wrote
        their own may want another one. more: put behind the prompt. again: put behind it when it
        is asked once more, with a place for the reason. tries: 1 to ask only once.
        """
        known = {key: value for key, value in inputs.items() if key in prompt.inputs}
        system, user = prompt.render(known)
        user += more
        key = combined_digest("answer", self.backend.spec, prompt.digest, system, user)
        if task.kept is not None:
            answered = await task.kept.get(key)
            if answered is not None:
                with contextlib.suppress(Unreadable):  # kept by an earlier, milder reader
                    return read(answered)
        reason = ""
        for attempt in range(1, tries + 1):
            request = Request(
                system,
                user + (again.format(reason=reason) if attempt == 2 else ""),
                max_output_tokens=self._output_tokens(prompt),
                json=task.is_json,
            )
            answer = await self._generate(task.prompt.task, request, _listener(task))
            task.spent.add(request, answer, self.count)
            try:
                value = read(answer.text)
                if telling is not None and not prompt.is_own:
                    await self._check_language(telling, value)
            except Unreadable as error:
                reason = _reason(answer, error)
                continue
            if task.kept is not None:
                await task.kept.keep(key, answer.text)
            return value
        raise AnswerUnusable(
            tr(
                "No {what}: the model answered {reason}, twice. Try again, or choose another "
                "model.",
                what=tr(task.what),
                reason=tr(reason),
            )
        )

    async def _check_language(self, telling: Telling[T], value: T) -> None:
        """Raises Unreadable for an answer that is surely in another language than its source."""
        answer = telling.text_of(value)
        if await asyncio.to_thread(is_in_another_language, telling.source, answer, self._packs):
            raise Unreadable(N_("in another language than the story"))

    async def answer(self, prompt: Prompt, inputs: Mapping[str, str]) -> Answer:
        """The bare answer to a task, asked for once and not read. Raises BackendError."""
        system, user = prompt.render(inputs)
        limit = self._output_tokens(prompt)
        return await self._generate(prompt.task, Request(system, user, max_output_tokens=limit))

    async def _generate(self, task: str, request: Request, on_text: OnText | None = None) -> Answer:
        """Ask, and let it be counted, also where no answer came of it."""
        heard = ""

        def listen(text: str) -> None:
            nonlocal heard
            heard = text
            if on_text is not None:
                on_text(text)

        backend = self.backend.label
        try:
            answer = await self.backend.generate(request, on_text=listen)
        except (BackendError, asyncio.CancelledError) as error:
            use = broken_off(task, backend, request, heard, error, self.count)
            if use is not None and self._meter is not None:
                await self._meter.took(use)
            raise
        if self._meter is not None:
            await self._meter.took(answered(task, backend, request, answer, self.count))
        if answer.prompt_tokens is not None:
            ours = self.count(request.system) + self.count(request.prompt)
            self._corrections.learn(self.backend.spec, ours, answer.prompt_tokens)
        return answer

    def _output_tokens(self, prompt: Prompt) -> int:
        return max(64, min(prompt.max_output_tokens, int(self.context * OUTPUT_SHARE)))


def _listener(task: Task) -> OnText | None:
    on_text = task.on_text
    if on_text is None or not task.is_json:
        return on_text

    def show(text: str) -> None:
        readable = preview(text)
        if readable:
            on_text(readable)

    return show


def _reason(answer: Answer, error: Unreadable) -> str:
    if not answer.text.strip() and answer.reasoning:
        return N_("only with its reasoning and ran out of room")
    if answer.truncated and answer.text.strip():
        return N_("with more than there was room for")
    return str(error)
