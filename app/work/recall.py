"""What a chat remembers now: its own, and what its character keeps as far as it belongs here."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from app.memory.policy import Pause, Policy, allowed
from app.memory.records import Document, Memory, MemoryChange, Remembered
from app.memory.sharing import beside, lived_through
from app.sillytavern.company import Keeper
from app.store.memories import FOUND
from app.store.store import Store
from app.story.messages import Message

NO_CHAT = 0  # what a character keeps, and nothing of any chat beside it


@dataclass(frozen=True, slots=True)
class Recalled:
    """One look into the store. read: (anchor, content hash) of messages that are not to be read
    again. found: of those that were looked through without a model. foreign: content hashes of
    sources in unrelated chats. kin: chats whose anchors mean this chat's messages. elsewhere: what
    people of this chat lived through in a group or alone, kept there.
    """

    remembered: Remembered
    read: frozenset[tuple[str, str]]
    found: frozenset[tuple[str, str]]
    foreign: Mapping[tuple[int, str], str]
    kin: frozenset[int]
    policy: Policy
    pause: Pause | None
    elsewhere: tuple[Memory, ...] = ()


def recall(
    store: Store,
    chat_id: int,
    character: str,
    messages: Sequence[Message],
    *,
    is_view: bool,
    company: Sequence[Keeper] = (),
) -> Recalled:
    """On the database's thread. character: key of the chat's own. is_view: the chat is looked at as
    if it ended earlier; then it has copies of what its character kept, and no more. company: who
    else keeps what the people of this chat lived through; all of them have a say in whether it
    leaves its place.

    What a character keeps from another branch of this story holds here only where all its
    messages are in this one; what it keeps from unrelated chats holds.
    """
    modes, memories = store.memory_modes, store.memories
    policy, kin = modes.policy(character), modes.kin(chat_id)
    is_shared = character and policy.crosses_chats and not is_view
    found = memories.load(chat_id, [character] if is_shared else [])
    found = allowed(policy, _of_this_story(found, kin, messages))
    elsewhere = beside(found.memories, _lived(store, company)) if is_shared else ()
    return Recalled(
        found,
        memories.read(chat_id),
        memories.extracted(chat_id, FOUND),
        memories.hashes_elsewhere({chat_id, *kin}, (*found.memories, *elsewhere)),
        kin,
        policy,
        modes.pause_of(chat_id),
        elsewhere,
    )


def kept_where_it_may(
    store: Store, elsewhere: Collection[Memory], change: MemoryChange
) -> MemoryChange:
    """The change without what would change a memory of another place that may not be added to.

    On the database's thread. elsewhere: what was lived through in other places.
    """
    keeper = {memory.id: memory.character for memory in elsewhere}
    kept = tuple(
        memory
        for memory in change.memories
        if memory.id not in keeper or store.memory_modes.policy(keeper[memory.id]).adds
    )
    return replace(change, memories=kept)


def _lived(store: Store, company: Sequence[Keeper]) -> list[Memory]:
    found: list[Memory] = []
    for keeper in company:
        if store.memory_modes.policy(keeper.key).crosses_chats:
            kept = store.memories.load(NO_CHAT, [keeper.key]).memories
            found += lived_through(kept, keeper.people, is_their_own=keeper.is_their_own)
    return found


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
