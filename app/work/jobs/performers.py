"""Does what is queued: recaps by one, memory by another."""

from __future__ import annotations

from app.core.operations import MEMORY_KINDS, Operation, Outcome
from app.llm.backends.api_keys import ApiKeys
from app.llm.backends.specs import BUILTIN
from app.llm.writers.factory import make_writer
from app.settings.values import Settings
from app.work.jobs.memory_work import MemoryWork
from app.work.jobs.recapping import Recapper
from app.work.jobs.services import JobServices


class Performers:
    """Who does the operations. recaps, memory: those of each kind."""

    def __init__(self, services: JobServices, settings: Settings, keys: ApiKeys) -> None:
        built_in = make_writer(BUILTIN, count_tokens=services.count)
        self.recaps = Recapper(services, built_in)
        self.memory = MemoryWork(services, settings, keys)

    async def perform(self, operation: Operation) -> Outcome:
        """Do one operation. Raises BackendError, OperationOutdated."""
        if operation.spec.kind in MEMORY_KINDS:
            return await self.memory.perform(operation)
        return await self.recaps.perform(operation)
