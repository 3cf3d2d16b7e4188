"""The copies of a chat in the window: the alarm, what only a copy has, and bringing one back."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.companion import Companion
from app.sillytavern.data_folders import chat_ref_for
from tests.labelled import WrittenTavern
from ui.controls.buttons import Button
from ui.copies.dialog import NO_COPIES, CopiesDialog
from ui.core.chat_words import chat_words
from ui.program.main_window import MainWindow

Until = Callable[[Callable[[], bool]], Awaitable[None]]


def shown_dialog(window: MainWindow) -> CopiesDialog | None:
    return next((d for d in window.findChildren(CopiesDialog) if d.isVisible()), None)


def cut(chat: Path, count: int) -> None:
    """Take the chat's last messages away."""
    lines = chat.read_text("utf-8").splitlines()
    chat.write_text("\n".join(lines[:-count]), "utf-8")


async def test_a_loss_is_told_and_the_copy_comes_back(
    demo_window: MainWindow, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    chat, notice = demo_tavern.chat, demo_window.frame.notice
    before = chat.read_bytes()
    await companion.guard.look(chat)
    cut(chat, 15)
    await companion.guard.look(chat)
    assert "15 messages fewer" in notice.sentence
    assert chat_words(chat_ref_for(chat)) in notice.sentence  # as everywhere else
    (look,) = (b for b in notice.findChildren(Button) if b.text() == "Look at the copy")
    QTest.mouseClick(look, Qt.MouseButton.LeftButton)
    dialog = shown_dialog(demo_window)
    assert dialog is not None
    await until(lambda: dialog.table.model().rowCount() == 2)
    # What is left is kept as well, but it is not what anybody comes for.
    await until(lambda: dialog.table.currentIndex().row() == 1)
    await until(lambda: dialog.lost.count() == 15)
    assert "15 messages are only in the copy" in dialog.difference.text()
    QTest.mouseClick(dialog.restore, Qt.MouseButton.LeftButton)
    assert demo_window.desk is not None
    session = demo_window.desk.session
    await until(lambda: session.path not in (None, chat))
    assert session.path is not None
    assert session.path.read_bytes() == before
    await until(lambda: shown_dialog(demo_window) is None)


async def test_a_closed_alarm_leaves_the_way_back_in_the_status(
    demo_window: MainWindow, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    """Esc closed the notice for good; nothing led to the copy any more."""
    chat, frame = demo_tavern.chat, demo_window.frame
    await companion.guard.look(chat)
    cut(chat, 15)
    await companion.guard.look(chat)
    frame.notice.close_shown()
    await until(lambda: "15 messages fewer" in frame.status.sentence("reading"))
    frame.status.item_pressed.emit("reading")
    dialog = shown_dialog(demo_window)
    assert dialog is not None
    await until(lambda: dialog.lost.count() == 15)
    await until(lambda: "fewer" not in frame.status.sentence("reading"))
    dialog.reject()


async def test_what_only_another_copy_has_is_told(
    demo_window: MainWindow, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    chat = demo_tavern.chat
    before = chat.read_bytes()
    await companion.guard.look(chat)
    for text in ("They left.", "They came back."):
        line = json.dumps({"name": "Ana", "mes": text}).encode()
        chat.write_bytes(before.rstrip(b"\n") + b"\n" + line)
        await companion.guard.look(chat)
    demo_window.actions_["copies"].trigger()
    dialog = shown_dialog(demo_window)
    assert dialog is not None
    await until(lambda: "1 more message is in neither" in dialog.difference.text())
    dialog.table.selectRow(1)
    await until(lambda: "1 message is only in the copy" in dialog.difference.text())
    assert "1 message is only in the chat." in dialog.difference.text()
    assert "neither" not in dialog.difference.text()
    dialog.reject()


async def test_an_alarm_goes_when_the_chat_has_all_again(
    demo_window: MainWindow, companion: Companion, demo_tavern: WrittenTavern
) -> None:
    """It told of a broken line that had long been mended."""
    chat, notice = demo_tavern.chat, demo_window.frame.notice
    whole = chat.read_bytes()
    await companion.guard.look(chat)
    lines = whole.split(b"\n")
    for _ in range(2):  # what breaks once more is told once more
        chat.write_bytes(b"\n".join([*lines[:20], lines[20][:30], *lines[21:]]))
        await companion.guard.look(chat)
        assert "can no longer be read" in notice.sentence
        await companion.guard.look(chat)
        assert "can no longer be read" in notice.sentence
        chat.write_bytes(whole)
        await companion.guard.look(chat)
        assert notice.sentence == ""
    cut(chat, 15)
    await companion.guard.look(chat)
    assert "15 messages fewer" in notice.sentence
    await companion.guard.look(chat)
    assert "15 messages fewer" in notice.sentence
    chat.write_bytes(whole)
    await companion.guard.look(chat)
    assert notice.sentence == ""


async def test_a_chat_of_which_only_copies_are_left_can_be_chosen(
    demo_window: MainWindow, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    gone = demo_tavern.chat.with_name("Another chat.jsonl")
    gone.write_bytes(demo_tavern.chat.read_bytes())
    await companion.guard.look(gone)
    before = gone.read_bytes()
    gone.unlink()
    demo_window.actions_["copies"].trigger()
    dialog = shown_dialog(demo_window)
    assert dialog is not None
    await until(dialog.chats.isVisible)
    assert "Another chat (no longer there)" in dialog.chats.itemText(1)
    dialog.chats.setCurrentIndex(1)
    dialog.chats.activated.emit(1)
    await until(dialog.restore.isEnabled)
    await until(lambda: dialog.table.height() > 150)  # the chat that is open has no copies
    QTest.mouseClick(dialog.restore, Qt.MouseButton.LeftButton)
    assert demo_window.desk is not None
    session = demo_window.desk.session
    await until(lambda: session.path not in (None, demo_tavern.chat))
    assert session.path is not None
    assert session.path.read_bytes() == before


async def test_a_chat_that_is_there_again_is_not_called_deleted(
    demo_window: MainWindow,
    companion: Companion,
    demo_tavern: WrittenTavern,
    until: Until,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("app.work.chats.guarding.chat_guard.GONE_SECONDS", 0.0)
    other, notice = demo_tavern.chat.with_name("Another chat.jsonl"), demo_window.frame.notice
    text = json.dumps({"chat_metadata": {"integrity": "another"}})
    lines = demo_tavern.chat.read_text("utf-8").splitlines()
    other.write_text("\n".join([text, *lines[1:]]), "utf-8")
    await companion.guard.look(other)
    before = other.read_bytes()
    other.unlink()
    await companion.guard.look(other)
    await until(lambda: "was deleted" in notice.sentence)
    assert demo_window.desk is not None
    session = demo_window.desk.session
    session.library_changed.emit()
    assert "was deleted" in notice.sentence
    other.write_bytes(before)
    session.library_changed.emit()
    await until(lambda: "was deleted" not in notice.sentence)


async def test_a_chat_without_copies_says_when_there_will_be_one(
    demo_window: MainWindow, until: Until
) -> None:
    demo_window.actions_["copies"].trigger()
    dialog = shown_dialog(demo_window)
    assert dialog is not None
    await until(lambda: dialog.difference.text() == NO_COPIES)
    assert not dialog.restore.isEnabled()
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert shown_dialog(demo_window) is None


async def test_markup_in_a_lost_message_is_shown_as_it_is(
    demo_window: MainWindow, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    chat = demo_tavern.chat
    hostile = {"name": "<b>Ana</b>", "is_user": False, "mes": "<img src=x onerror=alert(1)>"}
    with chat.open("a", encoding="utf-8") as file:
        file.write("\n" + json.dumps(hostile))
    await companion.guard.look(chat)
    cut(chat, 1)
    demo_window.actions_["copies"].trigger()
    dialog = shown_dialog(demo_window)
    assert dialog is not None
    await until(lambda: dialog.lost.count() == 1)
    assert dialog.lost.item(0).text() == "<b>Ana</b>: <img src=x onerror=alert(1)>"
    QApplication.sendPostedEvents()
    dialog.reject()
