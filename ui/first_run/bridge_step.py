"""Step two: the bridge into SillyTavern, and its handshake as it comes."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QVBoxLayout

from app.core.errors import TavernkeepError
from app.core.part_health import Health, Light
from app.core.translation import N_, tr
from ui.controls.dates import time_words
from ui.controls.labels import body
from ui.controls.surfaces import Surface
from ui.core.session import Session, sentence_of
from ui.first_run.checks import CheckLine
from ui.first_run.step import Step
from ui.settings.tavern import folder_words

if TYPE_CHECKING:
    from app.views.bridge import BridgeStatus

NO_TAVERN = N_("SillyTavern has to be found first. Go back one step, or skip this one.")
WHAT = N_(
    "The bridge is a small SillyTavern extension. It puts recaps and memories into the prompt, "
    "tells Tavernkeep which chat is open and shows a badge on the page. It talks only to this "
    "computer, and you can remove it in the settings at any time."
)
SWITCHED_OFF = N_(
    "The bridge is switched off in SillyTavern. Open Extensions there (the blocks at the top), "
    "then Manage extensions, and switch Tavernkeep on."
)
RELOAD = N_("Now reload SillyTavern's page in your browser (F5), or open it.")


class BridgeStep(Step):
    """Installs it for each user folder, then waits for a page to say hello."""

    name = N_("Bridge")
    hint = N_("Puts memory into the prompt")
    title = N_("Install the bridge")
    sentence = N_(
        "Chats can be read without it. But SillyTavern needs it to put recaps into the prompt."
    )

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._statuses: dict[Path, BridgeStatus] = {}
        self._greeted = ""
        self._problem = ""
        self._is_busy = False
        self._files = CheckLine(tr("The extension is in SillyTavern's folder"))
        self._listens = CheckLine(tr("Tavernkeep is waiting for it on this computer"))
        self._hello = CheckLine(tr("SillyTavern's page is connected"))
        card = Surface("raised", edge="line")
        column = QVBoxLayout(card)
        column.setContentsMargins(16, 14, 16, 14)
        column.setSpacing(10)
        for line in (self._files, self._listens, self._hello):
            column.addWidget(line)
        self.column.addWidget(card)
        self.column.addSpacing(8)
        self.column.addWidget(body(tr(WHAT)))
        self.column.addStretch(1)
        session.health_changed.connect(self._on_health_changed)
        session.library_changed.connect(self.enter)
        self._show()

    @property
    def found(self) -> str:
        if self._greeted:
            return self._greeted
        return tr("Installed, waiting for SillyTavern's page") if self._is_installed else ""

    @property
    def command(self) -> str:
        if self._greeted:
            return tr("Go on")
        if self._is_installed:
            return tr("Continue without waiting")
        return tr("Update the bridge") if self._is_old else tr("Install the bridge")

    @property
    def is_ready(self) -> bool:
        return bool(self._statuses) and not self._is_busy

    @property
    def _is_old(self) -> bool:
        return any(status.newer_available for status in self._statuses.values())

    @property
    def _is_installed(self) -> bool:
        statuses = self._statuses.values()
        return bool(statuses) and all(s.installed and not s.newer_available for s in statuses)

    def enter(self) -> None:
        self.session.do(self._look(), name=N_("looking for the bridge"))

    async def _look(self) -> None:
        companion = self.session.companion
        folders = [tavern.user_folder for tavern in companion.taverns if not tavern.host]
        self._statuses = {folder: await companion.bridge.status(folder) for folder in folders}
        self._on_health_changed(companion.health)

    def do(self) -> None:
        if self._is_installed or self._greeted:
            self.over.emit()
            return
        self._is_busy, self._problem = True, ""
        self.changed.emit()
        self.session.do(self._install(), name=N_("installing the bridge"))

    async def _install(self) -> None:
        companion = self.session.companion
        try:
            for folder in self._statuses:
                self._statuses[folder] = await companion.bridge.install(folder)
        except TavernkeepError as error:
            self._problem = str(error)
            raise
        except Exception:  # whose own words say nothing to the user; the log has them
            self._problem = tr(
                "{command} did not work. Nothing was lost; the log has details.",
                command=sentence_of(N_("installing the bridge")),
            )
            raise
        finally:
            self._is_busy = False
            self._on_health_changed(companion.health)

    def _on_health_changed(self, health: Health) -> None:
        is_good = health.bridge.light is Light.GOOD
        if is_good and not self._greeted:
            now = time.time()
            self._greeted = tr(
                "{sentence}, connected at {time}",
                sentence=health.bridge.sentence,
                time=time_words(now, now=now),
            )
        elif not is_good:
            self._greeted = ""
        self._show()
        self.changed.emit()

    def _show(self) -> None:
        bridge = self.session.companion.health.bridge
        places = ", ".join(folder_words(status.path) for status in self._statuses.values())
        if self._problem:
            self._files.set_state("triangle", self._problem)
        elif not self._statuses:  # which is looked for in a moment where there is a folder
            self._files.set_state("", "" if self.session.companion.taverns else tr(NO_TAVERN))
        else:
            self._files.set_state("check" if self._is_installed else "", places)
        is_listening = bridge.light in (Light.GOOD, Light.IDLE)
        loopback = tr(
            "Only this computer can reach it, with a password that changes at each start."
        )
        self._listens.set_state("check" if is_listening else "", loopback)
        if self._greeted:
            self._hello.set_state("check", self._greeted)
        elif self._is_installed and any(s.is_switched_off for s in self._statuses.values()):
            self._hello.set_state("triangle", tr(SWITCHED_OFF))
        elif self._is_installed:
            self._hello.set_state("pulse", tr(RELOAD))
        else:
            self._hello.set_state("", "")
