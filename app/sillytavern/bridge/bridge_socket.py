"""The websocket that pages with the bridge extension connect to."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Any

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request as Handshake
from websockets.http11 import Response

from app.core.errors import BridgeError, reason_of
from app.core.signals import Signal
from app.core.tasks import TaskSupervisor
from app.core.translation import tr
from app.prompt.placement import MACROS_BY_KEY
from app.prompt.slots import SlotSet
from app.sillytavern.bridge import bridge_handshake, bridge_installer, bridge_protocol
from app.sillytavern.bridge.bounded_connection import BoundedConnection
from app.sillytavern.bridge.bridge_link import OnPart, Page, PageLink
from app.sillytavern.bridge.bridge_protocol import (
    EVENTS,
    MAX_FRAME_BYTES,
    PAGE_REQUESTS,
    PAIRING_SUBPROTOCOL,
    SUBPROTOCOLS,
    Answer,
    Changed,
    ChatIdentity,
    Event,
    Hello,
    PageFrame,
    PageRequest,
    Part,
    Pulse,
    Reply,
    Sent,
    TurnRequest,
    Welcome,
)
from app.sillytavern.bridge.bridge_taverns import is_proven
from app.sillytavern.bridge.frame_meter import FrameMeter
from app.sillytavern.bridge.loopback_listener import LoopbackListener
from app.sillytavern.bridge.pairing_door import PairingDoor
from app.sillytavern.bridge.published import NOBODYS, Published
from app.sillytavern.bridge.tavern_pairings import TavernPairings
from app.sillytavern.bridge.turn_answers import OnTurn, TurnAnswers
from app.views.bridge import BridgeState

__all__ = ("BridgeServer", "OnTurn", "Page")

log = logging.getLogger(__name__)

# The handshake carries the token and SillyTavern's session cookies: nothing of it may be logged.
_silent = logging.getLogger(f"{__name__}.websockets")
_silent.setLevel(logging.CRITICAL + 1)

TURN_WAIT_SECONDS = 0.25
MAX_PAGES = 8
OPEN_SECONDS = 5.0  # in which they have to
ROTATION_SECONDS = 12 * 3600
GRACE_SECONDS = 60.0
PULSE_SECONDS = 4.0
PULSES_UNANSWERED = 3  # a page that loads a long chat is busy for seconds
HELLO_SECONDS = 10.0
TOKEN_ROTATED = 4401  # close code: come back with the new token
UNPROVEN = 4403  # close code: the page does not know the token
REFUSED = 4400  # close code: the page said what must not be taken; the reason says what
LONGEST_REASON = 120  # bytes that a close frame takes


class BridgeServer:
    """Talks to the pages of all paired taverns.

    Owns its tasks, the pairing files and the bridge files. `on_turn` makes the slots of a turn; a
    page waits `turn_wait_seconds` for it, then takes the last it knows. `door`: where pages of
    other machines' taverns bring a code. `listener`: at which ports pages come.

    Signals:
        connected, disconnected: the page.
        event: (page, event) for what SillyTavern announced; the page already shows event.chat.
        changed: (page, change) when messages differ from before, announced or not.
        asked_by_page: (page, request) for what the user asks of us in the page; `reply` answers it.
        sent: (page, report) the prompt that a turn was sent with.
        server_changed: the page; SillyTavern's server answers it no more, or again.
    """

    def __init__(
        self,
        on_turn: OnTurn,
        *,
        turn_wait_seconds: float = TURN_WAIT_SECONDS,
        allowed_origins: Iterable[str] = (),
    ) -> None:
        self.connected: Signal[Page] = Signal("connected")
        self.disconnected: Signal[Page] = Signal("disconnected")
        self.event: Signal[tuple[Page, Event]] = Signal("event")
        self.changed: Signal[tuple[Page, Changed]] = Signal("changed")
        self.asked_by_page: Signal[tuple[Page, PageRequest]] = Signal("asked_by_page")
        self.sent: Signal[tuple[Page, Sent]] = Signal("sent")
        self.server_changed: Signal[Page] = Signal("server_changed")
        self.turn_wait_seconds = turn_wait_seconds
        self.pulse_seconds = PULSE_SECONDS
        self.door = PairingDoor()
        self.listener = LoopbackListener(self._listen)
        self._tasks = TaskSupervisor()
        self._turns = TurnAnswers(on_turn, self._tasks)
        self._session = secrets.token_hex(8)
        self._taverns = TavernPairings(
            self._session, lambda: self.port, self._tasks, allowed_origins
        )
        self._links: dict[ServerConnection, PageLink] = {}
        self._connections: dict[ServerConnection, None] = {}
        self._version = bridge_installer.program_version()

    @property
    def port(self) -> int:
        """Where pages of this machine come; 0 before `start` and after `aclose`."""
        return self.listener.port

    @property
    def pages(self) -> tuple[Page, ...]:
        """The pages that are connected now, oldest first."""
        return tuple(link.page for link in self._links.values())

    async def start(self, *ports: int) -> int:
        """Listen on loopback at these ports, at each as soon as it is free; while none of them is,
        at any other. Returns the port for pages of this machine.

        Raises BridgeError when there is no port to have.
        """
        try:
            await self.listener.start(ports)
        except OSError as error:
            raise BridgeError(
                tr(
                    "The bridge cannot be reached on this computer: {reason}.",
                    reason=reason_of(error),
                )
            ) from error
        self._tasks.spawn(self._rotate_forever(), name="bridge token rotation")
        return self.port

    async def _listen(self, port: int) -> Server:
        return await serve(
            self._converse,
            "127.0.0.1",
            port,
            process_request=self._check_handshake,
            subprotocols=None,
            select_subprotocol=self._select_subprotocol,
            compression=None,
            max_size=MAX_FRAME_BYTES,
            create_connection=partial(  # type: ignore[arg-type]
                BoundedConnection, self._connections, self._links
            ),
            open_timeout=OPEN_SECONDS,
            close_timeout=2,
            ping_interval=20,
            ping_timeout=20,
            server_header=None,
            logger=_silent,
        )

    async def aclose(self) -> None:
        """Say goodbye to all pages, unpair the taverns and write what waits to be written."""
        await self.listener.aclose()
        for user_folder in self._taverns.folders:
            await self.remove_tavern(user_folder)
        await self._tasks.aclose()

    async def add_tavern(self, user_folder: Path) -> bool:
        """Pair with the pages of a tavern; again after the bridge was installed there.

        Returns False where the bridge is not installed. Raises BridgeError when the pairing cannot
        be written.
        """
        return await self._taverns.add(user_folder)

    def add_remote(self, folder: Path, origin: str, token: str) -> None:
        """Let in the pages of a tavern on another machine. folder: of its copy.

        origin: of its pages, in lower case. token: that they keep, and prove to know.
        """
        self._taverns.add_remote(folder, origin, token)

    def is_remote(self, page: Page) -> bool:
        """Whether the page is of a tavern on another machine."""
        tavern = self._taverns.get(page.user_folder)
        return tavern is not None and tavern.is_remote

    def refuse(self, page: Page, sentence: str) -> None:
        """Let a page go that lied, and tell it why."""
        link = self._link_of(page)
        if link is not None:
            self._tasks.spawn(_refuse(link, sentence), name="refusing a page")

    def state_of(self, user_folder: Path) -> BridgeState | None:
        """How the bridge stands there; reads files. None while the pairing cannot be written."""
        return self._taverns.state_of(user_folder)

    def choose_parts(self, parts: Mapping[str, bool]) -> None:
        """Which parts of the page are wanted; pages also know while we do not run."""
        self._taverns.choose_parts(parts)

    async def remove_tavern(self, user_folder: Path) -> None:
        """Part from a tavern: its pages are let go and find no pairing any more."""
        tavern = self._taverns.take(user_folder)
        if tavern is None:
            return
        for link in tuple(self._links.values()):
            if link.page.user_folder == user_folder:
                await link.connection.close()
        await self._taverns.part_from(user_folder, tavern)

    async def rotate_tokens(self, *, grace_seconds: float = GRACE_SECONDS) -> None:
        """Give every tavern a new token; connections made with an old one end after the grace.

        A tavern that cannot be told of a new one keeps the old one: its pages would not come back.
        """
        links = tuple(self._links.values())
        told = await self._taverns.rotate_tokens()
        outdated = [link for link in links if link.page.user_folder in told]
        self._tasks.spawn(self._let_go(outdated, grace_seconds), name="bridge token grace")

    async def _rotate_forever(self) -> None:
        while True:
            await asyncio.sleep(ROTATION_SECONDS)
            await self.rotate_tokens()

    async def _let_go(self, links: Sequence[PageLink], grace_seconds: float) -> None:
        await asyncio.sleep(grace_seconds)
        for link in links:
            await link.connection.close(TOKEN_ROTATED)

    def publish(
        self,
        user_folder: Path,
        chat: ChatIdentity,
        slots: SlotSet,
        members: Mapping[str, SlotSet] = NOBODYS,
    ) -> int:
        """Make these the slots of a chat, for whoever answers in it. members: as in Published.

        Pages that show the chat set them at once, others when they come to it; the bridge file is
        written too. Returns how many pages show it now; 0 also for a tavern that is not paired.
        """
        tavern = self._taverns.get(user_folder)
        if tavern is None:
            return 0
        published = Published(slots, members)
        tavern.publish(chat, published)
        showing = [
            link
            for link in self._links.values()
            if link.page.user_folder == user_folder and link.page.chat == chat
        ]
        for link in showing:
            link.give(chat, published)
        return len(showing)

    async def request(
        self,
        page: Page,
        kind: str,
        params: dict[str, Any] | None = None,
        *,
        timeout: float = 10.0,  # noqa: ASYNC109
        on_part: OnPart | None = None,
    ) -> dict[str, Any]:
        """Ask a page for something: the kinds stand in the extension's requests.js.

        Raises BridgeError when the page is gone, cannot do it, or takes longer than `timeout`
        seconds.
        """
        link = self._link_of(page)
        if link is None:
            raise BridgeError(tr("SillyTavern's page is no longer connected."))
        return await link.request(kind, params or {}, timeout, on_part)

    def reply(
        self, page: Page, to: PageRequest, result: dict[str, Any] | None = None, error: str = ""
    ) -> None:
        """Tell a page what became of its request; one that is gone does not mind."""
        link = self._link_of(page)
        if link is not None:
            link.send(Reply(to.id, result or {}, error))

    def _link_of(self, page: Page) -> PageLink | None:
        return next((link for link in self._links.values() if link.page.id == page.id), None)

    # --- handshake

    def _check_handshake(
        self, connection: ServerConnection, handshake: Handshake
    ) -> Response | None:
        headers = handshake.headers
        if not bridge_handshake.is_own_host(headers, connection.local_address[1]):
            return connection.respond(HTTPStatus.FORBIDDEN, "unknown host\n")
        if bridge_handshake.wants_pairing(headers):
            is_open = self.door.lets_in(headers)
            return None if is_open else connection.respond(HTTPStatus.FORBIDDEN, "no code\n")
        refusal = self._taverns.refusal(headers)
        if refusal is not None:
            return connection.respond(*refusal)
        if len(self._links) >= MAX_PAGES:
            return connection.respond(HTTPStatus.SERVICE_UNAVAILABLE, "too many pages\n")
        return None

    def _select_subprotocol(self, _connection: ServerConnection, offered: Iterable[str]) -> Any:
        offers = set(offered)
        if PAIRING_SUBPROTOCOL in offers:
            return PAIRING_SUBPROTOCOL
        return bridge_protocol.negotiate(offers)

    # --- one page

    async def _converse(self, connection: ServerConnection) -> None:
        handshake = connection.request
        if connection.subprotocol == PAIRING_SUBPROTOCOL:
            await self.door.converse(connection)
            return
        user_folder = None if handshake is None else self._taverns.folder_of(handshake.headers)
        if user_folder is None or connection.subprotocol not in SUBPROTOCOLS:
            await connection.close(TOKEN_ROTATED)
            return
        with contextlib.suppress(ConnectionClosed, TimeoutError, BridgeError):
            tavern = self._taverns.get(user_folder)
            if tavern is None or not await is_proven(connection, tavern):
                await connection.close(UNPROVEN)
                return
            hello = bridge_protocol.decode(await asyncio.wait_for(connection.recv(), HELLO_SECONDS))
            if isinstance(hello, Hello):
                await self._serve_page(connection, user_folder, hello)

    async def _serve_page(
        self, connection: ServerConnection, user_folder: Path, hello: Hello
    ) -> None:
        for old in tuple(self._links.values()):
            if old.page.id != hello.page:
                continue
            if old.page.user_folder != user_folder:
                return  # what is asked of the other tavern's page would come to this one
            await old.connection.close()
        page = Page(
            id=hello.page,
            user_folder=user_folder,
            chat=hello.chat,
            length=hello.length,
            since=time.time(),
            version=hello.version,
            sillytavern=hello.sillytavern,
            language=hello.language,
        )
        link = PageLink(connection, page)
        self._links[connection] = link
        sender = self._tasks.spawn(link.send_outbox(), name="bridge sender")
        pulse = self._tasks.spawn(
            link.keep_pulse(self.pulse_seconds, PULSES_UNANSWERED), name="bridge pulse"
        )
        try:
            wait_ms = round(self.turn_wait_seconds * 1000)
            macros = tuple(MACROS_BY_KEY.values())
            link.send(Welcome(self._session, self._version, wait_ms, macros))
            self._send_published(link)
            self.connected.emit(page)
            meter = FrameMeter(time.monotonic) if self.is_remote(page) else None
            async for data in connection:
                frame = _decoded(data)
                is_asked = frame is not None and link.awaits(frame)
                if frame is not None:
                    self._on_frame(link, frame)
                if meter is None or is_asked or meter.takes(len(data), is_nonsense=frame is None):
                    continue
                await _refuse(link, tr("SillyTavern's page sent too much, so it was disconnected."))
                return
        finally:
            del self._links[connection]
            sender.cancel()
            pulse.cancel()
            link.give_up()
            self.disconnected.emit(link.page)

    def _on_frame(self, link: PageLink, frame: PageFrame) -> None:
        if isinstance(frame, Event):
            if frame.name in EVENTS:
                self._on_event(link, frame)
        elif isinstance(frame, Changed):
            self._show(link, frame.chat, frame.length)
            self.changed.emit((link.page, frame))
        elif isinstance(frame, TurnRequest):
            self._turns.ask(link, frame)
        elif isinstance(frame, PageRequest):
            if frame.kind in PAGE_REQUESTS:
                self.asked_by_page.emit((link.page, frame))
        elif isinstance(frame, Sent):
            self.sent.emit((link.page, frame))
        elif isinstance(frame, Part):
            link.take_part(frame)
        elif isinstance(frame, Answer):
            link.take_answer(frame)
        elif isinstance(frame, Pulse) and link.take_pulse(frame):
            self.server_changed.emit(link.page)

    def _show(self, link: PageLink, chat: ChatIdentity | None, length: int) -> None:
        link.page = replace(link.page, chat=chat, length=length)

    def _on_event(self, link: PageLink, event: Event) -> None:
        self._show(link, event.chat, event.length)
        if event.name == "chat_changed":
            self._send_published(link)
        self.event.emit((link.page, event))

    def _send_published(self, link: PageLink) -> None:
        chat = link.page.chat
        tavern = self._taverns.get(link.page.user_folder)
        if chat is None or tavern is None:
            return
        published = tavern.published.get(chat)
        if published is not None:
            link.given.forget()
            link.give(chat, published)


def _decoded(data: str | bytes) -> PageFrame | None:
    """A page's frame, None for one that makes no sense; see decode."""
    try:
        return bridge_protocol.decode(data)
    except BridgeError as error:
        log.warning("%s It was ignored.", error)
        return None


async def _refuse(link: PageLink, sentence: str) -> None:
    reason = sentence.encode("utf-8")[:LONGEST_REASON].decode("utf-8", "ignore")
    log.warning("A page of SillyTavern on another machine was let go: %s", sentence)
    await link.connection.close(REFUSED, reason)
