"""Where the cues of a chat leave open whether a scene ends, as far as the next question reaches."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from app.settings.scenes import SceneSettings
from app.story.doubtful_breaks import STRETCH, asked, unasked
from app.story.scene_cues.language import LanguagePack
from app.story.scene_detection import SETTLES, Detector
from app.story.story import Story
from app.work.planning.break_planner import DOUBTS, SearchState, stretch_rules

_PART = 3 * STRETCH  # messages that are looked through at once: the next question is among them


class DoubtfulPlaces:
    """Of one chat; reads only what is new while nothing is asked."""

    def __init__(self, packs: Sequence[LanguagePack]) -> None:
        self._packs = packs
        self._detector = Detector(packs)

    async def taken_in(
        self, state: SearchState, story: Story, settings: Mapping[str, Any]
    ) -> SearchState:
        """The same with what is in doubt in this story; nothing where no model is asked of it."""
        wanted = SceneSettings(settings)
        if wanted.scene_detector != DOUBTS or not wanted.scene_breaks_auto:
            return replace(state, doubts=())
        left = unasked(story, asked(story, state.searched), stretch_rules(settings))
        found = await asyncio.to_thread(self._found, story, left, wanted.scene_minimum_length)
        return replace(state, doubts=tuple(story.messages[index].anchor for index in found))

    def _found(self, story: Story, left: Sequence[int], minimum: int) -> list[int]:
        for at in range(0, len(left), _PART):
            part = left[at : at + _PART]
            until = part[-1] + 1 + SETTLES
            # Where its scene begins: what stands before that was cut off by a break.
            first = max((s.first for s in story.scenes if s.first <= part[0]), default=0)
            found = self._detector.doubts(
                story.messages[:until], start=first, since=part[0], minimum_length=minimum
            )
            within = frozenset(part)
            if open_places := [index for index in found if index in within]:
                return open_places
        return []
