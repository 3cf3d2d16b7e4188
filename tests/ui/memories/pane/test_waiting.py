"""The number on the button of the page Memories."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from app.companion import Companion
from app.views.memory_view import MemoryView
from tests.labelled import WrittenTavern
from ui.program.main_window import MainWindow

Until = Callable[[Callable[[], bool]], Awaitable[None]]


async def test_what_waits_is_counted_before_the_page_was_ever_opened(
    demo_window: MainWindow,
    companion: Companion,
    demo_tavern: WrittenTavern,
    until: Until,
    remembered: Callable[[], MemoryView],
) -> None:
    button = demo_window.frame.page_buttons["memories"]
    waiting = [standing.memory.id for standing in remembered().review]
    await until(lambda: button.badge == str(len(waiting)))
    await companion.memories.approve(demo_tavern.chat, waiting[:1])
    await until(lambda: button.badge == str(len(waiting) - 1))
