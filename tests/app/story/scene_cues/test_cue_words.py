"""Each cue by which a break is found has a word for people, in their language."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from app.core import translation
from app.story.scene_cues.cue_words import cue_word
from app.story.scene_cues.weighing import WEIGHTS, main_cue
from app.story.scenes import BreakOrigin, SceneBreak

CUES = {main_cue({evidence: 9.0}) for evidence in (*WEIGHTS.talk, *WEIGHTS.prose)}


@pytest.fixture
def in_german() -> Iterator[None]:
    translation.use("de")
    yield
    translation.use(translation.ENGLISH)


@pytest.mark.usefixtures("in_german")
@pytest.mark.parametrize("cue", sorted(CUES))
def test_no_cue_is_said_by_its_name_in_the_code(cue: str) -> None:
    assert cue_word(SceneBreak("a", BreakOrigin.HEURISTIC, cue=cue)) != cue
