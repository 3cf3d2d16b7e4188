"""Finds the scene breaks that the cues of a chat's story give, and keeps them."""

from __future__ import annotations

import asyncio
from collections.abc import Container, Mapping, Sequence
from functools import partial
from typing import Any

from app.settings.scenes import SceneSettings
from app.store.store import Store
from app.story.anchors import common_ends
from app.story.messages import Message
from app.story.places import Places
from app.story.scene_cues.language import LanguagePack
from app.story.scene_detection import FoundBreak
from app.story.scenes import BreakOrigin, SceneBreak
from app.story.story import Story
from app.work.chats.cue_search import FAR, CueSearch


class CueBreaks:
    """The breaks of one chat. is_searched: no part of it is too long to be searched at once."""

    def __init__(self, store: Store, packs: Sequence[LanguagePack]) -> None:
        self._store = store
        self._cues = CueSearch(packs)
        self.is_searched = True

    async def with_new(
        self,
        chat_id: int,
        story: Story,
        breaks: dict[str, SceneBreak],
        settings: Mapping[str, Any],
    ) -> dict[str, SceneBreak]:
        """The breaks with what is found behind the last; a long part is left for `far`."""
        messages, start = story.messages, behind_last_mark(story.places, breaks)
        since = self._cues.since(messages, start)
        self.is_searched = since is None or len(messages) - since <= FAR
        if since is None or not self.is_searched:
            return breaks
        find = partial(self._cues.found, minimum=SceneSettings(settings).scene_minimum_length)
        found = await asyncio.to_thread(find, messages, start=start, since=since)
        new = new_breaks(found, messages, breaks)
        if new:
            await self._store.run(lambda: self._store.scenes.add(chat_id, new))
            breaks = breaks | {b.anchor: b for b in new}
        self._cues.note(messages, behind_last_mark(story.places, breaks))
        return breaks

    async def far(self, story: Story, settings: Mapping[str, Any]) -> list[FoundBreak]:
        """Search a long story part by part."""
        messages, start = story.messages, behind_last_mark(story.places, story.breaks)
        since = self._cues.since(messages, start)
        parts = self._cues.parts(
            messages,
            start=start,
            since=start if since is None else since,
            minimum=SceneSettings(settings).scene_minimum_length,
        )
        found: list[FoundBreak] = []
        while (part := await asyncio.to_thread(next, parts, None)) is not None:
            found += part
        return found

    async def keep(
        self, chat_id: int, found: list[FoundBreak], messages: tuple[Message, ...], now: Story
    ) -> None:
        """Keep what `far` found in these messages, as far as they are still the same now. The
        search took its time: what an undo has brought back since is known to the store alone.
        """
        same, _ = common_ends(messages, now.messages)
        new = new_breaks([b for b in found if b.last < same], messages, now.breaks)
        await self._store.run(lambda: self._store.scenes.add(chat_id, new))
        marks = now.breaks | {b.anchor: b for b in new}
        self._cues.note(messages, behind_last_mark(now.places, marks))


def new_breaks(
    found: Sequence[FoundBreak], messages: Sequence[Message], breaks: Container[str]
) -> list[SceneBreak]:
    """What was found, where no break was known."""
    return [scene_break_of(b, messages) for b in found if messages[b.last].anchor not in breaks]


def scene_break_of(found: FoundBreak, messages: Sequence[Message]) -> SceneBreak:
    """A break of the heuristic as it is kept."""
    return SceneBreak(
        anchor=messages[found.last].anchor,
        origin=BreakOrigin.HEURISTIC,
        cue=found.cue,
        confidence=found.confidence,
        name=found.name,
    )


def behind_last_mark(places: Places, breaks: Mapping[str, SceneBreak]) -> int:
    """Index from which breaks are still to be found.

    A hidden break counts too: what stands before it was searched when it was found, and who
    removes a break does not want another one for it.
    """
    return places.last_of(breaks) + 1
