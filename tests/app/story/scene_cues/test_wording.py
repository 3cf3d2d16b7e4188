"""Titles and numbers of messages."""

from __future__ import annotations

import pytest

from app.story.scene_cues.wording import split_title


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("**Sublevel 7 — Hydroponics**\n\nThe ladder ends.", "Sublevel 7 — Hydroponics"),
        ("## The Old Mill\nRain.", "The Old Mill"),
        ("__Next morning__\n\nRain.", "Next morning"),
    ],
)
def test_a_heading_or_a_bold_line_is_a_title(text: str, title: str) -> None:
    found, rest = split_title(text, ())
    assert found == title
    assert title not in rest


@pytest.mark.parametrize(
    "text",
    [
        "**CRASH!**\n\nThe shelf comes down.",
        '**"Hello there"**\n\nShe waves.',
        "**Jude:**\nAre you there?",
        "**Jude**\nAre you there?",
        "**Very** tired now.\nShe sits.",
        "A plain line\nand another.",
    ],
)
def test_a_noise_speech_or_a_speaker_is_no_title(text: str) -> None:
    assert split_title(text, {"jude"}) == ("", text)
