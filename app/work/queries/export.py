"""Gives a story away: the story bible as a file, memories as a lorebook. Nothing is overwritten."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from app.core.errors import UsageError
from app.core.translation import N_, tr
from app.memory.documents.bible import bible_of
from app.memory.documents.bible_files import BibleFormat, html, markdown
from app.memory.documents.bible_parts import EVERYTHING, Known, Telling
from app.memory.documents.lorebook import lorebook_of
from app.memory.documents.spoiler_filter import SpoilerFilter
from app.memory.epistemic.leaks import stopwords_of
from app.memory.epistemic.map_view import EpistemicMapView
from app.sillytavern.world_info import world_info
from app.story.messages import MessageKind
from app.story.scene_cues.language import LanguagePack
from app.views.memory_view import MemoryView
from app.work.queries.leak_check import epistemic_map

NOBODY = N_(
    "You play no character in this chat yet, so there is nobody's knowledge to limit it to."
)


class StoryExport:
    """What is given away of open chats. view: what is remembered of one, else UsageError."""

    def __init__(
        self, view: Callable[[Path, int | None], MemoryView], packs: Sequence[LanguagePack]
    ) -> None:
        self._view = view
        self._packs = packs

    async def bible(
        self,
        path: Path,
        form: BibleFormat,
        *,
        until: int | None = None,
        for_player: bool = False,
        called: str = "",
    ) -> bytes:
        """The story bible. for_player: only what the user's character knows, saw or heard. called:
        what the reader knows the chat by, "" for the name of its file.
        """
        view = self._view(path, until)
        if called:
            chat = replace(view.story.chat, title=called)
            view = replace(view, story=replace(view.story, chat=chat))
        return await asyncio.to_thread(self._bible, view, form, for_player)

    async def lorebook(
        self, path: Path, *, until: int | None = None, for_player: bool = False
    ) -> bytes:
        """The memories that hold, as a file that SillyTavern imports as a lorebook."""
        view = self._view(path, until)
        return await asyncio.to_thread(self._lorebook, view, for_player)

    def _bible(self, view: MemoryView, form: BibleFormat, for_player: bool) -> bytes:
        known = self._known(view)
        bible = bible_of(known, self._telling(view, known, for_player))
        text = html(bible) if form is BibleFormat.HTML else markdown(bible)
        return text.encode("utf-8", "replace")

    def _lorebook(self, view: MemoryView, for_player: bool) -> bytes:
        known = self._known(view)
        telling = self._telling(view, known, for_player)
        speakers = [*view.story.chat.speakers, _player(view)]
        entries = lorebook_of(view.memories, view.entities, tuple(filter(None, speakers)), telling)
        return world_info(entries)

    def _known(self, view: MemoryView) -> Known:
        minds = EpistemicMapView(epistemic_map(view, self._packs))
        return Known(view.story, view.memories, view.entities, view.documents, minds, view.at)

    def _telling(self, view: MemoryView, known: Known, for_player: bool) -> Telling:
        if not for_player:
            return EVERYTHING
        person = _player(view)
        if not person:
            raise UsageError(tr(NOBODY))
        return SpoilerFilter(known, person, view.ground, stopwords_of(self._packs))


def _player(view: MemoryView) -> str:
    """Under which name the user wrote last."""
    for message in reversed(view.story.messages):
        if message.is_user and message.kind is MessageKind.CHAT and message.name.strip():
            return message.name
    return ""
