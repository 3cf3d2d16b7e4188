"""Knows which tables of a story were written to, so that what is unchanged is not read again."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain

BREAKS = ("scene_break",)
SEARCHED = ("searched_range",)
SCENE_RECAPS = ("scene_recap", "scene_recap_choice")
RUNNING = ("running_version", "running_choice")
MESSAGE_RECAPS = ("message_recap", "known_message")
REMEMBERED = ("memory", "entity", "document")
READ_LESS = ("extracted-less",)  # rows of `extracted` that went, or are others
READ_MORE = ("extracted",)

# Counted at each prompt; what was read stays good enough, and is not read again for it.
_QUIET = {"memory": "recalls"}
_NOTE = "tavernkeep_written"
# Which of several records counts is told by the text that the message shows. A message without a
# record, as each new one, changes nothing.
_HAS_RECORD = (
    " WHEN EXISTS (SELECT 1 FROM message_recap r "
    "WHERE r.chat_id = {row}.chat_id AND r.anchor = {row}.anchor)"
)


class Written:
    """Counts what one connection wrote by table; on the database's thread only."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._connection: sqlite3.Connection | None = None

    def follow(self, connection: sqlite3.Connection) -> None:
        """Watch an open connection, by triggers that live as long as it does."""
        self._connection = connection
        connection.create_function(_NOTE, 1, self._note)
        for statement in _triggers(connection):
            connection.execute(statement)

    def stamp(self, tables: Iterable[str]) -> tuple[int, ...]:
        """Another one than before where one of the tables was written to, or another process wrote
        anything; what is rolled back may count.
        """
        assert self._connection is not None
        (foreign,) = self._connection.execute("PRAGMA data_version").fetchone()
        return (foreign, *(self._counts[table] for table in tables))

    def _note(self, table: str) -> None:
        self._counts[table] += 1


def _triggers(connection: sqlite3.Connection) -> Iterator[str]:
    tables = (BREAKS, SEARCHED, SCENE_RECAPS, RUNNING, MESSAGE_RECAPS, REMEMBERED, READ_MORE)
    for table in chain.from_iterable(tables):
        for command, row in (("INSERT", "NEW"), ("UPDATE", "NEW"), ("DELETE", "OLD")):
            when = _HAS_RECORD.format(row=row) if table == "known_message" else ""
            if command == "UPDATE" and table in _QUIET:
                rows = connection.execute(f"PRAGMA table_info({table})").fetchall()
                told = (name for _, name, *_ in rows if name != _QUIET[table])
                command = f"UPDATE OF {', '.join(told)}"
            is_less = table in READ_MORE and command != "INSERT"
            note = READ_LESS[0] if is_less else table
            yield (
                f"CREATE TEMP TRIGGER IF NOT EXISTS {table}_written_{command[:6].lower()} "
                f"AFTER {command} ON {table}{when} BEGIN SELECT {_NOTE}('{note}'); END"
            )
