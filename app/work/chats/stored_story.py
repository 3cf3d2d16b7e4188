"""What the store holds of a chat's story, read again only where it was written to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from app.store.database.written import BREAKS, MESSAGE_RECAPS, RUNNING, SCENE_RECAPS, SEARCHED
from app.store.store import Store
from app.story.break_search import Searched
from app.story.messages import MessageRecap
from app.story.recaps import RunningRecap, SceneRecap
from app.story.scenes import SceneBreak

T = TypeVar("T")


class Stored(NamedTuple):
    """Breaks and recaps, all but `running` and `searched` by anchor; not to be changed."""

    breaks: dict[str, SceneBreak]
    searched: tuple[Searched, ...]
    recaps: dict[str, tuple[SceneRecap, ...]]
    running: RunningRecap
    message_recaps: dict[str, MessageRecap]


class StoredStory:
    """Reads the story of one chat; what nobody wrote to keeps its objects."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._kept: dict[tuple[str, ...], tuple[tuple[int, ...], int, Any]] = {}

    def read(self, chat_id: int) -> Stored:
        """All of it; inside a unit of the store only."""
        scenes, recaps = self._store.scenes, self._store.recaps
        return Stored(
            self._part(BREAKS, chat_id, scenes.breaks),
            self._part(SEARCHED, chat_id, scenes.searched),
            self._part(SCENE_RECAPS, chat_id, recaps.scene_recaps),
            self._part(RUNNING, chat_id, recaps.running),
            self._part(MESSAGE_RECAPS, chat_id, recaps.message_recaps),
        )

    def _part(self, tables: tuple[str, ...], chat_id: int, read: Callable[[int], T]) -> T:
        stamp = self._store.written.stamp(tables)
        kept = self._kept.get(tables)
        if kept is not None and kept[:2] == (stamp, chat_id):
            value: T = kept[2]
            return value
        value = read(chat_id)
        self._kept[tables] = stamp, chat_id, value
        return value
