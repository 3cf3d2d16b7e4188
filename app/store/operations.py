"""Operations and their results, so that work survives a crash and is never paid for twice."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import msgspec

from app.operations import FINISHED, Operation, OperationKind, OperationSpec, OperationStatus
from app.store.database import Database

HISTORY_KEPT = 500


class Operations:
    """The persisted queue and the results of what is done."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._tables = database.tables

    def add(self, specs: Sequence[OperationSpec]) -> tuple[Operation, ...]:
        """Queue the specs whose work is not queued already; gives those that were added."""
        table = self._tables.Operation

        open_work = set(
            table.select(table.chat_id, table.key, table.anchor)
            .where(table.status.not_in([status.value for status in FINISHED]))
            .tuples()
        )
        added = []
        for spec in specs:
            work = (spec.chat, spec.key, spec.anchor)
            if work in open_work:
                continue
            open_work.add(work)
            now = time.time()
            number = table.insert(
                chat_id=spec.chat,
                kind=spec.kind.value,
                key=spec.key,
                anchor=spec.anchor,
                label=spec.label,
                priority=spec.priority,
                params=msgspec.json.encode(spec.params).decode(),
                status=OperationStatus.PENDING.value,
                attempts=0,
                error="",
                created=now,
                not_before=0.0,
                prompt_tokens=0,
                output_tokens=0,
                backend="",
            ).execute()
            added.append(Operation(number, spec, OperationStatus.PENDING, created=now))
        return tuple(added)

    def unfinished(self) -> tuple[Operation, ...]:
        """What is still to do, in the order of its making."""
        return self._select(finished=False, limit=None)

    def recent(self, limit: int) -> tuple[Operation, ...]:
        """The newest finished operations, newest first."""
        return self._select(finished=True, limit=limit)

    def _select(self, *, finished: bool, limit: int | None) -> tuple[Operation, ...]:
        table = self._tables.Operation
        statuses = [status.value for status in FINISHED]

        where = table.status.in_(statuses) if finished else table.status.not_in(statuses)
        order = table.id.desc() if finished else table.id
        rows = table.select().where(where).order_by(order).limit(limit).dicts()
        return tuple(_operation(row) for row in rows)

    def update(self, operation: Operation) -> None:
        """Write where the operation stands now."""
        table = self._tables.Operation
        values = {
            "status": operation.status.value,
            "attempts": operation.attempts,
            "error": operation.error,
            "started": operation.started,
            "finished": operation.finished,
            "not_before": operation.not_before,
            "prompt_tokens": operation.prompt_tokens,
            "output_tokens": operation.output_tokens,
            "backend": operation.backend,
        }
        table.update(**values).where(table.id == operation.id).execute()

    def recover(self) -> None:
        """After a crash: what was running is pending again; long history is let go."""
        table = self._tables.Operation
        finished = [status.value for status in FINISHED]

        table.update(status=OperationStatus.PENDING.value).where(
            table.status == OperationStatus.RUNNING.value
        ).execute()
        kept = (
            table.select(table.id)
            .where(table.status.in_(finished))
            .order_by(table.id.desc())
            .limit(HISTORY_KEPT)
        )
        table.delete().where(table.status.in_(finished) & table.id.not_in(kept)).execute()

    def result(self, key: str) -> Any | None:
        """What an operation of this key made before, in any chat; None when nothing."""
        table = self._tables.Result

        row = table.select(table.value).where(table.key == key).tuples().first()
        return None if row is None else msgspec.json.decode(row[0])

    def save_result(self, key: str, value: Any) -> None:
        """Remember what was made, for whoever needs the same again."""
        table = self._tables.Result
        text = msgspec.json.encode(value).decode()

        table.insert(key=key, value=text, created=time.time()).on_conflict(
            conflict_target=[table.key], update={"value": text}
        ).execute()


def _operation(row: dict[str, Any]) -> Operation:
    spec = OperationSpec(
        kind=OperationKind(row["kind"]),
        chat=row["chat_id"],
        key=row["key"],
        anchor=row["anchor"],
        label=row["label"],
        priority=row["priority"],
        params=msgspec.json.decode(row["params"]),
    )
    return Operation(
        id=row["id"],
        spec=spec,
        status=OperationStatus(row["status"]),
        attempts=row["attempts"],
        error=row["error"],
        created=row["created"],
        started=row["started"],
        finished=row["finished"],
        not_before=row["not_before"],
        prompt_tokens=row["prompt_tokens"],
        output_tokens=row["output_tokens"],
        backend=row["backend"],
    )
