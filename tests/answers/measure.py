"""Plays a labelled story and looks, wherever a question can be asked, whether the prompt answers.

The prompt of a turn is what the slots hold, within the total, and then the newest messages within
what they leave of it.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Collection, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.companion import Companion, open_companion
from app.core.paths import Folders
from app.prompt.generation import Turn
from app.prompt.slots import SlotSet
from tests.answers.good_model import GoodModel
from tests.answers.questions import Question, questions_of, told
from tests.answers.rivals import Count, likeliest, newest
from tests.fakes import FakeLlm, Reply
from tests.labelled import write_tavern
from tests.oracle.gold import Gold

ORACLE, TALKATIVE, FACTS, BUILT_IN = "oracle", "talkative", "facts", "builtin"
NOTES = "notes"
ONE_TYPE = "fact:2:permanent"  # as a model files it that knows but one type
STEP = 3  # messages that come between two looks of the program


@dataclass(frozen=True, slots=True)
class Asked:
    """One question at one total. slots: the prompt's own; prompt: with the newest messages."""

    question: Question
    total: int
    slots: SlotSet
    prompt: str
    newest: str
    likeliest: str

    @property
    def is_answered(self) -> bool:
        """Whether the prompt holds the answer."""
        return self.question.is_answered_by(self.prompt)


@dataclass(frozen=True, slots=True)
class Shares:
    """Of all questions those that are answered: by the prompt, and by its rivals."""

    slots: float
    newest: float
    likeliest: float


def shares(asked: Sequence[Asked]) -> Shares:
    """The shares of some questions; of none 1."""
    count = max(1, len(asked))
    return Shares(
        sum(one.is_answered for one in asked) / count if asked else 1.0,
        sum(one.question.is_answered_by(one.newest) for one in asked) / count if asked else 1.0,
        sum(one.question.is_answered_by(one.likeliest) for one in asked) / count if asked else 1.0,
    )


@dataclass(frozen=True, slots=True)
class Played:
    """A story that is played: the program, the chat's file, and what is told in it."""

    companion: Companion
    chat: Path
    story: Mapping[str, Any]

    async def until_each(self, places: Collection[int], step: int) -> AsyncIterator[int]:
        """Write message by message; gives each of these places when the program has read it.

        step: messages between two looks of the program.
        """
        lines = await asyncio.to_thread(lambda: self.chat.read_bytes().split(b"\n"))
        for place in range(len(self.story["messages"])):
            if place not in places and place % step:
                continue
            await asyncio.to_thread(self.chat.write_bytes, b"\n".join(lines[: place + 2]))
            await self.companion.open_story(self.chat)
            await self.companion.settled(self.chat)
            if place in places:
                yield place


@asynccontextmanager
async def opened(
    story: Mapping[str, Any],
    reply: Reply | None,
    *,
    is_whole: bool = False,
    context: int = 0,
    prompt: int = 0,
) -> AsyncIterator[Played]:
    """A tavern that holds the story, and the program beside it.

    reply: of the model, None for none. is_whole: it reads to the last message each time, as its
    commands do, and does not wait for what may be swiped. context: tokens that the model takes, 0
    where it does not say. prompt: tokens of the chat's prompts, 0 for the setting's.
    """
    with FakeLlm(reply) as llm:
        llm.context, llm.other_models = context, (ORACLE,)
        name = BUILT_IN if reply is None else f"openai:oracle@{llm.url}"
        async with beside(story, name, is_whole=is_whole, prompt=prompt) as played:
            yield played


@asynccontextmanager
async def beside(
    story: Mapping[str, Any], llm: str, *, is_whole: bool = False, prompt: int = 0
) -> AsyncIterator[Played]:
    """The same with a model that serves already. llm: as the command line names it."""
    with tempfile.TemporaryDirectory() as folder:
        written = write_tavern(story, Path(folder) / "data" / "default-user")
        (written.user_folder / "chats").mkdir(exist_ok=True)
        home = Path(folder) / "own"
        home.mkdir()
        async with open_companion(
            Folders(home, home / "logs"),
            tavern=written.user_folder,
            llm=llm,
            watch=False,
            keeps_memory=True,
            reads_to_the_end=is_whole,
        ) as companion:
            await companion.put_setting("memory_auto", True)
            if prompt:
                await companion.put_setting("context_tokens", prompt)
            yield Played(companion, written.chat, story)


def reply_of(story: Mapping[str, Any], model: str) -> Reply | None:
    """What answers requests from the story's labels; None for BUILT_IN.

    model: ORACLE, TALKATIVE for one that also notes what no question asks for, or FACTS for one
    that files all under one type.
    """
    if model == BUILT_IN:
        return None
    files_as = ONE_TYPE if model == FACTS else ""
    return GoodModel(Gold(story), is_talkative=model == TALKATIVE, files_as=files_as).reply


async def asked_of(
    story: Mapping[str, Any],
    totals: Sequence[int],
    *,
    model: str = ORACLE,
    step: int = STEP,
    is_whole: bool = False,
    prompt: int = 0,
) -> tuple[Asked, ...]:
    """Every question at every total, with a model of `reply_of`; prompt: as for `opened`."""
    async with opened(story, reply_of(story, model), is_whole=is_whole, prompt=prompt) as played:
        return await asked_in(played, totals, step)


async def asked_in(played: Played, totals: Sequence[int], step: int = STEP) -> tuple[Asked, ...]:
    """Every question at every total, while the story is played to its last message."""
    places = {question.place for question in questions_of(played.story)}
    found: list[Asked] = []
    async for place in played.until_each(places, step):
        found += await asked_at(played, place, totals)
    return tuple(found)


async def asked_at(played: Played, place: int, totals: Sequence[int]) -> list[Asked]:
    """The questions of one message at every total, when the story is told so far."""
    story, companion = played.story, played.companion
    turn = Turn(next_speaker(story, place))
    here = [question for question in questions_of(story) if question.place == place]
    found: list[Asked] = []
    for total in totals:
        slots = await companion.slots(played.chat, total=total, turn=turn)
        found += _asked(here, total, slots, story["messages"], companion.count_tokens)
    return found


def _asked(
    questions: Sequence[Question],
    total: int,
    slots: SlotSet,
    messages: Sequence[Mapping[str, Any]],
    count: Count,
) -> Iterator[Asked]:
    for question in questions:
        texts = told(messages[: question.place + 1])
        rest = newest(texts, total - slots.total_tokens, count)
        prompt = "\n".join((*(slot.text for slot in slots.slots), rest))
        yield Asked(
            question,
            total,
            slots,
            prompt,
            newest(texts, total, count),
            likeliest(texts, question.text, total, count),
        )


def next_speaker(story: Mapping[str, Any], place: int) -> str:
    """Who of the characters answers next; at the end of the story who spoke last."""
    messages = story["messages"]
    names = {character["name"] for character in story["characters"]}
    after = (m["name"] for m in messages[place + 1 :] if m["name"] in names)
    before = (m["name"] for m in reversed(messages[: place + 1]) if m["name"] in names)
    return next(after, next(before, ""))
