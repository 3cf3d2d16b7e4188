"""What the forms of a query mean, and that any text is one."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core import translation
from app.core.errors import UsageError
from app.memory.records import Tier
from app.store.search import match_of, match_with
from app.work.queries.search_query import Query, read_query


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("the quay", Query("the quay")),
        ('the "silver  key" quay', Query("the quay", phrases=("silver  key",))),
        ("key -lamp", Query("key", without=("lamp",))),
        ('key -"old lamp"', Query("key", without=("old lamp",))),
        ("well-kept", Query("well-kept")),
        ("key in:Ada IN:here", Query("key", chats=("ada", "here"))),
        ('key in:"Ada Lemmer"', Query("key", chats=("ada lemmer",))),
        ("tier:long-term key", Query("key", tiers=(Tier.LONG_TERM,))),
        ("kind:plot-threads key", Query("key", tiers=(Tier.ARCS,))),
        ("tier:arcs key", Query("key", tiers=(Tier.ARCS,))),
        ("kind:messages key", Query("key", only_messages=True)),
        ("tier:ledger", Query(tiers=(Tier.STATE_LEDGER,))),
        ("who:Mara key", Query("key", people=("mara",))),
        ('who:"Old Mara" -lamp', Query("old mara", without=("lamp",), people=("old mara",))),
        ("tier:mess key", Query("key", only_messages=True)),
        ("half past 12:30", Query("half past 12:30")),
        ('an "open quote', Query("an open quote")),
        ("“two words”", Query(phrases=("two words",))),
    ],
)
def test_each_form_means_what_it_says(text: str, query: Query) -> None:
    assert read_query(text) == query


def test_an_unknown_tier_is_told_with_those_there_are() -> None:
    with pytest.raises(UsageError, match=r"long-term.* plot-threads"):
        read_query("kind:dreams")


@given(text=st.text(max_size=60))
def test_any_text_asks_the_index_for_quoted_words_only(text: str) -> None:
    with contextlib.suppress(UsageError):
        query = read_query(text)
        match = match_with(match_of(query.words), query.phrases, query.without)
        assert match.count('"') % 2 == 0
        assert set("".join(match.split('"')[::2])) <= set(" ANDORT()*")


def test_a_query_may_be_in_the_windows_language() -> None:
    english = read_query("who:Mara in:here tier:messages key")
    translation.use("de")
    try:
        assert read_query("wer:Mara in:hier ebene:nachrichten key") == english
        assert read_query("who:Mara in:here tier:messages key") == english
        assert read_query("ebene:Handlungsfäden").tiers == (Tier.ARCS,)
        assert read_query("art:Handlungsfäden").tiers == (Tier.ARCS,)
        assert read_query("art:Nachrichten key").only_messages
    finally:
        translation.use("en")
