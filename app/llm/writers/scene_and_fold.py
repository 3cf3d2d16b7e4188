"""One request for two things: the recap of a scene, and an earlier scene folded in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from app.core.errors import BackendRefused
from app.llm.prompts.prompt_files import SCENE_AND_FOLD, Prompts
from app.llm.writers.asking import LIMIT_ROOM, Asker
from app.llm.writers.recap_merger import Merging, RecapMerger
from app.llm.writers.task import Form, Task, Telling
from app.llm.writers.writer import Merge
from app.story.answers.merging import Changes, read_changes
from app.story.answers.task_answers import Unreadable, read_scene
from app.story.recap_texts.recap_length import most_entries
from app.story.recap_texts.recap_text import Recap

# Behind the prompt, as ENTRIES is where only a recap is asked for.
ENTRIES = '\nAt most {most} entries in all lists of "recap" together.'
# Name, recap, and the answer that folds in, with what it says; None where it cannot be used.
Both = tuple[str, Recap, tuple[str, Changes | Recap] | None]


@dataclass(frozen=True, slots=True)
class Beside:
    """A fold that goes beside the recap of a scene. inputs: of the prompt for both. answer: tokens
    that an answer is to have room for. most: entries of the recap.
    """

    merging: Merging
    inputs: Mapping[str, str]
    answer: int
    most: int


class SceneAndFold:
    """Asks for both where both fit. What the fold's part says is never worth a second request: the
    recap counts, and the fold is then asked for by itself.
    """

    def __init__(self, asker: Asker, prompts: Prompts, merger: RecapMerger) -> None:
        self._asker, self._merger = asker, merger
        self._prompt = prompts[SCENE_AND_FOLD]

    def beside(self, merge: Merge, scene: str, tokens: int, answer: int) -> Beside | None:
        """How both are asked for; None where the fold asks nobody, or they do not fit together.

        scene: its messages as they are shown. tokens: of its recap; answer: that this may take.
        """
        answer += merge.tokens
        try:
            merging = self._merger.merging(merge)
            if merging is None:
                return None
            inputs = {**merging.inputs, "room": str(merge.tokens), "tokens": str(tokens)}
            empty = {**inputs, "messages": ""}
            room = self._asker.room(self._prompt, empty, answer=answer) - LIMIT_ROOM
        except BackendRefused:
            return None
        if self._asker.count(scene) > room:
            return None
        return Beside(merging, {**inputs, "messages": scene}, answer, most_entries(tokens))

    async def asked(
        self, task: Task, beside: Beside, alone: Form[tuple[str, Recap]], scene: str
    ) -> tuple[str, Recap, tuple[str, str] | None]:
        """Name and recap, and key and text of the answer that folds in.

        alone: the request for the recap by itself, which is made where no recap can be read.
        Raises BackendError.
        """

        def changes_in(text: str) -> tuple[str, Changes | Recap]:
            changes = read_changes(text)
            return changes, self._merger.read(beside.merging, changes)

        more = "" if self._prompt.is_own else ENTRIES.format(most=beside.most)
        task = replace(task, prompt=self._prompt, answer=beside.answer)
        fold = self._asker.form(task, self._prompt, beside.inputs, changes_in, more=more)

        def read(text: str) -> Both:
            name, recap = read_scene(text)
            try:
                return name, recap, fold.read(text)
            except Unreadable:
                return name, recap, None

        def read_alone(text: str) -> Both:
            return (*alone.read(text), None)

        told_of: Telling[Both] = Telling(scene, lambda both: both[1].render())
        name, recap, found = await self._asker.ask(
            task,
            self._prompt,
            beside.inputs,
            read,
            told_of,
            more=more,
            then=Form(alone.prompt, alone.rendered, read_alone),
        )
        if found is None or not await self._is_told_right(beside.merging, found[1]):
            return name, recap, None
        return name, recap, (self._merger.key_of(beside.merging), found[0])

    async def _is_told_right(self, merging: Merging, changes: Changes | Recap) -> bool:
        """Whether changes are in the language of what they change; a user's own prompt may want
        another one.
        """
        if self._prompt.is_own:
            return True
        try:
            await self._asker.check_language(merging.telling, changes)
        except Unreadable:
            return False
        return True
