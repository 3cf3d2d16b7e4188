"""What a chat remembers now: its own, and what its character keeps as far as it belongs here."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from app.memory.lifecycle.derived_documents import as_they_reach, with_yours_last
from app.memory.lifecycle.policy import Pause, Policy, allowed
from app.memory.lifecycle.sharing import beside, canons_of, lived_through, with_canons
from app.memory.records import Document, Memory, MemoryChange, Remembered
from app.sillytavern.company import Keeper
from app.store.database.written import READ_LESS, READ_MORE, REMEMBERED
from app.store.memory.memories import CLEARED, FORGOTTEN, FOUND, NOT_AGAIN, UNREADABLE
from app.store.store import Store
from app.story.story import ChatKind

NO_CHAT = 0  # what a character keeps, and nothing of any chat beside it


@dataclass(frozen=True, slots=True)
class Recalled:
    """One look into the store.

    read: (anchor, content hash) of messages that are not to be read again. found: of those that
    were looked through without a model. unreadable: of those that were asked about in vain.
    forgotten: of those that were there when the user had something forgotten; all of these may
    grow. foreign: content hashes of sources in unrelated
    chats. kin: chats whose anchors mean this chat's messages. elsewhere: what people of
    this chat lived through in a group or alone, kept there.
    """

    remembered: Remembered
    read: Collection[tuple[str, str]]
    found: Collection[tuple[str, str]]
    unreadable: Collection[tuple[str, str]]
    forgotten: Collection[tuple[str, str]]
    foreign: Mapping[tuple[int, str], str]
    kin: frozenset[int]
    policy: Policy
    pause: Pause | None
    elsewhere: tuple[Memory, ...] = ()


class Recall:
    """Looks into the store for one chat again and again; what nobody wrote to is not read again.

    All of it is for the database's thread.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._kept: dict[tuple[object, ...], tuple[tuple[int, ...], Remembered]] = {}
        self._groups: dict[str, tuple[tuple[int, ...], frozenset[str]]] = {}
        self._marks: dict[tuple[str, ...], _Marks] = {}

    def look(
        self,
        chat_id: int,
        character: str,
        places: Mapping[str, int],
        *,
        is_view: bool,
        company: Sequence[Keeper] = (),
    ) -> Recalled:
        """What is remembered now. character: key of the chat's own. places: index of each of its
        messages by anchor. is_view: the chat is looked at as if it ended earlier; then it has
        copies of what its character kept, and no more. company: who else keeps what the people of
        this chat lived through; all of them have a say in whether it leaves its place.

        What a character keeps from another branch of this story holds here only where all its
        messages are in this one; what it keeps from unrelated chats holds.
        """
        modes, memories = self._store.memory_modes, self._store.memories
        policy, kin = modes.policy(character), modes.kin(chat_id)
        is_shared = character and policy.crosses_chats and not is_view
        found = self._loaded(chat_id, *([character] if is_shared else []))
        found = _of_this_story(found, kin, places)
        found = _documents_as(found, as_they_reach(found.documents, chat_id, places))
        found = allowed(policy, found)
        elsewhere = beside(found.memories, self._lived(company)) if is_shared else ()
        if is_shared:
            found = with_canons(found, self._canons(company))
        found = _documents_as(found, with_yours_last(found.documents, chat_id, places))
        return Recalled(
            found,
            self._read_by(chat_id, NOT_AGAIN),
            self._read_by(chat_id, (FOUND,)),
            self._read_by(chat_id, (UNREADABLE,)),
            self._read_by(chat_id, (FORGOTTEN, CLEARED)),
            memories.hashes_elsewhere({chat_id, *kin}, (*found.memories, *elsewhere)),
            kin,
            policy,
            modes.pause_of(chat_id),
            elsewhere,
        )

    def groups(self, folder: str) -> frozenset[str]:
        """Keys of the groups of a user folder of which something is kept, also of deleted ones."""
        stamp = self._store.written.stamp(REMEMBERED)
        kept = self._groups.get(folder)
        if kept is None or kept[0] != stamp:
            prefix = f"{folder}/{ChatKind.GROUP.value}/"
            kept = self._groups[folder] = stamp, self._store.memories.keepers_below(prefix)
        return kept[1]

    def _loaded(self, chat_id: int, *characters: str) -> Remembered:
        stamp, asked = self._store.written.stamp(REMEMBERED), (chat_id, *characters)
        kept = self._kept.get(asked)
        if kept is None or kept[0] != stamp:
            kept = self._kept[asked] = stamp, self._store.memories.load(chat_id, characters)
        return kept[1]

    def _lived(self, company: Sequence[Keeper]) -> list[Memory]:
        found: list[Memory] = []
        for keeper in company:
            if self._store.memory_modes.policy(keeper.key).crosses_chats:
                kept = self._loaded(NO_CHAT, keeper.key).memories
                found += lived_through(kept, keeper.people, is_their_own=keeper.is_their_own)
        return found

    def _canons(self, company: Sequence[Keeper]) -> Iterator[Document]:
        for keeper in company:
            if self._store.memory_modes.policy(keeper.key).crosses_chats:
                yield from canons_of(self._loaded(NO_CHAT, keeper.key).documents, keeper.people)

    def _read_by(self, chat_id: int, tasks: tuple[str, ...]) -> Collection[tuple[str, str]]:
        """What these tasks have read. It grows in its place: a long chat has as many marks as
        messages. Once some of them went, it is another object.
        """
        written, memories = self._store.written, self._store.memories
        less, more = written.stamp(READ_LESS), written.stamp(READ_MORE)
        marks = self._marks.get(tasks)
        if marks is None or (marks.chat_id, marks.less) != (chat_id, less):
            marks = self._marks[tasks] = _Marks(chat_id, less)
        if marks.more != more:
            new, marks.row = memories.marks_behind(chat_id, tasks, marks.row)
            marks.messages |= dict.fromkeys(new)
            marks.more = more
        return marks.messages


@dataclass
class _Marks:
    """What some tasks have read of a chat, up to a row of the table. less, more: its stamps."""

    chat_id: int
    less: tuple[int, ...]
    more: tuple[int, ...] = ()
    row: int = 0
    messages: dict[tuple[str, str], None] = field(default_factory=dict)  # in this order


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


def _documents_as(found: Remembered, documents: tuple[Document, ...]) -> Remembered:
    return found if documents == found.documents else replace(found, documents=documents)


def _of_this_story(found: Remembered, kin: Collection[int], there: Container[str]) -> Remembered:
    if not kin:
        return found

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
