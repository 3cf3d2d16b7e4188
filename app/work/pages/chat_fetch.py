"""Asks a page for its open chat and who is in it, and writes the copy when all is there."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from app.core.errors import BridgeError, CopyRefused
from app.core.translation import tr
from app.sillytavern.bridge.bridge_protocol import ChatIdentity
from app.sillytavern.remote.chat_draft import Batch, ChatDraft, encoded_lines
from app.sillytavern.remote.copy_folder import CopyFolder
from app.sillytavern.remote.page_answers import (
    ChatLines,
    ChatState,
    LineMark,
    PageCompany,
    PageMember,
    read_answer,
)

MOST_TRIES = 5  # of a chat that changes all the while

# A question to one page: (kind, parameters) -> its answer. Raises BridgeError.
Ask = Callable[[str, dict[str, Any]], Awaitable[dict[str, Any]]]


class PageBusy(BridgeError):
    """A reply is being written: the chat is not as it will be saved."""


def is_busy(error: BridgeError) -> bool:
    """Whether the page only has to be asked a little later."""
    return isinstance(error, PageBusy)


class ChatFetch:
    """One bringing up to date. Raises BridgeError where the page does not answer, shows another
    chat or is busy, CopyRefused where it lies; then the copy is as it was.
    """

    def __init__(self, ask: Ask, folder: CopyFolder, chat: ChatIdentity) -> None:
        self._ask = ask
        self._folder = folder
        self._chat = chat
        self._named = {"chat": msgspec.to_builtins(chat)}

    async def company(self) -> None:
        """Bring the cards of those who are in the chat, and its group."""
        company = read_answer(PageCompany, await self._ask("copy_company", self._named))
        self._check(company.chat)
        if (company.group is None) != (self._chat.kind == "solo"):
            raise CopyRefused(tr("The page named characters who are not in its chat."))
        for avatar in dict.fromkeys(company.members):
            asked = self._named | {"avatar": avatar}
            member = read_answer(PageMember, await self._ask("copy_member", asked))
            if member.avatar != avatar:
                raise CopyRefused(tr("The page named characters who are not in its chat."))
            await asyncio.to_thread(self._folder.write_card, member)
        if company.group is not None:
            if company.group.id != self._chat.group:
                raise CopyRefused(tr("The page named characters who are not in its chat."))
            await asyncio.to_thread(self._folder.write_group, company.group, self._chat.chat)

    async def chat(self) -> None:
        """Bring the messages: those that are new, or all where nothing is known of them."""
        have = await asyncio.to_thread(self._folder.chat, self._chat)
        for _ in range(MOST_TRIES):
            header, marks = await self._marks()
            draft = await asyncio.to_thread(ChatDraft, header, marks, have)
            if await self._fill(draft):
                copied = draft.done()
                if copied != have:
                    await asyncio.to_thread(self._folder.write_chat, self._chat, copied)
                return
            have = draft.partly()  # what was brought need not come again
        raise CopyRefused(tr("The page sent different messages than it announced."))

    async def _marks(self) -> tuple[LineMark, list[LineMark]]:
        """What the page has, line by line."""
        marks: list[LineMark] = []
        while True:
            asked = self._named | {"first": len(marks)}
            state = read_answer(ChatState, await self._ask("copy_state", asked))
            self._check(state.chat)
            if state.is_busy:
                raise PageBusy(tr("SillyTavern's page is writing a reply right now."))
            marks += state.marks
            is_done = len(marks) == state.length
            if state.first + len(state.marks) != len(marks) or (not state.marks and not is_done):
                raise CopyRefused(tr("The page described its chat in a form that makes no sense."))
            if len(marks) > state.length:
                raise CopyRefused(tr("The page announced more messages than it has."))
            if is_done:
                return state.header, marks

    async def _fill(self, draft: ChatDraft) -> bool:
        """Ask for what is missing. False when the chat changed meanwhile."""
        for batch in tuple(draft.batches()):
            lines = [await self._long_line(batch)] if not batch.is_whole else None
            if lines is None:
                asked = self._named | {"first": batch.first, "count": batch.count}
                answer = read_answer(ChatLines, await self._ask("copy_lines", asked))
                self._check(answer.chat)
                lines = encoded_lines(answer.lines)
            if not await asyncio.to_thread(draft.take, batch, lines):
                return False
        return True

    async def _long_line(self, batch: Batch) -> bytes:
        """A line that comes in pieces; never more of it than the page had told of."""
        parts: list[bytes] = []
        size = units = 0
        while size < batch.bytes:
            asked = self._named | {"index": batch.first, "offset": units}
            answer = read_answer(ChatLines, await self._ask("copy_piece", asked))
            self._check(answer.chat)
            (part,) = encoded_lines(answer.lines[:1]) or [b""]
            if not part:
                break
            parts.append(part)
            size += len(part)
            units += len(answer.lines[0].encode("utf-16-le")) // 2
        return b"".join(parts)[: batch.bytes + 1]

    def _check(self, chat: ChatIdentity) -> None:
        if chat != self._chat:
            raise CopyRefused(tr("The page sent a different chat than requested."))
