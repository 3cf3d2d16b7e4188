"""Notes in the data folder that a start is under way, so that the next one learns of a crash."""

from __future__ import annotations

import contextlib
from pathlib import Path

from app.core.errors import StoreError
from app.core.value_file import ValueFile

CRASHES = 2  # in a row, after which safe mode is offered


class StartMark:
    """A file that holds how many starts in a row did not get through.

    It is written when a start begins and removed when the program has run for a while or ended by
    itself; a disk that cannot be written only means that no crash is noticed.
    """

    def __init__(self, folder: Path) -> None:
        self._file = ValueFile(folder / "starting")

    def begin(self) -> None:
        """Note a start."""
        with contextlib.suppress(StoreError):
            self._file.write(self.crashes + 1)

    def got_through(self) -> None:
        """This start was no crash."""
        with contextlib.suppress(StoreError):
            self._file.remove()

    @property
    def crashes(self) -> int:
        """How many starts in a row, up to now, did not get through."""
        return self._file.number()
