"""The bridge's websocket: who may come in, and what each page is told."""

from __future__ import annotations

import asyncio
import json
import logging
import os
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.typing import Origin, Subprotocol

from app.core.errors import BridgeError
from app.prompt.placement import MACROS_BY_KEY
from app.prompt.slots import Slot, SlotSet
from app.settings.slot_table import Position, Role
from app.sillytavern.bridge import bridge_installer, bridge_socket, tavern_pairings
from app.sillytavern.bridge.bridge_file import read_bridge_file
from app.sillytavern.bridge.bridge_link import OUTBOX_FRAMES, Page
from app.sillytavern.bridge.bridge_protocol import MAX_FRAME_BYTES, ChatIdentity, TurnRequest
from app.sillytavern.bridge.bridge_socket import BridgeServer
from tests.disk_faults import FILE_FAULTS

ORIGIN = "http://127.0.0.1:8000"
CHAT = ChatIdentity("solo", "Evening", avatar="Ada.png")
OTHER = ChatIdentity("solo", "Morning", avatar="Ada.png")
WIRE_CHAT = {"kind": "solo", "avatar": "Ada.png", "chat": "Evening"}
WIRE_OTHER = {"kind": "solo", "avatar": "Ada.png", "chat": "Morning"}


def slots(text: str, revision: int = 1) -> SlotSet:
    return SlotSet((Slot("k", Position.IN_PROMPT, 0, Role.SYSTEM, False, text, 1, 1, 1),), revision)


async def no_slots(_page: object, _turn: object) -> SlotSet:
    return SlotSet()


@pytest.fixture
def user_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "default-user"
    folder.mkdir()
    (folder / "settings.json").write_text("{}")
    bridge_installer.install(folder)
    return folder


@pytest_asyncio.fixture
async def server(user_folder: Path) -> AsyncIterator[BridgeServer]:
    server = BridgeServer(no_slots, allowed_origins=["https://tavern.example:8000/"])
    await server.start()
    assert await server.add_tavern(user_folder)
    yield server
    await server.aclose()


def pairing(user_folder: Path) -> dict[str, Any]:
    path = bridge_installer.extension_folder(user_folder) / "pairing.json"
    said: dict[str, Any] = json.loads(path.read_text())
    return said


def dial(
    server: BridgeServer,
    user_folder: Path,
    *,
    token: str | None = None,
    origin: str | None = ORIGIN,
    host: str = "",
    protocol: str = "tavernkeep.v1",
) -> connect:
    token = pairing(user_folder)["token"] if token is None else token
    return connect(
        f"ws://{host or f'127.0.0.1:{server.port}'}",
        host="127.0.0.1",
        port=server.port,
        origin=Origin(origin) if origin is not None else None,
        subprotocols=[Subprotocol(protocol), Subprotocol(f"token.{token}")],
        proxy=None,
    )


async def greet(connection: ClientConnection, page: str = "p", chat: Any = WIRE_CHAT) -> Any:
    await send(connection, type="hello", version="0.1.0", page=page, chat=chat, length=3)
    return await receive(connection)


async def send(connection: ClientConnection, **frame: Any) -> None:
    await connection.send(json.dumps(frame))


async def receive(connection: ClientConnection) -> Any:
    async with asyncio.timeout(30):
        return json.loads(await connection.recv())


class Heard(list[Any]):
    """What a signal said."""

    def __init__(self, signal: Any) -> None:
        super().__init__()
        self._news = asyncio.Event()
        signal.connect(self._on_signal)

    def _on_signal(self, payload: Any) -> None:
        self.append(payload)
        self._news.set()

    async def first(self) -> Any:
        async with asyncio.timeout(30):
            while not self:
                self._news.clear()
                await self._news.wait()
        return self[0]


async def test_a_page_is_welcomed_and_listed(server: BridgeServer, user_folder: Path) -> None:
    connected = Heard(server.connected)
    async with dial(server, user_folder) as page:
        assert page.subprotocol == "tavernkeep.v1"
        welcome = await greet(page)
        assert welcome["type"] == "welcome"
        assert welcome["wait_ms"] == 250
        assert welcome["macros"] == list(MACROS_BY_KEY.values())
        shown = await connected.first()
        assert server.pages == (shown,)
        assert (shown.id, shown.chat, shown.length) == ("p", CHAT, 3)
        assert shown.user_folder == user_folder


async def test_a_page_that_leaves_is_no_longer_listed(
    server: BridgeServer, user_folder: Path
) -> None:
    disconnected = Heard(server.disconnected)
    async with dial(server, user_folder) as page:
        await greet(page)
    assert (await disconnected.first()).id == "p"
    assert server.pages == ()


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"token": "wrong"}, 401),
        ({"token": ""}, 401),
        ({"origin": None}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "http://127.0.0.1.evil.example"}, 403),
        ({"origin": "http://127.0.0.1:8000.evil.example"}, 403),
        ({"origin": "http://tavern.example:8000"}, 403),
        ({"host": "evil.example"}, 403),
        ({"host": "evil.example:8000"}, 403),
        ({"host": "127.0.0.1:1"}, 403),
    ],
)
async def test_strangers_are_refused(
    server: BridgeServer, user_folder: Path, change: dict[str, Any], status: int
) -> None:
    with pytest.raises(InvalidStatus) as caught:
        await dial(server, user_folder, **change).__aenter__()
    assert caught.value.response.status_code == status
    assert server.pages == ()


@pytest.mark.parametrize(
    "origin",
    [
        "http://127.0.0.1:8000",
        "https://127.0.0.1:8443",
        "http://localhost",
        "http://[::1]:8000",
        "https://tavern.example:8000",
    ],
)
async def test_pages_of_this_computer_and_named_ones_come_in(
    server: BridgeServer, user_folder: Path, origin: str
) -> None:
    async with dial(server, user_folder, origin=origin) as page:
        assert (await greet(page))["type"] == "welcome"


async def test_a_page_that_speaks_no_common_protocol_is_let_go(
    server: BridgeServer, user_folder: Path
) -> None:
    async with dial(server, user_folder, protocol="tavernkeep.v99") as page:
        with pytest.raises(ConnectionClosed):
            await page.recv()


async def test_a_token_belongs_to_its_own_tavern(
    server: BridgeServer, user_folder: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other-user"
    other.mkdir()
    bridge_installer.install(other)
    await server.add_tavern(other)
    assert pairing(other)["token"] != pairing(user_folder)["token"]
    async with dial(server, other) as page:
        await greet(page)
        assert server.pages[0].user_folder == other
        assert server.publish(user_folder, CHAT, slots("not theirs")) == 0
        assert server.publish(other, CHAT, slots("theirs")) == 1
        assert (await receive(page))["slots"][0]["text"] == "theirs"


async def test_slots_go_to_pages_that_show_the_chat_and_wait_for_others(
    server: BridgeServer, user_folder: Path
) -> None:
    async with dial(server, user_folder) as page:
        await greet(page)
        assert server.publish(user_folder, OTHER, slots("later")) == 0
        assert server.publish(user_folder, CHAT, slots("now")) == 1
        assert (await receive(page))["slots"][0]["text"] == "now"
        await send(page, type="event", name="chat_changed", chat=WIRE_OTHER, length=1)
        frame = await receive(page)
        assert frame["chat"] == WIRE_OTHER
        assert frame["slots"][0]["text"] == "later"


async def test_slots_published_before_a_page_comes_are_waiting_for_it(
    server: BridgeServer, user_folder: Path
) -> None:
    server.publish(user_folder, CHAT, slots("early"))
    async with dial(server, user_folder) as page:
        await greet(page)
        assert (await receive(page))["slots"][0]["text"] == "early"


async def test_each_member_of_a_group_has_slots_that_wait_in_the_page(user_folder: Path) -> None:
    """Whom SillyTavern did not wait for got what was for nobody in particular."""

    async def on_turn(_page: Page, _turn: TurnRequest) -> SlotSet:
        return slots("of the turn")

    server = BridgeServer(on_turn)
    await server.start()
    await server.add_tavern(user_folder)

    def told(frame: Any) -> tuple[str, str, list[str]]:
        return frame["responder"], frame["slots"][0]["text"], frame["kept"]

    def publish(ada: str, bram: str) -> None:
        members = {"Ada.png": slots(ada), "Bram.png": slots(bram)}
        server.publish(user_folder, CHAT, slots("for any"), members)

    try:
        publish("hers", "his")
        async with dial(server, user_folder) as page:
            await greet(page)
            first = [told(await receive(page)) for _ in range(3)]
            assert first == [
                ("", "for any", []),
                ("Ada.png", "hers", []),
                ("Bram.png", "his", []),
            ]
            publish("hers", "his, anew")  # only what became another is sent
            assert told(await receive(page)) == ("", "for any", ["Ada.png"])
            assert told(await receive(page)) == ("Bram.png", "his, anew", [])
            await send(page, type="turn", id="1", chat=WIRE_CHAT, avatar="Ada.png")
            assert told(await receive(page)) == ("Ada.png", "of the turn", [])
            publish("hers", "his, anew")  # in place of those of the turn, which were for then
            assert told(await receive(page)) == ("", "for any", ["Bram.png"])
            assert told(await receive(page)) == ("Ada.png", "hers", [])
            await send(page, type="event", name="chat_changed", chat=WIRE_CHAT, length=1)
            assert [told(await receive(page))[0] for _ in range(3)] == ["", "Ada.png", "Bram.png"]
    finally:
        await server.aclose()


async def test_events_tell_the_page_and_what_it_shows_now(
    server: BridgeServer, user_folder: Path
) -> None:
    events = Heard(server.event)
    async with dial(server, user_folder) as page:
        await greet(page)
        await send(page, type="event", name="unheard_of", chat=WIRE_CHAT)
        await send(page, type="event", name="message_sent", chat=WIRE_CHAT, length=4, index=3)
        shown, event = await events.first()
        assert (event.name, event.index) == ("message_sent", 3)
        assert shown.length == 4
        assert len(events) == 1


async def test_changes_are_told(server: BridgeServer, user_folder: Path) -> None:
    changed = Heard(server.changed)
    async with dial(server, user_folder) as page:
        await greet(page)
        await send(page, type="changed", chat=WIRE_CHAT, first=2, length=9)
        _, change = await changed.first()
        assert (change.chat, change.first, change.length) == (CHAT, 2, 9)


async def test_a_turn_is_answered_to_the_page_that_asked(user_folder: Path) -> None:
    async def on_turn(page: Page, turn: TurnRequest) -> SlotSet:
        return slots(f"{page.id} {turn.responder} {turn.kind} {turn.context}", revision=5)

    server = BridgeServer(on_turn)
    await server.start()
    await server.add_tavern(user_folder)
    try:
        async with dial(server, user_folder) as page:
            await greet(page)
            await send(
                page,
                type="turn",
                id="7",
                chat=WIRE_CHAT,
                kind="swipe",
                responder="Ada",
                avatar="Ada.png",
                context=4000,
            )
            frame = await receive(page)
            assert (frame["turn"], frame["responder"], frame["revision"]) == ("7", "Ada.png", 5)
            assert frame["slots"][0]["text"] == "p Ada swipe 4000"
    finally:
        await server.aclose()


@pytest.mark.expects_log("app.core.tasks")
async def test_a_turn_that_fails_or_hangs_does_not_end_the_connection(
    user_folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def on_turn(_page: Page, turn: TurnRequest) -> SlotSet:
        if turn.id == "1":
            raise RuntimeError("broken")
        await asyncio.Event().wait()
        return SlotSet()

    server = BridgeServer(on_turn)
    await server.start()
    await server.add_tavern(user_folder)
    try:
        async with dial(server, user_folder) as page:
            await greet(page)
            await send(page, type="turn", id="1", chat=WIRE_CHAT)
            await send(page, type="turn", id="2", chat=WIRE_CHAT)
            server.publish(user_folder, CHAT, slots("still here"))
            assert (await receive(page))["slots"][0]["text"] == "still here"
    finally:
        await server.aclose()


async def test_a_request_gets_its_answer(server: BridgeServer, user_folder: Path) -> None:
    async with dial(server, user_folder) as page:
        await greet(page)
        asking = asyncio.gather(
            server.request(server.pages[0], "state"),
            server.request(server.pages[0], "chat_lines", {"first": 2}),
        )
        questions = {frame["kind"]: frame for frame in [await receive(page), await receive(page)]}
        assert questions["chat_lines"]["params"] == {"first": 2}
        for kind in ("chat_lines", "state"):
            await send(page, type="answer", id=questions[kind]["id"], result={"of": kind})
        assert list(await asking) == [{"of": "state"}, {"of": "chat_lines"}]


async def test_a_request_fails_in_words_when_the_page_cannot_or_is_gone(
    server: BridgeServer, user_folder: Path
) -> None:
    async with dial(server, user_folder) as page:
        await greet(page)
        shown = server.pages[0]
        asking = asyncio.gather(server.request(shown, "dance"))
        question = await receive(page)
        await send(page, type="answer", id=question["id"], error="cannot dance")
        with pytest.raises(BridgeError, match="cannot dance"):
            await asking
        with pytest.raises(BridgeError, match="in time"):
            await server.request(shown, "ping", timeout=0.01)
        asking = asyncio.gather(server.request(shown, "ping"))
        await receive(page)
        await receive(page)
    with pytest.raises(BridgeError, match="was closed"):
        await asking
    with pytest.raises(BridgeError, match="no longer connected"):
        await server.request(shown, "ping")


async def test_an_answer_may_come_in_pieces(server: BridgeServer, user_folder: Path) -> None:
    heard = []
    async with dial(server, user_folder) as page:
        await greet(page)
        asking = asyncio.gather(
            server.request(server.pages[0], "ask_model", on_part=lambda *part: heard.append(part))
        )
        question = await receive(page)
        await send(page, type="part", id="another", text="not for us")
        await send(page, type="part", id=question["id"], text="Mira", reasoning="Hm.")
        await send(page, type="part", id=question["id"], text=" does.")
        await send(page, type="answer", id=question["id"], result={"isCut": False})
        assert list(await asking) == [{"isCut": False}]
        assert heard == [("Mira", "Hm."), (" does.", "")]


async def test_the_page_is_told_when_nobody_waits_for_its_answer_any_more(
    server: BridgeServer, user_folder: Path
) -> None:
    async with dial(server, user_folder) as page:
        await greet(page)
        shown = server.pages[0]
        asking = asyncio.gather(server.request(shown, "ask_model", on_part=print))
        question = await receive(page)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        assert await receive(page) == {"type": "cancel", "id": question["id"]}
        with pytest.raises(BridgeError, match="in time"):
            await server.request(shown, "ask_model", timeout=0.01, on_part=print)
        question = await receive(page)
        assert await receive(page) == {"type": "cancel", "id": question["id"]}
        await send(page, type="part", id=question["id"], text="too late")
        await send(page, type="answer", id=question["id"], result={})
        server.publish(user_folder, CHAT, slots("still here"))
        assert (await receive(page))["slots"][0]["text"] == "still here"


@pytest.mark.expects_log("app.sillytavern.bridge.bridge_socket")
async def test_nonsense_is_ignored_and_the_page_stays(
    server: BridgeServer, user_folder: Path
) -> None:
    async with dial(server, user_folder) as page:
        await greet(page)
        await page.send("{nonsense")
        await page.send(b"\xff")
        server.publish(user_folder, CHAT, slots("still here"))
        assert (await receive(page))["slots"][0]["text"] == "still here"


async def test_a_frame_above_the_limit_ends_the_connection(
    server: BridgeServer, user_folder: Path
) -> None:
    async with dial(server, user_folder) as page:
        await greet(page)
        await page.send("x" * (MAX_FRAME_BYTES + 1))
        with pytest.raises(ConnectionClosed):
            await page.recv()


async def test_who_does_not_say_hello_first_is_let_go(
    server: BridgeServer, user_folder: Path
) -> None:
    async with dial(server, user_folder) as page:
        await send(page, type="event", name="chat_changed")
        with pytest.raises(ConnectionClosed):
            await page.recv()


async def test_no_more_pages_than_the_limit(server: BridgeServer, user_folder: Path) -> None:
    pages = []
    try:
        for number in range(bridge_socket.MAX_PAGES):
            pages.append(await dial(server, user_folder))
            await greet(pages[-1], page=str(number))
        with pytest.raises(InvalidStatus) as caught:
            await dial(server, user_folder)
        assert caught.value.response.status_code == 503
    finally:
        for page in pages:
            await page.close()


async def test_a_page_that_comes_again_replaces_its_old_connection(
    server: BridgeServer, user_folder: Path
) -> None:
    async with dial(server, user_folder) as old, dial(server, user_folder) as new:
        await greet(old)
        await greet(new)
        with pytest.raises(ConnectionClosed):
            await receive(old)
        assert [page.id for page in server.pages] == ["p"]


@pytest.mark.expects_log("app.sillytavern.bridge.bridge_link")
async def test_a_page_that_does_not_read_holds_up_nobody(
    server: BridgeServer, user_folder: Path
) -> None:
    disconnected = Heard(server.disconnected)
    async with dial(server, user_folder) as slow, dial(server, user_folder) as quick:
        await greet(slow, page="slow")
        await greet(quick, page="quick", chat=WIRE_OTHER)
        slow.transport.pause_reading()
        large = slots("x" * 200_000)
        for _ in range(2 * OUTBOX_FRAMES):
            server.publish(user_folder, CHAT, large)
        server.publish(user_folder, OTHER, slots("on time"))
        assert (await receive(quick))["slots"][0]["text"] == "on time"
        assert (await disconnected.first()).id == "slow"
        slow.transport.resume_reading()


async def test_a_rotated_token_shuts_out_the_old_one_and_ends_old_connections(
    server: BridgeServer, user_folder: Path
) -> None:
    old_token = pairing(user_folder)["token"]
    async with dial(server, user_folder) as page:
        await greet(page)
        await server.rotate_tokens(grace_seconds=0)
        with pytest.raises(InvalidStatus):
            await dial(server, user_folder, token=old_token)
        with pytest.raises(ConnectionClosed) as caught:
            await receive(page)
        assert caught.value.rcvd is not None
        assert caught.value.rcvd.code == bridge_socket.TOKEN_ROTATED
    async with dial(server, user_folder) as page:
        assert (await greet(page))["type"] == "welcome"


Fault = Callable[[], AbstractContextManager[None]]


@pytest.mark.skipif(os.name != "posix", reason="limits and rights of POSIX")
@pytest.mark.expects_log("app.sillytavern.bridge.tavern_pairings")
@pytest.mark.parametrize("fault", FILE_FAULTS)
async def test_a_new_token_that_no_page_could_learn_shuts_nobody_out(
    server: BridgeServer, user_folder: Path, fault: Fault
) -> None:
    before = pairing(user_folder)
    async with dial(server, user_folder) as page:
        await greet(page)
        with fault():
            await server.rotate_tokens(grace_seconds=0)
        assert pairing(user_folder) == before
        async with dial(server, user_folder) as other:
            assert (await greet(other, "other"))["type"] == "welcome"
        server.publish(user_folder, CHAT, slots("still here"))
        assert (await receive(page))["slots"][0]["text"] == "still here"
        await server.rotate_tokens(grace_seconds=0)
        assert pairing(user_folder)["token"] != before["token"]
        with pytest.raises(ConnectionClosed):
            await receive(page)


@pytest.mark.skipif(os.name != "posix", reason="limits and rights of POSIX")
@pytest.mark.expects_log("app.sillytavern.bridge.tavern_pairings")
@pytest.mark.parametrize("fault", FILE_FAULTS)
async def test_what_pages_are_to_show_is_left_for_them_as_soon_as_it_can_be(
    server: BridgeServer,
    user_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    fault: Fault,
) -> None:
    monkeypatch.setattr(tavern_pairings, "RETRY_SECONDS", 0.01)
    before = pairing(user_folder)
    with fault():
        server.choose_parts({"badge": False})
        await until(lambda: "could not be told" in caplog.text)
        assert pairing(user_folder) == before
    await until(lambda: pairing(user_folder) == before | {"parts": {"badge": False}})
    assert caplog.text.count("could not be told") == 1


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not holds():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def test_closing_unpairs_and_leaves_the_slots_in_the_bridge_file(user_folder: Path) -> None:
    server = BridgeServer(no_slots)
    port = await server.start()
    await server.add_tavern(user_folder)
    assert pairing(user_folder)["port"] == port
    server.publish(user_folder, CHAT, slots("the last word", revision=4))
    await server.aclose()
    assert pairing(user_folder) == {"port": 0, "token": ""}
    entry = read_bridge_file(user_folder).chats[CHAT.key]
    assert (entry.revision, entry.slots[0].text) == (4, "the last word")


async def test_a_taken_port_is_replaced_by_a_free_one(server: BridgeServer) -> None:
    other = BridgeServer(no_slots)
    try:
        assert await other.start(server.port) != server.port
    finally:
        await other.aclose()


async def test_a_preferred_port_is_taken_when_it_is_free(server: BridgeServer) -> None:
    port = server.port
    await server.aclose()
    assert await server.start(port) == port


async def test_a_tavern_without_the_bridge_is_not_paired(
    server: BridgeServer, tmp_path: Path
) -> None:
    assert not await server.add_tavern(tmp_path)
    assert not (tmp_path / "extensions").exists()
    assert server.publish(tmp_path, CHAT, slots("x")) == 0


@pytest.mark.expects_log("app.sillytavern.bridge.bridge_socket")
async def test_neither_token_nor_story_nor_cookie_is_logged(
    server: BridgeServer, user_folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    caplog.set_level(logging.WARNING, logger="websockets")  # the client's own, in this process
    token = pairing(user_folder)["token"]
    connecting = dial(server, user_folder)
    connecting.additional_headers = {"Cookie": "session-x=secret-cookie"}
    async with connecting as page:
        await greet(page)
        await page.send('{"type":"event","name":["a dark and stormy night"]}')
        server.publish(user_folder, CHAT, slots("a dark and stormy night"))
        await receive(page)
    with pytest.raises(InvalidStatus):
        await dial(server, user_folder, token="foreign-token")
    for secret in (token, "secret-cookie", "stormy", "foreign-token"):
        assert secret not in caplog.text


async def test_a_page_that_hangs_is_let_go_and_its_server_is_told_of(
    server: BridgeServer, user_folder: Path
) -> None:
    server.pulse_seconds = 0.05
    gone, changed = Heard(server.disconnected), Heard(server.server_changed)
    async with dial(server, user_folder) as connection:
        assert (await greet(connection))["type"] == "welcome"
        for there in (True, False, False, True):
            assert await receive(connection) == {"type": "pulse", "server": True}
            await send(connection, type="pulse", server=there)
        while len(changed) < 2:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        assert [page.has_server for page in changed] == [False, True]
        assert gone == []
        async with asyncio.timeout(5):
            while not gone:  # noqa: ASYNC110 - the socket is open, and nobody answers
                await asyncio.sleep(0.01)
    assert server.pages == ()


async def test_a_page_of_an_older_extension_is_not_let_go(
    server: BridgeServer, user_folder: Path
) -> None:
    server.pulse_seconds = 0.02
    async with dial(server, user_folder) as connection:
        await greet(connection)
        for _ in range(10):
            assert (await receive(connection))["type"] == "pulse"
        assert len(server.pages) == 1
