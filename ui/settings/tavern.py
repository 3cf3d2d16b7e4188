"""Where SillyTavern is, and the bridge in each of its user folders."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal

from app.core.paths import places_of, text_of_places
from app.core.translation import N_, tr, trn
from app.settings.program import ProgramSettings
from app.views.bridge import REMOVED, BridgeState
from ui.controls.buttons import Button, ButtonRole
from ui.controls.setting_sections import Section
from ui.core.dialogs import choose_folder
from ui.core.session import Session
from ui.settings.fact_row import FactRow
from ui.settings.remote import PairingRow, RemoteRow

if TYPE_CHECKING:
    from app.views.bridge import BridgeStatus
    from app.views.taverns import Tavern

UNPAIRED = N_("SillyTavern's page has a different password than Tavernkeep. Rewrite it")


class BridgeRow(FactRow):
    """One user folder with the state of its bridge.

    Signals:
        install_wanted, remove_wanted: Path of the user folder.
        pairing_wanted: its pages are to find our password again.
    """

    install_wanted = Signal(object)
    pairing_wanted = Signal()
    remove_wanted = Signal(object)

    def __init__(self, user_folder: Path, fact: str) -> None:
        super().__init__(folder_words(user_folder), fact)
        self.user_folder = user_folder
        self._install = Button(tr("Install the bridge"), icon="plug")
        self._install.clicked.connect(self._on_install)
        self._remove = Button(tr("Remove"), role=ButtonRole.QUIET, flush=Qt.Edge.RightEdge)
        self._remove.setAccessibleName(tr("Remove the bridge"))
        self._remove.clicked.connect(self._on_remove)
        self._pair = Button(tr("Rewrite it"))
        self._pair.clicked.connect(self.pairing_wanted)
        self._install.hide()
        self._remove.hide()
        self._pair.hide()
        self.row.addWidget(self._pair)
        self.row.addWidget(self._remove)
        self.row.addWidget(self._install)

    def show_status(self, status: BridgeStatus, state: BridgeState | None) -> None:
        """Say whether it stands, and offer what can be done."""
        is_unpaired = status.installed and state is BridgeState.UNPAIRED
        self.fact.setText(tr(UNPAIRED) if is_unpaired else status.sentence)
        self._pair.setVisible(is_unpaired)
        self._remove.setVisible(status.installed)
        self._install.setVisible(not status.installed or status.newer_available)
        self._install.set_text(
            tr("Update the bridge") if status.installed else tr("Install the bridge")
        )

    def _on_install(self) -> None:
        self.install_wanted.emit(self.user_folder)

    def _on_remove(self) -> None:
        self.remove_wanted.emit(self.user_folder)


class TavernSection(Section):
    """SillyTavern's folder, and each user folder in it.

    Signals:
        folder_wanted: the user wants to name SillyTavern's folder.
    """

    folder_wanted = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__("SillyTavern", tr("Chats are read where SillyTavern keeps them."))
        self._session = session
        self._bridges: dict[Path, BridgeRow] = {}
        self._gone = ""
        session.health_changed.connect(self._on_health)

    def _on_health(self, _health: object) -> None:
        """A folder that goes, or comes back, is said here, too."""
        if self._session.companion.folder_gone != self._gone:
            self.refresh()

    def refresh(self) -> None:
        """Show the taverns that were found, and look for the bridge in each."""
        companion = self._session.companion
        self._gone = companion.folder_gone
        taverns = [tavern for tavern in companion.taverns if not tavern.host]
        self.clear()
        self._bridges.clear()
        self._show_places(taverns)
        for tavern in taverns:
            row = BridgeRow(tavern.user_folder, tr("Looking for the bridge"))
            row.install_wanted.connect(self._on_install)
            row.remove_wanted.connect(self._on_remove)
            row.pairing_wanted.connect(self._on_pairing)
            self._bridges[tavern.user_folder] = row
            self.add_row(row)
            looked = partial(companion.bridge.status, tavern.user_folder)
            self._show_status_of(tavern.user_folder, looked, N_("looking for the bridge"))
        for remote in companion.remote.taverns:
            self.add_row(RemoteRow(self._session, remote))
        self.add_row(PairingRow(self._session))

    def _show_places(self, taverns: Sequence[Tavern]) -> None:
        """Where was looked, what was found there, and what can be done about it."""
        folder = Button(tr("Choose a folder"), icon="folder")
        folder.clicked.connect(self.folder_wanted)
        given = self._given
        found = trn("{n} user folder", "{n} user folders", len(taverns))
        fact = ", ".join(map(folder_words, given)) or (
            tr("Found automatically.") if taverns else tr("None was found in the usual places.")
        )
        fact = self._gone or fact
        is_there = bool(taverns) and not self._gone
        first = FactRow(found if is_there else tr("No SillyTavern folder"), fact, folder)
        self.add_row(first)
        if taverns:
            more = Button(tr("Add a folder"), icon="plus")
            more.setToolTip(tr("Belongs to another SillyTavern on this computer"))
            more.clicked.connect(lambda: self._session.do(self._add(), name=N_("adding a folder")))
            first.row.addWidget(more)
        if len(given) > 1:
            for place in given:
                here = [t for t in taverns if t.user_folder.is_relative_to(place.expanduser())]
                self.add_row(self._place_row(place, len(here)))

    @property
    def _given(self) -> tuple[Path, ...]:
        return places_of(ProgramSettings(self._session.companion.settings).tavern)

    def _place_row(self, place: Path, number: int) -> FactRow:
        leave = Button(tr("Leave it out"), role=ButtonRole.QUIET, flush=Qt.Edge.RightEdge)
        others = [other for other in self._given if other != place]
        leave.clicked.connect(
            lambda: self._session.do(self._put(others), name=N_("leaving a folder out"))
        )
        found = trn("{n} user folder", "{n} user folders", number)
        words = (
            found if number else tr("SillyTavern is not there right now; Tavernkeep keeps looking.")
        )
        return FactRow(folder_words(place), words, leave)

    async def _add(self) -> None:
        folder = await choose_folder(self.window(), tr("SillyTavern's folder"), Path.home())
        if folder is not None:
            local = [t.user_folder for t in self._session.companion.taverns if not t.host]
            await self._put([*(self._given or local), folder])

    async def _put(self, places: Sequence[Path]) -> None:
        put = self._session.companion.put_setting
        await put("tavern", text_of_places(places), noted_in=self._session.path)
        self._session.refresh()
        self.refresh()

    def _show_status_of(
        self, user_folder: Path, ask: Callable[[], Coroutine[Any, Any, BridgeStatus]], name: str
    ) -> None:
        # Called inside: at the very end a task may be over before its first step.
        async def show() -> None:
            status = await ask()
            row = self._bridges.get(user_folder)
            if row is not None:
                row.show_status(status, self._session.companion.bridge.state(user_folder))

        self._session.do(show(), name=name)

    def _on_install(self, user_folder: Path) -> None:
        ask = partial(self._session.companion.bridge.install, user_folder)
        self._show_status_of(user_folder, ask, N_("installing the bridge"))

    def _on_remove(self, user_folder: Path) -> None:
        ask = partial(self._removed, user_folder)
        self._show_status_of(user_folder, ask, N_("removing the bridge"))

    def _on_pairing(self) -> None:
        async def pair() -> None:
            await self._session.companion.bridge.pair_again()
            self.refresh()

        self._session.do(pair(), name=N_("writing the bridge's password"))

    async def _removed(self, user_folder: Path) -> BridgeStatus:
        status = await self._session.companion.bridge.remove(user_folder)
        self._session.told.emit(tr(REMOVED))
        return status


def folder_words(folder: Path) -> str:
    """A folder as people write it: ~/SillyTavern/data/default-user."""
    home = Path.home()
    if folder.is_relative_to(home):
        return str(Path("~") / folder.relative_to(home))
    return str(folder)
