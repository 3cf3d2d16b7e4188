"""Budgets that follow what the tiers want to tell, and why each was changed. Pure.

Source: spec/smart-memory.md §15, TK3. The user's own values are an argument and stay as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from app.core.translation import N_, tr
from app.prompt.budgeting.budgets import DEFAULTS, NINE, Budgets
from app.prompt.slots import SlotName

MARGIN_PERCENT = 115
STEP = 50
_NAMES: Mapping[SlotName, str] = {
    SlotName.CANON: N_("Canon"),
    SlotName.PROFILES: N_("Profiles"),
    SlotName.LONG: N_("Long"),
    SlotName.SHORT: N_("Short"),
    SlotName.SCENES: N_("Scenes"),
    SlotName.RELATIONSHIPS: N_("Relationships"),
    SlotName.SESSION: N_("Session"),
    SlotName.ARCS: N_("Arcs"),
    SlotName.EPISTEMIC: N_("Epistemic"),
    SlotName.STATE_LEDGER: N_("State ledger"),
}


@dataclass(frozen=True, slots=True)
class Tuning:
    """One budget that was changed. full: the most that its slot ever wanted to tell."""

    name: SlotName
    before: int
    after: int
    full: int

    @property
    def sentence(self) -> str:
        name = tr(_NAMES[self.name])
        figures = {"before": self.before, "after": self.after, "full": self.full}
        if self.after > self.before:
            return tr(
                "{name}: raised from {before} to {after} tokens, as it would take {full} in full.",
                name=name,
                **figures,
            )
        return tr(
            "{name}: lowered from {before} to {after} tokens, as it would take {full} in full.",
            name=name,
            **figures,
        )


def target(full: int, floor: int) -> int:
    """What a slot needs that would take so many tokens in full: 15 % more, in steps of 50."""
    return max(floor, (full * MARGIN_PERCENT + 50 * STEP) // (100 * STEP) * STEP)


def tuned(
    budgets: Budgets, full: Mapping[SlotName, int], total: int | None = None
) -> tuple[Budgets, tuple[Tuning, ...]]:
    """The budgets by demand, and what was changed. full: high-water marks; what has none stays.

    total: bound of the nine together (simple mode). A budget never falls below its default, or
    below the user's share of a total that is smaller than the defaults together.
    """
    floors = {
        name: budgets[name]
        if name not in full
        else DEFAULTS[name]
        if total is None
        else min(DEFAULTS[name], budgets[name])
        for name in NINE
    }
    wanted = {
        name: target(full[name], floors[name]) if name in full else floors[name] for name in NINE
    }
    if total is not None and sum(wanted.values()) > total:
        wanted = _within(wanted, floors, total)
    after = MappingProxyType({**budgets, **wanted})
    return after, tuple(
        Tuning(name, budgets[name], after[name], full[name])
        for name in NINE
        if name in full and after[name] != budgets[name]
    )


def _within(wanted: Budgets, floors: Budgets, total: int) -> dict[SlotName, int]:
    """Each gets its floor, and of what is left a part of what it wants beyond it."""
    left = max(0, total - sum(floors.values()))
    beyond = sum(wanted[name] - floors[name] for name in wanted)
    return {
        name: floors[name] + (wanted[name] - floors[name]) * left // beyond // STEP * STEP
        for name in wanted
    }
