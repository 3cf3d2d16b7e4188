"""Stand-ins at the program's borders: a language model server on a real socket."""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

SLOW = "[[slow]]"  # in a prompt: the answer comes after FakeLlm.slow_seconds
BROKEN = "[[broken]]"  # in a prompt: HTTP 500
MODEL = "fake-model"


@dataclass(frozen=True, slots=True)
class RecordedRequest:
    """One generation that was asked for. at: time.monotonic() when it came in. key: what stood
    in its authorization, "" for nothing.
    """

    path: str
    body: dict[str, Any]
    at: float
    key: str = ""

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The chat, or the bare prompt as one user message."""
        bare = [{"role": "user", "content": self.body.get("prompt", "")}]
        return list(self.body.get("messages", bare))

    @property
    def text(self) -> str:
        """All contents, one after the other."""
        return "\n".join(str(message["content"]) for message in self.messages)


class Wire:
    """The bare connection of one request, for answers that no good server gives."""

    def __init__(self, handler: BaseHTTPRequestHandler, closing: threading.Event) -> None:
        self._handler = handler
        self._closing = closing

    def head(
        self, status: int = 200, content_type: str = "text/event-stream", **headers: str
    ) -> None:
        self._handler.send_response(status)
        self._handler.send_header("Content-Type", content_type)
        for name, value in headers.items():
            self._handler.send_header(name.replace("_", "-"), value)
        self._handler.end_headers()

    def send(self, data: bytes) -> None:
        self._handler.wfile.write(data)
        self._handler.wfile.flush()

    def piece(self, text: str, **choice: object) -> None:
        """One event of a stream."""
        delta = {"index": 0, "delta": {"content": text}, **choice}
        self.send(f"data: {json.dumps({'model': MODEL, 'choices': [delta]})}\n\n".encode())

    def wait(self, seconds: float) -> bool:
        """Say nothing for a while; false when the server is to end."""
        return not self._closing.wait(seconds)

    def reset(self) -> None:
        """Break the connection off, so that the client sees a reset and no end."""
        linger = struct.pack("ii", 1, 0)
        self._handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self._handler.connection.close()


@dataclass(frozen=True, slots=True)
class Limited:
    """How a model does that keeps to the limits it is sent, and reasons first.

    reasoning: tokens of it. as_text: as <think> inside of the answer, else in a field of its own.
    context: tokens that prompt and answer have together, 0: no end; Ollama's is what is sent with
    the request, and `context` is the most of it. capabilities: as Ollama shows them, None: it does
    not. hushes: whether Ollama's `think: false` is followed.
    """

    reasoning: int = 0
    as_text: bool = False
    context: int = 0
    capabilities: tuple[str, ...] | None = None
    hushes: bool = False

    def cut(self, request: RecordedRequest, answer: str) -> tuple[str, str, bool]:
        """Reasoning, text, and whether it was cut; a token is four signs."""
        options = request.body.get("options", {})
        most = request.body.get("max_tokens") or options.get("num_predict") or 10**9
        context = options.get("num_ctx", self.context)
        if self.context:
            context = min(context, self.context)
        if context:
            most = min(most, context - len(request.text) // SIGNS)
        is_hushed = self.hushes and request.body.get("think") is False
        length = 0 if is_hushed else self.reasoning * SIGNS
        thoughts = (THOUGHT * (length // len(THOUGHT) + 1))[:length]
        if self.as_text and thoughts:
            whole = f"<think>{thoughts}</think>{answer}"
            return "", whole[: most * SIGNS], len(whole) > most * SIGNS
        left = most * SIGNS - length
        return thoughts[: most * SIGNS], answer[: max(0, left)], len(answer) > left


SIGNS = 4  # of one token
THOUGHT = "Perhaps somebody has the lamp. "
Behaviour = Callable[[Wire], None]
Reply = Callable[[RecordedRequest], "str | Behaviour"]


class FakeLlm:
    """An OpenAI-compatible server on loopback that records what it is asked.

    reply: makes the answer's text of a request, or says how to misbehave. Use as a context manager.
    """

    def __init__(self, reply: Reply | None = None) -> None:
        self.reply: Reply = reply or (lambda request: "The lamp burned low and nobody spoke.")
        self.slow_seconds = 30.0
        self.error_for: Callable[[RecordedRequest], str] = lambda request: "broken"
        self.context = 0  # tokens, as the list of models says it; 0: it does not
        self.other_models: tuple[str, ...] = ()
        self.limited: Limited | None = None  # None: it answers whatever the limits are
        self.requests: list[RecordedRequest] = []
        self._news = threading.Condition()
        self.closing = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_for(self))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))

    @property
    def url(self) -> str:
        """Base address, as users write it: http://127.0.0.1:PORT/v1."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.closing.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def wait_for_request(self, number: int, seconds: float = 15.0) -> RecordedRequest:
        """The request with this number, counted from 0; waits until it comes."""
        with self._news:
            if not self._news.wait_for(lambda: len(self.requests) > number, seconds):
                raise TimeoutError(f"request {number} never came, only {len(self.requests)} did")
            return self.requests[number]

    def answer(self, request: RecordedRequest) -> str | Behaviour:
        """Record the request and give the answer's text, or how to misbehave."""
        with self._news:
            self.requests.append(request)
            self._news.notify_all()
        if SLOW in request.text:
            self.closing.wait(self.slow_seconds)
        return self.reply(request)


def _handler_for(llm: FakeLlm) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.0"  # closes by itself, so no thread is left at the end

        def log_message(self, format: str, *args: object) -> None:
            pass

        def do_GET(self) -> None:
            if self.path.removeprefix("/v1") == "/models":
                model = {"id": MODEL, "object": "model"}
                names = (MODEL, *llm.other_models)
                context = {"context_length": llm.context} if llm.context else {}
                data = [{**model, "id": name, **context} for name in names]
                self._send({"object": "list", "data": data})
            else:
                self._send({"error": {"message": "not found"}}, status=404)

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            request = RecordedRequest(
                self.path, body, time.monotonic(), self.headers.get("Authorization", "")
            )
            if self.path == "/api/show":
                self._send(_shown(llm.limited or Limited()))
                return
            text = llm.answer(request)
            try:
                if isinstance(text, str) and llm.limited is not None:
                    self._limited(llm.limited, request, text)
                elif not isinstance(text, str):
                    text(Wire(self, llm.closing))
                elif BROKEN in request.text or text == BROKEN:
                    self._send({"error": {"message": llm.error_for(request)}}, status=500)
                elif body.get("stream"):
                    self._stream(text)
                else:
                    self._send(_completion(self.path, text))
            except (BrokenPipeError, ConnectionResetError):
                pass  # the client stopped the generation

        def _limited(self, limited: Limited, request: RecordedRequest, text: str) -> None:
            reasoning, text, is_cut = limited.cut(request, text)
            reason = "length" if is_cut else "stop"
            wire = Wire(self, llm.closing)
            if self.path == "/api/chat":
                wire.head(content_type="application/x-ndjson")
                message = {"content": text, "thinking": reasoning}
                end = {"message": message, "done": True, "done_reason": reason}
                wire.send(json.dumps(end).encode() + b"\n")
                return
            wire.head()
            wire.piece("", delta={"reasoning_content": reasoning})
            wire.piece(text, finish_reason=reason)
            wire.send(b"data: [DONE]\n\n")

        def _send(self, content: dict[str, Any], status: int = 200) -> None:
            data = json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def _stream(self, text: str) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            for word in text.split(" "):
                chunk = {
                    "model": MODEL,
                    "choices": [{"index": 0, "delta": {"content": word + " "}}],
                }
                self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
                self.wfile.flush()
            self.wfile.write(b"data: [DONE]\n\n")

    return Handler


def _shown(limited: Limited) -> dict[str, Any]:
    """What Ollama tells of a model."""
    shown: dict[str, Any] = {}
    if limited.context:
        shown["model_info"] = {"fake.context_length": limited.context}
    if limited.capabilities is not None:
        shown["capabilities"] = limited.capabilities
    return shown


def _completion(path: str, text: str) -> dict[str, Any]:
    choice: dict[str, Any] = {"index": 0, "finish_reason": "stop"}
    if path.endswith("/chat/completions"):
        choice["message"] = {"role": "assistant", "content": text}
    else:
        choice["text"] = text
    usage = {"prompt_tokens": 10, "completion_tokens": len(text.split())}
    return {"id": "fake", "model": MODEL, "choices": [choice], "usage": usage}
