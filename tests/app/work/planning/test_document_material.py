"""What longer texts are made of: what holds, and what is marked as of earlier."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.memory.records import Memory, Remembered, Source, Tier
from app.memory.standing import Ground
from app.settings.values import Settings
from app.story.messages import digest
from app.work.planning.document_material import DocumentMaterial
from tests.app.work.planning.test_document_planner import MODEL, story

TOLD = story(60, 9, 49)  # scenes of messages 0 to 9, 10 to 49, 50 to 59


def noted(field: str, at: int, tier: Tier = Tier.STATE_LEDGER) -> Memory:
    source = Source(1, f"m{at}", digest(f"This is message {at}."))
    known = {"subject": "Mira", "field": field, "sources": (source,), "made_by": "model"}
    return Memory(f"{field}{at}", 1, tier, "character", field, **known)  # type: ignore[arg-type]


@pytest.mark.real_model(13)
def test_a_portrait_is_told_which_places_and_clothes_are_of_scenes_ago() -> None:
    """It placed somebody in the hall of the scene before, told as where they are."""
    held = (
        noted("location", 20),
        noted("location", 55),
        noted("injuries", 5),
        noted("condition", 5),
        noted("outfit_disguise", 20),
        replace(noted("mood", 5), is_pinned=True),
        replace(noted("", 5, Tier.RELATIONSHIPS), type="feeling", target="Ana"),
        replace(noted("", 55, Tier.RELATIONSHIPS), type="feeling", target="Bo"),
    )
    material = DocumentMaterial(
        TOLD,
        1,
        Remembered(memories=held),
        Ground.of(1, TOLD.messages),
        Settings().for_all(),
        MODEL,
        8192,
    )
    assert material.past == {"location20", "outfit_disguise20", "condition5"}
