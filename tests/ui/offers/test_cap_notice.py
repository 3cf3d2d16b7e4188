"""That the cap of the day is reached is said once a day."""

from __future__ import annotations

import pytest

from app.companion import Companion
from app.core.operations import Operation, OperationKind, OperationSpec, OperationStatus
from app.work.scheduling.work_to_do import WorkToDo
from ui.core.window_state import read_state
from ui.offers.cap_notice import CapNotice
from ui.program.main_window import MainWindow

WAITING = Operation(
    1, OperationSpec(OperationKind.MEMORY_PASS, 1, "a", "b", "Memories"), OperationStatus.PENDING
)


async def test_it_is_said_once_a_day_over_pages_and_starts(
    demo_window: MainWindow, companion: Companion, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It came back on each page and at each start, over the newest messages."""
    held = [WAITING]
    monkeypatch.setattr(WorkToDo, "held_back", property(lambda _: tuple(held)))
    assert demo_window.desk is not None
    session, notice = demo_window.desk.session, demo_window.frame.notice
    demo_window.show_page("story")
    session.operations_changed.emit(())
    assert notice.way_on == "Go on today"
    held.append(WAITING)
    session.operations_changed.emit(())
    assert "2 jobs wait." in notice.sentence
    demo_window.show_page("work")
    assert notice.way_on == ""
    demo_window.show_page("story")
    assert notice.way_on == ""

    told = read_state(demo_window.current_state().to_text()).told_cap
    assert told == companion.use.today.isoformat()
    again = CapNotice(session, notice)
    again.told = told
    again.look()
    assert notice.way_on == ""
    again.told = "2001-01-01"
    again.look()
    assert notice.way_on == "Go on today"
