"""Does the operations on longer texts: makes them of what is remembered, keeps each at once."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

from app.core.errors import AnswerUnusable, OperationOutdated
from app.core.operations import MESSAGES_GONE, Operation, OperationKind, Outcome
from app.core.translation import N_, tr
from app.llm.writers.memory_model import MemoryModel
from app.llm.writers.task import Spent
from app.memory.arcs.arc_summaries import (
    VERDICT,
    Judged,
    Verdict,
    arc_inputs,
    read_arc_summaries,
    reopened,
)
from app.memory.documents.canon import canon_digest, canon_inputs, read_canon
from app.memory.documents.canon import rendered as rendered_canon
from app.memory.documents.continuity import (
    Contradiction,
    Fact,
    facts_of,
    found_before,
    listed,
    read_contradictions,
    read_repair,
    repair_inputs,
)
from app.memory.documents.profiles import profile_inputs, read_profiles, subjects
from app.memory.documents.profiles import rendered as rendered_profile
from app.memory.documents.summary import cut_to, parts_of, read_summary, summary_inputs
from app.memory.documents.summary import rendered as rendered_summary
from app.memory.keywords.triggers import listed as listed_memories
from app.memory.keywords.triggers import read_triggers, with_triggers
from app.memory.lifecycle.derived_documents import by_subject, made, newest_reaching
from app.memory.reading.extraction import Work
from app.memory.records import Document, DocumentKind, MemoryChange
from app.memory.standing import active
from app.settings.memory import MemorySettings
from app.settings.recaps import RecapSettings
from app.store.kept_answers import KeptInStore
from app.store.memory.memories import CLEARED, DISCARDED, FORGOTTEN
from app.story.messages import Message
from app.work.chats.card_texts import card_text
from app.work.chats.open_chat import OpenChat
from app.work.jobs.result_cache import ResultCache
from app.work.jobs.services import JobServices
from app.work.jobs.upkeep_making import upkept
from app.work.planning.document_material import DocumentMaterial
from app.work.planning.model_messages import as_read
from app.work.planning.writing import Writing

log = logging.getLogger(__name__)

# Tokens of what one request is given: more is paid for and read by nobody.
MOST_OF_ARCS, MOST_OF_PROFILES, MOST_OF_CANON, MOST_OF_FACTS = 4000, 2500, 5000, 3000
MOST_BESIDE_CANON = 3500  # where there is a canon, which tells of what ended long ago
CANON_TOKENS = 800  # the budget of its slot (spec/smart-memory.md §15)

TAKEN_BACK_AS = {
    OperationKind.PROFILE: N_("new profile"),
    OperationKind.CANON: N_("new canon"),
    OperationKind.SUMMARY: N_("new summary"),
}

CardsOf = Callable[[OpenChat, str], Awaitable[str]]


@dataclass(frozen=True, slots=True)
class _Job:
    """One operation under way. messages: as a model reads them. spent: what it took so far."""

    operation: Operation
    chat: OpenChat
    material: DocumentMaterial
    model: MemoryModel
    work: Work
    kept: KeptInStore
    messages: tuple[Message, ...]
    spent: Spent = field(default_factory=Spent)

    @property
    def last(self) -> str:
        """Anchor of the story's last message."""
        return self.messages[-1].anchor if self.messages else ""


class DocumentMaker:
    """Performs the operations on longer texts, each bound to its chat.

    cards: what the card of a character and the user's persona say.
    Each operation is written in one transaction; an answer that cannot be used changes nothing.
    """

    def __init__(self, services: JobServices, cards: CardsOf = card_text) -> None:
        self._services = services
        self._store = services.store
        self._count = services.count
        self._cards = cards
        self._results = ResultCache(services.store)

    async def perform(self, operation: Operation) -> Outcome:
        """Do one operation. Raises BackendError, or OperationOutdated when what it is about is no
        longer there.
        """
        chat = await self._services.chat_of(operation.spec.chat)
        writer = self._services.writer(operation.spec.kind)
        if writer.memory is None:
            return Outcome()
        spec = operation.spec
        about = document_material(chat, self._services.writing())
        job = _Job(
            operation,
            chat,
            about,
            writer.memory,
            Work(spec.key, chat.chat_id, chat.character, writer.label, operation.created),
            KeptInStore(self._store, str(spec.params.get("again", ""))),
            await asyncio.to_thread(as_read, about.story.messages, about.settings),
        )
        told = {(m.anchor, m.content_hash) for m in chat.story.messages[-1:]}
        is_put_away = partial(
            self._store.memories.is_put_away,
            chat.chat_id,
            told,
            (FORGOTTEN, DISCARDED, CLEARED),
        )
        was_put_away = await self._store.run(is_put_away)
        change = await self._made(job)
        base = chat.remembered.memories  # what the user did meanwhile stays

        def unit() -> None:
            # Who forgets a chat while a text is made of it does not want the text.
            if was_put_away or not is_put_away():
                self._store.memories.write(change, base=base)

        if change:
            label = TAKEN_BACK_AS.get(spec.kind)  # such may stand in the place of another text
            add = unit if label is None else partial(self._results.add, spec, label, unit)
            await self._store.run(add)
        return Outcome(job.spent.prompt, job.spent.output, writer.label)

    async def _made(self, job: _Job) -> MemoryChange:
        match job.operation.spec.kind:
            case OperationKind.ARC_SUMMARY:
                return await self._arc_summaries(job)
            case OperationKind.PROFILE:
                return await self._profiles(job)
            case OperationKind.CANON:
                return await self._canon(job)
            case OperationKind.CONTINUITY:
                return await self._continuity(job)
            case OperationKind.SUMMARY:
                return await self._summary(job)
            case OperationKind.TRIGGERS:
                return await self._triggers(job)
            case OperationKind.UPKEEP:
                asked = job.material, job.model, job.work, self._count
                return await upkept(*asked, kept=job.kept, spent=job.spent)
            case other:
                raise AssertionError(f"not a longer text: {other}")

    async def _arc_summaries(self, job: _Job) -> MemoryChange:
        wanted = job.operation.spec.params["arcs"]
        arcs = [arc for arc in job.material.resolved if arc.memory.id in wanted]
        if not arcs:
            raise OperationOutdated(tr("These plot threads are no longer resolved."))
        shown: dict[str, str] = {}
        end = max(arc.place for arc in arcs)
        scenes, about = _scene_recaps(job, end), job.material
        memories = about.active

        def inputs(room: int) -> Mapping[str, str]:
            room = min(room, MOST_OF_ARCS)
            shown.update(
                arc_inputs(arcs, job.messages, scenes, memories, room=room, count=self._count)
            )
            return shown

        judged = await job.model.ask(
            "memory_arc_summary",
            inputs,
            lambda text: read_arc_summaries(text, arcs, "\n".join(shown.values()), about.names),
            kept=job.kept,
            spent=job.spent,
            what=N_("summary"),
        )
        if refused := sum(said.is_refused for said in judged.values()):
            log.info("%d summaries of plot threads were of no use", refused)
        texts, again = [], []
        now = {memory.id: memory for memory in job.chat.remembered.memories}
        for arc in arcs:
            said = judged.get(arc.memory.id, Judged(Verdict.INSUFFICIENT_EVIDENCE))
            text = made(
                job.work,
                DocumentKind.ARC_SUMMARY,
                said.text,
                subject=arc.memory.id,
                sections={VERDICT: said.verdict.value},
                until=job.messages[arc.place].anchor if arc.place >= 0 else "",
                inputs=arc.digest,
                is_of_character=True,
            )
            texts.append(text)
            if said.verdict is Verdict.STILL_OPEN and arc.memory.id in now:
                again.append(reopened(now[arc.memory.id], arc))
        return MemoryChange(memories=tuple(again), documents=tuple(texts))

    async def _profiles(self, job: _Job) -> MemoryChange:
        memories = job.material.active
        wanted = subjects(job.operation.spec.params["names"], memories)
        if not wanted:
            raise OperationOutdated(tr("Nothing is remembered of these characters any more."))
        names = [one.name for one in wanted]
        read = await job.model.ask(
            "memory_profile",
            lambda room: profile_inputs(
                names,
                memories,
                room=min(room, MOST_OF_PROFILES),
                count=self._count,
                past=job.material.past,
            ),
            lambda text: read_profiles(text, names),
            kept=job.kept,
            spent=job.spent,
            what=N_("profile"),
        )
        before = by_subject(job.chat.remembered.documents, DocumentKind.PROFILE)
        texts = []
        for one in wanted:
            # Who was left out keeps the old portrait, and is not asked about again for this.
            old = before.get(one.name)
            parts = read.get(one.name) or (old.sections if old else {})
            text = made(
                job.work,
                DocumentKind.PROFILE,
                rendered_profile(parts),
                subject=one.name,
                sections=parts,
                until=job.last,
                inputs=one.digest,
            )
            texts.append(text)
        return MemoryChange(documents=tuple(texts))

    async def _canon(self, job: _Job) -> MemoryChange:
        about = job.material
        name = str(job.operation.spec.params.get("name", about.owner_name))
        told, memories = about.canon_summaries(name), about.memories_of(name)
        if not told:
            raise OperationOutdated(tr("No plot thread is resolved any more."))
        before = about.canon_of(name)
        old = before.text if before else ""
        parts = await job.model.ask(
            "memory_canon",
            lambda room: canon_inputs(
                name,
                old,
                told,
                memories,
                room=min(room, MOST_BESIDE_CANON if old else MOST_OF_CANON),
                tokens=CANON_TOKENS,
                count=self._count,
                past=about.past,
            ),
            lambda text: read_canon(text, old),
            kept=job.kept,
            spent=job.spent,
            what=N_("canon"),
        )
        text = made(
            job.work,
            DocumentKind.CANON,
            rendered_canon(parts),
            subject=name,
            sections=parts,
            until=job.last,
            inputs=canon_digest(told),
            is_of_character=True,
        )
        return MemoryChange(documents=(text,))

    async def _continuity(self, job: _Job) -> MemoryChange:
        spec = job.operation.spec
        index = job.chat.index_of(spec.anchor)
        if index is None:
            raise OperationOutdated(tr("The reply it was about is gone."))
        reply = job.messages[index]
        held = active(job.chat.memories, job.material.ground, index - 1)
        cards, summary = await self._cards(job.chat, reply.name), job.material.story_so_far
        facts: tuple[Fact, ...] = ()
        corrects = bool(spec.params.get("corrects"))
        known = found_before(job.material.documents, reply) if corrects else ()
        if known:  # only the correction is wanted still
            facts = facts_of(cards, summary, held, room=MOST_OF_FACTS, count=self._count)
            return MemoryChange(documents=(await self._repair(job, reply, known, facts),))

        def inputs(room: int) -> Mapping[str, str]:
            nonlocal facts
            passage = cut_to(reply.text.strip(), room // 2, self._count)
            room = min(room - self._count(passage), MOST_OF_FACTS)
            facts = facts_of(cards, summary, held, room=room, count=self._count)
            return {"facts": listed(facts), "name": reply.name, "reply": passage}

        if not (held or cards or summary):
            return MemoryChange(documents=(_checked(job, reply, ()),))
        found = await job.model.ask(
            "memory_continuity",
            inputs,
            lambda text: read_contradictions(text, facts),
            kept=job.kept,
            spent=job.spent,
            what=N_("check"),
        )
        texts = [_checked(job, reply, found)]
        if found and MemorySettings(job.material.settings).continuity_repair:
            with contextlib.suppress(AnswerUnusable):  # what was found is worth keeping by itself
                texts.append(await self._repair(job, reply, found, facts))
        return MemoryChange(documents=tuple(texts))

    async def _repair(
        self,
        job: _Job,
        reply: Message,
        found: tuple[Contradiction, ...],
        facts: tuple[Fact, ...],
    ) -> Document:
        note = await job.model.ask(
            "memory_repair",
            repair_inputs(reply.name, found, facts),
            read_repair,
            kept=job.kept,
            spent=job.spent,
            what=N_("correction"),
        )
        return made(
            job.work,
            DocumentKind.REPAIR,
            note,
            until=reply.anchor,
            inputs=reply.content_hash,
        )

    async def _summary(self, job: _Job) -> MemoryChange:
        found = [job.chat.index_of(anchor) for anchor in job.operation.spec.params["anchors"]]
        messages = [job.messages[index] for index in found if index is not None]
        if len(messages) != len(found) or not messages:
            raise OperationOutdated(tr(MESSAGES_GONE))
        old = newest_reaching(
            job.material.documents, DocumentKind.SUMMARY, job.material.ground.places.keys()
        )
        before, taken = parts_of(old), len(messages)
        memories = job.material.active
        tokens = MemorySettings(job.material.settings).summary_tokens

        def inputs(room: int) -> Mapping[str, str]:
            nonlocal taken
            given = summary_inputs(
                old.text if old else "",
                memories,
                messages,
                room=room,
                tokens=tokens,
                count=self._count,
            )
            taken = given.taken
            return given.texts

        parts = await job.model.ask(
            "memory_summary",
            inputs,
            lambda text: read_summary(text, before),
            kept=job.kept,
            spent=job.spent,
            what=N_("summary"),
        )
        text = made(
            job.work,
            DocumentKind.SUMMARY,
            rendered_summary(parts),
            sections=parts,
            until=messages[taken - 1].anchor,
        )
        return MemoryChange(documents=(text,))

    async def _triggers(self, job: _Job) -> MemoryChange:
        wanted = job.operation.spec.params["memories"]
        memories = [m for m in job.material.active if m.id in wanted and not m.triggers]
        if not memories:
            raise OperationOutdated(tr("These memories are gone or already have keywords."))
        given = await job.model.ask(
            "memory_triggers",
            {"memories": listed_memories(memories)},
            lambda text: read_triggers(text, memories),
            kept=job.kept,
            spent=job.spent,
            what=N_("keywords"),
        )
        now = {memory.id: memory for memory in job.chat.remembered.memories}
        still = [now[memory.id] for memory in memories if memory.id in now]
        changed = with_triggers(still, given, job.material.active)
        return MemoryChange(memories=changed)


def document_material(
    chat: OpenChat, writing: Writing, *, is_read: bool = True
) -> DocumentMaterial:
    """What longer texts of an open chat are made of, as it is now."""
    settings = chat.settings()
    return DocumentMaterial(
        chat.story,
        chat.chat_id,
        chat.remembered,
        chat.ground(),
        settings,
        writing,
        chat.context_tokens or RecapSettings(settings).context_tokens,
        is_read,
        chat.elsewhere,
        time.time(),
    )


def _checked(job: _Job, reply: Message, found: tuple[Contradiction, ...]) -> Document:
    """What was found of a reply; "" that nothing was."""
    return made(
        job.work,
        DocumentKind.CONTINUITY,
        "\n".join(one.text for one in found),
        sections={one.memory: one.text for one in found if one.memory},
        until=reply.anchor,
        inputs=reply.content_hash,
    )


def _scene_recaps(job: _Job, last: int) -> list[str]:
    """Recaps of the scenes that began up to a message, oldest first."""
    story = job.material.story
    recaps = [story.scene_recap(scene) for scene in story.scenes if scene.first <= last]
    return [f"{recap.name}: {recap.text}" for recap in recaps if recap is not None]
