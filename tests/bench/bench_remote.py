"""A chat of a SillyTavern elsewhere, the first time: ours, and its bytes merely sent and kept."""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from websockets.asyncio.client import connect
from websockets.asyncio.server import ServerConnection, serve

from app.prompt.slots import SlotSet
from app.sillytavern.bridge.bridge_socket import BridgeServer
from app.sillytavern.remote.remote_taverns import RemoteTaverns
from app.work.pages.remote_chats import RemoteChats
from tests.bench.table import IS_QUICK, Aim, Row
from tests.scripted_page import ScriptedPage

MESSAGES = 3_000
LETTERS = 1_500
ROUNDS = 3 if IS_QUICK else 9
ORIGIN = "http://192.168.1.5:8000"
AT_ONCE = 1_000_000  # bytes of a frame, about as many as ours has
END = "end"
SECONDS = 60.0
BOTH_ENDS = (
    "Both ends are in it: the page's reads its messages to JSON, sums each up and answers, ours "
    "checks and writes a chat file."
)

Lines = list[dict[str, Any]]


async def no_slots(_page: object, _turn: object) -> SlotSet:
    return SlotSet()


async def copied(messages: Lines, folder: Path) -> None:
    """From a page that says hello to a chat file."""
    server = BridgeServer(no_slots)
    await server.start()
    tavern = RemoteTaverns(folder).add(ORIGIN, server.port)
    server.add_remote(tavern.folder, ORIGIN, tavern.token)
    chats, done = RemoteChats(server), asyncio.Event()
    chats.copied.connect(lambda _: done.set())
    page = ScriptedPage()
    page.messages = messages
    async with asyncio.timeout(SECONDS), page.connected(server.port, ORIGIN, tavern.token):
        await done.wait()
    await chats.aclose()
    await server.aclose()


async def sent(messages: Lines, folder: Path) -> None:
    """The same messages through a websocket into a file."""
    kept = asyncio.Event()

    async def keep(page: ServerConnection) -> None:
        with (folder / "kept").open("wb") as file:
            while (data := await page.recv()) != END:
                assert isinstance(data, str)
                file.write(data.encode())
                await page.send("next")
            file.flush()
            os.fsync(file.fileno())
        kept.set()

    def frames() -> list[str]:
        lines = [json.dumps(message, ensure_ascii=False) for message in messages]
        step = max(1, AT_ONCE * len(lines) // sum(map(len, lines)))
        return [json.dumps(lines[n : n + step]) for n in range(0, len(lines), step)]

    options: dict[str, Any] = {"compression": None, "max_size": None}
    async with asyncio.timeout(SECONDS), serve(keep, "127.0.0.1", 0, **options) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        async with connect(f"ws://127.0.0.1:{port}", proxy=None, **options) as page:
            for frame in frames():
                await page.send(frame)
                await page.recv()
            await page.send(END)
            await kept.wait()


def taken_ms(way: Callable[[Lines, Path], Coroutine[Any, Any, None]]) -> tuple[float, float]:
    """Milliseconds by the clock, and of the processor."""
    messages: Lines = [
        {"name": "Ada", "is_user": bool(n % 2), "mes": f"{n}: für {'x' * LETTERS}", "extra": {}}
        for n in range(MESSAGES)
    ]
    with tempfile.TemporaryDirectory() as folder:
        clock, processor = time.perf_counter(), time.process_time()
        asyncio.run(way(messages, Path(folder)))
        return 1000 * (time.perf_counter() - clock), 1000 * (time.process_time() - processor)


def measure() -> list[Row]:
    """In turns, behind one that warms up."""
    ways = (copied, sent)
    for way in ways:
        taken_ms(way)
    rounds = [[taken_ms(way) for way in ways] for _ in range(ROUNDS)]
    ours, bare = (
        [statistics.median(of) for of in zip(*way, strict=True)]
        for way in zip(*rounds, strict=True)
    )
    rival = "sending its bytes"
    return [
        Row(f"{MESSAGES:,} messages from elsewhere", ours[0], rival, bare[0], Aim(times=2)),
        Row("the same, of the processor", ours[1], rival, bare[1], Aim(times=2), BOTH_ENDS),
    ]
