"""How long to wait before the same request is tried again, and when to give up."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from app.core.errors import BackendAway, BackendError

MAX_ATTEMPTS = 8
FIRST_DELAY_SECONDS = 10.0
LONGEST_DELAY_SECONDS = 300.0
AWAY_SECONDS = 30.0  # who comes back says so, mostly
LONGEST_ASKED_SECONDS = 3600.0


def retry_delay(attempt: int, error: BaseException) -> float | None:
    """Seconds until the next try after `attempt` tries have failed (1 after the first), or None.

    Only transient faults are tried again: 10, 20, 40, 80, 160, 300, 300 s (spec/auto-recap.md §7.4,
    with a bound). What the server asks for in Retry-After counts instead, up to an hour. Who is
    only away is asked again at one pace, however often.
    """
    if not isinstance(error, BackendError) or not error.is_transient:
        return None
    is_away = isinstance(error, BackendAway)
    if attempt >= MAX_ATTEMPTS and not is_away:
        return None
    asked = error.retry_after_seconds
    if asked is not None and math.isfinite(asked) and asked >= 0:
        return min(asked, LONGEST_ASKED_SECONDS)
    if is_away:
        return AWAY_SECONDS
    return min(FIRST_DELAY_SECONDS * 2.0 ** (max(attempt, 1) - 1), LONGEST_DELAY_SECONDS)


def retry_after_seconds(header: str | None, now: datetime) -> float | None:
    """What a Retry-After header asks for: seconds, or a date; None when it says neither."""
    if not header:
        return None
    header = header.strip()
    if len(header) <= 12:
        try:
            seconds = float(header)
        except ValueError:
            pass
        else:
            return seconds if math.isfinite(seconds) and seconds >= 0 else None
    try:
        date = parsedate_to_datetime(header)
    except (TypeError, ValueError):
        return None
    if date.tzinfo is None:
        date = date.replace(tzinfo=UTC)
    return max(0.0, (date - now).total_seconds())


def server_time(header: str | None, ours: datetime) -> datetime:
    """What it is by a server's clock, by its Date header; ours where it says none.

    A date in Retry-After is one of the server's, and either clock may be wrong.
    """
    try:
        date = parsedate_to_datetime(header or "")
    except (TypeError, ValueError):
        return ours
    return date.replace(tzinfo=UTC) if date.tzinfo is None else date
