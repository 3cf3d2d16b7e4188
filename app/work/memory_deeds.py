"""How the user's deeds on memories are done: on what is there now, whole, with a name for undo."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from app.errors import UsageError
from app.memory.extraction import KEPT_BY_CHARACTER
from app.memory.records import Memory, MemoryChange, Remembered
from app.store.store import Store
from app.work.open_chat import OpenChat
from app.work.open_chats import OpenChats

BUSY = (
    "Another Tavernkeep works in this data folder: change memories there, or close it first. "
    "Nothing was changed."
)


@dataclass(frozen=True, slots=True)
class Deed:
    """What is remembered at the moment of the deed, and where. character: who keeps what."""

    chat: OpenChat
    remembered: Remembered
    character: str

    def memory(self, memory_id: str) -> Memory:
        for memory in self.remembered.memories:
            if memory.id == memory_id:
                return memory
        raise UsageError("This memory is not there any more.")

    def memories(self, ids: Iterable[str]) -> list[Memory]:
        return [self.memory(memory_id) for memory_id in dict.fromkeys(ids)]


class MemoryDeeds:
    """What all deeds have in common."""

    def __init__(self, store: Store, chats: OpenChats, is_reading_only: Callable[[], bool]) -> None:
        self._store = store
        self._chats = chats
        self._is_reading_only = is_reading_only

    def _check_writable(self) -> None:
        if self._is_reading_only():
            raise UsageError(BUSY)

    def _open(self, path: Path) -> OpenChat:
        return self._chats.required(path)

    async def _change(
        self,
        chat: OpenChat,
        label: str,
        change: Callable[[Deed], MemoryChange],
        *,
        touched: Iterable[str] = (),
    ) -> None:
        ids = tuple(touched)

        def unit(deed: Deed) -> None:
            made = change(deed)
            self._check(deed, (*made.memories, *(deed.memory(memory_id) for memory_id in ids)))
            self._store.memories.write(made)

        await self._do(chat, label, unit)

    def _check(self, deed: Deed, memories: Iterable[Memory]) -> None:
        """What a character keeps is changed only where its policy allows it."""
        policy = deed.chat.policy
        if not policy.adds and any(m.character or m.tier in KEPT_BY_CHARACTER for m in memories):
            raise UsageError(
                f"What {deed.chat.chat.owner_name} remembers is {policy.value}: change that first."
            )

    async def _do(
        self, chat: OpenChat, label: str, unit: Callable[[Deed], None], *, whole: bool = False
    ) -> None:
        """Do the unit as one step; nothing is noted where it changes nothing.

        It works on what the store holds in that moment, not on what was shown: work in the
        background may have changed it. whole: with all that the character keeps, from other
        branches too.
        """
        self._check_writable()
        store, owner = self._store, chat.chat.owner_key

        def in_transaction() -> None:
            shown = chat.remembered
            keys = [owner] if owner and chat.policy.crosses_chats else []
            known = store.memories.load(chat.chat_id, keys)
            if not whole:
                # What another branch will tell is not here to be changed.
                hidden = {m.id for m in known.memories if m.chat in chat.kin}
                hidden -= {m.id for m in shown.memories}
                known = replace(
                    known, memories=tuple(m for m in known.memories if m.id not in hidden)
                )
            deed = Deed(chat, known, chat.character)
            store.undo.record_if_any(chat.chat_id, label, lambda: unit(deed))

        await store.run(in_transaction)
        await self._chats.refresh_all_of(chat)
