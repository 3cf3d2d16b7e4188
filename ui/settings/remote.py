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
    from app.sillytavern.remote.remote_taverns import RemoteTavern

TITLE = N_("A SillyTavern on another machine")
HOW = N_(
    "In Docker, WSL, Termux or on a server: its page, open in a browser here, brings its chats. "
    "Help says how to get the extension there."
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
                "Type it into SillyTavern's page within five minutes: among its extensions under "
                "Tavernkeep, or as /tk-pair {code}.",
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
    """One that is paired; forgetting it keeps what was copied."""

    def __init__(self, session: Session, tavern: RemoteTavern) -> None:
        button = Button(tr("Forget"), role=ButtonRole.QUIET)
        button.setAccessibleName(tr("Forget the pairing with {host}", host=tavern.host))
        state = (
            tr("Its page is connected.")
            if session.companion.remote.is_connected(tavern)
            else tr("Its page is not open now.")
        )
        lacks = tr(
            "Only chats that its page has shown are here. They are written when the page shows "
            "them; lorebooks and the bridge's updates need its files."
        )
        title = tr("From SillyTavern's page at {host}", host=tavern.host)
        super().__init__(title, f"{state} {lacks}", button)
        self._session = session
        self._tavern = tavern
        button.clicked.connect(self._on_forget)

    def _on_forget(self) -> None:
        session, tavern = self._session, self._tavern

        async def forget() -> None:
            await session.companion.remote.forget(tavern)
            session.told.emit(
                tr("{host} is no longer paired. What was copied stays.", host=tavern.host)
            )

        session.do(forget(), name=N_("forgetting a pairing"))
