"""What the user does to budgets: tries them, and sets them so that it can be taken back by name."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from app.core.errors import UsageError
from app.core.translation import tr
from app.prompt.reach import Sent
from app.prompt.tokens import TokenCounter
from app.settings.recaps import RecapSettings
from app.settings.values import REGISTRY, Settings
from app.sillytavern.card import CardReader
from app.store.store import Store
from app.story.inclusion_preview import InclusionPreview
from app.views.budget_preview import BudgetPreview, Need
from app.work.chats.card_texts import card_path
from app.work.chats.open_chat import OpenChat
from app.work.chats.open_chats import OpenChats
from app.work.edits.memory_commands import BUSY
from app.work.prompts.budget_history import TURNS_LOOKED_BACK, BudgetHistory
from app.work.prompts.prompting import Prompting


class Budgeting:
    """Tries and sets the budgets of open chats; `path` is always that of an open chat.

    Raises UsageError for a chat that is not open, for values that make no sense, and where another
    program owns the data folder; then nothing is changed.
    """

    # 8 parameters: wiring.py alone makes it.
    def __init__(
        self,
        store: Store,
        chats: OpenChats,
        settings: Settings,
        prompting: Prompting,
        counter: TokenCounter,
        follow: Callable[[], Awaitable[None]],
        is_reading_only: Callable[[], bool],
        sent: Callable[[OpenChat], Awaitable[Sent | None]],
    ) -> None:
        """sent: what the newest prompt of a chat held of it."""
        self._store = store
        self._chats = chats
        self._settings = settings
        self._prompting = prompting
        self._counter = counter
        self._follow = follow
        self._is_reading_only = is_reading_only
        self._cards = CardReader()
        self._history = BudgetHistory(prompting)
        self._sent = sent

    @property
    def counter_name(self) -> str:
        """What tokens are counted with; "estimate" where nothing can count them."""
        return self._counter.encoding if self._counter.is_exact else "estimate"

    async def preview(self, path: Path, responder: str = "") -> BudgetPreview:
        """The next prompt of a chat, to be tried under any budgets. responder: of a group, "" for
        who spoke last.
        """
        chat = self._chats.required(path)
        self._prompting.finders.index(chat)  # begins to be made here, and in no worker thread
        sent = await self._sent(chat)
        return await asyncio.to_thread(self._previewed, chat, sent, responder)

    def _previewed(self, chat: OpenChat, sent: Sent | None, responder: str) -> BudgetPreview:
        said, settings = chat.context_tokens, chat.prompt_settings()
        prepared = self._prompting.prepared(chat, self._prompting.expected_turn(chat, responder))
        preview = BudgetPreview(
            prepared,
            InclusionPreview(
                chat.story,
                self._counter.count,
                with_prefill=RecapSettings(settings).message_recap_prefill_shown,
                skip_oversized=RecapSettings(settings).inclusion_skip_oversized,
            ),
            settings,
            said or RecapSettings(settings).context_tokens,
            said is not None,
            max(chat.fixed_tokens.values(), default=0)
            or self.card_tokens(chat, prepared.occasion.responder),
            sent,
        )
        preview.under()  # what can be made once is made here, and not at the first step
        return preview

    def card_tokens(self, chat: OpenChat, responder: str) -> int:
        """Of the card of who answers; reads its file."""
        path = card_path(chat.story, responder)
        if path is None:
            return 0
        card = self._cards.card(path)
        parts = (card.description, card.personality, card.scenario, card.mes_example)
        return sum(self._counter.count(part) for part in parts)

    async def needs(
        self, path: Path, turns: int = TURNS_LOOKED_BACK, *, responder: str = ""
    ) -> tuple[Need, ...]:
        """What slots would have taken in full at the last replies, oldest first. responder: as
        in `preview`.
        """
        return await self._history.of(self._chats.required(path), turns, responder)

    async def put(self, path: Path, changes: Mapping[str, Any], label: str) -> None:
        """Set several settings of a chat in one step; `StoryEdits.undo` takes it back.

        changes: None lets what holds for all chats hold again.
        """
        if self._is_reading_only():
            raise UsageError(tr(BUSY))
        chat = self._chats.required(path)
        values = {
            name: value if value is None else REGISTRY[name].checked(value)
            for name, value in changes.items()
        }
        scope, table = ("chat", str(chat.chat_id)), self._store.settings

        def unit() -> None:
            for name, value in values.items():
                if value is None:
                    table.reset(*scope, name)
                else:
                    table.save(*scope, name, value)

        journal = self._store.undo
        await self._store.run(lambda: journal.record_if_any(chat.chat_id, label, unit))
        await self.take_in(chat)

    async def take_in(self, chat: OpenChat) -> None:
        """Work by what the store holds for a chat now, where that is something else."""
        kept = await self._store.run(lambda: self._store.settings.of_chat(chat.chat_id))
        if self._settings.replace_chat(chat.chat_id, kept):
            await self._follow()
