"""One bounded HTTP request at a time to a model server, read line by line."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import msgspec

from app.core.errors import BackendError, BackendUnreachable
from app.core.translation import tr
from app.llm.backends.faults import (
    LATER,
    connection_fault,
    packed_fault,
    status_fault,
    stream_fault,
    web_page_fault,
)
from app.llm.backends.retries import retry_after_seconds, server_time

if TYPE_CHECKING:
    import httpx

log = logging.getLogger(__name__)

LONGEST_ERROR_BODY = 65_536
# What an answer may be packed in that was asked for bare. One of these unfolds to a thousand times
# its length at most; two, or another kind, make gigabytes of a few kilobytes in one step.
PACKED_ONCE = frozenset({"", "identity", "gzip", "x-gzip", "deflate"})


@dataclass(frozen=True, slots=True)
class Limits:
    """How long and how much; seconds and bytes.

    first_seconds: until anything comes, so that a slow machine may load a model and read a long
    prompt. idle_seconds: between two pieces after that. total_seconds: for the whole answer.
    """

    connect_seconds: float = 8.0
    first_seconds: float = 300.0
    idle_seconds: float = 60.0
    total_seconds: float = 2700.0
    lookup_seconds: float = 15.0
    wire_bytes: int = 32 * 1024 * 1024
    line_bytes: int = 8 * 1024 * 1024


class Watch:
    """Notices a silent or endless answer.

    One tick every few seconds looks at the clock. A timeout of its own for each read would leave
    a Qt timer behind at each of them, since qasync keeps cancelled ones until they are due.
    """

    def __init__(self, limits: Limits, timeout: asyncio.Timeout) -> None:
        self._loop = asyncio.get_running_loop()
        self._limits = limits
        self._timeout = timeout
        self._started = self._last = self._loop.time()
        self._has_begun = False
        shortest = min(limits.first_seconds, limits.idle_seconds, limits.total_seconds)
        self._tick_seconds = min(5.0, shortest / 4)
        self._handle = self._loop.call_later(self._tick_seconds, self._tick)

    def touch(self) -> None:
        """Something came."""
        self._has_begun = True
        self._last = self._loop.time()

    def stop(self) -> None:
        self._handle.cancel()

    def _tick(self) -> None:
        now = self._loop.time()
        allowed = self._limits.idle_seconds if self._has_begun else self._limits.first_seconds
        if now - self._last > allowed or now - self._started > self._limits.total_seconds:
            self._timeout.reschedule(now)
            return
        self._handle = self._loop.call_later(self._tick_seconds, self._tick)


class LineStream:
    """The lines of one answer.

    overflowed: the bound on size was reached and the rest left unread. is_html: the server says
    that this is a web page.
    """

    def __init__(self, response: httpx.Response, watch: Watch, limits: Limits) -> None:
        self._chunks = response.aiter_bytes()
        self._response = response
        self._watch = watch
        self._limits = limits
        content_type = response.headers.get("content-type", "").lower()
        self.is_html = "text/html" in content_type
        self.overflowed = False

    async def lines(self) -> AsyncIterator[bytes]:
        """Lines without their ends; the last one too when no end closes it."""
        pending: list[bytes] = []
        pending_bytes = received = 0
        async for chunk in self._chunks:
            self._watch.touch()
            received += len(chunk)
            *whole, rest = chunk.split(b"\n")
            for piece in whole:
                pending.append(piece)
                yield b"".join(pending).rstrip(b"\r")
                pending, pending_bytes = [], 0
            pending.append(rest)
            pending_bytes += len(rest)
            if received > self._limits.wire_bytes or pending_bytes > self._limits.line_bytes:
                self.overflowed = True
                return
        if pending_bytes:
            yield b"".join(pending).rstrip(b"\r")

    async def aclose(self) -> None:
        """Leave what was not read."""
        await leave(self._response, self._chunks)


async def leave(response: httpx.Response, chunks: AsyncIterator[bytes]) -> None:
    """Close a response whose chunks were not all read.

    The generators inside of httpx clean up with awaits, and qasync does not finalise those that
    are dropped. So the connection is closed first, and they are run to the error they meet then.
    """
    import httpx

    await response.aclose()
    with suppress(httpx.HTTPError, httpx.StreamError):
        async for _ in chunks:
            pass


class ModelServer:
    """A base address with one HTTP client, which is opened at the first request."""

    def __init__(
        self, url: str, model: str, *, api_key: str | None = None, limits: Limits | None = None
    ) -> None:
        self.url = url
        self.model = model
        self.secret = api_key
        self.limits = limits or Limits()
        self._client: httpx.AsyncClient | None = None

    async def get_json(self, path: str, body: dict[str, Any] | None = None) -> Any:
        """One short look-up: GET, or POST with a body. Raises BackendError."""
        import httpx

        client = await self._opened()
        try:
            async with asyncio.timeout(self.limits.lookup_seconds):
                request = client.build_request(
                    "GET" if body is None else "POST", self.url + path, json=body
                )
                response = await client.send(request, stream=True)
                try:
                    self._check_packing(response)
                    raw = await self._read_bounded(response, self.limits.line_bytes)
                finally:
                    await response.aclose()
        except TimeoutError as error:
            raise BackendUnreachable(
                tr("{url} takes too long to answer.", url=self.url), advice=tr(LATER)
            ) from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise self._fault(error) from error
        self._raise_for_status(response, raw)
        try:
            return msgspec.json.decode(raw)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise web_page_fault(self.url) from error

    @asynccontextmanager
    async def ask(self, path: str, body: dict[str, Any]) -> AsyncIterator[LineStream]:
        """POST and hand out the lines of the answer. Leaving it closes the request.

        Raises BackendError; a fault while the lines are read comes out of this context too.
        """
        import httpx

        client = await self._opened()
        is_answered = False
        try:
            async with asyncio.timeout(None) as timeout:
                watch = Watch(self.limits, timeout)
                try:
                    async with client.stream("POST", self.url + path, json=body) as response:
                        is_answered = True
                        self._check_packing(response)
                        if not response.is_success:
                            raw = await self._read_bounded(response, LONGEST_ERROR_BODY)
                            self._raise_for_status(response, raw)
                        stream = LineStream(response, watch, self.limits)
                        try:
                            yield stream
                        finally:
                            await stream.aclose()
                finally:
                    watch.stop()
        except TimeoutError as error:
            fault = BackendUnreachable(
                tr(
                    "{url} sent nothing for too long, or never finished, so the request was "
                    "cancelled.",
                    url=self.url,
                ),
                advice=tr(LATER),
            )
            fault.was_sent = True
            raise fault from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            broken = self._fault(error)
            # Who hangs up without a byte has begun nothing: nobody is charged for that.
            broken.was_sent &= is_answered
            raise broken from error

    def object_in(self, answer: bytes) -> dict[str, Any] | None:
        """The object that an answer, or a line of it, is; None for another.

        Raises BackendError for an error that stands in its place.
        """
        try:
            return self.checked(msgspec.json.decode(answer))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return None

    def checked(self, answer: Any) -> dict[str, Any] | None:
        """The same for what was decoded already."""
        if not isinstance(answer, dict):
            return None
        if answer.get("error"):
            raise stream_fault(answer["error"], url=self.url, model=self.model, secret=self.secret)
        return answer

    async def aclose(self) -> None:
        """Give back the connection."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    async def _opened(self) -> httpx.AsyncClient:
        if self._client is None:
            # Reading the certificates takes tens of milliseconds: not on the interface's thread.
            self._client = await asyncio.to_thread(self._open)
        return self._client

    def _open(self) -> httpx.AsyncClient:
        import httpx

        # No compression: it holds up a stream, and unfolds without bound; see PACKED_ONCE.
        headers = {"Accept-Encoding": "identity", "User-Agent": "Tavernkeep"}
        if self.secret:
            headers["Authorization"] = f"Bearer {self.secret}"
        return httpx.AsyncClient(
            headers=headers,
            timeout=httpx.Timeout(
                connect=self.limits.connect_seconds, read=None, write=60.0, pool=10.0
            ),
            limits=httpx.Limits(max_connections=4, max_keepalive_connections=1),
            # A proxy is asked for hosts outside only: one for this machine or the home network
            # would see the story, and mostly answers with a web page.
            trust_env=not is_nearby(self.url),
            follow_redirects=False,
        )

    async def _read_bounded(self, response: httpx.Response, limit: int) -> bytes:
        pieces: list[bytes] = []
        size = 0
        chunks = response.aiter_bytes()
        async for chunk in chunks:
            pieces.append(chunk)
            size += len(chunk)
            if size > limit:
                await leave(response, chunks)
                break
        return b"".join(pieces)[:limit]

    def _check_packing(self, response: httpx.Response) -> None:
        if response.headers.get("content-encoding", "").strip().lower() not in PACKED_ONCE:
            raise packed_fault(self.url)

    def _raise_for_status(self, response: httpx.Response, raw: bytes) -> None:
        if response.is_success:
            return
        log.info("%s answers %d", urlsplit(self.url).hostname, response.status_code)
        now = server_time(response.headers.get("date"), datetime.now(UTC))
        raise status_fault(
            response.status_code,
            raw,
            url=self.url,
            model=self.model,
            has_key=self.secret is not None,
            retry_after=retry_after_seconds(response.headers.get("retry-after"), now),
            secret=self.secret,
        )

    def _fault(self, error: Exception) -> BackendError:
        import httpx

        if isinstance(error, httpx.HTTPError):
            return connection_fault(error, self.url)
        return connection_fault(httpx.UnsupportedProtocol(str(error)), self.url)


def is_nearby(url: str) -> bool:
    """Whether the host is this machine or of a private network (spec/smart-memory.md §4, GO2)."""
    host = urlsplit(url).hostname or ""
    try:
        address = ip_address(host)
    except ValueError:
        return "." not in host or host.endswith((".localhost", ".local"))
    return address.is_loopback or address.is_private or address.is_link_local
