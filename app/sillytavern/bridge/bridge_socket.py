"""The websocket that pages with the bridge extension connect to."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Any

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request as Handshake
from websockets.http11 import Response

from app.core.errors import BridgeError, reason_of
from app.core.signals import Signal
from app.core.tasks import TaskSupervisor
from app.core.translation import tr
from app.prompt.slots import SlotSet
from app.sillytavern.bridge import bridge_handshake, bridge_installer, bridge_protocol
from app.sillytavern.bridge.bridge_file import RETRY_SECONDS, BridgeFile
from app.sillytavern.bridge.bridge_link import OnPart, Page, PageLink
from app.sillytavern.bridge.bridge_pairing import BridgeState, Pairing
from app.sillytavern.bridge.bridge_protocol import (
    EVENTS,
    MAX_FRAME_BYTES,
    PAIRING_SUBPROTOCOL,
    SUBPROTOCOLS,
    WISHES,
    Answer,
    Changed,
    ChatIdentity,
    Event,
    Hello,
    PageFrame,
    Part,
    Pulse,
    Reply,
    Sent,
    Slots,
    TurnRequest,
    Welcome,
    Wish,
    wire_slots,
)
from app.sillytavern.bridge.bridge_taverns import PairedTavern, is_proven
from app.sillytavern.bridge.frame_meter import FrameMeter
from app.sillytavern.bridge.pairing_door import PairingDoor

__all__ = ("BridgeServer", "OnTurn", "Page")

log = logging.getLogger(__name__)

# The handshake carries the token and SillyTavern's session cookies: nothing of it may be logged.
_silent = logging.getLogger(f"{__name__}.websockets")
_silent.setLevel(logging.CRITICAL + 1)

TURN_WAIT_SECONDS = 0.25
MAX_PAGES = 8
MOST_CONNECTIONS = 64  # also of those who have not said yet who they are
OPEN_SECONDS = 5.0  # in which they have to
ROTATION_SECONDS = 12 * 3600
GRACE_SECONDS = 60.0
PULSE_SECONDS = 4.0
PULSES_UNANSWERED = 3  # a page that loads a long chat is busy for seconds
HELLO_SECONDS = 10.0
LATE_TURN_SECONDS = 10.0
TURNS_AT_ONCE = 8
TOKEN_ROTATED = 4401  # close code: come back with the new token
UNPROVEN = 4403  # close code: the page does not know the token
REFUSED = 4400  # close code: the page said what must not be taken; the reason says what
LONGEST_REASON = 120  # bytes that a close frame takes

OnTurn = Callable[[Page, TurnRequest], Awaitable[SlotSet]]


class _Connection(ServerConnection):
    """Ends at once where there are too many: each takes a descriptor, and so does the database."""

    def __init__(self, connections: set[ServerConnection], *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._connections = connections

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._connections.add(self)
        if len(self._connections) > MOST_CONNECTIONS:
            self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._connections.discard(self)
        super().connection_lost(exc)


class BridgeServer:
    """Talks to the pages of all paired taverns.

    Owns its tasks, the pairing files and the bridge files. `on_turn` makes the slots of a turn; a
    page waits `turn_wait_seconds` for it, then takes the last it knows. `door`: where pages of
    other machines' taverns bring a code.

    Signals:
        connected, disconnected: the page.
        event: (page, event) for what SillyTavern announced; the page already shows event.chat.
        changed: (page, change) when messages differ from before, announced or not.
        wished: (page, wish) for what the user asks of us in the page; `reply` answers it.
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
        self.wished: Signal[tuple[Page, Wish]] = Signal("wished")
        self.sent: Signal[tuple[Page, Sent]] = Signal("sent")
        self.server_changed: Signal[Page] = Signal("server_changed")
        self.turn_wait_seconds = turn_wait_seconds
        self.pulse_seconds = PULSE_SECONDS
        self.allowed_origins = frozenset(origin.rstrip("/").lower() for origin in allowed_origins)
        self.door = PairingDoor()
        self._on_turn = on_turn
        self._tasks = TaskSupervisor()
        self._session = secrets.token_hex(8)
        self._pairing = Pairing()
        self._taverns: dict[Path, PairedTavern] = {}
        self._unwritten: set[Path] = set()  # taverns whose pairing could not be written last
        self._links: dict[ServerConnection, PageLink] = {}
        self._connections: set[ServerConnection] = set()
        self._server: Server | None = None
        self._version = bridge_installer.program_version()

    @property
    def port(self) -> int:
        """Where it listens; 0 before `start` and after `aclose`."""
        return 0 if self._server is None else int(self._server.sockets[0].getsockname()[1])

    @property
    def pages(self) -> tuple[Page, ...]:
        """The pages that are connected now, oldest first."""
        return tuple(link.page for link in self._links.values())

    async def start(self, preferred_port: int = 0) -> int:
        """Listen on loopback, on another port when the preferred one is taken. Returns the port.

        Raises BridgeError when there is no port to have.
        """
        try:
            self._server = await self._listen(preferred_port)
        except OSError as error:
            raise BridgeError(
                tr("The bridge cannot listen on this computer: {reason}.", reason=reason_of(error))
            ) from error
        self._tasks.spawn(self._rotate_forever(), name="bridge token rotation")
        return self.port

    async def _listen(self, preferred_port: int) -> Server:
        for port in {preferred_port: None, 0: None}:
            try:
                return await serve(
                    self._converse,
                    "127.0.0.1",
                    port,
                    process_request=self._check_handshake,
                    subprotocols=None,
                    select_subprotocol=self._select_subprotocol,
                    compression=None,
                    max_size=MAX_FRAME_BYTES,
                    create_connection=partial(_Connection, self._connections),  # type: ignore[arg-type]
                    open_timeout=OPEN_SECONDS,
                    close_timeout=2,
                    ping_interval=20,
                    ping_timeout=20,
                    server_header=None,
                    logger=_silent,
                )
            except OSError:
                if port == 0:
                    raise
        raise AssertionError("unreachable")

    async def aclose(self) -> None:
        """Say goodbye to all pages, unpair the taverns and write what waits to be written."""
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()
            self._server = None
        for user_folder in tuple(self._taverns):
            await self.remove_tavern(user_folder)
        await self._tasks.aclose()

    async def add_tavern(self, user_folder: Path) -> bool:
        """Pair with the pages of a tavern; again after the bridge was installed there.

        Returns False where the bridge is not installed. Raises BridgeError when the pairing cannot
        be written.
        """
        tavern = self._taverns.get(user_folder)
        if tavern is None:
            file = BridgeFile(user_folder, self._session, self._tasks)
            tavern = PairedTavern(secrets.token_urlsafe(32), file)
        is_installed = await self._pairing.write(user_folder, self.port, tavern.token)
        if is_installed:
            self._taverns[user_folder] = tavern
        return is_installed

    def add_remote(self, folder: Path, origin: str, token: str) -> None:
        """Let in the pages of a tavern on another machine. folder: of its copy.

        origin: of its pages, in lower case. token: that they keep, and prove to know.
        """
        self._taverns[folder] = PairedTavern(token, origin=origin)

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
        found = bridge_installer.read_pairing(user_folder)
        if found is None:
            return BridgeState.ABSENT
        if user_folder in self._unwritten:
            return None
        tavern = self._taverns.get(user_folder)
        is_same = tavern is not None and found == (self.port, tavern.token)
        return BridgeState.PAIRED if is_same else BridgeState.UNPAIRED

    async def remove_tavern(self, user_folder: Path) -> None:
        """Part from a tavern: its pages are let go and find no pairing any more."""
        tavern = self._taverns.pop(user_folder, None)
        if tavern is None:
            return
        for link in tuple(self._links.values()):
            if link.page.user_folder == user_folder:
                await link.connection.close()
        if tavern.file is not None:
            await self._write_pairing(user_folder, "")
            await tavern.file.aclose()

    async def rotate_tokens(self, *, grace_seconds: float = GRACE_SECONDS) -> None:
        """Give every tavern a new token; connections made with an old one end after the grace.

        A tavern that cannot be told of a new one keeps the old one: its pages would not come back.
        """
        links = tuple(self._links.values())
        outdated: list[PageLink] = []
        for user_folder, tavern in self._local():
            old, tavern.token = tavern.token, secrets.token_urlsafe(32)
            if await self._write_pairing(user_folder, tavern.token):
                outdated += [link for link in links if link.page.user_folder == user_folder]
            else:
                tavern.token = old
        self._tasks.spawn(self._let_go(outdated, grace_seconds), name="bridge token grace")

    async def _write_pairing(self, user_folder: Path, token: str) -> bool:
        """Whether it could be written; a failure is logged once, until it works again."""
        try:
            await self._pairing.write(user_folder, self.port if token else 0, token)
        except BridgeError as error:
            if user_folder not in self._unwritten:
                log.warning("%s", error)
            self._unwritten.add(user_folder)
            return False
        self._unwritten.discard(user_folder)
        return True

    def choose_parts(self, parts: Mapping[str, bool]) -> None:
        """Which parts of the page are wanted; pages also know while we do not run."""
        self._pairing.parts = dict(parts)
        for user_folder, tavern in self._local():
            self._tasks.spawn(self._keep_pairing(user_folder, tavern), name="bridge parts")

    def _local(self) -> list[tuple[Path, PairedTavern]]:
        """The taverns that are told in a file of theirs how to reach us."""
        return [entry for entry in self._taverns.items() if not entry[1].is_remote]

    async def _keep_pairing(self, user_folder: Path, tavern: PairedTavern) -> None:
        """Write a pairing, again and again until it is as it has to be."""
        while self._taverns.get(user_folder) is tavern:
            token = tavern.token
            if not await self._write_pairing(user_folder, token):
                await asyncio.sleep(RETRY_SECONDS)
            elif token == tavern.token:
                return

    async def _rotate_forever(self) -> None:
        while True:
            await asyncio.sleep(ROTATION_SECONDS)
            await self.rotate_tokens()

    async def _let_go(self, links: Sequence[PageLink], grace_seconds: float) -> None:
        await asyncio.sleep(grace_seconds)
        for link in links:
            await link.connection.close(TOKEN_ROTATED)

    def publish(self, user_folder: Path, chat: ChatIdentity, slots: SlotSet) -> int:
        """Make these the slots of a chat, for whoever answers in it.

        Pages that show the chat set them at once, others when they come to it; the bridge file is
        written too. Returns how many pages show it now; 0 also for a tavern that is not paired.
        """
        tavern = self._taverns.get(user_folder)
        if tavern is None:
            return 0
        tavern.publish(chat, slots)
        showing = [
            link
            for link in self._links.values()
            if link.page.user_folder == user_folder and link.page.chat == chat
        ]
        for link in showing:
            link.send(Slots(chat, slots.revision, wire_slots(slots)))
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
            raise BridgeError(tr("SillyTavern's page is not connected any more."))
        return await link.request(kind, params or {}, timeout, on_part)

    def reply(
        self, page: Page, wish: Wish, result: dict[str, Any] | None = None, error: str = ""
    ) -> None:
        """Tell a page what became of its wish; one that is gone does not mind."""
        link = self._link_of(page)
        if link is not None:
            link.send(Reply(wish.id, result or {}, error))

    def _link_of(self, page: Page) -> PageLink | None:
        return next((link for link in self._links.values() if link.page.id == page.id), None)

    # --- handshake

    def _check_handshake(
        self, connection: ServerConnection, handshake: Handshake
    ) -> Response | None:
        headers = handshake.headers
        if not bridge_handshake.is_own_host(headers, self.port):
            return connection.respond(HTTPStatus.FORBIDDEN, "unknown host\n")
        if bridge_handshake.wants_pairing(headers):
            is_open = self.door.lets_in(headers)
            return None if is_open else connection.respond(HTTPStatus.FORBIDDEN, "no code\n")
        pinned = {tavern.origin for tavern in self._taverns.values() if tavern.is_remote}
        if not bridge_handshake.is_allowed_origin(headers, self.allowed_origins | pinned):
            return connection.respond(HTTPStatus.FORBIDDEN, "unknown origin\n")
        if self._tavern_of(headers) is None:
            return connection.respond(HTTPStatus.UNAUTHORIZED, "unknown token\n")
        if len(self._links) >= MAX_PAGES:
            return connection.respond(HTTPStatus.SERVICE_UNAVAILABLE, "too many pages\n")
        return None

    def _tavern_of(self, headers: Headers) -> Path | None:
        found = None
        for user_folder, tavern in self._taverns.items():
            if tavern.lets_in(headers, self.allowed_origins):
                found = user_folder
        return found

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
        user_folder = None if handshake is None else self._tavern_of(handshake.headers)
        if user_folder is None or connection.subprotocol not in SUBPROTOCOLS:
            await connection.close(TOKEN_ROTATED)
            return
        with contextlib.suppress(ConnectionClosed, TimeoutError, BridgeError):
            tavern = self._taverns.get(user_folder)
            if tavern is None or not await is_proven(connection, tavern, self.port):
                await connection.close(UNPROVEN)
                return
            hello = bridge_protocol.decode(await asyncio.wait_for(connection.recv(), HELLO_SECONDS))
            if isinstance(hello, Hello):
                await self._serve_page(connection, user_folder, hello)

    async def _serve_page(
        self, connection: ServerConnection, user_folder: Path, hello: Hello
    ) -> None:
        for old in tuple(self._links.values()):
            if old.page.id == hello.page:
                await old.connection.close()
        page = Page(
            id=hello.page,
            user_folder=user_folder,
            chat=hello.chat,
            length=hello.length,
            since=time.time(),
            version=hello.version,
            sillytavern=hello.sillytavern,
        )
        link = PageLink(connection, page)
        self._links[connection] = link
        sender = self._tasks.spawn(link.send_outbox(), name="bridge sender")
        pulse = self._tasks.spawn(
            link.keep_pulse(self.pulse_seconds, PULSES_UNANSWERED), name="bridge pulse"
        )
        try:
            wait_ms = round(self.turn_wait_seconds * 1000)
            link.send(Welcome(self._session, self._version, wait_ms))
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
                await _refuse(link, tr("The page said more than a page has to say."))
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
            self._on_turn_asked(link, frame)
        elif isinstance(frame, Wish):
            if frame.kind in WISHES:
                self.wished.emit((link.page, frame))
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

    def _on_turn_asked(self, link: PageLink, turn: TurnRequest) -> None:
        if link.turns >= TURNS_AT_ONCE:
            return
        link.turns += 1
        self._tasks.spawn(self._answer_turn(link, turn), name="bridge turn")

    async def _answer_turn(self, link: PageLink, turn: TurnRequest) -> None:
        # Longer than the page waits: a late answer is still the best it knows at the next turn.
        try:
            async with asyncio.timeout(LATE_TURN_SECONDS):
                slots = await self._on_turn(link.page, turn)
        except TimeoutError:
            log.warning("The slots of a turn took longer than %s s", LATE_TURN_SECONDS)
            return
        finally:
            link.turns -= 1
        frame = Slots(turn.chat, slots.revision, wire_slots(slots), turn.avatar, turn.id)
        link.send(frame)

    def _send_published(self, link: PageLink) -> None:
        chat = link.page.chat
        tavern = self._taverns.get(link.page.user_folder)
        if chat is None or tavern is None:
            return
        slots = tavern.published.get(chat)
        if slots is not None:
            link.send(Slots(chat, slots.revision, wire_slots(slots)))


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
