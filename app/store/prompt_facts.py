"""What was learned of a chat's prompts: how much they hold, and what of it never changes."""

from __future__ import annotations

from dataclasses import dataclass, field

from app.store.database.database import Database


@dataclass(frozen=True, slots=True)
class PromptFacts:
    """Of one chat and connection. context: tokens that a prompt may take, None while unknown.
    fixed: by responder, tokens of what is neither slots nor chat.
    """

    context: int | None = None
    fixed: dict[str, int] = field(default_factory=dict)


class StoredPromptFacts:
    """Plain functions of the database's thread."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, chat_id: int, connection: str | None = None) -> PromptFacts:
        """Of a chat by this connection; None: by the one that it was used with last.

        A chat that had no turn yet gets the context that the connection had last.
        """
        if connection is None:
            rows = self._database.execute(
                "SELECT connection FROM prompt_fact ORDER BY chat_id = ? DESC, seen DESC LIMIT 1",
                (chat_id,),
            )
            connection = str(rows[0][0]) if rows else ""
        rows = self._database.execute(
            "SELECT chat_id, responder, context, fixed FROM prompt_fact WHERE connection = ? "
            "ORDER BY chat_id = ? DESC, seen DESC",
            (connection, chat_id),
        )
        fixed = {str(r): int(f) for number, r, _, f in rows if number == chat_id and f is not None}
        return PromptFacts(int(rows[0][2]) if rows else None, fixed)

    def save(
        self,
        chat_id: int,
        connection: str,
        responder: str,
        context: int,
        moment: float,
        *,
        fixed: int | None = None,
    ) -> None:
        """Remember a turn; fixed: None where it is not known, or as before. moment: seconds since
        the epoch.
        """
        self._database.execute(
            "INSERT INTO prompt_fact VALUES (?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (chat_id, connection, responder) DO UPDATE SET "
            "context = excluded.context, fixed = COALESCE(excluded.fixed, fixed), "
            # Also by a clock that was set back since.
            "seen = MAX(excluded.seen, seen + 0.001)",
            (chat_id, connection, responder, context, fixed, moment),
        )
