"""Brings a copy back as a chat of its own, and sees to it that SillyTavern shows it."""

from __future__ import annotations

import asyncio
from pathlib import Path

from app.core.errors import BridgeError, WriteRefused
from app.core.translation import tr
from app.sillytavern.group_listing import list_chat, listing_group
from app.sillytavern.group_metadata import GROUP_CHATS
from app.views.chat_copies import ChatCopy, Restored
from app.work.chats.guarding.chat_guard import ChatGuard
from app.work.pages.link import BridgeLink

ASK_SECONDS = 10.0


class Restoring:
    """SillyTavern finds the chats of a character by itself, but of a group only those that the
    group's file names. Its pages hold that file and write it: where one is open, it is asked to
    add the chat, else that is done in the file.
    """

    def __init__(self, guard: ChatGuard, link: BridgeLink, backups: Path) -> None:
        self._guard = guard
        self._link = link
        self._backups = backups

    async def restore(self, chat: Path, copy: ChatCopy) -> Restored:
        """Write a copy beside the chat that it was made of, which stays as it is.

        Raises TavernError, WriteRefused.
        """
        made = await self._guard.restore(chat, copy)
        if made.parent.name != GROUP_CHATS:
            return Restored(made)
        if await self._list(chat, made):
            return Restored(made, tr("SillyTavern lists it with the chats of the group."))
        return Restored(
            made,
            tr(
                "SillyTavern does not list it yet: open the group there, then “Manage chat files” "
                "and import {name} from the folder “{folder}”.",
                name=made.name,
                folder=GROUP_CHATS,
            ),
        )

    async def _list(self, chat: Path, made: Path) -> bool:
        found = await asyncio.to_thread(listing_group, chat)
        if found is None:
            return False
        file, group = found
        pages = [page for page in self._link.pages if page.user_folder == made.parent.parent]
        if not pages:
            try:
                await asyncio.to_thread(list_chat, file, made.stem, self._backups)
            except WriteRefused:
                return False
            return True
        listed = False
        for page in pages:  # each of them would write the list as it knows it
            try:
                params = {"group": group, "chat": made.stem}
                answer = await self._link.ask(page, "list_chat", params, timeout=ASK_SECONDS)
            except BridgeError:
                continue
            listed |= answer.get("listed") is True
        return listed
