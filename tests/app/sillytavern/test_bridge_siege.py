"""The bridge's port under those who want no good: it lets nobody in and holds up no page."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import subprocess
import sys
from collections.abc import AsyncGenerator, AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.typing import Origin, Subprotocol

from app.prompt.slots import Slot, SlotSet
from app.settings.slot_table import Position, Role
from app.sillytavern.bridge import bridge_installer, bridge_socket
from app.sillytavern.bridge.bounded_connection import MOST_CONNECTIONS
from app.sillytavern.bridge.bridge_protocol import ChatIdentity
from app.sillytavern.bridge.bridge_socket import BridgeServer

ORIGIN = "http://127.0.0.1:8000"
CHAT = ChatIdentity("solo", "Evening", avatar="Ada.png")
WIRE_CHAT = {"kind": "solo", "avatar": "Ada.png", "chat": "Evening"}
CROWD = 1000
revisions = itertools.count(1)
# Opens so many connections, says in each what the second word holds, and keeps them.
CROWDING = """
import socket, sys
port, count, words = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3].encode()
held = []
for _ in range(count):
    made = socket.create_connection(("127.0.0.1", port), timeout=10)
    try:
        made.sendall(words)
    except OSError:
        pass
    held.append(made)
print("open", flush=True)
sys.stdin.read()
"""


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
    server = BridgeServer(no_slots)
    await server.start()
    assert await server.add_tavern(user_folder)
    yield server
    await server.aclose()


def token_of(user_folder: Path) -> str:
    path = bridge_installer.extension_folder(user_folder) / "pairing.json"
    return str(json.loads(path.read_text())["token"])


def dial(server: BridgeServer, token: str, **more: Any) -> connect:
    return connect(
        f"ws://127.0.0.1:{server.port}",
        origin=Origin(ORIGIN),
        subprotocols=[Subprotocol("tavernkeep.v1"), Subprotocol(f"token.{token}")],
        proxy=None,
        **more,
    )


@contextlib.asynccontextmanager
async def shown(server: BridgeServer, user_folder: Path) -> AsyncIterator[ClientConnection]:
    """A page that shows the chat."""
    async with dial(server, token_of(user_folder)) as page:
        hello = {"type": "hello", "version": "0.1.0", "page": "p", "chat": WIRE_CHAT, "length": 3}
        await page.send(json.dumps(hello))
        assert json.loads(await page.recv())["type"] == "welcome"
        yield page


async def next_text(page: ClientConnection) -> str:
    """Of the first slot that comes; what else is asked in between does not matter."""
    while True:
        frame = json.loads(await page.recv())
        if frame["type"] == "slots":
            return str(frame["slots"][0]["text"])


async def is_served(server: BridgeServer, user_folder: Path, page: ClientConnection) -> None:
    """What is published reaches the page."""
    revision = next(revisions)
    text = f"text {revision}"
    slot = Slot("k", Position.IN_PROMPT, 0, Role.SYSTEM, False, text, 1, 1, 1)
    assert server.publish(user_folder, CHAT, SlotSet((slot,), revision)) == 1
    async with asyncio.timeout(20):
        while await next_text(page) != text:
            pass  # of before


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


async def said_open(words: str, server: BridgeServer) -> AsyncGenerator[int, None]:
    """How many descriptors there are while the crowd comes in."""
    arguments = [sys.executable, "-c", CROWDING, str(server.port), str(CROWD), words]
    program = await asyncio.create_subprocess_exec(
        *arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert program.stdout is not None
    assert program.stdin is not None
    try:
        async with asyncio.timeout(40):
            assert await program.stdout.readline() == b"open\n"
        yield descriptors()
    finally:
        program.stdin.close()
        await program.wait()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="descriptors stand in /proc")
async def test_a_thousand_connections_take_neither_the_page_nor_the_descriptors(
    server: BridgeServer, user_folder: Path
) -> None:
    words = "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    before = descriptors()
    async with shown(server, user_folder) as page:
        async with contextlib.aclosing(said_open(words, server)) as crowd:
            async for count in crowd:
                # The system hands over a hundred at once before they can be counted.
                assert count < before + MOST_CONNECTIONS + 200
                await is_served(server, user_folder, page)
        await is_served(server, user_folder, page)
    async with asyncio.timeout(20):
        while True:  # those that the crowd has left are let go
            with contextlib.suppress(OSError, ConnectionClosed, EOFError):
                async with shown(server, user_folder) as page:
                    await is_served(server, user_folder, page)
                    return


# Opens connections without end, begins to say something in each, and keeps the last hundred.
BESIEGING = """
import socket, sys, time
held = []
while True:
    made = socket.socket()
    made.settimeout(1)
    try:
        made.connect(("127.0.0.1", int(sys.argv[1])))
        made.sendall(b"GET / HTTP/1.1\\r\\nHost: ")
    except OSError:
        pass
    held.append(made)
    if len(held) == 100:
        print("open", flush=True)
    if len(held) > 200:
        held.pop(0).close()
    time.sleep(0.005)
"""


async def test_a_page_comes_in_while_others_hold_all_connections(
    server: BridgeServer, user_folder: Path
) -> None:
    program = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", BESIEGING, str(server.port)), stdout=subprocess.PIPE
    )
    assert program.stdout is not None
    try:
        async with asyncio.timeout(40):
            assert await program.stdout.readline() == b"open\n"
        for _ in range(10):  # a page tries anew after some seconds only: each time has to do
            async with shown(server, user_folder) as page:
                await is_served(server, user_folder, page)
    finally:
        program.kill()
        await program.wait()


async def test_who_begins_to_say_who_he_is_and_never_ends_is_let_go(
    server: BridgeServer, user_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bridge_socket, "OPEN_SECONDS", 0.2)
    await server.aclose()
    await server.start()
    await server.add_tavern(user_folder)
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(b"GET / HTTP/1.1\r\nHost: ")
    async with asyncio.timeout(20):
        await reader.read()
    writer.close()
    assert server.pages == ()


NO_HANDSHAKES = {
    "garbage": b"\x00\xff" * 500 + b"\r\n\r\n",
    "another protocol": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x11" * 500,
    "a form": b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello",
    "a page": b"GET /pairing.json HTTP/1.1\r\nHost: 127.0.0.1:8000\r\n\r\n",
    "endless header": b"GET / HTTP/1.1\r\n" + b"X: " + b"y" * 100_000 + b"\r\n",
    "many headers": b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 5_000,
    "smuggled": b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\nTransfer-Encoding: chunked\r\n\r\n",
}


@pytest.mark.parametrize("name", NO_HANDSHAKES)
async def test_what_is_no_handshake_is_turned_away_and_learns_nothing(
    server: BridgeServer, user_folder: Path, name: str
) -> None:
    async with shown(server, user_folder) as page:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        told = b""
        with contextlib.suppress(ConnectionError):
            writer.write(NO_HANDSHAKES[name])
            await writer.drain()
            writer.write_eof()
            async with asyncio.timeout(20):
                told = await reader.read()
        writer.close()
        assert b" 101 " not in told
        assert b" 200 " not in told
        for word in (token_of(user_folder), "Tavernkeep", "websockets", str(user_folder)):
            assert word.encode() not in told
        assert len(server.pages) == 1
        await is_served(server, user_folder, page)


BAD_FRAMES = {
    "not masked": b"\x81\x05hello",
    "unknown kind": b"\x83\x80\0\0\0\0",
    "reserved bits": b"\xf1\x80\0\0\0\0",
    "larger than there is": b"\x81\xff" + b"\x7f" + b"\xff" * 7 + b"\0\0\0\0",
    "no text": b"\x81\x82\0\0\0\0\xff\xfe",
    "a piece of nothing": b"\x80\x80\0\0\0\0",
    "a control frame in pieces": b"\x09\x80\0\0\0\0",
    "a close that says nonsense": b"\x88\x81\0\0\0\0\x01",
}


@pytest.mark.parametrize("name", BAD_FRAMES)
@pytest.mark.expects_log("app.sillytavern.bridge.bridge_socket")
async def test_a_frame_that_breaks_the_protocol_ends_only_its_own_connection(
    server: BridgeServer, user_folder: Path, name: str
) -> None:
    async with shown(server, user_folder) as page, dial(server, token_of(user_folder)) as bad:
        hello = {"type": "hello", "version": "0.1.0", "page": "bad", "chat": None, "length": 0}
        await bad.send(json.dumps(hello))
        await bad.recv()
        bad.transport.write(BAD_FRAMES[name])
        async with asyncio.timeout(20):
            with contextlib.suppress(ConnectionClosed):
                while True:
                    await bad.recv()
        await is_served(server, user_folder, page)


async def test_a_message_in_pieces_without_end_is_cut_off(
    server: BridgeServer, user_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bridge_socket, "MAX_FRAME_BYTES", 100_000)
    await server.aclose()
    await server.start()
    await server.add_tavern(user_folder)
    async with shown(server, user_folder) as page:

        async def without_end() -> AsyncIterator[str]:
            while True:
                yield "x" * 1_000

        async with dial(server, token_of(user_folder)) as bad:
            async with asyncio.timeout(20):
                with pytest.raises(ConnectionClosed):
                    await bad.send(without_end())
        await is_served(server, user_folder, page)


async def test_a_token_of_an_earlier_start_opens_nothing(
    server: BridgeServer, user_folder: Path
) -> None:
    old, port = token_of(user_folder), server.port
    async with dial(server, old):
        pass
    await server.aclose()
    assert await server.start(port) == port
    await server.add_tavern(user_folder)
    for stale in (old, "", "planted-token-", token_of(user_folder)[:-1]):
        with pytest.raises(InvalidStatus) as caught:
            await dial(server, stale).__aenter__()
        assert caught.value.response.status_code == 401
    await server.remove_tavern(user_folder)
    with pytest.raises(InvalidStatus):
        await dial(server, "").__aenter__()


async def test_another_program_that_has_the_port_is_told_no_token(user_folder: Path) -> None:
    """Pages are sent to the port where we are, and to none when we are gone."""
    heard: list[bytes] = []

    async def other(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append(await reader.read(1000))
        writer.close()

    taken = await asyncio.start_server(other, "127.0.0.1", 0)
    port = taken.sockets[0].getsockname()[1]
    server = BridgeServer(no_slots)
    async with taken:
        assert await server.start(port) != port
        await server.add_tavern(user_folder)
        async with shown(server, user_folder) as page:
            await is_served(server, user_folder, page)
        await server.aclose()
    path = bridge_installer.extension_folder(user_folder) / "pairing.json"
    assert json.loads(path.read_text()) == {"port": 0, "token": ""}
    assert heard == []


OWN = "http://127.0.0.1:8000"
STRANGE_ORIGINS: tuple[tuple[str, ...], ...] = (
    *((), ("",), ("null",), ("file://",), ("chrome-extension://abc",), ("ftp://127.0.0.1",)),
    *(("http://127.0.0.1@evil.example",), ("http://evil.example#127.0.0.1",)),
    *(("http://localhost.",), ("http://localhost.:8000",), ("http://localhostа",)),
    *(("http://127.0.0.2",), ("http://0.0.0.0:8000",), ("http://192.168.1.5:8000",)),
    *(("http://2130706433",), ("http://0x7f.1",), ("http://127.1",)),
    *(("http://[::ffff:127.0.0.1]",), ("http://127.0.0.1:99999999",), ("http://127.0.0.1:8000/",)),
    *((OWN, "http://evil.example"), ("http://evil.example", OWN)),
    (f"{OWN}, http://evil.example",),
)
STRANGE_HOSTS: tuple[tuple[str, ...], ...] = (
    *((), ("",), ("127.0.0.1",), ("127.1:{port}",), ("127.0.0.1:0{port}",)),
    *(("localhost.:{port}",), ("127.0.0.1.nip.io:{port}",), ("127.0.0.1:{port}.evil.example",)),
    *(("evil.example@127.0.0.1:{port}",), ("127.0.0.1:{port}", "evil.example")),
)


async def answered(
    server: BridgeServer, token: str, origins: tuple[str, ...], hosts: tuple[str, ...]
) -> bytes:
    """The first line of what a handshake is answered that is right but for these headers."""
    lines = [
        "GET / HTTP/1.1",
        *(f"Host: {host.format(port=server.port)}" for host in hosts),
        *(f"Origin: {origin}" for origin in origins),
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version: 13",
        f"Sec-WebSocket-Protocol: tavernkeep.v1, token.{token}",
        "\r\n",
    ]
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    try:
        writer.write("\r\n".join(lines).encode())
        async with asyncio.timeout(20):
            return await reader.readline()
    finally:
        writer.close()


async def test_a_token_opens_nothing_with_another_origin_or_host_in_any_form(
    server: BridgeServer, user_folder: Path
) -> None:
    token, host = token_of(user_folder), ("127.0.0.1:{port}",)
    assert b" 101 " in await answered(server, token, (OWN,), host)
    for origins in STRANGE_ORIGINS:
        assert b" 403 " in await answered(server, token, origins, host), origins
    for hosts in STRANGE_HOSTS:
        assert b" 403 " in await answered(server, token, (OWN,), hosts), hosts
