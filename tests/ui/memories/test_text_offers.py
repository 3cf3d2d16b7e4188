"""Longer texts are asked for where they are read, with what they take."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.companion import Companion
from app.core.translation import tr
from app.memory.records import Document, DocumentKind
from app.views.text_offers import TextOffer, TextRequest
from tests.labelled import WrittenTavern
from ui.memories.commands import TEXT_COMMANDS
from ui.memories.listing.rail import PEOPLE, TEXTS
from ui.memories.page import MemoriesPage
from ui.memories.text_offers import cost_words
from ui.memories.texts import TextCard

Until = Callable[[Callable[[], bool]], Awaitable[None]]


async def test_without_a_model_it_is_said_once_why_no_text_can_be_asked_for(
    page: MemoriesPage, until: Until
) -> None:
    page.rail.places[TEXTS].click()
    await until(page.texts.isVisible)
    offers = page.texts.offers
    assert set(offers.buttons) == set(TextRequest)
    for request, button in offers.buttons.items():
        assert not button.isEnabled()
        # What it is stands there all the same: a row of its name alone said nothing.
        assert offers.costs[request].text() == tr(TEXT_COMMANDS[request].sentence)
        assert not page.commands.texts[request].isEnabled()
    assert "model" in offers.why_none.text()
    # One under the other, they are of one width.
    assert len({button.width() for button in offers.buttons.values()}) == 1


async def test_a_press_asks_for_the_text_and_says_so(
    page: MemoriesPage, companion: Companion, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[Any, ...]] = []

    async def ask(*what: object) -> None:
        asked.append(what)

    offer = TextOffer(TextRequest.CONTINUITY, 2, 2345)
    monkeypatch.setattr(companion.texts, "offers", lambda path: (offer,))
    monkeypatch.setattr(companion.texts, "ask", ask)
    page.rail.places[TEXTS].click()
    await until(page.texts.offers.buttons[TextRequest.CONTINUITY].isEnabled)
    said = page.texts.offers.costs[TextRequest.CONTINUITY].text()
    assert said.split("\n")[1:] == ["at most 2 requests, about 2,300 tokens"]
    button = page.texts.offers.buttons[TextRequest.CONTINUITY]
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    await until(lambda: bool(asked))
    assert asked[0][1] is TextRequest.CONTINUITY


def test_a_summary_says_how_far_one_request_gets_and_how_far_it_is(qtbot: QtBot) -> None:
    """One request was named for 3,000 messages, and the summary ended at #274 without a word."""
    offer = TextOffer(TextRequest.SUMMARY, 1, 9_300, reaches=274, last=3_034)
    assert cost_words(offer) == (
        "1 request, about 9,300 tokens; it gets to #274 of #3034, the rest takes further requests"
    )
    card = TextCard(Document("s", 1, DocumentKind.SUMMARY, "They met."), "", can_change=True)
    qtbot.addWidget(card)
    card.say_end(274)
    assert card.note.text() == "Tells the story up to #274."


async def test_texts_are_asked_for_before_anything_is_remembered(
    page: MemoriesPage, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    await companion.memories.fresh_start(demo_tavern.chat)
    await companion.memories.forget_chat(demo_tavern.chat)
    await until(page.empty.isVisible)
    page.rail.places[TEXTS].click()
    await until(page.texts.isVisible)
    assert all(button.isVisible() for button in page.texts.offers.buttons.values())
    page.rail.places[PEOPLE].click()
    await until(page.empty.isVisible)


def test_a_correction_that_waits_is_changed_or_dropped(qtbot: QtBot) -> None:
    waiting = Document("r", 1, DocumentKind.REPAIR, "The lamp was green, not red.")
    card = TextCard(waiting, "", can_change=True)
    qtbot.addWidget(card)
    said: list[tuple[Any, ...]] = []
    card.rewritten.connect(lambda *what: said.append(what))
    card.show()
    assert card.edit_button.isVisible()
    QTest.mouseClick(card.drop_button, Qt.MouseButton.LeftButton)
    assert said == [(DocumentKind.REPAIR, "", "")]
    found = Document("c", 1, DocumentKind.CONTINUITY, "It says red.")
    other = TextCard(found, "", can_change=True)
    qtbot.addWidget(other)
    other.show()
    assert not other.drop_button.isVisible()


async def test_a_version_that_another_replaced_is_read_and_taken_in_one_step(
    page: MemoriesPage, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    path, kind = demo_tavern.chat, DocumentKind.PROFILE
    for text in ("She counts swans.", "She counts geese."):
        await companion.memories.edit_text(path, kind, text, subject="Nobody")

    def card() -> TextCard:
        return next(c for c in page.texts.cards if "She counts" in c.words.text())

    page.rail.places[TEXTS].click()
    await until(page.texts.isVisible)
    await until(lambda: any("geese" in c.words.text() for c in page.texts.cards))
    assert not card().earlier.isVisible()
    card().earlier_button.click()
    assert card().earlier.isVisible()
    (take,) = card().take_buttons
    take.click()
    await until(lambda: "swans" in card().words.text())
    assert len(card().take_buttons) == 1
    assert await companion.edits.undo(path) == "edit the profile"
    await until(lambda: "geese" in card().words.text())


def test_what_a_text_takes_is_said_in_words() -> None:
    assert cost_words(TextOffer(TextRequest.CANON, 1, 512)) == "1 request, about 510 tokens"
    assert cost_words(TextOffer(TextRequest.CANON, why_not="There is none.")) == "There is none."


def test_a_profile_of_an_earlier_scene_says_so(qtbot: QtBot) -> None:
    portrait = Document("p", 1, DocumentKind.PROFILE, "Odo: wary")
    for is_of_then in (True, False):
        card = TextCard(portrait, "Vera", can_change=True, is_of_then=is_of_then)
        qtbot.addWidget(card)
        card.show()
        assert card.note.isVisible() == is_of_then
    assert "earlier scene" in card.note.text()


@pytest.mark.usefixtures("in_german")
def test_the_labels_of_a_profile_are_in_the_language_of_the_window(qtbot: QtBot) -> None:
    text = "State:\ngoals: find the ring\n\nRelationships:\nOdo: wary"
    card = TextCard(Document("p", 1, DocumentKind.PROFILE, text), "Vera", can_change=True)
    qtbot.addWidget(card)
    assert card.words.text() == "Stand:\nZiele: find the ring\n\nBeziehungen:\nOdo: wary"
