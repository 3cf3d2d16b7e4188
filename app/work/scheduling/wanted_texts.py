"""Longer texts that a page's slash commands ask for, and what it is told of when they are made."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

from app.core.errors import UsageError
from app.core.model_use import CAPPED
from app.core.operations import FINISHED, OFF
from app.core.translation import N_, speaking, tr
from app.work.chats.open_chats import OpenChats
from app.work.scheduling.orders import PAUSED
from app.work.scheduling.text_requests import MEMORY, TextRequests, text_request
from app.work.scheduling.work_to_do import WorkToDo

IN_PARTS = N_(
    "One request gets to about #{reaches}, and is made next. Say it again to go on to #{last}."
)


class WantedTexts:
    """read_now: has all of a chat read for memory. is_reading_only: another program works here."""

    # 5 parameters: wiring.py alone makes it.
    def __init__(
        self,
        chats: OpenChats,
        texts: TextRequests,
        read_now: Callable[[Path], Awaitable[None]],
        work: WorkToDo,
        is_reading_only: Callable[[], bool],
    ) -> None:
        self._chats = chats
        self._texts = texts
        self._read_now = read_now
        self._work = work
        self._is_reading_only = is_reading_only

    async def ask(self, path: Path, name: str, language: str = "") -> str:
        """Have a longer text written, or all read for memory; gives what keeps it from being next,
        or how far one request gets, "" for neither. name: of a TextRequest, or MEMORY. language: of
        the page.
        """
        if self._is_reading_only():
            raise UsageError(tr("Tavernkeep is now view-only."))
        chat = self._chats.required(path)
        if chat.is_off:
            raise UsageError(tr(OFF))
        reaches, last = None, 0
        if name == MEMORY:
            await self._read_now(path)
        else:
            request = text_request(name)
            offer = next(one for one in self._texts.offers(path) if one.request is request)
            reaches, last = offer.reaches, offer.last
            await self._texts.ask(path, request)
        ours = {op.id for op in self._work.operations if op.spec.chat == chat.chat_id}
        is_capped = any(op.id in ours for op in self._work.held_back)
        with speaking(language):
            if is_capped:
                return tr(CAPPED)
            is_left = any(
                op.id in ours and op.status not in FINISHED for op in self._work.operations
            )
            if self._work.is_paused and is_left:
                return tr(PAUSED)
            return "" if reaches is None else tr(IN_PARTS, reaches=reaches, last=last)
