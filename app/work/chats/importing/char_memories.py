"""What CharMemory remembered of a chat, in the form in which it is kept here. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from app.memory.lifecycle.by_hand import LONGEST_TEXT
from app.memory.records import Grounding, Memory, MemoryChange, Tier
from app.sillytavern.extensions.char_memory import RememberedLine
from app.story.messages import combined_digest
from app.views.findings import Finding, Omission

CHAR_MEMORY = "CharMemory"


def memories_from(lines: Sequence[RememberedLine], chat_id: int, character: str) -> Finding:
    """Lines of CharMemory as long-term memories. The same lines always give the same ids.

    character: key of who keeps them across chats, "" for the chat alone.
    """
    holder = character or f"chat {chat_id}"
    fitting = [line for line in lines if len(line.text) <= LONGEST_TEXT]
    made = tuple(
        Memory(
            combined_digest(CHAR_MEMORY, holder, line.text),
            chat_id,
            Tier.LONG_TERM,
            "fact",
            line.text,
            character,
            is_consolidated=True,
            last_confirmed=line.created,
            entities=line.names,
            grounding=Grounding.IMPORTED,
            made_by=CHAR_MEMORY,
            created=line.created,
        )
        for line in fitting
    )
    too_long = len(lines) - len(fitting)
    left_out = {Omission.TOO_LONG: too_long} if too_long else {}
    return Finding(CHAR_MEMORY, memories=MemoryChange(made), left_out=left_out)
