"""Writes the story bible and the lorebook of the chat that is shown into files of the user's."""

from __future__ import annotations

import re
from pathlib import Path

from PySide6.QtCore import QObject, QStandardPaths
from PySide6.QtWidgets import QWidget

from app.core.translation import N_, tr
from app.memory.documents.bible_files import BibleFormat
from app.story.story import ChatRef
from ui.core.actions import Actions
from ui.core.chat_words import chat_title
from ui.core.dialogs import choose_new_file
from ui.core.session import Session

BIBLE, BIBLE_FREE = "export.bible", "export.bible.free"
LOREBOOK, LOREBOOK_FREE = "export.lorebook", "export.lorebook.free"
EXPORTS = (BIBLE, BIBLE_FREE, LOREBOOK, LOREBOOK_FREE)
PAGES = N_("One page for a browser or a printer (*.html);;Markdown (*.md)")
BOOKS = N_("SillyTavern lorebook (*.json)")
LONGEST_NAME = 80
_STRANGE = re.compile(r'[<>:"/\\|?*\x00-\x1f]+')


class Exporting(QObject):
    """Asks where to, and says what was written. Replacing a file is asked by the file dialog."""

    def __init__(self, session: Session, actions: Actions, window: QWidget) -> None:
        super().__init__(window)
        self._session = session
        self._actions = actions
        self._window = window
        for key in EXPORTS:
            actions[key].triggered.connect(self._on_action)
        session.chat_opened.connect(self._on_chat_opened)

    def _on_chat_opened(self, _story: object) -> None:
        for key in EXPORTS:
            self._actions[key].setEnabled(True)

    def _on_action(self) -> None:
        action, story = self.sender(), self._session.story
        if action is not None and story is not None:
            export = self._ask(action.objectName(), story.chat)
            self._session.do(export, name=N_("writing a file"))

    async def _ask(self, key: str, chat: ChatRef) -> None:
        is_book = key in (LOREBOOK, LOREBOOK_FREE)
        name = file_name(chat, "lorebook.json" if is_book else tr("story bible.html"))
        title = self._actions[key].text()
        kinds = tr(BOOKS) if is_book else tr(PAGES)
        target = await choose_new_file(self._window, title, _documents() / name, kinds)
        if target is not None:
            await self.write(key, chat.path, target)

    async def write(self, key: str, path: Path, target: Path) -> None:
        """Write what an action names; the user has said that `target` may be replaced.

        Raises UsageError.
        """
        exports = self._session.companion.exports
        for_player = key in (BIBLE_FREE, LOREBOOK_FREE)
        if key in (LOREBOOK, LOREBOOK_FREE):
            data = await exports.lorebook(path, for_player=for_player)
        else:
            is_markdown = target.suffix.lower() in (".md", ".markdown", ".txt")
            form = BibleFormat.MARKDOWN if is_markdown else BibleFormat.HTML
            story = self._session.companion.story(path)
            called = chat_title(story.chat) if story is not None else ""
            data = await exports.bible(path, form, for_player=for_player, called=called)
        await self._session.companion.files.write(target, data, may_replace=True)
        self._session.told.emit(tr("Written: {name}", name=target.name))


def file_name(chat: ChatRef, what: str) -> str:
    """A name that any system takes: "Ada - story bible.html"."""
    name = _STRANGE.sub(" ", chat.owner_name or chat.title)
    name = " ".join(name.split())[:LONGEST_NAME].strip(". ")
    return f"{name} - {what}" if name else what


def _documents() -> Path:
    found = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
    return Path(found) if found else Path.home()
