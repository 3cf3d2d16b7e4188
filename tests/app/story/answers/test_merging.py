"""Changes to the numbered entries of a running recap: taken as they are meant, or not at all."""

from __future__ import annotations

import json
from typing import Any

import pytest

from app.story.answers.merging import (
    Changes,
    bounded,
    changed,
    joined,
    numbered,
    read_merged,
    rewritten,
)
from app.story.answers.task_answers import Unreadable
from app.story.recap_texts.recap_text import Recap

OLD = Recap(("Ann hired Bo.", "Bo rode off."), ("Who has the ring?",), ("Bo is at the ford.",))
SCENE = Recap(("Bo found the ring.",), (), ("Bo is at the mill.",), ("The ring was Cid's.",))
SHOWN = numbered(OLD, 1000, len)


def merged(answer: Any) -> Recap:
    read = read_merged(json.dumps(answer), SHOWN)
    return read if isinstance(read, Recap) else changed(OLD, SCENE, SHOWN, read)


def test_each_entry_is_shown_with_its_number_behind_it() -> None:
    assert SHOWN.text == (
        "DEVELOPMENTS\nAnn hired Bo. [1]\nBo rode off. [2]\n\nOPEN\nWho has the ring? [3]\n\n"
        "STATE\nBo is at the ford. [4]"
    )


def test_what_nobody_speaks_of_stays_word_for_word_and_the_scene_comes_behind_it() -> None:
    assert merged({"drop": [], "replace": [], "add": {}}) == joined(OLD, SCENE)
    assert joined(OLD, SCENE).developments == (
        *OLD.developments,
        "Bo found the ring.",
        "The ring was Cid's.",
    )


def test_entries_are_dropped_replaced_joined_and_added() -> None:
    made = merged(
        {
            "drop": [3, "[4]"],
            "replace": [{"entries": [1, 2], "text": "Ann hired Bo, who rode off. [1]"}],
            "add": {"open": ["Will Bo sell it?"]},
        }
    )
    assert made == Recap(
        ("Ann hired Bo, who rode off.", "Bo found the ring.", "The ring was Cid's."),
        ("Will Bo sell it?",),
        ("Bo is at the mill.",),
    )


def test_what_is_joined_stands_where_the_last_of_it_stood() -> None:
    """A sentence about two days far apart came before all that happened between them."""
    old = Recap(("Ann hired Bo.", "Cid fell ill.", "Bo rode off."))
    shown = numbered(old, 1000, len)
    answer = {"replace": [{"entries": [1, 3], "text": "Bo, whom Ann had hired, rode off."}]}
    read = read_merged(json.dumps(answer), shown)
    assert isinstance(read, Changes)
    made = changed(old, Recap(), shown, read)
    assert made.developments == ("Cid fell ill.", "Bo, whom Ann had hired, rode off.")


@pytest.mark.parametrize(
    "answer",
    [
        {"drop": [5]},
        {"drop": [0]},
        {"drop": ["the last"]},
        {"drop": [1, 1]},
        {"drop": [1], "replace": [{"entries": [1], "text": "Ann hired Bo again."}]},
        {"replace": [{"entries": [1], "text": ""}]},
        {"replace": [{"text": "Ann hired Bo again."}]},
        {"replace": ["Ann hired Bo again."]},
        {"replace": [{"entries": [1], "text": "I'm sorry, but I can't help with that."}]},
        {"add": {"developments": ["I'm sorry, but I can't help with that."]}},
    ],
)
@pytest.mark.real_model(13)
def test_changes_to_what_there_is_not_are_refused_whole(answer: dict[str, Any]) -> None:
    with pytest.raises(Unreadable):
        merged(answer)


def test_replacements_may_be_told_by_their_numbers() -> None:
    assert (
        merged({"replace": {"1": "Ann hired Bo again."}}).developments[0] == "Ann hired Bo again."
    )


def test_a_whole_recap_is_taken_without_the_numbers_that_it_copied() -> None:
    whole = {"developments": ["Ann hired Bo. [1]", "Bo found the ring."], "state": ["Bo rests."]}
    expected = Recap(("Ann hired Bo.", "Bo found the ring."), (), ("Bo rests.",))
    assert merged({"recap": whole}) == expected


def test_a_pinned_sentence_has_no_number_by_which_it_could_be_dropped() -> None:
    shown = numbered(OLD, 1000, len, ["ann hired bo."])
    assert shown.text.startswith("DEVELOPMENTS\nAnn hired Bo.\nBo rode off. [1]")


def test_what_there_is_no_room_to_show_stays() -> None:
    shown = numbered(OLD, 85, len)
    assert "Ann hired Bo." not in shown.text
    assert shown.hidden == 1
    whole = read_merged('{"recap": {"developments": ["All was well."]}}', shown)
    assert isinstance(whole, Recap)
    assert rewritten(OLD, whole, shown).developments == ("Ann hired Bo.", "All was well.")
    dropped = read_merged(json.dumps({"drop": [1]}), shown)
    assert not isinstance(dropped, Recap)
    assert changed(OLD, SCENE, shown, dropped).developments[0] == "Ann hired Bo."


def test_only_what_is_far_beyond_its_room_goes_and_is_counted() -> None:
    recap = Recap(tuple(f"Deed {n} was done." for n in range(20)), (), ("Bo rests.",))
    size = len(recap.render())
    assert bounded(recap, size * 2 // 3 + 1, len) == (recap, 0)
    within, gone = bounded(recap, size // 3, len)
    assert within.developments == recap.developments[gone:]
    assert gone
