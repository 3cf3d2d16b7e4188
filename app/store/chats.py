"""Chats and the messages known in them, by anchor."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from app.store.database import Database
from app.story.anchors import KnownMessage

RETIRED = -1


class Chats:
    """Which chats there are, and what was known of their messages at the last reading."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._tables = database.tables

    def id_of(self, name: str) -> int:
        """The store's number of the chat of this name (its path), made at first sight."""
        chat = self._tables.Chat
        row = chat.select(chat.id).where(chat.path == name).tuples().first()
        if row is not None:
            return int(row[0])
        return int(chat.insert(path=name, first_seen=time.time()).execute())

    def path_of(self, chat_id: int) -> str | None:
        """The name given to `id_of`, None for a number that is not known."""
        chat = self._tables.Chat
        row = chat.select(chat.path).where(chat.id == chat_id).tuples().first()
        return None if row is None else str(row[0])

    def known(self, chat_id: int) -> tuple[tuple[KnownMessage, ...], tuple[KnownMessage, ...]]:
        """The messages at the last reading in their order, and those that are there no more."""
        table = self._tables.KnownMessage
        rows = (
            table.select(
                table.position,
                table.anchor,
                table.identity,
                table.weak_identity,
                table.content_hash,
            )
            .where(table.chat_id == chat_id)
            .order_by(table.position)
            .tuples()
        )
        present: list[KnownMessage] = []
        retired: list[KnownMessage] = []
        for position, *message in rows:
            (retired if position == RETIRED else present).append(KnownMessage(*message))
        return tuple(present), tuple(retired)

    def save_known(self, chat_id: int, messages: Sequence[tuple[int, KnownMessage]]) -> None:
        """Write those messages, each with its index, that are new, moved, changed or RETIRED."""
        statement = (
            "INSERT INTO known_message "
            "(chat_id, anchor, position, identity, weak_identity, content_hash) "
            "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (chat_id, anchor) DO UPDATE SET "
            "position = excluded.position, identity = excluded.identity, "
            "weak_identity = excluded.weak_identity, content_hash = excluded.content_hash"
        )
        values = [
            (chat_id, m.anchor, position, m.identity, m.weak_identity, m.content_hash)
            for position, m in messages
        ]
        self._database.execute_many(statement, values)

    def copy_knowledge(self, source: int, target: int, *, before: int) -> None:
        """Let a chat that shares its beginning with another know the same of it.

        Messages below index `before`, and of them the breaks set by hand and message recaps;
        what the target knows already stays.
        """
        execute = self._database.execute
        execute(
            "INSERT OR IGNORE INTO known_message "
            "SELECT ?, anchor, position, identity, weak_identity, content_hash FROM known_message "
            "WHERE chat_id = ? AND position >= 0 AND position < ? "
            "AND NOT EXISTS (SELECT 1 FROM known_message WHERE chat_id = ?)",
            (target, source, before, target),
        )
        shared = "SELECT anchor FROM known_message WHERE chat_id = ? AND position >= 0"
        execute(
            "INSERT OR REPLACE INTO scene_break "
            "(chat_id, anchor, origin, cue, confidence, name, is_visible, is_collapsed) "
            "SELECT ?, anchor, origin, cue, confidence, name, is_visible, is_collapsed "
            "FROM scene_break WHERE chat_id = ? AND origin != 'heuristic' "
            f"AND anchor IN ({shared})",
            (target, source, target),
        )
        execute(
            "INSERT OR REPLACE INTO message_recap "
            "(chat_id, anchor, text, is_excluded, is_remembered, is_edited, error, source_hash) "
            "SELECT ?, anchor, text, is_excluded, is_remembered, is_edited, error, source_hash "
            f"FROM message_recap WHERE chat_id = ? AND anchor IN ({shared})",
            (target, source, target),
        )

    def move(self, old: Path, new: Path) -> None:
        """The chat file was renamed: everything known of it goes along."""
        chat = self._tables.Chat

        chat.delete().where(chat.path == str(new)).execute()
        chat.update(path=str(new)).where(chat.path == str(old)).execute()
