"""Moments as sentences of the core tell them, in no language: the window's own form has months."""

from __future__ import annotations

from datetime import datetime


def moment_text(seconds: float, *, now: float | None = None) -> str:
    """ "14:05" for a moment of today, else "2025-11-03, 14:05".

    In this machine's time zone. seconds, now: since the epoch; now is the clock's where not given.
    """
    moment = datetime.fromtimestamp(seconds).astimezone()
    today = datetime.now().astimezone() if now is None else datetime.fromtimestamp(now).astimezone()
    if moment.date() == today.date():
        return f"{moment:%H:%M}"
    return f"{moment:%Y-%m-%d, %H:%M}"
