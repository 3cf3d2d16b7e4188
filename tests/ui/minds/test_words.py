"""How somebody came to know a thing, in a word or two."""

from __future__ import annotations

from app.memory.records import Memory, Tier
from app.memory.standing import Standing, Status
from ui.minds.words import briefly


def test_what_was_always_so_needs_no_number_behind_it() -> None:
    memory = Memory("m", 1, Tier.EPISTEMIC, "knows", "The well is sealed.")
    assert briefly(Standing(memory, Status.ACTIVE, start=4)) == "since"
    assert briefly(Standing(memory, Status.ACTIVE)) == "from the beginning"
