"""Which copies of a chat stay, whatever they hold and whenever they were made."""

from __future__ import annotations

import json
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from app.sillytavern.chat_contents import Contents, ContentsReader, marks_of
from app.sillytavern.copy_thinning import AGES, RARE_KEPT, KeptCopy, only_in, staying

NOW = 1_790_000_000.0
MOST = 1 + sum(number for _, number in AGES) + RARE_KEPT

# Messages by number: a story that goes on, is cut, loses some in the middle, or gains others.
TEXTS = st.frozensets(st.integers(0, 30), max_size=31).filter(bool)
COPIES = st.lists(
    st.tuples(st.floats(1, 100 * 86_400), TEXTS, st.integers(0, 3)),
    min_size=1,
    max_size=40,
    unique_by=lambda made: NOW - made[0],  # as files keep it
)
Made = list[tuple[float, frozenset[int], int]]


def contents(texts: frozenset[int], broken: int = 0) -> Contents:
    lines = tuple((n + 1,) for n in sorted(texts))
    return Contents(((), *lines), broken, begins=True, ends=True, content=hash((lines, broken)))


def copies_of(made: Made) -> dict[Path, KeptCopy]:
    return {
        Path(str(n)): KeptCopy(NOW - age, contents(texts, broken))
        for n, (age, texts, broken) in enumerate(made)
    }


@given(COPIES)
@settings(max_examples=300)
def test_no_message_is_lost_no_two_are_the_same_and_the_newest_stays(made: Made) -> None:
    copies = copies_of(made)
    kept = staying(copies, NOW)
    stays = {path: copies[path] for path in kept}
    going = {path: copy for path, copy in copies.items() if path not in kept}
    marks = marks_of(copy.contents for copy in stays.values())
    aside = only_in(going, marks)
    saved = {m for path, places in aside for n in places for m in copies[path].contents.lines[n]}
    assert marks | saved == marks_of(copy.contents for copy in copies.values())
    assert not marks & saved
    assert sum(len(places) for _, places in aside) == len(saved)  # each once
    assert len({copy.contents.content for copy in stays.values()}) == len(stays)
    assert max(c.moment for c in copies.values()) == max(c.moment for c in stays.values())
    assert len(kept) <= MOST
    assert staying(stays, NOW) == kept


@given(COPIES)
@settings(max_examples=300)
def test_of_each_stretch_of_time_a_copy_stays_that_is_as_full_as_any(made: Made) -> None:
    copies = copies_of(made)
    kept = staying(copies, NOW)
    for length, number in AGES:
        first = int(NOW // length) - number
        for copy in copies.values():
            stretch = int(copy.moment // length)
            if stretch > first:
                fullest = max(
                    copies[path].contents.size
                    for path in kept
                    # One of the same content that was made later stands for an older one.
                    if int(copies[path].moment // length) >= stretch
                )
                assert fullest >= copy.contents.size


@given(COPIES, st.floats(0, 1), st.integers(0, 5))
@settings(max_examples=300)
def test_a_shortened_or_broken_copy_pushes_out_no_fuller_one(
    made: Made, share: float, broken: int
) -> None:
    copies = copies_of(made)
    before = staying(copies, NOW)
    fullest = max((copies[path] for path in before), key=lambda copy: copy.contents.size)
    texts = sorted(m - 1 for m in fullest.contents.marks)
    cut = frozenset(texts[: int(share * (len(texts) - 1))])
    stays = {path: copies[path] for path in before}
    new = Path("new")
    after = staying({**stays, new: KeptCopy(NOW, contents(cut, broken + 4))}, NOW)
    assert new in after
    newest = max(before, key=lambda path: copies[path].moment)
    # That which was kept for being the newest alone makes room, where others have all of it.
    gone = before - after - {newest}
    assert all(copies[path].contents.size <= len(cut) for path in gone)
    assert marks_of(copies[path].contents for path in before - after) <= marks_of(
        (stays | {new: KeptCopy(NOW, contents(cut))})[path].contents for path in after
    )


@given(st.lists(st.floats(60, 20_000), min_size=60, max_size=150))
@settings(max_examples=30, deadline=None)
def test_a_chat_that_is_played_for_weeks_has_copies_of_all_ages(
    pauses: list[float],
) -> None:
    """One that came pushed out the one of its day before that was a day old: none grew old."""
    kept: dict[Path, KeptCopy] = {}
    now, days = NOW, set[int]()
    for n, pause in enumerate(pauses):
        now += pause
        days.add(int(now // 86_400))
        kept[Path(str(n))] = KeptCopy(now, contents(frozenset(range(n + 1))))
        stays = staying(kept, now)
        kept = {path: copy for path, copy in kept.items() if path in stays}
        today = int(now // 86_400)
        there = {int(copy.moment // 86_400) for copy in kept.values()}
        assert {day for day in days if day > today - 7} <= there
        assert len(kept) <= MOST


def line(mes: str, date: str = "", **more: object) -> bytes:
    return json.dumps({"name": "Ana", "mes": mes, "send_date": date, **more}).encode()


def missing(then: bytes, now: bytes) -> int:
    reader = ContentsReader()
    return len(reader.read(then).missing_in(reader.read(now).marks))


def test_an_edit_a_swipe_or_a_hidden_message_is_no_other_one() -> None:
    when = "2026-11-28T22:10:00.123Z"
    then = line("As it was.", when)
    assert missing(then, line("As it is now.", when)) == 0
    assert missing(then, line("Another.", "2026-11-28T23:00:00.001Z", swipes=["As it was."])) == 0
    assert missing(then, line("As it was.", is_system=True, extra={"memory": "x"})) == 0
    assert missing(then, line("Another.", "2026-11-28T23:00:00.001Z")) == 1


def test_a_date_that_several_messages_have_tells_none_of_them() -> None:
    for when in ("2026-01-01T00:00:00.000Z", "November 28, 2026 10:10pm"):
        then = b"\n".join(line(f"Line {n}.", when) for n in range(6))
        now = b"\n".join(line(f"Line {n}.", when) for n in range(4))
        assert missing(then, now) == 2
    assert missing(
        line("One.", "November 28, 2026 10:10pm"), line("Two.", "November 28, 2026 10:10pm")
    )


def test_what_is_broken_is_counted_and_is_no_message() -> None:
    header = b'{"user_name":"Ana","chat_metadata":{}}'
    reader = ContentsReader()
    whole = reader.read(b"\n".join((header, line("One."), line("Two."))) + b"\n")
    assert (whole.size, whole.broken, whole.begins, whole.ends) == (2, 0, True, True)
    cut = reader.read(b"\n".join((header, line("One."), line("Two.")[:-9])))
    assert (cut.size, cut.broken, cut.begins, cut.ends) == (1, 1, True, False)
    for nothing in (b"", b"\0" * 100):
        assert not reader.read(nothing).begins
