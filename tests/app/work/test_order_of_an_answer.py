"""One answer to many messages: what it claims of later ones wins, and what it ends is over."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.scripted_memory import Script, playing

LINES = {
    "breaks his word": "[feels:sources={n}] Ana -> Mira: betrayed(high)",
    "asks pardon": "[feels:sources={n}] Ana -> Mira: trusting(high), !betrayed",
    "gate is shut": "[detail:2:session:sources={n}] The gate of the abbey is shut.",
    "gate stands open": "[over:sources={n}] The gate of the abbey is shut.",
    "hides the key": "[hiding:sources={n}] Mira from Ana | that she has hidden the abbey key",
    "finds the key": "[knows:sources={n}:via=saw] Ana | that Mira has hidden the key of the abbey",
}


@pytest.mark.real_model(4)
async def test_in_one_answer_the_later_message_wins(tmp_path: Path) -> None:
    async with playing(tmp_path, Script(LINES), memory_every=3) as play:
        await play.add(
            "She breaks his word.", "Hm.", "She asks pardon.", "Hm.", "On.", "On.", "So."
        )
        assert len(play.readings) == 1
        assert play.active() == ["trusting"]


async def test_a_memory_that_an_answer_calls_over_ends_at_its_message(tmp_path: Path) -> None:
    async with playing(tmp_path, Script(LINES)) as play:
        await play.add("The gate is shut.", "Hm.", "On.", "On.")
        assert play.active() == ["The gate of the abbey is shut."]
        await play.add("The gate stands open.", "Hm.", "On.", "On.")
        assert play.active() == []
        assert play.standing("abbey").end == 4


@pytest.mark.real_model(3)
async def test_a_secret_that_comes_out_is_hidden_no_more(tmp_path: Path) -> None:
    async with playing(tmp_path, Script(LINES)) as play:
        await play.add("She hides the key.", "Hm.", "On.", "On.")
        assert play.active() == ["that she has hidden the abbey key"]
        await play.add("Ana finds the key.", "Hm.", "On.", "On.")
        assert play.active() == ["that Mira has hidden the key of the abbey"]
