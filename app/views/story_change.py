"""What became different in a chat, as listeners hear it."""

from __future__ import annotations

from dataclasses import dataclass

from app.story.story import ChatRef


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
