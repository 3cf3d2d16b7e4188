"""What a diligent model notes of one window: all of weight gets in, and nothing goes unsaid."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from app.memory.records import EndReason, Tier
from tests.scripted_memory import Script, playing

TRADES = (
    *("miller", "baker", "smith", "cooper", "weaver", "tanner", "glazier", "potter", "fowler"),
    *("carter", "thatcher", "chandler", "saddler", "dyer", "mason", "joiner"),
)
THINGS = (
    *("north quay", "wheel", "bell tower", "salt house", "upper ford", "chapel", "orchard"),
    *(
        "ferry",
        "barley",
        "lantern",
        "pasture",
        "harbour wall",
        "stable",
        "copper vat",
        "loom",
        "kiln",
    ),
)


def facts(weight: int, count: int) -> str:
    return "\n".join(
        f"[fact:{weight}:permanent:sources={{n}}] {trade.title()} {thing} ring lost."
        for trade, thing in zip(TRADES[:count], THINGS, strict=False)
    )


@pytest.mark.parametrize(("weight", "profile"), [(2, "b"), (3, "b"), (3, "a")])
@pytest.mark.real_model(3)
async def test_what_weighs_gets_in_however_much_it_is(
    tmp_path: Path, weight: int, profile: str
) -> None:
    script = Script({"Everything is told": facts(weight, 10)})
    settings: dict[str, Any] = {"hardware_profile": profile, "consolidation_enabled": False}
    async with playing(tmp_path, script, **settings) as play:
        view = await play.add("Everything is told of who has lost a ring.", "", "And on.", "")
        assert sum(s.is_active for s in view.of(Tier.LONG_TERM)) == 10


@pytest.mark.real_model(3)
async def test_what_a_pass_does_not_take_is_kept_to_be_read(tmp_path: Path) -> None:
    script = Script({"Everything is told": facts(1, 16)})
    async with playing(tmp_path, script, consolidation_enabled=False) as play:
        view = await play.add("Everything is told of who has lost a ring.", "", "And on.", "")
        noted = view.of(Tier.LONG_TERM)
        assert len(noted) == 16
        gone = [s.ending.reason for s in noted if s.ending]
        assert gone == [EndReason.OUTRANKED] * (16 - sum(s.is_active for s in noted))
        assert gone


async def test_the_notes_of_one_answer_come_in_its_order(tmp_path: Path) -> None:
    script = Script({"Everything is told": facts(2, 6)})
    async with playing(tmp_path, script, consolidation_enabled=False) as play:
        view = await play.add("Everything is told of who has lost a ring.", "", "And on.", "")
        held = sorted((s.memory for s in view.of(Tier.LONG_TERM)), key=lambda m: m.created)
        assert [m.text.split()[0].lower() for m in held] == list(TRADES[:6])


async def test_notes_that_a_model_cannot_merge_are_left_as_they_are(tmp_path: Path) -> None:
    """Asked for with each pass, the same request was paid for each time."""
    keys = ("north", "rusty")
    told = [f"The miller keeps the {key} key of the salt house." for key in keys]
    lines = {text: f"[fact:2:permanent:sources={{n}}] {text}" for text in told}
    script = Script(lines, {"merge the notes": "Nothing."})
    async with playing(tmp_path, script, consolidate_fact=2) as play:
        for text in (*told, "It rains.", "It pours.", "It dries."):
            view = await play.add(text, "", "And on.", "")
        merges = [r.text for r in play.llm.requests if "merge the notes" in r.text]
        assert merges
        assert len(merges) == len(set(merges))
        assert sum(s.is_active for s in view.of(Tier.LONG_TERM)) == len(told)
