"""What models were asked for each day, and the days that the user let go past the cap."""

from __future__ import annotations

from datetime import date

from app.core.model_use import ModelUse, Spent
from app.store.database.database import Database


class ModelUses:
    """Sums of each day, task and backend."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, use: ModelUse) -> None:
        """Count it to what there is."""
        spent = use.spent
        self._database.execute(
            "INSERT INTO model_use (day, task, backend, requests, prompt_tokens, output_tokens,"
            " estimated) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (day, task, backend) DO UPDATE"
            " SET requests = requests + excluded.requests,"
            " prompt_tokens = prompt_tokens + excluded.prompt_tokens,"
            " output_tokens = output_tokens + excluded.output_tokens,"
            " estimated = estimated + excluded.estimated",
            (
                *(use.day.isoformat(), use.task, use.backend),
                *(spent.requests, spent.prompt_tokens, spent.output_tokens, spent.estimated),
            ),
        )

    def since(self, first: date) -> tuple[ModelUse, ...]:
        """From that day on, the oldest day first."""
        rows = self._database.execute(
            "SELECT day, task, backend, requests, prompt_tokens, output_tokens, estimated"
            " FROM model_use WHERE day >= ? ORDER BY day, task, backend",
            (first.isoformat(),),
        )
        return tuple(
            ModelUse(date.fromisoformat(day), task, backend, Spent(*counts))
            for day, task, backend, *counts in rows
        )

    def lift_cap(self, day: date) -> None:
        """The user wants to go on that day."""
        self._database.execute(
            "INSERT OR IGNORE INTO uncapped_day (day) VALUES (?)", (day.isoformat(),)
        )

    def put_cap_back(self, day: date, spent: Spent) -> None:
        """The cap is to hold on that day after all, or another one. spent: on that day so far."""
        self._database.execute("DELETE FROM uncapped_day WHERE day = ?", (day.isoformat(),))
        self._database.execute(
            "INSERT OR REPLACE INTO capped_day (day, requests, prompt_tokens, output_tokens)"
            " VALUES (?, ?, ?, ?)",
            (day.isoformat(), spent.requests, spent.prompt_tokens, spent.output_tokens),
        )

    def capped(self, first: date) -> dict[date, Spent]:
        """The days from that one on whose cap was set on the day, with what was spent by then."""
        rows = self._database.execute(
            "SELECT day, requests, prompt_tokens, output_tokens FROM capped_day WHERE day >= ?",
            (first.isoformat(),),
        )
        return {date.fromisoformat(day): Spent(*counts) for day, *counts in rows}

    def lifted(self, first: date) -> frozenset[date]:
        """The days from that one on of which they said so."""
        rows = self._database.execute(
            "SELECT day FROM uncapped_day WHERE day >= ?", (first.isoformat(),)
        )
        return frozenset(date.fromisoformat(day) for (day,) in rows)
