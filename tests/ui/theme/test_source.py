"""The theme follows the choice, and says so once."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication

from ui.theme import DARK, LIGHT, ThemeChoice, ThemeSource


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
