"""Settings are written to a file and taken over from one, with the system's own dialogs."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path

from PySide6.QtCore import QMetaObject, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QLineEdit

from app.companion import Companion
from app.work.edits.settings_file import KIND
from ui.program.main_window import MainWindow
from ui.settings.page import SettingsPage

Until = Callable[[Callable[[], bool]], Awaitable[None]]


def dialog_of(window: MainWindow) -> QFileDialog | None:
    return next((d for d in window.findChildren(QFileDialog) if d.isVisible()), None)


def name(dialog: QFileDialog, target: Path) -> None:
    field = dialog.findChild(QLineEdit, "fileNameEdit")
    assert isinstance(field, QLineEdit)
    field.setText(str(target))
    QMetaObject.invokeMethod(dialog, "accept", Qt.ConnectionType.DirectConnection)


async def test_settings_are_exported_and_imported_again(
    window: MainWindow, companion: Companion, tmp_path: Path, until: Until
) -> None:
    window.show_page("settings")
    page = window.page
    assert isinstance(page, SettingsPage)
    await companion.put_setting("running_recap_budget", 700)
    QTest.mouseClick(page.files.write, Qt.MouseButton.LeftButton)
    await until(lambda: dialog_of(window) is not None)
    saving = dialog_of(window)
    assert saving is not None
    target = tmp_path / "mine.json"
    name(saving, target)
    await until(target.exists)

    await companion.put_setting("running_recap_budget", 900)
    await until(lambda: dialog_of(window) is None)
    QTest.mouseClick(page.files.read, Qt.MouseButton.LeftButton)
    await until(lambda: dialog_of(window) is not None)
    opening = dialog_of(window)
    assert opening is not None
    name(opening, target)
    await until(lambda: "Changed: 1 setting" in page.files.row.fact.text())
    assert companion.settings["running_recap_budget"] == 700
    assert list((companion.folders.backups / "settings").glob("*.json"))
    assert page.files.back.isVisible()
    QTest.mouseClick(page.files.back, Qt.MouseButton.LeftButton)
    await until(lambda: page.files.row.fact.text() == "Unchanged: 1 setting.")
    assert companion.settings["running_recap_budget"] == 900
    assert not page.files.back.isVisible()


async def test_undo_takes_an_import_back_and_the_page_shows_it(
    demo_window: MainWindow, companion: Companion, tmp_path: Path, until: Until
) -> None:
    await companion.put_setting("story_text_size", 15)
    target = tmp_path / "mine.json"
    await companion.settings_file.save(target)
    await companion.put_setting("story_text_size", 20)
    demo_window.show_page("settings")
    page = demo_window.page
    assert isinstance(page, SettingsPage)
    QTest.mouseClick(page.files.read, Qt.MouseButton.LeftButton)
    await until(lambda: dialog_of(demo_window) is not None)
    opening = dialog_of(demo_window)
    assert opening is not None
    name(opening, target)
    await until(lambda: "Changed: 1 setting" in page.files.row.fact.text())
    undo = demo_window.actions_["undo"]
    await until(lambda: undo.text() == "Undo: import of settings")
    undo.trigger()
    await until(lambda: companion.settings["story_text_size"] == 20)
    await until(lambda: page.files.back.isHidden())
    await until(lambda: demo_window.actions_["redo"].isEnabled())
    demo_window.actions_["redo"].trigger()
    await until(lambda: page.files.back.isVisible())
    assert companion.settings["story_text_size"] == 15


async def test_a_file_that_would_send_stories_elsewhere_is_asked_about(
    window: MainWindow, companion: Companion, tmp_path: Path, until: Until
) -> None:
    window.show_page("settings")
    page = window.page
    assert isinstance(page, SettingsPage)
    before = companion.settings["theme"]
    theme = "dark" if before != "dark" else "light"
    given = {"backend": "openai:m@http://127.0.0.1:9/v1", "theme": theme, "mirror_to_chat": True}
    source = tmp_path / "given.json"
    source.write_text(json.dumps({"kind": KIND, "version": 1, "settings": given}), "utf-8")
    for is_wanted in (False, True):
        QTest.mouseClick(page.files.read, Qt.MouseButton.LeftButton)
        await until(lambda: dialog_of(window) is not None)
        opening = dialog_of(window)
        assert opening is not None
        name(opening, source)
        await until(page.files.anyway.isVisible)
        said = page.files.row.fact.text()
        assert "sent to http://127.0.0.1:9." in said
        assert "write into your chats" in said
        assert companion.settings["theme"] == before
        await until(lambda: dialog_of(window) is None)
        if is_wanted:
            QTest.mouseClick(page.files.anyway, Qt.MouseButton.LeftButton)
    await until(lambda: "Changed: 3 settings" in page.files.row.fact.text())
    assert page.files.anyway.isHidden()
    assert companion.settings["theme"] == theme
