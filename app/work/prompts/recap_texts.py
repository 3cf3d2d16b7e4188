"""Recaps as they stand in a prompt: under the headings of the story's language, in their frame."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from app.prompt.choosing.framing import framed
from app.prompt.headings import ENGLISH, Headings, headings_for
from app.settings.recaps import RecapSettings
from app.settings.slots import SlotSettings
from app.story.scene_cues.language import LanguagePack
from app.story.story import Story
from app.work.chats.open_chats import OpenChats


class RecapTexts:
    """Recaps are kept under English headings, by which code finds their parts.

    count: tokens of a text, as slots are counted; from any thread.
    """

    def __init__(
        self, chats: OpenChats, packs: Sequence[LanguagePack], count: Callable[[str], int]
    ) -> None:
        self._chats = chats
        self._packs = packs
        self._count = count
        self._known: dict[Path, tuple[Story, str, Headings]] = {}

    def shown(self, path: Path, content: str) -> str:
        """A kept recap as its readers are shown it."""
        return self._headings(path).in_recap(content)

    def kept(self, path: Path, text: str) -> str:
        """What is kept of a recap that a user has written."""
        return self._headings(path).out_of_recap(text)

    def running_counter(self, path: Path) -> Callable[[str], int]:
        """Counts a running recap as it stands in the prompt of an open chat, frame and all; to be
        called from any thread. Raises UsageError for a chat that is not open.
        """
        headings = self._headings(path)
        settings = self._chats.required(path).prompt_settings()
        frame = headings.in_frame(RecapSettings(settings).running_recap_frame)
        return lambda text: self._count(framed(headings.in_recap(text), frame, "{{running_recap}}"))

    def _headings(self, path: Path) -> Headings:
        chat = self._chats.get(path)
        if chat is None:
            return ENGLISH
        wanted = SlotSettings(chat.settings()).headings_language
        story, known = chat.story, self._known.get(path)
        if known is None or known[0] is not story or known[1] != wanted:
            headings = headings_for(story, wanted, self._packs)
            known = self._known[path] = story, wanted, headings
        return known[2]
