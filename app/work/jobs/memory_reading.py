"""Does the operations of memory: reads a window, settles what was claimed, keeps it at once."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.core.errors import AnswerUnusable, OperationOutdated
from app.core.operations import MESSAGES_GONE, Operation, OperationKind, Outcome
from app.core.translation import tr
from app.llm.backends.hardware_profile import profile_for
from app.llm.writers.memory_model import Asked, MemoryModel
from app.llm.writers.task import Spent
from app.memory.arcs.thread_cap import is_put_aside
from app.memory.entities.found_without_model import found_change, read_better
from app.memory.entities.naming import all_names
from app.memory.entities.registry import Resolved, canonical_roster, known_names, resolved_claims
from app.memory.epistemic.admission import Presence
from app.memory.epistemic.presence_record import presence_document
from app.memory.reading.extraction import Work, ended, ended_along, ended_at_once, proposed
from app.memory.reading.known import KnownForBlock, known, known_for_block
from app.memory.reading.windows import Window, text_of
from app.memory.records import (
    Document,
    EndReason,
    Entity,
    Memory,
    MemoryChange,
    Review,
    Tier,
    merged_changes,
)
from app.memory.standing import Standing, Status, active, standings
from app.memory.tiers.claims import Mention, ReadAnswer
from app.memory.tiers.table import KEYED
from app.store.kept_answers import KeptInStore
from app.store.memory.memories import FOUND, PASS, UNREADABLE
from app.story.story import ChatKind
from app.work.chats.memory_scope import kept_where_it_may
from app.work.chats.open_chat import OpenChat
from app.work.jobs.reconciliation import Reconciler, Reconciliation
from app.work.jobs.services import JobServices
from app.work.planning.memory_planner import (
    Block,
    are_read,
    block_of,
    enabled_tiers,
    pass_spec,
    pass_window,
)
from app.work.queries.derived_knowledge import whereabouts, witnessed

# Of these an earlier value may be read late: it finds its place among those that ended.
KEPT_KNOWN = KEYED
# Tiers that are asked for one by one before it is taken that this model can do none of them.
VAIN_AT_MOST = 2
NOT_UNTRUE = frozenset({EndReason.OUTRANKED, EndReason.MERGED})

Numbers = Mapping[Tier, Sequence[str]]


@dataclass(frozen=True, slots=True)
class _Heard:
    """An answer to a window. numbers: ids of the numbered entries that the model saw, by tier."""

    window: Window
    answer: ReadAnswer
    numbers: Numbers


@dataclass(frozen=True, slots=True)
class _Pass:
    """One reading under way.

    now: what holds at its end. base: what held when its block began. known: what holds or begins
    later, and of some tiers also what ended. aside: open threads that are out of sight. still_so:
    ids of what is only not kept any more. names: that the model is shown.
    """

    operation: Operation
    chat: OpenChat
    window: Window
    now: tuple[Memory, ...]
    base: tuple[Memory, ...]
    known: tuple[Memory, ...]
    aside: tuple[Memory, ...]
    still_so: frozenset[str]
    tiers: tuple[Tier, ...]
    work: Work
    spent: Spent
    names: tuple[Mention, ...]
    block: Block


class MemoryReader:
    """Performs the operations of memory, each bound to its chat and anchors.

    One transaction holds all that a reading changes and the note that its messages were read, so
    that a program that was killed does it again as a whole or not at all.
    """

    def __init__(self, services: JobServices, reconciler: Reconciler) -> None:
        self._services = services
        self._store = services.store
        self._reconciler = reconciler
        self._in_vain: set[str] = set()  # models whose last reading gave nothing

    async def perform(self, operation: Operation) -> Outcome:
        """Do one operation. Raises BackendError, or OperationOutdated when it is no longer the
        work that was planned.
        """
        chat = await self._services.chat_of(operation.spec.chat)
        assert operation.spec.kind is OperationKind.MEMORY_PASS
        return await self._read(self._begun(operation, chat))

    def _begun(self, operation: Operation, chat: OpenChat) -> _Pass:
        spec, story, settings = operation.spec, chat.story, chat.settings()
        found = [chat.index_of(anchor) for anchor in spec.params["anchors"]]
        new = [index for index in found if index is not None]
        if len(new) != len(found):
            raise OperationOutdated(tr(MESSAGES_GONE))
        if not are_read(story, settings, new):
            raise OperationOutdated(tr("Some of its messages are left out of memory."))
        writing, again = self._services.writing().of(spec.kind), str(spec.params.get("again", ""))
        now = pass_spec(story, chat.chat_id, settings, writing, new, again=again)
        if now.key != spec.key:
            raise OperationOutdated(
                tr("The story or the model changed. What the story still lacks is planned again.")
            )
        window = pass_window(story, chat.chat_id, settings, writing, new)
        block = block_of(story, settings, new)
        ground, memories = chat.ground(), chat.memories
        at_end = standings(memories, ground, new[-1])
        base = active(memories, ground, block.first - 1)
        by = self._services.writer(spec.kind).label
        work = Work(spec.key, chat.chat_id, chat.character, by, operation.begun)
        return _Pass(
            operation,
            chat,
            window,
            now=tuple(s.memory for s in at_end if s.is_active),
            base=base,
            known=tuple(s.memory for s in at_end if _is_known(s)),
            aside=tuple(
                s.memory
                for s in sorted(at_end, key=lambda s: s.start)
                if s.status is Status.ENDED and is_put_aside(s.memory)
            ),
            still_so=frozenset(s.memory.id for s in at_end if _is_still_so(s)),
            tiers=tuple(Tier(name) for name in enabled_tiers(settings)),
            work=work,
            spent=Spent(),
            names=known_names(
                chat.remembered.entities, base, ground.places, block.first, _roster(chat)
            ),
            block=block,
        )

    async def _read(self, under_way: _Pass) -> Outcome:
        model = self._services.writer(under_way.operation.spec.kind).memory
        if model is None:
            return await self._find(under_way)
        kept = KeptInStore(self._store, str(under_way.operation.spec.params.get("again", "")))
        shown = await self._shown(under_way, model)
        asked = Asked(model, under_way.window, shown, kept, under_way.spent)
        try:
            heard = await self._heard(under_way, model, asked)
            self._in_vain.discard(model.spec)
        except AnswerUnusable:
            self._in_vain.add(model.spec)
            # One stretch that no answer fits must not keep all later ones from being read.
            await self._note(under_way, UNREADABLE)
            raise
        change = MemoryChange()
        for part, one in enumerate(heard):
            more = await self._reconciled(under_way, one, change, asked, part)
            change = merged_changes([change, more])
        window = under_way.window
        change = merged_changes([change, MemoryChange(read_better(under_way.now, window))])
        await self._keep(under_way, change, PASS)
        spent = under_way.spent
        return Outcome(spent.prompt, spent.output, under_way.work.made_by)

    async def _find(self, under_way: _Pass) -> Outcome:
        """There is no model: keep what the story gives away by itself."""
        chat, story = under_way.chat, under_way.chat.story
        change = await asyncio.to_thread(
            found_change,
            under_way.window,
            chat.remembered,
            _roster(chat),
            under_way.work,
            packs=self._reconciler.packs,
            openings={story.messages[scene.first].anchor for scene in story.scenes},
            places=chat.ground().places,
            is_session=Tier.SESSION in under_way.tiers,
        )
        await self._keep(under_way, change, FOUND)
        return Outcome(backend=under_way.work.made_by)

    async def _shown(self, under_way: _Pass, model: MemoryModel) -> KnownForBlock:
        limit = model.known_limit
        return await asyncio.to_thread(
            known_for_block,
            under_way.base,
            under_way.now,
            limit=limit,
            count=self._reconciler.count,
            names=under_way.names,
            still_so=under_way.still_so,
            about=under_way.block.text,
            now_about=text_of(under_way.window.new),
        )

    async def _heard(
        self, under_way: _Pass, model: MemoryModel, asked: Asked
    ) -> tuple[_Heard, ...]:
        """What the model says; all tiers at once, and one by one where that does not hold up. A
        model whose last reading was of no use is asked one thing, once.
        """
        is_doubted = model.spec in self._in_vain
        asked.spent.was_in_vain = is_doubted
        if under_way.operation.spec.params["form"] == "one":
            shown = asked.shown
            numbers = shown.ids
            try:
                parts = await model.all_tiers(asked, under_way.tiers)
                return tuple(_Heard(window, answer, numbers) for window, answer in parts)
            except AnswerUnusable:
                if is_doubted:
                    raise
                # Asked twice: the tiers are simpler one by one.
        heard: list[_Heard] = []
        failures: list[AnswerUnusable] = []
        for tier in under_way.tiers:
            of_tier = tuple(memory for memory in under_way.now if memory.tier is tier)
            text = known(
                of_tier,
                limit=model.known_limit,
                count=self._reconciler.count,
                names=under_way.names,
                about=text_of(under_way.window.new),
            )
            numbers = text.ids
            try:
                parts = await model.one_tier(asked, tier, text.text)
            except AnswerUnusable as error:
                failures.append(error)  # one tier that fails takes no other along
                if not heard and len(failures) == (1 if is_doubted else VAIN_AT_MOST):
                    break
                continue
            heard += [_Heard(window, answer, numbers) for window, answer in parts]
        if failures and not heard:
            raise failures[-1]
        return tuple(heard)

    async def _reconciled(
        self, under_way: _Pass, heard: _Heard, before: MemoryChange, asked: Asked, part: int
    ) -> MemoryChange:
        active, known = _after(before, under_way)
        resolved = await asyncio.to_thread(self._resolved, under_way, heard, before.entities)
        ends, settings = resolved.answer.ends, under_way.chat.settings()
        kind = under_way.operation.spec.kind
        claimed = proposed(resolved.answer, heard.window, under_way.work, part=part)
        noted = presence_document(resolved.answer.presence, heard.window, under_way.work, part=part)
        documents = (*before.documents, *((noted,) if noted else ()))
        claimed = await asyncio.to_thread(self._witnessed, under_way, claimed, documents)
        claimed = ended_at_once(ends, heard.window, resolved.answer.claims, claimed)
        changed = {memory.id for memory in before.memories}
        aside = [memory for memory in under_way.aside if memory.id not in changed]
        gone = ended(ends, heard.window, [*active, *aside], heard.numbers, claimed)
        claimed = ended_along(claimed, gone, heard.window)
        elsewhere = {memory.id for memory in under_way.chat.elsewhere}
        over = {memory.id for memory in gone}
        ending = {memory.id: memory for memory in gone}
        reconciliation = Reconciliation(
            claimed,
            known=[ending.get(m.id, m) for m in known if m.id not in over or m.tier in KEPT_KNOWN],
            # What was lived through elsewhere is neither aged, folded nor counted here.
            active=[m for m in active if m.id not in over and m.id not in elsewhere],
            places=self._places(under_way, [*known, *claimed, *aside]),
            aside=[memory for memory in aside if memory.id not in over],
            presence=Presence.of(under_way.chat.story.messages),
            newest=heard.window.sources([len(heard.window.messages)]) or (),
            documents=under_way.chat.remembered.documents,
            work=under_way.work,
            settings=settings,
            profile=profile_for(settings, self._services.writer(kind).spec).profile,
            model=asked.model,
            kept=asked.kept,
            spent=asked.spent,
            members=_members(under_way.chat),
        )
        names = MemoryChange(entities=resolved.entities, documents=(noted,) if noted else ())
        return merged_changes(
            [names, MemoryChange(gone), await self._reconciler.reconcile(reconciliation)]
        )

    def _witnessed(
        self, under_way: _Pass, claimed: tuple[Memory, ...], documents: Sequence[Document]
    ) -> tuple[Memory, ...]:
        """The claims with who was there when each was told, as far as that is known."""
        chat = under_way.chat
        ground = chat.ground()
        where = whereabouts(
            chat.story,
            ground,
            (*chat.remembered.documents, *documents),
            chat.remembered.entities,
            self._reconciler.packs,
            since=max(0, under_way.block.first - 1),
        )
        return tuple(witnessed(memory, where, chat.story, ground) for memory in claimed)

    def _resolved(self, under_way: _Pass, heard: _Heard, so_far: Sequence[Entity]) -> Resolved:
        """The answer with one spelling for each name. so_far: new entities of earlier answers."""
        chat = under_way.chat
        registry = {entity.id: entity for entity in (*chat.remembered.entities, *so_far)}
        return resolved_claims(
            heard.answer,
            registry.values(),
            _roster(chat),
            heard.window,
            under_way.work,
            titles=self._reconciler.titles,
            places=chat.ground().places,
        )

    def _places(self, under_way: _Pass, memories: Sequence[Memory]) -> dict[str, int]:
        ground = under_way.chat.ground()
        return {
            memory.id: max(map(ground.place, memory.sources), default=-1) for memory in memories
        }

    async def _keep(self, under_way: _Pass, change: MemoryChange, task: str) -> None:
        store, chat_id = self._store, under_way.chat.chat_id
        read = [(m.anchor, m.content_hash) for m in under_way.window.new]
        base = (*under_way.known, *under_way.now, *under_way.aside)

        def unit() -> None:
            # Who forgets a chat while it is read does not want what is read of it.
            if not store.memories.is_put_away(chat_id, read):
                allowed = kept_where_it_may(store, under_way.chat.elsewhere, change)
                store.memories.write(allowed, base=base)
            store.memories.set_extracted(chat_id, read, task)

        await store.run(unit)

    async def _note(self, under_way: _Pass, task: str) -> None:
        store, chat_id = self._store, under_way.chat.chat_id
        read = [(m.anchor, m.content_hash) for m in under_way.window.new]
        await store.run(lambda: store.memories.set_extracted(chat_id, read, task))


def _roster(chat: OpenChat) -> tuple[str, ...]:
    return canonical_roster(chat.chat.speakers, chat.story.messages)


def _members(chat: OpenChat) -> tuple[frozenset[str], ...]:
    """All names of each member of a group, () elsewhere."""
    if chat.chat.kind is not ChatKind.GROUP:
        return ()
    return tuple(all_names(name, chat.remembered.entities) for name in chat.chat.speakers)


def _is_known(standing: Standing) -> bool:
    if standing.status is Status.ENDED:
        return standing.memory.tier in KEPT_KNOWN
    return standing.status in (Status.ACTIVE, Status.LATER)


def _is_still_so(standing: Standing) -> bool:
    """Whether it ended only because others matter more, or say the same: a model that were told
    that it is over would take it for untrue.
    """
    return standing.ending is not None and standing.ending.reason in NOT_UNTRUE


def _after(change: MemoryChange, under_way: _Pass) -> tuple[tuple[Memory, ...], tuple[Memory, ...]]:
    """What holds, and what is known, when earlier answers of the pass are counted in."""
    if not change:
        return under_way.now, under_way.known
    new = {memory.id: memory for memory in change.memories if memory.review is not Review.WAITING}
    known = {memory.id: memory for memory in under_way.known} | new
    active = {memory.id: memory for memory in under_way.now} | new
    return (
        tuple(m for m in active.values() if not m.endings or m.id not in new),
        tuple(
            m for m in known.values() if not m.endings or m.id not in new or m.tier in KEPT_KNOWN
        ),
    )
