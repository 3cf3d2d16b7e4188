"""One program at a time does the work in a data folder; the system lets go when it dies."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

from app.core.errors import StoreError, reason_of
from app.core.translation import tr

# Windows locks are mandatory: a byte far behind the text leaves that readable for others.
_LOCKED_BYTE = 1 << 30
ENDING = "ending"  # kind of a program that stays no longer


class FolderLock:
    """Held by whoever works off the queue. kind: "program" stays, "command" ends by itself, and a
    program that stays no longer is ENDING.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / "in-use"
        self._descriptor: int | None = None

    @property
    def is_held(self) -> bool:
        """Whether this program holds it."""
        return self._descriptor is not None

    def acquire(self, kind: str) -> bool:
        """Take the lock; false when another program has it. Raises StoreError."""
        try:
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise StoreError(
                tr(
                    "Tavernkeep cannot write into {parent}: {reason}. Make the folder writable "
                    "again; then all is there as before. Or choose another folder with "
                    "--data-dir, which begins without what is kept here.",
                    parent=self._path.parent,
                    reason=reason_of(error),
                )
            ) from error
        if not _lock(descriptor):
            os.close(descriptor)
            return False
        self._descriptor = descriptor
        self._write(kind)
        return True

    def say_ending(self, _news: None = None) -> None:
        """Say to whoever wants the folder that it is free soon."""
        self._write(ENDING)

    def _write(self, kind: str) -> None:
        if self._descriptor is None:
            return
        with contextlib.suppress(OSError):  # on a full disk others only learn less of us
            os.lseek(self._descriptor, 0, os.SEEK_SET)
            os.ftruncate(self._descriptor, 0)
            os.write(self._descriptor, kind.encode())

    def holder(self) -> str:
        """What kind of program has it, "" when that cannot be read."""
        try:
            return self._path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            return ""

    def release(self) -> None:
        """Let it go."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            with contextlib.suppress(OSError):
                os.ftruncate(descriptor, 0)
            os.close(descriptor)


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> bool:
        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        os.lseek(descriptor, 0, os.SEEK_SET)
        return True

else:
    import fcntl

    def _lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True
