"""The words of memories and messages, and finding them; for the database's own thread."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from unicodedata import normalize

import msgspec

from app.store.database.database import Database

# Around what was found, in snippets; no text that is indexed has them.
FOUND, OVER = "\ue000", "\ue001"
LONGEST_TEXT = 200_000  # characters of one message that are indexed
LONGEST_QUERY = 2_000
MOST_WORDS = 24
PREFIX_LETTERS = 3  # shorter words are found whole
SNIPPET_WORDS = 28
_IN_STATEMENT = 500
# Scripts without spaces: each sign is a word, and what belongs together is looked for in order.
_SIGN = re.compile("([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])")
_GAP = "\u200b"
_SLASH = re.compile(r"[\\/]")
_WORD = re.compile(r"[^\W_]+")
_MARKED = re.compile(f"[{FOUND}{OVER}{_GAP}\0]")
_MARKS = str.maketrans({FOUND: None, OVER: None, _GAP: None, "\0": " "})


@dataclass(frozen=True, slots=True)
class Place:
    """Where a text stands: chat (its name, its number), message index and anchor. is_doubtful:
    somebody was asked for, and nobody noted yet who wrote this one.
    """

    chat: str
    chat_id: int
    index: int
    anchor: str
    is_doubtful: bool = False


@dataclass(frozen=True, slots=True)
class FoundText:
    """One find. row: memory id, or content hash of a message. score: more is better. snippet: with
    FOUND and OVER around the words.
    """

    row: str
    text: str
    snippet: str
    score: float


def indexed(text: str) -> str:
    """A text as its words are indexed."""
    text = text[:LONGEST_TEXT].encode("utf-8", "replace").decode()
    if _MARKED.search(text):  # hardly any; to translate takes thirty times as long as to look
        text = text.translate(_MARKS)
    return text if text.isascii() else _SIGN.sub(rf"\1{_GAP}", text)


def shown(text: str) -> str:
    """An indexed text as it was."""
    return text.replace(_GAP, "")


def match_of(query: str, *, any_word: bool = False) -> str:
    """What the index is asked; "" when there is no word in it. All of a query is plain words."""
    asked = normalize("NFC", query[:LONGEST_QUERY].translate(_MARKS))
    words = dict.fromkeys(indexed(word).strip(_GAP) for word in _WORD.findall(asked))
    terms = [
        f'"{word}"{"*" if len(word) >= PREFIX_LETTERS and _GAP not in word else ""}'
        for word in list(words)[:MOST_WORDS]
    ]
    return (" OR " if any_word else " AND ").join(terms)


def match_with(match: str, phrases: Iterable[str] = (), without: Iterable[str] = ()) -> str:
    """What `match_of` gives, narrowed: with these words as they stand, without those.

    "" when nothing is looked for; leaving out alone finds nothing.
    """
    wanted = [f"({match})"] if match else []
    spoken = (_WORD.findall(indexed(normalize("NFC", p.translate(_MARKS)))) for p in phrases)
    wanted += [f'"{" ".join(words[:MOST_WORDS])}"' for words in spoken if words]
    left_out = match_of(" ".join(without), any_word=True)
    asked = " AND ".join(wanted)
    return f"({asked}) NOT ({left_out})" if asked and left_out else asked


class SearchIndex:
    """Keeps and asks the indexes of words."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add_messages(self, messages: Iterable[tuple[str, str]]) -> int:
        """Index texts that are new: (content hash, text); gives how many were."""
        texts = dict(messages)
        hashes = list(texts)
        for first in range(0, len(hashes), _IN_STATEMENT):
            some = hashes[first : first + _IN_STATEMENT]
            marks = ", ".join("?" * len(some))
            known = self._database.execute(
                f"SELECT content_hash FROM message_text WHERE content_hash IN ({marks})",
                tuple(some),
            )
            for (content_hash,) in known:
                del texts[content_hash]
        self._database.execute_many(
            "INSERT OR IGNORE INTO message_text (content_hash, text) VALUES (?, ?)",
            [(content_hash, indexed(text)) for content_hash, text in texts.items()],
        )
        return len(texts)

    def drop_unused(self) -> None:
        """Forget the words of messages that no chat shows any more."""
        self._database.execute(
            "DELETE FROM message_text WHERE content_hash NOT IN "
            "(SELECT content_hash FROM known_message WHERE position >= 0)"
        )

    def add_memories(self) -> None:
        """Index memories that are new or read otherwise."""
        rows = self._database.execute(
            "SELECT m.id, m.text, m.body FROM memory_unindexed u JOIN memory m ON m.id = u.id"
        )
        if rows:
            texts = [(number, indexed(_words_of(text, body))) for number, text, body in rows]
            self._database.execute_many(
                "INSERT INTO memory_text (id, text) VALUES (?, ?) "
                "ON CONFLICT (id) DO UPDATE SET text = excluded.text",
                texts,
            )
        self._database.execute("DELETE FROM memory_unindexed")

    def messages(
        self,
        match: str,
        limit: int,
        *,
        chats: Sequence[int] | None = None,
        speakers: Sequence[int] | None = None,
    ) -> list[FoundText]:
        """Messages that fit, best first. chats: numbers of those to look in, None for all.

        speakers: numbers of those who may have written them, None for all; a message whose writer
        was not noted yet counts as one of theirs.
        """
        return self._found(
            "message_words", "message_text t ON t.id = w.rowid", "t.content_hash", match, limit,
            f"EXISTS (SELECT 1 FROM {_known(speakers)} WHERE k.content_hash = t.content_hash "
            f"AND k.position >= 0{_among('k.chat_id', chats)}{_written_by(speakers)})",
        )  # fmt: skip

    def memories(
        self,
        match: str,
        limit: int,
        *,
        chats: Sequence[int] | None = None,
        tiers: Sequence[str] = (),
    ) -> list[FoundText]:
        """Memories that fit, best first; those of a look at an earlier moment are copies.

        tiers: of these only; none for all.
        """
        some = ", ".join(f"'{tier}'" for tier in tiers if tier.isidentifier())
        return self._found(
            "memory_words", "memory t ON t.id = w.rowid JOIN chat c ON c.id = t.chat_id",
            "t.memory_id", match, limit,
            f"t.is_deleted = 0 AND instr(c.path, char(31)) = 0{_among('c.id', chats)}"
            + (f" AND t.tier IN ({some})" if some else ""),
        )  # fmt: skip

    def chats_called(self, parts: Iterable[str]) -> list[int]:
        """Numbers of the chats with one of these, casefolded, in its file's name or folder's."""
        rows = self._database.execute("SELECT id, path FROM chat WHERE instr(path, char(31)) = 0")
        wanted = tuple(parts)
        return [
            number
            for number, path in rows
            if any(part in "/".join(_SLASH.split(path)[-2:]).casefold() for part in wanted)
        ]

    def chats_below(self, folder: str) -> list[int]:
        """Numbers of the chats in a folder or below it."""
        rows = self._database.execute("SELECT id, path FROM chat WHERE instr(path, char(31)) = 0")
        begin = f"{folder}{os.sep}"
        return [number for number, path in rows if path.startswith(begin)]

    def chat_at(self, path: str) -> list[int]:
        """The number of the chat with this file, in a list; none when it was never read."""
        return [
            row[0] for row in self._database.execute("SELECT id FROM chat WHERE path = ?", (path,))
        ]

    def _found(
        self, words: str, joined: str, key: str, match: str, limit: int, where: str
    ) -> list[FoundText]:
        # The index gives its rows in their order, so that snippets are made of the best ones only.
        rows = self._database.execute(
            f"SELECT {key}, t.text, w.rank, snippet({words}, 0, ?, ?, '…', ?) "
            f"FROM {words} w JOIN {joined} "
            f"WHERE {words} MATCH ? AND {where} ORDER BY w.rank LIMIT ?",
            (FOUND, OVER, SNIPPET_WORDS, match, limit),
        )
        return [
            FoundText(row, shown(text), shown(snippet), -score)
            for row, text, score, snippet in rows
        ]

    def places(
        self,
        content_hashes: Sequence[str],
        *,
        chats: Sequence[int] | None = None,
        speakers: Sequence[int] | None = None,
    ) -> dict[str, list[Place]]:
        """Where texts are shown now, the newest chat first, those of doubt last.

        content_hashes: of a few texts; one that no chat shows any more is not in the answer.
        """
        doubt = "0" if speakers is None else "s.speaker IS NULL"
        rows = self._database.execute(
            f"SELECT c.path, c.id, k.position, k.anchor, {doubt}, k.content_hash "
            f"FROM {_known(speakers)} JOIN chat c ON c.id = k.chat_id "
            f"WHERE k.content_hash IN ({', '.join('?' * len(content_hashes))}) "
            "AND k.position >= 0 AND "
            f"instr(c.path, char(31)) = 0{_among('c.id', chats)}{_written_by(speakers)} "
            "ORDER BY 5, c.id DESC, k.position",
            tuple(content_hashes),
        )
        found: dict[str, list[Place]] = {}
        for path, chat_id, index, anchor, is_doubtful, content_hash in rows:
            place = Place(path, chat_id, index, anchor, bool(is_doubtful))
            found.setdefault(content_hash, []).append(place)
        return found

    def place(self, chat_id: int, anchor: str) -> Place | None:
        """Where a message stands now, None when it is gone."""
        rows = self._database.execute(
            "SELECT c.path, c.id, k.position, k.anchor FROM known_message k "
            "JOIN chat c ON c.id = k.chat_id WHERE k.chat_id = ? AND k.anchor = ? "
            "AND k.position >= 0",
            (chat_id, anchor),
        )
        return Place(*rows[0]) if rows else None


def _among(column: str, numbers: Sequence[int] | None) -> str:
    return "" if numbers is None else f" AND {column} IN ({', '.join(map(str, numbers))})"


def _known(speakers: Sequence[int] | None) -> str:
    return "known_message k" + (
        ""
        if speakers is None
        else " LEFT JOIN message_speaker s ON s.chat_id = k.chat_id AND s.anchor = k.anchor"
    )


def _written_by(speakers: Sequence[int] | None) -> str:
    if speakers is None:
        return ""
    return f" AND (s.speaker IS NULL OR s.speaker IN ({', '.join(map(str, speakers))}))"


class _Told(msgspec.Struct):
    """Of a memory's body, what its words are looked for in too."""

    subject: str = ""
    target: str = ""
    detail: str = ""


_decode = msgspec.json.Decoder(_Told).decode


def _words_of(text: str, body: str) -> str:
    told = _decode(body)
    parts: Sequence[str] = (told.subject, told.target, text, told.detail)
    return "\n".join(filter(None, parts))
