"""The bridge's end in the test process: answers turns, and remembers what it heard."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

from app.prompt.slots import Slot, SlotSet
from app.settings.slot_table import Position, Role
from app.sillytavern.bridge.bridge_protocol import Changed, ChatIdentity, Event, TurnRequest
from app.sillytavern.bridge.bridge_socket import BridgeServer, Page
from tests.e2e.sillytavern import CHARACTER

T = TypeVar("T")


def slot_set(
    text: str, *, revision: int = 1, key: str = "tavernkeep_test", **place: int
) -> SlotSet:
    """One slot, before the main prompt unless told otherwise."""
    slot = Slot(
        key=key,
        position=Position(place.get("position", Position.BEFORE_PROMPT)),
        depth=place.get("depth", 0),
        role=Role(place.get("role", Role.SYSTEM)),
        scan=False,
        text=text,
        tokens=0,
        budget=0,
        full_tokens=0,
    )
    return SlotSet((slot,), revision)


def chat(name: str) -> ChatIdentity:
    """A chat of the test character."""
    return ChatIdentity(kind="solo", chat=name, avatar=f"{CHARACTER}.png")


async def answer_nothing(_turn: TurnRequest) -> SlotSet:
    """A chat that has no slots."""
    return SlotSet()


class RecordingBridge:
    """A BridgeServer whose turns are answered by `answer`."""

    def __init__(self, user_folder: Path) -> None:
        self.user_folder = user_folder
        self.events: list[Event] = []
        self.changes: list[Changed] = []
        self.turns: list[TurnRequest] = []
        self.answer: Callable[[TurnRequest], Awaitable[SlotSet]] = answer_nothing
        self._news = asyncio.Event()
        self._freed = asyncio.Event()

    async def hang(self, _turn: TurnRequest) -> SlotSet:
        """Be too busy to answer, until `free`."""
        await self._freed.wait()
        return SlotSet()

    def free(self) -> None:
        """Answer again, with no slots, also what hangs now; forget what was heard."""
        self._freed.set()
        self._freed = asyncio.Event()
        self.answer = answer_nothing
        self.events.clear()
        self.changes.clear()
        self.turns.clear()

    async def start(self) -> None:
        self.server = BridgeServer(self._on_turn)
        self.server.connected.connect(self._on_page)
        self.server.disconnected.connect(self._on_page)
        self.server.event.connect(self._on_event)
        self.server.changed.connect(self._on_changed)
        await self.server.start()
        assert await self.server.add_tavern(self.user_folder)

    async def aclose(self) -> None:
        await self.server.aclose()

    def chat_lines(self, name: str) -> list[dict[str, Any]]:
        """The messages of a chat as its file has them now."""
        lines = chat(name).to_path(self.user_folder).read_text().splitlines()
        return [json.loads(line) for line in lines[1:]]

    def publish_group(self, group: ChatIdentity, text: str, **members: str) -> None:
        """A text for whoever of a group answers, and one for each of these members, by card."""
        own = {f"{card}.png": slot_set(told) for card, told in members.items()}
        self.server.publish(self.user_folder, group, slot_set(text), own)

    def publish(self, name: str, slots: SlotSet) -> None:
        self.server.publish(self.user_folder, chat(name), slots)

    async def page(self) -> Page:
        """The page, once it is there."""
        return await self.until(lambda: next(iter(self.server.pages), None))

    async def showing(self, name: str) -> Page:
        """The page, once it shows this chat."""
        return await self.until(
            lambda: next((page for page in self.server.pages if page.chat == chat(name)), None)
        )

    async def until(self, find: Callable[[], T | None], seconds: float = 15.0) -> T:
        """Wait for something to be found; looked for after each thing that is heard."""
        try:
            async with asyncio.timeout(seconds):
                while (found := find()) is None:
                    self._news.clear()
                    await self._news.wait()
                return found
        except TimeoutError:
            raise AssertionError(
                f"waited {seconds} s in vain; pages: {self.server.pages}; events: {self.events}; "
                f"changes: {self.changes}"
            ) from None

    async def _on_turn(self, _page: Page, turn: TurnRequest) -> SlotSet:
        self.turns.append(turn)
        self._news.set()
        return await self.answer(turn)

    def _on_page(self, _page: Page) -> None:
        self._news.set()

    def _on_event(self, heard: tuple[Page, Event]) -> None:
        self.events.append(heard[1])
        self._news.set()

    def _on_changed(self, heard: tuple[Page, Changed]) -> None:
        self.changes.append(heard[1])
        self._news.set()
