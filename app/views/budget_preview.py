"""The next prompt of a chat under budgets that are only tried, while a slider moves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.memory.standing import Standing
from app.prompt.assembly import Prepared
from app.prompt.budgeting.auto_tune import Tuning
from app.prompt.budgeting.budgets import Budgets, budgets_of
from app.prompt.reach import Sent, verbatim_from
from app.prompt.slots import SlotSet, TurnKind
from app.prompt.turn_budgets import borrowers_of, tuned_by, turn_budgets
from app.settings.recaps import RecapSettings
from app.settings.slot_table import DEFAULTS, SHARING, SlotName
from app.settings.slots import ADVANCED, SIMPLE, BudgetSettings
from app.settings.values import REGISTRY
from app.story.inclusion import limit_in_tokens
from app.story.inclusion_preview import Counted, InclusionPreview
from app.story.story import Story

ROUNDS = 8  # of raising what would be cut: one budget that grows takes from another in some turns
UNCHANGED: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Outlook:
    """What the next prompt would hold.

    own: the user's budgets. budgets: with what auto-tune makes of them; turn: with what the kind of
    turn makes of those. tunings: what auto-tune
    changed, or would change while it is off. recaps: which message recaps count, None where there
    are none; recap_limits: tokens of all, and of those to be remembered. memory, card, chat, free:
    tokens. rest: those that no message gets though older ones wait, as SillyTavern counts otherwise
    or the next one is longer. newest: how many messages of the chat fit, first: index of the
    oldest of them. borrowers: slots that may use what others leave of the one total.
    """

    slots: SlotSet
    own: Budgets
    budgets: Budgets
    turn: Budgets
    tunings: tuple[Tuning, ...]
    recaps: Counted | None
    recap_limits: tuple[int, int]
    context: int
    memory: int
    card: int
    chat: int
    free: int
    rest: int
    newest: int
    first: int
    borrowers: frozenset[SlotName]


@dataclass(frozen=True)
class BudgetPreview:
    """One turn of a chat, ready to be tried under any budgets; nothing is written.

    settings: as they hold for the chat. full: the most tokens that each slot ever wanted, by key.
    context: tokens that the prompt may take; is_context_said: by SillyTavern, else by the settings.
    card: tokens of the card of who answers, or of all beside slots and chat where a prompt showed
    them. recaps: of single messages. sent: what the newest prompt held of the chat, None where none
    is known.
    """

    prepared: Prepared
    recaps: InclusionPreview
    settings: Mapping[str, Any]
    context: int
    is_context_said: bool
    card: int = 0
    sent: Sent | None = None

    @property
    def story(self) -> Story:
        return self.prepared.occasion.story

    @property
    def full(self) -> Mapping[str, int]:
        return self.prepared.full

    @cached_property
    def standings(self) -> Mapping[str, Standing]:
        """What is remembered, by id."""
        told = self.prepared.occasion.told
        return {standing.memory.id: standing for standing in told.standings}

    def under(
        self, changes: Mapping[str, Any] = UNCHANGED, kind: TurnKind | None = None
    ) -> Outlook:
        """The outlook with some settings of budgets changed. kind: of turn, None for what it is."""
        settings = {**self.settings, **changes}
        limits = self._recap_limits(settings)
        recaps = self.recaps.under(*limits) if len(self.recaps) else None
        lines = None
        if recaps is not None and RecapSettings(settings).message_recaps_inject:
            lines = self.recaps.text(recaps)
        slots = self.prepared.under(settings, kind, recap_lines=lines)
        own = budgets_of(settings)
        tuned, tunings = tuned_by(settings, self.full)
        memory = slots.total_tokens
        first = self._first(memory)
        newest = len(self._visible) - int(np.searchsorted(self._visible, first))
        chat = int(self._from_the_end[newest - 1]) if newest else 0
        left, is_full = max(0, self.context - self.card - memory - chat), first > 0
        return Outlook(
            slots,
            own,
            tuned if BudgetSettings(settings).budgets_auto_tune else own,
            self._turn_budgets(settings, kind),
            tunings,
            recaps,
            limits,
            self.context,
            memory,
            self.card,
            chat,
            0 if is_full else left,
            left if is_full else 0,
            newest,
            int(self._visible[-newest]) if newest else len(self.story.messages),
            borrowers_of(settings, self.prepared.placement),
        )

    def switched(self, mode: str) -> Mapping[str, Any]:
        """What one total, or one budget for each, changes in the settings. Neither forgets what the
        other was; budgets that nobody ever set are such that the next prompt stays as it is.
        """
        of_user = BudgetSettings(self.settings)
        is_set = any(of_user.budget(name) != DEFAULTS[name] for name in SHARING)
        if mode == SIMPLE or is_set:
            return {"budget_mode": mode}
        now = self.under()
        held = {content.key: content.tokens for content in now.slots.contents}
        budgets = {f"budget_{name}": _allowed(name, now.own[name]) for name in SHARING}
        for _ in range(ROUNDS):
            then = self.under({"budget_mode": ADVANCED, **budgets}).slots.contents
            told = {content.key: content.tokens for content in then}
            short = {n: held.get(n.key, 0) - told.get(n.key, 0) for n in SHARING}
            if not any(tokens > 0 for tokens in short.values()):
                break
            for name, tokens in short.items():
                if tokens > 0:
                    budgets[f"budget_{name}"] = _allowed(name, budgets[f"budget_{name}"] + tokens)
        return {"budget_mode": ADVANCED, **budgets}

    def _first(self, memory: int) -> int:
        """Index of the first message that fits beside so many tokens of slots, by the rule by which
        the story shows it; but never more than there is room for: the newest prompt may have held
        fewer slots.
        """
        room = max(0, self.context - self.card - memory)
        as_sent = verbatim_from(self.story, room, self.sent, memory)
        return max(as_sent, verbatim_from(self.story, room, None))

    def _turn_budgets(self, settings: Mapping[str, Any], kind: TurnKind | None) -> Budgets:
        if not self.prepared.occasion.told:
            return budgets_of(settings)
        shown = kind or self.prepared.kind
        return turn_budgets(settings, self.full, shown, self.prepared.head_kinds(kind))[0]

    def _recap_limits(self, settings: Mapping[str, Any]) -> tuple[int, int]:
        kind = RecapSettings(settings).inclusion_limit_type
        recaps = RecapSettings(settings)
        both = (recaps.inclusion_limit, recaps.long_term_limit)
        first, second = (limit_in_tokens(limit, kind, self.context) for limit in both)
        return first, second

    @cached_property
    def _visible(self) -> NDArray[np.int64]:
        """Indexes of the messages that SillyTavern sends, the oldest first."""
        hidden = np.array([message.is_hidden for message in self.story.messages], np.bool_)
        return np.flatnonzero(~hidden).astype(np.int64)

    @cached_property
    def _from_the_end(self) -> NDArray[np.int64]:
        """Tokens of the newest one, two, three messages that are sent."""
        tokens = np.array(self.story.message_tokens, np.int64)
        return np.cumsum(tokens[self._visible[::-1]])


@dataclass(frozen=True, slots=True)
class Need:
    """What slots would have taken in full when the reply with this index was written, by key."""

    message: int
    tokens: Mapping[str, int]


def _allowed(name: SlotName, tokens: int) -> int:
    """The budget next to so many tokens that a slot may have."""
    setting = REGISTRY[f"budget_{name}"]
    return max(int(setting.minimum or 0), min(int(setting.maximum or tokens), tokens))
