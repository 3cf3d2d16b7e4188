"""What is wanted of a chat is said by methods, and heard once."""

from __future__ import annotations

from app.work.chats.wanted_work import WantedWork


def test_a_round_is_news_where_it_begins_and_where_it_ends() -> None:
    work = WantedWork()
    assert [work.set_round(is_on=is_on) for is_on in (False, True, True, False)] == [
        False,
        True,
        False,
        True,
    ]


def test_a_reading_that_is_wanted_waits_for_nothing_until_it_is_ended() -> None:
    work = WantedWork()
    assert work.reading_state.waits
    work.want_reading()
    assert not work.reading_state.waits
    work.end_reading()
    assert work.reading_state.waits
    work.keep_memory(is_on=True, to_the_end=True)
    work.end_reading()
    assert work.keeps_memory
    assert not work.reading_state.waits, "a command reads to the end whatever is wanted"


def test_a_search_that_is_wanted_is_so_until_it_is_ended() -> None:
    work = WantedWork()
    work.want_search(7.0)
    assert work.search.is_wanted
    work.end_search()
    assert not work.search.is_wanted
    assert work.search.asked == 7.0
