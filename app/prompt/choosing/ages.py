"""How long ago something of a story was, in its messages and scenes. Pure."""

from __future__ import annotations

from bisect import bisect_right

from app.memory.standing import BEFORE
from app.story.story import Story

# Messages: what is older is told as of the past, and so is what was before the scene that goes on,
# where it is older than the fewest.
LATELY, LATELY_AT_LEAST = 40, 10
THEN_SCENES = 2  # begun since something was noted that is told as of then


def lately_from(story: Story) -> int:
    """Index of the first message of which it is told as of the present."""
    end = len(story.messages)
    first = story.scenes[-1].first if story.scenes else 0
    return max(end - LATELY, min(first, end - LATELY_AT_LEAST))


def scenes_after(story: Story, start: int) -> int:
    """How many scenes began after a message; none for what was before the chat, which no scene of
    it changed.
    """
    firsts = [scene.first for scene in story.scenes]
    return 0 if start == BEFORE else len(firsts) - bisect_right(firsts, start)


def is_of_then(story: Story, start: int, scenes: int = THEN_SCENES) -> bool:
    """Whether a feeling or state that was noted at a message, and never since, is told as of that
    time: nobody says of each that it is over. scenes: begun since.
    """
    return start < lately_from(story) and scenes_after(story, start) >= scenes
