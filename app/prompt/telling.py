"""What each slot might tell on an occasion, and up to which message the head of the prompt does.
Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.prompt.budgeting.budgets import LEAST_CHAT, MOST_OF_CONTEXT
from app.prompt.choosing.drafts import Draft
from app.prompt.generation import Turn
from app.prompt.occasion import CALLED_UP_BY, Occasion
from app.prompt.placement import Placement, placement_of
from app.prompt.rendering.memory_slots import long_draft, session_draft, tier_draft
from app.prompt.rendering.people_slots import (
    epistemic_draft,
    relationships_draft,
    state_ledger_draft,
)
from app.prompt.rendering.text_slots import (
    canon_draft,
    profiles_draft,
    repair_draft,
    scenes_draft,
    short_draft,
)
from app.settings.recaps import RecapSettings
from app.settings.slot_table import SLOTS, Position, SlotName
from app.settings.slots import NEVER, SlotSettings
from app.story.story import Story

BEGINNING = 5  # messages of a young chat that the head tells of
SURE_OF = 95  # percent of a room that messages have for certain
NAME_TOKENS = 8  # of a message beside its text: who writes it, and what parts it from others
READ_LATE = 10  # messages that may pass before what was said is remembered


def placement_on(occasion: Occasion) -> Placement:
    settings, turn = occasion.slots, occasion.turn
    is_unified = settings.slots_unified if turn.is_unified is None else turn.is_unified
    mode = settings.slots_macros if turn.serves_macros else NEVER
    return placement_of(mode, turn.card or (), is_unified=is_unified)


def drafts_of(occasion: Occasion, placement: Placement, running: str) -> tuple[Draft, ...]:
    """What each slot might tell but for what the moment calls up, in the order of SlotName."""
    drafts = (
        canon_draft(occasion),
        profiles_draft(occasion),
        long_draft(occasion),
        short_draft(occasion, running),
        scenes_draft(occasion, running),
        relationships_draft(occasion),
        session_draft(occasion),
        *(tier_draft(occasion, name, spec.tier) for name, spec in SLOTS.items() if spec.tier),
        epistemic_draft(occasion),
        state_ledger_draft(occasion),
        repair_draft(occasion),
    )
    sent = (d for d in drafts if is_sent(occasion, placement, d.name))
    return tuple(sorted(sent, key=lambda draft: list(SLOTS).index(draft.name)))


def is_sent(occasion: Occasion, placement: Placement, name: SlotName) -> bool:
    """Whether it would reach a prompt, or the lorebook's eyes at least."""
    if name is SlotName.REPAIR or placement.is_in_block(name) or name in placement.by_macro:
        return True
    place = occasion.slots.place(name)
    return place.position is not Position.NONE or place.scan


def horizon_of(occasion: Occasion, placement: Placement) -> int | None:
    """The message up to which the head of the prompt tells: it moves in steps, some messages late,
    so that what is read meanwhile does not change what it has told; of a young chat, only how it
    began. None where it tells all: in one block with what changes anyway, and where there is no
    place for the rest.
    """
    every, count = occasion.slots.slots_head_every, len(occasion.story.messages)
    is_head = SlotName.LONG in placement.by_macro or (
        occasion.slots.place(SlotName.LONG).position is not Position.IN_CHAT
    )
    has_rest = is_sent(occasion, placement, SlotName.TRIGGERED)
    if not (every and is_head and has_rest) or placement.is_unified:
        return None
    return max(BEGINNING, (count - READ_LATE) // every * every)


def visible_from(story: Story, settings: Mapping[str, Any], turn: Turn) -> int | None:
    """Index of the first message that the prompt still holds itself, as far as can be told; None
    where nobody said how much it holds and nobody asked to guess.
    """
    if turn.context is None and not SlotSettings(settings).slots_leave_out_visible:
        return None
    context = turn.context or RecapSettings(settings).context_tokens
    room = min(context // MOST_OF_CONTEXT, (context - turn.fixed) // MOST_OF_CONTEXT)
    for index in range(len(story.messages) - 1, -1, -1):
        if not story.messages[index].is_hidden:
            room -= story.message_tokens[index] if index < len(story.message_tokens) else 0
        if room < 0:
            return index + 1
    return 0


def surely_from(story: Story, room: int) -> int:
    """Index of the first of the newest messages that fit so many tokens for certain; their number
    where none does, or where not all are counted.
    """
    room, count = room * SURE_OF // 100, len(story.messages)
    if len(story.message_tokens) < count:
        return count
    for index in range(count - 1, -1, -1):
        if not story.messages[index].is_hidden:
            room -= story.message_tokens[index] + NAME_TOKENS
        if room < 0:
            return index + 1
    return 0


def held_from(story: Story, settings: Mapping[str, Any], turn: Turn, slots: int) -> int:
    """Index of the first message that a prompt beside so many tokens of slots holds itself; their
    number where none does. What stands around the chat is guessed until a prompt has shown it.
    """
    context = turn.context or RecapSettings(settings).context_tokens
    return surely_from(story, context - (turn.fixed or context // LEAST_CHAT) - slots)


def sent_from(story: Story, settings: Mapping[str, Any], turn: Turn, total: int | None) -> int:
    """Index of the first message that the prompt may hold itself; never one that is certain to
    have fallen out. Where some are not counted yet, all may be there. total: as in `prepared`.
    """
    room = (turn.context or RecapSettings(settings).context_tokens) - turn.fixed
    room = min(room, total) if total else room
    last = max(0, len(story.messages) - CALLED_UP_BY)
    for index in range(len(story.messages) - 1, -1, -1):
        if index >= len(story.message_tokens):
            return 0
        if not story.messages[index].is_hidden:
            room -= story.message_tokens[index]
        if room < 0:
            return min(last, index + 1)
    return 0
