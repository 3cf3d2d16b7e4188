"""What the list of versions says of each."""

from __future__ import annotations

import pytest

from app.story.recaps import SceneRecap
from ui.recaps.version_rows import scene_why


@pytest.mark.parametrize(
    ("made_by", "said"),
    [
        ("MemoryBooks", "Taken over from MemoryBooks"),
        ("BakemonoMemory", "Taken over from BakemonoMemory"),
        ("ST-Auto-Recap", "Found in the chat"),
        ("you", "Your edit"),
        ("ollama:x", "First version"),
    ],
)
def test_a_version_says_where_it_comes_from(made_by: str, said: str) -> None:
    recap = SceneRecap("m1", 0, "", "They met.", "d", made_by, 1.0)
    assert scene_why(recap, 0) == said
