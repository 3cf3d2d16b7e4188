"""Hands what the user does with budgets to the companion: one step each, with a name for undo."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.core.translation import N_, tr
from app.prompt.budgeting.budgets import Budgets
from app.settings.slot_table import SHARING, SlotName
from app.settings.slots import ADVANCED, SIMPLE
from app.settings.values import REGISTRY
from app.views.budget_preview import BudgetPreview, Outlook
from ui.budgets import words
from ui.budgets.facts import RowFacts
from ui.core.session import Session

ALL_BUDGETS = (
    "budget_mode",
    "budget_total",
    *(f"budget_{name}" for name in (*words.WITH_BUDGET, SlotName.TRIGGERED)),
    "budgets_auto_tune",
    "running_recap_budget",
    "inclusion_limit",
    "long_term_limit",
)
ONE_EACH = N_(
    "Each kind of memory now has a budget of its own, and nothing is lent any more: the page "
    "changed to Advanced. Undo, or Simple, brings the one total back."
)


class BudgetHands:
    """Each command is about the chat that is shown; failures are told by the session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def put(self, changes: Mapping[str, Any], label: str) -> None:
        """Set some settings in one step."""
        path = self._session.path
        if path is not None:
            self._session.do(self._put(dict(changes), label), name=N_("setting budgets"))

    async def _put(self, changes: dict[str, Any], label: str) -> None:
        path = self._session.path
        if path is not None:
            await self._session.companion.budgets.put(path, changes, label)

    def set_one(self, facts: RowFacts, before: int, after: int) -> None:
        """Set what a row is about."""
        what = words.what_of(facts.name, facts.setting)
        unit = " %" if facts.unit != 1.0 else ""
        label = words.moved_label(what, before, after) + unit
        self.put({facts.setting: after}, label)

    def set_mode(self, mode: str, preview: BudgetPreview) -> None:
        """One total or one for each, and say what that changes in the prompt: it looks like another
        view of the same.
        """
        changes = preview.switched(mode)
        label = (
            N_("one budget for each kind of memory")
            if mode == ADVANCED
            else N_("one total for all memory")
        )
        self.put(changes, label)
        before, after = preview.under().memory, preview.under(changes).memory
        self._session.told.emit(words.switched(mode, before, after))

    def set_auto_tune(self, is_on: bool) -> None:
        """The user's own values stay as they are."""
        self.put({"budgets_auto_tune": is_on}, N_("auto-tune on") if is_on else N_("auto-tune off"))

    def make_fit(self, outlook: Outlook, mode: str, name: SlotName, tokens: int) -> None:
        """Give a slot so many tokens; the others keep the share of a total that they have."""
        changes: dict[str, Any] = {f"budget_{name}": self._allowed(name, tokens)}
        if mode == SIMPLE and name in SHARING:
            changes = self._one_by_one(outlook.own) | changes
        before = outlook.own[name]
        self.put(changes, words.moved_label(words.what_of(name, ""), before, tokens))

    def use_tuned(self, outlook: Outlook) -> None:
        """Make what auto-tune would give the user's own, one for each tier."""
        tuned = {tuning.name: tuning.after for tuning in outlook.tunings}
        changes = self._one_by_one({**outlook.own, **tuned})
        self.put(changes, N_("the tuned budgets"))
        path, companion = self._session.path, self._session.companion
        if path is not None and companion.setting("budget_mode", path=path).value == SIMPLE:
            self._session.told.emit(tr(ONE_EACH))

    def reset(self, facts: RowFacts) -> None:
        """Let what holds for all chats hold here."""
        what = words.what_of(facts.name, facts.setting)
        self.put({facts.setting: None}, N_("budget of {what} reset").format(what=what))

    def reset_all(self) -> None:
        """The same for every budget."""
        self.put(dict.fromkeys(ALL_BUDGETS), N_("all budgets reset"))

    def _one_by_one(self, budgets: Budgets) -> dict[str, Any]:
        shared = {f"budget_{name}": self._allowed(name, budgets[name]) for name in SHARING}
        return {"budget_mode": ADVANCED, **shared}

    def _allowed(self, name: SlotName, tokens: int) -> int:
        setting = REGISTRY[f"budget_{name}"]
        return max(int(setting.minimum or 0), min(int(setting.maximum or tokens), tokens))
