"""What the user does to memories: each command is one step that can be taken back by name."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from app.core.errors import UsageError
from app.core.translation import N_, tr
from app.memory.entities import entity_edits
from app.memory.lifecycle.by_hand import (
    EDITABLE,
    checked,
    reopened,
    resolved_by_hand,
    retyped,
    reviewed,
    without_twins,
)
from app.memory.lifecycle.contradictions import Keeps, replaced_by, settled
from app.memory.records import (
    Document,
    DocumentKind,
    Grounding,
    Memory,
    MemoryChange,
    Remembered,
    Review,
    Source,
    Tier,
)
from app.memory.standing import BEFORE, active
from app.memory.tiers.table import KEPT_BY_CHARACTER, TIERS
from app.story.messages import combined_digest
from app.story.recaps import YOU
from app.work.chats.open_chat import OpenChat
from app.work.edits.memory_commands import Command
from app.work.edits.memory_keeping import MemoryKeeping


class MemoryEdits(MemoryKeeping):
    """Changes what open chats remember; `path` is always that of an open chat.

    Each command is one transaction; `StoryEdits.undo` takes it back by its name and brings exactly
    what there was. Raises UsageError for a chat that is not open, for what is not there or makes
    no sense, and where another program owns the data folder; then nothing is changed.
    """

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
            raise UsageError(tr("A memory has no {fields}.", fields=", ".join(sorted(unknown))))
        if anchor and chat.index_of(anchor) is None:
            raise UsageError(tr("This message no longer exists."))
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
                made_by=YOU,
                created=now,
                **{"expiration": TIERS[tier].lasting, **fields},
            )
        )
        await self._change(chat, N_("add a memory"), lambda command: MemoryChange((memory,)))
        return memory.id

    async def edit(self, path: Path, memory_id: str, **fields: Any) -> None:
        """Change a memory: text, type, importance, expiration, subject, target, field, magnitude,
        detail, told_by, channel. What it stands on stays. Of one that waits for the user, what came
        in its old words as well is answered with that.
        """
        if unknown := fields.keys() - set(EDITABLE):
            raise UsageError(
                tr("A memory has no {fields} to edit.", fields=", ".join(sorted(unknown)))
            )

        def edited(command: Command) -> MemoryChange:
            old = command.memory(memory_id)
            new = checked(replace(old, **fields))
            if new == old:
                return MemoryChange()
            twins: tuple[Memory, ...] = ()
            if old.review is Review.WAITING and new.text != old.text:
                twins = without_twins((old,), command.remembered.memories)[1]
            return MemoryChange((new, *reviewed(twins, Review.REJECTED)))

        await self._change(self._open(path), N_("edit a memory"), edited)

    async def delete(self, path: Path, ids: Sequence[str]) -> None:
        """Take memories away; what they replaced holds again. They are not made again."""
        label = _counted(ids, N_("delete a memory"), N_("delete {n} memories"))

        def deleted(command: Command) -> MemoryChange:
            return MemoryChange(removed=frozenset(m.id for m in command.memories(ids)))

        await self._change(self._open(path), label, deleted, touched=ids)

    async def pin(self, path: Path, memory_id: str, *, pinned: bool = True) -> None:
        """Keep a memory whatever else matters more; an arc, in all chats of its character too."""
        chat = self._open(path)

        def changed(command: Command) -> MemoryChange:
            memory = replace(command.memory(memory_id), is_pinned=pinned)
            if TIERS[memory.tier].outlives_pinned:
                if pinned and not command.character:
                    raise UsageError(_why_it_stays(chat))
                memory = replace(memory, character=command.character if pinned else "")
            return MemoryChange((memory,))

        await self._change(chat, N_("pin") if pinned else N_("unpin"), changed, touched=[memory_id])

    async def resolve(self, path: Path, memory_id: str, text: str = "") -> None:
        """Close an arc. text: how it ended, in a sentence, where the user wants to say it."""
        await self._change(
            self._open(path),
            N_("resolve a plot thread"),
            lambda command: MemoryChange((resolved_by_hand(command.memory(memory_id), text),)),
        )

    async def reopen(self, path: Path, memory_id: str) -> None:
        """Let hold again what ended: an arc, or anything that was replaced or retired."""
        chat = self._open(path)

        def changed(command: Command) -> MemoryChange:
            holding = active(command.remembered.memories, chat.ground())
            return MemoryChange((reopened(command.memory(memory_id), holding),))

        await self._change(chat, N_("reopen"), changed)

    async def approve(self, path: Path, ids: Sequence[str]) -> None:
        """Let memories count that waited for the user; what they contradict ends with that."""
        label = _counted(ids, N_("approve a memory"), N_("approve {n} memories"))
        await self._review(path, ids, Review.APPROVED, label)

    async def reject(self, path: Path, ids: Sequence[str]) -> None:
        """Let memories never count; they are kept, so that they are not proposed again."""
        label = _counted(ids, N_("reject a memory"), N_("reject {n} memories"))
        await self._review(path, ids, Review.REJECTED, label)

    async def _review(self, path: Path, ids: Sequence[str], review: Review, label: str) -> None:
        def changed(command: Command) -> MemoryChange:
            known = command.remembered.memories
            meant, twins = without_twins(command.memories(ids), known)
            memories = reviewed(meant, review)  # one of them counts, and all are answered
            is_so = review is Review.APPROVED
            over = replaced_by(memories, known) if is_so else ()
            return MemoryChange((*memories, *reviewed(twins, Review.REJECTED), *over))

        await self._change(self._open(path), label, changed, touched=ids)

    async def settle(self, path: Path, memory_id: str, other_id: str, keeps: Keeps) -> None:
        """Say which of two memories is so that contradict each other, or that both are."""

        def changed(command: Command) -> MemoryChange:
            memory, other = command.memory(memory_id), command.memory(other_id)
            if other.id not in memory.contradicts and memory.id not in other.contradicts:
                raise UsageError(tr("These two no longer contradict each other."))
            return MemoryChange(settled(memory, other, keeps))

        await self._change(
            self._open(path), N_("settle a contradiction"), changed, touched=(memory_id, other_id)
        )

    # --- entities and texts

    async def set_entity_type(self, path: Path, entity_id: str, type_: str) -> None:
        """Say what somebody or something is; its ledger follows."""

        def changed(command: Command) -> MemoryChange:
            for entity in command.remembered.entities:
                if entity.id == entity_id:
                    return retyped(entity, type_, command.remembered.of(Tier.STATE_LEDGER))
            raise UsageError(tr("This name no longer exists."))

        await self._change(
            self._open(path), N_("change the type to {type}").format(type=type_), changed
        )

    async def merge_entities(self, path: Path, entity_id: str, into: str) -> None:
        """Make two names one; what is remembered of the first is remembered of the other."""
        chat = self._open(path)

        def changed(command: Command) -> MemoryChange:
            ground = chat.ground()
            places = {
                m.id: max(map(ground.place, m.sources), default=BEFORE)
                for m in command.remembered.of(Tier.STATE_LEDGER, Tier.RELATIONSHIPS)
            }
            return entity_edits.merge(command.remembered, entity_id, into, places)

        await self._change(chat, N_("merge names"), changed)

    async def rename_entity(self, path: Path, entity_id: str, name: str) -> None:
        """Call somebody or something otherwise; the old name stays an alias."""
        await self._change(
            self._open(path),
            N_("rename"),
            lambda command: entity_edits.rename(command.remembered, entity_id, name),
        )

    async def delete_entity(self, path: Path, entity_id: str) -> None:
        """Take a name out of the registry; memories keep their words."""
        await self._change(
            self._open(path),
            N_("delete a name"),
            lambda command: entity_edits.delete(command.remembered, entity_id),
        )

    async def edit_text(
        self, path: Path, kind: DocumentKind, text: str, *, subject: str = ""
    ) -> None:
        """Put the user's words in place of the summary, canon or another longer text; "" takes all
        its versions away.
        """
        chat, now, words = self._open(path), time.time(), text.strip()
        label = N_("edit the {text}").format(text=kind.value.replace("_", " "))
        last = chat.story.messages[-1].anchor if chat.story.messages else ""

        def unit(command: Command) -> None:
            olds = [
                d for d in command.remembered.documents if (d.kind, d.subject) == (kind, subject)
            ]
            if not words:
                self._store.memories.forget(Remembered(documents=tuple(olds)))
                return
            if olds and olds[-1].text == words:
                return
            kept_by = command.character if kind is DocumentKind.CANON else ""
            new = (
                replace(olds[-1], text=words, sections={})
                if olds
                else Document("", chat.chat_id, kind, words, kept_by, subject, until=last)
            )
            new_id = combined_digest("by hand", str(chat.chat_id), kind.value, str(time.time_ns()))
            new = replace(new, id=new_id, made_by=YOU, created=now)
            self._store.memories.write(MemoryChange(documents=(new,)))

        await self._do(chat, label, unit)


def _counted(ids: Sequence[str], one: str, many: str) -> str:
    return one if len(ids) == 1 else many.format(n=len(ids))


def _why_it_stays(chat: OpenChat) -> str:
    if not chat.chat.owner_key:
        return tr(
            "A file outside SillyTavern has no character who could remember this plot thread."
        )
    return tr(
        "Memories of {name} stay in this chat: {policy}.",
        name=chat.chat.owner_name,
        policy=tr(chat.policy.value),
    )
