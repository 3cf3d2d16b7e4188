"""How the messages of open chats reach their next prompt, by its slots and by the newest prompt
that SillyTavern sent."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, MutableMapping
from dataclasses import dataclass, replace
from pathlib import Path
from weakref import WeakKeyDictionary

from app.memory.records import DocumentKind
from app.prompt.reach import Reached, Sent, reached, sent_of
from app.prompt.turns import SentTurn, Share, missing_slots, pieces_of
from app.settings.recaps import RecapSettings
from app.store.store import Store
from app.story.messages import Message
from app.work.chats.open_chat import OpenChat
from app.work.chats.open_chats import OpenChats
from app.work.prompts.next_prompts import NextPrompts


@dataclass(frozen=True, slots=True)
class _Seen:
    """What the newest prompt showed, as `Sent`. number: of its turn. first, last: anchors."""

    number: int
    first: str = ""
    last: str = ""
    dropped: frozenset[str] = frozenset()
    slots: int | None = None


class Reaching:
    """Looks at each prompt that was sent once, and at what is remembered when it is asked."""

    def __init__(
        self,
        store: Store,
        chats: OpenChats,
        prompts: NextPrompts,
        card_tokens: Callable[[OpenChat, str], int],
    ) -> None:
        self._store = store
        self._chats = chats
        self._prompts = prompts
        # Of who answers, where no prompt has shown what stands around the chat.
        self._card_tokens = card_tokens
        self._seen: MutableMapping[OpenChat, _Seen] = WeakKeyDictionary()

    async def of(self, path: Path) -> Reached:
        """How each message of an open chat reaches its prompt. Raises UsageError, StoreError."""
        slots = await self._prompts.expected(path)
        chat = self._chats.required(path)
        sent = await self.newest(chat)
        context = chat.context_tokens or RecapSettings(chat.prompt_settings()).context_tokens
        fixed = max(chat.fixed_tokens.values(), default=0)
        if not fixed:
            one = chat.chat.speakers[0] if len(chat.chat.speakers) == 1 else ""
            who = slots.responder or one
            fixed = await asyncio.to_thread(self._card_tokens, chat, who)
        shown = {memory for content in slots.contents for memory in content.shown}
        until = [d.until for d in chat.remembered.documents if d.kind is DocumentKind.SUMMARY]
        found = await asyncio.to_thread(
            reached,
            chat.story,
            slots,
            cited={
                memory.id: [s.anchor for s in memory.sources if s.chat == chat.chat_id]
                for memory in chat.memories
                if memory.id in shown
            },
            room=context - fixed - slots.total_tokens,
            sent=sent,
            summary_until=until[-1] if until else "",
        )
        return replace(found, was_sent=chat in self._seen)

    async def newest(self, chat: OpenChat) -> Sent | None:
        """What the newest prompt of a chat held, as the messages stand now."""
        number = await self._store.run(lambda: self._store.turns.newest_with_prompt(chat.chat_id))
        seen = self._seen.get(chat)
        if number is None:
            return None
        if seen is None or seen.number != number:
            turn = await self._store.run(lambda: self._store.turns.whole(number))
            seen = await asyncio.to_thread(_seen_in, number, turn, chat.story.messages)
            self._seen[chat] = seen
        first, last = chat.index_of(seen.first), chat.index_of(seen.last)
        return (
            None if first is None or last is None else Sent(first, last, seen.dropped, seen.slots)
        )


def _seen_in(number: int, turn: SentTurn | None, messages: tuple[Message, ...]) -> _Seen:
    if turn is None:
        return _Seen(number)
    pieces = pieces_of(turn)
    text = "\n".join(piece.text for piece in pieces if piece.share is not Share.SLOT)
    missing = missing_slots(turn, pieces)
    sent = sent_of(messages, text, (slot.key for slot in missing))
    if sent is None:
        return _Seen(number)
    # One without slots tells nothing of what the chat gets beside them.
    slots = turn.total_tokens - sum(slot.tokens for slot in missing) or None
    first, last = messages[sent.first].anchor, messages[sent.last].anchor
    return _Seen(number, first, last, sent.dropped, slots)
