"""Messages as models read them, without what the user leaves out. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from app.settings.program import ProgramSettings
from app.story.left_out_text import Rule, messages_as_read, read_rules
from app.story.messages import Message


def text_rules(settings: Mapping[str, Any]) -> tuple[Rule, ...]:
    """What a chat leaves out of its messages' texts."""
    return read_rules(ProgramSettings(settings).text_left_out)


def as_read(messages: Sequence[Message], settings: Mapping[str, Any]) -> tuple[Message, ...]:
    """The messages as a model reads them. settings: of their chat."""
    return messages_as_read(messages, text_rules(settings))
