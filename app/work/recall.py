"""What a chat remembers now: its own, and what its character keeps as far as it belongs here."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from app.memory.policy import Pause, Policy, allowed
from app.memory.records import Document, Memory, Remembered
from app.store.memories import FOUND
from app.store.store import Store
from app.story.messages import Message


@dataclass(frozen=True, slots=True)
class Recalled:
    """One look into the store. read: (anchor, content hash) of messages that are not to be read
    again. found: of those that were looked through without a model. foreign: content hashes of
    sources in unrelated chats. kin: chats whose anchors mean this chat's messages.
    """

    remembered: Remembered
    read: frozenset[tuple[str, str]]
    found: frozenset[tuple[str, str]]
    foreign: Mapping[tuple[int, str], str]
    kin: frozenset[int]
    policy: Policy
    pause: Pause | None


def recall(
    store: Store, chat_id: int, character: str, messages: Sequence[Message], *, is_view: bool
) -> Recalled:
    """On the database's thread. character: key of the chat's own. is_view: the chat is looked at as
    if it ended earlier; then it has copies of what its character kept, and no more.

    What a character keeps from another branch of this story holds here only where all its
    messages are in this one; what it keeps from unrelated chats holds.
    """
    modes, memories = store.memory_modes, store.memories
    policy, kin = modes.policy(character), modes.kin(chat_id)
    is_shared = character and policy.crosses_chats and not is_view
    found = memories.load(chat_id, [character] if is_shared else [])
    found = allowed(policy, _of_this_story(found, kin, messages))
    return Recalled(
        found,
        memories.read(chat_id),
        memories.extracted(chat_id, FOUND),
        memories.hashes_elsewhere({chat_id, *kin}, found.memories),
        kin,
        policy,
        modes.pause_of(chat_id),
    )


def _of_this_story(
    found: Remembered, kin: Collection[int], messages: Sequence[Message]
) -> Remembered:
    if not kin:
        return found
    there = {message.anchor for message in messages}

    def belongs(memory: Memory) -> bool:
        return memory.chat not in kin or all(
            source.anchor in there for source in memory.sources if source.chat in kin
        )

    def is_told(document: Document) -> bool:
        return document.chat not in kin or not document.until or document.until in there

    return replace(
        found,
        memories=tuple(filter(belongs, found.memories)),
        documents=tuple(filter(is_told, found.documents)),
    )
