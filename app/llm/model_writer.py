"""Recaps and breaks from a language model: prompt in, answer checked, never beyond its context."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar, runtime_checkable

from app.errors import AnswerUnusable, BackendRefused, PromptTooLong
from app.llm.backend import Answer, Backend, Request
from app.llm.prompt_files import Prompt, Prompts
from app.llm.transcript import (
    clipped,
    entry,
    newest_lines,
    numbered_entry,
    parts_of,
    told,
    undecorated,
)
from app.llm.writer import OnText, SceneDraft, Written
from app.story.answers import (
    Unreadable,
    preview,
    read_break,
    read_running,
    read_scene,
    read_sentence,
)
from app.story.messages import Message
from app.story.recap_text import Recap, fitted

T = TypeVar("T")

# Other tokenizers cut a text into up to a third more pieces than the one that counts here.
MARGIN = 0.2
SMALLEST_ROOM = 256
PREVIOUS_SHARE = 0.25  # of the context, for what came before a scene
OUTPUT_SHARE = 0.35
CONTEXT_MESSAGES = 4
SHORTEST_MESSAGE = 40  # tokens of a message in a search for breaks, at least
SHRINKINGS = 2
ADVICE = "Try again, or choose another model."
NONE_ALLOWED = "Answer false if none of them is."
NONE_FORBIDDEN = (
    "The scene has grown too long, so one of them has to be chosen: false is no answer this time. "
    "Choose the one where the story comes closest to such an end."
)

AGAIN = (
    "\n\nAn answer to this was given {reason} and could not be used. Answer once more, in exactly "
    "the form that was asked for, with nothing before or after it."
)


@runtime_checkable
class Preparing(Protocol):
    """A backend that learns its context from its server."""

    async def prepare(self) -> None: ...


@dataclass(slots=True)
class _Spent:
    """Tokens of all calls of one task."""

    prompt: int = 0
    output: int = 0

    def add(self, request: Request, answer: Answer, count: Callable[[str], int]) -> None:
        prompt, output = answer.prompt_tokens, answer.output_tokens
        self.prompt += prompt if prompt is not None else count(request.system + request.prompt)
        self.output += output if output is not None else count(answer.text + answer.reasoning)


@dataclass(frozen=True, slots=True)
class _Task:
    """One use of a prompt. what: the noun of its failure: "No recap: ..."."""

    prompt: Prompt
    what: str
    is_json: bool = True
    on_text: OnText | None = None
    spent: _Spent = field(default_factory=_Spent)


class ModelWriter:
    """A RecapWriter that asks a model.

    A scene that is longer than the context is recapped in parts, and these are merged one after
    the other. An answer that cannot be read is asked for once more, never oftener.
    """

    def __init__(
        self, backend: Backend, prompts: Prompts, *, count_tokens: Callable[[str], int]
    ) -> None:
        self._backend = backend
        self._prompts = prompts
        self._count = count_tokens
        self._learned_context: int | None = None
        self._is_prepared = False

    @property
    def label(self) -> str:
        return self._backend.label

    @property
    def spec(self) -> str:
        return self._backend.spec

    @property
    def prompt_version(self) -> str:
        return self._prompts.version

    @property
    def versions(self) -> Mapping[str, str]:
        return self._prompts.versions

    @property
    def context_tokens(self) -> int | None:
        return self._context() if self._is_prepared else None

    async def scene_recap(
        self,
        messages: Sequence[Message],
        *,
        previous: str,
        tokens: int,
        on_text: OnText | None = None,
    ) -> Written[SceneDraft]:
        """See RecapWriter."""
        if not told(messages):
            raise AnswerUnusable("No recap: the scene holds no words.")
        task = _Task(self._prompts["scene_recap"], "recap", on_text=on_text)

        async def write() -> SceneDraft:
            before = newest_lines(previous, int(self._context() * PREVIOUS_SHARE), self._count)
            inputs = {"previous": before or "(nothing yet)", "tokens": str(tokens)}
            room = self._room(task.prompt, {**inputs, "messages": ""})
            parts = await asyncio.to_thread(parts_of, messages, room, self._count)
            name, recap = await self._scene_part(task, inputs, parts[0])
            for part in parts[1:]:
                later_name, later = await self._scene_part(task, inputs, part)
                name = name or later_name
                recap = await self._merged(task, recap.render(), later_name, later.render(), tokens)
            return SceneDraft(name, fitted(recap, tokens, self._count).render())

        return self._written(await self._within_context(write), task)

    async def running_recap(
        self,
        previous: str,
        scene_name: str,
        scene_text: str,
        *,
        tokens: int,
        on_text: OnText | None = None,
    ) -> Written[str]:
        """See RecapWriter."""
        task = _Task(self._prompts["running_recap"], "running recap", on_text=on_text)

        async def write() -> Recap:
            return await self._merged(task, previous, scene_name, scene_text, tokens)

        recap = await self._within_context(write)
        return self._written(fitted(recap, tokens, self._count).render(), task)

    async def message_recap(
        self, message: Message, *, context: Sequence[Message] = (), on_text: OnText | None = None
    ) -> Written[str]:
        """See RecapWriter."""
        task = _Task(self._prompts["message_recap"], "recap", is_json=False, on_text=on_text)

        async def write() -> str:
            room = self._room(task.prompt, {"context": "", "message": ""})
            own = clipped(entry(message), room * 3 // 4, self._count)
            before = [entry(m) for m in told(context)[-CONTEXT_MESSAGES:]]
            share = (room - self._count(own)) // max(1, len(before))
            texts = [clipped(text, share - 4, self._count) for text in before]
            inputs = {"context": "\n\n".join(filter(None, texts)) or "(none)", "message": own}
            return await self._ask(task, task.prompt, inputs, read_sentence)

        if not told([message]):
            raise AnswerUnusable("No recap: the message holds no words.")
        return self._written(await self._within_context(write), task)

    async def find_break(
        self,
        messages: Sequence[Message],
        *,
        first: int = 0,
        last: int | None = None,
        barred: Collection[int] = (),
        forced: bool = False,
        on_text: OnText | None = None,
    ) -> Written[int | None]:
        """See RecapWriter. Messages that do not fit into the context are not looked at."""
        task = _Task(self._prompts["detect_breaks"], "scene break")
        end = len(messages) - 1 if last is None else min(last, len(messages) - 1)
        wanted = frozenset(range(first, end + 1)).difference(barred)
        choice = {"choice": NONE_FORBIDDEN if forced else NONE_ALLOWED}

        async def write() -> int | None:
            numbers = {"earliest": "9999", "latest": "9999"}
            room = self._room(task.prompt, {"messages": "", **numbers, **choice})
            text, eligible = await asyncio.to_thread(self._numbered, messages, wanted, room)
            if not eligible:
                return None
            inputs = {
                "messages": text,
                "earliest": str(min(eligible) + 1),
                "latest": str(max(eligible) + 1),
                **choice,
            }
            allowed = {index + 1 for index in eligible}

            def read(answer: str) -> int | None:
                return read_break(answer, allowed, is_forced=forced)

            number = await self._ask(task, task.prompt, inputs, read)
            return None if number is None else number - 1

        return self._written(await self._within_context(write), task)

    async def aclose(self) -> None:
        """Give back connections."""
        await self._backend.aclose()

    # What the tasks have in common

    async def _within_context(self, write: Callable[[], Awaitable[T]]) -> T:
        """Run a task; when the server finds its prompt too long, again with half of the context."""
        if isinstance(self._backend, Preparing):
            await self._backend.prepare()
        self._is_prepared = True
        before = self._learned_context
        for _ in range(SHRINKINGS):
            try:
                return await write()
            except PromptTooLong:
                self._learned_context = self._context() // 2
        try:
            return await write()
        except PromptTooLong:
            # Nothing was learned: other tasks must not be cut to pieces for this one.
            self._learned_context = before
            raise

    def _numbered(
        self, messages: Sequence[Message], wanted: Collection[int], room: int
    ) -> tuple[str, list[int]]:
        """Messages written out with numbers from 1, and the eligible indexes among them."""
        shown = [(i, undecorated(m.text)) for i, m in enumerate(messages) if told([m])]
        share = max(SHORTEST_MESSAGE, room // max(1, len(shown)) - 16)
        lines: list[str] = []
        eligible: list[int] = []
        spent = 0
        for index, text in shown:
            is_eligible = index in wanted
            line = numbered_entry(
                index + 1 if is_eligible else None,
                messages[index],
                clipped(text, share, self._count),
            )
            spent += self._count(line) + 2
            if spent > room:
                break
            lines.append(line)
            if is_eligible:
                eligible.append(index)
        return "\n\n".join(lines), eligible

    async def _scene_part(
        self, task: _Task, inputs: Mapping[str, str], part: str
    ) -> tuple[str, Recap]:
        return await self._ask(task, task.prompt, {**inputs, "messages": part}, read_scene)

    async def _merged(
        self, task: _Task, previous: str, scene_name: str, scene_text: str, tokens: int
    ) -> Recap:
        prompt = self._prompts["running_recap"]
        inputs = {"scene_name": scene_name or "(no name)", "tokens": str(tokens)}
        room = self._room(prompt, {**inputs, "previous": "", "scene_recap": ""})
        scene = clipped(scene_text, room // 2, self._count)
        before = newest_lines(previous, room - self._count(scene) - 8, self._count)
        inputs |= {"previous": before or "(nothing yet)", "scene_recap": scene}
        return await self._ask(task, prompt, inputs, read_running)

    async def _ask(
        self,
        task: _Task,
        prompt: Prompt,
        inputs: Mapping[str, str],
        read: Callable[[str], T],
    ) -> T:
        """Ask, read, and ask once more when the answer cannot be read."""
        known = {key: value for key, value in inputs.items() if key in prompt.inputs}
        system, user = prompt.render(known)
        reason = ""
        for attempt in (1, 2):
            request = Request(
                system,
                user + (AGAIN.format(reason=reason) if attempt == 2 else ""),
                max_output_tokens=self._output_tokens(prompt),
                json=task.is_json,
            )
            answer = await self._backend.generate(request, on_text=self._listener(task))
            task.spent.add(request, answer, self._count)
            try:
                return read(answer.text)
            except Unreadable as error:
                reason = _reason(answer, error)
        raise AnswerUnusable(f"No {task.what}: the model answered {reason}, twice. {ADVICE}")

    def _listener(self, task: _Task) -> OnText | None:
        on_text = task.on_text
        if on_text is None or not task.is_json:
            return on_text

        def show(text: str) -> None:
            readable = preview(text)
            if readable:
                on_text(readable)

        return show

    def _context(self) -> int:
        known = self._backend.context_tokens
        return known if self._learned_context is None else min(known, self._learned_context)

    def _output_tokens(self, prompt: Prompt) -> int:
        return max(64, min(prompt.max_output_tokens, int(self._context() * OUTPUT_SHARE)))

    def _room(self, prompt: Prompt, inputs: Mapping[str, str]) -> int:
        """Tokens left for the inputs that are still empty."""
        system, user = prompt.render({k: v for k, v in inputs.items() if k in prompt.inputs})
        fixed = self._count(system) + self._count(user) + self._count(AGAIN) + 32
        free = int((self._context() - self._output_tokens(prompt)) * (1 - MARGIN)) - fixed
        if free < SMALLEST_ROOM:
            raise BackendRefused(
                f"The context of {self.label} is too small for this task: {self._context()} "
                "tokens. Choose another model."
            )
        return free

    def _written(self, value: T, task: _Task) -> Written[T]:
        return Written(value, task.spent.prompt, task.spent.output)


def _reason(answer: Answer, error: Unreadable) -> str:
    if not answer.text.strip() and answer.reasoning:
        return "only with its reasoning and ran out of room"
    if answer.truncated and answer.text.strip():
        return "with more than there was room for"
    return str(error)
