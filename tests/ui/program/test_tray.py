"""The tray: off unless wanted, keeps a closed window alive, and tells what is worth it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QApplication, QSystemTrayIcon

from app.companion import Companion
from app.core.operations import Operation, OperationKind, OperationSpec, OperationStatus
from app.core.part_health import HealthItem, Light
from ui.program.main_window import MainWindow
from ui.program.tray import LONG_SECONDS, Tray, lantern

# A platform without a tray says so when an icon is shown.
pytestmark = pytest.mark.qt_log_ignore("systemTrayWindowChanged", extend=True)


STATES = ((False, False), (False, True), (True, False))


class Noted(QSystemTrayIcon):
    """A tray icon that keeps what it was to say: no test machine has a tray."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []

    def showMessage(self, _title: str, sentence: str, *_more: object) -> None:
        self.said.append(sentence)


async def tray_of(window: MainWindow, *, is_first: bool = False) -> tuple[Tray, Noted, list[float]]:
    """A tray on a system that has one, wanted by the user, with its clock. is_first: nothing was
    ever closed to it.
    """
    assert window.desk is not None
    session, moments = window.desk.session, [0.0]
    await session.companion.put_setting("close_to_tray", True)
    tray = Tray(
        session, window.actions_, window, is_available=lambda: True, clock=lambda: moments[0]
    )
    tray.icon = icon = Noted()
    window.desk.tray.leave()
    window.desk.tray = tray
    tray.follow()
    if not is_first:
        window.close()
        tray.show_window()
        icon.said.clear()
    return tray, icon, moments


def work(status: OperationStatus) -> tuple[Operation, ...]:
    spec = OperationSpec(OperationKind.SCENE_RECAP, 1, "key", "a", "Recap of scene 1")
    return (Operation(1, spec, status),)


async def test_without_the_wish_a_closed_window_is_closed(window: MainWindow) -> None:
    assert window.desk is not None
    assert not window.desk.tray.icon.isVisible()
    closed = []
    window.closed.connect(lambda: closed.append(True))
    window.close()
    assert closed


async def test_with_the_wish_closing_hides_and_only_quitting_ends(window: MainWindow) -> None:
    tray, _icon, _moments = await tray_of(window)
    closed = []
    window.closed.connect(lambda: closed.append(True))
    window.close()
    assert not window.isVisible()
    assert not closed
    tray.show_window()
    assert window.isVisible()
    window.actions_["quit"].trigger()
    assert closed


async def test_where_a_closed_window_went_is_said_once(window: MainWindow) -> None:
    tray, icon, _moments = await tray_of(window, is_first=True)
    for _ in range(2):
        window.close()
        tray.show_window()
    assert len(icon.said) == 1
    assert "to open the window" in icon.said[0]
    assert window.current_state().knows_tray


async def test_who_gives_the_tray_up_gets_the_window_back(
    window: MainWindow, companion: Companion
) -> None:
    tray, _icon, _moments = await tray_of(window)
    window.close()
    await companion.put_setting("close_to_tray", False)
    tray.follow()
    assert window.isVisible()


@pytest.mark.parametrize(("took", "said"), [(LONG_SECONDS + 1, 1), (LONG_SECONDS - 1, 0)])
async def test_only_long_work_is_told_of(window: MainWindow, took: float, said: int) -> None:
    tray, icon, moments = await tray_of(window)
    window.close()
    tray._session.operations_changed.emit(work(OperationStatus.RUNNING))
    moments[0] = took
    tray._session.operations_changed.emit(work(OperationStatus.DONE))
    assert len(icon.said) == said


def test_each_state_has_an_icon_of_its_own(dressed: QApplication) -> None:
    shown = [lantern(is_bad=bad, works=works).toImage() for bad, works in STATES]
    assert shown[0] != shown[1] != shown[2] != shown[0]
    assert lantern(is_bad=False, works=False).toImage() == shown[0]


async def test_what_needs_the_user_is_told_once(window: MainWindow, companion: Companion) -> None:
    tray, icon, _moments = await tray_of(window)
    window.close()
    bad = replace(companion.health, backend=HealthItem("backend", Light.BAD, "No answer."))
    for _ in range(2):
        tray._session.health_changed.emit(bad)
    assert icon.said == ["No answer."]
    state = tray._menu.actions()[0]
    assert state.text() == "No answer."
    state.trigger()
    assert window.isVisible()
    assert window.desk is not None
    assert window.desk.everywhere.health_sheet.isVisible()
    window.desk.everywhere.health_sheet.close()
    await companion.put_setting("tray_notices", False)
    tray._session.health_changed.emit(companion.health)
    tray._session.health_changed.emit(bad)
    assert icon.said == ["No answer."]


async def test_a_servers_words_are_no_markup_outside_of_the_window(
    window: MainWindow, companion: Companion
) -> None:
    """Desktops show notices with bold words, links and pictures."""
    tray, icon, _moments = await tray_of(window)
    window.close()
    said = 'It says: <img src="http://tracker.example/x.png"> <a href="x">here</a>'
    bad = replace(companion.health, backend=HealthItem("backend", Light.BAD, said))
    tray._session.health_changed.emit(bad)
    [shown] = icon.said
    assert "tracker.example" in shown
    assert not set("<>") & set(shown)
