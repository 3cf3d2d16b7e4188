"""SillyTavern's own connection to a model, asked through its open page; no key leaves it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from app.core.errors import (
    BackendAway,
    BackendBusy,
    BackendError,
    BackendRefused,
    BackendUnreachable,
    GenerationTooLong,
    PromptTooLong,
)
from app.core.translation import N_, tr
from app.llm.backends.answer_collecting import CHARACTERS_PER_TOKEN, SHORTEST_BOUND, Collector
from app.llm.backends.backend import Answer, Request
from app.llm.backends.faults import BUSY, LATER, TOO_LONG
from app.llm.backends.generation import GenerationRoom
from app.llm.backends.page_line import PageLine
from app.llm.backends.specs import SILLYTAVERN, BackendSpec
from app.llm.backends.streams import Limits

DEFAULT_CONTEXT = 8192
LARGEST_CONTEXT = 32_768  # as for other servers: longer prompts cost more and are read worse
LONGEST_PROMPT = 2_000_000  # characters; more than any context holds
LOOK_SECONDS = 10.0
TURN_SECONDS = 600.0  # a turn of the user is waited for so long
GAVE_WAY_SECONDS = 3.0  # the page then waits by itself: for the end of the turn, and for quiet
QUIET_SECONDS = 30.0  # without a turn, before what had to give way is asked once more
NAME = N_("SillyTavern's connection")
NO_PAGE = N_(
    "SillyTavern's page is not open. Work continues once it is open in a browser on this computer."
)
FAULTS: dict[str, Callable[[], BackendError]] = {
    "gave_way": lambda: BackendAway(
        tr("Your message goes first. This request is sent again in a quiet moment."),
        retry_after_seconds=GAVE_WAY_SECONDS,
    ),
    "busy": lambda: BackendAway(
        tr("SillyTavern is still writing a reply. The request follows after that.")
    ),
    "asked": lambda: BackendAway(
        tr("SillyTavern's page is still busy with another request of Tavernkeep.")
    ),
    "cancelled": lambda: BackendAway(tr("The request was cancelled.")),
    "offline": lambda: BackendAway(
        tr("SillyTavern is not connected to a model. Connect it there, then work continues.")
    ),
    "slow": lambda: BackendUnreachable(
        tr("SillyTavern's connection took too long to answer."), advice=tr(LATER)
    ),
    "profile": lambda: BackendRefused(
        tr("SillyTavern has no connection profile with this name. Choose another.")
    ),
    "unsupported": lambda: BackendRefused(
        tr(
            "Only SillyTavern's own chat can use this kind of connection. Choose a chat or text "
            "completion there, or another model."
        )
    ),
}
STATUS = re.compile(r"\bstatus:? (\d{3})\b")
PHRASES = {status.phrase.casefold(): status.value for status in HTTPStatus if status.value >= 400}


class PageBackend:
    """The model that SillyTavern's chat uses, or that of one of its connection profiles.

    The page asks one request at a time, and begins none during a turn of the user. One that is
    under way when a turn begins goes on where the connection answers both at once; else it gives
    way, once: what is asked after that is asked in a quiet moment, and to its end. So nothing is
    asked for again and again. profile: "" for the connection in use.
    """

    def __init__(
        self,
        profile: str,
        page: PageLine | None,
        *,
        context_tokens: int | None = None,
        limits: Limits | None = None,
    ) -> None:
        self._spec = BackendSpec(SILLYTAVERN, profile)
        self._page = page
        self._wanted_context = context_tokens
        self._room = GenerationRoom(context_tokens or DEFAULT_CONTEXT, told=context_tokens)
        self._limits = limits or Limits()
        self._one_at_a_time = asyncio.Lock()
        self._gave_way = False

    @property
    def label(self) -> str:
        profile = self._spec.model
        return f"SillyTavern: {profile}" if profile else NAME

    @property
    def spec(self) -> str:
        return str(self._spec)

    @property
    def context_tokens(self) -> int:
        return self._room.context_tokens

    async def prepare(self) -> None:
        """Ask how long a prompt may be now: the user may have changed it there."""
        found = await self._ask("connection", {"profile": self._spec.model}, seconds=LOOK_SECONDS)
        told = found.get("context")
        if self._wanted_context is None and isinstance(told, int) and told >= 512:
            self._room.context = min(told, LARGEST_CONTEXT)
            self._room.told = told

    async def generate(
        self, request: Request, *, on_text: Callable[[str], None] | None = None
    ) -> Answer:
        """Answer the request; see Backend.generate."""
        if len(request.system) + len(request.prompt) > LONGEST_PROMPT:
            raise PromptTooLong(tr("The text is longer than any model can read at once."))
        try:
            answer = await self._answer(request, on_text)
        except PromptTooLong as error:
            # What may be generated counts into the context, too.
            if self._room.lower(request, str(error)):
                raise GenerationTooLong(str(error)) from error
            raise
        self._room.learn(answer)
        return answer

    async def aclose(self) -> None:
        """There is no connection of its own."""

    async def _answer(self, request: Request, on_text: Callable[[str], None] | None) -> Answer:
        allowed = self._room.allowed(request)
        collector = Collector(request, on_text, allowed)

        def hear(text: str, reasoning: str) -> None:
            if not collector.is_full:
                collector.add(text, reasoning)

        seconds = TURN_SECONDS + self._limits.total_seconds
        async with self._one_at_a_time:
            try:
                answer = await self._ask(
                    "ask_model", self._question(request, allowed), seconds=seconds, on_part=hear
                )
            except BackendAway as error:
                self._gave_way |= error.was_sent
                raise
            self._gave_way = False
        collector.is_cut = bool(answer.get("isCut"))
        if not collector.has_text:
            # A stream that breaks off inside SillyTavern ends like one that said nothing.
            raise BackendBusy(
                tr("SillyTavern's connection gave an empty answer."), advice=tr(LATER)
            )
        return collector.answer(can_be_longer=self._room.can_exceed(request, allowed))

    def _question(self, request: Request, allowed: int) -> dict[str, Any]:
        limits = self._limits
        return {
            "profile": self._spec.model,
            "system": request.system,
            "prompt": request.prompt,
            "tokens": allowed,
            "json": request.json,
            "characters": allowed * CHARACTERS_PER_TOKEN + SHORTEST_BOUND,
            "wait": round(TURN_SECONDS * 1000),
            "first": round(limits.first_seconds * 1000),
            "idle": round(limits.idle_seconds * 1000),
            "quiet": round(QUIET_SECONDS * 1000) if self._gave_way else 0,
            "persists": self._gave_way,
        }

    async def _ask(
        self,
        kind: str,
        params: dict[str, Any],
        *,
        seconds: float,
        on_part: Callable[[str, str], None] | None = None,
    ) -> dict[str, Any]:
        if self._page is None:
            raise BackendAway(tr(NO_PAGE))
        answer = await self._page.ask_page(kind, params, seconds=seconds, on_part=on_part)
        fault = answer.get("fault")
        if fault:
            error = page_fault(str(fault), str(answer.get("detail") or ""))
            error.was_sent = bool(answer.get("sent"))
            raise error
        return answer


def page_fault(fault: str, detail: str) -> BackendError:
    """Which error it is that a page tells of. detail: what SillyTavern said, never shown."""
    known = FAULTS.get(fault)
    if known is not None:
        return known()
    status = _status_of(detail)
    if TOO_LONG.search(detail) or status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
        return PromptTooLong(tr("The text is longer than SillyTavern's model can read at once."))
    if status is None:
        return BackendUnreachable(
            tr("SillyTavern's connection failed. SillyTavern's console says why."),
            advice=tr(LATER),
        )
    phrase = next((p for p, value in PHRASES.items() if value == status), "").title()
    told = f"({status} {phrase})" if phrase else f"({status})"
    if status in BUSY:
        return BackendBusy(
            tr(
                "SillyTavern's connection cannot answer right now {told}.",
                told=told,
            ),
            advice=tr(LATER),
        )
    return BackendRefused(
        tr(
            "SillyTavern's connection refused the request {told}. SillyTavern's console says why.",
            told=told,
        )
    )


def _status_of(detail: str) -> int | None:
    """SillyTavern hands on a status as a number or as its phrase, never both."""
    match = STATUS.search(detail)
    if match:
        return int(match[1])
    return PHRASES.get(detail.strip().casefold())
