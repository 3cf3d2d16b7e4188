"""What the user does to all that a chat or its character remembers, and what may be remembered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from app.core.errors import UsageError
from app.core.translation import N_, tr
from app.memory.lifecycle.clearing import FORGET, FRESH, of_the_chat, of_tier, parts_of
from app.memory.lifecycle.policy import Pause, Policy
from app.memory.records import Remembered, Tier
from app.store.memory.memories import CLEARED, DISCARDED, FORGOTTEN, PASS, UNREADABLE
from app.work.chats.open_chat import OpenChat
from app.work.edits.memory_commands import Command, MemoryCommands

_WORDS = (  # that stand in names of commands
    *(N_("session"), N_("longterm"), N_("arcs"), N_("relationships"), N_("state ledger")),
    *(N_("epistemic"), N_("summary"), N_("profile"), N_("canon"), N_("arc summary")),
    *(N_("full"), N_("chat-local"), N_("read-only"), N_("off")),
)


@dataclass(frozen=True, slots=True)
class Kept:
    """What may be remembered in a chat. keeper: name of the character or group that keeps what
    outlives it, "" for nobody. pause: since where nothing is added, None while it is.
    """

    policy: Policy
    keeper: str
    pause: Pause | None


class MemoryKeeping(MemoryCommands):
    """Forgets, pauses, and says who keeps what; `path` is always that of an open chat."""

    # --- a whole chat

    async def forget_chat(self, path: Path) -> None:
        """Forget This Chat: its session, arcs that are not pinned, entities, summary and profiles.

        What the character keeps stays, and so does the ledger (spec/smart-memory.md §13). What was
        played is not read again before `read_again`.
        """
        chat = self._open(path)
        await self._forget(
            chat,
            N_("forget this chat"),
            lambda command: of_the_chat(command.remembered, chat.chat_id),
        )

    async def fresh_start(self, path: Path) -> None:
        """Forget all of the chat, and all that its character keeps from any chat."""
        chat = self._open(path)
        await self._forget(chat, N_("fresh start"), lambda command: command.remembered, whole=True)

    async def clear_tier(self, path: Path, tier: Tier) -> None:
        """Forget one tier, of the chat and of its character; pinned arcs stay, canon goes with the
        long-term memories that it was made of.
        """
        name = tier.value.replace("_", " ")
        chat = self._open(path)

        def unit(command: Command) -> None:
            gone = of_tier(command.remembered, tier)
            self._check(command, gone.memories)
            self._store.memories.forget(gone)
            self._store.memories.set_extracted(chat.chat_id, _played(chat), CLEARED)

        await self._do(chat, N_("clear {tier}").format(tier=name), unit, whole=True)

    def at_stake(self, path: Path, command: str) -> tuple[str, ...]:
        """What a command would take, as far as it is shown: "12 session memories", "3 names".

        command: FORGET, FRESH, or the value of a tier.
        """
        chat = self._open(path)
        known = chat.remembered
        if command == FORGET:
            known = of_the_chat(known, chat.chat_id)
        elif command != FRESH:
            known = of_tier(known, Tier(command))
        return parts_of(known)

    async def read_again(self, path: Path) -> None:
        """Read the chat for its memory from its beginning, also what was forgotten."""
        chat = self._open(path)
        memories = self._store.memories

        def unit(command: Command) -> None:
            memories.forget_read(chat.chat_id)

        await self._do(chat, N_("read the chat again"), unit)

    async def _forget(
        self,
        chat: OpenChat,
        label: str,
        chosen: Callable[[Command], Remembered],
        *,
        whole: bool = False,
    ) -> None:
        memories = self._store.memories
        played = _played(chat)

        def unit(command: Command) -> None:
            gone = chosen(command)
            self._check(command, gone.memories)
            memories.forget(gone)
            memories.set_extracted(chat.chat_id, played, FORGOTTEN)
            memories.forget_extracted(chat.chat_id, PASS)
            memories.forget_extracted(chat.chat_id, UNREADABLE)

        await self._do(chat, label, unit, whole=whole)

    # --- what may be remembered

    def kept(self, path: Path) -> Kept:
        """What may be remembered in a chat as it is now."""
        chat = self._open(path)
        return Kept(chat.policy, chat.chat.owner_name if chat.chat.owner_key else "", chat.pause)

    async def pause(self, path: Path) -> None:
        """Read-only: from here on the chat is shown its memory and adds nothing to it."""
        chat, messages = self._open(path), self._open(path).story.messages
        modes = self._store.memory_modes
        if chat.pause is not None:
            return
        anchor = messages[-1].anchor if messages else ""

        def unit(command: Command) -> None:
            modes.pause(chat.chat_id, anchor, len(messages) - 1)

        await self._do(chat, N_("remember nothing for now"), unit)

    async def commit(self, path: Path) -> None:
        """End read-only, and read what was played since."""
        chat, modes = self._paused(path), self._store.memory_modes
        self._check_writable()

        def unit(command: Command) -> None:
            modes.go_on(chat.chat_id)

        chat.want_reading()
        await self._do(chat, N_("remember what was played meanwhile"), unit)

    def played_since(self, path: Path) -> int:
        """How many messages `commit` would read, or `discard` leave unread."""
        return len(self._since(self._paused(path)))

    async def discard(self, path: Path) -> None:
        """End read-only, and never read what was played since. The chat itself stays as it is."""
        chat, modes = self._paused(path), self._store.memory_modes
        since = self._since(chat)

        def unit(command: Command) -> None:
            self._store.memories.set_extracted(chat.chat_id, since, DISCARDED)
            modes.go_on(chat.chat_id)

        await self._do(chat, N_("skip what was played meanwhile"), unit)

    async def set_policy(self, path: Path, policy: Policy) -> None:
        """Say what the chat's character, or group, may keep; for all its chats."""
        chat, modes = self._open(path), self._store.memory_modes
        key = chat.chat.owner_key
        if not key:
            raise UsageError(
                tr("A file outside SillyTavern has no character who could remember it.")
            )
        label = N_("memories of {name}: {policy}").format(
            name=chat.chat.owner_name, policy=policy.value
        )

        def unit(command: Command) -> None:
            if modes.policy(key) is not policy:
                modes.set_policy(key, policy)

        await self._do(chat, label, unit)

    # --- inside

    def _since(self, chat: OpenChat) -> list[tuple[str, str]]:
        """(anchor, content hash) of what was played since the pause."""
        pause = chat.pause
        if pause is None:
            return []
        last = chat.index_of(pause.anchor)
        first = (pause.position if last is None else last) + 1
        return [(m.anchor, m.content_hash) for m in chat.story.messages[first:]]

    def _paused(self, path: Path) -> OpenChat:
        chat = self._open(path)
        if chat.pause is None:
            raise UsageError(tr("This chat is not read-only."))
        return chat


def _played(chat: OpenChat) -> list[tuple[str, str]]:
    """(anchor, content hash) of all its messages."""
    return [(m.anchor, m.content_hash) for m in chat.story.messages]
