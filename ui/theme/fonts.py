"""The fonts that are shipped, and the roles of type in the window."""

from __future__ import annotations

import logging
from functools import cache

from PySide6.QtGui import QFont, QFontDatabase

from app.core.resources import RESOURCES

log = logging.getLogger(__name__)

FONTS = RESOURCES / "fonts"

SANS = ("Inter", "Segoe UI", "Cantarell", "Noto Sans", "sans-serif")
DISPLAY = ("Inter Display", *SANS)
SERIF = ("Charis SIL", "Charis", "Charter", "Georgia", "Noto Serif", "serif")
MONO = ("JetBrains Mono", "Cascadia Mono", "DejaVu Sans Mono", "monospace")

REGULAR = QFont.Weight.Normal
MEDIUM = QFont.Weight.Medium
SEMIBOLD = QFont.Weight.DemiBold


def load_fonts() -> tuple[str, ...]:
    """Load the shipped fonts; the families found. Files that cannot be read are skipped."""
    families: list[str] = []
    for path in sorted(FONTS.rglob("*")) if FONTS.is_dir() else ():
        if path.suffix.lower() not in (".ttf", ".otf"):
            continue
        font_id = QFontDatabase.addApplicationFont(str(path))
        if font_id < 0:
            log.warning("Font %s cannot be read", path.name)
            continue
        families.extend(QFontDatabase.applicationFontFamilies(font_id))
    return tuple(dict.fromkeys(families))


def _font(families: tuple[str, ...], px: float, weight: QFont.Weight) -> QFont:
    font = QFont()
    font.setFamilies(list(families))
    # setPixelSize takes whole pixels only; the reading size is 15.5.
    if float(px).is_integer():
        font.setPixelSize(int(px))
    else:
        font.setPointSizeF(px * 72.0 / _logical_dpi())
    font.setWeight(weight)
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    return font


@cache
def _logical_dpi() -> float:
    from PySide6.QtGui import QGuiApplication

    screen = QGuiApplication.primaryScreen()
    return screen.logicalDotsPerInchY() if screen is not None else 96.0


@cache
def _ui_font(px: float, weight: QFont.Weight) -> QFont:
    font = _font(SANS, px, weight)
    font.setFeature(QFont.Tag("tnum"), 1)
    return font


@cache
def _story_font(px: float) -> QFont:
    return _font(SERIF, px, REGULAR)


@cache
def _mono_font(px: float) -> QFont:
    font = _font(MONO, px, REGULAR)
    font.setStyleHint(QFont.StyleHint.Monospace)
    return font


@cache
def _display_font(px: float) -> QFont:
    font = _font(DISPLAY, px, SEMIBOLD)
    font.setFeature(QFont.Tag("tnum"), 1)
    return font


def story_font(px: float = 15.5) -> QFont:
    """Serif of the story's own words: messages 15.5 px at line height 1.55, recaps 14 px."""
    return QFont(_story_font(px))


def ui_font(px: float = 12, weight: QFont.Weight = REGULAR) -> QFont:
    """Sans of what the program says, with tabular figures."""
    return QFont(_ui_font(px, weight))


def mono_font(px: float = 12) -> QFont:
    """For prompt text and queries; line 17 px at 12."""
    return QFont(_mono_font(px))


def display_font(px: float = 24) -> QFont:
    """For a headline figure or title of a wizard."""
    return QFont(_display_font(px))
