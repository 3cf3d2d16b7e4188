"""Messages that the user keeps out of what memory reads. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

SETTING = "memory_left_out"
NOTHING: frozenset[str] = frozenset()


def left_out_of(settings: Mapping[str, Any]) -> frozenset[str]:
    """Anchors of the messages that memory does not read; settings: as they hold for the chat."""
    kept = str(settings[SETTING])
    return _parsed(kept) if kept else NOTHING


@lru_cache(maxsize=64)
def _parsed(kept: str) -> frozenset[str]:
    return frozenset(kept.split())


def stored(anchors: Iterable[str]) -> str:
    """The same as the setting keeps them."""
    return "\n".join(sorted(anchors))
