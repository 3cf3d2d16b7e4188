"""What recaps take that the user asks for by one command, with the price of who writes them."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path

from app.core.operations import OperationKind
from app.views.asked_cost import AskedCost
from app.work.chats.open_chats import OpenChats
from app.work.planning.asked_cost import message_recaps_cost
from app.work.planning.catch_up import catch_up_plan
from app.work.planning.planner import Writing, missing_recaps, scene_recap_spec
from app.work.scheduling.estimates import Estimates

NOTHING = AskedCost()


class AskedCosts:
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
        plan = catch_up_plan(story, specs, settings)
        if plan is None:
            return NOTHING
        cost = AskedCost(plan.requests, plan.prompt_tokens, plan.output_tokens)
        thought = plan.requests * writing.of(kind).reasoning_tokens
        cost = replace(cost, output_tokens=cost.output_tokens + thought)
        return self._estimates.asked(cost, kind)
