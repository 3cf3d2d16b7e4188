"""What a backlog takes: its requests and tokens, and the time and price that are expected."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from statistics import median
from typing import Any

from app.core.model_use import Tariff
from app.core.operations import OperationKind, OperationSpec
from app.store.store import Store
from app.story.break_search import SearchCost
from app.story.scenes import Scene
from app.story.story import Story
from app.views.asked_cost import AskedCost
from app.views.catch_up import CatchUpPlan, ReadingCost
from app.work.chats.open_chat import OpenChat
from app.work.planning.catch_up import (
    FEW,
    KINDS,
    MEASURED,
    Pace,
    catch_up_plan,
    estimated,
    pace_of,
    parts_of,
    with_measured_folds,
    with_messages,
)
from app.work.planning.folding import is_being_rebuilt
from app.work.planning.foretold_texts import with_texts
from app.work.planning.memory_planner import reading_cost
from app.work.planning.planner import are_folds_beside, recap_room
from app.work.planning.writing import Writing

KEPT_KINDS = frozenset(
    {OperationKind.SCENE_RECAP, OperationKind.RUNNING_RECAP, OperationKind.MESSAGE_RECAP}
)


class Estimates:
    """backend: who does a kind of work. pace: as it was measured last."""

    def __init__(
        self,
        store: Store,
        backend: Callable[[OperationKind], str],
        tariff: Callable[[], Tariff],
    ) -> None:
        self._store, self._backend, self._tariff = store, backend, tariff
        self.pace = Pace()
        self._fold_tokens: float | None = None  # that the last folds took each

    async def measure(self) -> None:
        """Take the pace from what each kind took last on who does it now."""
        operations, limit = self._store.operations, MEASURED * len(KINDS)
        backends: dict[str, set[OperationKind]] = {}
        for kind in OperationKind:
            backends.setdefault(self._backend(kind), set()).add(kind)

        def measured() -> list[list[tuple[OperationKind, float]]]:
            return [
                [one for one in operations.durations(backend, limit) if one[0] in kinds]
                for backend, kinds in backends.items()
            ]

        fold = self._backend(OperationKind.RUNNING_RECAP)
        self.pace, tokens = await self._store.run(
            lambda: (
                pace_of(*measured()),
                operations.tokens_taken(fold, OperationKind.RUNNING_RECAP, MEASURED),
            )
        )
        self._fold_tokens = median(tokens) if len(tokens) >= FEW else None

    def as_measured(self, plan: CatchUpPlan, writing: Writing) -> CatchUpPlan:
        """The plan with folds as dear as the last ones were."""
        reasoning = writing.of(OperationKind.RUNNING_RECAP).reasoning_tokens
        return with_measured_folds(plan, self._fold_tokens, reasoning)

    async def kept(
        self, story: Story, specs: Sequence[OperationSpec], *, with_searches: bool
    ) -> frozenset[str]:
        """Keys of recaps and folds that were made before of the same messages, in another chat or
        before they were cleared, and of questions about breaks: they cost nothing, so that nobody
        is asked about them. What is built anew is asked for anew.
        """
        kinds = KEPT_KINDS | ({OperationKind.DETECT_BREAKS} if with_searches else set())
        if is_being_rebuilt(story):
            kinds -= {OperationKind.RUNNING_RECAP}
        keys = [
            spec.key
            for spec in specs
            if spec.kind in kinds and not spec.params.get("staged") and not spec.is_asked_for
        ]
        return await self._store.run(lambda: self._store.operations.kept(keys))

    async def folds_kept(
        self,
        story: Story,
        recaps: Sequence[tuple[Scene, str]],
        settings: Mapping[str, Any],
        writing: Writing,
    ) -> int:
        """How many of these scenes, from the first on, were folded into a running recap that began
        with them. recaps: scenes in their order, and the keys of their recaps.
        """
        operations, room = self._store.operations, str(recap_room(settings))
        writing = writing.of(OperationKind.RUNNING_RECAP)

        def unit() -> int:
            told = ""
            for count, (scene, key) in enumerate(recaps):
                recap = operations.result(key)
                if recap is None:
                    return count
                name = story.scene_name(scene) or recap["name"]
                fold = writing.key(OperationKind.RUNNING_RECAP, told, name, recap["text"], room)
                folded = operations.result(fold)
                if folded is None:
                    return count
                told = folded["content"]
            return len(recaps)

        return await self._store.run(unit)

    def of(self, found: CatchUpPlan, writing: Writing) -> CatchUpPlan:
        """A plan and its parts, with the time and the price expected of each."""
        parts = {part: self._expected(one, writing) for part, one in parts_of(found).items()}
        return replace(self._expected(found, writing), parts=parts)

    def asked(self, cost: AskedCost, kind: OperationKind) -> AskedCost:
        """What the user asks for by one command, with the price of who does this kind of work."""
        return cost.priced(self._tariff().of(self._backend(kind)))

    def _expected(self, found: CatchUpPlan, writing: Writing) -> CatchUpPlan:
        found = self.as_measured(found, writing)
        others = {kind: other.reasoning_tokens for kind, other in writing.others.items()}
        tariff = self._tariff()
        return estimated(
            found,
            self.pace,
            lambda kind: tariff.of(self._backend(kind)),
            writing.reasoning_tokens,
            by_kind=others,
            write_speed=writing.write_speed,
        )


def reading_taken(
    chat: OpenChat,
    specs: Sequence[OperationSpec],
    settings: Mapping[str, Any],
    writing: Writing,
) -> ReadingCost:
    """What reading for memory takes, where these are to begin it."""
    if not any(spec.kind is OperationKind.MEMORY_PASS for spec in specs):
        return ReadingCost()
    return reading_cost(chat.story, settings, writing, chat.reading_state)


def plan_of(
    chat: OpenChat,
    specs: Sequence[OperationSpec],
    settings: Mapping[str, Any],
    writing: Writing,
    search: SearchCost,
    reading: ReadingCost,
) -> CatchUpPlan | None:
    """What these take; where some work asks a model, only what does is counted."""
    free = frozenset(kind for kind in KINDS if writing.of(kind).is_free)
    if writing.asks_nobody:
        free = frozenset()
    found = catch_up_plan(
        chat.story,
        specs,
        settings,
        search=search,
        reading=reading,
        free=free,
        are_folds_beside=are_folds_beside(settings, writing),
    )
    found = with_texts(found, chat.story, settings, writing) if chat.keeps_memory else found
    return with_messages(found, chat.story, specs, settings)
