"""Reconciles what was claimed with what is known: what is new, the same, replaced, or merged."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

from app.core.errors import AnswerUnusable, BackendError
from app.core.translation import N_
from app.llm.backends.hardware_profile import HardwareProfile
from app.llm.writers.memory_model import MemoryModel
from app.llm.writers.task import Spent
from app.llm.writers.written import KeptAnswers
from app.memory.arcs.thread_cap import kept_threads, returning
from app.memory.epistemic.admission import Presence, admitted
from app.memory.lifecycle.consolidation import Batch, consolidated, due, split
from app.memory.lifecycle.contradictions import noted
from app.memory.lifecycle.decay import after_pass
from app.memory.lifecycle.decisions import (
    Decision,
    Outcome,
    Question,
    Verified,
    Word,
    read_word,
    resolved,
    verified,
)
from app.memory.lifecycle.every_tier import names_in, texts_to_compare, verify_all
from app.memory.lifecycle.identity import beyond_cap
from app.memory.lifecycle.sharing import kept_of_each
from app.memory.lifecycle.state_change import Wording
from app.memory.ranking import newcomers, within_caps
from app.memory.reading.answers import read_answer
from app.memory.reading.extraction import Work
from app.memory.reading.known import line_of
from app.memory.records import (
    Document,
    Ending,
    EndReason,
    Memory,
    MemoryChange,
    Review,
    Source,
    Tier,
    merged_changes,
)
from app.memory.similarity import Vectors
from app.memory.standing import BEFORE
from app.memory.tiers.claims import ReadAnswer
from app.memory.tiers.table import PLAIN, TIERS
from app.settings.memory import MemorySettings
from app.story.answers.task_answers import Unreadable
from app.story.scene_cues.language import LanguagePack

QUESTION = "memory_question"
CONSOLIDATION = "memory_consolidation"


log = logging.getLogger(__name__)

VectorsOf = Callable[[Sequence[str]], Awaitable[Vectors]]


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """What was claimed, and all that it is held against.

    claimed: in the order of the answer. known: what holds, what begins later in the story, and of
    the ledger and of feelings also what ended. active: of these, what holds. places: message index
    by id, of all. aside: threads that are open and out of sight. presence: who is about in which
    messages. newest: the window's last message. documents: what was found of replies is among them.
    kept, spent: for the questions to the model. members: folded names of each of a group.
    """

    claimed: tuple[Memory, ...]
    known: Sequence[Memory]
    active: Sequence[Memory]
    places: Mapping[str, int]
    aside: Sequence[Memory]
    presence: Presence
    newest: tuple[Source, ...]
    documents: Sequence[Document]
    work: Work
    settings: Mapping[str, Any]
    profile: HardwareProfile
    model: MemoryModel
    kept: KeptAnswers
    spent: Spent
    members: tuple[frozenset[str], ...] = ()


class Reconciler:
    """Decides with code, and asks the model only the small closed questions that are left.

    vectors: of texts, by meaning; of none where there is no embedding model or it fails, and then
    all comparisons of a pass are by words.
    """

    def __init__(
        self, count: Callable[[str], int], packs: Sequence[LanguagePack], vectors: VectorsOf
    ) -> None:
        self.count = count
        self._packs = packs
        self._vectors = vectors

    @property
    def packs(self) -> Sequence[LanguagePack]:
        """The languages that it knows."""
        return self._packs

    @cached_property
    def _common(self) -> frozenset[str]:
        return frozenset(word for pack in self._packs for word in pack.stopwords)

    @property
    def titles(self) -> frozenset[str]:
        """Words that stand before the names of people, in any language."""
        return frozenset[str]().union(*(pack.titles for pack in self._packs))

    async def reconcile(self, reconciliation: Reconciliation) -> MemoryChange:
        """The change that the claims make, memories folded where that is due."""
        claimed, too_many = self._admitted(reconciliation)
        vectors = await self._vectors(texts_to_compare([*claimed, *reconciliation.known]))
        wording = await asyncio.to_thread(self._wording, [*claimed, *reconciliation.known])
        checked = await asyncio.to_thread(
            admitted,
            claimed,
            reconciliation.known,
            reconciliation.presence,
            wording=wording.knowing(names_in([*claimed, *reconciliation.known])),
            vectors=vectors,
            places=reconciliation.places,
        )
        over = {memory.id for memory in checked.ended}
        known = [memory for memory in reconciliation.known if memory.id not in over]
        decisions = await asyncio.to_thread(
            verify_all,
            checked.candidates,
            known,
            thresholds=reconciliation.profile.thresholds,
            wording=wording,
            vectors=vectors,
            places=reconciliation.places,
        )
        answered = [await self._answered(decision, reconciliation) for decision in decisions]
        outcome = verified(answered, known)
        held = {memory.id: memory for memory in reconciliation.active}
        accepted = noted(outcome.accepted, reconciliation.documents, held, vectors)
        change = MemoryChange((*checked.ended, *outcome.ended, *accepted, *too_many))
        change = self._aged(change, outcome, reconciliation)
        change = self._within_pairs(change, reconciliation)
        if MemorySettings(reconciliation.settings).consolidation_enabled:
            change = await self._folded(change, reconciliation, wording, vectors)
        change = await asyncio.to_thread(self._within_caps, change, reconciliation)
        return await asyncio.to_thread(self._threads_in_sight, change, reconciliation)

    def _admitted(
        self, reconciliation: Reconciliation
    ) -> tuple[tuple[Memory, ...], tuple[Memory, ...]]:
        """Of many long-term claims the best, with all others, and those too many: they end at once,
        so that the user can read them and take them back. What waits for review waits beside them.
        """
        firm = [
            memory
            for memory in reconciliation.claimed
            if memory.tier is Tier.LONG_TERM and memory.review is not Review.WAITING
        ]
        per_type = reconciliation.profile.new_per_type
        new = kept_of_each(firm, reconciliation.members, lambda mine: newcomers(mine, per_type))
        taken = {memory.id for memory in new}
        dropped = {memory.id for memory in firm} - taken
        if dropped:
            log.info("%d long-term memories of a pass are put aside", len(dropped))
        ending = Ending(EndReason.OUTRANKED, sources=reconciliation.newest)
        return (
            tuple(memory for memory in reconciliation.claimed if memory.id not in dropped),
            tuple(_with(memory, ending) for memory in firm if memory.id in dropped),
        )

    def _wording(self, memories: Sequence[Memory]) -> Wording:
        return Wording.of_story(self._packs, " ".join(memory.text for memory in memories[:200]))

    async def _answered(self, decision: Decision, reconciliation: Reconciliation) -> Decision:
        """The decision with the model's word on it, where one is needed and can be had."""
        if decision.outcome is not Outcome.UNCERTAIN or decision.question is None:
            return decision
        by_id = {memory.id: memory for memory in (*reconciliation.known, *reconciliation.claimed)}
        other = by_id.get(decision.other)
        if other is None:
            return resolved(decision, None)
        inputs = {
            "known": line_of(other).removeprefix("- "),
            "new": line_of(decision.candidate).removeprefix("- "),
            "words": _offered(decision.question),
        }
        try:
            word = await reconciliation.model.ask(
                QUESTION, inputs, _word, kept=reconciliation.kept, spent=reconciliation.spent
            )
        except BackendError:
            return resolved(decision, None)  # decided without it; the next pass may fail for itself
        return resolved(decision, word)

    def _aged(
        self, change: MemoryChange, outcome: Verified, reconciliation: Reconciliation
    ) -> MemoryChange:
        """What was said again is surer, what was not is a pass older."""
        changed = {memory.id for memory in change.memories}
        before = [m for m in reconciliation.active if m.tier in PLAIN and m.id not in changed]
        tiers = {memory.tier for memory in reconciliation.claimed}
        asked = [memory for memory in before if memory.tier in tiers]
        now = reconciliation.work.now
        older = after_pass(asked, outcome.confirmed, now, outcome.heard_by)
        return merged_changes([change, MemoryChange(older)])

    def _within_pairs(self, change: MemoryChange, reconciliation: Reconciliation) -> MemoryChange:
        """Six feelings toward one person are enough: the weakest end."""
        feelings = [m for m in _holding(change, reconciliation) if m.tier is Tier.RELATIONSHIPS]
        ending = Ending(EndReason.OUTRANKED, sources=reconciliation.newest)
        ended = [_with(memory, ending) for memory in beyond_cap(feelings)]
        return merged_changes([change, MemoryChange(tuple(ended))])

    def _within_caps(self, change: MemoryChange, reconciliation: Reconciliation) -> MemoryChange:
        """Of each tier so many of a story hold as the user wants kept: the others end, and stay to
        be read. Of long-term memories each member of a group keeps so many. What only other chats
        say has its place there: a new story of a character takes nothing from an old one.
        """
        here = {memory.id for memory in reconciliation.claimed}
        holding = [
            memory
            for memory in _holding(change, reconciliation)
            if memory.id in here or _is_of_this_story(memory, reconciliation)
        ]
        ending = Ending(EndReason.OUTRANKED, sources=reconciliation.newest)
        ended: list[Memory] = []
        for tier, spec in TIERS.items():
            if not spec.most or spec.comes_back:
                continue
            mine = [memory for memory in holding if memory.tier is tier]
            members = reconciliation.members if spec.is_witnessed else ()
            within = partial(
                within_caps, tier=tier, most=reconciliation.settings[spec.most], common=self._common
            )
            kept = {memory.id for memory in kept_of_each(mine, members, within)}
            ended += (_with(memory, ending) for memory in mine if memory.id not in kept)
        return merged_changes([change, MemoryChange(tuple(ended))])

    def _threads_in_sight(
        self, change: MemoryChange, reconciliation: Reconciliation
    ) -> MemoryChange:
        """Of open threads so many as the user wants: the others are put aside, and come back when
        there is room.
        """
        holding = _holding(change, reconciliation)
        ending = Ending(EndReason.OUTRANKED, sources=reconciliation.newest)
        changed: list[Memory] = []
        for tier, spec in TIERS.items():
            if not spec.comes_back:
                continue
            most = reconciliation.settings[spec.most]
            open_now = [memory for memory in holding if memory.tier is tier]
            open_now.sort(key=lambda memory: reconciliation.places.get(memory.id, BEFORE))
            kept = {m.id for m in kept_threads(open_now, most, holding, self._common)}
            put_aside = [_with(m, ending) for m in open_now if m.id not in kept]
            aside = [memory for memory in reconciliation.aside if memory.tier is tier]
            back = returning(aside, open_now, most, holding, self._common)
            if put_aside or back:
                log.info("%d open threads are put aside, %d come back", len(put_aside), len(back))
            changed += (*put_aside, *back)
        return merged_changes([change, MemoryChange(tuple(changed))])

    async def _folded(
        self,
        change: MemoryChange,
        reconciliation: Reconciliation,
        wording: Wording,
        vectors: Vectors,
    ) -> MemoryChange:
        at = {
            name.removeprefix("consolidate_"): int(value)
            for name, value in reconciliation.settings.items()
            if name.startswith("consolidate_")
        }
        for batch in due(_holding(change, reconciliation), at):
            batch, apart = split(batch, vectors)
            change = merged_changes([change, _kept_apart(apart)])
            if not batch.new:
                continue
            inputs = {
                "type": batch.type,
                "known": _numbered(batch.base, 1) or "Nothing yet.",
                "new": _numbered(batch.new, 1 + len(batch.base)),
            }
            try:
                answer = await reconciliation.model.ask(
                    CONSOLIDATION,
                    inputs,
                    partial(_readable, batch=batch),
                    kept=reconciliation.kept,
                    spent=reconciliation.spent,
                )
            except AnswerUnusable:
                # Asked again with each pass it would be paid for each time: they stay as they are.
                change = merged_changes([change, _kept_apart(batch.new)])
                continue
            except BackendError:
                continue  # nothing is lost: it is due again with the next pass
            folded = consolidated(
                batch,
                answer,
                reconciliation.work,
                thresholds=reconciliation.profile.thresholds,
                wording=wording,
                vectors=vectors,
            )
            # The same of an answer that cannot be trusted as a whole.
            change = merged_changes([change, folded if folded.memories else _kept_apart(batch.new)])
        return change


def _holding(change: MemoryChange, reconciliation: Reconciliation) -> list[Memory]:
    """What holds after the change, as far as it has not ended by it."""
    by_id = {memory.id: memory for memory in reconciliation.active}
    by_id |= {memory.id: memory for memory in change.memories}
    waiting = (Review.WAITING, Review.REJECTED)
    return [m for m in by_id.values() if not m.endings and m.review not in waiting]


def _is_of_this_story(memory: Memory, reconciliation: Reconciliation) -> bool:
    """Whether this chat says it, or the one that it branched from; what nobody says counts, too."""
    chats = {source.chat for source in reconciliation.newest}
    is_said_elsewhere = bool(memory.sources) and chats.isdisjoint(s.chat for s in memory.sources)
    return not is_said_elsewhere or reconciliation.places.get(memory.id, BEFORE) != BEFORE


def _kept_apart(memories: Sequence[Memory]) -> MemoryChange:
    return MemoryChange(tuple(replace(memory, is_consolidated=True) for memory in memories))


def _with(memory: Memory, ending: Ending) -> Memory:
    return replace(memory, endings=(*memory.endings, ending))


def _numbered(memories: Sequence[Memory], first: int) -> str:
    lines = (f"[{number}] {' '.join(m.text.split())}" for number, m in enumerate(memories, first))
    return "\n".join(lines)


def _offered(question: Question) -> str:
    return ", ".join(word.value for word in question.value)


def _word(text: str) -> Word:
    word = read_word(text)
    if word is None:
        raise Unreadable(N_("with none of the offered words"))
    return word


def _readable(text: str, batch: Batch) -> ReadAnswer:
    answer = read_answer(text, (batch.tier,))
    if not answer.is_usable:
        raise Unreadable(N_("with something other than the requested lines"))
    return answer
