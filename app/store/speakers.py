"""Who wrote which message, for the search; for the database's own thread."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from app.store.database.database import Database

LONGEST_NAME = 200
_IN_STATEMENT = 500


class Speakers:
    """Names by chat and anchor. A message whose writer was not noted yet has none."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, chat_id: int, written: Iterable[tuple[str, str]]) -> int:
        """Note (anchor, name) of messages; gives how many were new or had another name."""
        named = {anchor: _plain(name) for anchor, name in written}
        numbers = self._numbers(set(named.values()))
        anchors, changed = list(named), 0
        for first in range(0, len(anchors), _IN_STATEMENT):
            some = anchors[first : first + _IN_STATEMENT]
            noted = dict(
                self._database.execute(
                    "SELECT anchor, speaker FROM message_speaker "
                    f"WHERE chat_id = ? AND anchor IN ({', '.join('?' * len(some))})",
                    (chat_id, *some),
                )
            )
            rows = [
                (chat_id, anchor, numbers[named[anchor]])
                for anchor in some
                if noted.get(anchor) != numbers[named[anchor]]
            ]
            self._database.execute_many(
                "INSERT INTO message_speaker (chat_id, anchor, speaker) VALUES (?, ?, ?) "
                "ON CONFLICT (chat_id, anchor) DO UPDATE SET speaker = excluded.speaker",
                rows,
            )
            changed += len(rows)
        return changed

    def called(self, parts: Sequence[str]) -> list[int]:
        """Numbers of those with one of these, casefolded, in their name."""
        return [
            number
            for number, name in self._database.execute("SELECT id, name FROM speaker")
            if any(part in name.casefold() for part in parts)
        ]

    def chats(self) -> list[tuple[int, str]]:
        """Number and file of all chats that were read, the newest first."""
        return list(
            self._database.execute(
                "SELECT id, path FROM chat WHERE instr(path, char(31)) = 0 ORDER BY id DESC"
            )
        )

    def is_lacking(self, chat_id: int) -> bool:
        """Whether the writer of a message that a chat shows was not noted yet."""
        return bool(
            self._database.execute(
                "SELECT 1 FROM known_message k WHERE k.chat_id = ?1 AND k.position >= 0 "
                "AND NOT EXISTS (SELECT 1 FROM message_speaker s "
                "WHERE s.chat_id = ?1 AND s.anchor = k.anchor) LIMIT 1",
                (chat_id,),
            )
        )

    def _numbers(self, names: set[str]) -> dict[str, int]:
        found: dict[str, int] = {}
        for name in names:  # a few
            asked = "SELECT id FROM speaker WHERE name = ?"
            rows = self._database.execute(asked, (name,))
            if not rows:
                self._database.execute("INSERT INTO speaker (name) VALUES (?)", (name,))
                rows = self._database.execute(asked, (name,))
            found[name] = rows[0][0]
        return found


def _plain(name: str) -> str:
    """A name as it is kept; NUL and halves of signs are none of SQLite's letters."""
    return name[:LONGEST_NAME].replace("\0", " ").encode("utf-8", "replace").decode()
