"""The window looks as the settings say: its theme, contrast and the size of the story's letters."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.core.translation import N_
from app.core.value_file import ValueFile
from app.settings.program import ProgramSettings
from ui.core.actions import Actions
from ui.theme.source import ContrastChoice, ThemeChoice, ThemeSource

if TYPE_CHECKING:  # the first window stands before what a session needs is loaded
    from ui.core.session import Session

READING_PX = 15.5
THEME_FILE = "theme"


def kept_theme(data: Path) -> ThemeChoice:
    """The theme that was chosen last, before the settings are read: a start in another one would
    flash. data: folder of our own files.
    """
    try:
        return ThemeChoice(ValueFile(data / THEME_FILE).read())
    except ValueError:
        return ThemeChoice.SYSTEM


class WindowLook(QObject):
    """Follows the settings when told to, and the commands that change the size."""

    def __init__(self, session: Session, theme: ThemeSource, actions: Actions) -> None:
        super().__init__(session)
        self._session, self._theme = session, theme
        actions["text.larger"].triggered.connect(self._on_larger)
        actions["text.smaller"].triggered.connect(self._on_smaller)
        actions["text.normal"].triggered.connect(self._on_normal)
        self.apply()

    def apply(self) -> None:
        """Look as the settings say now."""
        settings = self._session.companion.settings
        choice = ThemeChoice(ProgramSettings(settings).theme)
        self._theme.set_choice(choice)
        data = self._session.companion.folders.data
        if kept_theme(data) is not choice:
            keeping = asyncio.to_thread(ValueFile(data / THEME_FILE).write, choice.value)
            self._session.do(keeping, name=N_("saving the theme for the next start"))
        self._theme.set_contrast(ContrastChoice(ProgramSettings(settings).contrast))
        self._theme.set_reading_px(ProgramSettings(settings).story_text_size)

    def _on_larger(self) -> None:
        self._put_text_size(self._theme.reading_px + 0.5)

    def _on_smaller(self) -> None:
        self._put_text_size(self._theme.reading_px - 0.5)

    def _on_normal(self) -> None:
        self._put_text_size(READING_PX)

    def _put_text_size(self, px: float) -> None:
        self._theme.set_reading_px(px)
        put = self._session.companion.put_setting("story_text_size", self._theme.reading_px)
        self._session.do(put, name=N_("changing a setting"))
