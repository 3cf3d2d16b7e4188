"""Merges a scene into the running recap with a model, which says what changes and no more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from app.core.errors import AnswerUnusable
from app.core.translation import N_
from app.llm.prompts.prompt_files import Prompt, Prompts
from app.llm.writers.asking import Asker, Task, Telling
from app.llm.writers.transcript import clipped, newest_lines
from app.story.answers.merging import (
    HARD_BOUND,
    Changes,
    changed,
    has_to_go,
    joined,
    loses_most,
    numbered,
    read_merged,
    rewritten,
    with_scene,
)
from app.story.answers.task_answers import Unreadable, read_running
from app.story.recap_texts.recap_length import entries_in
from app.story.recap_texts.recap_text import Recap, parse_recap

NUMBERS_TAKE = 150  # tokens that numbers behind the scene's entries may take
SLACK = 1.15  # times its room: a recap that is longer is asked to lose more
NOTHING = "(nothing yet)"
ROOMY = "There is room for all of them: nothing has to go for want of room."
TIGHT = (
    "There is no room for all of them: of the {entries} entries, those of the scene among them, "
    "at least {over} have to go, dropped or joined with others. Their text together may be about "
    "{share} % as long as it is."
)
SHORTER = (
    "\n\nChanges that were given to this left {now} entries, those of the scene among them, and "
    "their text is {over} % too long. Answer once more, in the same form, with changes that leave "
    "about {most}, in shorter sentences where they are joined."
)
WHOLE = (
    "\n\nAn answer to this was given {reason} and could not be used. Answer now with the whole "
    'merged recap, without numbers: {{"recap": {{"developments": ["..."], "open": ["..."], '
    '"state": ["..."]}}}}'
)


@dataclass(frozen=True, slots=True)
class Merge:
    """What is merged. tokens: room of the result. pinned: sentences that stay."""

    previous: str
    scene_name: str
    scene_text: str
    tokens: int
    pinned: Sequence[str] = ()


class RecapMerger:
    """Asks for changes to numbered entries; a whole rewriting is taken as well.

    Where there is nothing to merge with, the scene is copied and nobody is asked. A user's own
    prompt that knows of no numbers (it has no input `limit`) is asked for the whole, as ever.
    """

    def __init__(self, asker: Asker, prompts: Prompts) -> None:
        self._asker = asker
        self._prompt: Prompt = prompts["running_recap"]
        self._is_whole = self._prompt.is_own and "limit" not in self._prompt.inputs

    async def merged(self, task: Task, merge: Merge) -> Recap:
        """The merged recap, however long it is. Raises BackendError."""
        old, scene = parse_recap(merge.previous), parse_recap(merge.scene_text)
        if old.is_empty or scene.is_empty:
            return joined(old, scene)
        if self._is_whole:
            return await self._rewritten(task, merge)
        count, pessimist = self._asker.count, joined(old, scene)
        both = count(pessimist.render())
        inputs = {
            "scene_name": merge.scene_name or "(no name)",
            "tokens": str(merge.tokens),
            "limit": _limit(pessimist, both, merge.tokens),
        }
        empty = {**inputs, "previous": "", "scene_recap": ""}
        room = self._asker.room(self._prompt, empty, spare=WHOLE)
        told = clipped(scene.render(), room // 2, count)
        shown = numbered(old, room - count(told) - NUMBERS_TAKE, count, merge.pinned)
        if inputs["limit"] != ROOMY and told == scene.render():
            shown = with_scene(shown, scene, merge.pinned)
        inputs |= {"previous": shown.text or NOTHING, "scene_recap": shown.scene or told}

        def made(answer: Changes | Recap) -> Recap:
            if isinstance(answer, Recap):
                return rewritten(old, answer, shown)
            return changed(old, scene, shown, answer)

        def read(text: str) -> Changes | Recap:
            answer = read_merged(text, shown)
            if loses_most(both, count(made(answer).render()), merge.tokens):
                raise Unreadable(N_("with a recap that leaves out most of what happened"))
            return answer

        first = await self._asked(task, inputs, read)
        recap = made(first)
        size, bound = count(recap.render()), SLACK if isinstance(first, Changes) else HARD_BOUND
        if size <= merge.tokens * bound:
            return recap
        now, over = entries_in(recap), size - merge.tokens
        most = now - has_to_go(recap, size, over)
        more = SHORTER.format(now=now, most=most, over=100 * over // merge.tokens)
        try:
            again = made(await self._asked(task, inputs, read, more))
        except AnswerUnusable:
            return recap
        return again if count(again.render()) < size else recap

    async def _asked(
        self,
        task: Task,
        inputs: dict[str, str],
        read: Callable[[str], Changes | Recap],
        more: str = "",
    ) -> Changes | Recap:
        told_of: Telling[Changes | Recap] = Telling(
            f"{inputs['previous']}\n{inputs['scene_recap']}", _words
        )
        return await self._asker.ask(
            task,
            self._prompt,
            inputs,
            read,
            told_of,
            more=more,
            again=WHOLE,
            tries=1 if more else 2,
        )

    async def _rewritten(self, task: Task, merge: Merge) -> Recap:
        """Asked for as before there were numbers."""
        asker, prompt = self._asker, self._prompt
        inputs = {"scene_name": merge.scene_name or "(no name)", "tokens": str(merge.tokens)}
        room = asker.room(prompt, {**inputs, "previous": "", "scene_recap": ""})
        scene = clipped(merge.scene_text, room // 2, asker.count)
        before = newest_lines(merge.previous, room - asker.count(scene) - 8, asker.count)
        inputs |= {"previous": before or NOTHING, "scene_recap": scene}
        told_of: Telling[Recap] = Telling(f"{before}\n{scene}", lambda recap: recap.render())
        return await asker.ask(task, prompt, inputs, read_running, told_of)


def _limit(both: Recap, size: int, tokens: int) -> str:
    """What the prompt says of room. both: recap and scene; size: of these, in tokens."""
    if size <= tokens:
        return ROOMY
    over = has_to_go(both, size, size - tokens)
    return TIGHT.format(entries=entries_in(both), over=over, share=100 * tokens // size)


def _words(answer: Changes | Recap) -> str:
    if isinstance(answer, Recap):
        return answer.render()
    return "\n".join((*(one.text for one in answer.replace), answer.add.render()))
