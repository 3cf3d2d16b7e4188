"""Where the window stands at its next start."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from PySide6.QtCore import QPoint, QSize

from app.companion import Companion
from app.core.tasks import TaskSupervisor
from ui.program.main_window import MainWindow
from ui.theme import theme

Until = Callable[[Callable[[], bool]], Awaitable[None]]


async def test_the_window_stands_where_it_stood(
    window: MainWindow, companion: Companion, until: Until
) -> None:
    """Qt took the title bar for higher than it was, and put the window lower at each start."""
    screen = window.screen().availableGeometry()
    window.resize(QSize(900, 560).boundedTo(screen.size() - QSize(40, 40)))
    place = screen.topLeft() + QPoint(8, 1)
    window.move(place)
    await until(lambda: window.pos() == place)
    await companion.put_setting("window_state", window.current_state().to_text())
    again = MainWindow(theme, TaskSupervisor())
    again.show()
    await until(lambda: again.frameGeometry().top() < again.geometry().top())
    again.attach(companion)
    await until(lambda: again.size() == window.size())
    assert again.pos() == place
    await again.detach()
    again.hide()
    again.deleteLater()
