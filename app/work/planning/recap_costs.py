"""What recaps take that the user asks for by one command, before they are queued. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from app.settings.recaps import RecapSettings
from app.story.scenes import Scene
from app.story.story import Story
from app.views.asked_cost import AskedCost

# Of a request for the recap of a message, beside the messages, about; and of its answer.
INSTRUCTION_TOKENS, ANSWER_TOKENS = 300, 60


def message_recaps_cost(
    story: Story, indexes: Sequence[int], settings: Mapping[str, Any], reasoning_tokens: int
) -> AskedCost:
    """Recaps of these messages, a request each, with those before them that each is read with.

    reasoning_tokens: that the model writes before an answer, as seen so far.
    """
    tokens, before = story.message_tokens, RecapSettings(settings).message_recap_history
    read = sum(sum(tokens[max(0, index - before) : index + 1]) for index in indexes)
    count = len(indexes)
    return AskedCost(
        count,
        read + count * INSTRUCTION_TOKENS,
        count * (ANSWER_TOKENS + reasoning_tokens),
    )


def before_rebuild(story: Story, scene: Scene) -> Story:
    """The story as it is when the running recap is to be made again from this scene on."""
    places, running = story.places, story.running
    kept = tuple(v for v in running.versions if places.get(v.last_anchor, -1) < scene.first)
    numbers = {version.version for version in kept}
    current = running.current_version if running.current_version in numbers else None
    return replace(
        story,
        running=replace(running, versions=kept, current_version=current, forgone=frozenset()),
    )
