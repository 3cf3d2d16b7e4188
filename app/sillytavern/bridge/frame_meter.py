"""How much a page may say that nobody asked it for."""

from __future__ import annotations

from collections.abc import Callable

FRAMES, FRAMES_PER_SECOND = 2_000.0, 100.0
BYTES, BYTES_PER_SECOND = 32.0 * 1024 * 1024, 2.0 * 1024 * 1024
NONSENSE_FRAMES = 100  # that one counts for which makes no sense


class FrameMeter:
    """Two vessels that fill again with time. clock: seconds that only go forward."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._at = clock()
        self._frames, self._bytes = FRAMES, BYTES

    def takes(self, size: int, *, is_nonsense: bool = False) -> bool:
        """Count one frame of `size` bytes; False when the page has said too much."""
        now = self._clock()
        seconds, self._at = now - self._at, now
        self._frames = min(FRAMES, self._frames + seconds * FRAMES_PER_SECOND)
        self._bytes = min(BYTES, self._bytes + seconds * BYTES_PER_SECOND)
        self._frames -= NONSENSE_FRAMES if is_nonsense else 1
        self._bytes -= size
        return self._frames >= 0 and self._bytes >= 0
