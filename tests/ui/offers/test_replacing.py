"""Words are replaced after a look at what would change."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.companion import Companion
from tests.labelled import WrittenTavern
from ui.offers.replacing import ReplaceDialog
from ui.program.main_window import MainWindow

Until = Callable[[Callable[[], bool]], Awaitable[None]]
LEFT = Qt.MouseButton.LeftButton


@pytest.mark.slow
async def test_a_name_is_replaced_in_all_recaps(
    demo_window: MainWindow, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    assert demo_window.desk is not None
    session = demo_window.desk.session
    path = demo_tavern.chat
    await companion.settled(path)
    await companion.edits.edit_running_recap(path, "Zora has the key.")
    demo_window.desk._actions["replace"].trigger()
    (dialog,) = demo_window.findChildren(ReplaceDialog)
    assert not dialog.do.isEnabled()
    QTest.keyClicks(dialog.sought, "Zora")
    QTest.keyClicks(dialog.put, "Beth")
    await until(lambda: dialog.examples.count() == 1)
    assert "+ Beth has the key." in dialog.examples.item(0).text()
    assert "Running recap 1" in dialog.said.text()
    dialog.whole.setChecked(False)
    assert dialog.do.isEnabled()
    QTest.mouseClick(dialog.do, LEFT)

    def content() -> str:
        story = session.story
        current = story.running.current if story is not None else None
        return current.content if current is not None else ""

    await until(lambda: content() == "Beth has the key.")


@pytest.mark.slow
async def test_words_that_nothing_says_cannot_be_replaced(
    demo_window: MainWindow, demo_tavern: WrittenTavern, until: Until
) -> None:
    assert demo_window.desk is not None
    dialog = ReplaceDialog(demo_window.desk.session, demo_tavern.chat, demo_window)
    QTest.keyClicks(dialog.sought, "zzzzzz")
    await until(lambda: "Nothing" in dialog.said.text())
    assert not dialog.do.isEnabled()
    dialog.reject()
