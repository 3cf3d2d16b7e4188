"""Takes in what ST-Auto-Recap wrote into a chat that was known here already."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

from app.core.translation import N_
from app.sillytavern.chat_kin import tells_another_story
from app.store.store import Store
from app.work.chats.extension_recaps import Left, left_in, what_is_new
from app.work.chats.open_chat import OpenChat
from app.work.chats.open_chats import OpenChats

Do = Callable[[OpenChat, str, Callable[[], Any]], Awaitable[None]]


class TakingIn:
    """For somebody who used the extension after the chat was first seen here.

    At first sight all of it is taken in unasked; later it might be what is outdated here, so the
    user says so. `path` is that of an open chat. Raises UsageError for one that is not open, and
    ChatUnreadable.
    """

    def __init__(self, store: Store, chats: OpenChats, do: Do) -> None:
        self._store = store
        self._chats = chats
        self._do = do

    async def found(self, path: Path) -> Left:
        """What stands in the chat and is neither known here nor was put away here."""
        chat = self._chats.required(path)
        story, snapshot = await chat.reading()
        forgotten = await self._store.run(lambda: self._store.clearing.forgotten(chat.chat_id))
        speakers = str(chat.settings()["scene_recap_messages"])
        read = partial(
            left_in, is_others=tells_another_story, speakers=speakers, known=story.breaks
        )
        left = await asyncio.to_thread(read, snapshot, story.messages)
        return what_is_new(left, story, forgotten)

    async def take_in(self, path: Path) -> Left:
        """Take all that in, as one step that can be undone; gives what it was.

        What was chosen there counts here too; what is here stays among the versions.
        """
        chat, new = self._chats.required(path), await self.found(path)
        if new:
            label = N_("take in what ST-Auto-Recap wrote")
            await self._do(chat, label, lambda: self._keep(chat, new))
        return new

    def _keep(self, chat: OpenChat, new: Left) -> None:
        store, chat_id = self._store, chat.chat_id
        store.scenes.save(chat_id, list(new.breaks))
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
