"""Does what is queued: recaps by one, memory by another."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from app.core.operations import MEMORY_KINDS, Operation, Outcome
from app.llm.backends.api_keys import ApiKeys
from app.llm.backends.specs import BUILTIN
from app.llm.writers.factory import make_writer
from app.settings.values import Settings
from app.store.store import Store
from app.story.scene_cues.language import LanguagePack
from app.work.chats.open_chats import OpenChats
from app.work.jobs.memory_work import MemoryWork
from app.work.jobs.recapping import Recapper
from app.work.models.active_model import ActiveModel


class Performers:
    """Who does the operations. recaps, memory: those of each kind."""

    def __init__(
        self,
        store: Store,
        chats: OpenChats,
        models: ActiveModel,
        settings: Settings,
        packs: Sequence[LanguagePack],
        count: Callable[[str], int],
        keys: ApiKeys,
    ) -> None:
        self.recaps = Recapper(
            store,
            chats.complete_by_id,
            models.writer,
            models.writing,
            make_writer(BUILTIN, count_tokens=count),
            count,
            packs,
        )
        self.memory = MemoryWork(
            store, chats.complete_by_id, models.writer, models.writing, settings, packs, count, keys
        )

    async def perform(self, operation: Operation) -> Outcome:
        """Do one operation. Raises BackendError, OperationOutdated."""
        if operation.spec.kind in MEMORY_KINDS:
            return await self.memory.perform(operation)
        return await self.recaps.perform(operation)
