"""Questions by which weights are chosen are of stories that may be used for that."""

from __future__ import annotations

import json

from tests.bench.bench_recall import ASKED, KEPT_OUT, STORIES


def test_no_story_that_is_kept_out_is_asked_and_each_answer_has_its_message() -> None:
    ways = json.loads(ASKED.read_text(encoding="utf-8"))
    asked = [(name, one) for way in ways.values() for name, ones in way.items() for one in ones]
    assert asked
    assert KEPT_OUT.isdisjoint(name for name, _ in asked)
    for name, one in asked:
        story = json.loads(next(STORIES.rglob(f"{name}.json")).read_text(encoding="utf-8"))
        told = [story["messages"][place] for place in one["told_in"]]
        assert told, one["q"]
        assert all(message["kind"] != "system" for message in told), one["q"]
