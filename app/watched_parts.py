"""How the parts are doing, and what of the settings cannot be followed."""

from __future__ import annotations

import asyncio
import time
from abc import ABC

from app.core.operations import Operation
from app.core.part_health import Health
from app.parts import Parts
from app.troubles import folder_gone_words
from app.wiring import Wiring
from app.work.chats.disk_space import Room
from app.work.scheduling.health import (
    TOLD_SECONDS,
    backend_health,
    failed_last,
    queue_health,
    reading_health,
    sillytavern_health,
)


class WatchedParts(Wiring, ABC):
    """The parts, and how each is doing; told anew once the program has started."""

    def __init__(self, parts: Parts) -> None:
        super().__init__(parts)
        self._model_problem = self.models.problem
        self._tavern_problem = ""
        self._is_started = False
        self._failed_last: Operation | None = None

    @property
    def health(self) -> Health:
        """How each part is doing."""
        link, queue, mirror = self._link, self._queue, self._mirror
        tokens, last = self.use.cap.spent.tokens, self._chats.last_read
        if last is not None and last[2] and self._library.is_away(last[0].chat.path):
            last = (*last[:2], self.folder_gone)  # what hangs on one folder is said of the folder
        return Health(
            sillytavern=sillytavern_health(
                self._library.taverns,
                link.pages,
                is_writing=mirror.is_used,
                unwritten=tuple(mirror.waiting.values()),
                folder_gone=self.folder_gone if self._library.gone else "",
                is_silent=bool(self._library.silent),
            ),
            bridge=link.health,
            reading=reading_health(last, self._room.sentence, self.guard.standing),
            queue=queue_health(
                queue.operations,
                queue.halt,
                self.work.catching_up,
                to_do=self.work.to_do,
                is_offered=self.work.is_offered,
                now=(now := time.time()),
            ),
            backend=backend_health(
                self.models.writer().label,
                queue.operations,
                self._problem,
                tokens,
                others=self.models.labels.values(),
                since=self.models.since,
                now=now,
            ),
        )

    @property
    def _problem(self) -> str:
        """What of the settings cannot be followed now; "" when all can."""
        of_keys = self._parts.keys.problem
        of_tavern = "" if self._library.taverns else self._tavern_problem
        of_settings = of_tavern or self.settings.problem
        return self._model_problem or of_keys or of_settings or self.prompts.problem

    @property
    def folder_gone(self) -> str:
        """A sentence while SillyTavern's folder is not where it was, "" while it is."""
        if self._library.gone:
            return folder_gone_words(self._library.gone[0])
        return "" if self._library.taverns else self._tavern_problem

    @property
    def room(self) -> Room:
        """Whether the disk takes what is to be kept."""
        return self._room

    @property
    def recovery(self) -> str:
        """What the start found: a damaged database, what a full disk has cost; "" for neither."""
        return self._store.found_at_opening

    def _announce_health(self, _: object = None) -> None:
        if self._is_started:
            self.health_changed.emit(self.health)
            failed = failed_last(self._queue.operations, now=time.time())
            if failed is not None and failed != self._failed_last:
                self._tasks.spawn(self._announce_later(), name="forgetting what failed last")
            self._failed_last = failed or self._failed_last

    async def _announce_later(self) -> None:
        """What failed last is told no more then."""
        await asyncio.sleep(TOLD_SECONDS + 0.5)
        self._announce_health()
