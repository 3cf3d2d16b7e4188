"""The palettes keep the contrasts that the visual language promises."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QColor

from app.story.inclusion import InclusionState
from ui.theme.tokens import CONTRAST_DARK, CONTRAST_LIGHT, DARK, LIGHT, Tokens

SURFACES = ("chrome", "stage", "raised", "float_", "well", "hover")


def luminance(colour: QColor) -> float:
    """Relative luminance by WCAG 2."""

    def linear(channel: float) -> float:
        return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4

    return (
        0.2126 * linear(colour.redF())
        + 0.7152 * linear(colour.greenF())
        + 0.0722 * linear(colour.blueF())
    )


def contrast(one: QColor, other: QColor) -> float:
    """Contrast ratio by WCAG 2, 1 to 21."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


# (token, on stage in the dark, on stage in the light), look.md §2.1 and §2.2
ON_STAGE = (
    ("ctl", 3.8, 3.8),
    ("t1", 15.0, 16.0),
    ("t2", 9.2, 8.2),
    ("t3", 5.8, 5.8),
    ("prose", 12.1, 14.0),
    ("say", 15.0, 16.0),
    ("narr", 9.1, 7.2),
    ("ring", 9.4, 3.9),
    ("accent_text", 9.4, 6.1),
)


@pytest.mark.parametrize(("token", "dark", "light"), ON_STAGE)
def test_text_and_lines_have_the_contrast_that_is_written_down(
    token: str, dark: float, light: float
) -> None:
    assert contrast(getattr(DARK, token), DARK.stage) == pytest.approx(dark, abs=0.11)
    assert contrast(getattr(LIGHT, token), LIGHT.stage) == pytest.approx(light, abs=0.11)


@pytest.mark.parametrize("tokens", [DARK, LIGHT], ids=lambda tokens: tokens.name)
@pytest.mark.parametrize("token", ["t1", "t2", "t3", "prose", "say", "narr"])
def test_text_is_readable_on_every_surface(tokens: Tokens, token: str) -> None:
    text = getattr(tokens, token)
    assert min(contrast(text, getattr(tokens, surface)) for surface in SURFACES) >= 4.5


@pytest.mark.parametrize("tokens", [DARK, LIGHT], ids=lambda tokens: tokens.name)
@pytest.mark.parametrize("state", InclusionState)
def test_the_word_of_every_state_is_readable(tokens: Tokens, state: InclusionState) -> None:
    assert contrast(tokens.text_tone(state), tokens.stage) >= 4.5


@pytest.mark.parametrize(("tokens", "least"), [(DARK, 6.4), (LIGHT, 3.5)])
def test_a_tier_is_seen_against_the_stage(tokens: Tokens, least: float) -> None:
    assert len(tokens.slot_hues) == 12
    for hue in tokens.slot_hues.values():
        assert contrast(hue, tokens.stage) >= least - 0.05


@pytest.mark.parametrize(
    ("tokens", "ink", "left", "right"), [(DARK, 9.6, 8.0, 8.8), (LIGHT, 8.7, 8.3, 7.4)]
)
def test_ink_and_comparison_stand_out_from_their_grounds(
    tokens: Tokens, ink: float, left: float, right: float
) -> None:
    assert contrast(tokens.accent_ink, tokens.accent) == pytest.approx(ink, abs=0.11)
    sides = tokens.compare_left, tokens.compare_right
    measured = [contrast(side.text, side.ground) for side in sides]
    assert measured == pytest.approx([left, right], abs=0.11)


HIGH = (CONTRAST_DARK, CONTRAST_LIGHT)
WORDS = ("t1", "t2", "t3", "prose", "say", "narr", "accent_text")
MEANINGS = (
    *("included", "long_term", "out_of_budget", "excluded"),
    *("lagging", "failed", "edited", "stale"),
)


@pytest.mark.parametrize("tokens", HIGH, ids=lambda tokens: tokens.name)
def test_in_high_contrast_every_word_has_seven_to_one_on_every_surface(tokens: Tokens) -> None:
    inks = {name: getattr(tokens, name) for name in WORDS}
    inks.update((name, getattr(tokens, name).text) for name in MEANINGS)
    for name, ink in inks.items():
        for surface in (*SURFACES, "accent_soft"):
            assert contrast(ink, getattr(tokens, surface)) >= 7.0, (name, surface)
    pairs = (tokens.compare_left, tokens.compare_right)
    assert all(contrast(side.text, side.ground) >= 7.0 for side in pairs)
    assert contrast(tokens.accent_ink, tokens.accent) >= 7.0


@pytest.mark.parametrize("tokens", HIGH, ids=lambda tokens: tokens.name)
def test_in_high_contrast_edges_and_bars_are_seen(tokens: Tokens) -> None:
    for name, least in (("line", 3.0), ("line2", 7.0), ("ctl", 7.0), ("ring", 7.0)):
        assert contrast(getattr(tokens, name), tokens.stage) >= least, name
    for name in ("included", "long_term", "out_of_budget", "failed"):
        assert contrast(getattr(tokens, name).fill, tokens.stage) >= 4.5, name
    for hue in tokens.slot_hues.values():
        assert contrast(hue, tokens.stage) >= 5.5
    assert tokens.ring_width > DARK.ring_width
    assert tokens.hatch_width > DARK.hatch_width
