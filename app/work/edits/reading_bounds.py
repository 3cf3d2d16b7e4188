"""Keeps messages out of what memory reads, and lets it read them again; each a step for undo."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Container, Sequence
from pathlib import Path

from app.core.errors import UsageError
from app.core.translation import N_, tr
from app.memory.reading.left_out import SETTING, left_out_of, stored
from app.settings.values import Settings
from app.store.store import Store
from app.work.chats.open_chat import OpenChat
from app.work.chats.open_chats import OpenChats
from app.work.edits.memory_commands import BUSY


class ReadingBounds:
    """`path` is that of an open chat, else UsageError, as where another program owns the data."""

    def __init__(
        self,
        store: Store,
        chats: OpenChats,
        settings: Settings,
        changed: Callable[[], Awaitable[None]],
        is_reading_only: Callable[[], bool],
    ) -> None:
        self._store = store
        self._chats = chats
        self._settings = settings
        self._changed = changed
        self._is_reading_only = is_reading_only

    def left_out(self, path: Path) -> frozenset[str]:
        """Anchors of the messages that memory does not read."""
        return left_out_of(self._chats.required(path).settings())

    async def toggle(self, path: Path, anchors: Sequence[str]) -> int:
        """Leave these messages out of what memory reads; where all of them are, read them again.

        What is remembered of them by then stays: the answer is how many memories that holds of,
        0 where they are read again.
        """
        if self._is_reading_only():
            raise UsageError(tr(BUSY))
        chat = self._chats.required(path)
        there = {
            anchor: index for anchor in anchors if (index := chat.index_of(anchor)) is not None
        }
        if not there:
            return 0
        before = self.left_out(path)
        reads = before.issuperset(there)
        after = before - there.keys() if reads else before | there.keys()
        chat_id, journal = chat.chat_id, self._store.undo
        with self._settings.as_before_on_error(SETTING, chat_id=chat_id):
            value = stored(after)
            key = self._settings.put(SETTING, value, chat_id=chat_id)

            def unit() -> None:
                self._store.settings.save(*key, value)

            label = _label(sorted(there.values()), reads=reads)
            await self._store.run(lambda: journal.record_if_any(chat_id, label, unit))
        await self._changed()
        return 0 if reads else _resting_on(chat, there)


def _resting_on(chat: OpenChat, anchors: Container[str]) -> int:
    """How many memories that hold come from one of these messages."""
    return sum(
        standing.is_active and any(source.anchor in anchors for source in standing.memory.sources)
        for standing in chat.standings()
    )


def _label(indexes: Sequence[int], *, reads: bool) -> str:
    if len(indexes) == 1:
        text = N_("memory reads #{n} again") if reads else N_("memory leaves out #{n}")
        return text.format(n=indexes[0])
    many = N_("memory reads {n} messages again") if reads else N_("memory leaves out {n} messages")
    return many.format(n=len(indexes))
