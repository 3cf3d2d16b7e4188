"""Who counts what models are asked for, and what there is to count of one request."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from app.core.errors import AnswerUnusable

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.llm.backends.backend import Answer, Request


@dataclass(frozen=True, slots=True)
class RequestUse:
    """What one request took. task: the prompt's name. backend: its name for people.

    is_estimated: the server did not tell all of its tokens, so they were counted here.
    """

    task: str
    backend: str
    prompt_tokens: int
    output_tokens: int
    is_estimated: bool = False


# What the piece of work that goes on in this context has taken so far, whoever counts it.
_taken: ContextVar[list[RequestUse] | None] = ContextVar("taken", default=None)


@contextmanager
def noting(uses: list[RequestUse] | None = None) -> Iterator[list[RequestUse]]:
    """All that is taken within, also by what then fails or is stopped. uses: where it is noted."""
    uses = [] if uses is None else uses
    token = _taken.set(uses)
    try:
        yield uses
    finally:
        _taken.reset(token)


def note(use: RequestUse) -> None:
    """It was taken by the piece of work that goes on."""
    if (uses := _taken.get()) is not None:
        uses.append(use)


class Meter(Protocol):
    """Hears of every request that was answered, or that had to be paid for all the same."""

    async def took(self, use: RequestUse) -> None:
        """Count it."""


def answered(
    task: str, backend: str, request: Request, answer: Answer, count: Callable[[str], int]
) -> RequestUse:
    """What an answered request took, as the server says or else as counted here."""
    prompt, output = answer.prompt_tokens, answer.output_tokens
    return RequestUse(
        task,
        backend,
        prompt if prompt is not None else count(request.system + request.prompt),
        output if output is not None else count(answer.text + answer.reasoning),
        is_estimated=prompt is None or output is None,
    )


def broken_off(
    task: str,
    backend: str,
    request: Request,
    heard: str,
    error: BaseException,
    count: Callable[[str], int],
) -> RequestUse | None:
    """What a request took that gave no answer; None where the server did no work for it.

    heard: what had come of the text. A request that is stopped half way was read in full.
    """
    is_taken = isinstance(error, (asyncio.CancelledError, AnswerUnusable))
    if not heard and not is_taken and not getattr(error, "was_sent", False):
        return None
    prompt = count(request.system + request.prompt)
    return RequestUse(task, backend, prompt, count(heard), is_estimated=True)
