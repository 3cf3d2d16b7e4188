"""A model server whose requests wait in a folder until somebody writes their answers there.

OpenAI's chat completions on loopback. A request becomes req-0001.txt; its answer is read from
ans-0001.txt; req-0001.gone says that the client has left. What is known beforehand is answered at
once.
"""

from __future__ import annotations

import itertools
import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

LONGEST_WAIT = 1150.0  # seconds for an answer
SIGN_OF_LIFE = 10.0  # seconds between two of them while a client waits
PIECE = 400  # characters of an answer in one event
CONTEXT = 16_384  # tokens that the model takes


class QueueServer(ThreadingHTTPServer):
    """Serves until it is shut down. folder: where requests wait; those there keep their numbers.

    knows: the answer to a request's body that nobody has to be asked for, None for all others.
    """

    daemon_threads = True

    def __init__(
        self,
        port: int,
        folder: Path,
        knows: Callable[[dict[str, Any]], str | None] = lambda body: None,
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self._numbers = itertools.count(len(list(folder.glob("req-*.txt"))) + 1)
        self._lock = threading.Lock()
        self._knows = knows
        super().__init__(("127.0.0.1", port), _Handler)

    def put(self, body: dict[str, Any]) -> Path:
        """Let a request wait; gives the file of its answer."""
        with self._lock:
            number = next(self._numbers)
        rest = {key: value for key, value in body.items() if key != "messages"}
        text = "".join(_shown(message) for message in body["messages"])
        _written(
            self.folder / f"req-{number:04}.txt", f"# request {number} {json.dumps(rest)}\n{text}"
        )
        with self._lock:
            known = self._knows(body)
        if known is not None:
            give(self.folder, number, known)
        return self.folder / f"ans-{number:04}.txt"


def waiting(folder: Path) -> Iterator[Path]:
    """Requests without an answer whose client still waits, the oldest first."""
    for request in sorted(folder.glob("req-*.txt")):
        answer = folder / request.name.replace("req", "ans")
        if not answer.exists() and not request.with_suffix(".gone").exists():
            yield request


def give(folder: Path, number: int, text: str) -> None:
    """Answer a request."""
    _written(folder / f"ans-{number:04}.txt", text)


class _Handler(BaseHTTPRequestHandler):
    server: QueueServer
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        model = {"id": "queue", "object": "model", "context_length": CONTEXT}
        self._send({"object": "list", "data": [model]})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if not self.path.endswith("/chat/completions"):
            self.send_error(404)
            return
        answer = self.server.put(body)
        try:
            if body.get("stream"):
                self._stream(answer)
            else:
                self._send(
                    {"object": "chat.completion", "choices": [_choice(self._awaited(answer))]}
                )
        except (BrokenPipeError, ConnectionResetError):
            request = answer.with_name(answer.name.replace("ans", "req"))
            request.with_suffix(".gone").touch()

    def _stream(self, answer: Path) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        text = self._awaited(answer, says_so=True)
        for at in range(0, len(text), PIECE):
            self._event({"choices": [{"index": 0, "delta": {"content": text[at : at + PIECE]}}]})
        self._event({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        self._write(b"data: [DONE]\n\n")
        self.close_connection = True

    def _awaited(self, answer: Path, *, says_so: bool = False) -> str:
        """The answer when it is there, "" when it never came."""
        began = told = time.monotonic()
        while not answer.exists():
            now = time.monotonic()
            if now - began > LONGEST_WAIT:
                return ""
            if says_so and now - told > SIGN_OF_LIFE:
                self._write(b": wait\n\n")
                told = now
            time.sleep(0.1)
        return answer.read_text(encoding="utf-8")

    def _event(self, content: dict[str, object]) -> None:
        content = {"object": "chat.completion.chunk", **content}
        self._write(b"data: " + json.dumps(content).encode() + b"\n\n")

    def _write(self, data: bytes) -> None:
        self.wfile.write(data)
        self.wfile.flush()

    def _send(self, content: dict[str, object]) -> None:
        data = json.dumps(content).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self._write(data)


def _shown(message: dict[str, Any]) -> str:
    content = message["content"]
    text = content if isinstance(content, str) else json.dumps(content)
    return f"=== {message['role']} ===\n{text}\n"


def _choice(text: str) -> dict[str, object]:
    message = {"role": "assistant", "content": text}
    return {"index": 0, "message": message, "finish_reason": "stop"}


def _written(path: Path, text: str) -> None:
    """Write whole or not at all: others look for the file."""
    draft = path.with_suffix(".tmp")
    draft.write_text(text, encoding="utf-8")
    draft.rename(path)
