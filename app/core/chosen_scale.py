"""How large everything is drawn, kept where it can be read before there is a window."""

from __future__ import annotations

from pathlib import Path

from app.core.value_file import ValueFile

NORMAL = 100
SCALES = (85, 100, 115, 130, 145, 160)  # percent
NAME = "window-scale"


class ChosenScale:
    """Percent, one of SCALES. data: folder of our own files."""

    def __init__(self, data: Path) -> None:
        self._file = ValueFile(data / NAME)

    def get(self) -> int:
        """What was chosen; NORMAL where nothing was, or it cannot be read."""
        scale = self._file.number()
        return scale if scale in SCALES else NORMAL

    def put(self, scale: int) -> None:
        """Choose for the next start. Raises StoreError."""
        self._file.write(scale)
