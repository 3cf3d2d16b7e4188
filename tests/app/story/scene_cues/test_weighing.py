"""How evidence adds up: by one set of weights in talk, by another in prose, by both between."""

from __future__ import annotations

import json
from dataclasses import replace
from math import isfinite
from pathlib import Path

import pytest

from app.languages import load_packs
from app.story.messages import Message, digest
from app.story.scene_cues.evidence import Gathering, gather
from app.story.scene_cues.reading import read_all
from app.story.scene_cues.trees import Trees, parse_trees
from app.story.scene_cues.weighing import WEIGHTS, parse_weights

STORY = Path(__file__).parents[3] / "data" / "stories" / "lantern-district.json"
STORED = {
    "prose_from": 1.0,
    "prose_until": 2.0,
    "talk": {"bias": -1.0, "weights": {"cue": 4.0}},
    "prose": {"bias": -3.0, "weights": {"cue": 2.0, "other": 1.0}},
}


@pytest.mark.parametrize(
    ("prose", "score"), [(0.0, 3.0), (1.0, 3.0), (1.5, 1.5), (2.0, 0.0), (9.0, 0.0)]
)
def test_the_length_of_messages_says_which_weights_count(prose: float, score: float) -> None:
    weights = parse_weights(json.dumps(STORED))
    assert weights.weigh([{"cue": 1.0, "other": 1.0, "prose": prose}]) == [pytest.approx(score)]


def test_evidence_without_a_weight_counts_nothing() -> None:
    weights = parse_weights(json.dumps(STORED))
    assert weights.weigh([{"unheard of": 5.0}]) == [-1.0]


def test_what_trees_say_is_added_in_prose_alone() -> None:
    ends = {"bias": 0.0, "names": ["cue"], "trees": [{"questions": [], "ends": [10.0]}]}
    trees = parse_trees(json.dumps(ends))
    weights = replace(parse_weights(json.dumps(STORED)), trees=lambda: trees)
    talk, between, prose = ({"prose": value} for value in (1.0, 1.5, 2.0))
    assert weights.weigh([talk, prose, between, prose]) == [-1.0, 7.0, 3.0, 7.0]


def test_trees_are_not_read_where_there_is_no_prose() -> None:
    def never() -> Trees:
        raise AssertionError("read")

    weights = replace(parse_weights(json.dumps(STORED)), trees=never)
    assert weights.weigh([{"cue": 1.0}, {"prose": 1.0}]) == [3.0, -1.0]


def test_the_weights_of_the_program_are_numbers_for_talk_and_for_prose() -> None:
    assert WEIGHTS.prose_from < WEIGHTS.prose_until
    assert WEIGHTS.trees is not None
    asked = set(WEIGHTS.trees().names)
    assert len(WEIGHTS.talk) > 50
    assert len(asked) > 50
    assert WEIGHTS.prose.keys() == WEIGHTS.talk.keys() - asked
    assert all(isfinite(w) for w in (*WEIGHTS.talk.values(), *WEIGHTS.prose.values()))


def test_short_turns_are_talk_and_pages_are_prose() -> None:
    def share(text: str) -> float:
        messages = [Message(f"m{n}", digest(text), "Ada", text) for n in range(12)]
        return WEIGHTS.share_of_prose(gather(read_all(messages, ()))[-1])

    assert share("The valve hisses, and she asks for the wrench.") == 0
    assert share("The valve hisses, and she asks for the wrench. " * 20) == 1
    assert share("*The valve hisses, and she asks for the wrench.* " * 20) == 0.75


def test_what_counts_in_prose_alone_is_left_out_of_talk_and_changes_no_score() -> None:
    told = [entry["mes"] for entry in json.loads(STORY.read_text(encoding="utf-8"))["messages"]]
    short = [text[:200] for text in told[:60]]
    long = ["\n\n".join(told[at : at + 8]) for at in range(0, len(told), 8)]
    messages = [
        Message(f"m{number}", digest(text), f"P{number % 2}", text)
        for number, text in enumerate((*short, *long))
    ]
    readings = read_all(messages, load_packs())
    whole, part = gather(readings), Gathering(WEIGHTS.prose_from).of(readings)
    assert WEIGHTS.weigh(part) == WEIGHTS.weigh(whole)
    is_prose = [WEIGHTS.share_of_prose(entry) > 0 for entry in whole[1:]]
    assert ["opens" in entry for entry in part[1:]] == is_prose
    assert all("opens" in entry for entry in whole[1:])
    assert set(is_prose) == {False, True}
