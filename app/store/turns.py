"""The last turns of each chat, as they were sent."""

from __future__ import annotations

import zlib
from dataclasses import replace

import msgspec

from app.prompt.turns import KEPT_TURNS, FinalPrompt, SentTurn
from app.store.database.database import Database


class Turns:
    """Plain functions of the database's thread. Prompts are story text and long: packed."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def save(self, chat_id: int, turn: SentTurn) -> int:
        """Keep a turn as the newest of its chat; gives its number. Older than the last are gone."""
        execute = self._database.execute
        values = (chat_id, turn.moment, _packed(_bare(turn)), _prompt(turn.prompt))
        ((number,),) = execute(
            "INSERT INTO turn (chat_id, moment, record, prompt) VALUES (?, ?, ?, ?) RETURNING id",
            values,
        )
        execute(
            "DELETE FROM turn WHERE chat_id = ?1 AND id NOT IN "
            "(SELECT id FROM turn WHERE chat_id = ?1 ORDER BY id DESC LIMIT ?2)",
            (chat_id, KEPT_TURNS),
        )
        return int(number)

    def change(self, turn: SentTurn) -> None:
        """Keep what the page told of a turn; one that is gone stays so."""
        self._database.execute(
            "UPDATE turn SET record = ?, prompt = ? WHERE id = ?",
            (_packed(_bare(turn)), _prompt(turn.prompt), turn.id),
        )

    def of(self, chat_id: int) -> tuple[SentTurn, ...]:
        """The turns of a chat without their prompts, newest first."""
        rows = self._database.execute(
            "SELECT id, record, prompt IS NOT NULL, NULL FROM turn WHERE chat_id = ? "
            "ORDER BY id DESC",
            (chat_id,),
        )
        return tuple(_turn(*row) for row in rows)

    def whole(self, number: int) -> SentTurn | None:
        """A turn with its prompt, None when it is gone."""
        rows = self._database.execute(
            "SELECT id, record, prompt IS NOT NULL, prompt FROM turn WHERE id = ?", (number,)
        )
        return _turn(*rows[0]) if rows else None

    def newest_with_prompt(self, chat_id: int) -> int | None:
        """Number of a chat's newest turn whose prompt is kept, None where none is."""
        rows = self._database.execute(
            "SELECT id FROM turn WHERE chat_id = ? AND prompt IS NOT NULL ORDER BY id DESC LIMIT 1",
            (chat_id,),
        )
        return int(rows[0][0]) if rows else None

    def before(self, chat_id: int, number: int) -> SentTurn | None:
        """The turn before another one, with its prompt."""
        rows = self._database.execute(
            "SELECT id, record, prompt IS NOT NULL, prompt FROM turn "
            "WHERE chat_id = ? AND id < ? ORDER BY id DESC LIMIT 1",
            (chat_id, number),
        )
        return _turn(*rows[0]) if rows else None

    def forget(self, chat_id: int) -> None:
        """Drop all turns of a chat."""
        self._database.execute("DELETE FROM turn WHERE chat_id = ?", (chat_id,))

    def forget_prompts(self, chat_id: int) -> None:
        """Drop the prompts of a chat's turns; which slots they had stays."""
        self._database.execute("UPDATE turn SET prompt = NULL WHERE chat_id = ?", (chat_id,))


def _bare(turn: SentTurn) -> SentTurn:
    return replace(turn, id=0, has_prompt=False, prompt=None)


def _packed(value: object) -> bytes:
    return zlib.compress(msgspec.msgpack.encode(value), 6)


def _prompt(prompt: FinalPrompt | None) -> bytes | None:
    return None if prompt is None else _packed(prompt)


def _turn(number: int, record: bytes, has_prompt: int, prompt: bytes | None) -> SentTurn:
    turn = msgspec.msgpack.decode(zlib.decompress(record), type=SentTurn)
    told = None
    if prompt is not None:
        told = msgspec.msgpack.decode(zlib.decompress(prompt), type=FinalPrompt)
    return replace(turn, id=number, has_prompt=bool(has_prompt), prompt=told)
