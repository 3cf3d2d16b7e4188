"""What stands in for the database while its disk is full: a copy in memory, written back later."""

from __future__ import annotations

import contextlib
import logging
import shutil
import sqlite3
from pathlib import Path

import peewee

from app.store.database.written import Written

log = logging.getLogger(__name__)

# A disk that is as good as full also fails in other ways than to say so.
_SMALLEST_ROOM = 256 * 1024
# Beside the pages themselves: their numbers in the log that they go through.
_ROOM_BESIDE = 1024 * 1024


def is_out_of_room(error: BaseException | None, path: Path) -> bool:
    """Whether a failure of SQLite's, or one before it, says that a database's disk is full."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        code = int(getattr(error, "sqlite_errorcode", 0)) & 0xFF
        if code == sqlite3.SQLITE_FULL:
            return True
        if code in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN) and _room(path) < _SMALLEST_ROOM:
            return True
        error = error.__cause__ or error.__context__
    return False


def _room(path: Path) -> int:
    try:
        return shutil.disk_usage(path.parent).free
    except OSError:
        return _SMALLEST_ROOM


class UnwrittenMark:
    """An empty file beside the database while something is kept in memory only.

    It takes no room itself; one that the next start finds says that all that was lost, and since
    when: the file is as old as that.
    """

    def __init__(self, path: Path) -> None:
        self._file = path.with_name(f"{path.name}.unwritten")

    def put(self) -> None:
        """From now on something is kept in memory only."""
        try:
            self._file.touch()
        except OSError as error:
            log.warning("A loss could not be told at the next start: %s", type(error).__name__)

    def take(self) -> float:
        """Since when it stands there, in seconds since the epoch, 0.0 for not at all; it goes."""
        since = 0.0
        with contextlib.suppress(OSError):
            since = self._file.stat().st_mtime
            self._file.unlink()
        return since


class MemoryCopy:
    """All that a database holds, in memory; its connection works in place of the file's.

    On the database's thread only. Raises sqlite3.Error where the file cannot even be read.
    """

    def __init__(self, database: peewee.SqliteDatabase, path: Path, written: Written) -> None:
        self._database = database
        self._path = path
        self._written = written
        self._file: sqlite3.Connection = database.connection()  # type: ignore[no-untyped-call]
        if self._file.in_transaction:
            self._file.rollback()
        self._memory = sqlite3.connect(":memory:", isolation_level=None)
        self._file.backup(self._memory)
        self._memory.execute("PRAGMA foreign_keys = 1")
        self._use(self._memory)

    def _use(self, connection: sqlite3.Connection) -> None:
        # peewee itself opens files only.
        self._database._state.set_connection(connection)  # type: ignore[attr-defined]
        self._written.follow(connection)

    def write_back(self) -> bool:
        """Put all of it into the file at once, where there is room; says whether it went."""
        (pages,) = self._memory.execute("PRAGMA page_count").fetchone()
        (size,) = self._memory.execute("PRAGMA page_size").fetchone()
        if _room(self._path) < pages * size + _ROOM_BESIDE:
            return False
        try:
            self._memory.backup(self._file)
        except sqlite3.Error as error:  # the file is as it was before
            log.info("Not enough room yet: %s", type(error).__name__)
            return False
        self._use(self._file)
        self._memory.close()
        return True

    def close(self) -> None:
        """Let both go."""
        self._memory.close()
        self._file.close()
