"""Which values and feelings may be over though nobody said so, by the scenes since. Pure.

A model notes where somebody goes and what they want, and seldom that they have left or have it.
"""

from __future__ import annotations

from app.memory.records import Grounding, Memory, Tier
from app.prompt.choosing.ages import THEN_SCENES, is_of_then, scenes_after
from app.story.story import Story

# Values that change seldom, and mostly with a word; the others are told as of their time later on.
LASTS = frozenset(
    {"owner", "injuries", "political_control", "leadership", "objective", "alliances"}
)
# Values that hold for so many scenes after the one in which they were noted.
OUTLASTS = {
    ("character", "location"): 0,
    ("character", "mood"): 0,
    ("place", "occupants"): 0,
    ("character", "outfit_disguise"): 2,
    ("character", "active_goal"): 1,
}
# What somebody changes with the occasion: told as of their scene from the next one on.
OF_A_SCENE = frozenset({"outfit_disguise", "active_goal"})
FELT_SCENES = 3  # begun since a feeling was noted that is told as of then; others go sooner


def is_noted_then(memory: Memory, start: int, story: Story) -> bool:
    """Whether a feeling, a value or what somebody knows may have changed since. start: message at
    which it was noted.
    """
    if memory.field in LASTS or _is_kept(memory):
        return False
    scenes = FELT_SCENES if memory.tier is Tier.RELATIONSHIPS else THEN_SCENES
    return is_of_then(story, start, 1 if memory.field in OF_A_SCENE else scenes)


def is_outlived(memory: Memory, start: int, story: Story) -> bool:
    """Whether a value was noted in a scene that it does not outlast. start: as above."""
    limit = OUTLASTS.get((memory.type, memory.field))
    if limit is None or _is_kept(memory):
        return False
    return scenes_after(story, start) > limit


def _is_kept(memory: Memory) -> bool:
    return memory.is_pinned or memory.grounding is Grounding.YOURS
