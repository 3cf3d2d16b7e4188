"""What extensions left of a chat outside of its messages, or in forms of their own. Blocks."""

from __future__ import annotations

from app.sillytavern.chat_file import ChatSnapshot
from app.sillytavern.chat_kin import tells_another_story
from app.sillytavern.extensions.bakemono_memory import summaries_of
from app.sillytavern.extensions.memory_books import find_memory_books
from app.sillytavern.extensions.ranged_recaps import RangedRecaps
from app.story.story import ChatRef

MOST_CHATS = 50  # whose names are looked for; a lorebook that names more is none of one chat


def ranged_recaps_of(chat: ChatRef, snapshot: ChatSnapshot) -> tuple[RangedRecaps, ...]:
    """Recaps of runs of messages, by extension; without those that left nothing."""
    metadata, length = snapshot.chat_metadata, len(snapshot.lines)
    parent = metadata.get("main_chat")
    looked: set[str] = set()

    def is_others(name: str) -> bool:
        looked.add(name)
        return name == parent or len(looked) > MOST_CHATS or tells_another_story(snapshot, name)

    found = [summaries_of(metadata, length)]
    if chat.user_folder is not None:
        title = snapshot.path.stem
        found.append(find_memory_books(chat.user_folder, metadata, title, length, is_others))
    return tuple(one for one in found if one)
