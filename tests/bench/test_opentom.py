"""What the prose of a story says of whether somebody knows that they were watched."""

from __future__ import annotations

import pytest

from tests.bench.bench_beliefs import answer_of, map_of
from tests.bench.opentom import takes_as_seen
from tests.bench.tomi import Asked, BeliefStory, Noticing

TOLD = ("Both are in the hall.", "Vera moved it.")
LINES = (
    "[present:sources=1] Vera, Odo | hall",
    "[shown:sources=1] Vera | The lantern is in the chest.",
    "[shown:sources=2] Vera | The lantern is in the barrel.",
)


@pytest.mark.parametrize(
    ("prose", "is_seen"),
    [
        ("Vera hid it. Unbeknownst to Vera, Odo had watched it all.", False),
        ("Little did she know that Odo was silently observing her.", False),
        ("She closed the lid, unaware that Odo had seen it and was left wondering.", False),
        ("Unbeknownst to her, Odo hadn’t witnessed any of it.", True),
        ("Unknown to Vera, Odo had left the hall and saw nothing.", True),
        ("Unbeknownst to Odo, Vera had not left at all.", None),
        ("Little did he know that Vera was watching Odo.", None),
        ("Odo watched her without a word.", None),
    ],
)
def test_one_sentence_says_what_the_mover_takes_the_other_to_have_seen(
    prose: str, is_seen: bool | None
) -> None:
    assert takes_as_seen(prose, "Vera", "Odo") is is_seen


def test_what_the_prose_says_of_it_changes_what_the_map_answers() -> None:
    line = "[unaware:sources=2] Vera | that Odo saw that The lantern is in the barrel."
    story = BeliefStory(TOLD, LINES, (), noticing=Noticing("Vera", False, line))
    asked = Asked("Vera", "Odo", "lantern", "chest", is_false=True)
    assert answer_of(map_of(story), asked, 1) == "barrel"
    assert answer_of(map_of(story, with_prose=True), asked, 1) == "chest"
