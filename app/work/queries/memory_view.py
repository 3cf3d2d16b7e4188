"""What is remembered of a chat, as whoever shows it needs it."""

from __future__ import annotations

from app.memory.standing import standings
from app.settings.memory import MemorySettings
from app.views.memory_view import MemoryView
from app.work.chats.open_chat import OpenChat


def memory_view(chat: OpenChat, at: int | None = None) -> MemoryView:
    """What an open chat remembers at a message."""
    ground, remembered = chat.ground(), chat.remembered
    return MemoryView(
        chat.story,
        ground,
        chat.standings() if at is None else standings(chat.memories, ground, at),
        remembered.entities,
        remembered.documents,
        ground.last if at is None else at,
        chat.policy,
        chat.pause,
        chat.memory_problem,
        {m.id: chat.keepers[m.character].name for m in chat.elsewhere},
        not MemorySettings(chat.prompt_settings()).other_chats_enabled,
    )
