"""A notice over the page leaves the end of the story to be read."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from ui.program.main_window import MainWindow

Until = Callable[[Callable[[], bool]], Awaitable[None]]


async def test_the_last_lines_can_be_scrolled_above_a_notice(
    demo_window: MainWindow, until: Until
) -> None:
    desk, frame = demo_window.desk, demo_window.frame
    assert desk is not None
    assert desk.story_stage is not None
    view = desk.story_stage.page.view
    frame.notice.say("Something did not work.")
    await until(lambda: frame.notice.isVisible())
    bar = view.verticalScrollBar()
    bar.setValue(bar.maximum())
    last = view.row_rect(view.model().rowCount() - 1)
    foot = view.viewport().mapTo(demo_window, last.bottomLeft()).y()
    top = frame.notice.mapTo(demo_window, frame.notice.rect().topLeft()).y()
    assert foot <= top
