"""What a chat view shows, with its type."""

from __future__ import annotations

from ui.story.messages.chat_view import ChatView
from ui.story.messages.message_model import MessageModel


def model_of(view: ChatView) -> MessageModel:
    """The view's own model, which Qt hands out as any model."""
    model = view.model()
    assert isinstance(model, MessageModel)
    return model
