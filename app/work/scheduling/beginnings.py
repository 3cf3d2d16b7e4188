"""What goes on with a story that is played, and not since its chat was opened."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from app.core.operations import OperationKind, OperationSpec
from app.settings.memory import MemorySettings
from app.story.recaps import YOU, SceneRecap
from app.work.chats.open_chat import OpenChat
from app.work.jobs.document_making import document_material
from app.work.planning.document_planner import plan_by_hand
from app.work.planning.memory_planner import CATCH_UP_MESSAGES, passes_before
from app.work.planning.writing import Writing

A_FEW = 1  # readings: so many messages are read by themselves
# Made of what is remembered, and beside it: none of it is missed before the story has gone on.
BESIDE = frozenset(
    {
        OperationKind.UPKEEP,
        OperationKind.ARC_SUMMARY,
        OperationKind.PROFILE,
        OperationKind.CANON,
        OperationKind.TRIGGERS,
    }
)


class Beginnings:
    """Knows how long each chat was when its work was first planned in this run.

    A chat that has begun since is a story that is played beside the program, which nobody wants to
    be asked about. What came at once, as of another computer, was there before. is_open: whether
    something is queued.
    """

    def __init__(self, is_open: Callable[[OperationSpec], bool]) -> None:
        self._is_open = is_open
        self._lengths: dict[int, tuple[int, int]] = {}  # at first, and when last planned
        # Messages and closed scenes of chats that were opened; None once their story has gone on.
        self._opened: dict[int, tuple[int, int] | None] = {}

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

    # 6 parameters: a chat, what it lacks, and what was said of it.
    def played(
        self,
        chat: OpenChat,
        derived: Sequence[OperationSpec],
        readings: Sequence[OperationSpec],
        writing: Writing,
        *,
        is_on: bool,
    ) -> tuple[OperationSpec, ...]:
        """The texts that the story lacks, of a chat that was only opened without those beside: a
        branch, or a copy, tells what it had. What is queued already stays, and so do threads that
        the user has closed.

        is_on: its backlog is worked off.
        """
        if is_on or readings or self._has_gone_on(chat):
            self._opened[chat.chat_id] = None
            return tuple(derived)
        kept = [spec for spec in derived if spec.kind not in BESIDE or self._is_open(spec)]
        if len(kept) == len(derived):
            return tuple(derived)
        by_hand = plan_by_hand(document_material(chat, writing))
        return (*kept, *(spec for spec in by_hand if spec not in kept))

    def _has_gone_on(self, chat: OpenChat) -> bool:
        """Whether a scene has ended since a chat was opened, or as much as one was played."""
        closed = sum(scene.is_closed for scene in chat.story.scenes)
        now = len(chat.story.messages), closed
        opened = self._opened.setdefault(chat.chat_id, now)
        return opened is None or now[1] > opened[1] or now[0] >= opened[0] + CATCH_UP_MESSAGES


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
