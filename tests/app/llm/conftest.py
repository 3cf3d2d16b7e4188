"""A language model server on a loopback socket that behaves as each test scripts it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest


@dataclass
class Exchange:
    """One request as it came in, and the way to answer it."""

    method: str
    path: str
    headers: dict[str, str]
    body: Any
    writer: asyncio.StreamWriter
    was_left: asyncio.Event = field(default_factory=asyncio.Event)

    async def send(self, raw: bytes) -> None:
        self.writer.write(raw)
        await self.writer.drain()

    async def head(
        self, status: int = 200, content_type: str = "application/json", **headers: str
    ) -> None:
        lines = [f"HTTP/1.1 {status} X", f"Content-Type: {content_type}", "Connection: close"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        await self.send(("\r\n".join(lines) + "\r\n\r\n").encode())

    async def json(self, value: object, status: int = 200, **headers: str) -> None:
        await self.head(status, **headers)
        await self.send(json.dumps(value).encode())


Behaviour = Callable[[Exchange], Awaitable[None]]


class FakeLlm:
    """Answers each path with its behaviours, one after the other; the last one stays."""

    def __init__(self) -> None:
        self.exchanges: list[Exchange] = []
        self._behaviours: dict[str, list[Behaviour]] = {}
        self._server: asyncio.Server | None = None
        self.arrived = asyncio.Event()
        self._tasks: set[asyncio.Task[Any] | None] = set()

    def on(self, path: str, *behaviours: Behaviour) -> None:
        self._behaviours[path] = list(behaviours)

    @property
    def url(self) -> str:
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    def bodies(self, path: str) -> list[Any]:
        return [e.body for e in self.exchanges if e.path == path]

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)

    async def stop(self) -> None:
        assert self._server is not None
        self._server.close()
        for task in tuple(self._tasks):
            if task is not None:
                task.cancel()
        await asyncio.gather(*(t for t in self._tasks if t), return_exceptions=True)
        await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        self._tasks.add(task)
        try:
            exchange = await self._read(reader, writer)
            self.exchanges.append(exchange)
            script = self._behaviours.get(exchange.path)
            if not script:
                await exchange.json({"error": "no such path"}, 404)
                return
            behaviour = script.pop(0) if len(script) > 1 else script[0]
            self.arrived.set()
            await behaviour(exchange)
        except ConnectionError:
            exchange.was_left.set()
        except asyncio.CancelledError:
            pass  # the test is over; asyncio would log this one as an error
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _read(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Exchange:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        method, path, _ = head[0].split(" ")
        pairs = (line.split(": ", 1) for line in head[1:] if ": " in line)
        headers = {name.lower(): value for name, value in pairs}
        raw = await reader.readexactly(int(headers.get("content-length", "0")))
        exchange = Exchange(method, path, headers, json.loads(raw) if raw else None, writer)
        exchange.reader = reader  # type: ignore[attr-defined]
        return exchange


@pytest.fixture
async def llm() -> AsyncIterator[FakeLlm]:
    server = FakeLlm()
    await server.start()
    try:
        yield server
    finally:
        await server.stop()


@pytest.fixture
def says() -> Says:
    return Says()


class Says:
    """Behaviours of servers, by what goes wrong."""

    def ollama(
        self, *pieces: str, thinking: str = "", reason: str = "stop", done: bool = True
    ) -> Behaviour:
        async def answer(exchange: Exchange) -> None:
            await exchange.head(content_type="application/x-ndjson")
            if thinking:
                await exchange.send(_line({"message": {"content": "", "thinking": thinking}}))
            for piece in pieces:
                await exchange.send(_line({"message": {"content": piece}, "done": False}))
            if done:
                end = {"done": True, "done_reason": reason, "message": {"content": ""}}
                await exchange.send(_line({**end, "prompt_eval_count": 11, "eval_count": 7}))

        return answer

    def openai(
        self, *pieces: str, reasoning: str = "", reason: str = "stop", done: bool = True
    ) -> Behaviour:
        async def answer(exchange: Exchange) -> None:
            await exchange.head(content_type="text/event-stream")
            await exchange.send(b": hello\n\n")
            if reasoning:
                await exchange.send(_event({"delta": {"reasoning_content": reasoning}}))
            for piece in pieces:
                await exchange.send(_event({"delta": {"content": piece}, "finish_reason": None}))
            if done:
                await exchange.send(_event({"delta": {}, "finish_reason": reason}))
                usage = {"choices": [], "usage": {"prompt_tokens": 11, "completion_tokens": 7}}
                await exchange.send(f"data: {json.dumps(usage)}\r\n\r\n".encode())
                await exchange.send(b"data: [DONE]\n\n")

        return answer

    def limited(self, kind: str, reasoning: str, text: str) -> Behaviour:
        """Reasons in its text and keeps to the limit that it is sent; a token is four signs."""

        async def answer(exchange: Exchange) -> None:
            body = exchange.body
            most = 4 * (body["options"]["num_predict"] if kind == "ollama" else body["max_tokens"])
            whole = f"<think>{reasoning}</think>{text}"
            say = self.ollama if kind == "ollama" else self.openai
            await say(whole[:most], reason="length" if len(whole) > most else "stop")(exchange)

        return answer

    def status(self, status: int, error: object = "because", **headers: str) -> Behaviour:
        async def answer(exchange: Exchange) -> None:
            await exchange.json({"error": error}, status, **headers)

        return answer

    def raw(self, body: bytes, content_type: str = "application/json") -> Behaviour:
        async def answer(exchange: Exchange) -> None:
            await exchange.head(content_type=content_type)
            await exchange.send(body)

        return answer

    def json(self, value: object) -> Behaviour:
        return self.raw(json.dumps(value).encode())

    def nothing(self) -> Behaviour:
        """Takes the request and keeps silent until the client leaves."""

        async def answer(exchange: Exchange) -> None:
            await exchange.reader.read()  # type: ignore[attr-defined]
            exchange.was_left.set()

        return answer

    def reset(self) -> Behaviour:
        async def answer(exchange: Exchange) -> None:
            exchange.writer.transport.abort()

        return answer

    def endless(self, piece: bytes, content_type: str = "text/event-stream") -> Behaviour:
        async def answer(exchange: Exchange) -> None:
            await exchange.head(content_type=content_type)
            many = piece * max(1, 4096 // len(piece))
            while not exchange.writer.is_closing():
                await exchange.send(many)
                await asyncio.sleep(0)  # one process serves and reads
            exchange.was_left.set()

        return answer


def _line(value: object) -> bytes:
    return json.dumps(value).encode() + b"\n"


def _event(choice: object) -> bytes:
    return f"data: {json.dumps({'id': 'x', 'choices': [choice]})}\n\n".encode()
