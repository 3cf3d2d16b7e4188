"""Which palette is in use, and who hears of a change."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication, QStyleHints

from ui.theme.tokens import CONTRAST_DARK, CONTRAST_LIGHT, DARK, LIGHT, Tokens

if TYPE_CHECKING:
    from PySide6.QtGui import QAccessibilityHints


class ThemeChoice(StrEnum):
    """What the user asked for."""

    SYSTEM = "system"
    DARK = "dark"
    LIGHT = "light"


class ContrastChoice(StrEnum):
    """How much of it the user asked for."""

    SYSTEM = "system"
    NORMAL = "normal"
    HIGH = "high"


class ThemeSource(QObject):
    """Resolves the user's choice and the system's scheme to one set of tokens.

    Signals:
        changed: Tokens, after the palette in use is another one.
        reading_size_changed: float, the story text's size in px.
    """

    changed = Signal(object)
    reading_size_changed = Signal(float)

    def __init__(self) -> None:
        super().__init__()
        self._choice = ThemeChoice.SYSTEM
        self._contrast = ContrastChoice.SYSTEM
        self._hints: QStyleHints | None = None
        self._accessibility: QAccessibilityHints | None = None
        self._tokens = DARK
        self._reading_px = 15.5

    @property
    def tokens(self) -> Tokens:
        """The palette in use."""
        return self._tokens

    @property
    def choice(self) -> ThemeChoice:
        return self._choice

    @property
    def reading_px(self) -> float:
        """Size of the story text in px, 13 to 22."""
        return self._reading_px

    def set_choice(self, choice: ThemeChoice) -> None:
        """Follow the system, or hold one palette."""
        self._choice = choice
        self._resolve()

    def set_contrast(self, contrast: ContrastChoice) -> None:
        """Follow the system, or hold one."""
        self._contrast = contrast
        self._resolve()

    def set_reading_px(self, px: float) -> None:
        """Set the story text's size; kept between 13 and 22."""
        px = max(13.0, min(22.0, px))
        if px != self._reading_px:
            self._reading_px = px
            self.reading_size_changed.emit(px)

    def follow_system(self, application: QGuiApplication) -> None:
        """Listen to the desktop's light, dark and contrast from now on."""
        self._hints = application.styleHints()  # PySide forgets what hangs on it without it
        self._hints.colorSchemeChanged.connect(self._resolve)
        self._accessibility = accessibility_of(self._hints)
        if self._accessibility is not None:
            self._accessibility.contrastPreferenceChanged.connect(self._resolve)
        self._resolve()

    def _resolve(self, _scheme: object = None) -> None:
        if self._is_high():
            tokens = CONTRAST_LIGHT if self._is_light() else CONTRAST_DARK
        else:
            tokens = LIGHT if self._is_light() else DARK
        if tokens is not self._tokens:
            self._tokens = tokens
            self.changed.emit(tokens)

    def _is_high(self) -> bool:
        if self._contrast is not ContrastChoice.SYSTEM:
            return self._contrast is ContrastChoice.HIGH
        if self._accessibility is None:
            return False
        return self._accessibility.contrastPreference() is Qt.ContrastPreference.HighContrast

    def _is_light(self) -> bool:
        if self._choice is not ThemeChoice.SYSTEM:
            return self._choice is ThemeChoice.LIGHT
        if QGuiApplication.instance() is None:
            return False
        # Without a desktop the scheme is Unknown; the design is dark first.
        return QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Light


def accessibility_of(hints: QStyleHints) -> QAccessibilityHints | None:
    """What the desktop says of contrast; None before Qt 6.10, which did not hear it."""
    ask = getattr(hints, "accessibility", None)
    return ask() if ask is not None else None
