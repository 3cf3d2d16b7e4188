"""How many tokens a text takes: the counter everybody asks, and the estimate without one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from app.story.messages import digest

CACHED_TEXTS = 200_000
LONG_TEXT = 400  # a shorter text is its own key, a longer one is known by its digest


class TokenCounter(Protocol):
    """Counts tokens as one tokenizer does; thread-safe.

    is_exact: false for an estimate, which has to be shown as one ("about 400").
    """

    @property
    def encoding(self) -> str:
        """Name under which counts may be cached: cl100k_base, o200k_base, estimate."""

    @property
    def is_exact(self) -> bool: ...

    def count(self, text: str) -> int:
        """Tokens of `text`, 0 for the empty one. Any text is allowed, lone surrogates too."""


def estimate_tokens(text: str) -> int:
    """Tokens, guessed from the length: a quarter of the bytes, and no less than a third of letters
    outside of ASCII, which tokenizers cut finer. Off by up to a third; never 0 for a text.
    """
    if not text:
        return 0
    raw_length = len(text.encode("utf-8", "surrogatepass"))
    return max(1, (raw_length + 3) // 4)


class EstimatingCounter:
    """The counter for when no tokenizer is there."""

    encoding = "estimate"
    is_exact = False

    def count(self, text: str) -> int:
        return estimate_tokens(text)


class CachingCounter:
    """Counts each text once, by its content hash (design.md, decision 8)."""

    def __init__(
        self, count: Callable[[str], int], *, encoding: str, is_exact: bool = True
    ) -> None:
        self._count = count
        self._counts: dict[str, int] = {}
        self.encoding = encoding
        self.is_exact = is_exact

    def count(self, text: str) -> int:
        """Tokens of `text`."""
        if not text:
            return 0
        key = text if len(text) < LONG_TEXT else digest(text)
        known = self._counts.get(key)
        if known is not None:
            return known
        count = self._count(text)
        if len(self._counts) >= CACHED_TEXTS:
            self._counts.clear()
        self._counts[key] = count
        return count
