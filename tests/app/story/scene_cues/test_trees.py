"""Trees as the fit writes them: each asks its way down to an end, and the ends add up."""

from __future__ import annotations

import json

import pytest

from app.story.scene_cues.trees import learned_trees, parse_trees

STORED = {
    "bias": 0.5,
    "names": ["cue", "other"],
    "trees": [
        # Up to one half of "cue": the first end; above it "other" decides.
        {"questions": [[0, 0.5, -1, 1], [1, 2.0, -2, -3]], "ends": [-1.0, 0.25, 4.0]},
        {"questions": [], "ends": [0.125]},
    ],
}


@pytest.mark.parametrize(
    ("evidence", "score"),
    [
        ({}, -0.375),
        ({"cue": 0.5, "other": 9.0}, -0.375),
        ({"cue": 1.0}, 0.875),
        ({"cue": 1.0, "other": 2.0}, 0.875),
        ({"cue": 1.0, "other": 2.1}, 4.625),
        ({"unheard of": 5.0}, -0.375),
    ],
)
def test_each_tree_asks_its_way_to_an_end(evidence: dict[str, float], score: float) -> None:
    assert parse_trees(json.dumps(STORED)).scores([evidence]) == pytest.approx([score])


def test_many_places_are_scored_as_each_by_itself() -> None:
    trees = learned_trees()
    entries = [{"opens": at % 7 - 3.0, "says": float(at % 2)} for at in range(1_100)]
    assert trees.scores([]).size == 0
    assert list(trees.scores(entries)) == [float(trees.scores([one])[0]) for one in entries]


def test_the_trees_of_the_program_know_what_novels_say() -> None:
    trees = learned_trees()
    assert {"opens", "closes", "jump0", "says"} <= set(trees.names)
    assert not {"header_place", "rule", "turn"} & set(trees.names)
    assert len(trees.roots) > 100
