"""Step one: where SillyTavern keeps its chats."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout

from app.core.translation import N_, tr, trn
from app.views.taverns import Tavern
from ui.controls.buttons import Button
from ui.controls.labels import Label, body
from ui.controls.surfaces import Surface
from ui.core.session import Session
from ui.first_run.checks import CheckLine
from ui.first_run.step import Step
from ui.settings.tavern import folder_words
from ui.theme.fonts import SEMIBOLD, ui_font

NONE = N_(
    "Tavernkeep looks in your home folder and where installers put it. For a portable copy, "
    "another drive or Docker, choose the folder that contains SillyTavern, or its folder “data”."
)
SEVERAL = N_("All of them are read. Choose one to read only that one.")
ELSEWHERE = N_(
    "If it runs in Docker, in WSL or on another computer, its page can bring the chats. Set that "
    "up later in the settings under SillyTavern."
)
NONE_YET = N_("Still nothing in the usual places.")


class TavernStep(Step):
    """Says which folders were found, and lets another be named.

    Signals:
        folder_wanted: the user wants to name SillyTavern's folder.
        told: a sentence about what was looked for.
    """

    folder_wanted = Signal()
    told = Signal(str)
    name = "SillyTavern"
    hint = N_("Where your chats are")
    title = N_("Find SillyTavern")
    sentence = N_("Chats are read where SillyTavern keeps them. Reading never changes them.")

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._list = QVBoxLayout()
        self._list.setSpacing(8)
        self._none = Surface("raised", edge="line")
        column = QVBoxLayout(self._none)
        column.setContentsMargins(16, 14, 16, 14)
        column.setSpacing(6)
        column.addWidget(Label(tr("SillyTavern was not found yet"), font=ui_font(13, SEMIBOLD)))
        column.addWidget(body(tr(NONE)))
        column.addWidget(body(tr(ELSEWHERE)))
        self._several = body(tr(SEVERAL))
        self._choose = Button(tr("Choose another folder"), icon="folder")
        self._choose.clicked.connect(self.folder_wanted)
        self._again = Button(tr("Look again"), icon="sync")
        self._again.clicked.connect(self._on_again)
        commands = QHBoxLayout()
        commands.setSpacing(8)
        commands.addWidget(self._choose)
        commands.addWidget(self._again)
        commands.addStretch(1)
        self.column.addWidget(self._none)
        self.column.addLayout(self._list)
        self.column.addWidget(self._several)
        self.column.addSpacing(8)
        self.column.addLayout(commands)
        self.column.addStretch(1)
        session.library_changed.connect(self.enter)
        self.enter()

    @property
    def taverns(self) -> tuple[Tavern, ...]:
        """What was found."""
        return tuple(tavern for tavern in self.session.companion.taverns if not tavern.host)

    @property
    def found(self) -> str:
        if not self.taverns:
            return ""
        chats = sum(len(tavern.chats) for tavern in self.taverns)
        return trn("Found, {n} chat", "Found, {n} chats", chats)

    @property
    def command(self) -> str:
        if len(self.taverns) > 1:
            return tr("Use all of them")
        return tr("Use this folder") if self.taverns else tr("Choose SillyTavern's folder")

    def enter(self) -> None:
        while (item := self._list.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        for tavern in self.taverns:
            card = TavernCard(tavern, is_alone=len(self.taverns) == 1)
            card.chosen.connect(self._on_chosen)
            self._list.addWidget(card)
        self._several.setVisible(len(self.taverns) > 1)
        self._none.setVisible(not self.taverns)
        self._choose.setVisible(bool(self.taverns))
        self.changed.emit()

    def do(self) -> None:
        if self.taverns:
            self.over.emit()
        else:
            self.folder_wanted.emit()

    def _on_again(self) -> None:
        self.session.do(self._look(), name=N_("looking for SillyTavern"))

    async def _look(self) -> None:
        await self.session.companion.sync()
        self.told.emit("" if self.taverns else tr(NONE_YET))

    def _on_chosen(self, folder: Path) -> None:
        chosen = self.session.companion.put_setting("tavern", str(folder))
        self.session.do(chosen, name=N_("choosing a folder"))


class TavernCard(Surface):
    """A user folder that was found, and a way to have it alone where there are several.

    Signals:
        chosen: Path of the user folder that is to be the only one.
    """

    chosen = Signal(object)

    def __init__(self, tavern: Tavern, *, is_alone: bool) -> None:
        super().__init__("raised", edge="line")
        self._folder = tavern.user_folder
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 12, 16, 12)
        row.setSpacing(12)
        words = [trn("{n} character", "{n} characters", len(tavern.characters))]
        if tavern.groups:
            words.append(trn("{n} group", "{n} groups", len(tavern.groups)))
        words.append(trn("{n} chat", "{n} chats", len(tavern.chats)))
        line = CheckLine(folder_words(self._folder), ", ".join(words))
        line.set_state("check")
        row.addWidget(line, 1)
        if not is_alone:
            only = Button(tr("Use only this one"))
            only.setAccessibleDescription(folder_words(self._folder))
            only.clicked.connect(self._on_only)
            row.addWidget(only)

    def _on_only(self) -> None:
        self.chosen.emit(self._folder)
