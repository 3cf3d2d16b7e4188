"""Settings as stored: one row for each value that differs from its default."""

from __future__ import annotations

from typing import Any

import msgspec

from app.settings.program import ProgramSettings
from app.settings.setting import Scope
from app.store.database.database import Database


class SettingsTable:
    """Values by (scope, scope id, name)."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._database = database
        self._table = database.tables.Setting
        self._for_all: dict[str, Any] = {}  # as it was loaded, and saved here since

    def load(self) -> dict[tuple[str, str, str], Any]:
        """Everything that was ever set; None for what cannot be read."""
        table = self._table

        rows = table.select(table.scope, table.scope_id, table.name, table.value).tuples()
        found = {(scope, scope_id, name): _decoded(value) for scope, scope_id, name, value in rows}
        self._for_all = {key[2]: found[key] for key in found if key[0] == Scope.GLOBAL}
        return found

    def moved(self) -> dict[str, Any]:
        """What is set otherwise for all chats than was loaded or saved here, as after undo; None
        for what is not set any more.
        """
        before, now = self._for_all, self._of(Scope.GLOBAL, "")
        self._for_all = now
        names = before.keys() | now.keys()
        return {name: now.get(name) for name in names if before.get(name) != now.get(name)}

    def of_chat(self, chat_id: int) -> dict[str, Any]:
        """What is set for one chat."""
        return self._of(Scope.CHAT, str(chat_id))

    def inherit(self, source: int, target: int) -> None:
        """Let a chat that begins as another one have what was set for that, where nothing is set
        for it; but not leave to write into its file.
        """
        self._database.execute(
            "INSERT OR IGNORE INTO setting (scope, scope_id, name, value) "
            "SELECT scope, ?, name, value FROM setting "
            "WHERE scope = ? AND scope_id = ? AND name <> ?",
            (str(target), Scope.CHAT.value, str(source), ProgramSettings.mirror_to_chat.name),
        )

    def _of(self, scope: Scope, scope_id: str) -> dict[str, Any]:
        table = self._table

        rows = table.select(table.name, table.value).where(
            (table.scope == scope.value) & (table.scope_id == scope_id)
        )
        return {name: _decoded(value) for name, value in rows.tuples()}

    def save(self, scope: str, scope_id: str, name: str, value: Any) -> None:
        """Write one value."""
        table, text = self._table, msgspec.json.encode(value).decode()

        # No REPLACE: it would be a deletion that no trigger sees.
        table.insert(scope=scope, scope_id=scope_id, name=name, value=text).on_conflict(
            conflict_target=(table.scope, table.scope_id, table.name),
            update={table.value: text},
        ).execute()
        if scope == Scope.GLOBAL:
            self._for_all = {**self._for_all, name: value}

    def reset(self, scope: str, scope_id: str, name: str) -> None:
        """Forget one value, so that its default holds again."""
        table = self._table

        table.delete().where(
            (table.scope == scope) & (table.scope_id == scope_id) & (table.name == name)
        ).execute()
        if scope == Scope.GLOBAL:
            self._for_all = {n: value for n, value in self._for_all.items() if n != name}


def _decoded(value: object) -> Any:
    """What is set; None, which no setting is, for what somebody else or a fault has written."""
    try:
        return msgspec.json.decode(value if isinstance(value, str | bytes) else b"")
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
