"""How large everything is drawn, kept where it can be read before there is a window."""

from __future__ import annotations

from pathlib import Path

from app.errors import StoreError
from app.translation import tr

NORMAL = 100
SCALES = (85, 100, 115, 130, 145, 160)  # percent
LONGEST = 8
NAME = "window-scale"


class ChosenScale:
    """Percent, one of SCALES. data: folder of our own files."""

    def __init__(self, data: Path) -> None:
        self._file = data / NAME

    def get(self) -> int:
        """What was chosen; NORMAL where nothing was, or it cannot be read."""
        try:
            with self._file.open(encoding="ascii") as file:
                text = file.read(LONGEST).strip()
        except (OSError, UnicodeDecodeError):
            return NORMAL
        scale = int(text) if text.isdecimal() else NORMAL
        return scale if scale in SCALES else NORMAL

    def put(self, scale: int) -> None:
        """Choose for the next start. Raises StoreError."""
        try:
            self._file.write_text(f"{scale}\n", encoding="ascii")
        except OSError as error:
            raise StoreError(
                tr("{file} cannot be written: {reason}.", file=self._file, reason=error.strerror)
            ) from error
