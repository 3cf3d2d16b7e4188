"""What became different in a chat from one story to the next: what listeners hear."""

from __future__ import annotations

from collections.abc import Callable

from app.story.story import Story
from app.views.story_change import StoryChange

OnStoryChange = Callable[[StoryChange], None]


def change_between(
    old: Story, story: Story, first: int | None, *, inclusion: bool, memories: bool
) -> StoryChange:
    """What differs. first: the first message that does. inclusion: it does, whatever it looks like.

    memories: others are remembered, which no story holds.
    """
    return StoryChange(
        story.chat,
        first,
        scenes=_differ(story.scenes, old.scenes)
        or story.has_ranges_in_names != old.has_ranges_in_names,
        recaps=_differ(story.recaps, old.recaps)
        or _differ(story.message_recaps, old.message_recaps),
        running=_differ(story.running, old.running),
        inclusion=inclusion or _differ(story.inclusion, old.inclusion),
        memories=memories,
    )


def _differ(one: object, other: object) -> bool:
    """Whether they differ; what need not be gone through to find that out is not."""
    if isinstance(one, tuple) and isinstance(other, tuple) and len(one) != len(other):
        return True
    return one is not other and one != other
