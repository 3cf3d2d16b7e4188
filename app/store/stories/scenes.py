"""Scene breaks of a chat, and where a model looked for them."""

from __future__ import annotations

from collections.abc import Iterable

from app.store.database.database import Database
from app.store.stories.chats import BREAK_COLUMNS
from app.story.break_search import Searched
from app.story.scenes import BreakOrigin, SceneBreak


class Scenes:
    """Reads and writes scene breaks by (chat, anchor)."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._table = database.tables.SceneBreak
        self._searched = database.tables.SearchedRange

    def breaks(self, chat_id: int) -> dict[str, SceneBreak]:
        """All breaks of the chat by anchor, hidden ones too."""
        table = self._table

        rows = (
            table.select(
                table.anchor,
                table.origin,
                table.cue,
                table.confidence,
                table.name,
                table.is_visible,
                table.is_collapsed,
                table.rationale,
                table.is_named,
            )
            .where(table.chat_id == chat_id)
            .tuples()
        )
        return {
            anchor: SceneBreak(
                anchor=anchor,
                origin=BreakOrigin(origin),
                cue=cue,
                confidence=confidence,
                name=name,
                is_visible=bool(visible),
                is_collapsed=bool(collapsed),
                rationale=rationale,
                is_named=bool(named),
            )
            for anchor, origin, cue, confidence, name, visible, collapsed, rationale, named in rows
        }

    def save(self, chat_id: int, breaks: Iterable[SceneBreak]) -> None:
        """Write the breaks, replacing those on the same messages."""
        changed = ", ".join(f"{name} = excluded.{name}" for name in BREAK_COLUMNS.split(", ")[1:])
        self._write(chat_id, breaks, f"DO UPDATE SET {changed}")

    def add(self, chat_id: int, breaks: Iterable[SceneBreak]) -> None:
        """Write the breaks of messages that have none, neither a shown nor a hidden one."""
        self._write(chat_id, breaks, "DO NOTHING")

    def _write(self, chat_id: int, breaks: Iterable[SceneBreak], otherwise: str) -> None:
        """otherwise: what is done where a message has one."""
        fields = BREAK_COLUMNS.split(", ")
        rows = [
            (
                *(chat_id, b.anchor, b.origin.value, b.cue, b.confidence, b.name),
                *(int(b.is_visible), int(b.is_collapsed), b.rationale, int(b.is_named)),
            )
            for b in breaks
        ]
        self._database.execute_many(
            f"INSERT INTO scene_break (chat_id, {BREAK_COLUMNS}) "
            f"VALUES ({', '.join('?' * (len(fields) + 1))}) "
            f"ON CONFLICT (chat_id, anchor) {otherwise}",
            rows,
        )

    def searched(self, chat_id: int) -> tuple[Searched, ...]:
        """Ranges of the chat in which a model found no break."""
        table = self._searched
        rows = (
            table.select(
                table.first,
                table.last,
                table.shown_first,
                table.shown_last,
                table.digest,
                table.searcher,
                table.is_forced,
            )
            .where(table.chat_id == chat_id)
            .order_by(table.id)
            .tuples()
        )
        return tuple(
            Searched(first, last, shown_first, shown_last, digest, by, bool(forced))
            for first, last, shown_first, shown_last, digest, by, forced in rows
        )

    def add_searched(self, chat_id: int, row: Searched) -> None:
        """Remember a range that gave nothing, in place of what was known of the same range."""
        table = self._searched
        key = {
            "chat_id": chat_id,
            "first": row.first,
            "last": row.last,
            "is_forced": int(row.is_forced),
        }
        value = {
            "shown_first": row.shown_first,
            "shown_last": row.shown_last,
            "digest": row.digest,
            "searcher": row.by,
        }
        table.insert(**key, **value).on_conflict(
            conflict_target=[table.chat_id, table.first, table.last, table.is_forced],
            update=value,
        ).execute()
