"""SillyTaverns on other machines: which are paired, and the code for one more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt

from app.core.errors import UsageError
from app.core.translation import N_, tr, trn
from ui.controls.buttons import Button, ButtonRole
from ui.controls.timers import once
from ui.core.session import Session
from ui.settings.fact_row import FactRow

if TYPE_CHECKING:
    from app.views.taverns import RemoteTavern

TITLE = N_("A SillyTavern on another machine")
HOW = N_(
    "For Docker, WSL, Termux or a server: open its page in a browser on this computer, and it "
    "brings its chats. The help explains how to install the extension there."
)
LACKS = N_(
    "Only chats its page has shown are listed here. They can be changed only while the page "
    "shows them; lorebooks and extension updates need direct access to its files."
)
LOOK_MS = 1_000


class PairingRow(FactRow):
    """Shows a code, and says how long it holds."""

    def __init__(self, session: Session) -> None:
        self._button = Button(tr("Show a code"), icon="plug")
        super().__init__(tr(TITLE), tr(HOW), self._button)
        self._session = session
        self._timer = once(self, LOOK_MS, self.refresh)
        self._button.clicked.connect(self._on_clicked)
        self.refresh()

    def refresh(self) -> None:
        """Say what holds now."""
        remote = self._session.companion.remote
        shown, text = remote.code, remote.code_text
        self._button.set_text(tr("Cancel the code") if shown else tr("Show a code"))
        if shown is None:
            self.title.setText(tr(TITLE))
            self.fact.setText(tr(HOW))
            return
        self.title.setText(tr("Code: {code}", code=text))
        tries = trn("{n} attempt left.", "{n} attempts left.", shown.tries)
        self.fact.setText(
            tr(
                "Within five minutes, type /tk-pair {code} on SillyTavern's page, or enter the "
                "code there under Extensions, Tavernkeep.",
                code=text,
            )
            + f" {tries}"
        )
        self._timer.start()

    def _on_clicked(self) -> None:
        remote = self._session.companion.remote
        if remote.code is not None:
            remote.withdraw_code()
        else:
            try:
                remote.show_code()
            except UsageError as error:
                self._session.failed.emit(str(error))
        self.refresh()


class RemoteRow(FactRow):
    """One whose chats were copied; forgetting it keeps them, and then they may be erased."""

    def __init__(self, session: Session, tavern: RemoteTavern) -> None:
        word = tr("Unpair") if tavern.is_paired else tr("Erase the copy")
        button = Button(word, role=ButtonRole.QUIET, flush=Qt.Edge.RightEdge)
        button.setAccessibleName(f"{word}: {tavern.host}")
        super().__init__(tr("From SillyTavern's page at {host}", host=tavern.host), "", button)
        self._session = session
        self._tavern = tavern
        button.clicked.connect(self._on_clicked)
        session.health_changed.connect(self._say)
        self._say()

    def _say(self) -> None:
        self.fact.setText(f"{self._state()} {tr(LACKS)}")

    def _state(self) -> str:
        if not self._tavern.is_paired:
            return tr("No longer paired. Its chats stay as they were.")
        remote = self._session.companion.remote
        if remote.is_connected(self._tavern):
            return tr("Its page is connected.")
        return remote.problem(self._tavern.folder) or tr("Its page is not open right now.")

    def _on_clicked(self) -> None:
        session, tavern = self._session, self._tavern
        remote = session.companion.remote
        if not tavern.is_paired:
            session.do(remote.erase(tavern), name=N_("deleting a copy"))
            return

        async def forget() -> None:
            await remote.forget(tavern)
            session.told.emit(
                tr("{host} is no longer paired. Copied chats stay.", host=tavern.host)
            )

        session.do(forget(), name=N_("removing a pairing"))
