"""Chats and the messages known in them, by anchor."""

from __future__ import annotations

import time
from collections.abc import Container, Sequence
from functools import partial
from pathlib import Path

from app.store.database.database import Database
from app.story.anchors import KnownMessage
from app.story.doubtful_breaks import ASKED
from app.story.recaps import FOREIGN

RETIRED = -1

BREAK_COLUMNS = (
    "anchor, origin, cue, confidence, name, is_visible, is_collapsed, rationale, is_named"
)
SEARCHED_COLUMNS = "first, last, shown_first, shown_last, digest, searcher, is_forced"
RECAP_COLUMNS = (
    "anchor, version, name, text, source_digest, made_by, created, stored, is_deleted, combined_at"
)
RUNNING_COLUMNS = (
    "version, content, scene_count, first_anchor, last_anchor, made_by, created, reason, "
    "is_deleted, is_retired"
)
MESSAGE_COLUMNS = (
    "anchor, text, is_excluded, is_remembered, is_edited, error, source_hash, reasoning, prefill, "
    "absence, swipe, taken_from"
)


# A chat seen as if it ended earlier is kept under a name that no file can have.
_UNTIL = "\x1funtil "


def view_name(path: Path, until: int) -> str:
    """The name of a chat seen as if this message (its index) were the last."""
    return f"{path}{_UNTIL}{until}"


def split_name(name: str) -> tuple[Path, int | None]:
    """A name as path and last message, None for the whole chat."""
    path, _, until = name.partition(_UNTIL)
    return Path(path), int(until) if until else None


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

    def is_known(self, name: str) -> bool:
        """Whether a chat of this name was ever read."""
        chat = self._tables.Chat
        return bool(chat.select().where(chat.path == name).exists())

    def is_acquainted(self, chat_id: int) -> bool:
        """Whether what a chat came with was taken in (app/work/chats/importing/first_import.py)."""
        chat = self._tables.Chat
        return bool(chat.select().where((chat.id == chat_id) & chat.is_acquainted).exists())

    def set_acquainted(self, chat_id: int) -> None:
        """Note that what a chat came with was taken in, all of it."""
        chat = self._tables.Chat
        chat.update(is_acquainted=1).where(chat.id == chat_id).execute()

    def forget_all_views_but_newest(self, kept: int) -> None:
        """Delete all that is known of chats that were seen as if they ended earlier, but the
        newest.
        """
        chat = self._tables.Chat
        matching = chat.path ** f"%{_UNTIL}%"
        newest = chat.select(chat.id).where(matching).order_by(chat.id.desc()).limit(kept)
        chat.delete().where(matching & chat.id.not_in(newest)).execute()

    def with_integrity(self, slug: str) -> tuple[tuple[int, str], ...]:
        """Number and name of the chats that SillyTavern gave this slug; branches may share it."""
        chat = self._tables.Chat
        rows = chat.select(chat.id, chat.path).where((chat.integrity == slug) & (slug != ""))
        return tuple(rows.order_by(chat.id).tuples())

    def set_integrity(self, chat_id: int, slug: str) -> None:
        """Note SillyTavern's slug of a chat."""
        chat = self._tables.Chat
        chat.update(integrity=slug).where(chat.id == chat_id).execute()

    def path_of(self, chat_id: int) -> str | None:
        """The name given to `id_of`, None for a number that is not known."""
        chat = self._tables.Chat
        row = chat.select(chat.path).where(chat.id == chat_id).tuples().first()
        return None if row is None else str(row[0])

    def paths(self) -> dict[int, str]:
        """Every number with the name that was given to `id_of`."""
        return dict(self._tables.Chat.select(self._tables.Chat.id, self._tables.Chat.path).tuples())

    def known(self, chat_id: int) -> tuple[tuple[KnownMessage, ...], tuple[KnownMessage, ...]]:
        """The messages at the last reading in their order, and those that are there no more."""
        rows = self._database.execute(
            "SELECT position, anchor, identity, weak_identity, content_hash FROM known_message "
            "WHERE chat_id = ? ORDER BY position",
            (chat_id,),
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
        # In the order that they are stored in: a long chat's pages are written once each.
        values = sorted(
            (chat_id, m.anchor, position, m.identity, m.weak_identity, m.content_hash)
            for position, m in messages
        )
        self._database.execute_many(statement, values)

    def copy_knowledge(
        self,
        source: int,
        target: int,
        *,
        before: int,
        held: Container[str] = frozenset(),
        with_recaps: bool = True,
    ) -> None:
        """Let a chat that shares its beginning with another know the same of it.

        Messages below index `before`, and what hangs on them; what the target knows already
        stays. held: identities of the target's messages, of which the source may have lost some:
        what it knew of those comes along, and they are RETIRED until they are read. with_recaps:
        scenes and recaps too, otherwise only what was done by hand.
        """
        execute = self._database.execute
        execute(
            "INSERT OR IGNORE INTO known_message "
            "SELECT ?, anchor, position, identity, weak_identity, content_hash FROM known_message "
            "WHERE chat_id = ? AND position >= 0 AND position < ? "
            "AND NOT EXISTS (SELECT 1 FROM known_message WHERE chat_id = ?)",
            (target, source, before, target),
        )
        lowest = RETIRED if held and self._copy_lost(source, target, held) else 0
        copy = partial(self._copy, source, target, lowest)
        copy("scene_break", BREAK_COLUMNS, more="" if with_recaps else " AND origin != 'heuristic'")
        copy("searched_range", SEARCHED_COLUMNS, "shown_last")
        # What was asked about a stretch holds for its beginning, too.
        copy("searched_range", SEARCHED_COLUMNS, "first", more=f" AND searcher LIKE '{ASKED}:%'")
        copy("message_recap", MESSAGE_COLUMNS)
        copy("cleared", "anchor, kind, value")
        copy("auto_hidden", "anchor, state")
        if with_recaps:
            copy("scene_recap", RECAP_COLUMNS)
            copy("scene_recap_choice", "anchor, version")
            copy("running_version", RUNNING_COLUMNS, "last_anchor")
            # What covers no scene, such as a text by hand before the first one, holds here, too.
            execute(
                f"INSERT OR IGNORE INTO running_version (chat_id, {RUNNING_COLUMNS}) "
                f"SELECT ?, {RUNNING_COLUMNS} FROM running_version "
                "WHERE chat_id = ? AND last_anchor = ''",
                (target, source),
            )
            self._choose_as_in(source, target)

    def _choose_as_in(self, source: int, target: int) -> None:
        """Let the running recap that counts in a chat count in another, where one counts there.

        Where the other has no such version, as it ends before, that is the newest of its kind:
        usable, or set aside as one that a rebuild leaves in the prompt until it reaches as far.
        """
        self._database.execute(
            "INSERT OR IGNORE INTO running_choice (chat_id, version) "
            "SELECT mine.chat_id, mine.version FROM running_version AS mine "
            "JOIN running_choice AS choice ON choice.chat_id = ? "
            "LEFT JOIN running_version AS chosen ON chosen.chat_id = choice.chat_id "
            "AND chosen.version = choice.version AND chosen.is_deleted = 0 "
            "WHERE mine.chat_id = ? AND mine.is_deleted = 0 "
            "ORDER BY mine.version = chosen.version DESC, "
            "mine.is_retired = coalesce(chosen.is_retired, 0) DESC, "
            "mine.reason = ?, mine.version DESC LIMIT 1",
            (source, target, FOREIGN),
        )

    def _copy_lost(self, source: int, target: int, held: Container[str]) -> int:
        """How many messages the source has lost that the target holds; they are RETIRED there."""
        lost = [m for m in self.known(source)[1] if m.identity in held]
        self._database.execute_many(
            "INSERT OR IGNORE INTO known_message "
            "(chat_id, anchor, position, identity, weak_identity, content_hash) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            [
                (target, m.anchor, RETIRED, m.identity, m.weak_identity, m.content_hash)
                for m in lost
            ],
        )
        return len(lost)

    # 7 parameters: a table's rows from chat to chat, and what of its columns is another.
    def _copy(
        self,
        source: int,
        target: int,
        lowest: int,
        table: str,
        columns: str,
        anchor: str = "anchor",
        more: str = "",
    ) -> None:
        """Copy the rows of messages that the target has; names are our own, never from outside.

        lowest: position of the target's messages that count.
        """
        self._database.execute(
            f"INSERT OR IGNORE INTO {table} (chat_id, {columns}) "
            f"SELECT ?, {columns} FROM {table} WHERE chat_id = ? AND {anchor} IN "
            "(SELECT anchor FROM known_message WHERE chat_id = ? AND position >= ?)" + more,
            (target, source, target, lowest),
        )

    def move(self, chat_id: int, name: str) -> None:
        """The chat's file was renamed: everything known of it goes along.

        What characters keep of a chat that had this name outlives it.
        """
        chat = self._tables.Chat
        for table in ("memory", "entity", "document"):
            self._database.execute(
                f"UPDATE {table} SET chat_id = ?1 WHERE character <> '' AND chat_id IN "
                "(SELECT id FROM chat WHERE path = ?2 AND id <> ?1)",
                (chat_id, name),
            )
        chat.delete().where((chat.path == name) & (chat.id != chat_id)).execute()
        chat.update(path=name).where(chat.id == chat_id).execute()
