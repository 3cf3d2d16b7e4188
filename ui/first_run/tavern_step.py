"""Step one: where SillyTavern keeps its chats."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.sillytavern.data_folders import Tavern
from app.translation import N_, tr, trn
from ui.controls.buttons import Button
from ui.controls.labels import Label, body
from ui.controls.surfaces import Surface
from ui.first_run.checks import CheckLine
from ui.first_run.step import Step
from ui.session import Session
from ui.settings.tavern import folder_words
from ui.theme.fonts import SEMIBOLD, ui_font

NONE = N_(
    "It is looked for in your home folder and where installers put it. A portable copy, a folder "
    "on another drive or one of Docker has to be named: choose the folder that holds SillyTavern, "
    "or the folder data in it."
)


class TavernStep(Step):
    """Says which folders were found, and lets another be named.

    Signals:
        folder_wanted: the user wants to name SillyTavern's folder.
    """

    folder_wanted = Signal()
    name = "SillyTavern"
    hint = N_("Where your chats are")
    title = N_("Find SillyTavern")
    sentence = N_(
        "Chats are read where SillyTavern keeps them. Looking at them never changes them."
    )

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._list = QVBoxLayout()
        self._list.setSpacing(8)
        self._none = Surface("raised", edge="line")
        column = QVBoxLayout(self._none)
        column.setContentsMargins(16, 14, 16, 14)
        column.setSpacing(6)
        column.addWidget(Label(tr("No SillyTavern was found yet"), font=ui_font(13, SEMIBOLD)))
        column.addWidget(body(tr(NONE)))
        self._choose = Button(tr("Choose another folder"), icon="folder")
        self._choose.clicked.connect(self.folder_wanted)
        self._again = Button(tr("Look again"), icon="sync")
        self._again.clicked.connect(self._on_again)
        deeds = QHBoxLayout()
        deeds.setSpacing(8)
        deeds.addWidget(self._choose)
        deeds.addWidget(self._again)
        deeds.addStretch(1)
        self.column.addWidget(self._none)
        self.column.addLayout(self._list)
        self.column.addSpacing(8)
        self.column.addLayout(deeds)
        self.column.addStretch(1)
        session.library_changed.connect(self.enter)
        self.enter()

    @property
    def taverns(self) -> tuple[Tavern, ...]:
        """What was found."""
        return self.session.companion.taverns

    @property
    def found(self) -> str:
        if not self.taverns:
            return ""
        return trn("Found, {n} chat", "Found, {n} chats", sum(map(chat_count, self.taverns)))

    @property
    def deed(self) -> str:
        return tr("Use this folder") if self.taverns else tr("Choose SillyTavern's folder")

    def enter(self) -> None:
        while (item := self._list.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        for tavern in self.taverns:
            self._list.addWidget(_card_of(tavern))
        self._none.setVisible(not self.taverns)
        self._choose.setVisible(bool(self.taverns))
        self.changed.emit()

    def do(self) -> None:
        if self.taverns:
            self.over.emit()
        else:
            self.folder_wanted.emit()

    def _on_again(self) -> None:
        self.session.do(self.session.companion.sync(), name=N_("looking for SillyTavern"))


def chat_count(tavern: Tavern) -> int:
    """Chats of all characters and groups."""
    solo = sum(len(character.chats) for character in tavern.characters)
    return solo + sum(len(group.chats) for group in tavern.groups)


def _card_of(tavern: Tavern) -> QWidget:
    card = Surface("raised", edge="line")
    column = QVBoxLayout(card)
    column.setContentsMargins(16, 12, 16, 12)
    words = [trn("{n} character", "{n} characters", len(tavern.characters))]
    if tavern.groups:
        words.append(trn("{n} group", "{n} groups", len(tavern.groups)))
    words.append(trn("{n} chat", "{n} chats", chat_count(tavern)))
    line = CheckLine(folder_words(tavern.user_folder), ", ".join(words))
    line.set_state("check")
    column.addWidget(line)
    return card
