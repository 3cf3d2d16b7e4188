"""The head of the stage finds its places at every width, and comes to rest there."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from ui.shell.header import Header

ROUNDS = 8  # of events, in which all that follows from a new width is over


class Requests(QObject):
    """Counts how often a layout is asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.count += event.type() == QEvent.Type.LayoutRequest
        return False


def test_the_header_comes_to_rest_at_every_width(dressed: QApplication, qtbot: QtBot) -> None:
    owner = QWidget()
    qtbot.addWidget(owner)
    search, undo, history = (QAction(name, owner) for name in ("Search", "Undo", "History"))
    header = Header(search, undo, history, owner)
    header.show_place("Story", "6 March 2026, 19:30")
    break_here, sync = QAction("Break scene here", owner), QAction("Sync", owner)
    break_here.setShortcut("B")
    sync.setShortcut("F5")
    header.set_actions([(break_here, "split"), (sync, "sync")])
    header.show_more(True)
    header.show_undo(True)
    header.set_panes(left=True, right=True)
    owner.resize(1_300, 100)
    owner.show()
    qtbot.waitExposed(owner)
    requests = Requests()
    header.installEventFilter(requests)
    restless = []
    for width in range(560, 1_300, 3):
        header.resize(width, header.height())
        for _ in range(ROUNDS):
            dressed.processEvents()
        requests.count = 0
        for _ in range(ROUNDS):
            dressed.processEvents()
        if requests.count:
            restless.append(width)
    assert restless == []
