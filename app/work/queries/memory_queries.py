"""Answers what open chats remember: memories, who knows what, and who tells too much."""

from __future__ import annotations

from collections.abc import MutableMapping, Sequence
from pathlib import Path
from weakref import WeakKeyDictionary

from app.memory.epistemic.leaks import Leak
from app.memory.epistemic.word_counts import WordCounts
from app.story.scene_cues.language import LanguagePack
from app.views.memory_view import EpistemicView, MemoryView
from app.work.chats.open_chat import OpenChat
from app.work.chats.open_chats import OpenChats
from app.work.queries.epistemic_view import epistemic_view_of
from app.work.queries.leak_check import VectorsOf, leaks_in
from app.work.queries.memory_view import memory_view


class MemoryQueries:
    """The memory of open chats. Each call raises UsageError when the chat is not open.

    vectors_of: texts by meaning, none where there is no embedding model.
    """

    def __init__(
        self, chats: OpenChats, packs: Sequence[LanguagePack], vectors_of: VectorsOf
    ) -> None:
        self._vectors_of = vectors_of
        self._chats = chats
        self._packs = packs
        self._counts: MutableMapping[OpenChat, WordCounts] = WeakKeyDictionary()

    def view(self, path: Path, *, until: int | None = None, at: int | None = None) -> MemoryView:
        """What a chat remembers, as it stands at message `at`, the last one by default."""
        return memory_view(self._chats.required(path, until), at)

    async def leaks(self, path: Path, message: int) -> tuple[Leak, ...]:
        """What somebody says in a message and cannot know, and what keepers tell."""
        view, counts = self.view(path), self._counts_of(path)
        return await leaks_in(view, self._packs, message, counts, self._vectors_of)

    def minds(self, path: Path) -> EpistemicView:
        """Who knows what, to be asked for any message. May take a while: call it outside the
        loop's thread.
        """
        return epistemic_view_of(self.view(path), self._packs, self._counts_of(path))

    def _counts_of(self, path: Path) -> WordCounts:
        return self._counts.setdefault(self._chats.required(path), WordCounts())

    async def read_now(self, path: Path) -> None:
        """Read a chat for its memory up to its last message, without waiting for more."""
        chat = self._chats.required(path)
        chat.want_reading()
        await self._chats.plan(chat)
