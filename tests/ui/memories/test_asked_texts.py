"""Longer texts are asked for from any page, by the palette, once what they take was said."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from app.companion import Companion
from app.views.text_offers import TextOffer, TextRequest
from tests.ui.palette import type_in_palette
from ui.memories.asked_texts import KEY
from ui.memories.page import MemoriesPage
from ui.program.desk import Desk
from ui.program.main_window import MainWindow
from ui.shell.command_palette import find_entries

pytestmark = pytest.mark.slow

Until = Callable[[Callable[[], bool]], Awaitable[None]]


@pytest.fixture
def desk(demo_window: MainWindow) -> Desk:
    assert demo_window.desk is not None
    return demo_window.desk


@pytest.mark.parametrize(
    ("words", "request_"),
    [
        ("canon", TextRequest.CANON),
        ("profiles", TextRequest.PROFILES),
        ("summary", TextRequest.SUMMARY),
        ("continuity", TextRequest.CONTINUITY),
        ("contradiction", TextRequest.CONTINUITY),
    ],
)
@pytest.mark.parametrize("shown", ["story", "memories"])
async def test_the_palette_finds_each_text_once_on_every_page(
    demo_window: MainWindow, desk: Desk, shown: str, words: str, request_: TextRequest
) -> None:
    demo_window.show_page(shown)
    entries = find_entries(words, desk._shown_actions(), None)
    names = [entry.text for entry in entries if entry.action is not None]
    wanted = desk._asked_texts.actions[request_].text()
    assert names.count(wanted) == 1


async def test_what_it_takes_is_said_and_nothing_is_asked_before_the_word(
    demo_window: MainWindow,
    desk: Desk,
    companion: Companion,
    until: Until,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[tuple[Any, ...]] = []

    async def ask(*what: object) -> None:
        asked.append(what)

    offers = tuple(TextOffer(request, 2, 2345) for request in TextRequest)
    monkeypatch.setattr(companion.texts, "offers", lambda path: offers)
    monkeypatch.setattr(companion.texts, "ask", ask)
    demo_window.show_page("story")
    type_in_palette(desk, "Check the newest reply")
    notice = desk._frame.notice
    offer = notice._offers[f"{KEY}{TextRequest.CONTINUITY}"]
    assert "at most 2 requests, about 2,300 tokens" in offer.sentence
    assert not asked
    notice.acted.emit(f"{KEY}{TextRequest.CONTINUITY}")
    await until(lambda: bool(asked))
    assert asked[0][1] is TextRequest.CONTINUITY


async def test_without_a_model_it_says_why_there_is_nothing_to_ask(
    demo_window: MainWindow, desk: Desk
) -> None:
    demo_window.show_page("story")
    desk._asked_texts.actions[TextRequest.CANON].trigger()
    offer = desk._frame.notice._offers[f"{KEY}{TextRequest.CANON}"]
    assert "model" in offer.sentence
    assert not offer.way_on


async def test_the_page_itself_asks_at_once_since_its_button_says_what_it_takes(
    page: MemoriesPage,
) -> None:
    assert set(page.commands.texts.values()).isdisjoint(page.command_icons)
