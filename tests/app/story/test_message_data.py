"""Editing, clearing and marking message recaps: the rules of spec/auto-recap.md §1.7."""

from __future__ import annotations

import pytest

from app.story.message_data import (
    Mark,
    cleared,
    edited,
    marked,
    of_previous_swipe,
    shown,
    toggled,
)
from app.story.messages import Absence, Message, MessageRecap, digest


def message(text: str = "She came.", anchor: str = "a") -> Message:
    return Message(anchor=anchor, content_hash=digest(text), name="Mira", text=text)


NOW = message()


def test_an_edit_to_the_same_text_changes_nothing() -> None:
    old = MessageRecap("r", is_excluded=True, error="e", source_hash="h")
    assert edited(old, "r", NOW) is old


def test_an_edit_makes_it_the_users_own_and_forgets_the_error() -> None:
    made = edited(MessageRecap("r", is_remembered=True, error="e", source_hash="h"), "mine", NOW)
    assert made == MessageRecap(
        "mine", is_remembered=True, is_edited=True, source_hash=NOW.content_hash
    )


@pytest.mark.parametrize(("before", "after"), [("", "mine"), ("r", "")])
def test_a_first_recap_and_a_removed_one_lift_the_marks(before: str, after: str) -> None:
    old = MessageRecap(before, is_excluded=True, is_remembered=True)
    made = edited(old, after, NOW)
    assert (made.is_excluded, made.is_remembered) == (False, False)
    assert made.is_edited is bool(after)
    assert made.absence is (Absence.UNKNOWN if after else Absence.REMOVED)


def test_clearing_leaves_nothing_but_which_text_it_was() -> None:
    assert cleared(NOW) == MessageRecap(source_hash=NOW.content_hash, absence=Absence.REMOVED)


def test_a_mark_without_a_recap_belongs_to_the_text_shown() -> None:
    made = marked(MessageRecap(), Mark.EXCLUDED, True, NOW)
    assert made == MessageRecap(is_excluded=True, source_hash=NOW.content_hash)
    assert marked(made, Mark.EXCLUDED, False, NOW) == MessageRecap(source_hash=NOW.content_hash)
    old = MessageRecap("r", source_hash="another text")
    assert marked(old, Mark.REMEMBERED, True, NOW).source_hash == "another text"


def test_toggling_sets_what_lacks_and_lifts_only_where_all_have_it() -> None:
    messages = [message(text, anchor=text) for text in "abc"]
    recaps = {"a": MessageRecap("r", is_excluded=True, source_hash=digest("a"))}
    made = toggled(recaps, messages, Mark.EXCLUDED)
    assert set(made) == {"b", "c"}
    assert all(recap.is_excluded for recap in made.values())
    lifted = toggled(recaps | made, messages, Mark.EXCLUDED)
    assert set(lifted) == {"a", "b", "c"}
    assert not any(recap.is_excluded for recap in lifted.values())
    assert set(toggled(recaps, messages, Mark.EXCLUDED, False)) == {"a"}
    assert toggled({}, [], Mark.EXCLUDED) == {}


def test_the_record_of_the_text_shown_goes_before_newer_ones() -> None:
    first, second = MessageRecap("1", source_hash="one"), MessageRecap("2", source_hash="two")
    assert shown([first, second], "one") is first
    assert shown([first, second], "three") is second
    assert shown([], "one") == MessageRecap()


def test_the_previous_swipe_of_the_first_is_none() -> None:
    first, second = MessageRecap("1", source_hash="one"), MessageRecap("2", source_hash="two")
    assert of_previous_swipe([first, second], ["one", "two"], 1) is first
    assert of_previous_swipe([first, second], ["one", "two"], 0) is None
    assert of_previous_swipe([second], ["one", "two"], 1) is None
