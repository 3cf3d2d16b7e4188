"""Operations of the queue that each ask a model server, against httpx asking the same server."""

from __future__ import annotations

import asyncio
import json
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from itertools import count
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import httpx

from app.core.operations import Operation, OperationKind, OperationSpec, Outcome
from app.core.tasks import TaskSupervisor
from app.llm.backends.backend import Request
from app.llm.backends.openai_compatible import OpenAiBackend
from app.store.store import Store
from app.work.queue.operation_queue import OperationQueue
from tests.bench.table import IS_QUICK, Aim, Row
from tests.fakes import MODEL, FakeLlm

OPERATIONS = 20  # queued at once
ROUNDS = 3 if IS_QUICK else 11
ANSWER = " ".join(["lamp"] * 150)  # words, each an event of the stream: a short recap
REQUEST = Request("You read a scene.", "What happened on the way to the harbour? " * 200)

KEPT = (
    "The request alone takes what httpx takes. What the queue adds is that each operation is "
    "written down before it begins and when it has ended, two transactions on the database's own "
    "thread: by that nothing is done twice after a crash."
)


def measure() -> list[Row]:
    """The processor's time of this process for one operation and one request."""
    with _server() as url, tempfile.TemporaryDirectory() as folder:
        ours, bare = asyncio.run(_measured(url, Path(folder)))
    rival = "bare httpx, the same stream"
    work = "an operation of the queue, with its request"
    return [Row(work, ours, rival, bare, Aim(times=1.3), KEPT)]


async def _measured(url: str, folder: Path) -> tuple[float, float]:
    backend = OpenAiBackend(MODEL, url, context_tokens=8192)
    store, tasks = Store(folder / "store.db"), TaskSupervisor()
    numbers = count()

    async def perform(operation: Operation) -> Outcome:
        answer = await backend.generate(REQUEST)
        assert len(answer.text) > len(ANSWER) - 2
        return Outcome(answer.prompt_tokens or 0, answer.output_tokens or 0, "server")

    async def nothing(operation: Operation) -> None:
        pass

    await store.open()
    chat = await store.run(lambda: store.chats.id_of("chat"))
    queue = OperationQueue(store, perform, nothing, tasks)
    await queue.start()

    async def queued() -> None:
        await queue.add([_spec(chat, next(numbers)) for _ in range(OPERATIONS)])
        await queue.wait_idle()

    body = backend._body(REQUEST, REQUEST.max_output_tokens)
    async with httpx.AsyncClient(trust_env=False) as client:

        async def asked() -> None:
            for _ in range(OPERATIONS):
                await _ask(client, f"{url}/chat/completions", body)

        times = [(await _ms(queued), await _ms(asked)) for _ in range(ROUNDS + 1)][1:]
    await tasks.aclose()
    await backend.aclose()
    await store.aclose()
    ours, bare = (statistics.median(column) / OPERATIONS for column in zip(*times, strict=True))
    return ours, bare


async def _ask(client: httpx.AsyncClient, url: str, body: dict[str, Any]) -> str:
    """As one writes it without a program around."""
    async with client.stream("POST", url, json=body, timeout=60) as response:
        pieces = [
            json.loads(line[6:])["choices"][0]["delta"]["content"]
            async for line in response.aiter_lines()
            if line.startswith("data: ") and line != "data: [DONE]"
        ]
    return "".join(pieces)


async def _ms(work: Callable[[], Awaitable[None]]) -> float:
    begun = time.process_time()
    await work()
    return (time.process_time() - begun) * 1000


def _spec(chat: int, number: int) -> OperationSpec:
    return OperationSpec(OperationKind.SCENE_RECAP, chat, f"key {number}", "anchor", "Recap")


@contextmanager
def _server() -> Iterator[str]:
    """A model server in a process of its own; gives its address."""
    context = get_context("spawn")
    ours, its = context.Pipe()
    process = context.Process(target=_serve, args=(its,))
    process.start()
    try:
        yield ours.recv()
    finally:
        ours.send("end")
        process.join(30)


def _serve(pipe: Connection) -> None:
    with FakeLlm(lambda request: ANSWER) as server:
        pipe.send(server.url)
        pipe.recv()
