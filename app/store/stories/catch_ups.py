"""Which backlogs the user wants worked off, so that a crash does not forget the word."""

from __future__ import annotations

from app.core.operations import CatchUp
from app.store.database.database import Database


class CatchUps:
    """At most one catch-up of each chat."""

    def __init__(self, database: Database) -> None:
        self._tables = database.tables

    def of(self, chat_id: int) -> CatchUp | None:
        """The catch-up of a chat, None when nothing was said of one."""
        row = self._tables.CatchUp.get_or_none(chat_id=chat_id)
        if row is None:
            return None
        is_stopped = bool(row.is_stopped)
        return CatchUp(
            row.chat_id,
            row.begun,
            row.backend,
            is_stopped,
            row.part,
            row.agreed,
            row.agreed_tokens,
        )

    def save(self, catch_up: CatchUp) -> None:
        """Keep how a catch-up stands."""
        self._tables.CatchUp.replace(
            chat_id=catch_up.chat,
            begun=catch_up.begun,
            backend=catch_up.backend,
            is_stopped=int(catch_up.is_stopped),
            part=catch_up.part,
            agreed=catch_up.agreed,
            agreed_tokens=catch_up.agreed_tokens,
        ).execute()

    def forget(self, chat_id: int) -> None:
        """It is through."""
        table = self._tables.CatchUp
        table.delete().where(table.chat_id == chat_id).execute()
