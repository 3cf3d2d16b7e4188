"""Who answers, and that only what holds is told."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from unittest.mock import patch

import pytest

from app.memory.records import DocumentKind, Ending, EndReason, Review, Tier
from app.prompt.choosing.presence import Besides
from app.settings.slot_table import SlotName
from app.story.messages import Message, digest
from app.story.story import ChatKind
from tests.app.prompt.remembered import (
    OF_ALL_TIERS,
    document,
    memory,
    prompt,
    story,
    text_of,
    whole,
)

ENDED = Ending(EndReason.BY_HAND)


@pytest.mark.parametrize("tier", Tier)
@pytest.mark.parametrize(
    "changes",
    [
        {"review": Review.WAITING},
        {"review": Review.REJECTED},
        {"endings": (ENDED,)},
        {"hash": "other words"},
        {"at": 9},
    ],
    ids=["waiting", "rejected", "ended", "stale", "withdrawn"],
)
@pytest.mark.pitfall(54)
def test_what_does_not_hold_is_never_told(tier: Tier, changes: dict[str, object]) -> None:
    fields: dict[str, Any] = {"subject": "Vera", "target": "You", "field": "location"}
    held = memory("cellar door", tier, id="held", **fields)
    assert "cellar door" in whole(prompt([held]))
    assert "cellar door" not in whole(prompt([memory("cellar door", tier, **fields | changes)]))


@pytest.mark.real_model(12)
def test_in_a_file_of_its_own_the_one_who_writes_answers() -> None:
    alone = story()
    alone = replace(alone, chat=replace(alone.chat, kind=ChatKind.FILE, owner_name="", speakers=()))
    secret = memory("that the key is lost", Tier.EPISTEMIC, subject="Vera")
    portrait = document(DocumentKind.PROFILE, "She guards the gate.", subject="Vera")
    told = prompt([secret], documents=[portrait], of=alone)
    assert told.responder == "Vera"
    assert "that the key is lost" in text_of(told, SlotName.EPISTEMIC)
    several = story(kind=ChatKind.GROUP)
    several = replace(several, chat=replace(alone.chat, kind=ChatKind.FILE))
    assert prompt([secret], of=several).responder == "", "more than one may answer"


def test_who_writes_alone_is_told_from_new_messages_only() -> None:
    alone = story()
    alone = replace(alone, chat=replace(alone.chat, kind=ChatKind.FILE, owner_name="", speakers=()))
    assert prompt(OF_ALL_TIERS, of=alone).responder == "Vera"
    asked: list[str] = []

    def besides(_: Besides, message: Message) -> bool:
        asked.append(message.anchor)
        return False

    with patch.object(Besides, "__call__", besides):
        longer = (*alone.messages, Message("late", digest("So?"), "You", "So?", is_user=True))
        places = alone.places.after(longer, len(alone.messages))
        told = prompt(OF_ALL_TIERS, of=replace(alone, messages=longer, places=places))
    assert told.responder == "Vera"
    assert asked == ["late"]
