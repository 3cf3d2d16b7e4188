"""Of which messages a passage may be: of none that is sent, nor that the responder cannot know.
Pure.
"""

from __future__ import annotations

from functools import cached_property

from app.prompt.occasion import Occasion
from app.story.messages import MessageKind
from app.story.recaps import injected_version

TOLD = (MessageKind.CHAT, MessageKind.NARRATOR)


class PassagePlaces:
    """Looks at a message's kind, at the prompt, at what the user hid, and at who was there."""

    def __init__(self, occasion: Occasion) -> None:
        self._occasion = occasion
        self._story = occasion.story

    def has(self, index: int) -> bool:
        """Whether a passage may be of this message."""
        message = self._story.messages[index]
        if message.kind not in TOLD:
            return False
        is_sent = not message.is_hidden and index >= self._occasion.sent_from
        return not is_sent and not self._is_hidden_by_hand(index) and self._occasion.knows(index)

    def _is_hidden_by_hand(self, index: int) -> bool:
        """What gave way to its recap stands among others that did; what the user hid stands alone,
        and stays hidden.
        """
        messages = self._story.messages
        if not messages[index].is_hidden:
            return False
        around = messages[max(0, index - 1) : index + 2]
        return index >= self._told_by_recap or not all(
            message.is_hidden for message in around if message.kind is MessageKind.CHAT
        )

    @cached_property
    def _told_by_recap(self) -> int:
        """Index behind the last message that the injected running recap tells of."""
        version = injected_version(self._story.running, self._story.places)
        return 0 if version is None else self._story.places.get(version.last_anchor, -1) + 1
