"""Only what may pass is tried again, later each time, and not for ever."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import (
    AnswerUnusable,
    BackendAway,
    BackendBusy,
    BackendRefused,
    BackendUnreachable,
    StoreError,
)
from app.llm.backends.retries import MAX_ATTEMPTS, retry_after_seconds, retry_delay, server_time

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.weakness(36)
def test_delays_double_up_to_a_bound_and_then_it_is_given_up() -> None:
    delays = [retry_delay(n, BackendUnreachable("x")) for n in range(1, MAX_ATTEMPTS + 1)]
    assert delays == [10, 20, 40, 80, 160, 300, 300, None]


@pytest.mark.parametrize("error", [BackendRefused("x"), AnswerUnusable("x"), StoreError("x")])
@pytest.mark.weakness(55)
def test_what_cannot_pass_is_not_tried_again(error: Exception) -> None:
    assert retry_delay(1, error) is None


@pytest.mark.parametrize(("asked", "waits"), [(3.0, 3.0), (90.0, 90.0), (1e9, 3600.0), (-1, 10.0)])
def test_the_server_may_say_when(asked: float, waits: float) -> None:
    assert retry_delay(1, BackendBusy("x", retry_after_seconds=asked)) == waits


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("17", 17.0),
        (" 2.5 ", 2.5),
        ("Thu, 01 Jan 2026 00:01:00 GMT", 60.0),
        ("Thu, 01 Jan 2020 00:01:00 GMT", 0.0),
        ("-3", None),
        ("nan", None),
        ("soon", None),
        ("", None),
        (None, None),
    ],
)
def test_retry_after_is_seconds_or_a_date(header: str | None, seconds: float | None) -> None:
    assert retry_after_seconds(header, NOW) == seconds


@pytest.mark.parametrize("years", [-3, 0, 3])
def test_a_date_is_one_of_the_servers_clock_whatever_ours_says(years: int) -> None:
    ours = NOW.replace(year=NOW.year + years)
    theirs = server_time("Thu, 01 Jan 2026 00:00:00 GMT", ours)
    assert retry_after_seconds("Thu, 01 Jan 2026 00:01:00 GMT", theirs) == 60.0
    for header in (None, "", "soon"):
        assert server_time(header, ours) == ours


@given(st.text(max_size=40))
def test_any_header_is_survived(header: str) -> None:
    seconds = retry_after_seconds(header, NOW)
    assert seconds is None or seconds >= 0


def test_who_is_only_away_is_waited_for_without_end() -> None:
    assert retry_delay(1, BackendAway("x")) == retry_delay(1000, BackendAway("x")) == 30
    assert retry_delay(1000, BackendAway("x", retry_after_seconds=3.0)) == 3
