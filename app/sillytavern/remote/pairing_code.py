"""The code that joins a page of another machine's SillyTavern with this program."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass

from app.core.errors import BridgeError
from app.core.translation import tr

LIFETIME_SECONDS = 300.0
MOST_TRIES = 5
_SIGNS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"  # none that looks like another
_LENGTH = 6


@dataclass(frozen=True, slots=True)
class ShownCode:
    """A code that may be typed in now. text: as the user reads it. until: in `clock`'s seconds.

    tries: that are left.
    """

    text: str
    until: float
    tries: int


class PairingCode:
    """At most one code at a time: for five minutes, one page and five wrong tries.

    clock: seconds that only go forward.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._shown: ShownCode | None = None

    @property
    def shown(self) -> ShownCode | None:
        """The code that holds now, None for none."""
        if self._shown is not None and self._clock() >= self._shown.until:
            self._shown = None
        return self._shown

    def show(self) -> ShownCode:
        """Make a new code; one that was shown before is void."""
        signs = "".join(secrets.choice(_SIGNS) for _ in range(_LENGTH))
        text = f"{signs[:3]}-{signs[3:]}"
        self._shown = ShownCode(text, self._clock() + LIFETIME_SECONDS, MOST_TRIES)
        return self._shown

    def withdraw(self) -> None:
        """No code holds any more."""
        self._shown = None

    def use(self, typed: str) -> None:
        """Take the code that a page brings; then it holds no more. Raises BridgeError."""
        shown = self.shown
        if shown is None:
            raise BridgeError(
                tr("Tavernkeep is not showing a code right now. Let it show one first.")
            )
        if secrets.compare_digest(_plain(typed), _plain(shown.text)):
            self._shown = None
            return
        left = shown.tries - 1
        self._shown = ShownCode(shown.text, shown.until, left) if left else None
        if not left:
            raise BridgeError(tr("The code was wrong too often. Let Tavernkeep show a new one."))
        raise BridgeError(tr("This is not the code that Tavernkeep shows."))


def _plain(code: str) -> bytes:
    return "".join(code.split()).replace("-", "").upper().encode("utf-8", "replace")
