"""Budgets that follow what the tiers want to tell, and why each was changed. Pure.

Source: spec/smart-memory.md §15, TK3. The user's own values are an argument and stay as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from types import MappingProxyType

from app.core.translation import tr
from app.prompt.budgeting.budgets import Budgets, levelled, shares
from app.settings.slot_table import DEFAULTS, SHARING, SLOTS, SlotName

MARGIN_PERCENT = 115
STEP = 50
LEAST = 50  # tokens of a tier that has nothing to tell yet, for the first that it will


@dataclass(frozen=True, slots=True)
class Tuning:
    """One budget that was changed. full: the most that its slot ever wanted to tell."""

    name: SlotName
    before: int
    after: int
    full: int

    @property
    def is_spare(self) -> bool:
        """Whether it gets more than it needs, of what nobody else does."""
        return self.after > max(LEAST, target(self.full, 0))

    @property
    def sentence(self) -> str:
        name = tr(SLOTS[self.name].short or SLOTS[self.name].title)
        figures = {"before": self.before, "after": self.after, "full": self.full}
        if self.after > self.before and not self.full:
            return tr(
                "{name}: raised from {before} to {after} tokens that nothing else needs.",
                name=name,
                **figures,
            )
        if self.after > self.before and self.is_spare:
            return tr(
                "{name}: raised from {before} to {after} tokens; it needs {full} in full, and "
                "nothing else needs the rest.",
                name=name,
                **figures,
            )
        if self.after > self.before:
            return tr(
                "{name}: raised from {before} to {after} tokens, because it needs {full} in full.",
                name=name,
                **figures,
            )
        if self.full > self.after:
            return tr(
                "{name}: lowered from {before} to {after} tokens, because others are cut more.",
                name=name,
                **figures,
            )
        return tr(
            "{name}: lowered from {before} to {after} tokens, because it needs {full} in full.",
            name=name,
            **figures,
        )


def target(full: int, floor: int) -> int:
    """What a slot needs that would take so many tokens in full: about 15 % more, to the nearest
    step of 50 that holds them all.
    """
    nearest = (full * MARGIN_PERCENT + 50 * STEP) // (100 * STEP) * STEP
    return max(floor, nearest, ceil(full / STEP) * STEP)


def tuned(
    budgets: Budgets, full: Mapping[SlotName, int], total: int | None = None
) -> tuple[Budgets, tuple[Tuning, ...]]:
    """The budgets by demand, and what was changed. full: high-water marks.

    total: of those that share it (simple mode): what one does not need goes to those that are cut,
    and what nobody needs is shared out as the user has it. Without it a budget that has a mark
    never falls below its default, nor one that the user set lower: it only grows where it is cut.
    One that has no mark stays.
    """
    after = _each(budgets, full) if total is None else _within(budgets, full, total)
    changed = MappingProxyType({**budgets, **after})
    return changed, tuple(
        Tuning(name, budgets[name], changed[name], full.get(name, 0))
        for name in SHARING
        if changed[name] != budgets[name]
    )


def _each(budgets: Budgets, full: Mapping[SlotName, int]) -> Budgets:
    floors = {name: min(DEFAULTS[name], budgets[name]) for name in SHARING}
    wanted = {name: target(full[name], floors[name]) for name in SHARING if name in full}
    return {
        name: budgets[name] if full[name] <= budgets[name] <= after else after
        for name, after in wanted.items()
    }


def _within(budgets: Budgets, full: Mapping[SlotName, int], total: int) -> Budgets:
    """Each gets what it needs, or its part of what the others leave; together the total."""
    mine = {name: budgets[name] for name in SHARING}
    if not any(name in full for name in SHARING):
        return mine  # nobody has told anything yet
    needs = {name: target(full.get(name, 0), min(LEAST, mine[name])) for name in SHARING}
    if sum(needs.values()) > total:
        demands, weights = [needs[name] for name in SHARING], [mine[name] for name in SHARING]
        needs = dict(zip(SHARING, levelled(demands, weights, total), strict=True))
    left = shares(max(0, total - sum(needs.values())), mine)
    return {name: needs[name] + left[name] for name in SHARING}
