"""The budgets of one turn: the user's, auto-tune's, those of its kind, and what is lent. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from app.prompt.budgeting.adaptive import adapted
from app.prompt.budgeting.auto_tune import Tuning, tuned
from app.prompt.budgeting.budgets import Budgets, budgets_of
from app.prompt.choosing.drafts import Draft, dealt_out
from app.prompt.placement import Placement
from app.prompt.slots import TurnKind
from app.settings.slot_table import DEFAULTS, SHARING, SLOTS, Position, SlotName
from app.settings.slots import BudgetSettings, SlotSettings

FRESH_SHARE = 2  # one part in so many of the long-term budget, for what is not at the head yet

Count = Callable[[str], int]


def high_water(
    before: Mapping[str, int], drafts: Iterable[Draft], count: Count
) -> Mapping[str, int]:
    """The most tokens that each slot ever wanted, by key."""
    full = dict(before)
    for draft in drafts:
        if draft.entries and draft.name in DEFAULTS:
            wanted = count(draft.render(len(draft.entries)))
            full[draft.name.key] = max(full.get(draft.name.key, 0), wanted)
    return full


def turn_budgets(
    settings: Mapping[str, Any],
    full: Mapping[str, int],
    kind: TurnKind,
    head: Sequence[TurnKind] | None,
) -> tuple[Budgets, tuple[str, ...]]:
    """The budgets of this turn, and what auto-tune changed.

    head: kinds of the turns by which the head of the prompt goes, None for this one's.
    """
    budgets = budgets_of(settings)
    notes: tuple[str, ...] = ()
    if BudgetSettings(settings).budgets_auto_tune:
        budgets, changes = tuned_by(settings, full)
        notes = tuple(change.sentence for change in changes)
    if BudgetSettings(settings).budgets_adaptive:
        budgets = adapted(budgets, kind, head)
    return budgets, notes


def tuned_by(
    settings: Mapping[str, Any], full: Mapping[str, int]
) -> tuple[Budgets, tuple[Tuning, ...]]:
    """What auto-tune makes of the user's budgets. full: high-water marks by key."""
    of_user = BudgetSettings(settings)
    total = of_user.budget_total if of_user.is_one_total else None
    by_name = {name: full[name.key] for name in SlotName if name.key in full}
    return tuned(budgets_of(settings), by_name, total)


def with_what_is_left(
    budgets: Budgets, drafts: Iterable[Draft], count: Count, *, has_fresh: bool
) -> Budgets:
    """With the correction's, which is whatever it takes; and what long-term memories leave of
    theirs goes to fresh ones, a part at least, where these wait for their place at the head of the
    prompt.
    """
    full_of = {draft.name: count(draft.render(len(draft.entries))) for draft in drafts}
    if has_fresh:
        long = budgets[SlotName.LONG]
        left = max(long // FRESH_SHARE, long - full_of.get(SlotName.LONG, 0))
        budgets = {**budgets, SlotName.TRIGGERED: budgets[SlotName.TRIGGERED] + left}
    return {**budgets, SlotName.REPAIR: full_of.get(SlotName.REPAIR, 0)}


def pressed(weights: Budgets) -> dict[SlotName, int]:
    """Weights by which slots share a total that is too small for all of them."""
    return {name: weight * SLOTS[name].pressed // 100 for name, weight in weights.items()}


def in_chat(settings: Mapping[str, Any], placement: Placement) -> frozenset[SlotName]:
    """The slots that stand in the chat, where what they tell may change with what others tell."""
    slots = SlotSettings(settings)
    return frozenset(
        name
        for name in (*SHARING, SlotName.TRIGGERED)
        if name is not SlotName.LONG
        and not placement.is_in_block(name)
        and name not in placement.by_macro
        and slots.place(name).position is Position.IN_CHAT
    )


def borrowers_of(settings: Mapping[str, Any], placement: Placement) -> frozenset[SlotName]:
    """The slots that may use what others leave of the one total. None at the head of the prompt:
    its text would change with what the others tell.
    """
    of_user = BudgetSettings(settings)
    if not of_user.is_one_total or not of_user.budgets_lend:
        return frozenset()
    return in_chat(settings, placement).intersection(SHARING)


def weights_of_total(
    settings: Mapping[str, Any],
    full: Mapping[str, int],
    kind: TurnKind,
    head: Sequence[TurnKind] | None,
) -> Budgets:
    """Weights by which slots share the one total, the same for each total: with other weights a
    larger one might tell something else instead of more. Parameters as of `turn_budgets`.
    """
    usual = {**settings, "budget_total": sum(DEFAULTS[name] for name in SHARING)}
    return turn_budgets(usual, full, kind, head)[0]


# 7 parameters: the drafts, and what is dealt out by which measure.
def lent(
    drafts: Sequence[Draft],
    fitting: Mapping[SlotName, int],
    borrowers: Collection[SlotName],
    budgets: Budgets,
    weights: Budgets,
    settings: Mapping[str, Any],
    count: Count,
) -> dict[SlotName, int]:
    """How many entries the borrowers show in what the other tiers leave of the one total. weights:
    of `weights_of_total`.
    """
    left = sum(budgets_of(settings)[name] for name in SHARING)
    for draft in drafts:
        if draft.name in SHARING and draft.name not in borrowers:
            left -= min(budgets[draft.name], count(draft.render(len(draft.entries))))
    late = [draft for draft in drafts if draft.name in borrowers]
    wanted = {draft.name: fitting[draft.name] for draft in late}
    return dealt_out(late, wanted, weights, max(0, left), count)
