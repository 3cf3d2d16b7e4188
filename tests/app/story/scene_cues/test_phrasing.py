"""The words that messages begin and end with."""

from __future__ import annotations

import pytest

from app.languages import load_packs
from app.story.messages import Message, digest
from app.story.scene_cues.phrasing import (
    PHRASINGS,
    Phrasing,
    closing_features,
    opening_features,
    parse_phrasings,
)
from app.story.scene_cues.reading import Reading, read_all

PACKS = load_packs()


def read(text: str) -> Reading:
    message = Message(anchor="m", content_hash=digest(text), name="Ada", text=text)
    return read_all([message], PACKS)[0]


def test_what_a_text_begins_with_is_told_from_what_follows() -> None:
    found = opening_features('*The next morning Ada left at 6.* "Yes," she said.')
    assert {"3 the next morning", "early next", "late left", "next morning", "next said"} <= found
    assert "late said" not in found


def test_what_a_text_ends_with_is_told_from_what_stands_before() -> None:
    found = closing_features("He came up the path. She said no more.")
    assert {"2 more .", "first she said", "no more", "before path"} <= found
    assert "before more" not in found


@pytest.mark.parametrize(
    "text", ["Then Ada and I'm sure Corvane met.", "On 12 May he saw Corvane."]
)
def test_names_and_numbers_stand_for_any(text: str) -> None:
    found = " ".join(opening_features(text))
    assert "#N" in found
    assert "corvane" not in found
    assert not any(sign.isdecimal() and int(sign) > 3 for sign in found)


def test_weights_of_what_is_there_are_summed() -> None:
    phrasing = Phrasing({"early next": 1.0, "next morning": 0.5}, {"no more": 2.0})
    assert phrasing.opens("The next morning.") == 1.5
    assert phrasing.closes("She said no more.") == 2.0
    assert Phrasing().opens("The next morning.") == 0.0


def test_what_was_learned_is_heard_in_its_language_only() -> None:
    text = "The next day came and they went on, and when it was late they had come to the river."
    assert read(text).opens == PHRASINGS["en"].opens(text) != 0.0
    assert read("Am nächsten Tag kamen sie an den Fluss, und es war schon spät.").opens == 0.0


def test_phrasings_are_kept_by_language() -> None:
    found = parse_phrasings('{"de": {"opening": {"1 am": 0.5}, "closing": {}}}')
    assert found["de"].opens("Am Abend.") == 0.5
