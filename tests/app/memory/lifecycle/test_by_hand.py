"""What a user writes into memory by hand is kept only where it makes sense, and says why not."""

from __future__ import annotations

from typing import Any

import pytest

from app.core.errors import UsageError
from app.memory.lifecycle.by_hand import LONGEST_TEXT, checked, resolved_by_hand, retyped
from app.memory.records import Entity, Memory, Tier


def memory(tier: Tier = Tier.LONG_TERM, type_: str = "fact", **more: Any) -> Memory:
    return Memory("1", 1, tier, type_, more.pop("text", "The mill burned."), **more)


LINE: dict[str, Any] = {"tier": Tier.STATE_LEDGER, "type_": "character", "field": "mood"}
FEELING: dict[str, Any] = {"tier": Tier.RELATIONSHIPS, "type_": "feeling", "magnitude": "high"}


def test_what_makes_sense_is_kept_without_blanks_around_it() -> None:
    kept = checked(memory(**LINE, text=" afraid ", subject=" Ada  Mill "))
    assert (kept.text, kept.subject) == ("afraid", "Ada Mill")
    assert checked(memory(**FEELING, subject="Ada", target="Bert")).target == "Bert"


@pytest.mark.parametrize(
    "wrong",
    [
        {"text": "  "},
        {"text": "x" * (LONGEST_TEXT + 1)},
        {"type_": "rumour"},
        {"importance": 4},
        LINE,  # of nobody
        {**LINE, "subject": "Ada", "field": "wealth"},
        {**FEELING, "subject": "Ada"},  # toward nobody
        {**FEELING, "subject": "Ada", "target": "Bert", "magnitude": "huge"},
    ],
)
def test_what_makes_no_sense_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        checked(memory(**wrong))


def test_a_thread_is_closed_once_and_nothing_else_is() -> None:
    closed = resolved_by_hand(memory(Tier.ARCS, "arc"), " It burned down. ")
    assert closed.endings[-1].text == "It burned down."
    for other in (closed, memory()):
        with pytest.raises(UsageError):
            resolved_by_hand(other, "")


@pytest.mark.parametrize(
    ("entity", "type_"),
    [
        (Entity("e", 1, "The mill", "place"), "weather"),
        (Entity("e", 1, "Ada", "character", is_locked=True), "place"),
    ],
)
def test_nothing_becomes_a_type_that_there_is_not_and_a_card_stays_a_character(
    entity: Entity, type_: str
) -> None:
    with pytest.raises(UsageError):
        retyped(entity, type_, ())
    assert retyped(Entity("e", 1, "The mill", "place"), "object", ()).entities[0].type == "object"
