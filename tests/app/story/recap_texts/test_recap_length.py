"""How long a scene's recap may be: as long as the scene deserves, in what a model can count."""

from __future__ import annotations

import pytest

from app.story.recap_texts.recap_length import entries_asked_again, most_entries, scene_recap_length
from app.story.recap_texts.recap_text import Recap


@pytest.mark.real_model(1)
def test_a_long_scene_gets_a_fifth_and_a_short_one_no_more_than_it_has() -> None:
    assert scene_recap_length(2500, 160, 640) == 500
    assert scene_recap_length(300, 160, 640) == 160
    assert scene_recap_length(25, 160, 640) == 60
    assert scene_recap_length(90_000, 160, 640) == 640


@pytest.mark.real_model(1)
def test_a_language_that_takes_more_tokens_gets_no_fewer_entries() -> None:
    english, german = 1500, 2100  # tokens of the same scene
    entries = [most_entries(scene_recap_length(n, 160, 640)) for n in (english, german)]
    assert entries[1] >= entries[0]
    recap = Recap(developments=tuple(f"Ereignis {n}" for n in range(entries[0])))
    assert entries_asked_again(recap, 2 * 300, scene_recap_length(german, 160, 640)) is None


@pytest.mark.real_model(1, 13)
def test_what_is_a_little_over_is_not_asked_for_again() -> None:
    recap = Recap(developments=tuple(f"Deed {n}." for n in range(12)))
    assert entries_asked_again(recap, 200, 160) is None
    assert entries_asked_again(recap, 200, 60) == 3
    assert entries_asked_again(recap, 900, 160) == 4, "few entries, each of them a story"
