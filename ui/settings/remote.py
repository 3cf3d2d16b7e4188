"""SillyTaverns on other machines: which are paired, and the code for one more."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
    "In Docker, WSL, Termux or on a server: its page, open in a browser here, brings its chats. "
    "Help says how to get the extension there."
)
LACKS = N_(
    "Only chats that its page has shown are here. They are written while the page shows them; "
    "lorebooks and updates of the extension need its files."
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
        self._button.set_text(tr("Withdraw the code") if shown else tr("Show a code"))
        if shown is None:
            self.title.setText(tr(TITLE))
            self.fact.setText(tr(HOW))
            return
        self.title.setText(tr("Code: {code}", code=text))
        tries = trn("{n} try is left.", "{n} tries are left.", shown.tries)
        self.fact.setText(
            tr(
                "Within five minutes, type /tk-pair {code} in SillyTavern's page, or the code "
                "among its extensions under Tavernkeep.",
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
        word = tr("Forget") if tavern.is_paired else tr("Erase the copy")
        button = Button(word, role=ButtonRole.QUIET)
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
            return tr("Not paired any more: its chats are as they were.")
        remote = self._session.companion.remote
        if remote.is_connected(self._tavern):
            return tr("Its page is connected.")
        return remote.problem(self._tavern.folder) or tr("Its page is not open now.")

    def _on_clicked(self) -> None:
        session, tavern = self._session, self._tavern
        remote = session.companion.remote
        if not tavern.is_paired:
            session.do(remote.erase(tavern), name=N_("erasing a copy"))
            return

        async def forget() -> None:
            await remote.forget(tavern)
            session.told.emit(
                tr("{host} is no longer paired. What was copied stays.", host=tavern.host)
            )

        session.do(forget(), name=N_("forgetting a pairing"))
