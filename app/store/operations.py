"""Operations and their results, so that work survives a crash and is never paid for twice."""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Collection, Sequence
from typing import Any

import msgspec

from app.core.operations import (
    FINISHED,
    Operation,
    OperationKind,
    OperationSpec,
    OperationStatus,
    Worked,
)
from app.store.database.database import Database

HISTORY_KEPT = 500
# Who waits longer for its turn waited for the user, or for the story to go on.
AROUND_SECONDS = 15.0
KEYS_AT_ONCE = 500  # in one statement, whose variables are limited

# Our own SQL: through peewee each takes three times as long, and an operation needs three.
_ADD = (
    "INSERT INTO operation (chat_id, kind, key, anchor, label, priority, params, status, created, "
    "attempts, error, not_before, prompt_tokens, output_tokens, backend, pauses_before) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, '', 0.0, 0, 0, '', 0)"
)
_UPDATE = (
    "UPDATE operation SET status = ?, attempts = ?, error = ?, started = ?, finished = ?, "
    "not_before = ?, prompt_tokens = ?, output_tokens = ?, requests = ?, backend = ?, "
    "moved_rank = ?, moved_place = ?, pauses_before = ? WHERE id = ?"
)


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
            values = (
                *(spec.chat, spec.kind.value, spec.key, spec.anchor, spec.label, spec.priority),
                *(msgspec.json.encode(spec.params).decode(), OperationStatus.PENDING.value, now),
            )
            self._database.execute(_ADD, values)
            ((number,),) = self._database.execute("SELECT last_insert_rowid()")
            self._write_needs(number, spec)
            added.append(Operation(number, spec, OperationStatus.PENDING, created=now))
        return tuple(added)

    def set_needs(self, operation_id: int, spec: OperationSpec) -> None:
        """What an operation waits for from now on."""
        table = self._tables.OperationNeed
        table.delete().where(table.operation_id == operation_id).execute()
        self._write_needs(operation_id, spec)

    def _write_needs(self, operation_id: int, spec: OperationSpec) -> None:
        # What is needed is waited for in any case.
        needs = {**dict.fromkeys(spec.after, 0), **dict.fromkeys(spec.needs, 1)}
        if needs:
            rows = [(operation_id, key, required) for key, required in needs.items()]
            self._database.execute_many(
                "INSERT INTO operation_need (operation_id, key, is_required) VALUES (?, ?, ?)", rows
            )

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
        return self._operations(list(rows))

    def ended(self, chat_id: int, keys: Collection[str]) -> dict[str, Operation]:
        """The newest finished operation of each key in a chat, where there is one."""
        table = self._tables.Operation
        statuses = [status.value for status in FINISHED]
        found: dict[str, Operation] = {}
        for key in keys:
            where = (table.chat_id == chat_id) & (table.key == key) & table.status.in_(statuses)
            rows = list(table.select().where(where).order_by(table.id.desc()).limit(1).dicts())
            for operation in self._operations(rows):
                found[key] = operation
        return found

    def _operations(self, rows: list[dict[str, Any]]) -> tuple[Operation, ...]:
        numbers = {row["id"] for row in rows}
        needs: dict[int, list[tuple[str, bool]]] = {}
        waiting = self._tables.OperationNeed
        # All at once: there are few, and a list of numbers may be too long for one statement.
        for number, key, is_required in waiting.select().tuples() if numbers else ():
            if number in numbers:
                needs.setdefault(number, []).append((key, bool(is_required)))
        return tuple(_operation(row, needs.get(row["id"], [])) for row in rows)

    def update(self, operation: Operation) -> None:
        """Write where the operation stands now."""
        values = (
            *(operation.status.value, operation.attempts, operation.error),
            *(operation.started, operation.finished, operation.not_before),
            *(operation.prompt_tokens, operation.output_tokens, operation.requests),
            operation.backend,
            *(operation.moved_rank, operation.moved_place, int(operation.pauses_before)),
        )
        self._database.execute(_UPDATE, (*values, operation.id))

    def remove(self, operation_id: int) -> None:
        """Forget an operation that never was begun, or that is queued anew."""
        table = self._tables.Operation
        table.delete().where(table.id == operation_id).execute()

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
        # What a catch-up has done is counted until it is through.
        catch_up = self._tables.CatchUp
        followed = catch_up.select(catch_up.chat_id).where(catch_up.is_stopped == 0)
        table.delete().where(
            table.status.in_(finished) & table.id.not_in(kept) & table.chat_id.not_in(followed)
        ).execute()

    def worked(self, chat_id: int, since: float, kinds: Collection[OperationKind]) -> Worked:
        """What ended in a chat since a moment (seconds since the epoch), and how long it took."""
        rows = self._database.execute(
            "SELECT kind, status, COUNT(*), SUM(MAX(0, finished - started)),"
            " SUM(prompt_tokens + output_tokens), SUM(prompt_tokens + output_tokens > 0)"
            " FROM operation"
            " WHERE chat_id = ? AND finished >= ? AND started IS NOT NULL"
            f" AND kind IN ({', '.join('?' * len(kinds))}) GROUP BY kind, status",
            (chat_id, since, *(kind.value for kind in kinds)),
        )
        ((spent, requests),) = self._database.execute(
            "SELECT SUM(prompt_tokens + output_tokens), SUM(requests) FROM operation"
            " WHERE chat_id = ? AND finished >= ? AND started IS NOT NULL",
            (chat_id, since),
        )
        found = {
            (kind, status): (count, seconds or 0.0, tokens or 0, paid or 0)
            for kind, status, count, seconds, tokens, paid in rows
        }

        def ended(kind: OperationKind, *, column: int) -> tuple[int, int]:
            done, failed = (
                int(found.get((kind.value, status.value), (0, 0.0, 0, 0))[column])
                for status in (OperationStatus.DONE, OperationStatus.FAILED)
            )
            return done, failed

        by_kind = {kind: ended(kind, column=0) for kind in kinds}
        return Worked(
            done=sum(count for count, _ in by_kind.values()),
            failed=sum(count for _, count in by_kind.values()),
            seconds=sum(seconds for _, seconds, _, _ in found.values()),
            by_kind=by_kind,
            paid={kind: ended(kind, column=3) for kind in kinds},
            tokens=sum(tokens for _, _, tokens, _ in found.values()),
            spent=int(spent or 0),
            requests=int(requests or 0),
        )

    def durations(self, backend: str, limit: int) -> tuple[tuple[OperationKind, float], ...]:
        """Kind and seconds of the operations that a backend did last, newest first: from the end of
        the one before, since what is planned, kept and shown between two takes its time as well.
        """
        table = self._tables.Operation
        rows = list(
            table.select(table.kind, table.started, table.finished)
            .where(
                (table.backend == backend)
                & (table.status == OperationStatus.DONE.value)
                & table.started.is_null(False)
            )
            .order_by(table.id.desc())
            .limit(limit)
            .tuples()
        )
        first = min((started for _, started, _ in rows), default=0.0)
        ends = [
            end
            for (end,) in table.select(table.finished)
            .where(table.finished >= first - AROUND_SECONDS)
            .order_by(table.finished)
            .tuples()
        ]

        def begun(started: float) -> float:
            place = bisect_right(ends, started)
            before = ends[place - 1] if place else started
            return before if started - before <= AROUND_SECONDS else started

        return tuple((OperationKind(kind), end - begun(start)) for kind, start, end in rows)

    def tokens_taken(self, backend: str, kind: OperationKind, limit: int) -> tuple[int, ...]:
        """Tokens of the operations of a kind that a backend was asked for last, newest first."""
        table = self._tables.Operation
        tokens = table.prompt_tokens + table.output_tokens
        rows = (
            table.select(tokens)
            .where(
                (table.backend == backend)
                & (table.kind == kind.value)
                & (table.status == OperationStatus.DONE.value)
                & (tokens > 0)
            )
            .order_by(table.id.desc())
            .limit(limit)
            .tuples()
        )
        return tuple(int(taken) for (taken,) in rows)

    def result(self, key: str) -> Any | None:
        """What an operation of this key made before, in any chat; None when nothing."""
        table = self._tables.Result

        row = table.select(table.value).where(table.key == key).tuples().first()
        return None if row is None else msgspec.json.decode(row[0])

    def kept(self, keys: Collection[str]) -> frozenset[str]:
        """Those keys whose operation made something before, in any chat."""
        table, wanted = self._tables.Result, list(keys)
        found: set[str] = set()
        for at in range(0, len(wanted), KEYS_AT_ONCE):
            some = wanted[at : at + KEYS_AT_ONCE]
            found.update(
                key for (key,) in table.select(table.key).where(table.key.in_(some)).tuples()
            )
        return frozenset(found)

    def save_result(self, key: str, value: Any) -> None:
        """Remember what was made, for whoever needs the same again."""
        table = self._tables.Result
        text = msgspec.json.encode(value).decode()

        table.insert(key=key, value=text, created=time.time()).on_conflict(
            conflict_target=[table.key], update={"value": text}
        ).execute()


def _operation(row: dict[str, Any], needs: Sequence[tuple[str, bool]]) -> Operation:
    spec = OperationSpec(
        kind=OperationKind(row["kind"]),
        chat=row["chat_id"],
        key=row["key"],
        anchor=row["anchor"],
        label=row["label"],
        priority=row["priority"],
        params=msgspec.json.decode(row["params"]),
        needs=tuple(key for key, is_required in needs if is_required),
        after=tuple(key for key, is_required in needs if not is_required),
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
        requests=row["requests"],
        backend=row["backend"],
        moved_rank=row["moved_rank"],
        moved_place=row["moved_place"],
        pauses_before=bool(row["pauses_before"]),
    )
