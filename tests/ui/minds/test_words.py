"""What the page of minds says of who learned what, and how."""

from __future__ import annotations

from app.memory.epistemic.epistemic_map import Step
from app.memory.records import Memory, Source, Tier
from app.memory.standing import BEFORE, Standing, Status
from ui.minds.words import step_how


def step(message: int, teller: str = "", channel: str = "") -> Step:
    sources = (Source(2, "m1", "hash"),)
    memory = Memory("k", 1, Tier.EPISTEMIC, "knows", "it", channel=channel, sources=sources)
    return Step(message, teller, "Bert", channel, Standing(memory, Status.ACTIVE, message))


def test_how_it_was_learned_says_where_no_message_of_this_chat_does() -> None:
    assert step_how(step(BEFORE, channel="saw")) == "saw it, other chat"
    assert step_how(step(BEFORE, teller="Ann")) == "told, other chat"
    assert step_how(step(6, teller="Ann")) == "told"
