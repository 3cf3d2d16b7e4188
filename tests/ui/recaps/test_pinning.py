"""A sentence of a recap is pinned with mouse or keyboard, and no rewrite drops it silently."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest

from app.companion import Companion
from tests.labelled import WrittenTavern
from ui.program.main_window import MainWindow
from ui.recaps.page import RecapsPage

Until = Callable[[Callable[[], bool]], Awaitable[None]]
LEFT = Qt.MouseButton.LeftButton
SAID = "The lamps go out."


def place_of(page: RecapsPage, words: str) -> QPoint:
    """Where words of the text stand in its viewport."""
    prose = page.reading.text.prose
    found = QTextCursor(prose.document())
    found.setPosition(prose.toPlainText().index(words) + 2)
    return prose.cursorRect(found).center()


def click(page: RecapsPage, words: str) -> None:
    QTest.mouseClick(page.reading.text.prose.viewport(), LEFT, pos=place_of(page, words))


async def test_a_pinned_sentence_comes_through_a_rebuilding(
    page: RecapsPage, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    chat, button, line = demo_tavern.chat, page.reading.pin, page.reading.pins
    pinned = companion.pins.of
    click(page, SAID)
    QTest.mouseClick(button, LEFT)
    await until(lambda: [pin.text for pin in pinned(chat)] == [SAID])
    await until(line.isVisible)
    undo, _ = await companion.edits.undo_labels(chat)
    assert undo == f"pin of the sentence “{SAID}” of the running recap"
    assert button.text() == "Unpin"
    assert [s.cursor.selectedText() for s in page.reading.text.prose.extraSelections()] == [SAID]

    story = companion.story(chat)
    assert story is not None
    first = story.scenes[0].closing
    assert first is not None
    count = len(story.running.versions)
    await companion.edits.rebuild_running_recap(chat, first.anchor)
    await companion.settled(chat)
    story = companion.story(chat)
    assert story is not None
    new = story.running.versions[count:]
    # The versions that reach less far than it did when it was pinned do not say it yet.
    assert [SAID in version.content for version in new] == [False] * (len(new) - 1) + [True]
    assert story.running.current == new[-1]


async def test_what_the_user_takes_out_is_named_and_can_be_put_back_or_let_go(
    page: RecapsPage,
    demo_window: MainWindow,
    companion: Companion,
    demo_tavern: WrittenTavern,
    until: Until,
) -> None:
    chat, line, prose = demo_tavern.chat, page.reading.pins, page.reading.text.prose
    click(page, SAID)
    prose.setFocus()
    QTest.keyClick(prose, Qt.Key.Key_P)
    await until(lambda: len(companion.pins.of(chat)) == 1)
    await companion.edits.edit_running_recap(chat, "DEVELOPMENTS\nNothing of it.")
    await until(line.put_back.isVisible)
    assert SAID in line.sentence.text()
    QTest.mouseClick(line.put_back, LEFT)
    await until(lambda: page.reading.text.text == f"DEVELOPMENTS\nNothing of it.\n{SAID}")
    assert not line.put_back.isVisible()

    await companion.edits.edit_running_recap(chat, "Without it.")
    await until(line.unpin.isVisible)
    QTest.mouseClick(line.unpin, LEFT)
    await until(lambda: not line.isVisible())
    assert demo_window.desk is not None
    await until(lambda: "unpinned" in demo_window.actions_["undo"].text())
    demo_window.desk.session.undo()
    await until(lambda: len(companion.pins.of(chat)) == 1)
    await until(line.unpin.isVisible)


async def test_the_deeds_of_the_page_stand_in_the_palette(
    page: RecapsPage, demo_window: MainWindow
) -> None:
    assert demo_window.desk is not None
    shown = {action for action, _ in demo_window.desk._shown_actions()}
    assert {page.commands.pin, page.commands.edit, page.commands.compare} <= shown
