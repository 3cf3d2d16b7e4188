"""Whether work on a chat was ever begun: what was there before it is asked about first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.settings.memory import MemorySettings
from app.story.recaps import YOU, SceneRecap
from app.work.chats.open_chat import OpenChat
from app.work.planning.memory_planner import CATCH_UP_MESSAGES, passes_before
from app.work.planning.writing import Writing

A_FEW = 1  # readings: so many messages are read by themselves


class Beginnings:
    """Knows how long each chat was when its work was first planned in this run.

    A chat that has begun since is a story that is played beside the program, which nobody wants to
    be asked about. What came at once, as of another computer, was there before.
    """

    def __init__(self) -> None:
        self._lengths: dict[int, tuple[int, int]] = {}  # at first, and when last planned

    def is_unbegun(self, chat: OpenChat, settings: Mapping[str, Any], writing: Writing) -> bool:
        """Whether a model has worked on nothing of what was there at first, and that is more than
        it reads at once.
        """
        count = len(chat.story.messages)
        first, before = self._lengths.get(chat.chat_id, (count, count))
        if count - before > CATCH_UP_MESSAGES:
            first = count
        self._lengths[chat.chat_id] = first, count
        end = min(first, _begun_at(chat, settings))
        return passes_before(chat.story, settings, writing, chat.reading_state, end) > A_FEW


def _begun_at(chat: OpenChat, settings: Mapping[str, Any]) -> int:
    """Index of the first message that a model has read for memory; where it reads none, of the
    first scene that it has recapped.
    """
    story, reading = chat.story, chat.reading_state
    if chat.keeps_memory and MemorySettings(settings).memory_auto and not reading.is_paused:
        places = (story.places.get(anchor) for anchor, _ in reading.extracted)
        return min((at for at in places if at is not None), default=len(story.messages))
    recapped = (scene for scene in story.scenes if _is_of_a_model(story.scene_recap(scene)))
    return next((scene.first for scene in recapped), len(story.messages))


def _is_of_a_model(recap: SceneRecap | None) -> bool:
    if recap is None or recap.is_without_model or recap.is_imported or recap.is_taken_over:
        return False
    return recap.made_by != YOU
