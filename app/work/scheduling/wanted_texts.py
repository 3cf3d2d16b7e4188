"""Longer texts that a page's slash commands ask for, and what it is told of when they are made."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

from app.core.errors import UsageError
from app.core.model_use import CAPPED
from app.core.operations import FINISHED, OFF, Operation, OperationKind
from app.core.translation import N_, speaking, tr
from app.views.queued_work import reading_sentence
from app.work.chats.open_chat import OpenChat
from app.work.chats.open_chats import OpenChats
from app.work.queue.outcomes import GIVEN_UP
from app.work.scheduling.orders import PAUSED
from app.work.scheduling.text_requests import MEMORY, TextRequests, text_request
from app.work.scheduling.work_to_do import WorkToDo

IN_PARTS = N_(
    "One request gets to about #{reaches}, and is made next. Say it again to go on to #{last}."
)
ALL_READ = N_("This chat is read for its memory up to its last message.")
ADDS_NOTHING = N_("This chat is read-only: nothing is read for its memory until you end that.")


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
        the page. What could not be read before is tried again. Of reading it always says
        what comes of it.
        """
        if self._is_reading_only():
            raise UsageError(tr("Tavernkeep is now view-only."))
        chat = self._chats.required(path)
        if chat.is_off:
            raise UsageError(tr(OFF))
        reaches, last = None, 0
        if name == MEMORY:
            await self._read(path, chat)
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
            if name == MEMORY:
                return tr(ADDS_NOTHING) if chat.pause else self._how_it_is_read(chat.chat_id)
            return "" if reaches is None else tr(IN_PARTS, reaches=reaches, last=last)

    async def _read(self, path: Path, chat: OpenChat) -> None:
        """Who asks for it in words wants that read, too, which failed or was cancelled before."""
        read = chat.reading_state.extracted
        unread = {m.anchor for m in chat.story.messages if (m.anchor, m.content_hash) not in read}
        for operation in self._readings(chat.chat_id) if chat.pause is None else ():
            is_left = not unread.isdisjoint(operation.spec.params["anchors"])
            if operation.status in GIVEN_UP and is_left:
                await self._work.retry(operation.id)
        await self._read_now(path)

    def _how_it_is_read(self, chat_id: int) -> str:
        left = (op for op in self._readings(chat_id) if op.status not in FINISHED)
        ahead = next(left, None)
        return tr(ALL_READ) if ahead is None else reading_sentence(ahead)

    def _readings(self, chat_id: int) -> list[Operation]:
        """Of a chat, in the order of the queue."""
        kind = OperationKind.MEMORY_PASS
        every = self._work.operations
        return [op for op in every if op.spec.chat == chat_id and op.spec.kind is kind]
