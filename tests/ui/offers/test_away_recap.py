"""What happened before stands in the notice, with its chat, until the story goes on."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from app.companion import Companion
from app.views.away_recap import AwayRecap
from tests.labelled import WrittenTavern
from ui.program.main_window import MainWindow

Until = Callable[[Callable[[], bool]], Awaitable[None]]


async def test_who_asks_for_it_is_told_in_the_notice(
    demo_window: MainWindow, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    notice = demo_window.frame.notice
    companion._away_recaps.ask(demo_tavern.chat)
    await until(lambda: notice.sentence.startswith("Previously: "))
    notice.close_shown()
    assert notice.sentence == ""


@pytest.mark.pitfall(10)
async def test_it_stands_with_its_chat_until_the_story_goes_on(
    demo_window: MainWindow, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    assert demo_window.desk is not None
    session, notice = demo_window.desk.session, demo_window.frame.notice
    told = AwayRecap(demo_tavern.chat, "Previously · 2 days ago", "<b>The fog</b> came in.")
    companion.away_recap.emit(told)
    assert notice.sentence == "Previously · 2 days ago: <b>The fog</b> came in."
    await session.open_path(companion.demo.path)
    while notice.sentence:  # nor behind what is said of that chat
        assert "The fog" not in notice.sentence
        notice.close_shown()
    await session.open_path(demo_tavern.chat)
    assert "The fog" in notice.sentence
    demo_window.show_page("settings")
    assert "The fog" not in notice.sentence  # it is about the story, and hides other pages
    demo_window.show_page("story")
    companion.away_recap_over.emit(companion.demo.path)
    assert "The fog" in notice.sentence
    companion.away_recap_over.emit(demo_tavern.chat)
    assert notice.sentence == ""
