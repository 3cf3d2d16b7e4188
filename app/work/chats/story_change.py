"""What became different in a chat from one story to the next: what listeners hear."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from app.story.story import ChatRef, Story


@dataclass(frozen=True, slots=True)
class StoryChange:
    """What became different in an open chat.

    first_message: messages from this index on changed, None when no message did.
    """

    chat: ChatRef
    first_message: int | None = None
    scenes: bool = False
    recaps: bool = False
    running: bool = False
    inclusion: bool = False
    memories: bool = False

    def __bool__(self) -> bool:
        return self.first_message is not None or (
            self.scenes or self.recaps or self.running or self.inclusion or self.memories
        )


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
