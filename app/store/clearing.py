"""Clearing a chat's memory: all of it is put away in one step, and all of it comes back by undo."""

from __future__ import annotations

import json
from typing import Any

from app.store.database.database import Database
from app.store.stories.recaps import Recaps
from app.store.undo import before_undo
from app.story.clearance import Clearance, Forgotten
from app.story.messages import MessageRecap

MESSAGE = "message"
SCENE = "scene"

# Rows go; what has numbers that are never given again is only marked.
_REMOVED = ("message_recap", "scene_break", "searched_range", "scene_recap_choice")
_CHOICE = "running_choice"
_MARKED = ("scene_recap", "running_version")


class Clearing:
    """Counts, clears and remembers what was cleared; plain functions of the database's thread."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._recaps = Recaps(database)

    def counts(self, chat_id: int) -> Clearance:
        """What `clear` would take away."""
        recaps = (
            "FROM message_recap r LEFT JOIN known_message k "
            "ON k.chat_id = r.chat_id AND k.anchor = r.anchor "
            "WHERE r.chat_id = :chat AND r.text != '' AND r.source_hash IS{} k.content_hash"
        )
        return Clearance(
            messages=self._number(
                "FROM (SELECT anchor FROM message_recap WHERE chat_id = :chat UNION "
                "SELECT anchor FROM scene_break WHERE chat_id = :chat UNION "
                "SELECT anchor FROM scene_recap WHERE chat_id = :chat AND is_deleted = 0)",
                chat_id,
            ),
            message_recaps=self._number(recaps.format(""), chat_id),
            scene_recaps=self._number(
                "FROM (SELECT DISTINCT anchor FROM scene_recap "
                "WHERE chat_id = :chat AND is_deleted = 0)",
                chat_id,
            ),
            scene_breaks=self._number("FROM scene_break WHERE chat_id = :chat", chat_id),
            searched=self._number("FROM searched_range WHERE chat_id = :chat", chat_id),
            swipe_recaps=self._number(recaps.format(" NOT"), chat_id),
            running_versions=self._number(
                "FROM running_version WHERE chat_id = :chat AND is_deleted = 0", chat_id
            ),
        )

    def clear(self, chat_id: int) -> None:
        """Put everything away; inside of an action that can be undone.

        Its undo first removes what was made anew meanwhile: both cannot stand in one place.
        """
        execute, chat = self._database.execute, (chat_id,)
        execute(
            "INSERT OR IGNORE INTO cleared (chat_id, anchor, kind, value) "
            "SELECT chat_id, anchor, ?, json_array(text, error, is_edited, is_excluded, "
            "is_remembered, source_hash) FROM message_recap WHERE chat_id = ?",
            (MESSAGE, chat_id),
        )
        execute(
            "INSERT OR IGNORE INTO cleared (chat_id, anchor, kind, value) SELECT ?1, anchor, ?2, "
            "'' FROM (SELECT anchor FROM scene_break WHERE chat_id = ?1 UNION "
            "SELECT anchor FROM scene_recap WHERE chat_id = ?1 AND is_deleted = 0)",
            (chat_id, SCENE),
        )
        for table in (*_REMOVED, _CHOICE):
            execute(f"DELETE FROM {table} WHERE chat_id = ?", chat)
        execute("UPDATE scene_recap SET is_deleted = 1 WHERE chat_id = ? AND is_deleted = 0", chat)
        # Retired too, or the scenes that they held would count as told for good.
        execute(
            "UPDATE running_version SET is_retired = 1 WHERE chat_id = ? AND is_retired = 0", chat
        )
        execute(
            "UPDATE running_version SET is_deleted = 1 WHERE chat_id = ? AND is_deleted = 0", chat
        )
        for table in (*_REMOVED, _CHOICE):
            before_undo(self._database, f"DELETE FROM {table} WHERE chat_id = {int(chat_id)}")
        for table in _MARKED:
            before_undo(
                self._database,
                f"UPDATE {table} SET is_deleted = 2 "
                f"WHERE chat_id = {int(chat_id)} AND is_deleted = 0",
            )

    def forgotten(self, chat_id: int) -> Forgotten:
        """What was put away of a chat and may still stand in its file."""
        rows = self._database.execute(
            "SELECT anchor, kind, value FROM cleared WHERE chat_id = ? ORDER BY id", (chat_id,)
        )
        messages: dict[str, list[MessageRecap]] = {}
        for anchor, kind, value in rows:
            if kind == MESSAGE:
                messages.setdefault(anchor, []).append(_recap_of(json.loads(value)))
        return Forgotten(
            running=self._recaps.deleted_running(chat_id),
            scene_recaps=self._recaps.deleted_scene_recaps(chat_id),
            messages={anchor: tuple(records) for anchor, records in messages.items()},
            scenes=frozenset(anchor for anchor, kind, _ in rows if kind == SCENE),
        )

    def _number(self, source: str, chat_id: int) -> int:
        rows = self._database.execute(
            f"SELECT count(*) {source}".replace(":chat", "?1"), (chat_id,)
        )
        return int(rows[0][0])


def _recap_of(value: Any) -> MessageRecap:
    text, error, edited, excluded, remembered, source_hash = value
    return MessageRecap(
        text=text,
        is_excluded=bool(excluded),
        is_remembered=bool(remembered),
        is_edited=bool(edited),
        error=error,
        source_hash=source_hash,
    )
