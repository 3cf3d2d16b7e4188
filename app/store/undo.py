"""The undo journal: what the user did to a chat can be taken back by name, also after a restart."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

import peewee

from app.store.database import Database

T = TypeVar("T")

UNDO = "undo"
REDO = "redo"
ENTRIES_KEPT = 200


class UndoJournal:
    """Records the inverse of each change by triggers in the database, and plays it back.

    The triggers write SQL of our own tables with values quoted by SQLite itself; only rows and
    columns that an action really changed are put back, so later work of the pipeline stays.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._entries = database.tables.UndoEntry

    def label(self, chat_id: int, direction: str = UNDO) -> str:
        """Name of the action that would be taken back (or done again), "" when there is none."""
        table = self._entries

        row = (
            table.select(table.label)
            .where((table.chat_id == chat_id) & (table.direction == direction))
            .order_by(table.id.desc())
            .tuples()
            .first()
        )
        return "" if row is None else str(row[0])

    def record(self, chat_id: int, label: str, change: Callable[[], T]) -> T:
        """Do `change`, a unit on the database's thread, as one undoable action."""

        self._entries.delete().where(
            (self._entries.chat_id == chat_id) & (self._entries.direction == REDO)
        ).execute()
        return self._recorded(chat_id, label, UNDO, change)

    def record_if_any(self, chat_id: int, label: str, change: Callable[[], None]) -> bool:
        """The same for a change that may turn out to change nothing: then nothing is noted."""
        table = self._entries
        self._recorded(chat_id, label, UNDO, change)
        newest = table.select(peewee.fn.MAX(table.id)).where(table.chat_id == chat_id).scalar()
        if self._database.execute(
            "SELECT 1 FROM undo_statement WHERE entry_id = ? LIMIT 1", (newest,)
        ):
            table.delete().where((table.chat_id == chat_id) & (table.direction == REDO)).execute()
            return True
        table.delete().where(table.id == newest).execute()
        return False

    def undo(self, chat_id: int) -> str:
        """Take back the newest action; gives its name, "" when there was none."""
        return self._play(chat_id, UNDO, REDO)

    def redo(self, chat_id: int) -> str:
        """Do again what was taken back last."""
        return self._play(chat_id, REDO, UNDO)

    def _play(self, chat_id: int, direction: str, opposite: str) -> str:
        table, database = self._entries, self._database

        row = (
            table.select(table.id, table.label)
            .where((table.chat_id == chat_id) & (table.direction == direction))
            .order_by(table.id.desc())
            .tuples()
            .first()
        )
        if row is None:
            return ""
        entry_id, label = int(row[0]), str(row[1])
        statements = [
            str(found[0])
            for found in database.execute(
                "SELECT statement FROM undo_statement WHERE entry_id = ? ORDER BY id DESC",
                (entry_id,),
            )
        ]

        def replay() -> None:
            for statement in statements:
                database.execute(statement)

        self._recorded(chat_id, label, opposite, replay)
        table.delete().where(table.id == entry_id).execute()
        return label

    def _recorded(self, chat_id: int, label: str, direction: str, change: Callable[[], T]) -> T:
        table, database = self._entries, self._database
        entry_id = table.insert(
            chat_id=chat_id, label=label, direction=direction, created=time.time()
        ).execute()
        database.execute("UPDATE undo_recording SET entry_id = ?", (entry_id,))
        try:
            result = change()
        finally:
            database.execute("UPDATE undo_recording SET entry_id = NULL")
        kept = (
            table.select(table.id)
            .where((table.chat_id == chat_id) & (table.direction == direction))
            .order_by(table.id.desc())
            .limit(ENTRIES_KEPT)
        )
        table.delete().where(
            (table.chat_id == chat_id) & (table.direction == direction) & table.id.not_in(kept)
        ).execute()
        return result
