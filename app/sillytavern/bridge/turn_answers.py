"""Answers the turns that pages ask slots for."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from app.core.tasks import TaskSupervisor
from app.prompt.slots import SlotSet
from app.sillytavern.bridge.bridge_link import Page, PageLink
from app.sillytavern.bridge.bridge_protocol import Slots, TurnRequest, wire_slots

log = logging.getLogger(__name__)

LATE_TURN_SECONDS = 10.0
TURNS_AT_ONCE = 8

OnTurn = Callable[[Page, TurnRequest], Awaitable[SlotSet]]


class TurnAnswers:
    """on_turn: makes the slots of a turn."""

    def __init__(self, on_turn: OnTurn, tasks: TaskSupervisor) -> None:
        self._on_turn, self._tasks = on_turn, tasks

    def ask(self, link: PageLink, turn: TurnRequest) -> None:
        """Answer as soon as the slots are there, unless the page asked for too many at once."""
        if link.turns >= TURNS_AT_ONCE:
            return
        link.turns += 1
        self._tasks.spawn(self._answer(link, turn), name="bridge turn")

    async def _answer(self, link: PageLink, turn: TurnRequest) -> None:
        # Longer than the page waits: a late answer is still the best it knows at the next turn.
        try:
            async with asyncio.timeout(LATE_TURN_SECONDS):
                slots = await self._on_turn(link.page, turn)
        except TimeoutError:
            log.warning("The slots of a turn took longer than %s s", LATE_TURN_SECONDS)
            return
        finally:
            link.turns -= 1
        link.given.forget(turn.avatar)  # the page has these now
        link.send(Slots(turn.chat, slots.revision, wire_slots(slots), turn.avatar, turn.id))
