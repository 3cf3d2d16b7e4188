"""What a scene recap in stages needs of the story so far."""

from __future__ import annotations

import msgspec

from app.story.lore_entries.lore import LoreEntry, stored_entries
from app.story.messages import digest
from app.story.recaps import RunningVersion, SceneRecap
from app.story.scenes import Scene
from app.story.story import Story


def known_lore(story: Story, scene: Scene) -> tuple[LoreEntry, ...]:
    """The lore kept with the recaps of the scenes before this one, oldest first."""
    recaps = (story.scene_recap(other) for other in story.scenes if other.last < scene.first)
    return tuple(entry for recap in recaps if recap for entry in stored_entries(recap.stored))


def adds_nothing(recap: SceneRecap, base: RunningVersion | None) -> bool:
    """Whether a scene was found to tell nothing that this very running recap does not."""
    if base is None or '"known_from"' not in recap.stored:
        return False
    try:
        stored = msgspec.json.decode(recap.stored)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return False
    return isinstance(stored, dict) and stored.get("known_from") == digest(base.content)
