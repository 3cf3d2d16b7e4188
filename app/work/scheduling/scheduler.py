"""Brings the queue in line with what the chats lack, and asks before a model gets a backlog."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from app.core.model_use import Tariff
from app.core.operations import (
    ALL,
    CLEARED,
    FOLDS,
    MEMORY,
    RECAPS,
    UNBEGUN,
    CatchUp,
    OperationKind,
    OperationSpec,
)
from app.core.signals import Signal
from app.settings.scenes import SceneSettings
from app.store.store import Store
from app.story.break_search import SearchCost
from app.story.story import ChatRef
from app.views.catch_up import CatchUpPlan, ReadingCost
from app.views.queued_work import Cleared
from app.work.chats.open_chat import OpenChat
from app.work.demo.demo_story import is_demo
from app.work.planning.agreement import (
    NOT_WANTED_WITH,
    Question,
    asks_of_folds,
    by_themselves,
    is_made_again,
    is_of_a_catch_up,
    stops_with_it,
)
from app.work.planning.break_planner import search_cost, search_specs, with_question_under_way
from app.work.planning.catch_up import KINDS, catch_up_plan
from app.work.planning.dependencies import in_dependency_order, out_of_turn, without
from app.work.planning.folding import is_being_rebuilt, scenes_to_fold
from app.work.planning.memory_planner import reading_cost
from app.work.planning.planner import plan
from app.work.planning.staleness import is_outdated, is_wanted, renewed
from app.work.planning.writing import Writing
from app.work.queue.operation_queue import OperationQueue
from app.work.scheduling.beginnings import Beginnings
from app.work.scheduling.catch_ups import CatchUps
from app.work.scheduling.due_work import (
    asked_until,
    held_by_prompts,
    lacking_of,
    readings_due,
    texts_due,
)
from app.work.scheduling.estimates import Estimates, plan_of, reading_taken
from app.work.scheduling.followed import Followed, agreed_to

Enqueue = Callable[[Sequence[OperationSpec]], Awaitable[None]]


class Scheduler:
    """What a chat lacks is queued, what it lacks no more is let go, at each change of it.

    asks_first: a model is not given many scenes at once before the user said so, nor anything of
    the demo story. What they said holds until the backlog is worked off, also in a later run, or
    until another model is to do it. taken: tokens of the slots of a chat's next prompt, None before
    they are known. estimates: of what work takes.

    Signals:
        catch_up_changed: there is a backlog to ask about, or no more; or it went on.
    """

    # 8 parameters: wiring.py alone makes it.
    def __init__(
        self,
        store: Store,
        queue: OperationQueue,
        enqueue: Enqueue,
        writing: Callable[[], Writing],
        backend: Callable[[OperationKind], str],
        tariff: Callable[[], Tariff],
        taken: Callable[[Path], int | None],
        *,
        asks_first: bool,
    ) -> None:
        self._store = store
        self._queue = queue
        self._enqueue = enqueue
        self._writing = writing
        self._taken, self._asks_first = taken, asks_first
        self.waits_for_word = False  # a newcomer chooses: nothing begins, and all is asked about
        self.estimates = Estimates(store, backend, tariff)
        self.catch_up_changed: Signal[ChatRef] = Signal("catch_up_changed")
        self.catch_ups = CatchUps(store, queue, self.catch_up_changed.emit)
        self._beginnings = Beginnings(queue.is_open)

    async def follow(self, chat: OpenChat) -> None:
        """Queue what the story lacks, and let go of what it does not lack any more."""
        story, settings, writing = chat.story, chat.settings(), self._writing()
        chat.note_stood_for(self._queue.stood_for(chat.chat_id))
        if chat.is_off or chat.is_gone or (chat.is_cut and not writing.asks_nobody):
            await self._rest(chat)
            return
        searches = with_question_under_way(
            search_specs(story, chat.chat_id, settings, writing, chat.search),
            self._question_under_way(chat, settings, writing),
        )
        if chat.search.is_wanted and not searches:
            chat.end_search()
        readings = readings_due(chat, writing)
        if chat.reading_state.is_wanted and not (readings or chat.reading_state.is_paused):
            chat.end_reading()  # it was wanted up to the last message, which is read now
        derived = texts_due(chat, writing, readings)
        if self._asks_first:
            is_on = self.catch_ups.is_followed(chat.chat_id)
            derived = self._beginnings.played(chat, derived, readings, writing, is_on=is_on)
        held = held_by_prompts(chat, self._taken(chat.chat.path))
        planned = plan(story, chat.chat_id, settings, writing, held_from=held)
        planned = (*planned, *readings, *derived)
        specs = in_dependency_order(story, (*searches, *planned))
        again = await self._let_go(chat, specs)
        allowed = await self._allowed(chat, specs, settings, writing)
        allowed = () if self.waits_for_word else allowed
        await self._put_in_turn(chat, allowed)
        await self._enqueue((*again, *allowed))

    def _question_under_way(
        self, chat: OpenChat, settings: Mapping[str, Any], writing: Writing
    ) -> OperationSpec | None:
        running = self._queue.running(chat.chat_id)
        if running is None or running.spec.kind is not OperationKind.DETECT_BREAKS:
            return None
        if is_outdated(running.spec, chat.story, settings, writing):
            return None
        return running.spec

    async def _put_in_turn(self, chat: OpenChat, specs: Sequence[OperationSpec]) -> None:
        """Let go of what is to be queued anew behind the recaps of earlier scenes."""
        planned = [spec for spec in specs if self._queue.is_ahead(spec)]
        early = out_of_turn(self._queue.open.values(), planned, current=self._queue.current)
        if early:
            await self._queue.let_go(chat.chat_id, lambda operation: operation.id in early)

    async def _rest(self, chat: OpenChat) -> None:
        """Nothing is done for the chat: what is queued by itself is let go, to be planned again."""
        await self._queue.let_go(chat.chat_id, lambda operation: not operation.spec.is_asked_for)
        if chat.offer(None) is not None:
            self.catch_up_changed.emit(chat.chat)

    async def _let_go(self, chat: OpenChat, specs: Sequence[OperationSpec]) -> list[OperationSpec]:
        """Drop what waits in vain; what the user asked for is given as it is planned now."""
        story, settings, writing = chat.story, chat.settings(), self._writing()
        works = {spec.work for spec in specs}
        unwanted = {
            operation.id: operation.spec
            for operation in self._queue.unbegun(chat.chat_id)
            if not is_wanted(operation, story, settings, writing, specs, works)
        }
        again = [
            now
            for spec in unwanted.values()
            if spec.is_asked_for
            for now in renewed(spec, story, settings, writing)
            if spec.kind is not OperationKind.DETECT_BREAKS
        ]
        if unwanted:
            await self._queue.let_go(chat.chat_id, lambda operation: operation.id in unwanted)
        return again

    # --- the backlog

    async def _allowed(
        self,
        chat: OpenChat,
        specs: Sequence[OperationSpec],
        settings: Mapping[str, Any],
        writing: Writing,
    ) -> Sequence[OperationSpec]:
        """Without what the user is asked about first, where that is much."""
        before = chat.offer(None)
        if not writing.asks_nobody:
            await self.estimates.measure()
            if self._asks_first:
                await self.catch_ups.of(chat, writing.specs)
                was_on = self.catch_ups.is_followed(chat.chat_id)
                kept = await self.estimates.kept(chat.story, specs, with_searches=not was_on)
                costing = [spec for spec in specs if spec.key not in kept]
                allowed = await self._asked_about(
                    chat, costing, settings, writing, is_more_kept=len(costing) < len(specs)
                )
                works = {spec.work for spec in allowed}
                specs = [spec for spec in specs if spec.key in kept or spec.work in works]
                is_on = was_on or self.catch_ups.is_followed(chat.chat_id)
                if is_demo(chat.chat.path) and not is_on:
                    specs = by_themselves(specs, writing, chat.reading_state)
        else:
            self.catch_ups.leave(chat.chat_id)
        if chat.catch_up != before:
            self.catch_up_changed.emit(chat.chat)
        return specs

    async def _asked_about(
        self,
        chat: OpenChat,
        specs: Sequence[OperationSpec],
        settings: Mapping[str, Any],
        writing: Writing,
        *,
        is_more_kept: bool,
    ) -> Sequence[OperationSpec]:
        """is_more_kept: what costs nothing is left to do beside these."""
        followed = await self.catch_ups.of(chat, writing.specs)
        if followed is None:
            followed = await self._rebuild(chat, specs, settings, writing)
        if followed is not None and not followed.kept.is_stopped:
            mine = self._of_part(chat, followed.kept.part, specs, settings, writing)
            await self._go_on(chat, followed, mine, settings, writing)
            followed = await self._within_agreed(chat, settings)
            if followed is not None and not followed.kept.is_stopped:
                return mine
            if followed is None and len(mine) == len(specs):
                return mine
            # That part is through, and the other one is asked about; or more than was agreed.
        is_unbegun = self._beginnings.is_unbegun(chat, settings, writing) and followed is None
        is_put_off = followed is not None or is_demo(chat.chat.path)
        limit = 0 if self.waits_for_word else SceneSettings(settings).catch_up_scenes
        limit_of_old = 0 if is_put_off or is_unbegun else limit
        question = self._question(chat, specs, settings, writing, limit_of_old, limit)
        backlog, lacking = [*question.backlog], lacking_of(chat, settings, writing)
        is_put_off |= is_unbegun and bool(backlog)
        holds_folds = is_put_off or asks_of_folds(chat.story, backlog, settings, limit)
        if holds_folds and not lacking.folds_what_is_new():
            # A stop, and a question, hold for what is folded in, too.
            folds = (s for s in specs if s.kind is OperationKind.RUNNING_RECAP)
            backlog += [spec for spec in folds if not self._queue.is_open(spec)]
        else:
            holds_folds = False
        is_whole = is_unbegun or (followed is not None and followed.kept.part in (CLEARED, UNBEGUN))
        if is_whole:
            unqueued = [spec for spec in specs if not self._queue.is_open(spec)]
            backlog += lacking.messages_of_before(unqueued)
        if not backlog:
            chat.ask_of()
            is_done = self._queue.running(chat.chat_id) is None and not is_more_kept
            if followed is not None and is_done:
                await self.catch_ups.forget(chat)
            return specs
        if is_unbegun:  # what is made of what comes now does not make the rest go by itself
            await self.catch_ups.keep(chat, self._stopped(chat, UNBEGUN))
        if question.is_of_new or asked_until(chat) is None:
            ends = [scene.closing.anchor for scene in chat.story.scenes if scene.closing]
            chat.ask_of(chat.story.messages[-1].anchor, *ends[-1:])
        plan = plan_of(chat, backlog, settings, writing, question.search, question.reading)
        if plan is not None and followed is not None:
            plan = replace(plan, agreed=followed.exceeded)
        chat.offer(self.estimates.of(plan, writing) if plan is not None else None)
        held = {OperationKind.RUNNING_RECAP: holds_folds, OperationKind.SUMMARY: is_whole}
        left = without(backlog, specs, chat.story)
        return [spec for spec in left if not held.get(spec.kind)]

    async def _rebuild(
        self,
        chat: OpenChat,
        specs: Sequence[OperationSpec],
        settings: Mapping[str, Any],
        writing: Writing,
    ) -> Followed | None:
        """What is followed as the user has the running recap built anew: it was said yes to, and is
        as long as a catch-up. None where it is short, or asks nobody.
        """
        folds = [spec for spec in specs if spec.kind is OperationKind.RUNNING_RECAP]
        limit = SceneSettings(settings).catch_up_scenes
        is_long = len(scenes_to_fold(chat.story, settings)) > limit
        if not folds or not is_long or not is_being_rebuilt(chat.story):
            return None
        plan = plan_of(chat, folds, settings, writing, SearchCost(), ReadingCost())
        if plan is None:
            return None
        kept = CatchUp(chat.chat_id, time.time(), writing.specs, part=FOLDS)
        plan = self.estimates.as_measured(plan, writing)
        await self.catch_ups.keep(chat, agreed_to(kept, plan))
        self.catch_up_changed.emit(chat.chat)
        return self.catch_ups.get(chat.chat_id)

    async def _within_agreed(self, chat: OpenChat, settings: Mapping[str, Any]) -> Followed | None:
        """What goes on; stopped, where it grew so far beyond what was said yes to that the rest is
        asked about.
        """
        followed = self.catch_ups.get(chat.chat_id)
        if followed and followed.is_beyond(SceneSettings(settings).catch_up_scenes):
            await self.catch_ups.keep(chat, replace(followed.kept, is_stopped=True))
            await self._queue.let_go(chat.chat_id, is_of_a_catch_up)
        return self.catch_ups.get(chat.chat_id)

    def _of_part(
        self,
        chat: OpenChat,
        part: str,
        specs: Sequence[OperationSpec],
        settings: Mapping[str, Any],
        writing: Writing,
    ) -> Sequence[OperationSpec]:
        """Without the backlog of the part that the user does not want yet."""
        if part == ALL:
            return specs
        other = NOT_WANTED_WITH[part]
        limit = SceneSettings(settings).catch_up_scenes
        question = self._question(chat, specs, settings, writing, 0, limit)
        unwanted = [spec for spec in question.backlog if spec.kind in other]
        if part == MEMORY and unwanted:
            unwanted += [spec for spec in specs if spec.kind is OperationKind.RUNNING_RECAP]
        return without(unwanted, specs, chat.story)

    # 7 parameters: what is planned, and how much of it goes unasked.
    def _question(
        self,
        chat: OpenChat,
        specs: Sequence[OperationSpec],
        settings: Mapping[str, Any],
        writing: Writing,
        limit: int,
        limit_of_new: int,
    ) -> Question:
        unqueued = [spec for spec in specs if not self._queue.is_open(spec)]
        searches = [spec for spec in specs if spec.kind is OperationKind.DETECT_BREAKS]
        lacking = lacking_of(chat, settings, writing)
        return lacking.asked_about(unqueued, searches, limit, limit_of_new)

    async def _go_on(
        self,
        chat: OpenChat,
        followed: Followed,
        specs: Sequence[OperationSpec],
        settings: Mapping[str, Any],
        writing: Writing,
    ) -> None:
        """See how far it is; forget it when nothing is left that is queued, or may be."""
        kept = followed.kept
        kinds = (OperationKind.RUNNING_RECAP,) if kept.part == FOLDS else KINDS
        left = [spec for spec in specs if spec.kind in kinds and self._queue.is_ahead(spec)]
        if not left and chat.reading_state.is_in_round:
            return  # reading waits for the round's end, and goes on then
        if not left and kept.part in (RECAPS, MEMORY):  # nobody said yes to the other part
            await self.catch_ups.keep(chat, self._stopped(chat, UNBEGUN))
            return
        if not left:
            await self.catch_ups.forget(chat)
            return
        cost = SearchCost()
        if any(spec.kind is OperationKind.DETECT_BREAKS for spec in left):
            cost = search_cost(chat.story, settings, writing, chat.search)
        followed.chat = chat.chat
        reading = reading_taken(chat, left, settings, writing)
        followed.left = plan_of(chat, left, settings, writing, cost, reading)
        operations = self._store.operations
        followed.worked = await self._store.run(
            lambda: operations.worked(chat.chat_id, kept.begun, kinds)
        )

    async def start(self, chat: OpenChat, part: str = ALL) -> None:
        """The user wants the backlog worked off, or a part of it, what failed before among it."""
        kept = CatchUp(chat.chat_id, time.time(), self._writing().specs, part=part)
        await self.catch_ups.keep(chat, agreed_to(kept, chat.catch_up))
        if part == ALL:
            chat.ask_of()  # what came since is read in its turn
        self._queue.forgive(chat.chat_id)
        await self.follow(chat)
        self.catch_up_changed.emit(chat.chat)

    async def put_off(self, chat: OpenChat) -> None:
        """The user was asked about the backlog and did not say yes: it is offered, however small
        it is, and begins at their word.
        """
        if chat.catch_up is not None and self.catch_ups.get(chat.chat_id) is None:
            await self.catch_ups.keep(chat, self._stopped(chat, ALL))

    async def hold(self, chat: OpenChat) -> None:
        """The user took away what there was: what is made anew is offered, however little it is,
        and begins at their word; what is kept of it comes back by itself.
        """
        if self._asks_first and not self._writing().asks_nobody:
            chat.end_search()
            await self._stop(chat, self._stopped(chat, CLEARED))
            await self._queue.let_go(chat.chat_id, is_made_again)

    def _stopped(self, chat: OpenChat, part: str) -> CatchUp:
        specs = self._writing().specs
        return CatchUp(chat.chat_id, time.time(), specs, is_stopped=True, part=part)

    async def _stop(self, chat: OpenChat, kept: CatchUp) -> None:
        await self.catch_ups.keep(chat, kept)
        chat.end_reading()
        await self._queue.let_go(chat.chat_id, stops_with_it)

    async def stop(self, chat: OpenChat, *, at_once: bool) -> None:
        """The user wants no more of it; what is done stays done, what is left is offered again.

        at_once: what runs is dropped too, else it is finished.
        """
        followed = self.catch_ups.get(chat.chat_id)
        if followed is None:
            return
        await self._stop(chat, replace(followed.kept, is_stopped=True))
        running = self._queue.running(chat.chat_id)
        if at_once and running is not None and stops_with_it(running):
            await self._queue.cancel(running.id, is_final=False)
        await self.follow(chat)
        self.catch_up_changed.emit(chat.chat)

    # --- the user's word on all that waits

    async def clear(self, chat_id: int | None = None) -> Cleared:
        """Take all that waits out of the queue, of one chat or of all; catch-ups stop with it."""
        operations = await self._queue.clear(chat_id)
        return Cleared(operations, await self.catch_ups.stop_all(chat_id))

    async def put_back(self, cleared: Cleared) -> None:
        """Undo a clearing."""
        await self.catch_ups.put_back(cleared.catch_ups)
        await self._queue.put_back(cleared.operations)

    def left(self, chat: OpenChat) -> CatchUpPlan | None:
        """What recapping a chat takes from here on, with the time expected; None: nothing."""
        story, settings, writing = chat.story, chat.settings(), self._writing()
        searches = search_specs(story, chat.chat_id, settings, writing, chat.search)
        planned = plan(story, chat.chat_id, settings, writing)
        specs = (*searches, *planned, *readings_due(chat, writing))
        specs = tuple(s for s in specs if s.kind in KINDS and not self._queue.is_given_up(s))
        cost = SearchCost()
        if searches:
            cost = search_cost(story, settings, writing, chat.search)
        reading = reading_taken(chat, specs, settings, writing)
        found = plan_of(chat, specs, settings, writing, cost, reading)
        return None if found is None else self.estimates.of(found, writing)

    async def reading(self, chat: OpenChat, *, again: bool = False) -> CatchUpPlan | None:
        """What reading a chat to its last message takes; None: no request. again: all of it."""
        writing, settings = self._writing(), {**chat.settings(), "memory_auto": True}
        wanted = replace(chat.reading_state, is_wanted=True)
        wanted = replace(wanted, extracted=(), unreadable=()) if again else wanted
        cost = reading_cost(chat.story, settings, writing, wanted)
        found = catch_up_plan(chat.story, (), settings, reading=cost)
        if found is None:
            return None
        await self.estimates.measure()
        return self.estimates.of(found, writing)
