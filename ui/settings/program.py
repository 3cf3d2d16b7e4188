"""Which version this is, and a button that asks whether there is a newer one."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, QUrl
from PySide6.QtGui import QDesktopServices

from app.core.errors import ReleasesUnknown, StoreError
from app.core.login_start import LoginStart, own_words
from app.core.paths import data_folder
from app.core.translation import N_, tr
from ui.controls.buttons import Button, ButtonRole, Switch
from ui.controls.setting_sections import Section
from ui.core.session import Session
from ui.settings.fact_row import FactRow

TITLE = N_("About this program")
HOW = N_("The button asks {host} once for the newest version. Tavernkeep never checks by itself.")
LOGIN = N_("Start with the system")
OPENS = N_("Opens Tavernkeep when you log in, so that it never misses a message.")


class ProgramSection(Section):
    """Without a place to ask there is no button. login: how this system is told what to start."""

    def __init__(self, session: Session, login: LoginStart) -> None:
        super().__init__(tr(TITLE))
        self._session = session
        self._look = look = session.companion.releases
        self._login = login
        self._page = ""
        self.get = Button(tr("Open its page"), role=ButtonRole.QUIET)
        self.get.clicked.connect(self._on_get)
        self.get.hide()
        self.ask = Button(tr("Look for a newer version"))
        self.ask.clicked.connect(self._on_ask)
        self.ask.setVisible(bool(look.host))
        how = look.why_not or tr(HOW, host=look.host)
        self.row = FactRow(f"Tavernkeep {look.own.version}".rstrip(), how)
        self.row.row.addWidget(self.get)
        self.row.row.addWidget(self.ask)
        self.login = Switch(tr(LOGIN))
        self.login.setChecked(login.is_on)
        self.login.toggled.connect(self._on_login)
        self.starting = FactRow(tr(LOGIN), tr(OPENS))
        self.starting.row.addWidget(self.login)
        self.add_row(self.row)
        self.add_row(self.starting)

    def _on_login(self, is_wanted: bool) -> None:
        own = self._session.companion.folders.data
        where = [] if own == data_folder() else ["--data-dir", str(own)]
        try:
            if is_wanted:
                self._login.turn_on([*own_words(), *where])
            else:
                self._login.turn_off()
        except StoreError as error:
            self._session.failed.emit(str(error))
        with QSignalBlocker(self.login):
            self.login.setChecked(self._login.is_on)

    def _on_ask(self) -> None:
        self.ask.setEnabled(False)
        self.get.hide()
        self.row.fact.setText(tr("Asking {host} …", host=self._look.host))
        self._session.do(self._ask(), name=N_("looking for a newer version"))

    async def _ask(self) -> None:
        try:
            newest = await self._look.look()
        except ReleasesUnknown as error:
            self.row.fact.setText(str(error))
        else:
            self.row.fact.setText(newest.sentence)
            self._page = newest.page
            self.get.setVisible(newest.is_newer)
        finally:
            self.ask.setEnabled(True)

    def _on_get(self) -> None:
        QDesktopServices.openUrl(QUrl(self._page))
