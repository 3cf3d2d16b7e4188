"""What a backend needs of the page of SillyTavern through which it asks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Protocol

OnPart = Callable[[str, str], None]

_told: ContextVar[Path | None] = ContextVar("user folder of the story that is told", default=None)


@contextmanager
def telling_of(user_folder: Path | None) -> Iterator[None]:
    """Whose story the pages hear of meanwhile, in this task and in those that it begins: a story
    goes to no page of another user or another SillyTavern.
    """
    before = _told.set(user_folder)
    try:
        yield
    finally:
        _told.reset(before)


def told_of() -> Path | None:
    """The user folder of the tavern whose story is told now, None for no tavern's."""
    return _told.get()


class PageLine(Protocol):
    """Asks the page of SillyTavern that may hear it; see telling_of."""

    async def ask_page(
        self,
        kind: str,
        params: dict[str, Any],
        *,
        seconds: float,
        on_part: OnPart | None = None,
    ) -> dict[str, Any]:
        """What the page answers. on_part: hears pieces of text and of reasoning before.

        Cancelling the task lets the page stop. Raises BackendAway when no page is open, it went
        away or cannot do this, or took longer than `seconds`.
        """
