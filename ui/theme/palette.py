"""The QPalette that standard widgets draw with.

Roles that Fusion does not use carry the text tones it lacks: BrightText is t2, Link the accent's
text tone. A label says `setForegroundRole` and follows the theme without being told.
"""

from __future__ import annotations

from PySide6.QtGui import QPalette

from ui.theme.tokens import Tokens

Role = QPalette.ColorRole
Group = QPalette.ColorGroup

T1_ROLE = Role.WindowText
T2_ROLE = Role.BrightText
T3_ROLE = Role.PlaceholderText
ACCENT_ROLE = Role.Link
FLOAT_ROLE = Role.ToolTipBase  # the ground of what lies over the pages


def palette_of(tokens: Tokens) -> QPalette:
    """A palette with every role set from `tokens`, disabled ones included."""
    palette = QPalette()
    colours = {
        Role.Window: tokens.chrome,
        Role.WindowText: tokens.t1,
        Role.Base: tokens.stage,
        Role.AlternateBase: tokens.well,
        Role.Text: tokens.t1,
        Role.PlaceholderText: tokens.t3,
        Role.Button: tokens.raised,
        Role.ButtonText: tokens.t1,
        Role.BrightText: tokens.t2,
        Role.ToolTipBase: tokens.float_,
        Role.ToolTipText: tokens.t1,
        Role.Highlight: tokens.accent_soft,
        Role.HighlightedText: tokens.t1,
        Role.Link: tokens.accent_text,
        Role.LinkVisited: tokens.edited.text,
        Role.Light: tokens.hover,
        Role.Midlight: tokens.hover,
        Role.Mid: tokens.line,
        Role.Dark: tokens.line2,
        Role.Shadow: tokens.chrome,
        Role.Accent: tokens.accent,
    }
    for role, colour in colours.items():
        palette.setColor(role, colour)
    for role in (Role.WindowText, Role.Text, Role.ButtonText, Role.HighlightedText):
        palette.setColor(Group.Disabled, role, tokens.t3)
    return palette
