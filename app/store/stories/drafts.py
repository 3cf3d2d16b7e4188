"""Texts that the user is writing, kept while they are typed, so that a crash costs no word."""

from __future__ import annotations

from app.store.database.database import Database
from app.story.drafts import Draft


class Drafts:
    """One draft per chat, kind of text, and message that the text hangs on."""

    def __init__(self, database: Database) -> None:
        self._table = database.tables.Draft

    def of(self, chat_id: int) -> tuple[Draft, ...]:
        """All drafts of a chat."""
        table = self._table
        rows = table.select(table.kind, table.anchor, table.text, table.base, table.saved)
        return tuple(Draft(*row) for row in rows.where(table.chat_id == chat_id).tuples())

    def save(self, chat_id: int, draft: Draft) -> None:
        """Keep a draft in place of the one before."""
        table = self._table
        value = {"text": draft.text, "base": draft.base, "saved": draft.saved}
        key = {"chat_id": chat_id, "kind": draft.kind, "anchor": draft.anchor}
        table.insert(**key, **value).on_conflict(
            conflict_target=[table.chat_id, table.kind, table.anchor], update=value
        ).execute()

    def discard(self, chat_id: int, kind: str, anchor: str) -> None:
        """Forget a draft; one that is not there is fine."""
        table = self._table
        table.delete().where(
            (table.chat_id == chat_id) & (table.kind == kind) & (table.anchor == anchor)
        ).execute()
