"""What a newcomer is offered, one thing at a time: the demo, SillyTavern's folder, the bridge."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.core.part_health import Health, Light
from app.core.translation import N_, tr
from app.story.story import Story
from ui.core.session import Session
from ui.shell.notice import Notice

DEMO, BRIDGE = "demo", "bridge"
DEMO_ALONE = N_(
    "This is the demo story. You can try everything here; your own chats appear once Tavernkeep "
    "knows where SillyTavern is."
)
DEMO_TOO = N_("This is the demo story. You can try everything here.")
NO_BRIDGE = N_(
    "Your chats are being read already. To get recaps into its prompt, SillyTavern needs a small "
    "extension, the bridge."
)
INSTALLING = N_("Installing the bridge")
RELOAD = N_("The bridge is installed. Reload SillyTavern's page in your browser to connect it.")


class FirstSteps(QObject):
    """Says them in the notice, and never again what was closed.

    declines_bridge: the user closed that offer, in this run or an earlier one.

    Signals:
        folder_wanted: the user wants to name SillyTavern's folder.
        list_wanted: the user wants to choose a chat.
    """

    folder_wanted = Signal()
    list_wanted = Signal()

    def __init__(self, session: Session, notice: Notice) -> None:
        super().__init__(notice)
        self._session = session
        self._notice = notice
        self._has_begun = False
        self._awaits_page = False
        self.declines_bridge = False
        notice.acted.connect(self._on_acted)
        notice.closed.connect(self._on_closed)
        session.chat_opened.connect(self._on_chat_opened)
        session.library_changed.connect(self._on_library_changed)
        session.health_changed.connect(self._on_health_changed)

    def begin(self, *, opens_demo: bool) -> None:
        """The window is up. opens_demo: nothing was opened before, so show what this is about."""
        self._has_begun = True
        companion = self._session.companion
        if opens_demo and not companion.taverns:
            self._session.open_chat(companion.demo, by_itself=True)
        self._look_for_bridge()

    def _on_chat_opened(self, story: Story) -> None:
        companion = self._session.companion
        if story.chat.path != companion.demo.path:
            self._notice.withdraw(DEMO)
        elif companion.taverns:
            self._notice.offer(DEMO, tr(DEMO_TOO), way_on=tr("Choose a chat"))
        else:
            self._notice.offer(DEMO, tr(DEMO_ALONE), way_on=tr("Find SillyTavern"))

    def _on_library_changed(self) -> None:
        if self._session.story is not None:
            self._on_chat_opened(self._session.story)
        self._look_for_bridge()

    def _look_for_bridge(self) -> None:
        folder = self._first_tavern()
        if self._has_begun and folder is not None and not self.declines_bridge:
            self._session.do(self._offer_bridge(folder), name=N_("looking for the bridge"))

    async def _offer_bridge(self, folder: Path) -> None:
        status = await self._session.companion.bridge.status(folder)
        if status.newer_available:
            self._notice.offer(BRIDGE, status.sentence, way_on=tr("Update the bridge"))
        elif status.installed and not self._awaits_page:
            self._notice.withdraw(BRIDGE)
        elif status.installed:
            self._notice.offer(BRIDGE, tr(RELOAD))
        else:
            self._notice.offer(BRIDGE, tr(NO_BRIDGE), way_on=tr("Install the bridge"))

    async def _install(self, folder: Path) -> None:
        try:
            await self._session.companion.bridge.install(folder)
            self._awaits_page = True
            self._notice.offer(BRIDGE, tr(RELOAD))
        finally:
            if not self._awaits_page:
                self._notice.withdraw(BRIDGE)

    def _on_health_changed(self, health: Health) -> None:
        """A page of SillyTavern has loaded the bridge: nothing is to be done any more."""
        if self._awaits_page and health.bridge.light is Light.GOOD:
            self._awaits_page = False
            self._notice.withdraw(BRIDGE)

    def _on_acted(self, key: str) -> None:
        folder = self._first_tavern()
        if key == BRIDGE and folder is not None:
            self._notice.offer(BRIDGE, tr(INSTALLING))
            self._session.do(self._install(folder), name=N_("installing the bridge"))
        elif key == DEMO and folder is None:
            self.folder_wanted.emit()
        elif key == DEMO:
            self.list_wanted.emit()

    def _on_closed(self, key: str) -> None:
        if key == BRIDGE:
            self.declines_bridge = True

    def _first_tavern(self) -> Path | None:
        taverns = [tavern for tavern in self._session.companion.taverns if not tavern.host]
        return taverns[0].user_folder if taverns else None
