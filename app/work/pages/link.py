"""Joins open chats with SillyTavern's pages: follows what they show, gives them their slots."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from app.core.errors import BackendAway, BridgeError, ChatUnreadable
from app.core.part_health import HealthItem
from app.core.signals import Signal
from app.core.tasks import TaskSupervisor
from app.core.translation import N_, tr
from app.llm.backends.page_line import OnPart, told_of
from app.llm.backends.sillytavern_page import NO_PAGE
from app.prompt.generation import Turn
from app.prompt.placement import macros_in
from app.prompt.slots import SlotSet
from app.sillytavern.bridge import bridge_installer
from app.sillytavern.bridge.bridge_file import RETRY_SECONDS
from app.sillytavern.bridge.bridge_protocol import (
    Changed,
    ChatIdentity,
    Event,
    PageRequest,
    Sent,
    TurnRequest,
)
from app.sillytavern.bridge.bridge_socket import BridgeServer, Page
from app.sillytavern.bridge.pairing_door import OnPair
from app.views.bridge import BridgeState
from app.views.taverns import RemoteTavern, Tavern
from app.work.chats.open_chat import OpenChat
from app.work.chats.open_chats import OpenChats
from app.work.pages.answered_turn import AnsweredTurn
from app.work.pages.bridge_health import bridge_health
from app.work.pages.bridge_watch import BridgeWatch
from app.work.pages.remote_chats import RemoteChats
from app.work.pages.rounds import Rounds

log = logging.getLogger(__name__)

PREFERRED_PORT = 47100
SHOW_SECONDS = 5.0
OLD_PAGE = N_("SillyTavern's page has an older bridge. Reload the page, then work continues.")
OTHER_PAGE = N_(
    "Only the page of another SillyTavern or user is open. Work continues once this story's page "
    "is."
)
WRITING = frozenset({"set_extras", "hide", "save"})
STORY_EVENTS = frozenset(
    {"message_sent", "message_received", "message_edited", "message_swiped", "group_finished"}
)


class BridgeLink:
    """The bridge as the rest of the program sees it: paths instead of pages and identities.

    Signals:
        changed: a page came, went, or shows another chat.
        page_came: a page connected, and may be asked.
        opened: a chat that a page shows from now on.
        moved_on: a chat in which the user or a character has just done something.
        recap_asked: the chat of which the user wants to be told what happened before.
        context_changed: the chat whose prompt may take another number of tokens now.
        refresh_asked: the chat that the user wants read and published again.
        asked_by_page: (page, request) what the user asks of us in a page; `reply` answers it.
        refused: (path of the chat, key) another extension fills a slot of ours; it keeps it.
        answered: a turn for which the slots were made, or given up.
        sent: (page, report) the prompt that a turn was sent with.
    """

    def __init__(
        self,
        chats: OpenChats,
        slots_of: Callable[[OpenChat, Turn], Awaitable[SlotSet]],
        beside: Callable[[], str] = lambda: "auto",  # whether a request goes on in a turn
    ) -> None:
        self._chats = chats
        self._slots_of = slots_of
        self._server = BridgeServer(self._on_turn)
        self._copies = RemoteChats(self._server)
        self._opened: dict[str, Path] = {}  # by page whose chat has to be copied
        self._watch = BridgeWatch(self._server.state_of)
        self._paired: set[Path] = set()
        self._ports: dict[Path, int] = {}  # by copy of a tavern elsewhere: where its pages look
        self._unreached: dict[Path, str] = {}  # taverns that could not be written into, and why
        self._beside = beside
        self._tasks = TaskSupervisor()
        self._is_started = False
        self.changed: Signal[None] = Signal("changed")
        self.context_changed: Signal[OpenChat] = Signal("context_changed")
        self.refresh_asked: Signal[Path] = Signal("refresh_asked")
        self.refused: Signal[tuple[Path, str]] = Signal("refused")
        self.page_came: Signal[Page] = Signal("page_came")
        self.opened: Signal[Path] = Signal("opened")
        self.moved_on: Signal[Path] = Signal("moved_on")
        self.recap_asked: Signal[Path] = Signal("recap_asked")
        self.asked_by_page: Signal[tuple[Page, PageRequest]] = Signal("asked_by_page")
        self._unplaced: dict[Path, tuple[str, ...]] = {}
        self.answered: Signal[AnsweredTurn] = Signal("answered")
        self.sent: Signal[tuple[Page, Sent]] = Signal("sent")
        self._rounds = Rounds(chats)
        self._watch.changed.connect(self.changed.emit)
        self._watch.returned.connect(self._on_returned)
        self._server.listener.changed.connect(self.changed.emit)
        self._server.connected.connect(self._on_page)
        self._server.server_changed.connect(self._on_page)
        self._server.connected.connect(self.page_came.emit)
        self._server.disconnected.connect(self._on_page)
        self._server.connected.connect(self._on_page_came)
        self._server.disconnected.connect(self._on_page_gone)
        self._server.event.connect(self._on_event)
        self._server.changed.connect(self._on_changed)
        self._server.asked_by_page.connect(self.asked_by_page.emit)
        self._server.sent.connect(self.sent.emit)
        self._copies.copied.connect(self._on_copied)

    @property
    def pages(self) -> tuple[Page, ...]:
        """The pages that are connected now."""
        return self._server.pages

    @property
    def unplaced_macros(self) -> tuple[str, ...]:
        """Macros that were to tell something, and stand nowhere in a prompt that was sent."""
        shown = set(self.shown)
        found = (names for path, names in self._unplaced.items() if path in shown)
        return tuple(dict.fromkeys(name for names in found for name in names))

    @property
    def bridges(self) -> Mapping[Path, BridgeState]:
        """How the bridge stands in each tavern, by its user folder."""
        return self._watch.states

    @property
    def taken_ports(self) -> tuple[int, ...]:
        """Where pages of other machines' taverns look for us, and another program is."""
        taken = self._server.listener.taken
        return tuple(port for port in self._ports.values() if port in taken)

    @property
    def health(self) -> HealthItem:
        """How the way to the pages is doing."""
        return bridge_health(
            self.pages,
            self.bridges,
            is_listening=bool(self._paired),
            is_seeking=self._watch.is_seeking,
            unplaced=self.unplaced_macros,
            unreached=tuple(self._unreached.values()),
            taken_ports=self.taken_ports,
        )

    def is_paired(self, user_folder: Path) -> bool:
        """Whether a tavern's pages could reach us."""
        return user_folder in self._paired

    @property
    def shown(self) -> tuple[Path, ...]:
        """The chats that pages show now, and that can be read here."""
        return tuple(
            page.chat.to_path(page.user_folder)
            for page in self.pages
            if page.chat is not None and self._copies.is_here(page)
        )

    @property
    def port(self) -> int:
        """Where a page comes that has to be told; 0 while none can."""
        is_usual = PREFERRED_PORT in self._server.listener.ports
        return PREFERRED_PORT if is_usual else self._server.port

    async def start(
        self, taverns: Sequence[Tavern], ports: Sequence[int] = (PREFERRED_PORT,)
    ) -> None:
        """Listen, bring installed bridges up to date, and pair with them. ports: once free."""
        await self._server.start(*ports)
        self._is_started = True
        self._watch.start()
        for tavern in taverns:
            if not tavern.host:
                await self.pair(tavern.user_folder)

    def let_in(self, tavern: RemoteTavern) -> None:
        """Let the pages of a tavern on another machine come; see BridgeServer.add_remote."""
        if self._is_started:
            self._server.add_remote(tavern.folder, tavern.origin, tavern.token)
            self._paired.add(tavern.folder)
            self._ports[tavern.folder] = tavern.port
            self.changed.emit(None)

    def open_door(self, on_pair: OnPair, is_open: Callable[[], bool]) -> None:
        """Who answers pages that bring a code, and whether one is shown now."""
        self._server.door.on_pair = on_pair
        self._server.door.is_open = is_open

    async def pair(self, user_folder: Path) -> None:
        """Pair with a tavern's pages, where the bridge is installed; later, if it must be."""
        if not self._is_started:
            return
        await self._try_to_pair(user_folder)
        if user_folder in self._unreached:
            self._tasks.spawn(self._pair_when_it_can(user_folder), name="pairing with a tavern")

    async def _try_to_pair(self, user_folder: Path) -> None:
        try:
            await asyncio.to_thread(bridge_installer.update, user_folder)
            if await self._server.add_tavern(user_folder):
                self._paired.add(user_folder)
            await self._watch.add(user_folder)
            self._unreached.pop(user_folder, None)
        except BridgeError as error:
            if user_folder not in self._unreached:
                log.warning("%s", error)
            self._unreached[user_folder] = str(error)
        self.changed.emit(None)

    def _on_returned(self, user_folder: Path) -> None:
        self._tasks.spawn(self.pair(user_folder), name="pairing with a tavern")

    async def _pair_when_it_can(self, user_folder: Path) -> None:
        """A full disk gets room again, and lost rights come back."""
        while user_folder in self._unreached:
            await asyncio.sleep(RETRY_SECONDS)
            if user_folder in self._unreached:
                await self._try_to_pair(user_folder)

    async def part(self, user_folder: Path) -> None:
        """Let a tavern's pages go."""
        self._paired.discard(user_folder)
        self._ports.pop(user_folder, None)
        self._unreached.pop(user_folder, None)
        self._watch.forget(user_folder)
        await self._server.remove_tavern(user_folder)
        self.changed.emit(None)

    async def aclose(self) -> None:
        """Say goodbye."""
        await self._watch.aclose()
        await self._tasks.aclose()
        await self._copies.aclose()
        if self._is_started:
            await self._server.aclose()

    def publish(self, chat: OpenChat, slots: SlotSet, members: Mapping[str, SlotSet]) -> None:
        """Give the slots to the pages and the bridge file of the chat's tavern. members: of a
        group, by card file.
        """
        identity, user_folder = ChatIdentity.of(chat.chat), chat.chat.user_folder
        if identity is not None and user_folder is not None:
            self._server.publish(user_folder, identity, slots, members)

    async def ask(
        self,
        page: Page,
        kind: str,
        params: dict[str, Any],
        *,
        timeout: float = 30.0,  # noqa: ASYNC109
    ) -> dict[str, Any]:
        """Ask a page for something; saving a long chat takes a while. Raises BridgeError."""
        answer = await self._server.request(page, kind, params, timeout=timeout)
        if kind in WRITING and self._server.is_remote(page):
            await self._copies.settled(page)  # nothing else tells what was written there
        return answer

    def reply(
        self, page: Page, to: PageRequest, result: dict[str, Any] | None = None, error: str = ""
    ) -> None:
        """Tell a page what became of its request. error: one sentence for the user."""
        self._server.reply(page, to, result, error)

    def choose_parts(self, parts: Mapping[str, bool]) -> None:
        """Which parts of the page are wanted, for those that come; see PageSide."""
        self._server.choose_parts(parts)

    async def ask_page(
        self,
        kind: str,
        params: dict[str, Any],
        *,
        seconds: float,
        on_part: OnPart | None = None,
    ) -> dict[str, Any]:
        """Ask the page that came last of those that may hear it; see PageLine."""
        page = self._hearing()
        if kind == "ask_model":
            params = {**params, "beside": self._beside()}
        try:
            return await self._server.request(page, kind, params, timeout=seconds, on_part=on_part)
        except BridgeError as error:
            if page.version != bridge_installer.program_version():
                raise BackendAway(tr(OLD_PAGE)) from error
            raise BackendAway(
                tr("{error} The request is repeated once it is open.", error=error)
            ) from error

    def _hearing(self) -> Page:
        """The newest page of the tavern whose story is told; of any, where that can have none."""
        tavern = told_of()
        for page in reversed(self.pages):
            if page.user_folder == tavern or tavern not in self._paired:
                return page
        raise BackendAway(tr(OTHER_PAGE if self.pages else NO_PAGE))

    async def _on_turn(self, page: Page, turn: TurnRequest) -> SlotSet:
        path = turn.chat.to_path(page.user_folder)
        # What is open is kept up to date by what SillyTavern saves: a turn never waits for reading.
        chat = self._chats.get(path)
        if chat is None and self._copies.is_here(page):
            chat = await self._open(path)
        if chat is None:
            return SlotSet()
        if turn.context and chat.hear_context(turn.context):
            self.context_changed.emit(chat)
        whose = Turn(
            turn.responder,
            turn.kind,
            context=turn.context or None,
            card=turn.macros,
            serves_macros=turn.macros is not None,
            fixed=chat.fixed_tokens.get(turn.responder, 0),
            is_behind=self._rounds.is_ahead(path, len(chat.story.messages)),
            said=tuple((said.name, said.text, said.is_user) for said in turn.said),
        )
        try:
            slots = await self._slots_of(chat, whose)
        except asyncio.CancelledError:  # nobody waits for them any more; the prompt went out still
            self.answered.emit(AnsweredTurn(page, turn, chat, SlotSet(), is_made=False))
            raise
        self.answered.emit(AnsweredTurn(page, turn, chat, slots))
        return slots

    async def _open(self, path: Path) -> OpenChat | None:
        try:
            return await self._chats.open(path)
        except ChatUnreadable as error:
            log.warning("%s", error)
            return None

    async def profiles(self) -> tuple[str, ...] | None:
        """Names of the connection profiles that the page has; None where none can be asked."""
        try:
            found = await self.ask_page("connection", {}, seconds=SHOW_SECONDS)
        except BackendAway:
            return None
        names = found.get("profiles")
        return tuple(map(str, names)) if isinstance(names, list) else ()

    async def show_recap(self, path: Path, card: Callable[[str], Mapping[str, str]]) -> bool:
        """Lay a card (title, text) of each page's language over a chat. Returns whether any did."""
        shown = False
        for page in self.pages:
            if page.chat is None or page.chat.to_path(page.user_folder) != path:
                continue
            params = {"chat": msgspec.to_builtins(page.chat), **card(page.language)}
            try:
                await self._server.request(page, "show_recap", params, timeout=SHOW_SECONDS)
                shown = True
            except BridgeError as error:  # it went on to another chat, or to a reply
                log.debug("%s", error)
        return shown

    def _on_page(self, _: Page) -> None:
        self.changed.emit(None)

    def _on_page_came(self, page: Page) -> None:
        self._watch.end_seeking()
        if page.chat is not None and self._copies.is_here(page):
            self.opened.emit(page.chat.to_path(page.user_folder))

    def _on_copied(self, news: tuple[Page, Path]) -> None:
        """A chat of another machine is here, as its page has it."""
        page, path = news
        self._chats.reread(path)
        if self._opened.get(page.id) != path:
            self._opened[page.id] = path
            self.changed.emit(None)
            self.opened.emit(path)

    def _on_page_gone(self, page: Page) -> None:
        self._opened.pop(page.id, None)
        if page.chat is not None:  # it tells again of what is still so
            self._unplaced.pop(page.chat.to_path(page.user_folder), None)
        self._rounds.end(page)

    def _on_event(self, heard: tuple[Page, Event]) -> None:
        page, event = heard
        path = None if event.chat is None else event.chat.to_path(page.user_folder)
        if event.name == "chat_changed":
            self._rounds.end(page)
            if path is not None:
                self._chats.reread(path)
            self._opened.pop(page.id, None)
            self.changed.emit(None)
            if path is not None and self._copies.is_here(page):
                self.opened.emit(path)
        elif path is None:
            return
        elif event.name == "refresh_asked":
            self.refresh_asked.emit(path)
        elif event.name == "recap_asked":
            self.recap_asked.emit(path)
        elif event.name == "slot_refused":
            self.refused.emit((path, event.subject))
        elif self._chats.get(path) is None:
            return  # a page may name chats without end, and nothing is to be noted of those
        elif event.name == "macros_unplaced":
            self._unplaced[path] = macros_in(f"{{{{{name}}}}}" for name in event.subject.split())
            self.changed.emit(None)
        else:
            self._rounds.hear(page, path, event)
            if event.name in STORY_EVENTS:
                self.moved_on.emit(path)
            self._chats.reread_soon(path)

    def _on_changed(self, heard: tuple[Page, Changed]) -> None:
        page, change = heard
        self._chats.reread_soon(change.chat.to_path(page.user_folder))
