"""A turn is answered with what its own slots take to make, and no more."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from copy import copy
from pathlib import Path
from typing import Any, cast

import pytest

from app.core.tasks import TaskSupervisor
from app.memory.records import Remembered
from app.prompt.generation import Turn
from app.prompt.slots import SlotSet
from app.story.messages import Message
from app.work.prompts.next_prompts import MOST_AHEAD, NextPrompts, Renewed


class Chat:
    """As much of an open chat as slots are told apart by."""

    def __init__(self) -> None:
        self.chat = self
        self.path = Path("chat.jsonl")
        self.story = self
        self.messages: list[Message] = []
        self.is_off = False
        self.remembered = Remembered()
        self.elsewhere = ()
        self.reading_state = self
        self.extracted: set[tuple[str, str]] = set()

    def prompt_settings(self) -> dict[str, Any]:
        """None are set."""
        return {}


class Makes:
    """Notes for which turns slots were made."""

    def __init__(self) -> None:
        self.turns: list[Turn | None] = []
        self.finders = self
        self.found, self.to_find = "nothing", "nothing"
        self.made_of: list[str] = []
        self.meanwhile: dict[int, Callable[[], None]] = {}  # by how many were made

    async def ready(self, chat: object) -> None:
        """All that the chat says can be found."""
        self.found = self.to_find

    def ground(self, chat: object) -> tuple[object, ...]:
        """What there is to find."""
        return (self.found,)

    def expected_turn(self, chat: object, responder: str = "") -> Turn:
        """What SillyTavern said last."""
        return Turn(responder, context=8000)

    async def hear(self, chat: object, turn: Turn) -> None:
        """Nothing is looked for by its meaning."""

    async def slots(
        self, chat: object, turn: Turn | None = None, *, is_ahead: bool = False
    ) -> SlotSet:
        """An empty set, in a while."""
        self.turns.append(turn)
        self.meanwhile.pop(len(self.turns), lambda: None)()
        self.made_of.append(self.found)
        await asyncio.sleep(0)
        return SlotSet(responder=turn.responder if turn else "")


class Desk:
    """A chat, what makes its prompts, and what was told of them."""

    def __init__(self, tasks: TaskSupervisor) -> None:
        self.makes, self.chat = Makes(), Chat()
        chats = {self.chat.path: self.chat}
        self.members: list[tuple[str, str]] = []
        self.prompts = NextPrompts(
            cast(Any, chats), cast(Any, self.makes), tasks, lambda _: self.members
        )
        self.made: list[Renewed] = []
        self.prompts.renewed.connect(lambda made: self.made.append(made))

    @property
    def renewed(self) -> list[SlotSet]:
        """For any turn."""
        return [made.slots for made in self.made]

    def renew(self) -> None:
        """Something came."""
        self.prompts.renew(cast(Any, self.chat))

    async def for_turn(self, turn: Turn) -> SlotSet:
        """What SillyTavern is given."""
        return await self.prompts.for_turn(cast(Any, self.chat), turn)


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    tasks = TaskSupervisor()
    yield Desk(tasks)
    await tasks.aclose()


async def test_a_turn_makes_its_own_slots_only(desk: Desk) -> None:
    turn = Turn("Mara")
    desk.renew()
    await desk.prompts.settled()
    for _ in range(2):
        slots = await desk.for_turn(turn)
        assert (slots.responder, slots.revision) == ("Mara", desk.renewed[-1].revision)
    assert desk.makes.turns == [None, turn, turn]


async def test_a_turn_waits_for_nothing_that_nobody_waits_for(desk: Desk) -> None:
    """It came behind the slots for any turn, and SillyTavern did not wait so long."""
    turn = Turn("Mara")
    desk.members = [("Mara.png", "Mara")]
    desk.renew()
    assert (await desk.for_turn(turn)).responder == "Mara"
    assert desk.makes.turns == [turn]
    await desk.prompts.settled()
    assert desk.makes.turns == [turn, None, Turn("Mara", context=8000)]


async def test_slots_of_who_may_answer_next_are_made_ahead(desk: Desk) -> None:
    desk.members = [(f"{name}.png", name) for name in ("Ada", "Bo", "Cy", "Di", "Ed", "Flo", "Gus")]
    desk.chat.messages = [Message("m", "", name, "Yes.") for name in ("Cy", "Gus", "You")]
    desk.renew()
    await desk.prompts.settled()
    (made,) = desk.made
    assert list(made.members) == [f"{n}.png" for n in ("Gus", "Cy", "Ada", "Bo", "Di", "Ed")]
    assert made.members["Cy.png"].responder == "Cy"
    desk.renew()
    await desk.prompts.settled()
    assert len(desk.makes.turns) == 1 + MOST_AHEAD + 1  # nothing came: theirs are the same still
    assert desk.made[-1].members == made.members
    desk.chat.story = cast(Any, copy(desk.chat))
    desk.renew()
    await desk.prompts.settled()
    assert len(desk.makes.turns) == 2 * (1 + MOST_AHEAD) + 1


async def test_members_get_what_holds_when_all_of_it_is_made(desk: Desk) -> None:
    desk.members = [("Ada.png", "Ada"), ("Bo.png", "Bo")]
    desk.renew()
    desk.makes.meanwhile[2] = desk.renew  # while theirs are made
    await desk.prompts.settled()
    assert [list(made.members) for made in desk.made] == [["Ada.png", "Bo.png"]]


async def test_what_comes_while_slots_are_made_makes_them_once_more(desk: Desk) -> None:
    desk.renew()
    await asyncio.sleep(0)  # they are under way
    for _ in range(3):
        desk.renew()
    await desk.prompts.settled()
    assert desk.makes.turns == [None, None]
    assert [slots.revision for slots in desk.renewed] == [1, 1]


async def test_the_next_prompt_is_shown_with_what_is_found_in_old_messages(desk: Desk) -> None:
    """After a start the page of the exact text lacked the passages that SillyTavern got."""
    desk.makes.to_find = "messages"
    await desk.prompts.expected(desk.chat.path)
    assert desk.makes.made_of == ["messages"]
    await desk.prompts.expected(desk.chat.path)
    assert desk.makes.made_of == ["messages"]  # nothing came since
    desk.makes.to_find = "messages, and what they mean"
    await desk.prompts.expected(desk.chat.path)
    assert desk.makes.made_of == ["messages", "messages, and what they mean"]
