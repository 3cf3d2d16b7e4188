"""The notice over the pages has its place, and costs nothing while it stands there."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import (
    QApplication,
    QLabel,
    QPushButton,
    QScrollArea,
    QStackedWidget,
    QWidget,
)
from pytestqt.qtbot import QtBot

from ui.shell.notice import Notice
from ui.shell.page_area import BESIDE, PageArea

LONG = "The server of the model does not answer any more, and what it was asked waits for it. " * 3


class Paintings(QObject):
    """Counts how often a widget is painted."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.count += event.type() == QEvent.Type.Paint
        return False


def area_with(qtbot: QtBot, notice: Notice) -> PageArea:
    stack = QStackedWidget()
    stack.addWidget(QLabel("A page"))
    area = PageArea(stack, notice)
    qtbot.addWidget(area)
    area.resize(500, 400)
    area.show()
    qtbot.waitExposed(area)
    return area


def test_a_notice_that_stands_there_is_not_laid_out_and_painted_again_and_again(
    dressed: QApplication, qtbot: QtBot
) -> None:
    notice, paintings = Notice(), Paintings()
    area = area_with(qtbot, notice)
    notice.offer("key", LONG)
    qtbot.wait(50)
    area.installEventFilter(paintings)
    qtbot.wait(200)
    assert paintings.count == 0


def test_a_notice_has_room_for_all_its_words_whatever_changes(
    dressed: QApplication, qtbot: QtBot
) -> None:
    notice = Notice()
    area = area_with(qtbot, notice)
    notice.offer("key", "Short.")
    qtbot.wait(20)
    low = notice.height()
    notice.offer("key", LONG)
    qtbot.wait(20)
    high = notice.height()
    assert high > low
    assert notice.geometry().bottom() == area.height() - BESIDE - 1
    area.resize(900, 400)
    qtbot.wait(20)
    assert notice.height() < high
    area.resize(500, 400)
    qtbot.wait(20)
    assert notice.height() == high
    notice.withdraw("key")
    notice.offer("key", "Short.")
    qtbot.wait(20)
    assert notice.height() == low
    assert area.covered_px == low + 2 * BESIDE


def test_a_notice_never_lies_over_a_button(dressed: QApplication, qtbot: QtBot) -> None:
    notice = Notice()
    area = area_with(qtbot, notice)
    area.resize(900, 500)
    page = QWidget()
    button = QPushButton("Delete", page)
    button.setGeometry(400, 440, 120, 40)
    stack = area.findChild(QStackedWidget)
    assert stack is not None
    stack.addWidget(page)
    stack.setCurrentWidget(page)
    notice.offer("key", "Short.")
    qtbot.waitUntil(lambda: not notice.geometry().intersects(button.geometry()))
    assert notice.geometry().bottom() < area.height()
    button.hide()
    notice.offer("key", "Shorter.")
    qtbot.waitUntil(lambda: notice.geometry().bottom() == area.height() - BESIDE - 1)


def test_a_notice_never_lies_over_what_a_page_keeps_clear(
    dressed: QApplication, qtbot: QtBot
) -> None:
    """It lay over the timeline of Minds, which cannot be scrolled out from under it."""

    class Page(QWidget):
        def __init__(self) -> None:
            super().__init__()
            self.timeline = QLabel("Scenes", self)
            self.timeline.setGeometry(0, 300, 500, 100)

        @property
        def kept_clear(self) -> tuple[QWidget, ...]:
            return (self.timeline,)

    notice = Notice()
    area = area_with(qtbot, notice)
    page = Page()
    area._stack.addWidget(page)
    area._stack.setCurrentWidget(page)
    notice.offer("key", "Short.")
    qtbot.waitUntil(lambda: notice.isVisible() and notice.geometry().bottom() < 300)


def test_a_notice_gives_way_to_a_button_that_comes_late(
    dressed: QApplication, qtbot: QtBot
) -> None:
    notice = Notice()
    area = area_with(qtbot, notice)
    area.resize(900, 500)
    notice.offer("key", "Short.")
    qtbot.waitUntil(lambda: notice.geometry().bottom() == area.height() - BESIDE - 1)
    qtbot.wait(100)  # the page has come to the front, and reads what it is about to show
    stack = area.findChild(QStackedWidget)
    assert stack is not None
    page = stack.currentWidget()
    assert page is not None
    button = QPushButton("Delete", page)
    button.setGeometry(400, 440, 120, 40)
    button.show()
    qtbot.waitUntil(lambda: not notice.geometry().intersects(button.geometry()))


def test_the_last_row_can_be_scrolled_out_from_under_a_notice_and_nothing_moves_by_it(
    dressed: QApplication, qtbot: QtBot
) -> None:
    notice = Notice()
    area = area_with(qtbot, notice)
    rows = QScrollArea()
    last = QLabel("The last row")
    last.setFixedHeight(1_000)
    rows.setWidget(last)
    stack = area.findChild(QStackedWidget)
    assert stack is not None
    stack.addWidget(rows)
    stack.setCurrentWidget(rows)
    bar = rows.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 0)
    end = bar.maximum()
    bar.setValue(end)

    def foot() -> int:
        return last.mapTo(area, last.rect().bottomLeft()).y()

    notice.offer("key", LONG)
    qtbot.waitUntil(lambda: bar.maximum() > end)
    assert bar.value() == end
    bar.setValue(bar.maximum())
    assert foot() < notice.geometry().top()
    notice.withdraw("key")
    assert bar.value() > end, "who has scrolled there is left there"
    bar.setValue(end - 10)
    assert bar.maximum() == end
