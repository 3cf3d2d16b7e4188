"""The one database thread: opens, migrates, backs up, and runs whole units of work."""

from __future__ import annotations

import asyncio
import logging
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import peewee
from playhouse.migrations import Runner

from app.core.errors import OperationOutdated, StoreError, StoreTooNew
from app.core.signals import Signal
from app.core.translation import tr
from app.store.database.no_room import MemoryCopy, UnwrittenMark, is_out_of_room
from app.store.database.recovery import (
    PART,
    Recovery,
    begin_mending,
    end_mending,
    is_breakage,
    is_damaged,
    newest_sound,
    part_of,
    salvage,
    set_aside,
    suspect,
    unfinished_mending,
    write_backup,
)
from app.store.database.setting_journal import SETTING_TRIGGERS
from app.store.database.tables import Tables
from app.store.database.written import Written

log = logging.getLogger(__name__)

T = TypeVar("T")

MIGRATIONS = Path(__file__).parents[1] / "migrations"
PRAGMAS = {
    "journal_mode": "wal",
    "synchronous": "normal",
    "foreign_keys": 1,
    "busy_timeout": 5000,
    # Eight megabytes: a long chat's rows go to pages all over the table and its indexes.
    "cache_size": -8192,
}
BACKUPS_KEPT = 5
BACKUP_SECONDS = 20 * 3600.0  # with some play, so that a daily start makes a daily backup
# Of a database that has outgrown its newest backup so much, one is made after less than a day.
OUTGROWN, OUTGROWN_SECONDS = 1.5, 1800.0
_STEPS = 20_000  # of SQLite's machine between two looks at the clock: some milliseconds


class Database:
    """Runs whole units of work, each in one IMMEDIATE transaction, on one thread.

    A unit cannot await inside its transaction, so two coroutines can never share one.

    On a full disk all goes on in a copy in memory, until `try_room` finds that there is room again.

    Signals:
        out_of_room: whether that is so; on the event loop's thread.

    mends: nobody else has the file open, so that a damaged one may be replaced; what was done about
    it then stands in `recovery`. Likewise `lost_since`: from when on an earlier run kept what was
    new in memory only, and ended so; 0.0 where none did.
    """

    def __init__(self, path: Path, *, backups: Path | None = None, mends: bool = False) -> None:
        self.path = path
        self._backups = backups
        self._mends = mends
        self.recovery: Recovery | None = None
        self.lost_since = 0.0
        self._unwritten = UnwrittenMark(path)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="store")
        self._sqlite = peewee.SqliteDatabase(str(path), pragmas=PRAGMAS)
        self.tables = Tables(self._sqlite)
        self.written = Written()
        self._copy: MemoryCopy | None = None
        self._was_out_of_room = False
        self.out_of_room: Signal[bool] = Signal("out_of_room")

    async def open(self) -> None:
        """Connect, back up before migrating, migrate. Raises StoreError, StoreTooNew."""
        await self._on_thread(self._open)

    async def run(self, unit: Callable[[], T]) -> T:
        """Run the unit in a transaction of its own; an exception rolls all of it back.

        Raises OperationOutdated where the chat that it writes for is gone.
        """
        try:
            return await self._on_thread(lambda: self._in_transaction(unit))
        finally:
            self._tell_room()

    @property
    def is_out_of_room(self) -> bool:
        """Whether the disk is full, so that what is written is kept in memory for now."""
        return self._copy is not None

    async def try_room(self) -> None:
        """Write what was kept in memory, where there is room again."""
        await self._on_thread(self._write_back)
        self._tell_room()

    def _write_back(self) -> None:
        if self._copy is not None and self._copy.write_back():
            self._copy = None
            self._unwritten.take()

    def _tell_room(self) -> None:
        if self.is_out_of_room != self._was_out_of_room:
            self._was_out_of_room = self.is_out_of_room
            self.out_of_room.emit(self._was_out_of_room)

    def execute(self, statement: str, values: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        """One statement of our own SQL, all rows at once; inside a unit only."""
        return self._sqlite.execute_sql(statement, values).fetchall()  # type: ignore[no-any-return, no-untyped-call]

    def execute_many(self, statement: str, values: list[tuple[Any, ...]]) -> None:
        """Bulk writing, eight times as fast as through peewee; inside a unit only."""
        with peewee.__exception_wrapper__:  # type: ignore[attr-defined]
            self._connection().executemany(statement, values)

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """Inside of a unit that only reads: break off what takes longer. Raises TimeoutError."""
        connection, deadline = self._connection(), time.monotonic() + seconds
        connection.set_progress_handler(lambda: time.monotonic() > deadline, _STEPS)
        try:
            yield
        except peewee.OperationalError as error:
            if time.monotonic() > deadline:
                raise TimeoutError from error
            raise
        finally:
            connection.set_progress_handler(None, 0)

    async def aclose(self) -> None:
        """Finish what was handed in and close the file."""
        try:
            await self._on_thread(self._close)
        finally:
            self._thread.shutdown(wait=False)

    def _close(self) -> None:
        self._write_back()
        if self._copy is not None:
            log.error("The disk is still full: what came since it was is lost")
            self._copy.close()
        self._sqlite.close()

    async def _on_thread(self, unit: Callable[[], T]) -> T:
        loop = asyncio.get_running_loop()
        work = loop.run_in_executor(self._thread, unit)
        try:
            # A cancelled caller must not leave while its transaction is half way.
            return await asyncio.shield(work)
        except asyncio.CancelledError:
            if not work.done():
                await asyncio.wait([work])
            if not work.cancelled():
                work.exception()  # it was rolled back, and nobody is there to be told
            raise

    def _in_transaction(self, unit: Callable[[], T]) -> T:
        try:
            with self._sqlite.atomic("IMMEDIATE"):
                return unit()
        # Rows that are fetched one by one raise SQLite's own errors, which peewee does not see.
        except (peewee.DatabaseError, sqlite3.DatabaseError) as error:
            if self._copy is None and is_out_of_room(error, self.path):
                self._keep_in_memory(error)
                return self._in_transaction(unit)
            if any(map(is_breakage, (error, error.__cause__, error.__context__))):
                suspect(self.path)
                raise StoreError(
                    tr(
                        "The database {path} is damaged. Nothing was changed. Close Tavernkeep "
                        "and start it again: it then sets the file aside and recovers what it "
                        "can.",
                        path=self.path,
                    )
                ) from error
            if isinstance(error, peewee.IntegrityError) and "FOREIGN KEY" in str(error):
                raise OperationOutdated(
                    tr("The chat this belongs to is no longer known. Nothing was changed.")
                ) from error
            if not isinstance(error, peewee.OperationalError | sqlite3.OperationalError):
                raise
            raise StoreError(
                tr(
                    "The database {path} could not be written: {error}. Nothing was changed.",
                    path=self.path,
                    error=error,
                )
            ) from error

    def _keep_in_memory(self, error: Exception) -> None:
        try:
            self._copy = MemoryCopy(self._sqlite, self.path, self.written)
        except (sqlite3.Error, MemoryError):
            raise StoreError(
                tr(
                    "The disk with {folder} is full. Nothing was changed. Free up some space.",
                    folder=self.path.parent,
                )
            ) from error
        self._unwritten.put()

    def _connection(self) -> sqlite3.Connection:
        connection: sqlite3.Connection = self._sqlite.connection()  # type: ignore[no-untyped-call]
        return connection

    def _open(self) -> None:
        aside: Path | None = None
        try:
            if self._mends:
                aside = unfinished_mending(self.path)
                if aside is None and is_damaged(self.path):
                    aside = begin_mending(self.path, time.time())
            if aside is not None:
                set_aside(self.path, aside)
                backup = self._put_backup_back()
            self._sqlite.connect(reuse_if_open=True)
            self._migrate()
            self.written.follow(self._connection())
            if aside is not None:
                self.recovery = Recovery(aside, backup, *salvage(self.path, aside))
                end_mending(self.path)
            if self._mends:
                self.lost_since = self._unwritten.take()
        except (peewee.DatabaseError, sqlite3.DatabaseError, OSError) as error:
            self._sqlite.close()
            if aside is None:
                advice = tr(
                    "It was left as it is. Move it away to start fresh, or put a backup there."
                )
            else:
                advice = tr(
                    "The damaged one is kept as {aside}; the next start continues the repair.",
                    aside=aside,
                )
            raise StoreError(
                tr(
                    "The database {path} cannot be opened: {error}. {advice}",
                    path=self.path,
                    error=error,
                    advice=advice,
                )
            ) from error
        except StoreError:
            self._sqlite.close()
            raise

    def _migrate(self) -> None:
        """Bring the tables to what this version knows. Raises StoreTooNew."""
        runner = Runner(self._sqlite, directory=str(MIGRATIONS))
        states = runner.status()
        unknown = [state.name for state in states if state.path is None]
        if unknown:
            raise StoreTooNew(
                tr(
                    "The database {path} comes from a newer Tavernkeep ({version}). Install that "
                    "version, or start with another data folder. The file was not changed.",
                    path=self.path,
                    version=unknown[-1],
                )
            )
        pending = [state for state in states if state.applied is None]
        if pending and len(pending) < len(states):
            self._back_up()
        runner.up()
        self.execute("UPDATE undo_recording SET entry_id = NULL")
        for trigger in SETTING_TRIGGERS:
            self.execute(trigger)

    def back_up_if_due(self) -> None:
        """Keep a copy a day, checked, of a database that may be in use; not for its own thread.

        Raises StoreError where the disk does not take it.
        """
        if self._backups is None:
            return
        try:
            now = time.time()
            moments = (backup.stat().st_mtime for backup in self._kept())
            # A clock that was set back does not make those of its future the newest.
            newest = max((moment for moment in moments if moment <= now), default=0.0)
            is_due = now - newest > (
                OUTGROWN_SECONDS if self._has_outgrown_backups() else BACKUP_SECONDS
            )
            if is_due and write_backup(self.path, self._next_backup()):
                self._thin_out()
        except (OSError, sqlite3.Error) as error:
            raise StoreError(
                tr(
                    "The database could not be backed up to {backups}: {error}. The database "
                    "itself is unchanged.",
                    backups=self._backups,
                    error=error,
                )
            ) from error

    def _has_outgrown_backups(self) -> bool:
        """Whether far more is kept by now than any backup holds, as on an evening of catching up:
        work for a day of waiting would be lost with the file.
        """
        largest = max((backup.stat().st_size for backup in self._kept()), default=0)
        return self.path.stat().st_size > OUTGROWN * largest

    def _back_up(self) -> None:
        """Copy the database before a migration, through SQLite: the file alone lacks the WAL."""
        if self._backups is None:
            return
        target = self._next_backup()
        partial = part_of(target)
        self._connection().execute("VACUUM INTO ?", (str(partial),))
        partial.replace(target)
        self._thin_out()

    def _put_backup_back(self) -> Path | None:
        backup = newest_sound(self._kept())
        if backup is not None:
            shutil.copyfile(backup, self.path)
        return backup

    def _kept(self) -> list[Path]:
        """The backups, oldest first; those of a future that the clock has left count as oldest."""
        if self._backups is None:
            return []
        now = time.time()

        def age(backup: Path) -> tuple[bool, float, str]:
            moment = backup.stat().st_mtime
            return moment <= now, moment, backup.name

        return sorted(self._backups.glob("tavernkeep-*.sqlite3"), key=age)

    def _next_backup(self) -> Path:
        assert self._backups is not None
        self._backups.mkdir(parents=True, exist_ok=True)
        for left in self._backups.glob(f"tavernkeep-*.sqlite3{PART}*"):
            left.unlink(missing_ok=True)  # by a program that died while it wrote one
        stem = f"tavernkeep-{time.strftime('%Y%m%d-%H%M%S')}"
        target, number = self._backups / f"{stem}.sqlite3", 1
        while target.exists():  # of the same second, maybe before the clock was set back
            number += 1
            target = target.with_name(f"{stem}-{number}.sqlite3")
        return target

    def _thin_out(self) -> None:
        for old in self._kept()[:-BACKUPS_KEPT]:
            old.unlink(missing_ok=True)
