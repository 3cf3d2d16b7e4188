"""Where propositions and people stand: calm, and the same each time."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from app.memory.epistemic.map_view import Topic
from ui.minds.layout import rows

LAST = 40
lives = st.tuples(st.integers(0, LAST), st.none() | st.integers(0, LAST))


def topics(spans: list[tuple[int, int | None]]) -> list[Topic]:
    return [
        Topic(n, f"k{n}", f"t{n}", False, first, None if end is None else max(end, first + 1))
        for n, (first, end) in enumerate(spans)
    ]


def holding(found: list[Topic]) -> list[int]:
    return [t.number for t in found if t.end is None or t.end > LAST]


@given(st.lists(lives, max_size=30))
def test_no_two_matters_that_hold_at_once_share_a_row(spans: list[tuple[int, int | None]]) -> None:
    found = topics(spans)
    row = rows(found, LAST, holding(found))
    for one, other in combinations(found, 2):
        if row[one.number] == row[other.number]:
            ends = [LAST + 1 if t.end is None else t.end for t in (one, other)]
            assert ends[0] <= other.first or ends[1] <= one.first


@given(st.lists(lives, max_size=30))
def test_what_holds_now_stands_close_together(spans: list[tuple[int, int | None]]) -> None:
    found = topics(spans)
    now = holding(found)
    row = rows(found, LAST, now)
    assert [row[number] for number in now] == list(range(len(now)))


def test_what_has_ended_gives_its_row_to_what_comes_after() -> None:
    found = topics([(0, 10), (12, None), (5, 20)])
    assert rows(found, LAST, [1]) == {1: 0, 0: 0, 2: 1}
