"""Token counts of messages: from memory, then the store, then the tokenizer, each text once."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import compress
from math import ceil
from operator import attrgetter, not_

from app.prompt.tokens import TokenCounter, estimate_tokens
from app.store.store import Store
from app.story.messages import Message

# A slice is counted in some tens of milliseconds: the tokenizer holds the interpreter meanwhile.
SLICE = 256
_HASH = attrgetter("content_hash")  # a long chat is gone through in C, at each new message


class TokenCountCache:
    """Knows the tokens of every message text by its content hash."""

    def __init__(self, store: Store, counter: TokenCounter) -> None:
        self.counter = counter
        self._factor = 1.0
        self._store = store
        self._counts: dict[str, int] | None = None
        self._lock = asyncio.Lock()

    def follow(self, counter: TokenCounter, factor: float) -> bool:
        """Count by another counter, and by a factor, from now on; false when nothing changes."""
        is_other = counter.encoding != self.counter.encoding
        if not is_other and factor == self._factor:
            return False
        self.counter, self._factor = counter, factor
        if is_other:
            self._counts = None
        return True

    async def quickly(self, messages: Sequence[Message]) -> tuple[tuple[int, ...], bool]:
        """Tokens of each message, and whether all of them are counted.

        What was never counted is, where that can be waited for; else it is guessed from its length.
        """
        counts = await self._loaded()
        found = list(map(counts.get, map(_HASH, messages)))
        is_counted = (missing := found.count(None)) <= SLICE
        if missing and is_counted:
            new = [message for message, known in zip(messages, found, strict=True) if known is None]
            await self.count(new)
            counts = await self._loaded()
        tokens = [known for known in found if known is not None]
        if missing:
            tokens = [
                counts.get(message.content_hash) or estimate_tokens(message.text)
                if known is None
                else known
                for known, message in zip(found, messages, strict=True)
            ]
        factor = self._factor
        scaled = tuple(tokens) if factor == 1.0 else tuple(ceil(n * factor) for n in tokens)
        return scaled, is_counted

    async def count(self, messages: Sequence[Message]) -> bool:
        """Count what was never counted, and remember it; true when there was any."""
        async with self._lock:
            counts = await self._loaded()
            is_missing = map(not_, map(counts.__contains__, map(_HASH, messages)))
            missing = {m.content_hash: m.text for m in compress(messages, is_missing)}
            if not missing:
                return False
            pending = list(missing.items())
            for first in range(0, len(pending), SLICE):
                part = pending[first : first + SLICE]
                counted = await asyncio.to_thread(self._count_slice, part)
                counts.update(counted)
                await self._save(counted)
            return True

    def _count_slice(self, part: Sequence[tuple[str, str]]) -> dict[str, int]:
        return {content_hash: self.counter.count(text) for content_hash, text in part}

    async def _save(self, counts: dict[str, int]) -> None:
        table, encoding = self._store.token_counts, self.counter.encoding
        await self._store.run(lambda: table.save(encoding, counts))

    async def _loaded(self) -> dict[str, int]:
        if self._counts is None:
            encoding = self.counter.encoding
            self._counts = await self._store.run(lambda: self._store.token_counts.load(encoding))
        return self._counts
