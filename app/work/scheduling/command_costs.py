"""What recaps take that the user asks for by one command, with the price of who writes them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from app.core.operations import OperationKind, OperationSpec
from app.story.story import Story
from app.views.asked_cost import Asked, AskedCost
from app.work.chats.open_chat import OpenChat
from app.work.chats.open_chats import OpenChats
from app.work.planning.catch_up import KINDS, catch_up_plan
from app.work.planning.folding import folded_anew
from app.work.planning.message_recap_planner import missing_recaps
from app.work.planning.planner import scene_recap_spec
from app.work.planning.recap_costs import before_rebuild, message_recaps_cost
from app.work.planning.writing import Writing
from app.work.scheduling.estimates import Estimates

NOTHING = AskedCost()


class CommandCosts:
    """`path` is always that of an open chat; anchors that are gone are passed over.

    Raises UsageError for a chat that is not open.
    """

    def __init__(
        self, chats: OpenChats, writing: Callable[[], Writing], estimates: Estimates
    ) -> None:
        self._chats = chats
        self._writing = writing
        self._estimates = estimates

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

    def of_all_anew(self, path: Path) -> AskedCost:
        """Recaps of all scenes that have ended and folding them in, as though there were none."""
        chat, kind = self._chats.required(path), OperationKind.SCENE_RECAP
        story, settings, writing = chat.story, chat.settings(), self._writing()
        scenes = [scene for scene in story.scenes if scene.is_closed]
        if not scenes or writing.of(kind).is_free:
            return NOTHING
        specs = [scene_recap_spec(story, chat.chat_id, s, settings, writing) for s in scenes]
        return self._of_plan(chat, before_rebuild(story, scenes[0]), specs, Asked.SCENES)

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
        self, chat: OpenChat, story: Story, specs: Sequence[OperationSpec], of: Asked
    ) -> AskedCost:
        """What these recaps and the folds behind them take; of what asks nobody, nothing."""
        settings, writing = chat.settings(), self._writing()
        free = frozenset(kind for kind in KINDS if writing.of(kind).is_free)
        # Of nobody is asked what a first scene tells; that is all that is spared without a recap.
        plan = catch_up_plan(
            story,
            specs,
            settings,
            free=free,
            are_folds_beside=not specs,
            are_folds_wanted=of is Asked.RUNNING,
        )
        if plan is None:
            return NOTHING
        plan = self._estimates.as_measured(plan, writing)
        kind = OperationKind.SCENE_RECAP if plan.scenes else OperationKind.RUNNING_RECAP
        thought = plan.requests * writing.of(kind).reasoning_tokens
        cost = AskedCost(plan.requests, plan.prompt_tokens, plan.output_tokens + thought, of=of)
        return self._estimates.asked(cost, kind)
