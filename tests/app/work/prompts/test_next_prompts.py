"""A turn is answered with what its own slots take to make, and no more."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from app.memory.records import Remembered
from app.prompt.generation import Turn
from app.prompt.slots import SlotSet
from app.work.prompts.next_prompts import NextPrompts


class Chat:
    """As much of an open chat as slots are told apart by."""

    def __init__(self) -> None:
        self.chat = self
        self.path = Path("chat.jsonl")
        self.story = object()
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

    async def hear(self, chat: object, turn: Turn) -> None:
        """Nothing is looked for by its meaning."""

    def slots(self, chat: object, turn: Turn | None = None) -> SlotSet:
        """An empty set."""
        self.turns.append(turn)
        return SlotSet(responder=turn.responder if turn else "")


async def test_a_turn_makes_its_own_slots_only_while_nothing_came_since_the_last() -> None:
    makes, chat, turn = Makes(), Chat(), Turn("Mara")
    prompts = NextPrompts(cast(Any, None), cast(Any, makes))
    published = prompts.revised(cast(Any, chat))
    slots = await prompts.for_turn(cast(Any, chat), turn)
    assert (slots.responder, slots.revision) == ("Mara", published.revision)
    assert makes.turns == [None, turn]


async def test_where_the_story_went_on_those_for_any_turn_are_made_first() -> None:
    makes, chat, turn = Makes(), Chat(), Turn("Mara")
    prompts = NextPrompts(cast(Any, None), cast(Any, makes))
    prompts.revised(cast(Any, chat))
    chat.extracted.add(("anchor", "hash"))
    slots = await prompts.for_turn(cast(Any, chat), turn)
    assert makes.turns == [None, None, turn]
    assert slots.responder == "Mara"
