"""The settings page: SillyTavern, model, look, and every setting of the registry."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from itertools import chain
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QHBoxLayout,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.core.chosen_language import ChosenLanguage
from app.core.chosen_scale import ChosenScale
from app.core.login_start import login_start
from app.core.translation import N_, tr
from app.settings.program import ProgramSettings
from app.settings.setting import Scope
from app.settings.values import REGISTRY
from ui.controls.keys import give_keys
from ui.controls.labels import body
from ui.controls.setting_rows import SettingRow
from ui.controls.setting_sections import Row, Section
from ui.controls.surfaces import Line, scrolling
from ui.controls.timers import once
from ui.core.session import Session
from ui.prompts.page import PromptsPage
from ui.settings.backend import BackendChoice
from ui.settings.files import FilesSection
from ui.settings.groups import grouped
from ui.settings.kind_models import KindModels
from ui.settings.look import LookSection
from ui.settings.memory_trial import MemoryTrialSection
from ui.settings.model_testing import ModelTesting
from ui.settings.program import ProgramSection
from ui.settings.prompts import PromptsSection
from ui.settings.rail import SettingsRail
from ui.settings.registry_rows import RegistryRows, chat_meant
from ui.settings.tavern import TavernSection
from ui.shell.setting_entries import API_KEY, AT_LOGIN, FILE, PROGRAM, TRIAL

COLUMN = 760
WIDE = 940
NOTHING = N_("No setting has this name.")


class SettingsPage(QWidget):
    """Every change is in force at once, and can be reset.

    Signals:
        folder_wanted: the user wants to name SillyTavern's folder.
        setting_changed: (name, value) was put.
        header_changed: the title became another.
        restart_wanted: the program is to be started again.
    """

    folder_wanted = Signal()
    setting_changed = Signal(str, object)
    header_changed = Signal()
    restart_wanted = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._rows = RegistryRows()
        self._rows.chosen.connect(self.put)
        self._rows.reset_asked.connect(self.reset)
        self._filter = ""
        self._backend_shown = ""
        self._marked: tuple[Row, ...] = ()
        self._led_to: QWidget | None = None
        self._for_chat = False
        self.rail = SettingsRail()
        self._tavern = TavernSection(session)
        self._tavern.folder_wanted.connect(self.folder_wanted)
        self.backend = BackendChoice(self._key_of)
        self.backend.chosen.connect(self._on_backend)
        self._testing = ModelTesting(session, self.backend)
        self.kinds = KindModels(session, self._testing.keep_key)
        self.kinds.chosen.connect(self._on_kind)
        self.backend.changed.connect(self._show_kinds)
        self._prompts = PromptsSection(session)
        self._prompts.edit_asked.connect(self.open_prompts)
        self._prompts.preset_asked.connect(self._on_preset)
        self._prompts_page: PromptsPage | None = None
        self._language = ChosenLanguage(session.companion.folders.data)
        self._scale = ChosenScale(session.companion.folders.data)
        self._look = LookSection(self._language.get(), self._scale.get())
        self._look.scale_chosen.connect(self._on_window_scale)
        self._look.restart_wanted.connect(self.restart_wanted)
        self._look.chosen.connect(self.put)
        self._look.language_chosen.connect(self._on_language)
        self.files = FilesSection(session)
        self.files.taken_over.connect(self._on_taken_over)
        self.program = ProgramSection(session, login_start())
        self._nothing = body(tr(NOTHING))
        self.memory_test = MemoryTrialSection(session)
        self._groups = grouped(
            self._rows.sections,
            tavern=self._tavern,
            model=self.backend,
            tasks=self.kinds,
            trial=self.memory_test,
            prompts=self._prompts,
            look=self._look,
            file=self.files,
            program=self.program,
        )
        self._parts = tuple(chain.from_iterable(self._groups.values()))
        self._lay_out()
        self.rail.filtered.connect(self._on_filtered)
        self.rail.scope_chosen.connect(self._on_scope)
        self.rail.section_wanted.connect(self.go_to)
        session.library_changed.connect(self._on_library_changed)
        session.remote_changed.connect(self._on_library_changed)
        session.chat_opened.connect(self._on_chat_opened)
        session.replayed.connect(self.refresh_values)
        self.refresh()

    def _lay_out(self) -> None:
        content = QWidget()
        middle = QHBoxLayout(content)
        middle.setContentsMargins(24, 12, 24, 32)
        block = QWidget()
        block.setMaximumWidth(COLUMN)
        column = QVBoxLayout(block)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(28)
        for part in (self._nothing, *self._parts):
            column.addWidget(part)
        column.addStretch(1)
        middle.addStretch(1)
        middle.addWidget(block, 1000)
        middle.addStretch(1)
        self._content = content
        self._area = scrolling(content, name=tr("Settings"))
        bar = self._area.verticalScrollBar()
        bar.valueChanged.connect(self._show_place)
        # The range is told before the sections have their new places.
        self._settle = once(self, 0, self._on_settled)
        bar.rangeChanged.connect(self._on_range_changed)
        self._line = Line(is_upright=True)
        sheet = QWidget()
        self._stack = QStackedWidget()
        self._stack.addWidget(sheet)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self._stack)
        self._box = QBoxLayout(QBoxLayout.Direction.LeftToRight, sheet)
        self._box.setContentsMargins(0, 0, 0, 0)
        self._box.setSpacing(0)
        self._box.addWidget(self.rail)
        self._box.addWidget(self._line)
        self._box.addWidget(self._area, 1)

    @property
    def shows_prompts(self) -> bool:
        """Whether the prompts stand in place of the settings."""
        return self._prompts_page is not None and (
            self._stack.currentWidget() is self._prompts_page
        )

    @property
    def title(self) -> str:
        """For the header."""
        return tr("Prompts") if self.shows_prompts else tr("Settings")

    @property
    def place(self) -> str:
        """For the header."""
        return tr("What the model is told") if self.shows_prompts else ""

    @property
    def tools(self) -> QWidget | None:
        """For the header: the usual ones."""
        return None

    @property
    def command_icons(self) -> dict[QAction, str]:
        """What can be done with presets of prompts, for the palette."""
        return self._prompts.commands.icons

    def take_focus(self) -> None:
        """Give the keyboard to the field that finds a setting, or to the prompts."""
        if self._prompts_page is not None and self.shows_prompts:
            self._prompts_page.take_focus()
            return
        self.rail.field.setFocus(Qt.FocusReason.OtherFocusReason)
        self._testing.look_for_models()

    def open_prompts(self) -> PromptsPage:
        """Show the prompts in place of the settings."""
        if self._prompts_page is None:
            self._prompts_page = PromptsPage(self._session)
            self._prompts_page.back_asked.connect(self.close_prompts)
            self._stack.addWidget(self._prompts_page)
        self._stack.setCurrentWidget(self._prompts_page)
        self._prompts_page.take_focus()
        self.header_changed.emit()
        return self._prompts_page

    def _on_preset(self, name: str) -> None:
        self.open_prompts().bar.actions_[name].trigger()

    def close_prompts(self) -> None:
        """Show the settings again."""
        self._stack.setCurrentIndex(0)
        self.header_changed.emit()
        self._prompts.button.setFocus(Qt.FocusReason.OtherFocusReason)

    def refresh(self) -> None:
        """Show the values that are in force and the taverns that were found."""
        self.rail.set_has_chat(self._session.path is not None)
        self.refresh_values()
        self._tavern.refresh()
        self._show_parts()

    def row(self, name: str) -> SettingRow:
        """The row of a setting."""
        return self._rows.by_name[name]

    @property
    def is_for_chat(self) -> bool:
        """Whether values of the open chat are shown, and put."""
        return self._for_chat and self._session.path is not None

    # Values

    def put(self, name: str, value: object) -> None:
        """Put a setting in force, for all chats or the open one."""
        path = self._path_for(name)
        put = self._session.companion.put_setting
        self._change(put(name, value, path=path, noted_in=self._session.path), name)

    def reset(self, name: str) -> None:
        """Let the default hold again, or for the open chat what holds for all."""
        path = self._path_for(name)
        reset = self._session.companion.reset_setting
        self._change(reset(name, path=path, noted_in=self._session.path), name)

    def _path_for(self, name: str) -> Path | None:
        """The chat whose value is meant, None for that of all chats."""
        return chat_meant(name, self._session.path, is_for_chat=self.is_for_chat)

    def _change(self, change: Coroutine[Any, Any, None], name: str) -> None:
        async def follow() -> None:
            try:
                await change
            finally:
                self.refresh_values()
            self._session.refresh()
            self.setting_changed.emit(name, self._session.companion.settings[name])

        self._session.do(follow(), name=N_("changing a setting"))

    def refresh_values(self) -> None:
        """Show the values again; the list of taverns stays."""
        companion = self._session.companion
        self._rows.show_values(companion, self._session.path, is_for_chat=self.is_for_chat)
        self._look.show_values(companion.settings)
        backend = ProgramSettings(companion.settings).backend
        if backend != self._backend_shown:  # else what is being entered stays
            self._backend_shown = backend
            self.backend.show_spec(backend)
        self._show_kinds()
        self.memory_test.refresh()

    def _show_kinds(self) -> None:
        self.kinds.refresh(self.backend.offers)

    def _on_taken_over(self) -> None:
        self.refresh_values()
        self.setting_changed.emit("theme", ProgramSettings(self._session.companion.settings).theme)

    def _on_backend(self, spec: str) -> None:
        async def use() -> None:
            await self._testing.keep_key()
            path = self._session.path
            await self._session.companion.put_setting("backend", spec, noted_in=path)

        self._change(use(), "backend")

    def _on_kind(self, name: str, spec: object) -> None:
        async def use() -> None:
            await self._testing.keep_key()
            path = self._session.path
            await self._session.companion.put_setting(name, spec, noted_in=path)

        self._change(use(), name)

    def _key_of(self, url: str) -> tuple[bool, Path | None]:
        keys = self._session.companion.models.keys
        return keys.find(url) is not None, keys.file if keys.is_in_file(url) else None

    # What is shown

    def go_to(self, title: str) -> None:
        """Scroll a section to the top."""
        part = next(part for part in self._parts if part.title == title)
        top = part.mapTo(self._content, part.rect().topLeft()).y()
        self._area.verticalScrollBar().setValue(top - 12)
        self.rail.show_place(title)

    def show_setting(self, name: str) -> None:
        """Bring a setting into view, marked, with the keyboard on it. name: as in the palette."""
        if self.shows_prompts:
            self.close_prompts()
        self.rail.field.clear()
        if self.is_for_chat and (name not in REGISTRY or REGISTRY[name].scope is not Scope.CHAT):
            self.rail.choose_scope(False)
            self._on_scope(False)
        row, control = self._place_of(name)
        self._mark(row if isinstance(row, Row) else None)
        self._led_to = row
        self._scroll_to(row)
        self._settle.start()
        give_keys(control)

    def _place_of(self, name: str) -> tuple[QWidget, QWidget]:
        """What shows a setting, and what the keyboard changes it with."""
        if name in self._rows.by_name:
            return self._rows.by_name[name], self._rows.by_name[name].control
        if name in self.kinds.by_name:
            return self.kinds.by_name[name], self.kinds.by_name[name].choice
        if name in self._look.places:
            return self._look.places[name]
        if name == API_KEY and not self.backend.key.isHidden():
            return self.backend, self.backend.key
        if name == AT_LOGIN:
            return self.program.starting, self.program.login
        parts: dict[str, QWidget] = {
            "backend": self.backend,
            TRIAL: self.memory_test,
            FILE: self.files,
            PROGRAM: self.program,
        }
        part = parts.get(name, self._tavern)
        return part, part

    def _mark(self, row: Row | None) -> None:
        for shown in self._marked:
            shown.mark(False)
        self._marked = () if row is None else (row,)
        for shown in self._marked:
            shown.mark(True)

    def _scroll_to(self, row: QWidget) -> None:
        top = row.mapTo(self._content, row.rect().topLeft()).y()
        self._area.verticalScrollBar().setValue(top - self._area.height() // 3)

    def _on_language(self, code: str) -> None:
        self._session.do(self._put_language(code), name=N_("choosing a language"))

    def _on_window_scale(self, scale: int) -> None:
        put = asyncio.to_thread(self._scale.put, scale)
        self._session.do(put, name=N_("choosing a size"))

    async def _put_language(self, code: str) -> None:
        await asyncio.to_thread(self._language.put, code)
        self._session.told.emit(tr("This language is used from the next start of Tavernkeep on."))

    def _on_filtered(self, text: str) -> None:
        self._mark(None)
        self._filter = text
        self._show_parts()

    def _on_scope(self, is_chat: bool) -> None:
        self._for_chat = is_chat
        self.refresh_values()
        self._show_parts()

    def _on_library_changed(self) -> None:
        self._tavern.refresh()
        self._show_parts()

    def _on_chat_opened(self, _story: object) -> None:
        self.refresh()

    def _show_parts(self) -> None:
        """Hide what the field, or the scope, leaves out."""
        text = self._filter
        for part in self._parts:
            if isinstance(part, Section):
                is_meant = text in part.title.casefold()
                part.show_rows(
                    frozenset(row for row in part.rows if self._is_wanted(row, is_meant, text))
                )
            else:
                part.setVisible(not self.is_for_chat and part.matches(text))
        self._nothing.setVisible(all(part.isHidden() for part in self._parts))
        self.rail.set_sections(
            {
                heading: [part.title for part in parts if not part.isHidden()]
                for heading, parts in self._groups.items()
            }
        )
        self._settle.start()

    def _is_wanted(self, row: QWidget, is_meant: bool, text: str) -> bool:
        if isinstance(row, SettingRow):
            is_here = not self.is_for_chat or row.setting.scope is Scope.CHAT
            return is_here and (is_meant or row.matches(text))
        matches = getattr(row, "matches", None)
        return not self.is_for_chat and (is_meant or (matches is not None and matches(text)))

    def _on_range_changed(self, _minimum: int, _maximum: int) -> None:
        self._settle.start()

    def _on_settled(self) -> None:
        led_to, self._led_to = self._led_to, None
        self._show_place()
        if led_to is not None:
            self._scroll_to(led_to)
            part = next((part for part in self._parts if part.isAncestorOf(led_to)), led_to)
            self.rail.show_place(getattr(part, "title", ""))

    def _show_place(self, _value: int = 0) -> None:
        """Mark the section that is read."""
        bar = self._area.verticalScrollBar()
        shown = [part for part in self._parts if not part.isHidden()]
        place = shown[0].title if shown else ""
        for part in shown:
            if part.mapTo(self._content, part.rect().topLeft()).y() <= bar.value() + 80:
                place = part.title
        if shown and bar.maximum() and bar.value() == bar.maximum():
            place = shown[-1].title
        self.rail.show_place(place)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        is_wide = self.width() >= WIDE
        right, down = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom
        self._box.setDirection(right if is_wide else down)
        self._line.setVisible(is_wide)
        self.rail.set_wide(is_wide)
