"""Pairing with a page elsewhere, by the companion as a whole: the code, its end, a restart."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from app.companion import Companion, open_companion
from app.core.errors import UsageError
from app.core.part_health import Light
from app.core.paths import user_folders
from app.sillytavern.bridge import loopback_listener
from app.sillytavern.bridge.bridge_protocol import PAIRING_SUBPROTOCOL
from app.views.bridge import PORT_TAKEN
from app.views.health_report import Remedy, remedy_for
from app.work.pages.link import PREFERRED_PORT
from tests.labelled import WrittenTavern
from tests.scripted_page import ScriptedPage

ORIGIN = "http://192.168.1.5:8000"
OTHER = "https://elsewhere.example"


@pytest_asyncio.fixture
async def companion(tmp_path: Path, demo_tavern: WrittenTavern) -> AsyncIterator[Companion]:
    async with open_companion(
        user_folders(tmp_path / "own"), tavern=demo_tavern.user_folder, llm="builtin"
    ) as companion:
        yield companion


async def bring(port: int, code: str, origin: str = ORIGIN) -> dict[str, Any]:
    async with connect(
        f"ws://127.0.0.1:{port}",
        origin=origin,  # type: ignore[arg-type]
        subprotocols=[PAIRING_SUBPROTOCOL],  # type: ignore[list-item]
        proxy=None,
    ) as socket:
        await socket.send(json.dumps({"type": "pair", "code": code}))
        answer: dict[str, Any] = json.loads(await socket.recv())
        return answer


async def until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not is_so():  # noqa: ASYNC110
            await asyncio.sleep(0.02)


def code_of(companion: Companion) -> tuple[str, int]:
    """What the user types, apart: the code, and the port that the page takes for it."""
    companion.remote.show_code()
    code, _, port = companion.remote.code_text.partition("@")
    return code, int(port or PREFERRED_PORT)


async def test_five_wrong_codes_from_wherever_end_it(companion: Companion) -> None:
    code, port = code_of(companion)
    for number in range(5):
        answer = await bring(port, "wrong", ORIGIN if number % 2 else OTHER)
        assert answer["token"] == ""
    assert "too often" in answer["error"]
    with pytest.raises(InvalidStatus):
        await bring(port, code)
    assert companion.remote.taverns == ()
    assert not list(companion.folders.data.glob("remote/*"))


async def test_a_code_pairs_one_page(companion: Companion) -> None:
    code, port = code_of(companion)
    assert (await bring(port, code))["token"]
    with pytest.raises(InvalidStatus):
        await bring(port, code, OTHER)
    assert [tavern.origin for tavern in companion.remote.taverns] == [ORIGIN]


def chats_elsewhere(companion: Companion) -> list[list[Path]]:
    """The chats of each tavern on another machine, as the library lists them by now."""
    return [[chat.path for chat in one.chats] for one in companion.taverns if one.host]


async def test_a_paired_page_brings_its_chat_before_and_after_a_restart(
    tmp_path: Path, demo_tavern: WrittenTavern
) -> None:
    folders = user_folders(tmp_path / "own")
    page = ScriptedPage()
    page.messages = [{"name": "Ada", "is_user": False, "mes": "The lamp burns."}]
    token, path = "", Path()
    for text in ("One more.", "And another."):
        async with open_companion(
            folders, tavern=demo_tavern.user_folder, llm="builtin"
        ) as companion:
            if not token:
                code, port = code_of(companion)
                token = (await bring(port, code))["token"]
                path = companion.remote.taverns[0].folder / "chats" / "Ada" / "Evening.jsonl"
            page.messages.append({"name": "Mira", "is_user": True, "mes": text})
            async with page.connected(companion._link.port, ORIGIN, token):
                await until(lambda: path in companion.chats_in_pages)  # noqa: B023
                story = await companion.open_story(path)
                assert [m.text for m in story.messages] == [m["mes"] for m in page.messages]
                assert companion.host_of(story.chat) == "192.168.1.5:8000"
                assert story.chat.owner_name == "Ada"
            await until(lambda: [path] in chats_elsewhere(companion))  # noqa: B023


async def test_one_that_is_forgotten_is_let_go_and_its_chats_stay(companion: Companion) -> None:
    code, port = code_of(companion)
    token = (await bring(port, code))["token"]
    page = ScriptedPage()
    page.messages = [{"name": "Ada", "is_user": False, "mes": "The lamp burns."}]
    (tavern,) = companion.remote.taverns
    path = tavern.folder / "chats" / "Ada" / "Evening.jsonl"
    async with page.connected(port, ORIGIN, token):
        await until(path.exists)
        await companion.remote.forget(tavern)
        await until(lambda: page.closed is not None)
    with pytest.raises(InvalidStatus):
        async with page.connected(port, ORIGIN, token):
            pass
    assert path.exists()
    await companion.remote.erase(companion.remote.taverns[0])
    assert not path.exists()
    assert not [one for one in companion.taverns if one.host]


async def test_where_nothing_listens_no_code_is_shown(
    tmp_path: Path, demo_tavern: WrittenTavern
) -> None:
    async with open_companion(
        user_folders(tmp_path / "own"), tavern=demo_tavern.user_folder, llm="builtin", watch=False
    ) as companion:
        with pytest.raises(UsageError, match="is not accepting"):
            companion.remote.show_code()


async def test_a_port_that_another_program_has_is_told_and_taken_back(
    tmp_path: Path, demo_tavern: WrittenTavern, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pages of another machine know no other port: they never came, and nobody said why."""
    monkeypatch.setattr(loopback_listener, "RETRY_SECONDS", 0.05)
    folders = user_folders(tmp_path / "own")
    page = ScriptedPage()
    page.messages = [{"name": "Ada", "is_user": False, "mes": "The lamp burns."}]
    start = partial(open_companion, folders, tavern=demo_tavern.user_folder, llm="builtin")
    async with start() as companion:
        code, port = code_of(companion)
        token = (await bring(port, code))["token"]
        assert not companion.remote.problem(companion.remote.taverns[0].folder)
    with socket.create_server(("127.0.0.1", port)) as other:
        async with start() as companion:
            (tavern,) = companion.remote.taverns
            health = companion.health.bridge
            assert health.light is Light.BAD
            assert f"Another program uses port {port}" in health.sentence
            remedy = remedy_for(health, has_tavern=True, is_paused=False)
            assert remedy is Remedy.SHOW_CODE
            assert health.sentence in companion.remote.problem(tavern.folder)
            other.close()
            await until(lambda: port in companion._link._server.listener.ports)
            assert companion.health.bridge.cause != PORT_TAKEN
            assert not companion.remote.problem(tavern.folder)
            async with page.connected(port, ORIGIN, token):
                await until(lambda: bool(companion.chats_in_pages))


async def test_each_of_several_is_waited_for_where_its_pages_look(
    tmp_path: Path, demo_tavern: WrittenTavern
) -> None:
    """One that was paired while the usual port was taken was never found again."""
    folders = user_folders(tmp_path / "own")
    start = partial(open_companion, folders, tavern=demo_tavern.user_folder, llm="builtin")
    tokens: dict[str, tuple[int, str]] = {}
    for origin in (ORIGIN, OTHER):
        with contextlib.ExitStack() as others:
            for port, _ in tokens.values():
                others.enter_context(socket.create_server(("127.0.0.1", port)))
            async with start() as companion:
                code, port = code_of(companion)
                tokens[origin] = port, (await bring(port, code, origin))["token"]
    assert len({port for port, _ in tokens.values()}) == 2
    async with start() as companion:
        for origin, (port, token) in tokens.items():
            page = ScriptedPage()
            page.messages = [{"name": "Ada", "is_user": False, "mes": "The lamp burns."}]
            async with page.connected(port, origin, token):
                await until(lambda: bool(companion.chats_in_pages))
            await until(lambda: not companion.chats_in_pages)
