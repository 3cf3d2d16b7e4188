"""Slash commands about the program as a whole: off for a chat, the queue, tokens."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol

from app.core.errors import UsageError
from app.core.operations import OFF
from app.core.translation import N_, number, speaking, tr, trn
from app.prompt.slot_names import slot_name
from app.prompt.slots import SlotSet
from app.work.scheduling.work_to_do import WorkToDo

PAUSED = N_("Work is paused; /tk-continue resumes it.")
GOES_ON = N_("Work continues.")
BACK_ON = N_("/tk-on switches it on again.")
SWITCHED_ON = N_("Tavernkeep is on for this chat.")


class Order(StrEnum):
    """What a slash command wants; its name on the wire."""

    ON = "on"
    OFF = "off"
    PAUSE = "pause"
    GO_ON = "continue"
    CLEAR = "clear"
    TOKENS = "tokens"


class Switching(Protocol):
    """Puts a setting in force for one chat, noted so that undo takes it back."""

    async def __call__(
        self, name: str, value: Any, *, path: Path | None = None, noted_in: Path | None = None
    ) -> None: ...


class Orders:
    """Does each, and says in `items` (label and text) or in a sentence what came of it.

    tokens_today: that models have read and written. is_reading_only: another program works here.
    """

    def __init__(
        self,
        work: WorkToDo,
        switch: Switching,
        slots: Callable[[Path], Awaitable[SlotSet]],
        tokens_today: Callable[[], int],
        is_reading_only: Callable[[], bool],
    ) -> None:
        self._work = work
        self._switch = switch
        self._slots = slots
        self._tokens_today = tokens_today
        self._is_reading_only = is_reading_only

    async def do(self, path: Path, name: str, language: str = "") -> dict[str, Any]:
        """Follow an order in an open chat. language: of the page that gave it, "" for the window's.
        Raises UsageError for one that there is not.
        """
        if name not in tuple(Order):
            raise UsageError(tr("There is no such command."))
        order = Order(name)
        if order is not Order.TOKENS and self._is_reading_only():
            raise UsageError(tr("Tavernkeep is now view-only."))
        match order:
            case Order.ON | Order.OFF:
                is_off = order is Order.OFF
                await self._switch("chat_off", is_off, path=path, noted_in=path)
                with speaking(language):
                    return {"said": f"{tr(OFF)} {tr(BACK_ON)}" if is_off else tr(SWITCHED_ON)}
            case Order.PAUSE:
                self._work.pause()
                return {"said": _in(language, PAUSED)}
            case Order.GO_ON:
                self._work.resume()
                return {"said": _in(language, GOES_ON)}
            case Order.CLEAR:
                cleared = await self._work.clear_waiting(path)
                count = len(cleared.operations)
                with speaking(language):
                    none = tr("Nothing waits for this chat.")
                    words = trn(
                        "{n} job was removed from the queue.",
                        "{n} jobs were removed from the queue.",
                        count,
                    )
                    return {"said": words if count else none}
            case Order.TOKENS:
                made = await self._slots(path)
                with speaking(language):
                    return {"items": self._tokens(made)}

    def _tokens(self, made: SlotSet) -> list[dict[str, str]]:
        """Of the next prompt's memory, of each slot in it, and of today's requests."""
        rows = [(tr("Memory in the next prompt"), made.total_tokens)]
        rows += [(slot_name(slot.key), slot.tokens) for slot in made.slots if slot.tokens]
        rows.append((tr("Models today"), self._tokens_today()))
        return [
            {"label": label, "text": tr("{tokens} tokens", tokens=number(n))} for label, n in rows
        ]


def _in(language: str, text: str) -> str:
    with speaking(language):
        return tr(text)
