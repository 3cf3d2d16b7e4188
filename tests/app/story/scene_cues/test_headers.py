"""Status headers read from messages."""

from __future__ import annotations

import pytest

from app.story.scene_cues.headers import (
    Header,
    minutes_between,
    place_changed,
    split_header,
)

KEYS = {"location": "place", "ort": "place", "time": "time", "zeit": "time", "day": "day"}


def header(text: str) -> Header:
    found, _ = split_header(text, KEYS)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("text", "place", "minutes"),
    [
        ("[Day 4 | 06:10 | Location: Bridge, Kestrel]\n\nHi.", "Bridge, Kestrel", 370),
        ("**Location:** Old Mill | **Time:** 8:30 PM\nHi.", "Old Mill", 1230),
        ("📍 Market square\n🕒 14:05\nHi.", "📍 Market square", 845),
        ("Location: Forest\nTime: Evening\n\nHi.", "Forest", None),
        ("> Ort: Marktplatz • Zeit: 22:10\nHallo.", "Marktplatz", 1330),
        ("[Monday, 08:15 - Cafeteria]\nHi.", "Cafeteria", 495),
    ],
)
def test_fields_are_read(text: str, place: str, minutes: int | None) -> None:
    found, rest = split_header(text, KEYS)
    assert found is not None
    assert (found.place_text, found.minutes) == (place, minutes)
    assert "Location" not in rest
    assert rest.strip() in ("Hi.", "Hallo.")


@pytest.mark.parametrize(
    "text",
    [
        "She looked at the clock. It was 10:30.",
        "*It is 10:30 when she comes.*",
        "(OOC: I am back at 5:30 pm)",
        "[Checkpoint saved]",
        "He said: location, location.",
        "",
    ],
)
def test_prose_is_no_header(text: str) -> None:
    assert split_header(text, KEYS) == (None, text)


def test_places_differ_by_their_words() -> None:
    lab, bridge = header("[10:00 | Location: Lab]"), header("[10:00 | Location: Bridge]")
    assert place_changed(lab, bridge)
    assert not place_changed(lab, lab)


@pytest.mark.parametrize(
    ("before", "after", "minutes"),
    [
        ("[10:00 | Location: A]", "[11:30 | Location: A]", 90),
        ("[23:30 | Location: A]", "[00:30 | Location: A]", 60),
        ("[10:30 | Location: A]", "[10:20 | Location: A]", 0),
        ("[Day 1 | 10:00]", "[Day 2 | 10:00]", 1440),
        ("[Location: A]", "[10:00 | Location: A]", 0),
    ],
)
def test_minutes_that_went_by(before: str, after: str, minutes: int) -> None:
    first, _ = split_header(before, KEYS)
    then, _ = split_header(after, KEYS)
    assert first is not None
    assert then is not None
    assert minutes_between(first, then) == minutes


@pytest.mark.parametrize(
    "line",
    [
        "`HP 18/20 | O2 94% | Carrying: lamp, ration bar`",
        "[Health: 80% | Mana: 5/10]",
        "❤️ 72% | Trust 45/100",
    ],
)
def test_what_a_status_line_counts_is_neither_place_nor_date(line: str) -> None:
    found, rest = split_header(f"You wait.\n\n{line}", KEYS)
    assert found is None
    assert rest.strip() == "You wait."


def test_a_gauge_or_a_mood_beside_a_time_is_no_place() -> None:
    assert header("[10:00 | HP 18/20 | Mood: calm | Lab]\nHi.") == header("[10:00 | Lab]\nHi.")


def test_a_weekday_and_a_date_are_no_gauge() -> None:
    assert header("[Fri 12/05 | 14:00 | Bar]\nHi.").day == "fri 12 05"
