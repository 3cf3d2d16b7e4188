"""Letting the model look for scene breaks where the user wants it, with the cost known first."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from app.core.errors import UsageError
from app.core.operations import OperationKind
from app.core.translation import tr
from app.story.break_search import SearchCost
from app.story.scene_cues.language import LanguagePack
from app.story.scenes import BreakOrigin, scenes_of
from app.story.story import Story
from app.work.chats.open_chat import OpenChat
from app.work.chats.open_chats import OpenChats
from app.work.jobs.model_breaks import find_breaks
from app.work.models.active_model import ActiveModel
from app.work.planning.break_planner import SearchExtent, search_cost, search_rules
from app.work.planning.model_messages import text_rules


class ModelBreakSearch:
    """The model's search for breaks in a whole chat."""

    def __init__(
        self, chats: OpenChats, models: ActiveModel, packs: Sequence[LanguagePack]
    ) -> None:
        self._chats = chats
        self._models = models
        self._packs = packs

    def cost(self, path: Path) -> SearchCost:
        """What `begin` would take in an open chat; nothing without a model."""
        chat = self._chats.required(path)
        return search_cost(
            chat.story, chat.settings(), self._models.writing(), chat.search, SearchExtent.ALL
        )

    async def begin(self, path: Path) -> None:
        """Let the model look for breaks in every scene of an open chat, whatever the settings say.

        What gave nothing before, in the same words, is not asked again. What it finds is taken
        back in one step. Raises UsageError without a model.
        """
        if self._models.writing().of(OperationKind.DETECT_BREAKS).is_free:
            raise UsageError(tr("The built-in rules ask no model: choose one first."))
        chat = self._chats.required(path)
        chat.want_search(time.time())
        await self._chats.plan(chat)

    async def take_in(self, chat: OpenChat) -> None:
        """Something was taken back in a chat: breaks that went are not set at once again."""
        chat.end_search()

    async def found(self, path: Path, *, until: int | None = None) -> Story:
        """The story as the model cuts it, hand-made breaks kept; nothing is stored.

        Raises UsageError without a model, BackendError.
        """
        writing = self._models.writing().of(OperationKind.DETECT_BREAKS)
        if writing.is_free:
            raise UsageError(tr("The built-in rules ask no model: name one with --llm."))
        chat = await self._chats.open(path, until=until)
        await chat.complete()  # what a model is asked follows from counts
        breaks = {a: b for a, b in chat.story.breaks.items() if b.origin is BreakOrigin.HAND}
        breaks |= {a: b for a, b in chat.story.breaks.items() if not b.is_visible}
        # The whole chat was asked for: nothing is waited for at its end.
        rules = replace(search_rules(chat.settings(), writing), offset=0)
        story = replace(chat.story, breaks=breaks)
        writer = self._models.writer(OperationKind.DETECT_BREAKS)
        left_out = text_rules(chat.settings())
        found = await find_breaks(story, writer, rules, self._packs, left_out)
        breaks |= {mark.anchor: mark for mark in found}
        return replace(story, breaks=breaks, scenes=scenes_of(story.messages, breaks))
