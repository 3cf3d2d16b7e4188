"""One connected page: what it shows, what waits to be sent to it, what it was asked."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed

from app.core.errors import BridgeError
from app.core.translation import tr
from app.sillytavern.bridge.bridge_protocol import (
    Answer,
    Cancel,
    ChatIdentity,
    PageFrame,
    Part,
    ProgramFrame,
    Pulse,
    Request,
    encode,
)
from app.sillytavern.bridge.published import Given, Published

log = logging.getLogger(__name__)

OUTBOX_FRAMES = 256

OnPart = Callable[[str, str], None]  # text, reasoning


@dataclass(frozen=True, slots=True)
class Page:
    """A page of SillyTavern that is connected now.

    id: random, new at each load of the page. chat: the one it shows, None for none. length: its
    messages. since: seconds since the epoch. version: of the extension; sillytavern: "" if unknown.
    language: that it is read in, like "de-de".
    """

    id: str
    user_folder: Path
    chat: ChatIdentity | None
    length: int
    since: float
    version: str
    sillytavern: str
    has_server: bool = True
    language: str = ""


class PageLink:
    """A page's connection. Frames wait in its own outbox, so that a slow page holds up nobody.

    page: as it is now. turns: how many are being answered. given: what it has of its chat.
    """

    def __init__(self, connection: ServerConnection, page: Page) -> None:
        self.connection = connection
        self.page = page
        self.turns = 0
        self.given = Given()
        self._outbox: asyncio.Queue[str] = asyncio.Queue(OUTBOX_FRAMES)
        self._asked: dict[str, asyncio.Future[Answer]] = {}
        self._listeners: dict[str, OnPart] = {}
        self._numbers = itertools.count(1)
        self._unanswered = 0
        self._has_answered = False  # an older page never does

    def give(self, chat: ChatIdentity, published: Published) -> None:
        """Send the slots of the chat that the page shows, as far as it lacks them."""
        for frame in self.given.frames(chat, published):
            self.send(frame)

    def send(self, frame: ProgramFrame) -> None:
        """Send a frame as soon as the page takes it."""
        try:
            self._outbox.put_nowait(encode(frame))
        except asyncio.QueueFull:
            # It has not read for long; it comes back by itself when it lives.
            if not self.connection.transport.is_closing():
                log.warning("A page of SillyTavern does not read what it is sent and was let go")
                self.connection.transport.abort()

    async def send_outbox(self) -> None:
        """Send what waits, until the connection ends."""
        with contextlib.suppress(ConnectionClosed):
            while True:
                await self.connection.send(await self._outbox.get())

    async def keep_pulse(self, seconds: float, bound: int) -> None:
        """Ask every so many seconds whether the page lives; one that leaves so many questions in a
        row unanswered is let go. Counted, not timed: a computer that slept asks once.
        """
        while True:
            await asyncio.sleep(seconds)
            if self._has_answered and self._unanswered >= bound:
                self.connection.transport.abort()
                return
            self._unanswered += 1
            self.send(Pulse())

    def take_pulse(self, pulse: Pulse) -> bool:
        """The page lives; says whether its server's state is news."""
        self._unanswered, self._has_answered = 0, True
        is_news = pulse.server != self.page.has_server
        self.page = replace(self.page, has_server=pulse.server)
        return is_news

    async def request(
        self,
        kind: str,
        params: dict[str, Any],
        timeout: float,  # noqa: ASYNC109
        on_part: OnPart | None = None,
    ) -> dict[str, Any]:
        """Ask the page; raises BridgeError when it cannot, is gone, or takes too long.

        on_part: hears pieces of the answer. The page is told when nobody waits any more.
        """
        number = str(next(self._numbers))
        future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._asked[number] = future
        if on_part is not None:
            self._listeners[number] = on_part
        try:
            self.send(Request(number, kind, params))
            answer = await asyncio.wait_for(future, timeout)
        except TimeoutError:
            raise BridgeError(tr("SillyTavern's page did not answer in time.")) from None
        finally:
            del self._asked[number]
            self._listeners.pop(number, None)
            if on_part is not None and (future.cancelled() or not future.done()):
                self.send(Cancel(number))
        if answer.error:
            raise BridgeError(
                tr("SillyTavern's page could not do this: {error}.", error=answer.error)
            )
        return answer.result

    def awaits(self, frame: PageFrame) -> bool:
        """Whether the frame is what the page was asked for."""
        return isinstance(frame, Answer | Part) and frame.id in self._asked

    def take_part(self, part: Part) -> None:
        """Hand a piece to whoever asked for it; late ones are dropped."""
        listener = self._listeners.get(part.id)
        if listener is not None:
            listener(part.text, part.reasoning)

    def take_answer(self, answer: Answer) -> None:
        """Hand an answer to whoever asked; late ones are dropped."""
        future = self._asked.get(answer.id)
        if future is not None and not future.done():
            future.set_result(answer)

    def give_up(self) -> None:
        """The connection ended: whoever still waits hears so."""
        for future in self._asked.values():
            if not future.done():
                future.set_exception(BridgeError(tr("SillyTavern's page was closed.")))
