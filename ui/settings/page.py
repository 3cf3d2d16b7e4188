"""The settings page: SillyTavern, model, look, and how recaps are made."""

from __future__ import annotations

from collections.abc import Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.settings import REGISTRY
from ui.controls.buttons import Button, IconButton
from ui.controls.fields import Segments
from ui.controls.labels import Label
from ui.controls.surfaces import scrolling
from ui.session import Session
from ui.settings.backend import BackendChoice
from ui.settings.rows import SettingRow
from ui.settings.sections import Section
from ui.settings.tavern import BridgeRow, FactRow
from ui.theme.fonts import MEDIUM, ui_font

if TYPE_CHECKING:
    from app.sillytavern.bridge_installer import BridgeStatus

COLUMN = 760
THEMES = {"system": "As the system", "light": "Light", "dark": "Dark"}
GROUPS = {
    "Scenes": (
        "scene_breaks_auto",
        "scene_minimum_length",
        "scene_recaps_auto",
        "scene_recap_tokens",
    ),
    "Running recap": (
        "running_recap_enabled",
        "running_recap_auto",
        "running_recap_leave_out",
        "running_recap_budget",
        "running_recap_position",
        "running_recap_depth",
    ),
    "Message recaps": (
        "message_recaps_auto",
        "inclusion_limit",
        "inclusion_limit_type",
        "include_user_messages",
        "include_hidden_messages",
    ),
}
SENTENCES = {
    "Scenes": "Where a scene ends, and the recap that is written when it does.",
    "Running recap": "The story so far in one text, put into each prompt.",
    "Message recaps": "One sentence per message; which of them fit the prompt is shown in colour.",
}
TEXT_STEP = 0.5


class SettingsPage(QWidget):
    """Every change is in force at once.

    Signals:
        folder_wanted: the user wants to name SillyTavern's folder.
        setting_changed: (name, value) was put.
    """

    folder_wanted = Signal()
    setting_changed = Signal(str, object)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._rows: dict[str, SettingRow] = {}
        self._bridges: dict[Path, BridgeRow] = {}
        self._tavern = Section("SillyTavern", "Chats are read where SillyTavern keeps them.")
        self.backend = BackendChoice()
        self.backend.chosen.connect(self._on_backend)
        self._theme = Segments("Theme", THEMES)
        self._theme.chosen.connect(self._on_theme)
        self._size = Label(font=ui_font(12.5, MEDIUM))
        self._size.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._size.setFixedWidth(64)
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(24, 20, 24, 32)
        column.setSpacing(28)
        for part in (self._tavern, self.backend, self._look(), *self._groups()):
            part.setMaximumWidth(COLUMN)
            column.addWidget(part)
        column.addStretch(1)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        self._area = scrolling(content, name="Settings")
        outer.addWidget(self._area)
        session.library_changed.connect(self._show_taverns)
        self.refresh()

    def take_focus(self) -> None:
        """Give the keyboard to the page, to scroll it."""
        self._area.setFocus(Qt.FocusReason.OtherFocusReason)

    def refresh(self) -> None:
        """Show the values that are in force and the taverns that were found."""
        self.refresh_values()
        self._show_taverns()

    def row(self, name: str) -> SettingRow:
        """The row of a setting."""
        return self._rows[name]

    def _look(self) -> Section:
        part = Section("Look")
        theme_row = FactRow("Theme", "Light, dark, or as the system says.")
        theme_row.row.addWidget(self._theme)
        part.add_row(theme_row)
        size_row = FactRow("Story text", "Size of the story's letters, 13 to 22 px.")
        smaller = IconButton("minus", "Smaller story text", is_framed=True)
        smaller.clicked.connect(self._on_smaller)
        larger = IconButton("plus", "Larger story text", is_framed=True)
        larger.clicked.connect(self._on_larger)
        sizes = QHBoxLayout()
        sizes.setSpacing(0)
        for widget in (smaller, self._size, larger):
            sizes.addWidget(widget)
        size_row.row.addLayout(sizes)
        part.add_row(size_row)
        return part

    def _groups(self) -> tuple[Section, ...]:
        parts = []
        for title, names in GROUPS.items():
            part = Section(title, SENTENCES[title])
            for name in names:
                row = SettingRow(REGISTRY[name])
                row.chosen.connect(self.put)
                self._rows[name] = row
                part.add_row(row)
            parts.append(part)
        return tuple(parts)

    def _show_taverns(self) -> None:
        taverns = self._session.companion.taverns
        self._tavern.clear()
        self._bridges.clear()
        folder = Button("Choose a folder", icon="folder")
        folder.clicked.connect(self.folder_wanted)
        given = str(self._session.companion.settings["tavern"])
        found = f"{len(taverns)} user folder" + ("" if len(taverns) == 1 else "s")
        fact = given or ("Found by itself." if taverns else "None was found in the usual places.")
        title = found if taverns else "No SillyTavern folder"
        self._tavern.add_row(FactRow(title, fact, folder))
        for tavern in taverns:
            row = BridgeRow(tavern.user_folder, "Looking for the bridge")
            row.install_wanted.connect(self._on_install)
            row.remove_wanted.connect(self._on_remove)
            self._bridges[tavern.user_folder] = row
            self._tavern.add_row(row)
            status = self._session.companion.bridge_status(tavern.user_folder)
            self._show_status_of(tavern.user_folder, status, "looking for the bridge")

    def _show_status_of(
        self, user_folder: Path, asked: Coroutine[Any, Any, BridgeStatus], name: str
    ) -> None:
        async def show() -> None:
            status = await asked
            row = self._bridges.get(user_folder)
            if row is not None:
                row.show_status(status)

        self._session.do(show(), name=name)

    def put(self, name: str, value: object) -> None:
        """Put a setting in force, for all chats."""

        async def change() -> None:
            try:
                await self._session.companion.put_setting(name, value)
            finally:
                self.refresh_values()
            self.setting_changed.emit(name, value)

        self._session.do(change(), name="changing a setting")

    def refresh_values(self) -> None:
        """Show the values again; the list of taverns stays."""
        settings = self._session.companion.settings
        for name, row in self._rows.items():
            row.show_value(settings[name])
        self._theme.choose(str(settings["theme"]))
        self._size.setText(f"{float(settings['story_text_size']):g} px")
        self.backend.show_spec(str(settings["backend"]))

    def _on_backend(self, spec: str) -> None:
        self.put("backend", spec)

    def _on_theme(self, choice: str) -> None:
        self.put("theme", choice)

    def _on_larger(self) -> None:
        self._step_size(TEXT_STEP)

    def _on_smaller(self) -> None:
        self._step_size(-TEXT_STEP)

    def _step_size(self, step: float) -> None:
        size = float(self._session.companion.settings["story_text_size"]) + step
        self.put("story_text_size", max(13.0, min(22.0, size)))

    def _on_install(self, user_folder: Path) -> None:
        asked = self._session.companion.install_bridge(user_folder)
        self._show_status_of(user_folder, asked, "installing the bridge")

    def _on_remove(self, user_folder: Path) -> None:
        asked = self._session.companion.remove_bridge(user_folder)
        self._show_status_of(user_folder, asked, "removing the bridge")
