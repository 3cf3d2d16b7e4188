"""Settings as stored: one row for each value that differs from its default."""

from __future__ import annotations

from typing import Any

import msgspec

from app.store.database import Database


class SettingsTable:
    """Values by (scope, scope id, name)."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._table = database.tables.Setting

    def load(self) -> dict[tuple[str, str, str], Any]:
        """Everything that was ever set."""
        table = self._table

        rows = table.select(table.scope, table.scope_id, table.name, table.value).tuples()
        return {
            (scope, scope_id, name): msgspec.json.decode(value)
            for scope, scope_id, name, value in rows
        }

    def save(self, scope: str, scope_id: str, name: str, value: Any) -> None:
        """Write one value."""
        table, text = self._table, msgspec.json.encode(value).decode()

        table.replace(scope=scope, scope_id=scope_id, name=name, value=text).execute()

    def reset(self, scope: str, scope_id: str, name: str) -> None:
        """Forget one value, so that its default holds again."""
        table = self._table

        table.delete().where(
            (table.scope == scope) & (table.scope_id == scope_id) & (table.name == name)
        ).execute()
