"""The undo journal: what the user did to a chat can be taken back by name, also after a restart."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

import peewee

from app.core.errors import UsageError
from app.core.translation import N_, tr
from app.store.database.database import Database
from app.views.journal import AT_FIRST, JournalEntry

T = TypeVar("T")

UNDO = "undo"
REDO = "redo"
ENTRIES_KEPT = 200
GONE = N_("This change is no longer in the list, because something else was done in the meantime.")


class UndoJournal:
    """Records the inverse of each change by triggers in the database, and plays it back.

    The triggers write SQL of our own tables with values quoted by SQLite itself; only rows and
    columns that an action really changed are put back, so later work of the pipeline stays.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._entries = database.tables.UndoEntry
        self._seal = ""

    def seal(self, why: str) -> None:
        """Refuse each action from now on, with this sentence."""
        self._seal = why

    @property
    def is_sealed(self) -> bool:
        """Whether every action is refused."""
        return bool(self._seal)

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

    def newest(self, chat_id: int) -> float:
        """When that was done which would be taken back (seconds since the epoch), 0.0 for none."""
        table = self._entries
        row = (
            table.select(table.created)
            .where((table.chat_id == chat_id) & (table.direction == UNDO))
            .order_by(table.id.desc())
            .tuples()
            .first()
        )
        return 0.0 if row is None else float(row[0])

    def entries(self, chat_id: int) -> tuple[JournalEntry, ...]:
        """All actions of a chat, the newest first: those that were taken back, then the others."""
        table = self._entries

        rows = list(
            table.select(table.id, table.label, table.created, table.direction)
            .where(table.chat_id == chat_id)
            .order_by(table.id)
            .tuples()
        )
        all_of_them = [
            JournalEntry(number, label, when, direction == REDO)
            for number, label, when, direction in rows
        ]
        undone = [entry for entry in all_of_them if entry.is_undone]
        done = [entry for entry in all_of_them if not entry.is_undone]
        return (*undone, *reversed(done))

    def go_to(self, chat_id: int, entry_id: int) -> int:
        """Undo, or redo, until this action is the last one done; gives how many steps that took.

        entry_id: AT_FIRST undoes all. Raises UsageError when there is no such action any more.
        """
        entries = self.entries(chat_id)
        undone = [entry.id for entry in entries if entry.is_undone]
        done = [entry.id for entry in entries if not entry.is_undone]
        if entry_id in undone:
            steps = len(undone) - undone.index(entry_id)
            for _ in range(steps):
                self.redo(chat_id)
            return steps
        if entry_id != AT_FIRST and entry_id not in done:
            raise UsageError(tr(GONE))
        steps = len(done) if entry_id == AT_FIRST else done.index(entry_id)
        for _ in range(steps):
            self.undo(chat_id)
        return steps

    def record(self, chat_id: int, label: str, change: Callable[[], T]) -> T:
        """Do `change`, a unit on the database's thread, as one undoable action."""

        self._entries.delete().where(
            (self._entries.chat_id == chat_id) & (self._entries.direction == REDO)
        ).execute()
        return self._recorded(chat_id, label, UNDO, change)

    def record_if_any(
        self,
        chat_id: int,
        label: str,
        change: Callable[[], None],
        *,
        when: float | None = None,
    ) -> bool:
        """The same for a change that may turn out to change nothing: then nothing is noted."""
        table = self._entries
        self._recorded(chat_id, label, UNDO, change, when=when)
        newest = table.select(peewee.fn.MAX(table.id)).where(table.chat_id == chat_id).scalar()
        if self._database.execute(
            "SELECT 1 FROM undo_statement WHERE entry_id = ? LIMIT 1", (newest,)
        ):
            table.delete().where((table.chat_id == chat_id) & (table.direction == REDO)).execute()
            return True
        table.delete().where(table.id == newest).execute()
        return False

    def record_part(
        self, chat_id: int, label: str, when: float, change: Callable[[], None]
    ) -> None:
        """Do `change` as a part of the action that was asked for at `when` (seconds, epoch).

        What was asked for at once and comes bit by bit is taken back at once; behind something
        else that was done in between, what still comes is another action of the same name.
        """
        table = self._entries
        newest = (
            table.select(table.id, table.label, table.created)
            .where((table.chat_id == chat_id) & (table.direction == UNDO))
            .order_by(table.id.desc())
            .tuples()
            .first()
        )
        if newest is None or tuple(newest[1:]) != (label, when):
            self.record_if_any(chat_id, label, change, when=when)
            return
        self._written_down(newest[0], change)
        table.delete().where((table.chat_id == chat_id) & (table.direction == REDO)).execute()

    def undo(self, chat_id: int) -> str:
        """Take back the newest action; gives its name, "" when there was none."""
        return self._play(chat_id, UNDO, REDO)

    def redo(self, chat_id: int) -> str:
        """Do again what was taken back last."""
        return self._play(chat_id, REDO, UNDO)

    def _play(self, chat_id: int, direction: str, opposite: str) -> str:
        table, database = self._entries, self._database

        row = (
            table.select(table.id, table.label, table.created)
            .where((table.chat_id == chat_id) & (table.direction == direction))
            .order_by(table.id.desc())
            .tuples()
            .first()
        )
        if row is None:
            return ""
        entry_id, label, when = int(row[0]), str(row[1]), float(row[2])
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

        self._recorded(chat_id, label, opposite, replay, when=when)
        table.delete().where(table.id == entry_id).execute()
        return label

    def _recorded(
        self,
        chat_id: int,
        label: str,
        direction: str,
        change: Callable[[], T],
        *,
        when: float | None = None,
    ) -> T:
        if self._seal:
            raise UsageError(self._seal)
        table = self._entries
        created = time.time() if when is None else when
        entry_id = table.insert(
            chat_id=chat_id, label=label, direction=direction, created=created
        ).execute()
        result = self._written_down(entry_id, change)
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

    def _written_down(self, entry_id: int, change: Callable[[], T]) -> T:
        """Do `change` while the triggers write its inverse down for an action."""
        if self._seal:
            raise UsageError(self._seal)
        self._database.execute("UPDATE undo_recording SET entry_id = ?", (entry_id,))
        try:
            return change()
        finally:
            self._database.execute("UPDATE undo_recording SET entry_id = NULL")


def before_undo(database: Database, statement: str) -> None:
    """Have SQL done first when the action that is being recorded is taken back."""
    database.execute(
        "INSERT INTO undo_statement (entry_id, statement) "
        "SELECT entry_id, ? FROM undo_recording WHERE entry_id IS NOT NULL",
        (statement,),
    )
