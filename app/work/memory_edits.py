"""What the user does to memories: each deed is one step that can be taken back by name."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from app.errors import UsageError
from app.memory.by_hand import (
    EDITABLE,
    checked,
    reopened,
    resolved_by_hand,
    retyped,
    reviewed,
)
from app.memory.extraction import KEPT_BY_CHARACTER
from app.memory.policy import Policy
from app.memory.records import (
    Document,
    DocumentKind,
    Expiration,
    Grounding,
    Memory,
    MemoryChange,
    Remembered,
    Review,
    Source,
    Tier,
)
from app.memory.standing import active
from app.store.memories import DISCARDED, FORGOTTEN, PASS, UNREADABLE
from app.store.store import Store
from app.story.messages import combined_digest
from app.work.open_chat import OpenChat
from app.work.open_chats import OpenChats

BUSY = (
    "Another Tavernkeep works in this data folder: change memories there, or close it first. "
    "Nothing was changed."
)
# What belongs to a chat and goes when the chat is forgotten (spec/smart-memory.md §13).
_OF_THE_CHAT = frozenset({Tier.SESSION, Tier.ARCS})
_TEXTS_OF_THE_CHAT = frozenset(
    {
        DocumentKind.SUMMARY,
        DocumentKind.PROFILE,
        DocumentKind.ARC_SUMMARY,
        DocumentKind.CONTINUITY,
        DocumentKind.REPAIR,
    }
)


@dataclass(frozen=True, slots=True)
class _Deed:
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


class MemoryEdits:
    """Changes what open chats remember; `path` is always that of an open chat.

    Each deed is one transaction; `StoryEdits.undo` takes it back by its name and brings exactly
    what there was. Raises UsageError for a chat that is not open, for what is not there or makes
    no sense, and where another program owns the data folder; then nothing is changed.
    """

    def __init__(self, store: Store, chats: OpenChats, is_reading_only: Callable[[], bool]) -> None:
        self._store = store
        self._chats = chats
        self._is_reading_only = is_reading_only

    # --- single memories

    async def add(
        self, path: Path, tier: Tier, type_: str, text: str, *, anchor: str = "", **fields: Any
    ) -> str:
        """Remember something in the user's own words; gives its id.

        anchor: of the message from which on it holds, "" for always. fields: importance,
        expiration, subject, target, field, magnitude, detail, told_by, channel.
        """
        chat, now = self._open(path), time.time()
        if unknown := fields.keys() - set(EDITABLE):
            raise UsageError(f"A memory has no {', '.join(sorted(unknown))}.")
        if anchor and chat.index_of(anchor) is None:
            raise UsageError("This message is not there any more.")
        memory = checked(
            Memory(
                combined_digest("by hand", str(chat.chat_id), str(time.time_ns())),
                chat.chat_id,
                tier,
                type_,
                text,
                character=chat.character if tier in KEPT_BY_CHARACTER else "",
                confidence=1.0,
                last_confirmed=now,
                is_consolidated=True,
                sources=(Source(chat.chat_id, anchor),) if anchor else (),
                grounding=Grounding.YOURS,
                made_by="you",
                created=now,
                **{"expiration": _expiration(tier), **fields},
            )
        )
        await self._change(chat, "add a memory", lambda deed: MemoryChange((memory,)))
        return memory.id

    async def edit(self, path: Path, memory_id: str, **fields: Any) -> None:
        """Change a memory: text, type, importance, expiration, subject, target, field, magnitude,
        detail, told_by, channel. What it stands on stays.
        """
        if unknown := fields.keys() - set(EDITABLE):
            raise UsageError(f"A memory has no {', '.join(sorted(unknown))} to edit.")

        def edited(deed: _Deed) -> MemoryChange:
            old = deed.memory(memory_id)
            new = checked(replace(old, **fields))
            return MemoryChange((new,)) if new != old else MemoryChange()

        await self._change(self._open(path), "edit a memory", edited)

    async def delete(self, path: Path, ids: Sequence[str]) -> None:
        """Take memories away; what they replaced holds again. They are not made again."""
        what = "a memory" if len(ids) == 1 else f"{len(ids)} memories"

        def deleted(deed: _Deed) -> MemoryChange:
            return MemoryChange(removed=frozenset(m.id for m in deed.memories(ids)))

        await self._change(self._open(path), f"delete {what}", deleted, touched=ids)

    async def pin(self, path: Path, memory_id: str, *, pinned: bool = True) -> None:
        """Keep a memory whatever else matters more; an arc, in all chats of its character too."""
        chat = self._open(path)

        def changed(deed: _Deed) -> MemoryChange:
            memory = replace(deed.memory(memory_id), is_pinned=pinned)
            if memory.tier is Tier.ARCS:
                if pinned and not deed.character:
                    raise UsageError(_why_it_stays(chat))
                memory = replace(memory, character=deed.character if pinned else "")
            return MemoryChange((memory,))

        await self._change(chat, "pin" if pinned else "unpin", changed, touched=[memory_id])

    async def resolve(self, path: Path, memory_id: str, text: str = "") -> None:
        """Close an arc. text: how it ended, in a sentence, where the user wants to say it."""
        await self._change(
            self._open(path),
            "resolve an arc",
            lambda deed: MemoryChange((resolved_by_hand(deed.memory(memory_id), text),)),
        )

    async def reopen(self, path: Path, memory_id: str) -> None:
        """Let hold again what ended: an arc, or anything that was replaced or retired."""
        chat = self._open(path)

        def changed(deed: _Deed) -> MemoryChange:
            holding = active(deed.remembered.memories, chat.ground())
            return MemoryChange((reopened(deed.memory(memory_id), holding),))

        await self._change(chat, "reopen", changed)

    async def approve(self, path: Path, ids: Sequence[str]) -> None:
        """Let memories count that waited for the user."""
        await self._review(path, ids, Review.APPROVED, "approve")

    async def reject(self, path: Path, ids: Sequence[str]) -> None:
        """Let memories never count; they are kept, so that they are not proposed again."""
        await self._review(path, ids, Review.REJECTED, "reject")

    async def _review(self, path: Path, ids: Sequence[str], review: Review, verb: str) -> None:
        what = "a memory" if len(ids) == 1 else f"{len(ids)} memories"
        await self._change(
            self._open(path),
            f"{verb} {what}",
            lambda deed: MemoryChange(reviewed(deed.memories(ids), review)),
            touched=ids,
        )

    # --- entities and texts

    async def set_entity_type(self, path: Path, entity_id: str, type_: str) -> None:
        """Say what somebody or something is; its ledger follows."""

        def changed(deed: _Deed) -> MemoryChange:
            for entity in deed.remembered.entities:
                if entity.id == entity_id:
                    return retyped(entity, type_, deed.remembered.of(Tier.STATE_LEDGER))
            raise UsageError("This name is not there any more.")

        await self._change(self._open(path), f"make it a {type_}", changed)

    async def edit_text(
        self, path: Path, kind: DocumentKind, text: str, *, subject: str = ""
    ) -> None:
        """Put the user's words in place of the summary, canon or another longer text; "" takes all
        its versions away.
        """
        chat, now, words = self._open(path), time.time(), text.strip()
        label = f"edit the {kind.value.replace('_', ' ')}"
        last = chat.story.messages[-1].anchor if chat.story.messages else ""

        def unit(deed: _Deed) -> None:
            olds = [d for d in deed.remembered.documents if (d.kind, d.subject) == (kind, subject)]
            if not words:
                self._store.memories.forget(Remembered(documents=tuple(olds)))
                return
            if olds and olds[-1].text == words:
                return
            kept_by = deed.character if kind is DocumentKind.CANON else ""
            new = (
                replace(olds[-1], text=words, sections={})
                if olds
                else Document("", chat.chat_id, kind, words, kept_by, subject, until=last)
            )
            new_id = combined_digest("by hand", str(chat.chat_id), kind.value, str(time.time_ns()))
            new = replace(new, id=new_id, made_by="you", created=now)
            self._store.memories.write(MemoryChange(documents=(new,)))

        await self._do(chat, label, unit)

    # --- a whole chat

    async def forget_chat(self, path: Path) -> None:
        """Forget This Chat: its session, arcs that are not pinned, entities, summary and profiles.

        What the character keeps stays, and so does the ledger (spec/smart-memory.md §13). What was
        played is not read again before `read_again`.
        """
        chat = self._open(path)

        def of_chat(deed: _Deed) -> Remembered:
            known, here = deed.remembered, chat.chat_id
            return Remembered(
                tuple(
                    m
                    for m in known.memories
                    if m.chat == here and m.tier in _OF_THE_CHAT and not m.character
                ),
                tuple(e for e in known.entities if e.chat == here and not e.character),
                tuple(
                    d for d in known.documents if d.chat == here and d.kind in _TEXTS_OF_THE_CHAT
                ),
            )

        await self._forget(chat, "forget this chat", of_chat)

    async def fresh_start(self, path: Path) -> None:
        """Forget all of the chat, and all that its character keeps from any chat."""
        chat = self._open(path)
        await self._forget(chat, "fresh start", lambda deed: deed.remembered, whole=True)

    async def clear_tier(self, path: Path, tier: Tier) -> None:
        """Forget one tier, of the chat and of its character; pinned arcs stay, canon goes with the
        long-term memories that it was made of.
        """

        def of_tier(deed: _Deed) -> Remembered:
            known = deed.remembered
            is_base = tier is Tier.LONG_TERM
            return Remembered(
                tuple(m for m in known.of(tier) if not (tier is Tier.ARCS and m.is_pinned)),
                documents=tuple(
                    d for d in known.documents if is_base and d.kind is DocumentKind.CANON
                ),
            )

        name = tier.value.replace("_", " ")
        chat = self._open(path)

        def unit(deed: _Deed) -> None:
            gone = of_tier(deed)
            self._check(deed, gone.memories)
            self._store.memories.forget(gone)

        await self._do(chat, f"clear {name}", unit, whole=True)

    async def read_again(self, path: Path) -> None:
        """Read the chat for its memory from its beginning, also what was forgotten."""
        chat = self._open(path)
        memories = self._store.memories

        def unit(deed: _Deed) -> None:
            memories.forget_read(chat.chat_id)

        await self._do(chat, "read the chat again", unit)

    async def _forget(
        self,
        chat: OpenChat,
        label: str,
        chosen: Callable[[_Deed], Remembered],
        *,
        whole: bool = False,
    ) -> None:
        memories = self._store.memories
        played = [(m.anchor, m.content_hash) for m in chat.story.messages]

        def unit(deed: _Deed) -> None:
            gone = chosen(deed)
            self._check(deed, gone.memories)
            memories.forget(gone)
            memories.set_extracted(chat.chat_id, played, FORGOTTEN)
            memories.forget_extracted(chat.chat_id, PASS)
            memories.forget_extracted(chat.chat_id, UNREADABLE)

        await self._do(chat, label, unit, whole=whole)

    # --- what may be remembered

    async def pause(self, path: Path) -> None:
        """Read-only: from here on the chat is shown its memory and adds nothing to it."""
        chat, messages = self._open(path), self._open(path).story.messages
        modes = self._store.memory_modes
        if chat.pause is not None:
            return
        anchor = messages[-1].anchor if messages else ""

        def unit(deed: _Deed) -> None:
            modes.pause(chat.chat_id, anchor, len(messages) - 1)

        await self._do(chat, "remember nothing for now", unit)

    async def commit(self, path: Path) -> None:
        """End read-only, and read what was played since."""
        chat, modes = self._paused(path), self._store.memory_modes
        self._check_writable()

        def unit(deed: _Deed) -> None:
            modes.go_on(chat.chat_id)

        chat.reading_state = replace(chat.reading_state, is_wanted=True)
        await self._do(chat, "remember what was played", unit)

    def played_since(self, path: Path) -> int:
        """How many messages `commit` would read, or `discard` leave unread."""
        return len(self._since(self._paused(path)))

    async def discard(self, path: Path) -> None:
        """End read-only, and never read what was played since. The chat itself stays as it is."""
        chat, modes = self._paused(path), self._store.memory_modes
        since = self._since(chat)

        def unit(deed: _Deed) -> None:
            self._store.memories.set_extracted(chat.chat_id, since, DISCARDED)
            modes.go_on(chat.chat_id)

        await self._do(chat, "leave what was played unread", unit)

    async def set_policy(self, path: Path, policy: Policy) -> None:
        """Say what the chat's character, or group, may keep; for all its chats."""
        chat, modes = self._open(path), self._store.memory_modes
        key = chat.chat.owner_key
        if not key:
            raise UsageError("A file outside of SillyTavern has no character that could keep it.")

        def unit(deed: _Deed) -> None:
            if modes.policy(key) is not policy:
                modes.set_policy(key, policy)

        await self._do(chat, f"memory of {chat.chat.owner_name}: {policy.value}", unit)

    # --- inside

    def _since(self, chat: OpenChat) -> list[tuple[str, str]]:
        """(anchor, content hash) of what was played since the pause."""
        pause = chat.pause
        if pause is None:
            return []
        last = chat.index_of(pause.anchor)
        first = (pause.position if last is None else last) + 1
        return [(m.anchor, m.content_hash) for m in chat.story.messages[first:]]

    def _check_writable(self) -> None:
        if self._is_reading_only():
            raise UsageError(BUSY)

    def _open(self, path: Path) -> OpenChat:
        return self._chats.required(path)

    def _paused(self, path: Path) -> OpenChat:
        chat = self._open(path)
        if chat.pause is None:
            raise UsageError("This chat is not read-only.")
        return chat

    async def _change(
        self,
        chat: OpenChat,
        label: str,
        change: Callable[[_Deed], MemoryChange],
        *,
        touched: Iterable[str] = (),
    ) -> None:
        ids = tuple(touched)

        def unit(deed: _Deed) -> None:
            made = change(deed)
            self._check(deed, (*made.memories, *(deed.memory(memory_id) for memory_id in ids)))
            self._store.memories.write(made)

        await self._do(chat, label, unit)

    def _check(self, deed: _Deed, memories: Iterable[Memory]) -> None:
        """What a character keeps is changed only where its policy allows it."""
        policy = deed.chat.policy
        if not policy.adds and any(m.character or m.tier in KEPT_BY_CHARACTER for m in memories):
            raise UsageError(
                f"What {deed.chat.chat.owner_name} remembers is {policy.value}: change that first."
            )

    async def _do(
        self, chat: OpenChat, label: str, unit: Callable[[_Deed], None], *, whole: bool = False
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
            deed = _Deed(chat, known, chat.character)
            store.undo.record_if_any(chat.chat_id, label, lambda: unit(deed))

        await store.run(in_transaction)
        await self._chats.refresh_all_of(chat)


def _expiration(tier: Tier) -> Expiration:
    return Expiration.SESSION if tier is Tier.SESSION else Expiration.PERMANENT


def _why_it_stays(chat: OpenChat) -> str:
    if not chat.chat.owner_key:
        return "A file outside of SillyTavern has no character that could keep this arc."
    return f"What {chat.chat.owner_name} remembers does not leave this chat: {chat.policy.value}."
