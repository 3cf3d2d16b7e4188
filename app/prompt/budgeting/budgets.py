"""How many tokens each slot may take: ten budgets, by one total or one by one. Pure.

Source: spec/smart-memory.md §15, TK1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from app.settings.slot_table import DEFAULTS, SHARING, SlotName
from app.settings.slots import BudgetSettings

LEAST_CHAT = 8  # one part in so many of the context is for the chat itself, whatever the card takes
MOST_OF_CONTEXT = 2  # one part in so many of the context is for slots, the rest for card and chat

Budgets = Mapping[SlotName, int]


def shares(total: int, weights: Budgets | None = None) -> Budgets:
    """A total dealt out by weights, to the last token (largest remainder). weights: the defaults
    of those that share one total, unless others are given.
    """
    weights = weights or {name: DEFAULTS[name] for name in SHARING}
    whole = sum(weights.values())
    floors = {name: total * weight // whole for name, weight in weights.items()}
    left = total - sum(floors.values())
    # sorted() is stable: among equal remainders the first named gets the token.
    by_remainder = sorted(weights, key=lambda name: -(total * weights[name] % whole))
    return MappingProxyType(
        {name: floors[name] + (name in by_remainder[:left]) for name in weights}
    )


def budgets_of(settings: Mapping[str, Any]) -> Budgets:
    """The user's budgets: shares of one total, or one by one; the summary's and that of called-up
    memories in any case.
    """
    of_user = BudgetSettings(settings)
    if of_user.is_one_total:
        shared = shares(of_user.budget_total)
    else:
        shared = {name: of_user.budget(name) for name in SHARING}
    own = (SlotName.SHORT, SlotName.TRIGGERED)
    return MappingProxyType({**shared, **{name: of_user.budget(name) for name in own}})


def room_in(context: int | None, total: int | None, fixed: int = 0) -> int | None:
    """Tokens that all slots may take together, None for no bound. context: what SillyTavern says
    the prompt may take; fixed: what of that its card, persona and presets take. A prompt that holds
    little but slots would be cut down to nothing else, and where card and slots do not fit together
    SillyTavern sends the card alone.
    """
    if total == 0:
        return 0
    bounds = [total] if total else []
    if context:
        left = context - fixed - context // LEAST_CHAT
        bounds.append(max(1, min(context // MOST_OF_CONTEXT, left)))
    return min(bounds, default=None)


def levelled(demands: Sequence[int], weights: Sequence[int], total: int) -> tuple[int, ...]:
    """What each gets of a total that may be too small for all: as much as it demands, else its
    part by weight of what the others leave. A larger total never gives anybody less.
    """
    got = [0] * len(demands)
    open_, left = [place for place, demand in enumerate(demands) if demand > 0], max(0, total)
    while open_:
        whole = sum(max(1, weights[place]) for place in open_)
        content = [p for p in open_ if demands[p] * whole <= left * max(1, weights[p])]
        if not content:
            for place in open_:
                got[place] = left * max(1, weights[place]) // whole
            break
        for place in content:
            got[place] = demands[place]
        left -= sum(demands[place] for place in content)
        open_ = [place for place in open_ if place not in content]
    return tuple(got)
