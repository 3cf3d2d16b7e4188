"""Colours, type, icons and the drawing of controls."""

from __future__ import annotations

from ui.theme.source import ContrastChoice, ThemeChoice, ThemeSource
from ui.theme.tokens import DARK, LIGHT, Tokens

theme = ThemeSource()


def current_tokens() -> Tokens:
    """The palette in use; listen to `theme.changed` to hear of another."""
    return theme.tokens


__all__ = [
    "DARK",
    "LIGHT",
    "ContrastChoice",
    "ThemeChoice",
    "ThemeSource",
    "Tokens",
    "current_tokens",
    "theme",
]
