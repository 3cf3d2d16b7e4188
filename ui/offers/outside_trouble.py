"""Says what outside of the program keeps it from its work, with one way on, until it is over."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from app.core.translation import N_, tr
from ui.core.session import Session
from ui.shell.notice import Notice

NO_ROOM = "no room"
NO_FOLDER = "no folder"
NO_KEY = "no key"


class OutsideTrouble(QObject):
    """A full disk, a folder of SillyTavern's that is gone, a key that is refused: one line each.

    Signals:
        folder_wanted: the user wants to name SillyTavern's folder.
        key_wanted: the user wants to type the key of the model's server.
    """

    folder_wanted = Signal()
    key_wanted = Signal()

    def __init__(self, session: Session, notice: Notice) -> None:
        super().__init__(notice)
        self._session = session
        self._notice = notice
        self._told: dict[str, str] = {}
        session.health_changed.connect(self._look)
        notice.acted.connect(self._on_acted)
        self._look()

    def _look(self, _health: object = None) -> None:
        companion = self._session.companion
        self._tell(NO_ROOM, companion.room.sentence, tr("Try now"), tr("All of it is kept now."))
        back = tr("SillyTavern's folder is there again.")
        self._tell(NO_FOLDER, companion.folder_gone, tr("Choose the folder"), back)
        self._tell(NO_KEY, companion.work.missing_key, tr("Enter the key"), "")

    def _tell(self, key: str, sentence: str, way_on: str, over: str) -> None:
        """Once for each time: who has closed it knows."""
        before = self._told.get(key, "")
        self._told[key] = sentence
        if sentence and sentence != before:
            self._notice.forget_failure()  # it came of this, and would cover it
            self._notice.offer(key, sentence, way_on=way_on, is_bad=True)
        elif before and not sentence:
            self._notice.withdraw(key)
            if over:
                self._session.told.emit(over)

    def _on_acted(self, key: str) -> None:
        if key == NO_FOLDER:
            self.folder_wanted.emit()
        elif key == NO_KEY:
            self.key_wanted.emit()
            return  # the field says the rest
        elif key == NO_ROOM:
            self._session.do(self._try_room(), name=N_("looking for room"))
        if key in self._told:
            self._told[key] = ""
            self._look()

    async def _try_room(self) -> None:
        await self._session.companion.room.look()
