"""One short value in a file of its own, for what is needed before the database is there."""

from __future__ import annotations

from pathlib import Path

from app.core.errors import StoreError, reason_of
from app.core.translation import tr

LONGEST = 64  # characters of a file that are looked at


class ValueFile:
    """A file in the data folder that holds one word or number; what is not there reads as ""."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> str:
        """The value without white space around it; "" where there is none to be read."""
        try:
            with self._path.open(encoding="utf-8") as file:
                return file.read(LONGEST).strip()
        except (OSError, UnicodeDecodeError):
            return ""

    def number(self) -> int:
        """The value where it is a whole number of at most eight digits, else 0."""
        text = self.read()
        return int(text) if text.isdecimal() and len(text) < 9 else 0

    def write(self, value: object) -> None:
        """Put another value in its place. Raises StoreError."""
        try:
            self._path.write_text(f"{value}\n", encoding="utf-8")
        except OSError as error:
            raise StoreError(
                tr("{file} cannot be written: {reason}.", file=self._path, reason=reason_of(error))
            ) from error

    def remove(self) -> None:
        """Hold no value. Raises StoreError."""
        try:
            self._path.unlink(missing_ok=True)
        except OSError as error:
            raise StoreError(
                tr("{file} cannot be written: {reason}.", file=self._path, reason=reason_of(error))
            ) from error
