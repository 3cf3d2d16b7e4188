"""The prompt page in a living window: the prompt to come, turns that were sent, two compared."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace

import pytest_asyncio
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QApplication

from app.companion import Companion
from app.prompt.slots import PassageShown, TurnKind
from app.prompt.turns import SentTurn
from app.settings.slot_table import Position
from tests.labelled import WrittenTavern
from tests.prompt_turns import LONG, SESSION, content, slot, turn
from ui.program.main_window import MainWindow
from ui.prompt.page import PromptPage
from ui.prompt.turn_rows import COMING
from ui.recaps.version_rows import LEFT, RIGHT

Until = Callable[[Callable[[], bool]], Awaitable[None]]
MOUSE = Qt.MouseButton.LeftButton
CARD = ("system", "Write the next reply. <b>Stay</b> in character.")
NEAR = {"position": Position.IN_CHAT, "depth": 1}


def turns() -> tuple[SentTurn, ...]:
    """The older one first; the newer one has another memory, and one that SillyTavern dropped."""
    old = slot(LONG, "The well is deep.", cut=7)
    new = slot(LONG, "The well is dry.")
    lamp = slot(SESSION, "Dov holds the lamp.", **NEAR)  # type: ignore[arg-type]
    lost = slot("smart_memory_arcs", "Find the key.", position=Position.IN_CHAT, depth=90)
    said = (("user", "Hello there."), ("assistant", "Hm."))
    first = turn(
        old,
        lamp,
        prompt=(CARD, ("system", old.text), said[0], ("system", lamp.text), said[1]),
        contents=(
            replace(
                content(old, "The bridge fell."),
                passages=(PassageShown(7, ("well", "rope"), is_asked=True),),
            ),
        ),
    )
    second = turn(
        new,
        lamp,
        lost,
        prompt=(CARD, ("system", new.text), *said, ("system", lamp.text), ("user", "Now?")),
        moment=1_700_000_100.0,
        generation="swipe",
        is_late=True,
    )
    return first, second, replace(second, prompt=None, has_prompt=False, generation="quiet")


@pytest_asyncio.fixture
async def page(
    window: MainWindow, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> AsyncIterator[PromptPage]:
    assert window.desk is not None
    await window.desk.session.open_path(demo_tavern.chat)
    chat = companion._chats.required(demo_tavern.chat)

    def unit() -> None:
        for one in turns():
            companion._store.turns.save(chat.chat_id, one)

    window.show_page("prompt")
    shown = window.page
    assert isinstance(shown, PromptPage)
    assert shown.rail.model.rowCount() == 1
    await companion._store.run(unit)
    companion.turns.changed.emit(demo_tavern.chat)
    await until(lambda: shown.rail.model.rowCount() == 4)
    yield shown


async def read(page: PromptPage, until: Until, number: int, word: str) -> None:
    """Choose a turn by a click on its row, and wait until it is shown."""
    where = page.list.visualRect(page.rail.model.index_of(number)).center()
    QTest.mouseClick(page.list.viewport(), MOUSE, pos=QPoint(20, where.y()))
    await until(lambda: page.preview.facts.startswith(word))


async def test_turns_stand_under_the_prompt_to_come(page: PromptPage) -> None:
    QAbstractItemModelTester(page.rail.model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    rows = [(row.number, row.word) for row in page.rail.model.rows]
    assert rows == [(0, "Next prompt"), (3, "In the background"), (2, "Swipe"), (1, "Reply")]
    assert page.rail.model.tokens(2) == 4 + 4 + 3
    assert "7 cut" in page.rail.model.rows[3].why


async def test_a_turn_is_shown_in_the_order_in_which_it_was_sent(
    page: PromptPage, until: Until
) -> None:
    await read(page, until, 1, "Reply")
    assert page.cards[LONG.key].exact_text == "The well is deep."
    assert [row.words for row in page.preview.own_rows] == [
        "SillyTavern's own text",
        "Chat, 1 message",
        "Chat, 1 message",
    ]
    assert page.preview.known_words == ""
    card = page.cards[LONG.key]
    QTest.mouseClick(card.more, MOUSE)
    assert card.left_out_text == "The bridge fell.  (over the budget)"
    assert card.passages_text == "From message #7: asks about well, rope"
    own = page.preview.own_rows[0]
    own.turn()
    assert own.shown_text == CARD[1]


async def test_what_broke_the_beginning_is_said(page: PromptPage, until: Until) -> None:
    await read(page, until, 2, "Swipe")
    assert "Long-term changes first" in page.preview.known_words
    assert "did not wait" in page.preview.facts
    assert page.cards["smart_memory_arcs"]._place.text() == "Added, but it did not reach the prompt"
    assert not page.preview.strip.isHidden()
    await read(page, until, 3, "In the background")
    assert page.preview.strip.isHidden()
    assert page.preview.known_words == "The memory is the same as in the turn before."


async def test_two_turns_are_compared_word_by_word(page: PromptPage, until: Until) -> None:
    await read(page, until, 1, "Reply")
    page.list.setFocus()
    page.choose(2)
    QTest.keyClick(page.list, Qt.Key.Key_R)
    assert not page.is_comparing
    page.put(LEFT, 1)
    await until(lambda: page.is_comparing)
    await until(lambda: page.difference.count > 0)
    assert page.title == "Compare"
    assert page.tools is page.difference.tools
    texts = page.difference.columns.left.toPlainText(), page.difference.columns.right.toPlainText()
    assert "deep" in texts[0]
    assert "dry" in texts[1]
    QTest.mouseClick(page.difference.extents._buttons["whole"], MOUSE)
    await until(lambda: "Now?" in page.difference.columns.right.toPlainText())
    QTest.keyClick(page.difference, Qt.Key.Key_Escape)
    assert not page.is_comparing
    assert page.title == "Prompt"
    page.commands.compare.trigger()  # the second turn with the one before it
    await until(lambda: page.is_comparing)
    again = page.difference.columns.left.toPlainText(), page.difference.columns.right.toPlainText()
    assert ["deep" in again[0], "dry" in again[1]] == [True, True]


async def test_a_whole_prompt_that_is_not_kept_is_said_to_be(
    page: PromptPage, until: Until
) -> None:
    await read(page, until, 3, "In the background")
    page.put(RIGHT, 1)
    await until(lambda: page.is_comparing)
    page.difference.extents._buttons["whole"].click()
    await until(lambda: page.difference.note.startswith("For one of these turns only"))


async def test_the_whole_prompt_is_copied(page: PromptPage, until: Until) -> None:
    await read(page, until, 2, "Swipe")
    QTest.mouseClick(page.preview.copy, MOUSE)
    text = QApplication.clipboard().text()
    assert text.startswith(f"system\n{CARD[1]}")
    assert text.endswith("user\nNow?")
    QApplication.clipboard().clear()
    page.commands.copy.trigger()
    assert QApplication.clipboard().text() == text
    page.commands.coming.trigger()
    assert not page.is_comparing
    page.commands.copy.trigger()
    assert QApplication.clipboard().text() != text


async def test_another_chat_shows_its_own_next_prompt(
    page: PromptPage, window: MainWindow, companion: Companion, until: Until
) -> None:
    await read(page, until, 2, "Swipe")
    assert window.desk is not None
    await window.desk.session.open_path(companion.demo.path)
    await until(lambda: page.rail.model.rowCount() == 1)
    assert page.rail.list.currentIndex().row() == 0
    assert page.rail.model.rows[0].number == COMING


async def test_each_turn_quotes_the_message_it_went_on_from_as_it_was(
    page: PromptPage, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    chat = companion._chats.required(demo_tavern.chat)
    said = {"after": 40, "said_by": "Ada", "said": "*I wait.* The well was deep, and I heard it."}
    known = replace(turns()[0], kind=TurnKind.ACTION, **said)  # type: ignore[arg-type]
    empty = replace(turns()[0], slots=(), contents=())

    def unit() -> None:
        companion._store.turns.save(chat.chat_id, known)
        companion._store.turns.save(chat.chat_id, empty)

    await companion._store.run(unit)
    companion.turns.changed.emit(demo_tavern.chat)
    await until(lambda: page.rail.model.rowCount() == 6)
    newest, at_forty = page.rail.model.rows[1:3]
    assert (at_forty.why, at_forty.brief) == ("Action, 7 cut", "Action")
    assert at_forty.told == "after #40, Action, 7 cut"
    assert at_forty.quote == "#40 Ada: I wait. The well was deep, and I heard it."
    # Of a turn that was kept before that was: nothing is guessed.
    assert (newest.why, newest.quote) == ("without memory", "")
    index = page.rail.model.index_of(at_forty.number)
    assert at_forty.quote in str(page.rail.model.data(index))
    heights = [page.list.visualRect(page.rail.model.index(row)).height() for row in range(6)]
    assert heights[2] > heights[1]


async def test_macros_are_listed_under_the_prompt_to_come_with_a_button_that_copies(
    demo_window: MainWindow, until: Until
) -> None:
    demo_window.show_page("prompt")
    page = demo_window.page
    assert isinstance(page, PromptPage)
    macros = page.preview.macros
    await until(lambda: bool(macros.copies))
    assert macros.isVisible()
    macros.copies["smartmemory-runningrecap"].click()
    assert QApplication.clipboard().text() == "{{smartmemory-runningrecap}}"
    said = macros.states["smartmemory-runningrecap"]
    await until(lambda: said.text() == "empty: its text already has its own place")
    page.commands.macros.trigger()
    bar = page.preview.area.verticalScrollBar()
    assert bar.value() == bar.maximum()
