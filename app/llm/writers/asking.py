"""Asks a model for what a task needs: within its context, read, and once more where need be."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar, runtime_checkable

from app.core.errors import (
    AnswerUnusable,
    BackendError,
    BackendRefused,
    GenerationTooLong,
    PromptTooLong,
)
from app.core.translation import N_, tr
from app.llm.backends.backend import Answer, Backend, Request
from app.llm.prompts.prompt_files import Prompt
from app.llm.writers.correction import Corrections
from app.llm.writers.meter import Meter, RequestUse, answered, broken_off, note
from app.llm.writers.spacing import Spacing
from app.llm.writers.task import (
    CUT_REASON,
    Form,
    Task,
    Telling,
    in_vain,
    listener,
    reason_of,
    refusing_echoes,
)
from app.llm.writers.written import OnText
from app.settings.program import GENERATION_BUDGET
from app.story.answers.answer_language import is_in_another_language
from app.story.answers.task_answers import Unreadable
from app.story.messages import combined_digest
from app.story.recap_texts.recap_length import most_entries
from app.story.scene_cues.language import LanguagePack

T = TypeVar("T")

# Other tokenizers cut a text into up to a third more pieces than the one that counts here.
MARGIN = 0.2
KNOWN_MARGIN = 0.05  # where it is known how many more a backend counts
CHARACTERS_PER_TOKEN = 4  # of reasoning, about
SMALLEST_ROOM = 256
OUTPUT_SHARE = 0.35
LEAST_OUTPUT_SHARE = 0.15
SHRINKINGS = 2

NO_ROOM = N_(
    "The context of {label} leaves too little room for its reasoning. Choose another model."
)

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


@dataclass(frozen=True, slots=True)
class Generating:
    """How a model generates. budget: tokens that an answer may take with its reasoning. marks: the
    user's own pairs of marks around reasoning. spacing: keeps requests apart.
    """

    budget: int = GENERATION_BUDGET
    marks: tuple[tuple[str, str], ...] = ()
    spacing: Spacing = field(default_factory=lambda: Spacing(lambda: 0.0))


class Asker:
    """Asks one backend. An answer that cannot be read, or was cut at its length, is asked for once
    more, never oftener.
    """

    def __init__(
        self,
        backend: Backend,
        *,
        count_tokens: Callable[[str], int],
        meter: Meter | None = None,
        corrections: Corrections | None = None,
        packs: Sequence[LanguagePack] = (),
        generating: Generating | None = None,
    ) -> None:
        self.backend = backend
        self._generating = generating or Generating()
        self._packs = packs
        self._corrections = corrections or Corrections()
        self.count = count_tokens
        self._meter = meter
        self._learned_context: int | None = None
        self._answers = self._reasoning = 0  # how many, and signs of their reasoning together
        self.is_prepared = False

    @property
    def context(self) -> int:
        """Tokens that prompt and answer may take together, as far as it is known."""
        known = self.backend.context_tokens
        return known if self._learned_context is None else min(known, self._learned_context)

    @property
    def reasoning_tokens(self) -> int:
        """Tokens of reasoning before an answer, in the mean of all answers; an estimate."""
        return self._reasoning // (CHARACTERS_PER_TOKEN * max(1, self._answers))

    async def within_context(self, write: Callable[[], Awaitable[T]]) -> T:
        """Run a task; when the server finds its prompt too long, again with half of the context."""
        if isinstance(self.backend, Preparing):
            await self.backend.prepare()
        self.is_prepared = True
        before = self._learned_context
        for _ in range(SHRINKINGS):
            known = self.context
            try:
                return await write()
            except PromptTooLong as error:
                # Else the backend has learned what it takes.
                if self.context >= known and not isinstance(error, GenerationTooLong):
                    self._learned_context = self.context // 2
        try:
            return await write()
        except PromptTooLong:
            # Nothing was learned: other tasks must not be cut to pieces for this one.
            self._learned_context = before
            raise

    def room(
        self,
        prompt: Prompt,
        inputs: Mapping[str, str],
        *,
        spare: str = AGAIN,
        answer: int | None = None,
    ) -> int:
        """Tokens left for the inputs that are still empty, as we count them.

        spare: what may be put behind the prompt. answer: as a Task has it. Raises BackendRefused
        for too few.
        """
        system, user = prompt.render({k: v for k, v in inputs.items() if k in prompt.inputs})
        fixed = self.count(system) + self.count(user) + self.count(spare) + 32
        free = int((self.context - self._output_tokens(prompt, answer)) * self._share) - fixed
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

    # 9 parameters: one request; what most tasks leave out has a default.
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
        then: Form[T] | None = None,
    ) -> T:
        """Ask, read, and ask once more when the answer cannot be read. Raises BackendError.

        telling: what it is to be in the language of, where the prompt is ours: whoever wrote
        their own may want another one. more: put behind the prompt. again: put behind it when it
        is asked once more, with a place for the reason. tries: 1 to ask only once, as where the
        same work asked twice for nothing just before. then: asked in its place the second time.
        """
        form = self.form(task, prompt, inputs, read, more=more, again=again)
        key = self.key_of(prompt, form.rendered)
        if task.kept is not None:
            answered = await task.kept.get(key)
            if answered is not None:
                with contextlib.suppress(Unreadable):  # kept by an earlier, milder reader
                    return form.read(answered)
        tries = 1 if task.spent.was_in_vain else tries
        attempts = (2,) if task.spent.was_cut else tuple(range(1, tries + 1))
        value, text = await self._asked(task, (form, then or form), telling, again, attempts)
        if task.kept is not None:
            await task.kept.keep(key, text)
        return value

    # 6 parameters: what is asked, how it is read, and what may stand behind it.
    def form(
        self,
        task: Task,
        prompt: Prompt,
        inputs: Mapping[str, str],
        read: Callable[[str], T],
        *,
        more: str = "",
        again: str = AGAIN,
    ) -> Form[T]:
        """A request of those inputs that the prompt asks for, and its reader; see `ask`."""
        known = {key: value for key, value in inputs.items() if key in prompt.inputs}
        system, user = prompt.render(known)
        if task.is_told and not prompt.is_own:
            read = refusing_echoes(read, prompt, known, more + again)
        return Form(prompt, (system, user + more), read)

    def key_of(self, prompt: Prompt, rendered: tuple[str, str]) -> str:
        """By what the answer to a request is kept."""
        return combined_digest("answer", self.backend.spec, prompt.digest, *rendered)

    async def _asked(
        self,
        task: Task,
        forms: tuple[Form[T], Form[T]],
        telling: Telling[T] | None,
        again: str,
        attempts: Sequence[int],
    ) -> tuple[T, str]:
        """What was read, and of which text: of two answers that were cut the second.

        forms: of the first time and of the second.
        """
        reason = CUT_REASON if task.spent.was_cut else ""
        task.spent.was_cut = False
        found: tuple[T, str] | None = None
        longer = 0
        for attempt in attempts:
            form = forms[attempt - 1]
            system, user = form.rendered
            behind = again.format(reason=reason) if attempt == 2 else ""
            request = self._request(form.prompt, system, user + behind, longer, task=task)
            context = self.context
            answer = await self._generate(task.prompt.task, request, listener(task))
            task.spent.add(request, answer, self.count)
            if answer.truncated and attempt == 1 and self.context < context:
                # The reasoning needs more of the context than such a prompt leaves.
                task.spent.was_cut = True
                raise PromptTooLong(tr(NO_ROOM, label=self.backend.label))
            longer = answer.allowed_tokens if answer.truncated else 0
            try:
                value = form.read(answer.text)
                if telling is not None and not form.prompt.is_own:
                    await self.check_language(telling, value)
            except Unreadable as error:
                reason = reason_of(answer, error)
                continue
            found, reason = (value, answer.text), reason_of(answer, None)
            if not (answer.truncated and answer.can_be_longer):
                break
        task.spent.was_in_vain = found is None
        if found is None:
            raise AnswerUnusable(in_vain(task, reason, is_once=attempts == (1,)))
        return found

    async def check_language(self, telling: Telling[T], value: T) -> None:
        """Raises Unreadable for an answer that is surely in another language than its source."""
        answer = telling.text_of(value)
        if await asyncio.to_thread(is_in_another_language, telling.source, answer, self._packs):
            raise Unreadable(N_("in another language than the story"))

    async def answer(self, prompt: Prompt, inputs: Mapping[str, str]) -> Answer:
        """The bare answer to a task, asked for once and not read. Raises BackendError."""
        request = self._request(prompt, *prompt.render(inputs))
        return await self._generate(prompt.task, request)

    def _request(
        self, prompt: Prompt, system: str, user: str, longer: int = 0, *, task: Task | None = None
    ) -> Request:
        """longer: tokens that an answer before this one was cut at, 0 for none."""
        estimate = (self.count(system) + self.count(user)) / self._share
        return Request(
            system,
            user,
            max_output_tokens=self._output_tokens(prompt, task.answer if task else None),
            json=task is not None and task.is_json,
            generation_tokens=max(self._generating.budget, 2 * longer),
            prompt_tokens=int(estimate),
            is_longer=longer > 0,
            marks=self._generating.marks,
        )

    @property
    def _share(self) -> float:
        """Tokens of ours for one of the backend's, at least."""
        # Parts that were cut before a factor was learned stay as they are while they fit.
        known = (1 - KNOWN_MARGIN) / self._corrections.factor(self.backend.spec)
        return min(1 - MARGIN, known)

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
            async with self._generating.spacing.request():
                answer = await self.backend.generate(request, on_text=listen)
        except (BackendError, asyncio.CancelledError) as error:
            if (use := broken_off(task, backend, request, heard, error, self.count)) is not None:
                await self._count_use(use)
            raise
        self._answers += 1
        self._reasoning += len(answer.reasoning)
        await self._count_use(answered(task, backend, request, answer, self.count))
        if answer.prompt_tokens is not None:
            ours = self.count(request.system) + self.count(request.prompt)
            self._corrections.learn(self.backend.spec, ours, answer.prompt_tokens)
        return answer

    async def _count_use(self, use: RequestUse) -> None:
        note(use)
        if self._meter is not None:
            await self._meter.took(use)

    def _output_tokens(self, prompt: Prompt, answer: int | None) -> int:
        most = max(64, min(prompt.max_output_tokens, int(self.context * OUTPUT_SHARE)))
        if answer is None:
            return most
        # A model that reasons before an answer is left as much as it took so far.
        needed = answer + 2 * self.reasoning_tokens
        return min(most, max(needed, int(self.context * LEAST_OUTPUT_SHARE)))
