"""The fonts in resources/ load in Qt and have what the window draws with them."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtGui import QFont, QFontDatabase, QFontMetricsF, QRawFont
from PySide6.QtWidgets import QApplication

from app.core.resources import RESOURCES

FONTS = sorted((RESOURCES / "fonts").glob("*/*.[to]tf"))
# Typographic quotes, dashes, ellipsis, and letters of the languages that stories are told in.
DRAWN = "“”‘’„–—…·×" + "äöüßéèêçñåøłśžğı" + "ЖЯ"


@pytest.mark.parametrize("path", FONTS, ids=lambda path: path.name)
def test_a_font_loads_and_has_the_characters(path: Path, qapp: QApplication) -> None:
    number = QFontDatabase.addApplicationFont(str(path))
    assert number >= 0
    try:
        assert QFontDatabase.applicationFontFamilies(number)
        raw = QRawFont(str(path), 16)
        assert [character for character in DRAWN if not raw.supportsCharacter(ord(character))] == []
    finally:
        QFontDatabase.removeApplicationFont(number)


def test_the_families_that_the_window_names_are_there(qapp: QApplication) -> None:
    numbers = [QFontDatabase.addApplicationFont(str(path)) for path in FONTS]
    try:
        families = {family for n in numbers for family in QFontDatabase.applicationFontFamilies(n)}
        assert {"Inter", "Inter Display", "Charis SIL", "JetBrains Mono"} <= families
        assert {"Regular", "Medium", "SemiBold"} <= set(QFontDatabase.styles("Inter"))
        assert {"Regular", "Italic", "Bold", "Bold Italic"} <= set(
            QFontDatabase.styles("Charis SIL")
        )
    finally:
        for number in numbers:
            QFontDatabase.removeApplicationFont(number)


def test_inter_has_figures_of_one_width(qapp: QApplication) -> None:
    """Columns of token counts stand in line with the feature `tnum`."""
    numbers = [QFontDatabase.addApplicationFont(str(path)) for path in FONTS]
    try:
        font = QFont("Inter", 20)
        font.setFeature(QFont.Tag("tnum"), 1)
        metrics = QFontMetricsF(font)
        assert metrics.horizontalAdvance("1111") == metrics.horizontalAdvance("0000")
        plain = QFontMetricsF(QFont("Inter", 20))
        assert plain.horizontalAdvance("1111") != plain.horizontalAdvance("0000")
    finally:
        for number in numbers:
            QFontDatabase.removeApplicationFont(number)


@pytest.mark.parametrize("family", ["Inter", "Inter Display"])
@pytest.mark.parametrize(
    "weight", [QFont.Weight.Normal, QFont.Weight.Medium, QFont.Weight.DemiBold]
)
def test_figures_of_one_width_leave_hyphens_alone(
    family: str, weight: QFont.Weight, qapp: QApplication
) -> None:
    numbers = [QFontDatabase.addApplicationFont(str(path)) for path in FONTS]
    try:
        font = QFont(family, 20, weight)
        plain = QFontMetricsF(font).horizontalAdvance("Long-term")
        font.setFeature(QFont.Tag("tnum"), 1)
        assert QFontMetricsF(font).horizontalAdvance("Long-term") == plain
    finally:
        for number in numbers:
            QFontDatabase.removeApplicationFont(number)


def test_every_font_folder_holds_its_licence() -> None:
    folders = {path.parent for path in FONTS}
    assert len(folders) == 3
    for folder in folders:
        assert "SIL OPEN FONT LICENSE" in (folder / "OFL.txt").read_text(encoding="utf-8")


def test_the_fonts_stay_small() -> None:
    assert sum(path.stat().st_size for path in FONTS) < 12_000_000
