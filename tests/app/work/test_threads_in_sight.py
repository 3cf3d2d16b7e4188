"""More open threads than are to be kept: the others are put aside, come back, and it is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.memory.records import Tier
from tests.scripted_memory import Play, Script, playing
from ui.memories.words import standing_words

OPENED = {
    "captain is missing": "[arc:sources={n}] What became of the drowned captain?",
    "wheel is broken": "[arc:sources={n}] Will the miller pay for the broken wheel?",
    "crosses on doors": "[arc:sources={n}] Who paints blue crosses on the doors?",
    "tower leans": "[arc:sources={n}] Does the bell tower stand until spring?",
    "horse was found": "[resolved:sources={n}] Who paints blue crosses on the doors? | a child",
}
FIRST, SECOND = "What became of the drowned captain?", "Will the miller pay for the broken wheel?"


def open_threads(play: Play) -> list[str]:
    return [s.memory.text for s in play.view.of(Tier.ARCS) if s.is_active]


@pytest.mark.real_model(14)
async def test_the_first_question_stays_and_what_went_comes_back(tmp_path: Path) -> None:
    async with playing(tmp_path, Script(OPENED), arcs_max=3) as play:
        for words in list(OPENED)[:4]:
            await play.add(f"They say the {words}.", "")
        await play.add("So it is.", "")
        assert FIRST in open_threads(play)
        assert SECOND not in open_threads(play)
        assert play.view.aside == (SECOND,)
        assert standing_words(play.standing("broken wheel")) == "set aside until there is room"
        await play.add("At last the horse was found.", "", "And on they go.", "")
        assert SECOND in open_threads(play)
        assert not play.view.aside
