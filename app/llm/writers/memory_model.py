"""Asks a model for memories: windows that fit its context, answers read line by line."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import TypeVar

from app.core.translation import N_
from app.llm.backends.backend import Answer
from app.llm.prompts.prompt_files import Prompts
from app.llm.writers.asking import Asker
from app.llm.writers.task import Spent, Task
from app.llm.writers.written import KeptAnswers
from app.memory.reading.answers import read_answer
from app.memory.reading.known import KnownForBlock
from app.memory.reading.windows import Window, windows_within
from app.memory.records import Tier
from app.memory.tiers.claims import ReadAnswer
from app.memory.tiers.table import TIERS
from app.story.answers.task_answers import Unreadable

T = TypeVar("T")

ONE_PASS = "memory_pass"
KNOWN_SHARE = 0.1  # of the context, for each of the two texts that say what is known
KNOWN_PART = 3  # of what a small context leaves beside the prompt's own words, one part for each
MOST_KNOWN = 1_800  # tokens: nearly all of a story of some hundred messages

MakeInputs = Callable[[int], Mapping[str, str]]
Parts = tuple[tuple[Window, ReadAnswer], ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """Whom one reading asks, and with what. shown: what is known, the same for all tiers. kept:
    answers of an attempt that broke off. spent: what it took so far.
    """

    model: MemoryModel
    window: Window
    shown: KnownForBlock
    kept: KeptAnswers
    spent: Spent


class MemoryModel:
    """One model, asked for memories. Raises BackendError of the kind that fits."""

    def __init__(self, asker: Asker, prompts: Prompts) -> None:
        self._asker = asker
        self._prompts = prompts

    @property
    def label(self) -> str:
        """Short name for people."""
        return self._asker.backend.label

    @property
    def spec(self) -> str:
        """The backend, as the settings name it."""
        return self._asker.backend.spec

    @property
    def known_limit(self) -> int:
        """Tokens that each of the texts about what is known may take. Raises BackendRefused."""
        left = self.room(ONE_PASS, dict.fromkeys(self._prompts[ONE_PASS].inputs, ""))
        return min(MOST_KNOWN, int(self._asker.context * KNOWN_SHARE), left // KNOWN_PART)

    @property
    def reasoning_tokens(self) -> int:
        """What the model writes before an answer, on the whole of what it was asked so far."""
        return self._asker.reasoning_tokens

    async def all_tiers(self, asked: Asked, tiers: Collection[Tier]) -> Parts:
        """Every tier from one request. Raises AnswerUnusable where the answer does not hold up."""
        shown = asked.shown
        inputs = {"known": shown.base_text, "news": shown.news_text}
        return await self._parts(ONE_PASS, asked, inputs, tiers)

    async def one_tier(self, asked: Asked, tier: Tier, known: str) -> Parts:
        """One tier from a request of its own. known: what of it is known."""
        return await self._parts(TIERS[tier].prompt, asked, {"known": known}, (tier,))

    async def ask(
        self,
        task_name: str,
        inputs: Mapping[str, str] | MakeInputs,
        read: Callable[[str], T],
        *,
        kept: KeptAnswers | None = None,
        spent: Spent | None = None,
        what: str = N_("memory"),
    ) -> T:
        """Any other task of memory. inputs: or what makes them of the tokens that there are for
        them, made anew when it turns out that there are fewer. Raises BackendError.
        """
        prompt = self._prompts[task_name]
        task = Task(prompt, what, is_json=False, kept=kept, spent=spent or Spent())

        async def ask() -> T:
            given = inputs
            if not isinstance(given, Mapping):
                room = self.room(task_name, dict.fromkeys(prompt.inputs, ""))
                given = await asyncio.to_thread(given, room)
            return await self._asker.ask(task, prompt, given, read)

        return await self._asker.within_context(ask)

    async def answer(self, task_name: str, inputs: Mapping[str, str]) -> Answer:
        """The bare answer to a task, as a trial shows it. Raises BackendError."""
        prompt = self._prompts[task_name]
        return await self._asker.within_context(lambda: self._asker.answer(prompt, inputs))

    def room(self, task_name: str, inputs: Mapping[str, str]) -> int:
        """Tokens left for inputs of a task that are given as "". Raises BackendRefused."""
        return self._asker.room(self._prompts[task_name], inputs)

    async def _parts(
        self, name: str, asked: Asked, inputs: Mapping[str, str], tiers: Collection[Tier]
    ) -> Parts:
        prompt = self._prompts[name]
        task = Task(
            prompt,
            N_("memories"),
            is_json=False,
            kept=asked.kept,
            spent=asked.spent,
            is_told=False,  # line by line, and what is no entry is no part of it
        )

        async def ask() -> Parts:
            room = self._asker.room(prompt, {**inputs, "window": "", "new_from": "1"})
            windows = await asyncio.to_thread(windows_within, asked.window, room, self._asker.count)
            read = []
            for window in windows:
                given = {**inputs, "window": window.text, "new_from": str(window.new_from)}
                answer = await self._asker.ask(task, prompt, given, lambda t: _read(t, tiers))
                read.append((window, answer))
            return tuple(read)

        return await self._asker.within_context(ask)


def _read(text: str, tiers: Collection[Tier]) -> ReadAnswer:
    answer = read_answer(text, tiers)
    entries = len(answer.claims) + len(answer.ends)
    if not answer.is_usable or len(answer.skipped) > max(4, 2 * entries):
        raise Unreadable(N_("with something other than the requested lines"))
    return answer
