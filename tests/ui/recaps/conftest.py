"""The recaps page in a living window, with two versions by hand that differ in known places."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable

import pytest_asyncio

from app.companion import Companion
from tests.labelled import WrittenTavern
from ui.program.main_window import MainWindow
from ui.recaps.page import RecapsPage

LEFT = "Dov\nHe sold the key.\n\nThe crew\nThey wait.\n\nMidge\nShe climbs."
RIGHT = "Dov\nHe gave the key.\n\nThe crew\nThey wait.\n\nThe Feast\nThe lamps go out."


@pytest_asyncio.fixture
async def page(
    demo_window: MainWindow,
    companion: Companion,
    demo_tavern: WrittenTavern,
    until: Callable[[Callable[[], bool]], Awaitable[None]],
) -> AsyncIterator[RecapsPage]:
    """It reads the version RIGHT; the one before is LEFT."""
    for text in (LEFT, RIGHT):
        await companion.edits.edit_running_recap(demo_tavern.chat, text)
    demo_window.show_page("recaps")
    shown = demo_window.page
    assert isinstance(shown, RecapsPage)
    demo_window.activateWindow()
    story = companion.story(demo_tavern.chat)
    assert story is not None
    next_one = len(story.running.versions) + 1
    await until(lambda: shown.comparison.tools.keep.text() == f"Keep as v{next_one}")
    yield shown
