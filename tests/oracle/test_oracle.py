"""Played with a model that is right, the program holds at each label what the labels say."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.oracle.gold import Gold
from tests.oracle.play import play

STORIES = Path(__file__).parents[1] / "data" / "stories"


def gold_of(name: str) -> Gold:
    return Gold.read(STORIES / f"{name}.json")


@pytest.mark.asyncio
async def test_with_clean_answers_memory_holds_what_is_true_at_every_label() -> None:
    played = await play(gold_of("night-ferry"), step=3)
    for tier, score in played.scores.items():
        assert (score.precision, score.recall) == (1.0, 1.0), (tier, score.missing, score.extra)


@pytest.mark.asyncio
async def test_careless_answers_cost_next_to_nothing() -> None:
    played = await play(gold_of("lantern-district"), sloppiness=0.5, step=3)
    for tier, score in played.scores.items():
        assert min(score.precision, score.recall) >= 0.97, (tier, score.missing, score.extra)


@pytest.mark.asyncio
async def test_a_request_for_each_tier_holds_the_same() -> None:
    played = await play(
        gold_of("lantern-district"), step=6, settings={"memory_requests": "separate"}
    )
    for tier, score in played.scores.items():
        assert (score.precision, score.recall) == (1.0, 1.0), (tier, score.missing, score.extra)


@pytest.mark.asyncio
async def test_the_model_is_asked_no_more_for_a_story_that_was_there_all_along() -> None:
    played = await play(gold_of("night-ferry"), step=1000)
    # What is made of memories, summaries and portraits, is asked for beside the reading.
    readings = [r for r in played.requests if "Write every kind of entry" in r.text]
    assert 0 < len(readings) < len(gold_of("night-ferry").messages) / 10
    for tier, score in played.scores.items():
        assert (score.precision, score.recall) == (1.0, 1.0), (tier, score.missing, score.extra)


def test_labels_may_leave_out_what_is_empty() -> None:
    knowing = {"after_message": 0, "holder": "Ann", "state": "knows", "about": "the key"}
    labels = {"epistemic": [knowing], "state": [], "arcs": [{"thread": "Who?", "opened": 0}]}
    gold = Gold({"messages": [{"name": "Ann", "mes": "Hello."}], "gold": labels})
    assert [label.about for label in gold.known_at(0)] == ["the key"]
    assert [arc.thread for arc in gold.open_at(0)] == ["Who?"]
