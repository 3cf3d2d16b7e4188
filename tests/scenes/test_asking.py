"""What asking about doubts gives on stories kept out, by the answers of a language model."""

from __future__ import annotations

import pytest

from tests.bench.bench_scenes import load_story
from tests.scenes.asking import STORIES, Measured, RecordedBackend, recorded, with_answers

MEAN, LEAST, MOST_REQUESTS = 0.92, 0.85, 2.0  # F1 at tolerance 1; requests for 100 messages


@pytest.mark.slow
async def test_with_a_model_scenes_of_stories_kept_out_are_found_with_few_requests() -> None:
    found: list[Measured] = []
    requests = messages = 0
    for name, ends in recorded().items():
        labelled = load_story(STORIES / f"{name}.json")
        assert labelled.split == "heldout"
        found.append(await with_answers(labelled, RecordedBackend(ends)))
        requests, messages = requests + len(found[-1].tokens), messages + len(labelled.messages)
    assert len(found) >= 3
    assert sum(each.asked.f1 for each in found) / len(found) >= MEAN
    assert min(each.asked.f1 for each in found) >= LEAST
    assert 100 * requests / messages <= MOST_REQUESTS
