"""Scenes of played stories whose turns are long: prose and talk have their say in them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.languages import load_packs
from app.story import scene_detection
from app.story.scene_cues.weighing import WEIGHTS, Weights
from tests.bench.bench_scenes import STORIES, compare, load_story

LEAST = 0.85  # mean F1 at tolerance 1; 0.88 is reached, 0.71 was before trees knew such stories


def test_scenes_of_stories_kept_out_are_found_as_if_their_turns_were_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    as_if_long: Weights = replace(WEIGHTS, prose_from=-2.0, prose_until=-1.0)
    monkeypatch.setattr(scene_detection, "WEIGHTS", as_if_long)
    packs = load_packs()
    stories = [load_story(path) for path in sorted(STORIES.glob("*.json"))]
    kept = [story for story in stories if story.split == "heldout"]
    figures = [compare(s, scene_detection.detect_breaks(s.messages, packs)) for s in kept]
    assert len(kept) >= 20
    assert sum(each.f1 for each in figures) / len(figures) >= LEAST
