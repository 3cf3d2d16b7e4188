"""Brings the chats that pages of other machines' SillyTaverns show into their copies here."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import msgspec

from app.core.errors import BridgeError, CopyRefused
from app.core.signals import Signal
from app.core.tasks import TaskSupervisor
from app.core.translation import tr
from app.sillytavern.bridge.bridge_link import Page
from app.sillytavern.bridge.bridge_protocol import Changed, ChatIdentity, Event
from app.sillytavern.bridge.bridge_socket import BridgeServer
from app.sillytavern.remote.copy_folder import CopyFolder
from app.work.pages.chat_fetch import ChatFetch, is_busy

log = logging.getLogger(__name__)

SETTLE_SECONDS = 0.05  # what a page announces comes in bursts
BUSY_SECONDS = 0.4  # a reply is being written
RETRY_SECONDS = 1.0
CHECK_SECONDS = 20.0  # what nobody announces, as data of other extensions, is found by then
MOST_RETRIES = 20  # of a page that is there and does not answer
ASK_SECONDS = 30.0


class RemoteChats:
    """Follows each page of a tavern on another machine. Owns its tasks.

    Nothing is taken that was not asked for; a page that lies is let go.

    Signals:
        copied: (page, path) the copy of the chat that the page shows is as the page has it.
    """

    def __init__(self, server: BridgeServer) -> None:
        self._server = server
        self._tasks = TaskSupervisor()
        self._following: dict[str, asyncio.Task[None]] = {}  # by page
        self._again: set[str] = set()
        self._copied: dict[str, Path] = {}  # by page, what it shows and we have
        self._checking: asyncio.Task[None] | None = None
        self._locks: dict[Path, asyncio.Lock] = {}  # two pages may show one chat
        self.copied: Signal[tuple[Page, Path]] = Signal("copied")
        server.connected.connect(self._on_came)
        server.disconnected.connect(self._on_gone)
        server.event.connect(self._on_event)
        server.changed.connect(self._on_changed)

    async def aclose(self) -> None:
        """Follow no page any more."""
        await self._tasks.aclose()

    def is_here(self, page: Page) -> bool:
        """Whether the chat that a page shows can be read here: a file of ours, or copied by now."""
        if page.chat is None or not self._server.is_remote(page):
            return page.chat is not None
        return self._copied.get(page.id) == page.chat.to_path(page.user_folder)

    def follow(self, page: Page) -> None:
        """The page may have something new."""
        if not self._server.is_remote(page):
            return
        if page.id in self._following:
            self._again.add(page.id)
            return
        task = self._tasks.spawn(self._follow(page.id), name="copying a chat")
        self._following[page.id] = task

    async def settled(self, page: Page) -> None:
        """Follow a page now, and wait until that is done."""
        self.follow(page)
        task = self._following.get(page.id)
        if task is not None:
            await asyncio.wait((task,))

    def _on_came(self, page: Page) -> None:
        if self._checking is None and self._server.is_remote(page):
            self._checking = self._tasks.spawn(self._check(), name="comparing copies")
        self.follow(page)

    async def _check(self) -> None:
        """Compare now and then, whatever pages tell."""
        while True:
            await asyncio.sleep(CHECK_SECONDS)
            for page in self._server.pages:
                self.follow(page)

    def _on_event(self, heard: tuple[Page, Event]) -> None:
        page, event = heard
        if event.name == "chat_renamed" and self._server.is_remote(page):
            self._tasks.spawn(self._rename(page, event), name="renaming a copy")
        self.follow(page)

    def _on_changed(self, heard: tuple[Page, Changed]) -> None:
        self.follow(heard[0])

    def _on_gone(self, page: Page) -> None:
        self._copied.pop(page.id, None)

    # --- one page

    def _page(self, id_: str) -> Page | None:
        """The page as it is now."""
        return next((page for page in self._server.pages if page.id == id_), None)

    async def _follow(self, id_: str) -> None:
        """Copy what the page shows, until it has nothing new."""
        retries = 0
        try:
            while (page := self._page(id_)) is not None and page.chat is not None:
                self._again.discard(id_)
                await asyncio.sleep(SETTLE_SECONDS)
                pause = await self._copy(page, page.chat)
                retries = retries + 1 if pause == RETRY_SECONDS else 0
                if retries > MOST_RETRIES or (not pause and id_ not in self._again):
                    return
                await asyncio.sleep(pause)
        finally:
            del self._following[id_]
            self._again.discard(id_)

    async def _copy(self, page: Page, chat: ChatIdentity) -> float:
        """Copy a page's chat once. Gives the seconds to wait for another try, 0 for none."""
        folder = CopyFolder(page.user_folder)
        fetch = ChatFetch(self._asking(page), folder, chat)
        try:
            path = folder.path_of(chat)
            async with self._locks.setdefault(page.user_folder, asyncio.Lock()):
                if self._copied.get(page.id) != path:
                    await fetch.company()
                await fetch.chat()
        except CopyRefused as error:
            self._copied.pop(page.id, None)
            self._server.refuse(page, str(error))
            return 0
        except BridgeError as error:
            if is_busy(error):
                return BUSY_SECONDS
            now = self._page(page.id)
            if now is None or now.chat != chat:
                return 0  # it tells of the other chat by itself
            log.debug("a chat could not be copied: %s", type(error).__name__)
            return RETRY_SECONDS
        self._copied[page.id] = path
        self.copied.emit((page, path))
        return 0

    def _asking(self, page: Page) -> Callable[[str, dict[str, Any]], Awaitable[dict[str, Any]]]:
        async def ask(kind: str, params: dict[str, Any]) -> dict[str, Any]:
            return await self._server.request(page, kind, params, timeout=ASK_SECONDS)

        return ask

    async def _rename(self, page: Page, event: Event) -> None:
        """A chat goes on under another name; what was kept of it goes along."""
        if event.chat is None:
            return
        try:
            old, new = (
                msgspec.structs.replace(event.chat, chat=name or event.chat.chat)
                for name in (event.previous, event.subject)
            )
            async with self._locks.setdefault(page.user_folder, asyncio.Lock()):
                await asyncio.to_thread(CopyFolder(page.user_folder).rename_chat, old, new)
        except (CopyRefused, ValueError) as error:
            self._server.refuse(page, _sentence(error))


def _sentence(error: Exception) -> str:
    if isinstance(error, CopyRefused):
        return str(error)
    return tr("The page used a name that cannot be a file name.")
