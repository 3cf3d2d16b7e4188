"""Which of our errors a server's answer or a broken connection is, with a sentence for the user."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec

from app.core.errors import (
    AnswerUnusable,
    BackendAway,
    BackendBusy,
    BackendError,
    BackendRefused,
    BackendUnreachable,
    KeyRefused,
    PromptTooLong,
)
from app.core.translation import N_, tr

if TYPE_CHECKING:
    import httpx

LATER = N_("Try again later.")
LONGEST_DETAIL = 160
BUSY = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529})
REFUSALS = frozenset({401, 402, 403, 404})  # whatever the answer says besides
# Ollama answers 500 to what no second try mends.
HOPELESS = re.compile(r"requires more system memory|unsupported model|unknown model arch", re.I)
TOO_LONG = re.compile(
    r"context[ _-]?(length|size|window)|maximum context|prompt is too long|too many tokens"
    r"|input length exceeds",
    re.I,
)


def connection_fault(error: httpx.HTTPError, url: str) -> BackendError:
    """The fault of a connection that was not made or did not last."""
    import httpx

    if isinstance(error, (httpx.ConnectError, httpx.ConnectTimeout)):
        # A server that is started an hour later: nothing was sent, so it is waited for without end.
        return BackendAway(tr("No answer from {url}. Is the model server running there?", url=url))
    if isinstance(error, httpx.TimeoutException):
        return BackendUnreachable(
            tr("{url} took too long to accept the request.", url=url), advice=tr(LATER)
        )
    if isinstance(error, (httpx.UnsupportedProtocol, httpx.LocalProtocolError)):
        return BackendRefused(tr("No request can be sent to {url}. Check the address.", url=url))
    return broken_off_fault(url)


def broken_off_fault(url: str) -> BackendUnreachable:
    """The fault of an answer that stops before its end."""
    fault = BackendUnreachable(
        tr("The connection to {url} was lost before the answer was complete.", url=url),
        advice=tr(LATER),
    )
    fault.was_sent = True
    return fault


# 7 parameters: all that the sentence about a status is made of, by name.
def status_fault(
    status: int,
    body: bytes,
    *,
    url: str,
    model: str,
    has_key: bool,
    retry_after: float | None,
    secret: str | None,
) -> BackendError:
    """The fault of an HTTP status outside of 200 to 299."""
    detail = detail_of(body, secret)
    tail = " " + tr("It says: “{detail}”.", detail=detail.removesuffix(".")) if detail else ""
    if status not in REFUSALS:
        if TOO_LONG.search(detail) or status == 413:
            return PromptTooLong(
                tr(
                    "The text is longer than {model} can read at once. Choose a model with a "
                    "larger context.",
                    model=model,
                )
                + tail
            )
        if status in BUSY and not HOPELESS.search(detail):
            return BackendBusy(
                _busy(status, url) + tail, retry_after_seconds=retry_after, advice=tr(LATER)
            )
    kind = KeyRefused if status in (401, 403) else BackendRefused
    return kind(_refusal(status, tail, url=url, model=model, has_key=has_key))


def _busy(status: int, url: str) -> str:
    if status == 429:
        return tr(
            "{url} limits how many requests you may send ({status}).",
            url=url,
            status=status,
        )
    return tr("{url} cannot answer right now ({status}).", url=url, status=status)


def _refusal(status: int, tail: str, *, url: str, model: str, has_key: bool) -> str:
    """Why a second try would change nothing. tail: what the server says, where that helps."""
    if status in (401, 403) and has_key:
        return tr("{url} does not accept the API key ({status}). Check it.", url=url, status=status)
    if status in (401, 403):
        return tr("{url} asks for an API key ({status}). Enter one.", url=url, status=status)
    if status == 402:
        return tr("The account at {url} has no credit left (402). Top it up there.", url=url)
    if 300 <= status < 400:
        return tr(
            "{url} redirects elsewhere ({status}). Check the address.",
            url=url,
            status=status,
        )
    if status == 404:
        sentence = tr(
            "{url} does not know the model {model}, or is not a model server. Choose another.",
            url=url,
            model=model,
        )
    else:
        sentence = tr(
            "{url} refused the request ({status}). Choose another model or server.",
            url=url,
            status=status,
        )
    return sentence + tail


def stream_fault(error: Any, *, url: str, model: str, secret: str | None) -> BackendError:
    """The fault of an error object that came where the answer should be."""
    code = error.get("code") if isinstance(error, dict) else None
    status = code if isinstance(code, int) and 400 <= code < 600 else 500
    return status_fault(
        status,
        msgspec.json.encode({"error": error}),
        url=url,
        model=model,
        has_key=secret is not None,
        retry_after=None,
        secret=secret,
    )


def web_page_fault(url: str) -> BackendError:
    """The fault of an address where a web site lives."""
    return BackendRefused(
        tr(
            "{url} answers with a web page, so there is no model server. Check the address.",
            url=url,
        )
    )


def packed_fault(url: str) -> BackendRefused:
    """The fault of an answer that may unfold without bound."""
    return BackendRefused(
        tr(
            "{url} compresses its answers although it was not asked to. Switch that off there.",
            url=url,
        )
    )


def form_fault(url: str, whose: str) -> AnswerUnusable:
    """The fault of an answer that no server of this kind gives."""
    return AnswerUnusable(
        tr(
            "{url} answered in a form that is not {whose}. Check the address.",
            url=url,
            whose=tr(whose),
        )
    )


def detail_of(body: bytes, secret: str | None) -> str:
    """What an error body says of itself, as one short plain line; "" for none or a web page.

    Only the fields that servers keep for their message are read: the rest may echo the prompt.
    """
    try:
        found: Any = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ""
    for _ in range(3):
        if isinstance(found, list) and found:
            found = found[0]
        if isinstance(found, dict):
            found = next(
                (found[key] for key in ("error", "message", "detail") if found.get(key)), ""
            )
    if not isinstance(found, str):
        return ""
    if secret:
        found = found.replace(secret, "…")
    line = " ".join("".join(c if c.isprintable() else " " for c in found[:2000]).split())
    return line if len(line) <= LONGEST_DETAIL else line[: LONGEST_DETAIL - 1] + "…"
