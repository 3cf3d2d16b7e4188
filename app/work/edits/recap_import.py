"""Takes in what other extensions left of a chat that is known here already."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from app.core.translation import N_
from app.memory.records import MemoryChange
from app.settings.scenes import SceneSettings
from app.sillytavern.chat_file import ChatSnapshot
from app.sillytavern.chat_kin import tells_another_story
from app.sillytavern.extensions.char_memory import RememberedLine, find_char_memory
from app.sillytavern.extensions.ranged_recaps import RangedRecaps
from app.store.store import Store
from app.story.messages import MessageRecap
from app.story.recaps import IMPORTED, MESSAGE_SUMMARIZE
from app.story.story import ChatKind, ChatRef
from app.views.findings import Finding, Findings, Left
from app.work.chats.importing.char_memories import CHAR_MEMORY, memories_from
from app.work.chats.importing.extension_recaps import left_by_others, what_is_new
from app.work.chats.importing.other_extensions import ranged_recaps_of
from app.work.chats.importing.ranged_scenes import Held, scenes_from
from app.work.chats.open_chat import OpenChat
from app.work.chats.open_chats import OpenChats

Do = Callable[[OpenChat, str, Callable[[], Any]], Awaitable[None]]


class RecapImport:
    """For somebody who used an extension after the chat was first seen here.

    At first sight recaps are taken in unasked; later they might be what is outdated here, so the
    user says so. Memories of CharMemory are asked about always. `path` is that of an open chat.
    Raises UsageError for one that is not open, and ChatUnreadable.
    """

    def __init__(self, store: Store, chats: OpenChats, do: Do) -> None:
        self._store = store
        self._chats = chats
        self._do = do

    async def found(self, path: Path) -> Findings:
        """What there is that is neither known here nor was put away here, and what of it cannot be
        taken in.
        """
        chat = self._chats.required(path)
        story, snapshot = await chat.reading()
        forgotten = await self._store.run(lambda: self._store.clearing.forgotten(chat.chat_id))
        speakers = SceneSettings(chat.settings()).scene_recap_messages
        read = partial(
            left_by_others, is_others=tells_another_story, speakers=speakers, known=story.breaks
        )
        left = await asyncio.to_thread(read, snapshot, story.messages)
        found = list(_by_writer(what_is_new(left, story, forgotten)))
        ranged = await asyncio.to_thread(ranged_recaps_of, chat.chat, snapshot)
        found += _ranged(ranged, found, Held(
            story.messages, story.breaks, story.recaps, forgotten, speakers))  # fmt: skip
        found.append(await self._remembered(chat, snapshot))
        return Findings(tuple(one for one in found if one or one.left_out))

    async def take_in(self, path: Path) -> Findings:
        """Take all that in, as one step that can be undone; gives what it was.

        What was chosen there counts here too; what is here stays among the versions.
        """
        chat, new = self._chats.required(path), await self.found(path)
        if new:
            label = N_("import from other extensions")
            if new.whose == (IMPORTED,):
                label = N_("import what ST-Auto-Recap wrote")
            await self._do(chat, label, lambda: self._keep_all(chat, new))
            if any(finding.memories for finding in new.of):
                await self._chats.refresh_all_of(chat)
        return new

    async def _remembered(self, chat: OpenChat, snapshot: ChatSnapshot) -> Finding:
        """What CharMemory remembers, without what is known here or was forgotten here."""
        if not (chat.keeps_memory and chat.policy.adds):
            return Finding(CHAR_MEMORY)
        lines = await asyncio.to_thread(_char_memory, chat.chat, snapshot)
        made = memories_from(lines, chat.chat_id, chat.character)
        memories = self._store.memories
        ids = [memory.id for memory in made.memories.memories]
        known = await self._store.run(
            lambda: memories.known_ids(made.memories) - memories.taken_back(ids)
        )
        texts = {memory.text for memory in chat.remembered.memories}
        new = (m for m in made.memories.memories if m.id not in known and m.text not in texts)
        return replace(made, memories=MemoryChange(tuple(new)))

    def _keep_all(self, chat: OpenChat, new: Findings) -> None:
        for finding in new.of:
            self._keep(chat, finding.left)
            if finding.memories:
                self._store.memories.write(finding.memories)
                self._store.memories.bring_back(m.id for m in finding.memories.memories)

    def _keep(self, chat: OpenChat, new: Left) -> None:
        store, chat_id = self._store, chat.chat_id
        store.scenes.save(chat_id, [*new.hidden, *new.breaks])
        before = store.recaps.scene_recaps(chat_id)
        store.recaps.import_scene_recaps(chat_id, new.scene_recaps)
        chosen = {recap.anchor for recap in new.scene_recaps if recap.is_current}
        for recap in new.scene_recaps:
            old = next((r for r in before.get(recap.anchor, ()) if r.is_current), None)
            if old is not None and recap.anchor not in chosen:
                store.recaps.choose_scene_recap(chat_id, recap.anchor, old.version)
        for version in new.running:
            is_chosen = version.version == new.current
            store.recaps.add_running_version(chat_id, version, choose=is_chosen)
        store.recaps.save_message_recaps(chat_id, dict(new.message_recaps))


def _by_writer(left: Left) -> tuple[Finding, Finding]:
    """What stands in messages and metadata, apart by the extension that wrote it."""

    def of(is_theirs: Callable[[MessageRecap], bool]) -> Mapping[str, MessageRecap]:
        return {anchor: one for anchor, one in left.message_recaps.items() if is_theirs(one)}

    theirs = of(lambda one: one.taken_from == MESSAGE_SUMMARIZE)
    others = of(lambda one: one.taken_from != MESSAGE_SUMMARIZE)
    return (
        Finding(IMPORTED, replace(left, message_recaps=others)),
        Finding(MESSAGE_SUMMARIZE, Left(message_recaps=theirs)),
    )


def _ranged(ranged: tuple[RangedRecaps, ...], before: list[Finding], held: Held) -> list[Finding]:
    """Recaps of runs of messages, each extension's beside those that are taken in before it."""
    breaks, recaps = dict(held.breaks), {a: tuple(v) for a, v in held.recaps.items()}
    found: list[Finding] = []

    def note(left: Left) -> None:
        breaks.update({mark.anchor: mark for mark in (*left.hidden, *left.breaks)})
        for recap in left.scene_recaps:
            recaps[recap.anchor] = (*recaps.get(recap.anchor, ()), recap)

    for finding in before:
        note(finding.left)
    for one in ranged:
        left, left_out = scenes_from(one, replace(held, breaks=breaks, recaps=recaps))
        note(left)
        found.append(Finding(one.made_by, left, left_out=left_out))
    return found


def _char_memory(chat: ChatRef, snapshot: ChatSnapshot) -> tuple[RememberedLine, ...]:
    """Of the one character of a chat; what members of a group remember is not told apart."""
    if chat.user_folder is None or chat.kind is ChatKind.GROUP or not chat.owner:
        return ()
    return find_char_memory(chat.user_folder, f"{chat.owner}.png", snapshot.path.stem)
