"""The left of the settings page: a field to find a setting, for which chats, and the sections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QBoxLayout, QSizePolicy, QWidget

from app.core.translation import tr
from ui.controls.fields import FindField, Segments
from ui.settings.section_list import SectionList

WIDTH = 216
ALL, CHAT = "all", "chat"


class SettingsRail(QWidget):
    """Narrow or low windows lose the list of sections, never the field.

    Signals:
        filtered: what settings must hold, casefolded; "" for all.
        scope_chosen: whether values of the open chat are meant.
        section_wanted: title of a section to go to.
    """

    filtered = Signal(str)
    scope_chosen = Signal(bool)
    section_wanted = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.field = FindField(tr("Find a setting"))
        self.field.textChanged.connect(self._on_text)
        self.scopes = Segments(tr("Settings for"), {ALL: tr("All chats"), CHAT: tr("This chat")})
        self.scopes.choose(ALL)
        self.scopes.chosen.connect(self._on_scope)
        self.sections = SectionList()
        self.sections.wanted.connect(self.section_wanted)
        self._box = QBoxLayout(QBoxLayout.Direction.TopToBottom, self)
        self._box.setSpacing(8)
        self._box.addWidget(self.field)
        self._box.addWidget(self.scopes)
        self._box.addWidget(self.sections, 1)
        self._box.addStretch(0)
        self.set_wide(True)

    def set_wide(self, is_wide: bool) -> None:
        """Stand beside the settings, or in one row above them."""
        down, right = QBoxLayout.Direction.TopToBottom, QBoxLayout.Direction.LeftToRight
        self._box.setDirection(down if is_wide else right)
        self.sections.setVisible(is_wide)
        if is_wide:
            self.setFixedWidth(WIDTH)
            self._box.setContentsMargins(16, 8, 12, 12)
        else:
            self.setMinimumWidth(0)
            self.setMaximumWidth(16_777_215)
            self._box.setContentsMargins(24, 8, 24, 8)
        free, fixed = QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed
        self.field.setMaximumWidth(16_777_215 if is_wide else 300)
        self.scopes.setSizePolicy(free if is_wide else fixed, fixed)

    def set_has_chat(self, has_chat: bool) -> None:
        """Whether a chat is open that settings could be for."""
        self.scopes.setVisible(has_chat)

    def choose_scope(self, is_chat: bool) -> None:
        """Show for which chats values are, without telling `scope_chosen`."""
        self.scopes.choose(CHAT if is_chat else ALL)

    def set_sections(self, groups: Mapping[str, Sequence[str]]) -> None:
        """List these sections, by their headings; the others are not there now."""
        self.sections.show_groups(groups)

    def show_place(self, title: str) -> None:
        """Say which section is read now."""
        self.sections.show_place(title)

    def _on_text(self, text: str) -> None:
        self.filtered.emit(text.strip().casefold())

    def _on_scope(self, key: str) -> None:
        self.scope_chosen.emit(key == CHAT)
