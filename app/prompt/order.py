"""The order in which SillyTavern puts slots between its own parts of a prompt. Pure.

Source: spec/sillytavern.md §5, "Where the text lands".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from app.core.translation import N_
from app.prompt.slots import Slot
from app.prompt.turns import SentTurn, Wire
from app.settings.slot_table import Position, Role

# Of the same depth: those behind stand nearer to the end of the chat.
_NEARER = {Role.ASSISTANT: 0, Role.USER: 1, Role.SYSTEM: 2}


class Own(StrEnum):
    """A part of the prompt that is SillyTavern's own."""

    MAIN = N_("main prompt")
    CARD = N_("character, persona, lore and examples")
    CHAT = N_("chat")
    MACRO = N_("where its macro stands")


@dataclass(frozen=True, slots=True)
class Stand:
    """A stretch of the prompt to be: a slot, or one of SillyTavern's own parts.

    count: messages of the chat, for a stretch of it. is_last: the stretch ends the chat.
    """

    slot: Slot | None = None
    own: Own | None = None
    count: int = 0
    is_last: bool = False


def layout(slots: Iterable[Slot], messages: int, wire: Wire) -> tuple[Stand, ...]:
    """The coming prompt, from its beginning to its end, as SillyTavern's default preset has it.

    messages: of the chat, that may stand in the prompt. Slots without a text and those that are
    placed nowhere are left out; what a macro serves stands where the card names it.
    """
    told = [slot for slot in slots if slot.text]
    before = [slot for slot in told if slot.position is Position.BEFORE_PROMPT]
    main = [slot for slot in told if slot.position is Position.IN_PROMPT]
    if wire is Wire.CHAT:
        before.reverse()  # each is put before all that is there
        head = [*_stands(before), Stand(own=Own.MAIN), *_stands(main), Stand(own=Own.CARD)]
    else:
        ordered_by_key = sorted(before, key=lambda s: s.key), sorted(main, key=lambda s: s.key)
        head = [*_stands(ordered_by_key[0]), Stand(own=Own.MAIN), Stand(own=Own.CARD)]
        head += _stands(ordered_by_key[1])
    macros = [slot for slot in told if slot.macro]
    if macros:
        head += [Stand(own=Own.MACRO), *_stands(macros)]
    return (*head, *_chat(told, messages))


def ordered(slots: Iterable[Slot], wire: Wire) -> tuple[Slot, ...]:
    """The slots with a text in the order of the prompt."""
    return tuple(stand.slot for stand in layout(slots, 0, wire) if stand.slot is not None)


def wire_of(turns: Iterable[SentTurn]) -> Wire:
    """How the next prompt will be handed over: as the newest of these turns whose page told, which
    come newest first.
    """
    return next((turn.wire for turn in turns if turn.wire is not None), Wire.CHAT)


def _stands(slots: Iterable[Slot]) -> list[Stand]:
    return [Stand(slot) for slot in slots]


def _chat(slots: Sequence[Slot], messages: int) -> list[Stand]:
    """The chat with what stands in it; deeper than it reaches is its beginning."""
    within = [slot for slot in slots if slot.position is Position.IN_CHAT]
    within.sort(key=lambda slot: (-slot.depth, _NEARER[slot.role], slot.key))
    stands: list[Stand] = []
    left = messages
    for slot in within:
        depth = min(slot.depth, left)
        if left > depth:
            stands.append(Stand(own=Own.CHAT, count=left - depth, is_last=not depth))
        left = depth
        stands.append(Stand(slot))
    if left or not within:
        stands.append(Stand(own=Own.CHAT, count=left, is_last=True))
    return stands
