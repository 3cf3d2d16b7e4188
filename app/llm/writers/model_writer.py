"""Recaps and breaks from a language model: prompt in, answer checked, never beyond its context."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from app.core.errors import AnswerUnusable
from app.core.translation import N_, tr
from app.llm.prompts.prompt_files import Prompts
from app.llm.writers.asking import LIMIT_ROOM, SHORTER, SMALLEST_ROOM, Asker, entries_limit
from app.llm.writers.memory_model import MemoryModel
from app.llm.writers.recap_merger import RecapMerger
from app.llm.writers.scene_and_fold import Beside, SceneAndFold
from app.llm.writers.second_answers import SecondAnswers
from app.llm.writers.staged_recap import StagedRecap
from app.llm.writers.task import Task, Telling
from app.llm.writers.transcript import (
    clipped,
    entry,
    newest_lines,
    numbered_entry,
    parts_of,
    told,
    undecorated,
)
from app.llm.writers.writer import Merge, SceneDraft, Staging
from app.llm.writers.written import KeptAnswers, OnText, Written
from app.story.answers.merging import bounded
from app.story.answers.task_answers import (
    BreakAnswer,
    read_break,
    read_breaks,
    read_scene,
    read_sentence,
)
from app.story.doubtful_breaks import TOKENS_SHOWN
from app.story.messages import Message
from app.story.recap_texts.recap_length import entries_asked_again, entries_in
from app.story.recap_texts.recap_text import Recap

PREVIOUS_SHARE = 0.08  # of the context, for what came before a scene
MOST_PREVIOUS = 600  # tokens of that: more explains no scene better, and is paid for each time
NO_STRETCH_ROOM = N_("The context of {label} is too small to find scene breaks with it.")
SHORTEST_MESSAGE = 40  # tokens of a message in a search for breaks, at least
NOTHING_YET = "(nothing yet)"
# An answer with the form around it, and one that is too long before it is asked for shorter. Each
# part that a scene is cut into for want of room tells less of it and is paid for with a merge.
ANSWER_SHARE, NAME_ROOM = 2, 200
SHORTEST_PART = 100  # tokens of the recap of one part of a scene
NONE_ALLOWED = "Answer false if none of them is."
NONE_FORBIDDEN = (
    "The scene has grown too long, so one of them has to be chosen: false is no answer this time. "
    "Choose the one where the story comes closest to such an end."
)


class ModelWriter:
    """A RecapWriter that asks a model.

    A scene that is longer than the context is recapped in parts, and these are merged one after
    the other. An answer that cannot be read is asked for once more, never oftener.
    """

    def __init__(self, asker: Asker, prompts: Prompts) -> None:
        self._asker = asker
        self._backend = asker.backend
        self._prompts = prompts
        self._count = asker.count
        self._merger = RecapMerger(self._asker, prompts)
        self._second = SecondAnswers()
        self._scene_and_fold = SceneAndFold(asker, prompts, self._merger)
        self.memory = MemoryModel(self._asker, prompts)

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
    def folds_beside(self) -> bool:
        return not any(self._prompts[task].is_own for task in ("scene_recap", "running_recap"))

    @property
    def context_tokens(self) -> int | None:
        return self._asker.context if self._asker.is_prepared else None

    async def scene_recap(
        self,
        messages: Sequence[Message],
        *,
        previous: str,
        tokens: int,
        on_text: OnText | None = None,
        staging: Staging | None = None,
        beside: Merge | None = None,
    ) -> Written[SceneDraft]:
        """See RecapWriter."""
        if staging is not None:
            staged = StagedRecap(self._asker, self._prompts, staging, on_text)
            return await staged.write(messages, previous=previous, tokens=tokens)
        if not told(messages):
            raise AnswerUnusable(tr("No recap: the scene contains no text."))
        answer = ANSWER_SHARE * tokens + NAME_ROOM
        task = Task(self._prompts["scene_recap"], N_("recap"), on_text=on_text, answer=answer)

        async def write() -> SceneDraft:
            empty = {"tokens": str(tokens), "messages": "", "previous": ""}
            room = self._asker.room(task.prompt, empty, answer=answer) - LIMIT_ROOM
            share = min(
                MOST_PREVIOUS,
                int(self._asker.context * PREVIOUS_SHARE),
                room - SMALLEST_ROOM,
            )
            before = newest_lines(previous, share, self._count) if share > 0 else ""
            inputs = {"previous": before or NOTHING_YET}
            room -= self._count(inputs["previous"])
            parts = await asyncio.to_thread(parts_of, messages, room, self._count)
            shares = self._shares(parts, tokens)
            both = None
            if beside is not None and len(parts) == 1:
                both = self._scene_and_fold.beside(beside, parts[0], tokens, answer)
            name, recap, fold = await self._scene_part(task, inputs, parts[0], shares[0], both)
            for part, share in zip(parts[1:], shares[1:], strict=True):
                later_name, later, _ = await self._scene_part(task, inputs, part, share)
                name = name or later_name
                merge = Merge(recap.render(), later_name, later.render(), tokens)
                recap = await self._merger.merged(task, merge)
            return SceneDraft(name, recap.render(), beside=fold)

        return task.written(await self._asker.within_context(write))

    async def running_recap(
        self, merge: Merge, *, kept: KeptAnswers | None = None, on_text: OnText | None = None
    ) -> Written[str]:
        """See RecapWriter. A version keeps what is over its room, up to HARD_BOUND times that."""
        prompt = self._prompts["running_recap"]
        task = Task(prompt, N_("running recap"), on_text=on_text, kept=kept)

        async def write() -> Recap:
            return await self._merger.merged(task, merge)

        recap = await self._asker.within_context(write)
        within, left_out = bounded(recap, merge.tokens, self._count)
        return task.written(within.render(), left_out=left_out)

    async def message_recap(
        self, message: Message, *, context: Sequence[Message] = (), on_text: OnText | None = None
    ) -> Written[str]:
        """See RecapWriter."""
        task = Task(self._prompts["message_recap"], N_("recap"), is_json=False, on_text=on_text)

        async def write() -> str:
            room = self._asker.room(task.prompt, {"context": "", "message": ""})
            own = clipped(entry(message), room * 3 // 4, self._count)
            before = [entry(m) for m in told(context)]
            share = (room - self._count(own)) // max(1, len(before))
            texts = [clipped(text, share - 4, self._count) for text in before]
            inputs = {"context": "\n\n".join(filter(None, texts)) or "(none)", "message": own}
            told_of: Telling[str] = Telling(message.text, lambda sentence: sentence)
            return await self._asker.ask(task, task.prompt, inputs, read_sentence, told_of)

        if not told([message]):
            raise AnswerUnusable(tr("No recap: the message contains no text."))
        return task.written(await self._asker.within_context(write))

    async def find_break(
        self,
        messages: Sequence[Message],
        *,
        first: int = 0,
        last: int | None = None,
        barred: Collection[int] = (),
        forced: bool = False,
        on_text: OnText | None = None,
    ) -> Written[BreakAnswer]:
        """See RecapWriter. Messages that do not fit into the context are not looked at."""
        task = Task(self._prompts["detect_breaks"], N_("scene break"), is_told=False)
        end = len(messages) - 1 if last is None else min(last, len(messages) - 1)
        wanted = frozenset(range(first, end + 1)).difference(barred)
        choice = {"choice": NONE_FORBIDDEN if forced else NONE_ALLOWED}

        async def write() -> BreakAnswer:
            numbers = {"earliest": "9999", "latest": "9999"}
            room = self._asker.room(task.prompt, {"messages": "", **numbers, **choice})
            text, eligible = await asyncio.to_thread(self._numbered, messages, wanted, room)
            if not eligible:
                return BreakAnswer(None)
            inputs = {
                "messages": text,
                "earliest": str(min(eligible) + 1),
                "latest": str(max(eligible) + 1),
                **choice,
            }
            allowed = {index + 1 for index in eligible}

            def read(answer: str) -> BreakAnswer:
                return read_break(answer, allowed, is_forced=forced)

            found = await self._asker.ask(task, task.prompt, inputs, read)
            return found if found.place is None else replace(found, place=found.place - 1)

        return task.written(await self._asker.within_context(write))

    async def find_breaks(
        self, messages: Sequence[Message], *, wanted: Collection[int]
    ) -> Written[tuple[BreakAnswer, ...]]:
        """See RecapWriter. Of a long message its two ends are shown.

        Raises AnswerUnusable without asking where not all fit, too: what is not shown cannot be
        told to be no end.
        """
        task = Task(self._prompts["doubtful_breaks"], N_("scene breaks"), is_told=False)

        async def write() -> tuple[BreakAnswer, ...]:
            numbers = {"earliest": "9999", "latest": "9999"}
            room = self._asker.room(task.prompt, {"messages": "", **numbers})
            text, eligible = await asyncio.to_thread(
                self._numbered, messages, frozenset(wanted), room, most=TOKENS_SHOWN
            )
            if len(eligible) < max(1, len(told([messages[index] for index in wanted]))):
                raise AnswerUnusable(tr(NO_STRETCH_ROOM, label=self._asker.backend.label))
            inputs = {
                "messages": text,
                "earliest": str(min(eligible) + 1),
                "latest": str(max(eligible) + 1),
            }
            allowed = {index + 1 for index in eligible}

            def read(answer: str) -> tuple[BreakAnswer, ...]:
                return read_breaks(answer, allowed)

            # Once only: two requests for 100 messages are the most, and without an answer the
            # breaks stay as the cues found them.
            found = await self._asker.ask(task, task.prompt, inputs, read, tries=1)
            return tuple(BreakAnswer(end.place - 1, end.rationale) for end in found if end.place)

        return task.written(await self._asker.within_context(write))

    async def aclose(self) -> None:
        """Give back connections."""
        await self._backend.aclose()

    # What the tasks have in common

    def _numbered(
        self, messages: Sequence[Message], wanted: Collection[int], room: int, *, most: int = 0
    ) -> tuple[str, list[int]]:
        """Messages written out with numbers from 1, and the eligible indexes among them.

        most: tokens of one of them, 0 for as many as there is room for.
        """
        shown = [(i, undecorated(m.text)) for i, m in enumerate(messages) if told([m])]
        share = max(SHORTEST_MESSAGE, room // max(1, len(shown)) - 16)
        share = min(share, most) if most else share
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

    def _shares(self, parts: Sequence[str], tokens: int) -> list[int]:
        """The tokens of a recap that its parts get, by how much there is to tell of each."""
        if len(parts) == 1:
            return [tokens]
        sizes = [self._count(part) for part in parts]
        least = min(tokens, SHORTEST_PART)
        return [max(least, tokens * size // sum(sizes)) for size in sizes]

    async def _scene_part(
        self,
        task: Task,
        inputs: Mapping[str, str],
        part: str,
        tokens: int,
        beside: Beside | None = None,
    ) -> tuple[str, Recap, tuple[str, str] | None]:
        """Name and recap of a scene or a part of it; what is too long is asked for once more. With
        what goes beside it, key and answer of that.
        """
        told_of: Telling[tuple[str, Recap]] = Telling(part, lambda read: read[1].render())
        inputs = {**inputs, "messages": part, "tokens": str(tokens)}
        limit, fold = entries_limit(task.prompt, tokens), None
        if beside is not None:
            alone = self._asker.form(task, task.prompt, inputs, read_scene, more=limit)
            name, recap, fold = await self._scene_and_fold.asked(task, beside, alone, part)
        else:
            name, recap = await self._asker.ask(
                task, task.prompt, inputs, read_scene, told_of, more=limit
            )
        text = recap.render()
        most = entries_asked_again(recap, self._count(text), tokens)
        if most is None or not self._second.is_due():
            return name, recap, fold
        more = SHORTER.format(now=entries_in(recap), most=most)
        try:
            other, shorter = await self._asker.ask(
                task, task.prompt, inputs, read_scene, told_of, more=more, tries=1
            )
        except AnswerUnusable:
            self._second.take(is_shorter=False)
            return name, recap, fold  # rather long than none
        is_shorter = self._count(shorter.render()) < self._count(text)
        self._second.take(is_shorter=is_shorter)
        if not is_shorter:
            return name, recap, fold
        return name or other, shorter, fold
