"""What a backend needs of the page of SillyTavern through which it asks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

OnPart = Callable[[str, str], None]


class PageLine(Protocol):
    """Asks whichever page of SillyTavern is open."""

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
