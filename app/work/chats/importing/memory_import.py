"""Takes in what another program remembered of a chat, once; its files stay as they are."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from app.core.errors import ForeignTooNew
from app.memory.records import Grounding, MemoryChange
from app.sillytavern.chat_file import ChatSnapshot
from app.sillytavern.extensions.smart_memory import find_smart_memory
from app.sillytavern.extensions.smart_memory_records import records_of
from app.store.store import Store
from app.story.messages import Message
from app.story.story import ChatRef


async def take_in(
    store: Store, chat_id: int, chat: ChatRef, snapshot: ChatSnapshot, messages: Sequence[Message]
) -> str:
    """Take in what Smart Memory kept of a chat and of its character, where that was not done yet.

    What is there already, also what the user deleted of it, stays as it is. Gives a sentence for
    the user where the data are newer than is known, else ""; then nothing is taken in, and it is
    tried again when the chat is opened again.
    """
    if await store.run(lambda: store.memory_modes.has_foreign_memory(chat_id)):
        return ""
    try:
        change = await asyncio.to_thread(_change_of, chat_id, chat, snapshot, messages)
    except ForeignTooNew as error:
        return str(error)

    def unit() -> None:
        _keep_new(store, change, chat_id, [chat.owner_key] if chat.owner_key else [])
        store.memory_modes.set_foreign_memory([chat_id])

    await store.run(unit)
    return ""


def _change_of(
    chat_id: int, chat: ChatRef, snapshot: ChatSnapshot, messages: Sequence[Message]
) -> MemoryChange:
    """All that Smart Memory kept, as memories of ours. Raises ForeignTooNew; blocks."""
    found = find_smart_memory(chat, snapshot)
    if not found:
        return MemoryChange()
    is_only_chat = _is_only_chat(chat)
    return records_of(
        found, chat_id, chat.title, chat.owner_key, messages, is_only_chat=is_only_chat
    )


def _keep_new(store: Store, change: MemoryChange, chat_id: int, owners: Sequence[str]) -> None:
    memories = store.memories
    known = memories.known_ids(change)
    memories.write(
        MemoryChange(
            tuple(m for m in change.memories if m.id not in known),
            tuple(e for e in change.entities if e.id not in known),
            tuple(d for d in change.documents if d.id not in known),
        )
    )
    # Of what another chat of the character brought in, this one may have the messages.
    grounded = {m.id: m.sources for m in change.memories if m.id in known and m.sources}
    held = memories.load(chat_id, owners).memories
    bare = (m for m in held if not m.sources and m.grounding is Grounding.IMPORTED)
    memories.write(
        MemoryChange(
            tuple(replace(m, sources=grounded[m.id]) for m in bare if m.id in grounded),
        )
    )


def _is_only_chat(chat: ChatRef) -> bool:
    return bool(chat.owner) and sum(1 for _ in chat.path.parent.glob("*.jsonl")) == 1
