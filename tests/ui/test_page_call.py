"""What is asked for in SillyTavern's page is shown in the window."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from app.companion import Companion
from tests.labelled import WrittenTavern
from ui.program.main_window import MainWindow

Until = Callable[[Callable[[], bool]], Awaitable[None]]


async def test_a_message_asked_for_in_the_page_is_shown_with_its_chat(
    window: MainWindow, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    assert window.desk is not None
    assert companion.page_requests.has_window
    window.showMinimized()
    story = await companion.open_story(demo_tavern.chat)
    companion.page_requests.window_wanted.emit((demo_tavern.chat, story.messages[20].anchor))
    desk = window.desk
    await until(lambda: desk.story_stage is not None and desk.page_key == "story")
    stage = desk.story_stage
    assert stage is not None
    await until(lambda: stage.page.view.current_message() == 20)
    assert desk.session.path == demo_tavern.chat
    assert not window.isMinimized()
