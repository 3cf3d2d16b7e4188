"""What recaps take that the user asks for by one command, with the price of who writes them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from pathlib import Path

from app.core.operations import OperationKind, OperationSpec
from app.story.scene_cues.language import LanguagePack
from app.story.story import Story
from app.views.asked_cost import Asked, AskedCost
from app.work.chats.doubtful_places import DoubtfulPlaces
from app.work.chats.open_chat import OpenChat
from app.work.chats.open_chats import OpenChats
from app.work.planning.break_planner import answers_kept, search_cost, search_specs, unsearched
from app.work.planning.catch_up import KINDS, catch_up_plan
from app.work.planning.folding import folded_anew
from app.work.planning.message_recap_planner import (
    are_message_recaps_wanted,
    missing_recaps,
    planned_message_recaps,
)
from app.work.planning.planner import are_folds_beside, scene_recap_spec
from app.work.planning.recap_costs import before_rebuild, message_recaps_cost
from app.work.planning.writing import Writing
from app.work.scheduling.estimates import Estimates

NOTHING = AskedCost()


class CommandCosts:
    """`path` is always that of an open chat; anchors that are gone are passed over.

    Raises UsageError for a chat that is not open.
    """

    def __init__(
        self,
        chats: OpenChats,
        writing: Callable[[], Writing],
        estimates: Estimates,
        packs: Sequence[LanguagePack],
    ) -> None:
        self._chats = chats
        self._writing = writing
        self._estimates = estimates
        self._packs = packs

    def of_messages(self, path: Path, anchors: Collection[str] | None = None) -> AskedCost:
        """Recaps of these messages, None for all without one; nothing without a model."""
        chat, kind = self._chats.required(path), OperationKind.MESSAGE_RECAP
        story, settings, writing = chat.story, chat.settings(), self._writing().of(kind)
        if writing.is_free:
            return NOTHING
        if anchors is None:
            anchors = [message.anchor for message in missing_recaps(story, settings)]
        indexes = [i for anchor in anchors if (i := story.places.get(anchor)) is not None]
        cost = message_recaps_cost(story, indexes, settings, writing.reasoning_tokens)
        return self._estimates.asked(cost, kind)

    def of_scenes(self, path: Path, anchors: Collection[str]) -> AskedCost:
        """Recaps of the scenes that end at these messages, and folding them in."""
        chat, kind = self._chats.required(path), OperationKind.SCENE_RECAP
        story, settings, writing = chat.story, chat.settings(), self._writing()
        if writing.of(kind).is_free:
            return NOTHING
        scenes = [scene for a in anchors if (scene := story.scene_ending_at(a)) is not None]
        specs = [scene_recap_spec(story, chat.chat_id, s, settings, writing) for s in scenes]
        return self._of_plan(chat, story, specs, Asked.SCENES)

    async def of_all_anew(self, path: Path) -> AskedCost:
        """Looking for breaks, recaps of all scenes that have ended and of the messages that are
        recapped by themselves, and folding them in, as though there were none; answers that are
        kept cost nothing.
        """
        chat, writing = self._chats.required(path), self._writing()
        found = await self._search_anew(chat, writing) + await self._messages_anew(chat, writing)
        return found + await self._recaps_anew(chat, writing)

    async def _search_anew(self, chat: OpenChat, writing: Writing) -> AskedCost:
        story, settings, number = chat.story, chat.settings(), chat.chat_id
        bare, state = unsearched(story, chat.search)
        state = await DoubtfulPlaces(self._packs).taken_in(state, bare, settings)
        first = search_specs(bare, number, settings, writing, state)
        if not first:
            return NOTHING
        cost, kept = search_cost(bare, settings, writing, state), 0
        if await self._estimates.kept(bare, first, with_searches=True):
            answered, kept = answers_kept(story, settings, writing, chat.search)
            part = kept / max(1, answered)
            # What is kept leads again to where it led: to what is left to ask now.
            is_left = bool(search_specs(story, number, settings, writing, chat.search))
            left = search_cost(story, settings, writing, chat.search).share(part * is_left)
            cost = cost.share(1 - part) + left
        found = AskedCost(cost.requests, cost.prompt_tokens, cost.output_tokens)
        found = replace(found, searches=cost.requests, kept=kept)
        return self._estimates.asked(found, OperationKind.DETECT_BREAKS)

    async def _messages_anew(self, chat: OpenChat, writing: Writing) -> AskedCost:
        kind, settings = OperationKind.MESSAGE_RECAP, chat.settings()
        own = writing.of(kind)
        if own.is_free or not are_message_recaps_wanted(settings, writing):
            return NOTHING
        bare = replace(chat.story, message_recaps={})
        specs = planned_message_recaps(bare, chat.chat_id, settings, writing)
        kept = await self._estimates.kept(bare, specs, with_searches=False)
        left = [bare.places[spec.anchor] for spec in specs if spec.key not in kept]
        cost = message_recaps_cost(bare, left, settings, own.reasoning_tokens)
        return self._estimates.asked(replace(cost, kept=len(specs) - len(left)), kind)

    async def _recaps_anew(self, chat: OpenChat, writing: Writing) -> AskedCost:
        story, settings = chat.story, chat.settings()
        scenes = [scene for scene in story.scenes if scene.is_closed]
        if not scenes or writing.of(OperationKind.SCENE_RECAP).is_free:
            return NOTHING
        specs = [scene_recap_spec(story, chat.chat_id, s, settings, writing) for s in scenes]
        kept = await self._estimates.kept(story, specs, with_searches=False)
        made = list(zip(scenes, (spec.key for spec in specs), strict=True))
        folded = await self._estimates.folds_kept(story, made, settings, writing)
        left = [spec for spec in specs if spec.key not in kept]
        before = before_rebuild(story, scenes[folded]) if folded < len(scenes) else story
        beside = are_folds_beside(settings, writing)
        cost = self._of_plan(chat, before, left, Asked.SCENES, are_beside=beside, with_folds=True)
        return replace(cost, kept=len(specs) - len(left) + folded)

    def of_rebuild(self, path: Path, anchor: str) -> AskedCost:
        """Folding scenes in anew from the one on that ends at this message."""
        chat = self._chats.required(path)
        scene = chat.story.scene_ending_at(anchor)
        if scene is None:
            return NOTHING
        return self._of_plan(chat, before_rebuild(chat.story, scene), (), Asked.RUNNING)

    def of_folding_again(self, path: Path, anchors: Collection[str]) -> AskedCost:
        """Folding in anew what rests on the recaps of the scenes that end here, once these are
        there; nothing where nothing does.
        """
        story = self._chats.required(path).story
        if not folded_anew(story, anchors):
            return NOTHING
        first = min(anchors, key=lambda anchor: story.places.get(anchor, len(story.messages)))
        return self.of_rebuild(path, first)

    def of_made_without_model(self, path: Path) -> AskedCost:
        """Recaps that rules wrote, and folding in anew from the first of them on."""
        chat = self._chats.required(path)
        story, settings, writing = chat.story, chat.settings(), self._writing()
        scenes = [story.scene_ending_at(anchor) for anchor in story.made_without_model]
        told = [scene for scene in scenes if scene is not None]
        if not told:
            return NOTHING
        specs = [
            scene_recap_spec(story, chat.chat_id, scene, settings, writing)
            for scene in told
            if (recap := story.scene_recap(scene)) is not None and recap.is_without_model
        ]
        rebuilt = before_rebuild(story, told[0])
        return self._of_plan(chat, rebuilt, specs, Asked.SCENES)

    def _of_plan(
        self,
        chat: OpenChat,
        story: Story,
        specs: Sequence[OperationSpec],
        of: Asked,
        *,
        are_beside: bool = False,
        with_folds: bool = False,
    ) -> AskedCost:
        """What these recaps and the folds behind them take; of what asks nobody, nothing.

        are_beside: as in `catch_up_plan`. with_folds: those that are left without a recap, too.
        """
        settings, writing = chat.settings(), self._writing()
        free = frozenset(kind for kind in KINDS if writing.of(kind).is_free)
        # Of nobody is asked what a first scene tells; that is all that is spared without a recap.
        plan = catch_up_plan(
            story,
            specs,
            settings,
            free=free,
            are_folds_beside=are_beside or not specs,
            are_folds_wanted=with_folds or of is Asked.RUNNING,
        )
        if plan is None:
            return NOTHING
        plan = self._estimates.as_measured(plan, writing)
        kind = OperationKind.SCENE_RECAP if plan.scenes else OperationKind.RUNNING_RECAP
        thought = plan.requests * writing.of(kind).reasoning_tokens
        cost = AskedCost(plan.requests, plan.prompt_tokens, plan.output_tokens + thought, of=of)
        return self._estimates.asked(cost, kind)
