"""Pages of a SillyTavern on another machine: how one is let in, and who is not."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from app.core.errors import BridgeError
from app.prompt.slots import SlotSet
from app.sillytavern.bridge import bridge_installer, frame_meter
from app.sillytavern.bridge.bridge_protocol import PAIRING_SUBPROTOCOL
from app.sillytavern.bridge.bridge_socket import REFUSED, UNPROVEN, BridgeServer
from tests.scripted_page import NONCE, proof, prove

HOME = "http://192.168.1.5:8000"
ELSEWHERE = "http://192.168.1.6:8000"
LOOPBACK = "http://127.0.0.1:8000"
TOKEN = "the-remote-token"
OFFERS = ("tavernkeep.v1", f"remote.{NONCE}")


class Door:
    """What stands behind the door: it is shut at first, and takes the code `right`."""

    def __init__(self) -> None:
        self.is_open = False
        self.tries: list[tuple[str, str]] = []
        self.port = 0

    async def on_pair(self, origin: str, code: str, port: int) -> str:
        self.tries.append((origin, code))
        self.port = port
        if code != "right":
            raise BridgeError("wrong")
        return TOKEN


async def no_slots(_page: object, _turn: object) -> SlotSet:
    return SlotSet()


@pytest.fixture
def door() -> Door:
    return Door()


@pytest_asyncio.fixture
async def server(tmp_path: Path, door: Door) -> AsyncIterator[BridgeServer]:
    server = BridgeServer(no_slots)
    server.door.on_pair = door.on_pair
    server.door.is_open = lambda: door.is_open
    await server.start()
    server.add_remote(tmp_path / "copy", HOME, TOKEN)
    yield server
    await server.aclose()


async def come(
    server: BridgeServer, origin: str | None, *offers: str, port: int = 0
) -> ClientConnection:
    return await connect(
        f"ws://127.0.0.1:{port or server.port}",
        origin=origin,  # type: ignore[arg-type]
        subprotocols=offers,  # type: ignore[arg-type]
        compression=None,
    )


async def refusal(server: BridgeServer, origin: str | None, *offers: str) -> int:
    with pytest.raises(InvalidStatus) as caught:
        await come(server, origin, *offers)
    return caught.value.response.status_code


async def greeted(
    server: BridgeServer, origin: str = HOME, *, port: int = 0, name: str = "p"
) -> ClientConnection:
    page = await come(server, origin, *OFFERS, port=port)
    assert await prove(page, port or server.port, TOKEN)
    await page.send(json.dumps({"type": "hello", "version": "1", "page": name}))
    assert json.loads(await page.recv())["type"] == "welcome"
    return page


async def bring(server: BridgeServer, origin: str, frame: Any, *, port: int = 0) -> dict[str, Any]:
    page = await come(server, origin, PAIRING_SUBPROTOCOL, port=port)
    await page.send(json.dumps(frame))
    answer: dict[str, Any] = json.loads(await page.recv())
    with pytest.raises(ConnectionClosed):
        await page.recv()
    return answer


async def test_a_page_that_proves_its_token_comes_in_from_its_own_origin_only(
    server: BridgeServer,
) -> None:
    page = await greeted(server)
    assert server.is_remote(server.pages[0])
    await page.close()
    for origin in (ELSEWHERE, "http://192.168.1.5", "https://192.168.1.5:8000", "null", None):
        assert await refusal(server, origin, *OFFERS) == 403
    # Loopback is no unknown origin, but not the one that was paired.
    assert await refusal(server, LOOPBACK, *OFFERS) == 401
    for offer in ("tavernkeep.v1", "remote.", "remote.xyz", f"remote.{NONCE}00", "remote.ABCD"):
        assert await refusal(server, HOME, "tavernkeep.v1", offer) == 401


async def test_a_token_that_is_sent_instead_of_proven_is_worth_nothing(
    server: BridgeServer,
) -> None:
    assert await refusal(server, HOME, "tavernkeep.v1", f"token.{TOKEN}") == 401


HELLO = {"type": "hello", "version": "1", "page": "p"}


@pytest.mark.parametrize(
    "answer",
    [
        HELLO,
        {"type": "prove", "proof": ""},
        {"type": "prove", "proof": proof("another", "page")},
        {"type": "prove", "proof": "ü" * 50},
        {"type": "prove", "proof": TOKEN},
        {"type": "pair", "code": "right"},
        [],
    ],
)
async def test_who_does_not_know_the_token_is_told_nothing(
    server: BridgeServer, answer: Any
) -> None:
    page = await come(server, HOME, *OFFERS)
    challenge = json.loads(await page.recv())
    assert set(challenge) == {"type", "nonce", "proof"}
    await page.send(json.dumps(answer))
    await page.send(json.dumps(HELLO))
    code, _ = await closed_with(page)
    assert code in (UNPROVEN, 1000)
    assert server.pages == ()


async def test_a_proof_is_good_once_for_one_port_and_one_side(server: BridgeServer) -> None:
    page = await come(server, HOME, *OFFERS)
    challenge = json.loads(await page.recv())
    said = (NONCE, challenge["nonce"])
    good = proof(TOKEN, "page", server.port, *said)
    await page.send(json.dumps({"type": "prove", "proof": good}))
    await page.send(json.dumps(HELLO))
    assert json.loads(await page.recv())["type"] == "welcome"
    await page.close()
    for others in (
        good,  # heard before
        challenge["proof"],  # the program's own, given back
        proof(TOKEN, "page", server.port + 1, *said),  # handed on by who has another port
    ):
        again = await come(server, HOME, *OFFERS)
        assert json.loads(await again.recv())["nonce"] != challenge["nonce"]
        await again.send(json.dumps({"type": "prove", "proof": others}))
        assert (await closed_with(again))[0] == UNPROVEN


async def test_a_paired_origin_does_not_come_in_with_the_token_of_a_local_tavern(
    server: BridgeServer, tmp_path: Path
) -> None:
    local = tmp_path / "default-user"
    local.mkdir()
    (local / "settings.json").write_text("{}")
    bridge_installer.install(local)
    assert await server.add_tavern(local)
    pairing = bridge_installer.extension_folder(local) / "pairing.json"
    token = json.loads(pairing.read_bytes())["token"]
    assert await refusal(server, HOME, "tavernkeep.v1", f"token.{token}") == 401
    page = await come(server, LOOPBACK, "tavernkeep.v1", f"token.{token}")
    await page.close()


def local_tavern(tmp_path: Path, name: str = "default-user") -> Path:
    folder = tmp_path / name
    folder.mkdir()
    (folder / "settings.json").write_text("{}")
    bridge_installer.install(folder)
    return folder


def token_of(folder: Path) -> str:
    pairing = bridge_installer.extension_folder(folder) / "pairing.json"
    return str(json.loads(pairing.read_bytes())["token"])


def local_offers(token: str) -> tuple[str, str]:
    """As resources/bridge/link.js makes them."""
    return "tavernkeep.v1", f"local.{NONCE}.{proof(token, 'mark')[:16]}"


async def test_a_page_of_this_computer_proves_its_token_too(
    server: BridgeServer, tmp_path: Path
) -> None:
    """Another user may have taken the port of a program that died; so none is sent."""
    folders = [local_tavern(tmp_path, name) for name in ("one", "two")]
    for folder in folders:
        assert await server.add_tavern(folder)
        token = token_of(folder)
        page = await come(server, LOOPBACK, *local_offers(token))
        assert await prove(page, server.port, token)
        await page.send(json.dumps(HELLO | {"page": folder.name}))
        assert json.loads(await page.recv())["type"] == "welcome"
        assert server.pages[-1].user_folder == folder
    one, two = (local_offers(token_of(folder)) for folder in folders)
    for origin in (HOME, "null", None):
        assert await refusal(server, origin, *one) in (401, 403)
    for mark in ("0" * 16, "", proof("", "mark")[:16], f"{two[1][-16:]}0"):
        assert await refusal(server, LOOPBACK, one[0], f"local.{NONCE}.{mark}") == 401
    # The mark alone, which whoever has the port may have heard, opens nothing.
    for known in ("", TOKEN, token_of(folders[1])):
        stranger = await come(server, LOOPBACK, *one)
        assert not await prove(stranger, server.port, known)
        await stranger.send(json.dumps(HELLO))
        assert (await closed_with(stranger))[0] == UNPROVEN
    assert len(server.pages) == 2


async def test_a_page_does_not_take_the_place_of_another_taverns(
    server: BridgeServer, tmp_path: Path
) -> None:
    server.add_remote(tmp_path / "other", ELSEWHERE, TOKEN)
    page = await greeted(server)
    thief = await come(server, ELSEWHERE, *OFFERS)
    assert await prove(thief, server.port, TOKEN)
    await thief.send(json.dumps(HELLO))
    assert (await closed_with(thief))[0] == 1000
    assert [one.user_folder.name for one in server.pages] == ["copy"]
    again = await greeted(server)  # its own may come anew
    assert (await closed_with(page))[0] == 1000
    assert len(server.pages) == 1
    await again.close()


async def test_no_page_is_paired_while_no_code_is_shown(server: BridgeServer, door: Door) -> None:
    assert await refusal(server, HOME, PAIRING_SUBPROTOCOL) == 403
    # A token beside it makes no difference.
    assert await refusal(server, HOME, PAIRING_SUBPROTOCOL, *OFFERS) == 403
    door.is_open = True
    assert await refusal(server, None, PAIRING_SUBPROTOCOL) == 403
    assert door.tries == []


async def test_a_code_is_tried_once_for_each_connection(server: BridgeServer, door: Door) -> None:
    door.is_open = True
    assert await bring(server, ELSEWHERE, {"type": "pair", "code": "x"}) == {
        "type": "paired",
        "token": "",
        "error": "wrong",
    }
    answer = await bring(server, "HTTP://192.168.1.6:8000", {"type": "pair", "code": "right"})
    assert (answer["token"], answer["error"]) == (TOKEN, "")
    assert door.tries == [(ELSEWHERE, "x"), (ELSEWHERE, "right")]


@pytest.mark.parametrize(
    "frame",
    [
        {"type": "hello", "version": "1", "page": "p"},
        {"type": "pair"},
        {"type": "pair", "code": ["right"]},
        {"type": "pair", "code": "x" * 101},
        [],
    ],
)
async def test_whoever_brings_no_code_gets_no_token(
    server: BridgeServer, door: Door, frame: Any
) -> None:
    door.is_open = True
    answer = await bring(server, HOME, frame)
    assert (answer["token"], door.tries, server.pages) == ("", [], ())
    assert "makes no sense" in answer["error"]


async def test_the_door_takes_a_few_at_once(server: BridgeServer, door: Door) -> None:
    door.is_open = True
    waiting = [await come(server, HOME, PAIRING_SUBPROTOCOL) for _ in range(4)]
    await asyncio.sleep(0.05)
    assert await refusal(server, HOME, PAIRING_SUBPROTOCOL) == 403
    for page in waiting:
        await page.close()
    await asyncio.sleep(0.05)
    await bring(server, HOME, {"type": "pair", "code": "x"})


async def closed_with(page: ClientConnection) -> tuple[int | None, str]:
    with contextlib.suppress(ConnectionClosed):
        async with asyncio.timeout(5):
            async for _ in page:
                pass
    return page.close_code, page.close_reason or ""


@pytest.mark.expects_log("app.sillytavern.bridge.bridge_socket")
async def test_a_page_that_talks_without_end_is_let_go_with_a_sentence(
    server: BridgeServer,
) -> None:
    page = await greeted(server)
    frame = json.dumps({"type": "pulse"})
    for _ in range(int(frame_meter.FRAMES) + 2_000):
        try:
            await page.send(frame)
        except ConnectionClosed:
            break
    code, reason = await closed_with(page)
    assert (code, reason) == (REFUSED, "SillyTavern's page sent too much, so it was disconnected.")


@pytest.mark.expects_log("app.sillytavern.bridge.bridge_socket")
async def test_a_page_that_talks_nonsense_is_let_go(server: BridgeServer) -> None:
    page = await greeted(server)
    for _ in range(int(frame_meter.FRAMES / frame_meter.NONSENSE_FRAMES) + 5):
        await page.send("{}")
    assert (await closed_with(page))[0] == REFUSED


@pytest.mark.expects_log("app.sillytavern.bridge.bridge_socket")
async def test_answers_that_nobody_asked_for_are_bounded(server: BridgeServer) -> None:
    page = await greeted(server)
    frame = json.dumps({"type": "answer", "id": "77", "result": {"lines": ["x" * 900_000]}})
    for _ in range(60):
        try:
            await page.send(frame)
        except ConnectionClosed:
            break
    assert (await closed_with(page))[0] == REFUSED


async def answer(page: ClientConnection, result: dict[str, Any]) -> None:
    asked = json.loads(await page.recv())
    await page.send(json.dumps({"type": "answer", "id": asked["id"], "result": result}))


async def test_answers_that_were_asked_for_are_not_counted(
    server: BridgeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frame_meter, "BYTES", 1_000.0)
    page = await greeted(server)
    for _ in range(5):
        result = {"lines": ["x" * 10_000]}
        asking = server.request(server.pages[0], "copy_lines")
        assert (await asyncio.gather(asking, answer(page, result)))[0] == result
    assert server.pages


@pytest.mark.expects_log("app.sillytavern.bridge.bridge_socket")
async def test_a_page_is_refused_with_the_sentence(server: BridgeServer) -> None:
    page = await greeted(server)
    server.refuse(server.pages[0], "ü" * 200)
    code, reason = await closed_with(page)
    assert code == REFUSED
    assert reason == "ü" * 60


async def test_one_that_was_revoked_is_let_go_and_comes_in_no_more(
    server: BridgeServer, tmp_path: Path
) -> None:
    page = await greeted(server)
    await server.remove_tavern(tmp_path / "copy")
    await closed_with(page)
    assert await refusal(server, HOME, *OFFERS) == 403


async def test_nothing_is_written_for_a_remote_tavern(server: BridgeServer, tmp_path: Path) -> None:
    page = await greeted(server)
    await server.rotate_tokens(grace_seconds=0)
    server.choose_parts({"badge": True})
    await asyncio.sleep(0.05)
    assert not (tmp_path / "copy").exists()
    await page.send(json.dumps({"type": "pulse"}))
    assert server.pages
    await server.remove_tavern(tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


@pytest_asyncio.fixture
async def waiting(tmp_path: Path, door: Door) -> AsyncIterator[tuple[BridgeServer, socket.socket]]:
    """A server whose pages look for it where another program listens, and that program's socket."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        server = BridgeServer(no_slots)
        server.listener.retry_seconds = 0.05
        server.door.on_pair = door.on_pair
        server.door.is_open = lambda: True
        await server.start(other.getsockname()[1])
        server.add_remote(tmp_path / "copy", HOME, TOKEN)
        yield server, other
        await server.aclose()


async def test_a_port_that_another_program_had_is_listened_at_as_soon_as_it_is_free(
    waiting: tuple[BridgeServer, socket.socket], door: Door
) -> None:
    server, other = waiting
    wanted, own = other.getsockname()[1], server.port
    assert wanted != own
    assert server.listener.taken == (wanted,)
    first = await greeted(server)
    heard: list[int] = []
    server.listener.changed.connect(lambda _: heard.append(server.port))
    other.close()
    async with asyncio.timeout(20):
        while not heard:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    # Pages that know the other port still find us there.
    assert (server.port, server.listener.ports) == (own, (own, wanted))
    assert not server.listener.taken
    second = await greeted(server, port=wanted, name="q")
    assert [page.id for page in server.pages] == ["p", "q"]
    await bring(server, ELSEWHERE, {"type": "pair", "code": "right"}, port=wanted)
    assert door.port == wanted  # the page comes back to where it was paired
    await first.close()
    await second.close()


async def test_what_two_ports_of_ours_say_does_not_hold_at_each_other(
    waiting: tuple[BridgeServer, socket.socket],
) -> None:
    """Who had the one port could have handed on what is said at the other."""
    server, other = waiting
    wanted, own = other.getsockname()[1], server.port
    other.close()
    async with asyncio.timeout(20):
        while wanted not in server.listener.ports:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    page = await come(server, HOME, *OFFERS, port=wanted)
    assert not await prove(page, own, TOKEN)
    with pytest.raises(ConnectionClosed):
        await page.recv()
    assert page.close_code == UNPROVEN
    with pytest.raises(InvalidStatus) as caught:
        await connect(
            f"ws://127.0.0.1:{own}",
            host="127.0.0.1",
            port=wanted,
            origin=HOME,  # type: ignore[arg-type]
            subprotocols=OFFERS,  # type: ignore[arg-type]
        )
    assert caught.value.response.status_code == 403


async def test_who_waits_for_a_port_ends_without_it(
    waiting: tuple[BridgeServer, socket.socket],
) -> None:
    server, other = waiting
    await server.aclose()
    assert (server.port, server.listener.taken) == (0, ())
    other.close()
    await asyncio.sleep(0.2)
    assert server.listener.ports == ()
