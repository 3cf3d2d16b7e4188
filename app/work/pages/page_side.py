"""What the user sees of Tavernkeep in SillyTavern's pages: badge, marks, and where to jump."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from app.core.errors import BridgeError, UsageError
from app.core.part_health import Health
from app.core.tasks import TaskSupervisor
from app.core.translation import N_, tr
from app.settings.page import PageSettings
from app.settings.values import Settings
from app.sillytavern.bridge.bridge_protocol import ChatIdentity
from app.sillytavern.bridge.bridge_socket import Page
from app.sillytavern.bridge.page_marks import PageMark, difference, message_checksum, page_marks
from app.views.story_change import StoryChange
from app.work.chats.bursts import Bursts
from app.work.chats.open_chats import OpenChats
from app.work.pages.link import BridgeLink
from app.work.pages.page_badge import PageBadge, badge_of

log = logging.getLogger(__name__)

SETTLE_SECONDS = 0.2
LONGEST_SETTLE_SECONDS = 1.0
# Each batch costs the page one layout of all that it shows, whether for one mark or for hundreds.
MARKS_AT_ONCE = 400
ASK_SECONDS = 10.0
MARKS_SECONDS = 60.0  # SillyTavern may be busy with showing a long chat
NOT_SHOWN = N_("SillyTavern is not showing this chat right now. Open it there first.")


@dataclass(slots=True)
class _Shown:
    """What a page shows: messages of a chat from `first` on, with these marks."""

    path: Path
    first: int
    marks: dict[int, PageMark] = field(default_factory=dict)


class PageSide:
    """Keeps badge and marks of all pages as they have to be, by the settings; owns its tasks.

    A page hears only what became different since it was told last.
    """

    def __init__(
        self,
        link: BridgeLink,
        chats: OpenChats,
        settings: Settings,
        to_do: Callable[[], int],
    ) -> None:
        self._link = link
        self._chats = chats
        self._settings = settings
        self._to_do = to_do
        self._tasks = TaskSupervisor()
        self._bursts = Bursts(LONGEST_SETTLE_SECONDS)
        self._parts: dict[str, bool] = {}
        self._badge = PageBadge()
        self._shown: dict[str, _Shown] = {}  # by page
        self._telling: dict[str, bool] = {}  # pages that are being told marks, and whether again
        link.page_came.connect(self._on_page_came)
        link.changed.connect(self._on_pages_changed)
        chats.changed.connect(self._on_story_changed)

    async def aclose(self) -> None:
        """Tell nothing any more."""
        self._bursts.close()
        await self._tasks.aclose()

    # --- the window's side

    def shows(self, path: Path) -> bool:
        """Whether a page shows this chat, so that one can jump to its messages there."""
        return path in self._link.shown

    async def go_to(self, path: Path, anchor: str) -> None:
        """Scroll the pages that show a chat to a message, and mark it there for a moment.

        Raises UsageError where none does, or the message is not there.
        """
        chat = self._chats.required(path)
        index = chat.index_of(anchor)
        if index is None:
            raise UsageError(tr("This message is no longer in the chat."))
        params = {"index": index, "hash": message_checksum(chat.story.messages[index])}
        pages = [page for page in self._link.pages if _path_of(page) == path]
        if not pages:
            raise UsageError(tr(NOT_SHOWN))
        for page in pages:
            try:
                meant = params | {"chat": msgspec.to_builtins(page.chat)}
                await self._link.ask(page, "go_to", meant, timeout=ASK_SECONDS)
            except BridgeError as error:
                raise UsageError(str(error)) from error

    # --- parts and badge

    def follow(self, health: Health) -> None:
        """How the program is doing; settings are looked at again as well."""
        parts = PageSettings(self._settings).parts
        if parts != self._parts:
            self._parts = parts
            self._link.choose_parts(parts)
            self._tasks.spawn(self._tell_parts(), name="choosing parts of the page")
        badge = badge_of(health, self._to_do())
        if badge != self._badge:
            self._badge = badge
            if self._link.pages:  # one that comes later is greeted with it
                self._bursts.after(SETTLE_SECONDS, Path("badge"), self._tell_badge)

    async def _tell_parts(self) -> None:
        for page in self._link.pages:
            await self._tell(page, "parts", self._parts)
        for shown in tuple(self._shown.values()):
            self._soon(shown.path)

    def _tell_badge(self) -> None:
        for page in self._link.pages:
            self._tasks.spawn(self._tell(page, "badge", self._badge_told()), name="page badge")

    def _badge_told(self) -> dict[str, Any]:
        told: dict[str, Any] = msgspec.to_builtins(self._badge)
        return told

    def _on_page_came(self, page: Page) -> None:
        self._tasks.spawn(self._greet(page), name="greeting a page")

    async def _greet(self, page: Page) -> None:
        if self._parts:
            await self._tell(page, "parts", self._parts)
            await self._tell(page, "badge", self._badge_told())

    async def _tell(
        self, page: Page, kind: str, params: dict[str, Any], seconds: float = ASK_SECONDS
    ) -> bool:
        try:
            await self._link.ask(page, kind, params, timeout=seconds)
        except BridgeError as error:  # it went, shows another chat, or is of an older version
            log.debug("%s", error)
            return False
        return True

    # --- marks

    def show_from(self, page: Page, chat: ChatIdentity, first: int, *, anew: bool) -> None:
        """A page shows the messages of a chat from `first` on. anew: it has no marks yet."""
        path = chat.to_path(page.user_folder)
        shown = self._shown.get(page.id)
        if shown is None or anew or shown.path != path:
            self._shown[page.id] = _Shown(path, first)
        else:
            shown.first = first
        self._begin_marks(page.id)

    def _on_pages_changed(self, _: None) -> None:
        present = {page.id for page in self._link.pages}
        self._shown = {key: shown for key, shown in self._shown.items() if key in present}

    def _on_story_changed(self, change: StoryChange) -> None:
        self._soon(change.chat.path)

    def _soon(self, path: Path) -> None:
        if any(shown.path == path for shown in self._shown.values()):
            self._bursts.after(SETTLE_SECONDS, path, partial(self._begin_marks_of, path))

    def _begin_marks_of(self, path: Path) -> None:
        for key, shown in tuple(self._shown.items()):
            if shown.path == path:
                self._begin_marks(key)

    def _begin_marks(self, page_id: str) -> None:
        if page_id in self._telling:
            self._telling[page_id] = True
            return
        self._telling[page_id] = False
        self._tasks.spawn(self._keep_telling(page_id), name="marks of a page")

    async def _keep_telling(self, page_id: str) -> None:
        try:
            again = True
            while again:
                self._telling[page_id] = False
                await self._tell_marks(page_id)
                again = self._telling[page_id]
        finally:
            del self._telling[page_id]

    async def _tell_marks(self, page_id: str) -> None:
        shown = self._shown.get(page_id)
        page = next((page for page in self._link.pages if page.id == page_id), None)
        chat = None if shown is None else self._chats.get(shown.path)
        if shown is None or page is None or chat is None or _path_of(page) != shown.path:
            return
        story, parts = chat.story, self._parts
        marks = await asyncio.to_thread(
            page_marks,
            story,
            shown.first,
            with_ends=parts.get("button", False),
            with_recaps=parts.get("marks", False),
        )
        for batch in _batches(difference(shown.marks, marks, story)):
            rows = msgspec.to_builtins(batch)
            params = {"chat": msgspec.to_builtins(page.chat), "marks": rows}
            is_told = await self._tell(page, "marks", params, MARKS_SECONDS)
            if not is_told or self._shown.get(page_id) is not shown:
                return
            shown.marks.update((mark.index, mark) for mark in batch)
        shown.marks = marks


def _batches(marks: Sequence[PageMark]) -> Iterator[Sequence[PageMark]]:
    for start in range(0, len(marks), MARKS_AT_ONCE):
        yield marks[start : start + MARKS_AT_ONCE]


def _path_of(page: Page) -> Path | None:
    return None if page.chat is None else page.chat.to_path(page.user_folder)
