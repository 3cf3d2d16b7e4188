"""Says what outside of the program keeps it from its work, with one way on, until it is over."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QObject, Signal

from app.core.translation import N_, tr
from ui.core.session import Session
from ui.shell.notice import NO_CHOICES, Notice

NO_ROOM = "no room"
NO_FOLDER = "no folder"
NO_KEY = "no key"
IN_VAIN = "in vain"
HELD_IN_VAIN = "held in vain"
GO_ON = "go on"


class OutsideTrouble(QObject):
    """A full disk, a folder of SillyTavern's that is gone, a key that is refused, a model whose
    answers are of no use: one line each.

    Signals:
        folder_wanted: the user wants to name SillyTavern's folder.
        key_wanted: the user wants to type the key of the model's server.
        model_wanted: the user wants to test the model, or choose another one.
    """

    folder_wanted = Signal()
    key_wanted = Signal()
    model_wanted = Signal()

    def __init__(self, session: Session, notice: Notice) -> None:
        super().__init__(notice)
        self._session = session
        self._notice = notice
        self._told: dict[str, str] = {}
        session.health_changed.connect(self._look)
        notice.acted.connect(self._on_acted)
        notice.chosen.connect(self._on_chosen)
        self._look()

    def _look(self, _health: object = None) -> None:
        companion = self._session.companion
        self._tell(NO_ROOM, companion.room.sentence, tr("Try now"), tr("Everything is saved now."))
        back = tr("SillyTavern's folder is there again.")
        self._tell(NO_FOLDER, companion.folder_gone, tr("Choose the folder"), back)
        self._tell(NO_KEY, companion.work.missing_key, tr("Enter the key"), "")
        vain = companion.work.in_vain
        said = tr("{why} Work is paused so that you do not pay for nothing.", why=vain)
        ways = {GO_ON: tr("Go on")}
        self._tell(IN_VAIN, said if vain else "", tr("Test or change the model"), "", ways)
        held = "" if vain else companion.work.held_in_vain
        said = tr(
            "{why} This work waits so that you do not pay for nothing; everything else continues.",
            why=held,
        )
        self._tell(HELD_IN_VAIN, said if held else "", tr("Test or change the model"), "", ways)

    # 6 parameters: what a trouble says, and its ways.
    def _tell(
        self,
        key: str,
        sentence: str,
        way_on: str,
        over: str,
        choices: Mapping[str, str] = NO_CHOICES,
    ) -> None:
        """Once for each time: who has closed it knows."""
        before = self._told.get(key, "")
        self._told[key] = sentence
        if before and sentence and key in (NO_ROOM, NO_FOLDER):
            self._notice.amend(key, sentence)  # the same trouble, with other figures
        elif sentence and sentence != before:
            self._notice.forget_failure()  # it came of this, and would cover it
            self._notice.offer(key, sentence, way_on=way_on, is_bad=True, choices=choices)
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
        elif key in (IN_VAIN, HELD_IN_VAIN):
            self.model_wanted.emit()
            return
        elif key == NO_ROOM:
            self._session.do(self._try_room(), name=N_("checking for disk space"))
        if key in self._told:
            self._told[key] = ""
            self._look()

    def _on_chosen(self, key: str, way: str) -> None:
        if (key, way) == (IN_VAIN, GO_ON):
            self._session.companion.work.resume()
        elif (key, way) == (HELD_IN_VAIN, GO_ON):
            self._session.companion.work.go_on_in_vain()

    async def _try_room(self) -> None:
        await self._session.companion.room.look()
