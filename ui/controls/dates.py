"""Days and moments as the language in use writes them; Qt knows the months' names."""

from __future__ import annotations

from datetime import UTC, date, datetime

from PySide6.QtCore import QDate, QLocale

from app.core.translation import tr_in


def day_words(day: date, *, with_year: bool = False, in_full: bool = False) -> str:
    """ "3 Nov", "3 Nov 2025"; in full "3 November", "3 November 2025"."""
    if in_full:
        pattern = tr_in("a day for QLocale", "d MMMM")
    else:
        pattern = tr_in("a day for QLocale", "d MMM")
    if with_year:
        pattern = f"{pattern} yyyy"
    return QLocale().toString(QDate(day.year, day.month, day.day), pattern)


def time_words(seconds: float, *, now: float) -> str:
    """When something was, the one short form of the window: "14:05" today, else "3 Nov, 14:05",
    and "3 Nov 2025" in another year. In this machine's time zone; both since the epoch.
    """
    moment = datetime.fromtimestamp(seconds, tz=UTC).astimezone()
    today = datetime.fromtimestamp(now, tz=UTC).astimezone().date()
    if moment.date() == today:
        return f"{moment:%H:%M}"
    if moment.year != today.year:
        return day_words(moment.date(), with_year=True)
    return f"{day_words(moment.date())}, {moment:%H:%M}"


def moment_words(moment: datetime) -> str:
    """ "3 November 2025, 14:05"."""
    return f"{day_words(moment, with_year=True, in_full=True)}, {moment:%H:%M}"
