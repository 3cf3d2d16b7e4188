"""What a model says for a scene break, weighed against the messages around it."""

from __future__ import annotations

import pytest

from app.languages import load_packs
from app.story.answers.rationale import lacks_continuity_break, names_layout
from app.story.messages import Message

PACKS = load_packs()
SAME_ROOM = (
    '*Ada folds the map.* "I will do it. You have my word."',
    '"Then I do it with you." *Ben shakes her hand.*',
    '*Ada laughs.* "You have no idea what you said yes to."',
)


def messages(*texts: str) -> list[Message]:
    return [Message("", "", "Ada", text) for text in texts]


@pytest.mark.parametrize(
    "rationale",
    [
        "The separator after #4 ends it.",
        "A line of --- follows.",
        "* * * marks the end.",
        "Chapter IV starts.",
        "Markdown heading.",
    ],
)
def test_layout_is_named_as_evidence(rationale: str) -> None:
    assert names_layout(rationale)


@pytest.mark.parametrize(
    "rationale",
    [
        "They part at the gate.",
        "She says: no - not today.",
        "A new chapter of their life.",
        "",
        "--",
    ],
)
def test_a_dash_and_a_figure_of_speech_are_no_layout(rationale: str) -> None:
    assert not names_layout(rationale)


def test_a_decision_in_the_same_room_ends_no_scene() -> None:
    assert lacks_continuity_break("They agree on a plan.", messages(*SAME_ROOM), PACKS)


@pytest.mark.parametrize(
    "rationale",
    ["They agree on a plan and leave.", "The plan is made; the next morning comes.", "Dawn.", ""],
)
def test_a_reason_of_time_place_or_company_is_believed(rationale: str) -> None:
    assert not lacks_continuity_break(rationale, messages(*SAME_ROOM), PACKS)


@pytest.mark.parametrize(
    "later",
    [
        "*The next morning the harbour is full of ice.*",
        '*Ada arrives at the mill.* "Anybody?"',
        "*Am nächsten Morgen ist der Hafen voller Eis, und sie ist nicht mehr da.*",
    ],
)
def test_messages_that_show_a_change_are_believed(later: str) -> None:
    assert not lacks_continuity_break("They made a decision.", messages(*SAME_ROOM, later), PACKS)


def test_in_a_language_without_a_pack_nothing_is_vetoed() -> None:
    texts = messages("Zorgle flim, brankot usni.", "Flim usni, brankot!")
    assert not lacks_continuity_break("They made a decision.", texts, PACKS)
    assert not lacks_continuity_break("They made a decision.", messages(*SAME_ROOM), ())
