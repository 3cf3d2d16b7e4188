"""A page of another machine's SillyTavern, played by a websocket: honest unless told otherwise."""

from __future__ import annotations

import asyncio
import hmac
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any
from zlib import crc32

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

Answer = dict[str, Any]
MARKS_AT_ONCE = 10_000
PIECE = 65_536


class PageFault(Exception):
    """What the page answers that it cannot do."""


NONCE = "0123456789abcdef" * 2


def proof(token: str, *said: object) -> str:
    """As resources/bridge/proof.js makes it."""
    text = " ".join(map(str, said))
    return hmac.new(token.encode(), text.encode(), "sha256").hexdigest()


async def prove(socket: ClientConnection, port: int, token: str, nonce: str = NONCE) -> bool:
    """Take the program's proof and give the page's; whether the program's was right."""
    challenge = json.loads(await socket.recv())
    answer = proof(token, "page", port, nonce, challenge["nonce"])
    await socket.send(json.dumps({"type": "prove", "proof": answer}))
    return bool(challenge["proof"] == proof(token, "program", port, nonce, challenge["nonce"]))


class ScriptedPage:
    """Answers as resources/bridge/copying.js does.

    lies: by kind of request, what is made of the honest answer. asked: kinds, in their order.
    """

    def __init__(self, avatar: str = "Ada.png", chat: str = "Evening") -> None:
        self.chat: dict[str, Any] = {"kind": "solo", "avatar": avatar, "chat": chat}
        self.metadata: dict[str, Any] = {"integrity": "one"}
        self.messages: list[dict[str, Any]] = []
        self.group: dict[str, Any] | None = None
        self.is_busy = False
        self.language = ""
        self.lies: dict[str, Callable[[Answer], Any]] = {}
        self.asked: list[str] = []
        self.bytes = 0
        self.closed: tuple[int | None, str] | None = None
        self.socket: ClientConnection | None = None
        self._told: list[str] = []

    @asynccontextmanager
    async def connected(
        self, port: int, origin: str, token: str, *, is_local: bool = False
    ) -> AsyncIterator[ScriptedPage]:
        credential = f"token.{token}" if is_local else f"remote.{NONCE}"
        coming = connect(
            f"ws://127.0.0.1:{port}",
            origin=origin,  # type: ignore[arg-type]
            subprotocols=["tavernkeep.v1", credential],  # type: ignore[list-item]
            compression=None,
            proxy=None,
            max_size=None,
        )
        async with coming as self.socket, asyncio.TaskGroup() as group:
            if not is_local:
                assert await prove(self.socket, port, token)
            listening = group.create_task(self._listen(self.socket))
            await self._say(self.hello())
            yield self
            listening.cancel()

    def hello(self) -> Answer:
        return {
            "type": "hello",
            "version": "1",
            "page": "scripted",
            "chat": self.chat,
            "length": len(self.messages),
            "language": self.language,
        }

    async def tell(self, name: str, **details: Any) -> None:
        """Announce something."""
        frame = {"type": "event", "name": name, "chat": self.chat, "length": len(self.messages)}
        await self._say(frame | details)

    async def _say(self, frame: Any) -> None:
        assert self.socket is not None
        with suppress(ConnectionClosed):
            await self.socket.send(json.dumps(frame))

    async def _listen(self, socket: ClientConnection) -> None:
        with suppress(ConnectionClosed):
            async for data in socket:
                frame = json.loads(data)
                if frame["type"] == "request":
                    await self._answer(socket, frame)
        self.closed = (socket.close_code, socket.close_reason or "")

    async def _answer(self, socket: ClientConnection, frame: Answer) -> None:
        kind, params = frame["kind"], frame["params"]
        self.asked.append(kind)
        answer: Answer = {"type": "answer", "id": frame["id"]}
        try:
            if params.get("chat", self.chat) != self.chat:
                raise PageFault("another chat is open")
            honest = getattr(self, kind)(**{k: v for k, v in params.items() if k != "chat"})
            answer["result"] = self.lies[kind](honest) if kind in self.lies else honest
        except (PageFault, AttributeError) as error:
            answer["error"] = str(error)
        text = json.dumps(answer)
        self.bytes += len(text)
        await socket.send(text)

    # --- what copying.js answers

    def copy_state(self, first: int) -> Answer:
        if self.is_busy:
            nothing = {"first": first, "length": 0, "header": [0, 2], "marks": []}
            return {"chat": self.chat, "is_busy": True} | nothing
        if first == 0:
            values = [self.metadata, *self.messages]
            self._told = [json.dumps(one, ensure_ascii=False) for one in values]
        header, *marks = ([crc32(one.encode()), len(one.encode())] for one in self._told)
        return {
            "chat": self.chat,
            "first": first,
            "length": len(marks),
            "header": header,
            "marks": marks[first : first + MARKS_AT_ONCE],
        }

    def copy_lines(self, first: int, count: int) -> Answer:
        return {"chat": self.chat, "lines": self._told[first + 1 : first + 1 + count]}

    def copy_piece(self, index: int, offset: int) -> Answer:
        units = self._told[index + 1].encode("utf-16-le")
        piece = units[offset * 2 : (offset + PIECE) * 2]
        try:
            text = piece.decode("utf-16-le")
        except UnicodeDecodeError:
            text = piece[:-2].decode("utf-16-le")
        return {"chat": self.chat, "lines": [text]}

    def copy_company(self) -> Answer:
        members = self.group["members"] if self.group else [self.chat["avatar"]]
        return {"chat": self.chat, "members": members, "group": self.group}

    def copy_member(self, avatar: str) -> Answer:
        return {"avatar": avatar, "name": avatar.removesuffix(".png"), "description": "Counts."}
