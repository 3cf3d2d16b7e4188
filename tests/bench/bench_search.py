"""Searching a million messages, against a bare FTS5 query on the same index."""

from __future__ import annotations

import asyncio
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np

from app.companion import Companion, open_companion
from app.core.paths import user_folders
from app.store.search import match_of
from app.store.store import Store
from app.story.messages import digest
from tests.bench.table import IS_QUICK, Aim, Row, medians_ms

CHATS = 100
MESSAGES = 100_000 if IS_QUICK else 1_000_000
WORDS = 20  # of a message
VOCABULARY = 50_000
SLICE = 10_000
FOUND = 20
# By how many of the messages have it: ranks in the vocabulary, of which few are in most texts.
ASKED = {
    "a word of every tenth message": (20,),
    "two words, each of every thirtieth": (60, 70),
    "a rare word": (8_000,),
}
BARE = (
    "SELECT rowid, snippet(message_words, 0, '[', ']', '…', 28), rank FROM message_words "
    f"WHERE message_words MATCH ? ORDER BY rank LIMIT {FOUND}"
)


def measure() -> list[Row]:
    """What the search sheet asks, and the same words barely."""
    with tempfile.TemporaryDirectory() as folder, asyncio.Runner() as runner:
        folders, words = user_folders(Path(folder)), _vocabulary()
        runner.run(_made(folders.database))
        _fill(folders.database, words)
        opened = open_companion(folders, watch=False)
        companion = runner.run(opened.__aenter__())
        try:
            with closing(sqlite3.connect(folders.database)) as bare:
                return [
                    _row(work, " ".join(words[place] for place in places), runner, companion, bare)
                    for work, places in ASKED.items()
                ]
        finally:
            runner.run(opened.__aexit__(None, None, None))


def _row(
    work: str,
    query: str,
    runner: asyncio.Runner,
    companion: Companion,
    bare: sqlite3.Connection,
) -> Row:
    match = match_of(query)
    expected = bare.execute(BARE, (match,)).fetchall()
    findings = runner.run(companion.search.find(query, limit=FOUND))
    if len(findings.hits) != len(expected) or not findings.is_complete:
        raise AssertionError(f"{len(findings.hits)} found of {len(expected)}")
    ours, rival = medians_ms(
        lambda: runner.run(companion.search.find(query, limit=FOUND)),
        lambda: bare.execute(BARE, (match,)).fetchall(),
    )
    name = f"search {MESSAGES:,} messages, {work}"
    return Row(name, ours, "bare FTS5 query with snippets", rival, Aim(times=2))


def _vocabulary() -> list[str]:
    dice = np.random.default_rng(5)
    letters = np.array(list("abdeilmnorstuv"))
    made = ("".join(dice.choice(letters, dice.integers(4, 11))) for _ in range(2 * VOCABULARY))
    return list(dict.fromkeys(made))[:VOCABULARY]


async def _made(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    store = Store(path)
    await store.open()
    await store.aclose()


def _fill(path: Path, words: list[str]) -> None:
    """Texts and their places as the program keeps them; the index of words made at once."""
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("PRAGMA journal_mode = off")
        ((inserted,),) = database.execute(
            "SELECT sql FROM sqlite_master WHERE name = 'message_text_in'"
        ).fetchall()
        database.execute("DROP TRIGGER message_text_in")
        database.execute("BEGIN")
        database.executemany(
            "INSERT INTO chat (id, path, is_acquainted, first_seen) VALUES (?, ?, 1, 0)",
            ((number, f"/nowhere/chat {number}.jsonl") for number in range(1, CHATS + 1)),
        )
        for first in range(0, MESSAGES, SLICE):
            texts = list(_texts(words, first))
            hashes = list(map(digest, texts))
            database.executemany(
                "INSERT INTO message_text (content_hash, text) VALUES (?, ?)",
                zip(hashes, texts, strict=True),
            )
            database.executemany(
                "INSERT INTO known_message VALUES (?, ?, ?, '', '', ?)",
                (
                    (1 + n * CHATS // MESSAGES, f"{n:x}", n % (MESSAGES // CHATS), content_hash)
                    for n, content_hash in enumerate(hashes, first)
                ),
            )
        database.execute("INSERT INTO message_words (message_words) VALUES ('rebuild')")
        database.execute(inserted)
        database.execute("COMMIT")


def _texts(words: list[str], first: int) -> Iterator[str]:
    """Some texts; a word is the rarer, the further behind it stands in the vocabulary."""
    dice = np.random.default_rng(first)
    # The inverse of a distribution by 1 / (rank + 7).
    spread = (VOCABULARY + 7) / 7
    ranks = 7 * spread ** dice.random((SLICE, WORDS)) - 7
    for number, row in enumerate(ranks.astype(int).clip(0, VOCABULARY - 1).tolist(), first):
        yield f"{' '.join([words[rank] for rank in row])} {number}."
