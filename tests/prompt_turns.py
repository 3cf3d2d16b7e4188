"""Turns that were sent, for tests: slots, and the prompt that came of them."""

from __future__ import annotations

from dataclasses import replace

from app.prompt.slots import LeftOut, Reason, Slot, SlotContent
from app.prompt.turns import FinalPrompt, SentPart, SentTurn, Wire
from app.settings.slot_table import Position, Role, SlotName

LONG, SESSION, PROFILES = SlotName.LONG, SlotName.SESSION, SlotName.PROFILES


def count(text: str) -> int:
    """A token for each word."""
    return len(text.split())


def slot(
    name: SlotName | str,
    text: str,
    *,
    position: Position = Position.IN_PROMPT,
    depth: int = 0,
    cut: int = 0,
    role: Role = Role.SYSTEM,
) -> Slot:
    """A slot of so many words, of which some were cut."""
    key = name.key if isinstance(name, SlotName) else name
    tokens = count(text)
    return Slot(key, position, depth, role, False, text, tokens, max(50, tokens), tokens + cut)


def content(made: Slot, *left_out: str) -> SlotContent:
    """What became of a slot."""
    lost = tuple(LeftOut(text, Reason.BUDGET) for text in left_out)
    return SlotContent(made.key, (), lost, made.tokens, made.budget, made.full_tokens)


def turn(
    *slots: Slot,
    prompt: tuple[tuple[str, str], ...] | None = None,
    number: int = 1,
    moment: float = 1_700_000_000.0,
    **facts: object,
) -> SentTurn:
    """A reply for Midge. prompt: (role, text) of each message."""
    made = SentTurn(number, moment, "normal", "Midge", None, 1, 8000, 12, slots)
    if prompt is not None:
        parts = tuple(SentPart.of(role, text) for role, text in prompt)
        wire = Wire.CHAT if prompt[0][0] else Wire.TEXT
        made = replace(made, prompt=FinalPrompt(wire, parts), has_prompt=True)
    return replace(made, **facts)  # type: ignore[arg-type]
