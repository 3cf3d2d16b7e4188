"""Counts what models are asked for, and holds the queue back when the day's cap is reached."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta

from app.core.errors import StoreError
from app.core.model_use import CAPPED, TRIAL, DayCap, ModelUse, Spent, Tariff
from app.core.operations import Operation, OperationKind
from app.core.signals import Signal
from app.core.translation import tr
from app.llm.prompts.prompt_files import (
    DOUBTFUL_BREAKS,
    MEMORY_PASS,
    SCENE_AND_FOLD,
    STAGED_RECAP,
    TASKS_OF,
)
from app.llm.writers.meter import Meter, RequestUse
from app.settings.program import ProgramSettings
from app.settings.tariff import tariff_of
from app.settings.values import Settings
from app.store.store import Store

log = logging.getLogger(__name__)

DAYS_BACK = 31  # that a clock which is set back finds counted
# What an operation's kind asks for beside the prompt of its own name; a scene's long recap also
# uses the prompt of the running one, but then says whose task it is.
_KIND_OF: Mapping[str, str] = {
    **dict.fromkeys(TASKS_OF[STAGED_RECAP], "scene_recap"),
    SCENE_AND_FOLD: "scene_recap",  # where it folds in, too, the recap is most of it
    DOUBTFUL_BREAKS: "detect_breaks",
    **dict.fromkeys(TASKS_OF[MEMORY_PASS], MEMORY_PASS),
    **{
        task: kind
        for kind in (
            *("summary", "triggers", "arc_summary", "profile", "canon", "continuity", "upkeep"),
        )
        for task in TASKS_OF[kind]
    },
    "memory_away": OperationKind.AWAY.value,
}


def kind_of(task: str) -> str:
    """Which work a prompt is part of: an operation's kind."""
    return _KIND_OF.get(task, task)


def _local_now() -> datetime:
    return datetime.now().astimezone()


class ModelMeter(Meter):
    """The meter of all models of one data folder; days are those of the local clock.

    Its counts and the word to go on outlive the program. What the user lets pass by hand,
    operation by operation, holds until the program ends.

    is_held: whether the cap holds work back here; a command is the user's own word.

    Signals:
        changed: something was counted, or the cap holds otherwise than before.
    """

    def __init__(
        self,
        store: Store,
        settings: Settings,
        *,
        is_held: bool = True,
        now: Callable[[], datetime] = _local_now,
    ) -> None:
        self._store = store
        self._settings = settings
        self._is_held = is_held
        self._now = now
        # By day: the clock may be set, and a journey leads back to yesterday.
        self._spent: dict[date, Spent] = {}
        self._lifted: set[date] = set()
        self._capped: dict[date, Spent] = {}
        self._let_pass: set[int] = set()
        self._lock = asyncio.Lock()
        self.changed: Signal[None] = Signal("changed")

    async def load(self) -> None:
        """What was counted before this run, today and in the days around it."""
        first, table = self.today - timedelta(days=DAYS_BACK), self._store.model_uses
        uses, lifted, self._capped = await self._store.run(
            lambda: (table.since(first), table.lifted(first), table.capped(first))
        )
        for use in uses:
            self._spent[use.day] = self._spent.get(use.day, Spent()) + use.spent
        self._lifted |= lifted

    @property
    def today(self) -> date:
        """The local day."""
        return self._now().date()

    async def uses(self, days: int) -> tuple[ModelUse, ...]:
        """What was asked for in the last days, today among them."""
        first = self.today - timedelta(days=days - 1)
        return await self._store.run(lambda: self._store.model_uses.since(first))

    async def took(self, use: RequestUse) -> None:
        """Count a request. Kept at once: what was paid for must not be forgotten by a crash.

        A database that cannot be written must not cost the answer, which was paid for, too.
        """
        spent = Spent(1, use.prompt_tokens, use.output_tokens, int(use.is_estimated))
        async with self._lock:
            day = self.today
            self._spent[day] = self._spent.get(day, Spent()) + spent
            kept = ModelUse(day, kind_of(use.task), use.backend, spent)
            try:
                await self._store.run(lambda: self._store.model_uses.add(kept))
            except StoreError as error:
                log.warning("A request was counted for this run only: %s", error)
        self.changed.emit(None)

    @property
    def tariff(self) -> Tariff:
        """What the user pays for tokens, as the settings say."""
        return tariff_of(self._settings)

    # --- the cap

    @property
    def cap(self) -> DayCap:
        """How far today is from the cap that the settings give."""
        day, limit = self.today, ProgramSettings(self._settings).daily_cap
        unit = ProgramSettings(self._settings).daily_cap_unit
        spent, before = self._spent.get(day, Spent()), self._capped.get(day, Spent())
        return DayCap(limit, unit, spent, day in self._lifted, before)

    def holds(self, operation: Operation) -> str:
        """Why an operation has to wait for another day, "" when it may begin."""
        if not self._is_held or operation.id in self._let_pass:
            return ""
        return tr(CAPPED) if self.cap.is_reached else ""

    async def go_on_today(self) -> None:
        """The cap holds nothing back until midnight."""
        day = self.today
        await self._store.run(lambda: self._store.model_uses.lift_cap(day))
        self._lifted.add(day)
        self.changed.emit(None)

    async def hold_again(self) -> None:
        """The cap counts again today, as before `go_on_today`, or another one does."""
        day = self.today
        spent = self._capped[day] = self._spent.get(day, Spent())
        await self._store.run(lambda: self._store.model_uses.put_cap_back(day, spent))
        self._lifted.discard(day)
        self.changed.emit(None)

    def let_pass(self, operation_id: int) -> None:
        """This one may begin all the same."""
        self._let_pass.add(operation_id)
        self.changed.emit(None)


class TrialMeter(Meter):
    """Counts all that is asked as a test of a model."""

    def __init__(self, meter: Meter) -> None:
        self._meter = meter

    async def took(self, use: RequestUse) -> None:
        await self._meter.took(
            RequestUse(TRIAL, use.backend, use.prompt_tokens, use.output_tokens, use.is_estimated)
        )
