"""The language is chosen among the looks, and holds from the next start."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from PySide6.QtCore import QLocale, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QDialogButtonBox

from app.companion import Companion
from app.core import translation
from app.core.chosen_language import ChosenLanguage
from ui.program.application import speak
from ui.program.main_window import MainWindow
from ui.settings.look import LookSection

Until = Callable[[Callable[[], bool]], Awaitable[None]]


async def test_a_chosen_language_is_kept_and_said_to_hold_later(
    window: MainWindow, companion: Companion, until: Until
) -> None:
    window.show_page("settings")
    assert window.page is not None
    look = window.page.findChild(LookSection)
    assert look is not None
    words = {button.text(): button for button in look.language.findChildren(QAbstractButton)}
    assert list(words) == ["Same as the system", "English", "Deutsch"]
    assert words["Same as the system"].isChecked()
    QTest.mouseClick(words["Deutsch"], Qt.MouseButton.LeftButton)
    await until(lambda: "next start" in window.frame.status.said)
    assert ChosenLanguage(companion.folders.data).get() == "de"
    assert translation.language() == "en"


def test_qt_s_own_words_and_dates_are_of_the_language_too(dressed: QApplication) -> None:
    translation.use("de")
    try:
        texts = speak(dressed)
        box = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        cancel = box.button(QDialogButtonBox.StandardButton.Cancel)
        assert "Abbrechen" in cancel.text()
        assert QLocale().monthName(5) == "Mai"
    finally:
        translation.use("en")
        dressed.removeTranslator(texts)
        speak(dressed)
