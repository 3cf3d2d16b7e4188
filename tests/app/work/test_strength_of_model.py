"""What a small model is spared, and what a capable one does by itself (spec §5, A and B)."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.memory.records import DocumentKind, Tier
from tests.scripted_memory import Script, playing

KEYWORDS, CHECK, HISTORY = "find keywords", "contradict", "The history of"
FACTS = (
    "Bram owes forty crowns to a miller.",
    "Wolves never cross the frozen river.",
    "Harriet painted every shutter blue.",
    "An old law forbids whistling indoors.",
    "Silver bells ring under the chapel.",
    "Grandmother buried letters beneath oaks.",
    "The ferry sinks whenever cats board.",
    "Tall Peter lost two fingers fishing.",
    "Nobody remembers who built the wall.",
    "Red salt grows along Miriam's fence.",
    "A hidden stair leads into caves.",
    "Soldiers drink vinegar before battle.",
    "Yellow moths mean somebody will die.",
    "Seven keys open one iron drawer.",
)


@pytest.mark.parametrize(
    ("profile", "kept", "asks"), [("a", 6, False), ("b", 12, True)], ids=["small", "capable"]
)
async def test_a_small_model_notes_less_and_is_asked_for_nothing_beside_reading(
    tmp_path: Path, profile: str, kept: int, *, asks: bool
) -> None:
    facts = "\n".join(f"[fact:2:permanent:sources={{n}}] {fact}" for fact in FACTS)
    script = Script(
        {
            "Bram owes": facts,
            "key is gone": "[arc:sources={n}] Who has taken the silver key of the tower?",
            "Bram has stolen": "[resolved:sources={n}] Who has taken the silver key of the tower? "
            "| Bram stole it and gave it back.",
        },
        {
            "INSUFFICIENT_EVIDENCE": "[1: RESOLVED] Bram stole the silver key and gave it back.",
            CHECK: "NONE",
        },
    )
    async with playing(
        tmp_path,
        script,
        hardware_profile=profile,
        canon_auto=True,
        continuity_auto=True,
        longterm_max=50,
    ) as play:
        await play.add(
            " ".join(FACTS), "The silver key is gone from the tower, the key is gone.", ""
        )
        await play.add("Bram has stolen the silver key of the tower.", "", "", "", "")
        assert sum(s.is_active for s in play.view.of(Tier.LONG_TERM)) == kept
        asked = "\n".join(request.text for request in play.llm.requests)
        checked = [d for d in play.view.documents if d.kind is DocumentKind.CONTINUITY]
        assert bool(checked) is asks
        assert (HISTORY in asked) is asks
        assert (KEYWORDS in asked) is asks
