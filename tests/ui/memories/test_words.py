"""What the memories page says of a memory is what is known of it."""

from __future__ import annotations

from dataclasses import replace

from app.memory.lifecycle.decay import PASSES_UNTIL_DOUBT, after_pass
from app.memory.records import Grounding, Memory, Source, Tier
from app.memory.standing import Ground, Standing, Status
from ui.memories.words import confidence_title, confidence_words, spoken_row

FOUND = Memory("a", 1, Tier.LONG_TERM, "fact", "The well is deep.", sources=(Source(1, "m0"),))


def spoken(memory: Memory) -> str:
    return spoken_row(Standing(memory, Status.ACTIVE, 0), Ground(1, {"m0": 0}, {}, 0))


def test_what_no_later_reading_looked_at_has_no_figure_of_confidence() -> None:
    """It said "Confidence 70 of 100. Confirmed in the last reading." of what nothing confirmed."""
    assert confidence_title(FOUND) == "Confidence"
    assert confidence_words(FOUND).endswith("No later reading has confirmed or doubted it yet.")
    assert "confidence" not in spoken(FOUND)


def test_a_figure_of_confidence_says_how_it_comes_about() -> None:
    (again,) = after_pass([FOUND], {"a"}, 5.0)
    assert confidence_title(again) == "Confidence 75 of 100"
    assert "Confirmed in the last reading. A memory begins at 70" in confidence_words(again)
    assert "confidence 75" in spoken(again)
    doubted = FOUND
    for _ in range(PASSES_UNTIL_DOUBT):
        (doubted,) = after_pass([doubted], (), 5.0)
    assert confidence_title(doubted) == "Confidence 68 of 100"
    assert f"Not mentioned in the last {PASSES_UNTIL_DOUBT} readings." in confidence_words(doubted)
    yours = replace(FOUND, grounding=Grounding.YOURS, confidence=1.0)
    assert confidence_title(yours) == "Confidence 100 of 100"
    assert confidence_words(yours) == "You wrote it."
