"""Does what the user asks of Tavernkeep from within SillyTavern's page."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

from app.core.errors import TavernkeepError, UsageError
from app.core.signals import Signal
from app.core.tasks import TaskSupervisor
from app.core.translation import N_, speaking, tr
from app.memory.epistemic.leaks import Leak
from app.sillytavern.bridge.bridge_protocol import PageRequest
from app.sillytavern.bridge.bridge_socket import Page
from app.sillytavern.bridge.page_marks import message_checksum
from app.story.messages import Message
from app.views.search_results import Hit
from app.work.chats.open_chat import OpenChat
from app.work.chats.open_chats import OpenChats
from app.work.edits.story_edits import StoryEdits
from app.work.pages.link import BridgeLink
from app.work.pages.page_side import PageSide
from app.work.queries.leak_check import leak_sentence
from app.work.queries.searching import Search

log = logging.getLogger(__name__)

AT_ONCE = 4  # requests of one page; more make no sense and are refused
HITS = 12
NEAR = 200  # messages that may have come or gone before it since the page looked
LONGEST_SNIPPET = 300
SAVE_PAUSES = (0.0, 0.5, 1.0, 2.0)  # SillyTavern saves a moment after it shows a message
UNSAVED = N_("SillyTavern has not saved this message yet. Try again in a moment.")
WINDOWLESS = N_("Tavernkeep runs without a window.")
TOO_MANY = N_("Tavernkeep is still busy with your last request.")

Leaks = Callable[[Path, int], Awaitable[tuple[Leak, ...]]]
AskFor = Callable[[Path, str, str], Awaitable[str]]
Orders = Callable[[Path, str, str], Awaitable[dict[str, Any]]]


class PageRequests:
    """Answers each request once; a page that is gone meanwhile does not hear it.

    leaks: what a message tells that its speaker cannot know. ask_for: has a longer text written, by
    its name, and says what that waits for. orders: follows one about the program, by its name.
    has_window: somebody listens to `window_wanted`.

    Signals:
        window_wanted: (path, anchor) the user wants to see this message in the window.
    """

    # 8 parameters: whoever answers a request; wiring.py alone makes it.
    def __init__(
        self,
        link: BridgeLink,
        chats: OpenChats,
        side: PageSide,
        edits: StoryEdits,
        search: Search,
        leaks: Leaks,
        ask_for: AskFor,
        orders: Orders,
    ) -> None:
        self._link = link
        self._chats = chats
        self._side = side
        self._edits = edits
        self._search = search
        self._leaks = leaks
        self._ask_for = ask_for
        self._orders = orders
        self._tasks = TaskSupervisor()
        self._busy: dict[str, int] = {}
        self.has_window = False
        self.window_wanted: Signal[tuple[Path, str]] = Signal("window_wanted")
        link.asked_by_page.connect(self._on_asked)

    async def aclose(self) -> None:
        """Do nothing any more."""
        await self._tasks.aclose()

    def _on_asked(self, asked: tuple[Page, PageRequest]) -> None:
        page, request = asked
        if request.kind == "marks":
            self._side.show_from(page, request.chat, request.index or 0, anew=bool(request.wanted))
            self._link.reply(page, request)
        elif self._busy.get(page.id, 0) >= AT_ONCE:
            self._link.reply(page, request, error=tr(TOO_MANY))
        else:
            self._busy[page.id] = self._busy.get(page.id, 0) + 1
            self._tasks.spawn(self._answer(page, request), name="a request of the page")

    async def _answer(self, page: Page, request: PageRequest) -> None:
        try:
            path = request.chat.to_path(page.user_folder)
            chat = self._chats.get(path) or await self._chats.open(path)
            self._link.reply(page, request, await self._done(page, path, chat, request))
        except TavernkeepError as error:
            self._link.reply(page, request, error=str(error))
        finally:
            self._busy[page.id] -= 1
            if not self._busy[page.id]:
                del self._busy[page.id]

    async def _done(
        self, page: Page, path: Path, chat: OpenChat, request: PageRequest
    ) -> dict[str, Any]:
        match request.kind:
            case "scene":
                return await self._scene(path, chat, request)
            case "search":
                return await self._found(page, path, request.text)
            case "text":
                said = await self._ask_for(path, request.text, page.language)
                return {"said": said} if said else {}
            case "order":
                return await self._orders(path, request.text, page.language)
            case "check":
                return await self._checked(page, path, await self._place(chat, request))
            case _:
                return await self._open(path, chat, request)

    async def _scene(self, path: Path, chat: OpenChat, request: PageRequest) -> dict[str, Any]:
        index = await self._place(chat, request)
        anchor = chat.story.messages[index].anchor
        mark = chat.story.breaks.get(anchor)
        is_marked = mark is not None and mark.is_visible
        wanted = not is_marked if request.wanted is None else request.wanted
        if wanted != is_marked:
            scenes = self._edits.scenes
            await (scenes.mark if wanted else scenes.hide)(path, anchor)
        return {"marked": wanted, "index": index}

    async def _found(self, page: Page, path: Path, query: str) -> dict[str, Any]:
        """What another user's chats tell, or another SillyTavern's, is nothing for this page."""
        if not query.strip():
            raise UsageError(tr("Say what to look for: /tk-search the silver key"))
        found = await self._search.find(query, limit=HITS, here=path, within=page.user_folder)
        # What is in this chat can be gone to, and comes first.
        hits = sorted(found.hits, key=lambda hit: hit.chat != path)
        with speaking(page.language):
            return {"items": [_item(hit, path) for hit in hits]}

    async def _checked(self, page: Page, path: Path, index: int) -> dict[str, Any]:
        leaks = await self._leaks(path, index)
        with speaking(page.language):
            items = [
                {"label": leak_sentence(leak), "text": _short(leak.sentence), "index": leak.message}
                for leak in leaks[:HITS]
            ]
        return {"items": items, "index": index}

    async def _open(self, path: Path, chat: OpenChat, request: PageRequest) -> dict[str, Any]:
        if not self.has_window:
            raise UsageError(tr(WINDOWLESS))
        index = await self._place(chat, request)
        self.window_wanted.emit((path, chat.story.messages[index].anchor))
        return {}

    async def _place(self, chat: OpenChat, request: PageRequest) -> int:
        """Index of the message that the page means; waits for SillyTavern to save it."""
        for pause in SAVE_PAUSES:
            await asyncio.sleep(pause)
            if pause:
                await chat.reading()
            index = _meant(chat.story.messages, request)
            if index is not None:
                return index
        raise UsageError(tr(UNSAVED))


def _meant(messages: Sequence[Message], request: PageRequest) -> int | None:
    """The message that a request names: the one in its place, else the only one near it that is
    like it and follows one like that which it follows. Who repeats a sentence means its own place.
    """
    if request.index is None or request.hash is None:
        return len(messages) - 1 if messages else None
    about = request.index
    if about >= len(messages):
        return None  # not saved yet, whatever earlier ones say the same
    if message_checksum(messages[about]) == request.hash:
        return about
    near = range(max(0, about - NEAR), min(len(messages), about + NEAR + 1))
    places = [at for at in near if message_checksum(messages[at]) == request.hash]
    if request.before is not None:
        places = [
            at for at in places if at and message_checksum(messages[at - 1]) == request.before
        ]
    return places[0] if len(places) == 1 else None


def _item(hit: Hit, path: Path) -> dict[str, Any]:
    """A find as the page lists it. index: only of a message of the chat that it shows."""
    tier = hit.tier.replace("_", " ")
    what = f"{tr(tier)}, {tr(hit.type)}" if tier else tr("message")
    is_here = hit.chat == path
    place = f"#{hit.index}" if hit.index is not None and hit.index >= 0 else ""
    where = place if is_here else f"{hit.chat.stem} {place}"
    item: dict[str, Any] = {
        "label": " · ".join(part for part in (where.strip(), what) if part),
        "text": _short(hit.snippet),
    }
    return item | ({"index": hit.index} if is_here and place else {})


def _short(text: str) -> str:
    text = " ".join(text[: LONGEST_SNIPPET * 2].split())
    return text if len(text) <= LONGEST_SNIPPET else f"{text[: LONGEST_SNIPPET - 1]}…"
