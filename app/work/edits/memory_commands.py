"""How the user's commands on memories are done: on what is there now, whole, undone by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from app.core.errors import UsageError
from app.core.translation import N_, tr
from app.memory.lifecycle.policy import Policy, refusal
from app.memory.records import Memory, MemoryChange, Remembered
from app.memory.tiers.table import KEPT_BY_CHARACTER
from app.store.store import Store
from app.work.chats.memory_scope import NO_CHAT
from app.work.chats.open_chat import OpenChat
from app.work.chats.open_chats import OpenChats

BUSY = N_(
    "Another Tavernkeep is using this data folder, or safe mode is on, so memories cannot be "
    "changed here. Nothing was changed."
)


@dataclass(frozen=True, slots=True)
class Command:
    """What is remembered at the moment of the command, and where. character: who keeps what.
    elsewhere: what people of the chat lived through elsewhere, kept there.
    """

    chat: OpenChat
    remembered: Remembered
    character: str
    elsewhere: tuple[Memory, ...] = ()

    def memory(self, memory_id: str) -> Memory:
        for memory in (*self.remembered.memories, *self.elsewhere):
            if memory.id == memory_id:
                return memory
        raise UsageError(tr("This memory no longer exists."))

    def memories(self, ids: Iterable[str]) -> list[Memory]:
        return [self.memory(memory_id) for memory_id in dict.fromkeys(ids)]


class MemoryCommands:
    """What all commands have in common."""

    def __init__(self, store: Store, chats: OpenChats, is_reading_only: Callable[[], bool]) -> None:
        self._store = store
        self._chats = chats
        self._is_reading_only = is_reading_only

    def _check_writable(self) -> None:
        if self._is_reading_only():
            raise UsageError(tr(BUSY))

    def _open(self, path: Path) -> OpenChat:
        return self._chats.required(path)

    async def _change(
        self,
        chat: OpenChat,
        label: str,
        change: Callable[[Command], MemoryChange],
        *,
        touched: Iterable[str] = (),
    ) -> None:
        ids = tuple(touched)

        def unit(command: Command) -> None:
            made = change(command)
            self._check(
                command, (*made.memories, *(command.memory(memory_id) for memory_id in ids))
            )
            self._store.memories.write(made)

        await self._do(chat, label, unit)

    def _policy(self, key: str) -> Policy:
        return self._store.memory_modes.policy(key)

    def _elsewhere(self, chat: OpenChat) -> tuple[Memory, ...]:
        """As it is kept now, of what the chat knows of."""
        shown = {memory.id for memory in chat.elsewhere}
        return tuple(
            memory
            for key in dict.fromkeys(memory.character for memory in chat.elsewhere)
            for memory in self._store.memories.load(NO_CHAT, [key]).memories
            if memory.id in shown
        )

    def _check(self, command: Command, memories: Sequence[Memory]) -> None:
        """What a character keeps is changed only where its policy allows it."""
        for memory in memories:
            keeper = command.chat.keepers.get(memory.character)
            if keeper is not None and not (of := self._policy(keeper.key)).adds:
                raise UsageError(refusal(keeper.name, of))
        policy = command.chat.policy
        if not policy.adds and any(m.character or m.tier in KEPT_BY_CHARACTER for m in memories):
            raise UsageError(refusal(command.chat.chat.owner_name, policy))

    async def _do(
        self, chat: OpenChat, label: str, unit: Callable[[Command], None], *, whole: bool = False
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
            command = Command(chat, known, chat.character, () if whole else self._elsewhere(chat))
            store.undo.record_if_any(chat.chat_id, label, lambda: unit(command))

        await store.run(in_transaction)
        await self._chats.refresh_all_of(chat)
