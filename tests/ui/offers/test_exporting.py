"""The story bible and the lorebook are written from the window, where the user says."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit

from app.story.story import ChatKind, ChatRef
from tests.labelled import WrittenTavern
from ui.core.chat_words import chat_title
from ui.offers.exporting import EXPORTS, file_name
from ui.program.main_window import MainWindow

Until = Callable[[Callable[[], bool]], Awaitable[None]]


async def save(window: MainWindow, key: str, target: Path, until: Until) -> None:
    """Run an action and name a file in the dialog that comes."""
    window.actions_[key].trigger()
    await until(lambda: bool(window.findChildren(QFileDialog)))
    (dialog,) = window.findChildren(QFileDialog)
    field = dialog.findChild(QLineEdit)
    assert field is not None
    field.setText(str(target))
    QTest.keyClick(field, Qt.Key.Key_Return)
    await until(lambda: not window.findChildren(QFileDialog))


async def test_what_the_file_is_called_says_what_it_is(
    demo_window: MainWindow, demo_tavern: WrittenTavern, tmp_path: Path, until: Until
) -> None:
    page, text, book = tmp_path / "a.html", tmp_path / "b.md", tmp_path / "c.json"
    await save(demo_window, "export.bible", page, until)
    await until(page.exists)
    await save(demo_window, "export.bible.free", text, until)
    await until(text.exists)
    await save(demo_window, "export.lorebook", book, until)
    await until(book.exists)
    assert page.read_text("utf-8").startswith("<!DOCTYPE html>")
    assert "Told as" in text.read_text("utf-8")
    assert demo_window.desk is not None
    story = demo_window.desk.session.story
    assert story is not None
    assert chat_title(story.chat) != story.chat.title  # a date in words, and no name of a file
    assert f"{chat_title(story.chat)}, up to" in text.read_text("utf-8")
    assert "entries" in json.loads(book.read_bytes())


async def test_the_header_has_a_menu_of_them_while_a_story_is_shown(
    demo_window: MainWindow, until: Until
) -> None:
    header = demo_window.frame.header
    QTest.mouseClick(header._more, Qt.MouseButton.LeftButton)
    menu = QApplication.activePopupWidget()
    assert menu is not None
    names = [action.objectName() for action in menu.actions()]
    of_story = ("find_breaks", "recap_missing", "take_in", "clear_all")
    assert names == [*(f"story.{name}" for name in of_story), *EXPORTS]
    assert all(action.isEnabled() for action in menu.actions())
    menu.close()
    demo_window.show_page("settings")
    assert not header._more.isVisible()


@pytest.mark.parametrize(
    ("name", "expected"),
    [("Ada", "Ada - x.md"), ("A/B: ..", "A B - x.md"), ("...", "x.md"), ("a" * 99, "a" * 80)],
)
def test_a_file_name_suits_any_system(name: str, expected: str) -> None:
    chat = ChatRef(Path("a.jsonl"), ChatKind.SOLO, "t", owner_name=name)
    assert file_name(chat, "x.md").startswith(expected)
