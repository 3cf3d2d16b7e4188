"""Looks through older entries of memory with a model, and ends what no longer holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from app.core.errors import OperationOutdated
from app.core.translation import N_, tr
from app.llm.writers.memory_model import MemoryModel
from app.llm.writers.task import Spent
from app.llm.writers.written import KeptAnswers
from app.memory.lifecycle.derived_documents import made
from app.memory.lifecycle.upkeep import Upkeep, ended_by, read_upkeep, upkeep_inputs
from app.memory.reading.extraction import Work
from app.memory.records import DocumentKind, MemoryChange
from app.work.planning.document_material import DocumentMaterial
from app.work.planning.upkeep_planner import upkeep_due

PROMPT = "memory_upkeep"


async def upkept(
    chat: DocumentMaterial,
    model: MemoryModel,
    work: Work,
    count: Callable[[str], int],
    *,
    kept: KeptAnswers,
    spent: Spent,
) -> MemoryChange:
    """What one look through changes. Raises BackendError, OperationOutdated."""
    due = upkeep_due(chat)
    if due is None:
        raise OperationOutdated(tr("There is nothing left to check."))
    shown: Upkeep = due

    def inputs(room: int) -> Mapping[str, str]:
        nonlocal shown
        shown, texts = upkeep_inputs(due, room=room, count=count)
        return texts

    over = await model.ask(
        PROMPT,
        inputs,
        lambda text: read_upkeep(text, shown),
        kept=kept,
        spent=spent,
        what=N_("check of older memories"),
    )
    why = {one.memory: one.why for one in over}
    now = {memory.id: memory for memory in chat.remembered.memories}
    looked = [now[memory.id] for memory in shown.entries if memory.id in now]
    note = made(
        work,
        DocumentKind.UPKEEP,
        "",
        sections={memory.id: why.get(memory.id, "") for memory in shown.entries},
        until=shown.scenes[-1].closing.anchor,
    )
    return MemoryChange(memories=ended_by(looked, over), documents=(note,))
