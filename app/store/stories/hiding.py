"""Which messages of a chat Tavernkeep hid from SillyTavern's own prompt."""

from __future__ import annotations

from collections.abc import Mapping

from app.store.database.database import Database
from app.story.auto_hide import HideState


class Hiding:
    """Reads and writes what is remembered of hidden messages, by (chat, anchor)."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def states(self, chat_id: int) -> dict[str, HideState]:
        """What is remembered of a chat's messages, by anchor."""
        rows = self._database.execute(
            "SELECT anchor, state FROM auto_hidden WHERE chat_id = ?", (chat_id,)
        )
        return {anchor: HideState(state) for anchor, state in rows}

    def save(self, chat_id: int, states: Mapping[str, HideState]) -> None:
        """Remember this of the chat's messages, and nothing else."""
        self._database.execute("DELETE FROM auto_hidden WHERE chat_id = ?", (chat_id,))
        self._database.execute_many(
            "INSERT INTO auto_hidden (chat_id, anchor, state) VALUES (?, ?, ?)",
            [(chat_id, anchor, state.value) for anchor, state in states.items()],
        )
