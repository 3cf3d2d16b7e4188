"""Merges a scene into the running recap with a model, which says what changes and no more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.core.errors import AnswerUnusable
from app.core.translation import N_
from app.llm.prompts.prompt_files import Prompt, Prompts
from app.llm.writers.asking import Asker
from app.llm.writers.second_answers import SecondAnswers
from app.llm.writers.task import Task, Telling
from app.llm.writers.transcript import clipped, newest_lines
from app.llm.writers.writer import Merge
from app.story.answers.merging import (
    HARD_BOUND,
    Changes,
    Numbered,
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
LONGEST_MEAN = 12  # signs for a word: a text with more has no spaces between words
SLACK = 1.15  # times its room: a recap that is longer is asked to lose more
NOTHING = "(nothing yet)"
ROOMY = "There is room for all of them: nothing has to go for want of room."
TIGHT = (
    "There is no room for all of them: of the {entries} entries, those of the scene among them, "
    "at least {over} have to go, dropped or joined with others. They have {words} now; what is "
    "left of them may have about {room}."
)
SHORTER = (
    "\n\nChanges that were given to this left {now} entries, those of the scene among them, with "
    "{words}. Answer once more, in the same form, with changes that leave about {most} with at "
    "most {room}, in shorter sentences where they are joined."
)
WHOLE = (
    "\n\nAn answer to this was given {reason} and could not be used. Answer now with the whole "
    'merged recap, without numbers: {{"recap": {{"developments": ["..."], "open": ["..."], '
    '"state": ["..."]}}}}'
)


@dataclass(frozen=True, slots=True)
class Merging:
    """A merge as it is asked for. old, scene: what is merged. inputs: of the prompt, which hold the
    entries as `shown`.
    """

    old: Recap
    scene: Recap
    shown: Numbered
    inputs: Mapping[str, str]

    @property
    def telling(self) -> Telling[Changes | Recap]:
        """What an answer is to be in the language of."""
        return Telling(f"{self.inputs['previous']}\n{self.inputs['scene_recap']}", _words)

    def made(self, answer: Changes | Recap) -> Recap:
        """The merged recap, however long it is."""
        if isinstance(answer, Recap):
            return rewritten(self.old, answer, self.shown)
        return changed(self.old, self.scene, self.shown, answer)


class RecapMerger:
    """Asks for changes to numbered entries; a whole rewriting is taken as well.

    Where there is nothing to merge with, the scene is copied and nobody is asked. A user's own
    prompt that knows of no numbers (it has no input `limit`) is asked for the whole, as ever.
    """

    def __init__(self, asker: Asker, prompts: Prompts) -> None:
        self._asker = asker
        self._prompt: Prompt = prompts["running_recap"]
        self._second = SecondAnswers()
        self._is_whole = self._prompt.is_own and "limit" not in self._prompt.inputs

    async def merged(self, task: Task, merge: Merge) -> Recap:
        """The merged recap, however long it is. Raises BackendError."""
        old, scene = parse_recap(merge.previous), parse_recap(merge.scene_text)
        if old.is_empty or scene.is_empty:
            return joined(old, scene)
        if self._is_whole:
            return await self._rewritten(task, merge)
        return await self._merged(task, merge, self._merging(merge, old, scene))

    def merging(self, merge: Merge) -> Merging | None:
        """How a merge is asked for; None where nobody is, or a user's own prompt for all of it."""
        old, scene = parse_recap(merge.previous), parse_recap(merge.scene_text)
        if old.is_empty or scene.is_empty or self._prompt.is_own:
            return None
        return self._merging(merge, old, scene)

    def key_of(self, merging: Merging) -> str:
        """By what the first answer to it is kept."""
        task = Task(self._prompt, "")
        form = self._asker.form(task, self._prompt, merging.inputs, read_running)
        return self._asker.key_of(self._prompt, form.rendered)

    def _merging(self, merge: Merge, old: Recap, scene: Recap) -> Merging:
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
        return Merging(old, scene, shown, inputs)

    def read(self, merging: Merging, text: str) -> Changes | Recap:
        """An answer to it. Raises Unreadable, also for one that leaves too little."""
        answer, count = read_merged(text, merging.shown), self._asker.count
        both = count(joined(merging.old, merging.scene).render())
        if loses_most(both, count(merging.made(answer).render()), int(merging.inputs["tokens"])):
            raise Unreadable(N_("with a recap that leaves out most of what happened"))
        return answer

    async def _merged(self, task: Task, merge: Merge, merging: Merging) -> Recap:
        count = self._asker.count
        first = await self._asked(task, merging)
        recap = merging.made(first)
        size, bound = count(recap.render()), SLACK if isinstance(first, Changes) else HARD_BOUND
        if size <= merge.tokens * bound or not self._second.is_due():
            return recap
        now, over = entries_in(recap), size - merge.tokens
        most = now - has_to_go(recap, size, over)
        text = recap.render()
        words, room = _length(text), _length(text, merge.tokens / size)
        more = SHORTER.format(now=now, most=most, words=words, room=room)
        try:
            again = merging.made(await self._asked(task, merging, more))
        except AnswerUnusable:
            self._second.take(is_shorter=False)
            return recap
        is_shorter = count(again.render()) < size
        self._second.take(is_shorter=is_shorter)
        return again if is_shorter else recap

    async def _asked(self, task: Task, merging: Merging, more: str = "") -> Changes | Recap:
        return await self._asker.ask(
            task,
            self._prompt,
            merging.inputs,
            lambda text: self.read(merging, text),
            merging.telling,
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
    over, text = has_to_go(both, size, size - tokens), both.render()
    words, room = _length(text), _length(text, tokens / size)
    return TIGHT.format(entries=entries_in(both), over=over, words=words, room=room)


def _length(text: str, share: float = 1.0) -> str:
    """How long a share of a text is, in what a model can count: words, or signs where a script has
    no spaces.
    """
    words = len(text.split())
    if words * LONGEST_MEAN < len(text):
        return f"{int(len(text) * share)} characters"
    return f"{int(words * share)} words"


def _words(answer: Changes | Recap) -> str:
    if isinstance(answer, Recap):
        return answer.render()
    return "\n".join((*(one.text for one in answer.replace), answer.add.render()))
