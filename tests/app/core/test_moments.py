"""Moments in the core's sentences."""

from __future__ import annotations

from datetime import datetime, timedelta

from app.core.moments import moment_text

NOON = datetime(2026, 3, 9, 12, 0).astimezone()


def test_a_moment_of_today_is_its_time_alone() -> None:
    at_nine = NOON.replace(hour=9, minute=5)
    assert moment_text(at_nine.timestamp(), now=NOON.timestamp()) == "09:05"


def test_a_moment_of_another_day_says_which() -> None:
    before = (NOON - timedelta(days=1)).replace(hour=23, minute=59)
    assert moment_text(before.timestamp(), now=NOON.timestamp()) == "2026-03-08, 23:59"
