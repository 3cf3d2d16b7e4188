"""The theme follows the choice, and says so once."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QApplication

from ui.theme import DARK, LIGHT, ContrastChoice, ThemeChoice, ThemeSource
from ui.theme.source import accessibility_of
from ui.theme.tokens import CONTRAST_DARK, CONTRAST_LIGHT


def test_a_choice_changes_the_palette_once(qapp: QApplication) -> None:
    source = ThemeSource()
    heard: list[object] = []
    source.changed.connect(heard.append)
    source.set_choice(ThemeChoice.LIGHT)
    source.set_choice(ThemeChoice.LIGHT)
    source.set_choice(ThemeChoice.DARK)
    assert heard == [LIGHT, DARK]


def test_the_reading_size_stays_between_its_bounds(qapp: QApplication) -> None:
    source = ThemeSource()
    source.set_reading_px(99)
    assert source.reading_px == 22
    source.set_reading_px(1)
    assert source.reading_px == 13


class Accessibility(QObject):
    """What the desktop says of contrast; Qt has no way to say it for it."""

    contrastPreferenceChanged = Signal(object)  # noqa: N815
    preference = Qt.ContrastPreference.NoPreference

    def contrastPreference(self) -> Qt.ContrastPreference:
        return self.preference


def test_high_contrast_is_chosen_in_the_dark_and_in_the_light(qapp: QApplication) -> None:
    source = ThemeSource()
    source.set_choice(ThemeChoice.DARK)
    source.set_contrast(ContrastChoice.HIGH)
    assert source.tokens is CONTRAST_DARK
    source.set_choice(ThemeChoice.LIGHT)
    assert source.tokens is CONTRAST_LIGHT
    source.set_contrast(ContrastChoice.NORMAL)
    assert source.tokens is LIGHT


def test_contrast_follows_the_desktop_until_the_user_says_otherwise(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    desktop = Accessibility()
    monkeypatch.setattr("ui.theme.source.accessibility_of", lambda _hints: desktop)
    source = ThemeSource()
    source.set_choice(ThemeChoice.DARK)
    source.follow_system(qapp)
    assert source.tokens is DARK
    desktop.preference = Qt.ContrastPreference.HighContrast
    desktop.contrastPreferenceChanged.emit(desktop.preference)
    assert source.tokens is CONTRAST_DARK
    source.set_contrast(ContrastChoice.NORMAL)
    assert source.tokens is DARK


def test_qt_tells_what_the_desktop_says_of_contrast(qapp: QApplication) -> None:
    hints = qapp.styleHints()
    accessibility = accessibility_of(hints)
    assert accessibility is not None
    assert isinstance(accessibility.contrastPreference(), Qt.ContrastPreference)
