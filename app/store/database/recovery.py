"""Finds a damaged database, sets it aside, and brings back what can still be had."""

from __future__ import annotations

import contextlib
import logging
import os
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from app.core.moments import moment_text
from app.core.translation import N_, tr

log = logging.getLogger(__name__)

CHECK_SECONDS = 2.0  # a start waits no longer for the check; a larger database is checked in part
_STEPS = 20_000  # of SQLite's machine between two looks at the clock
_BROKEN = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
# SQLite's own check passes over bytes that are no text any more; who reads them is told so.
_NO_TEXT = "Could not decode to UTF-8"
# Rows that are sought one by one, of a table that breaks off in the middle: behind the last that
# was read, and at most.
_SOUGHT_BEHIND, _MOST_SOUGHT = 2_000, 500_000
_COMPANIONS = ("-wal", "-shm")
PART = ".part"
# What cost the user work or money, each after those that it refers to; the rest is made anew.
SALVAGED = {
    "chat": N_("chats"),
    "known_message": N_("known messages"),
    "scene_break": N_("scene breaks"),
    "searched_range": N_("stretches searched for scene breaks"),
    "scene_recap": N_("scene recaps"),
    "scene_recap_choice": N_("chosen scene recaps"),
    "running_version": N_("running recaps"),
    "running_choice": N_("chosen running recaps"),
    "message_recap": N_("message recaps"),
    "auto_hidden": N_("hidden messages"),
    "result": N_("answers of models"),
    "setting": N_("settings"),
    "draft": N_("drafts"),
    "cleared": N_("cleared recaps"),
    "memory": N_("memories"),
    "entity": N_("people and things"),
    "document": N_("longer texts"),
    "extracted": N_("messages read for memory"),
    "memory_pause": N_("pauses in remembering"),
    "memory_policy": N_("rules for characters"),
}


@dataclass(frozen=True, slots=True)
class Recovery:
    """What was done about a damaged database.

    aside: where the damaged file lies now. backup: what stands in its place, None for an empty
    one. incomplete: kinds of which not all could be read any more, in the user's words. added: rows
    that were taken from the damaged file.
    """

    aside: Path
    backup: Path | None = None
    incomplete: tuple[str, ...] = field(default=())
    added: int = 0

    @property
    def sentence(self) -> str:
        """What the user is told."""
        if self.backup is None:
            beginning = tr("There was no backup, so Tavernkeep started fresh")
        else:
            day = moment_text(self.backup.stat().st_mtime)
            beginning = tr("The backup of {day} replaced it", day=day)
        if self.incomplete and not self.added:
            ending = tr(
                "and nothing could be added from the damaged one. All that came since may be "
                "missing: {kinds}.",
                kinds=", ".join(map(tr, self.incomplete)),
            )
        elif self.incomplete:
            ending = tr(
                "and what was readable in the damaged one was added. Some of these may be "
                "missing: {kinds}.",
                kinds=", ".join(map(tr, self.incomplete)),
            )
        else:
            ending = tr(
                "and everything readable in the damaged one was added. Nothing seems to be missing."
            )
        return tr(
            "Tavernkeep's database was damaged. {beginning}, {ending} Your chats in SillyTavern "
            "were not touched. The damaged file is kept: {path}",
            beginning=beginning,
            ending=ending,
            path=self.aside,
        )


def is_damaged(path: Path) -> bool:
    """Whether SQLite finds the file broken. One that failed in use is looked through to the end,
    and its index of words is made anew.

    Raises sqlite3.OperationalError where the file cannot be read at all.
    """
    if not path.exists():
        return False
    suspicion = _suspicion(path)
    try:
        with closing(sqlite3.connect(path, timeout=5.0)) as connection:
            if suspicion.exists():
                _index_words_anew(connection)
            if not _is_sound(connection, seconds=None if suspicion.exists() else CHECK_SECONDS):
                return True
            if suspicion.exists():
                _read_all(connection)
    except sqlite3.DatabaseError as error:
        if not is_breakage(error):
            raise
        return True
    finally:
        suspicion.unlink(missing_ok=True)
    return False


def is_breakage(error: BaseException | None) -> bool:
    """Whether an error of SQLite says that the file itself is broken."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _BROKEN or (
        isinstance(error, sqlite3.OperationalError) and _NO_TEXT in str(error)
    )


def suspect(path: Path) -> None:
    """Let the next start look through the whole file."""
    with contextlib.suppress(OSError):  # where not even that can be written it shows again
        _suspicion(path).touch()


def _suspicion(path: Path) -> Path:
    return path.with_name(f"{path.name}.suspect")


def _index_words_anew(connection: sqlite3.Connection) -> None:
    tables = connection.execute("SELECT name FROM sqlite_master WHERE sql LIKE '%USING fts5%'")
    for (name,) in tables.fetchall():
        connection.execute(f'INSERT INTO "{name}"("{name}") VALUES (\'rebuild\')')
    connection.commit()


def _read_all(connection: sqlite3.Connection) -> None:
    """Read what would be brought back. Raises sqlite3.DatabaseError at what is broken."""
    known = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    for table in SALVAGED.keys() & {name for (name,) in known}:
        for _ in connection.execute(f'SELECT * FROM "{table}"'):
            pass


def begin_mending(path: Path, moment: float) -> Path:
    """Where a damaged database is to lie; remembered until `end_mending`, over a crash too."""
    stem = time.strftime(f"{path.stem}-damaged-%Y%m%d-%H%M%S", time.localtime(moment))
    aside, number = path.with_name(f"{stem}{path.suffix}"), 1
    while aside.exists():
        number += 1
        aside = path.with_name(f"{stem}-{number}{path.suffix}")
    with _mark(path).open("w", encoding="utf-8") as mark:
        mark.write(f"{aside.name}\n")
        mark.flush()
        os.fsync(mark.fileno())
    return aside


def unfinished_mending(path: Path) -> Path | None:
    """Where the damaged database lies of which not all is brought back yet, None for none."""
    try:
        name, end, _ = _mark(path).read_text(encoding="utf-8").partition("\n")
    except (FileNotFoundError, UnicodeDecodeError):
        return None
    return path.with_name(name) if name and end and Path(name).name == name else None


def end_mending(path: Path) -> None:
    """All that could be had is back."""
    _mark(path).unlink(missing_ok=True)


def _mark(path: Path) -> Path:
    return path.with_name(f"{path.name}.mending")


def set_aside(path: Path, aside: Path) -> None:
    """Move a damaged database out of the way, together with what was not merged into it yet.

    The file itself goes last: where it has gone already, what lies in its place is half mended, and
    made anew.
    """
    has_gone = aside.exists()
    for ending in (*_COMPANIONS, ""):
        part = path.with_name(path.name + ending)
        if has_gone:
            part.unlink(missing_ok=True)
        elif part.exists():
            part.rename(aside.with_name(aside.name + ending))
    log.warning("a damaged database was set aside")


def newest_sound(backups: Sequence[Path]) -> Path | None:
    """The newest backup that opens and is whole; they are given oldest first."""
    for backup in reversed(backups):
        try:
            with closing(sqlite3.connect(_read_only(backup), uri=True)) as connection:
                if _is_sound(connection, seconds=None):
                    _read_all(connection)
                    return backup
        except sqlite3.DatabaseError:
            log.warning("a backup could not be read")
    return None


def part_of(target: Path) -> Path:
    """What a backup is called until it is whole."""
    return target.with_name(f"{target.name}{PART}")


def write_backup(path: Path, target: Path) -> bool:
    """Copy a database that is in use, and keep the copy only when it turns out whole."""
    partial = part_of(target)
    try:
        with (
            closing(sqlite3.connect(_read_only(path), uri=True, timeout=30.0)) as source,
            closing(sqlite3.connect(partial)) as copy,
        ):
            source.backup(copy, pages=4096, sleep=0.01)
            copy.execute("PRAGMA journal_mode = delete")
            if not _is_sound(copy, seconds=None):
                return False
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)
    return True


def salvage(path: Path, damaged: Path) -> tuple[tuple[str, ...], int]:
    """Add what can be read of a damaged database to the one in its place.

    What is there already stays. Returns the kinds of which not everything could be read, and how
    many rows were added.
    """
    incomplete: list[str] = []
    with (
        closing(sqlite3.connect(path, isolation_level=None)) as connection,
        closing(sqlite3.connect(damaged)) as source,
    ):
        # Else one broken line in the list of tables makes all of them unreadable.
        source.execute("PRAGMA writable_schema = ON")
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("BEGIN IMMEDIATE")
        before = connection.total_changes
        for table, words in SALVAGED.items():
            if not _copied(source, connection, table):
                incomplete.append(words)
        added = connection.total_changes - before
        for table, row, *_ in connection.execute("PRAGMA foreign_key_check").fetchall():
            if row is not None:
                connection.execute(f'DELETE FROM "{table}" WHERE rowid = ?', (row,))
        # What chats hold themselves is read anew; an old undo knows nothing of what was added.
        connection.execute("UPDATE chat SET is_acquainted = 0")
        connection.execute("DELETE FROM undo_statement")
        connection.execute("DELETE FROM undo_entry")
        connection.execute("COMMIT")
    return tuple(incomplete), added


def _copied(source: sqlite3.Connection, target: sqlite3.Connection, table: str) -> bool:
    """Copy a table's rows from both ends towards what cannot be read, then what of the rest can be;
    whether all could be.
    """
    here = _columns(target, table)
    try:
        shared = [name for name in _columns(source, table) if name in here]
    except (sqlite3.DatabaseError, UnicodeDecodeError):  # also of a complaint's own words
        return False
    if not shared:
        return False
    names = ", ".join(f'"{name}"' for name in shared)
    into = f'INSERT OR IGNORE INTO "{table}" ({names}) VALUES ({", ".join("?" * len(shared))})'
    rows = f'SELECT {names} FROM "{table}" NOT INDEXED'
    keys = _keys(target, table)
    if _take(source, target, f"{rows} ORDER BY {', '.join(keys)}", into):
        return True
    _take(source, target, f"{rows} ORDER BY {', '.join(f'{key} DESC' for key in keys)}", into)
    for where, values in _pieces(target, table, keys):
        _take(source, target, f"{rows} WHERE {where}", into, values)
    return False


def _take(
    source: sqlite3.Connection,
    target: sqlite3.Connection,
    query: str,
    into: str,
    values: Sequence[object] = (),
) -> bool:
    """Copy the rows of a query as far as they can be read; whether all could be."""
    try:
        for row in source.execute(query, values):
            with contextlib.suppress(sqlite3.IntegrityError):  # nonsense is as good as lost
                target.execute(into, row)
    except (sqlite3.DatabaseError, UnicodeDecodeError):
        return False
    return True


def _keys(target: sqlite3.Connection, table: str) -> list[str]:
    """By what the rows of a table lie in its file."""
    (sql,) = target.execute("SELECT sql FROM sqlite_master WHERE name = ?", (table,)).fetchone()
    if "WITHOUT ROWID" not in sql:
        return ["rowid"]
    found = target.execute(f'PRAGMA table_info("{table}")').fetchall()
    return [f'"{row[1]}"' for row in sorted(found, key=lambda row: row[5]) if row[5]]


def _pieces(
    target: sqlite3.Connection, table: str, keys: Sequence[str]
) -> Iterator[tuple[str, tuple[object, ...]]]:
    """Conditions that cut a table into pieces: one that cannot be read costs no other. Keys and
    anchors are hexadecimal.
    """
    if keys == ["rowid"]:
        most = target.execute(f'SELECT max(rowid) FROM "{table}"').fetchone()[0] or 0
        for number in range(1, min(most + _SOUGHT_BEHIND, _MOST_SOUGHT)):
            yield "rowid = ?", (number,)
        return
    chats: list[tuple[object, ...]] = [()]
    if keys[0] == '"chat_id"':
        chats = target.execute("SELECT id FROM chat").fetchall()
    column = next((key for key in keys if key in ('"anchor"', '"key"')), keys[0])
    for chat in chats:
        of_chat = "chat_id = ? AND " if chat else ""
        for start in range(256):
            yield f"{of_chat}{column} BETWEEN ? AND ?", (*chat, f"{start:02x}", f"{start:02x}g")


def _columns(connection: sqlite3.Connection, table: str) -> list[str]:
    return [row[1] for row in connection.execute(f'PRAGMA table_info("{table}")')]


def _is_sound(connection: sqlite3.Connection, *, seconds: float | None = CHECK_SECONDS) -> bool:
    """Whether SQLite's own check finds nothing, within the time that there is."""
    deadline = time.monotonic() + (seconds or 0.0)
    if seconds is not None:
        connection.set_progress_handler(lambda: time.monotonic() > deadline, _STEPS)
    try:
        return connection.execute("PRAGMA quick_check(1)").fetchall() == [("ok",)]
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_INTERRUPT:
            return True
        raise
    except UnicodeDecodeError:  # its complaint quotes a schema that is no text any more
        return False
    finally:
        connection.set_progress_handler(None, 0)


def _read_only(path: Path) -> str:
    return f"file:{quote(str(path))}?mode=ro"
