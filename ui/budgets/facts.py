"""What each row of the budgets page shows, read from an outlook; no widgets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from app.core.translation import N_, number, tr
from app.prompt.budgeting.auto_tune import Tuning
from app.prompt.slots import RUNNING_RECAP_KEY, LeftOut, Reason, SlotContent
from app.settings.recaps import RecapSettings
from app.settings.slot_table import SHARING, SlotName
from app.settings.slots import ADVANCED, BudgetSettings, SlotSettings
from app.settings.values import REGISTRY
from app.views.budget_preview import BudgetPreview, Outlook
from ui.budgets import words
from ui.core.slot_words import slot_meaning, where_words

CUT = (Reason.BUDGET, Reason.TOTAL)
SHARED = N_(
    "All kinds of memory share one total: {tokens} for this one, more where others need less. "
    "Choose Advanced to set each one."
)
SHARED_ALONE = N_(
    "All kinds of memory share one total: {tokens} for this one, and no more where others need "
    "less. Choose Advanced to set each one."
)
TOTAL_HUE = "total"


@dataclass(frozen=True, slots=True)
class RowFacts:
    """One row. setting: which budget the thumb moves. value: of that setting; unit: tokens that one
    of it stands for. budget: what the thumb shows, in tokens; own: the user's, where auto-tune has
    another. turn: what this turn's kind makes of it. used, full: tokens with and without budgets.
    most: the most it ever wanted. why_fixed: why the thumb cannot be moved, "" when it can.
    is_tuned: whether auto-tune sets it. is_share: it is a part of one total, and no bound.
    by_budget: whether a budget is what cuts it, and not the prompt that has no room; None where
    that is not told, so that it follows from the figures. gone: scenes that the running recap holds
    nothing of any more; gone_from: number of the first of them.
    """

    setting: str
    name: SlotName | None
    title: str
    place: str
    hue: str
    meaning: str
    value: int
    minimum: int
    maximum: int
    budget: int
    own: int
    turn: int
    used: int
    full: int
    most: int
    unit: float = 1.0
    why_fixed: str = ""
    is_tuned: bool = False
    is_share: bool = False
    by_budget: bool | None = None
    gone: int = 0
    gone_from: int = 0

    @property
    def most_allowed(self) -> int:
        """The largest budget that can be set, in tokens."""
        setting = REGISTRY[self.setting]
        return max(self.budget, int(setting.maximum or self.maximum))

    @property
    def lacks_room(self) -> bool:
        """Whether something is cut that the budget itself would have room for."""
        fits = self.full <= self.budget if self.by_budget is None else not self.by_budget
        return self.cut > 0 and fits

    @property
    def cut(self) -> int:
        return max(0, self.full - self.used)

    @property
    def lent(self) -> int:
        """Tokens used beyond the budget: what other tiers did not need."""
        return max(0, self.used - max(self.turn, self.budget))


def ten_rows(
    preview: BudgetPreview, outlook: Outlook, settings: Mapping[str, Any]
) -> tuple[RowFacts, ...]:
    """The ten tiers, and what the moment calls up."""
    contents = {content.key: content for content in outlook.slots.contents}
    is_simple = BudgetSettings(settings).budget_mode != ADVANCED
    tuned = (
        {tuning.name for tuning in outlook.tunings}
        if BudgetSettings(settings).budgets_auto_tune
        else set()
    )
    return tuple(
        _row(preview, outlook, settings, name, contents.get(name.key), is_simple, tuned)
        for name in (*words.WITH_BUDGET, SlotName.TRIGGERED)
    )


def total_row(outlook: Outlook, settings: Mapping[str, Any]) -> RowFacts:
    """The one total of simple mode."""
    setting = REGISTRY["budget_total"]
    keys = {name.key for name in SHARING}
    shared = [content for content in outlook.slots.contents if content.key in keys]
    value = int(settings[setting.name])
    used, full = sum(c.tokens for c in shared), sum(c.full_tokens for c in shared)
    return RowFacts(
        setting.name,
        None,
        tr(words.TOTAL_TITLE),
        tr("shared out below"),
        TOTAL_HUE,
        tr(
            "One budget for all memory, shared out in the default proportions. The summary has "
            "its own."
        ),
        value,
        int(setting.minimum or 0),
        int(setting.maximum or 0),
        value,
        value,
        value,
        used,
        full,
        full,
        by_budget=any(map(_is_by_budget, shared)),
    )


# 7 parameters: one row, and what it is read from.
def _row(
    preview: BudgetPreview,
    outlook: Outlook,
    settings: Mapping[str, Any],
    name: SlotName,
    content: SlotContent | None,
    is_simple: bool,
    tuned: set[SlotName],
) -> RowFacts:
    setting = REGISTRY[f"budget_{name}"]
    budget, own = outlook.budgets[name], outlook.own[name]
    used, full = (content.tokens, content.full_tokens) if content else (0, 0)
    why = ""
    if is_simple and name in SHARING:
        why = tr(SHARED if name in outlook.borrowers else SHARED_ALONE, tokens=number(budget))
    elif name in tuned:
        why = tr(
            "Set by auto-tune. Your own value, {own}, returns when you switch it off.",
            own=number(own),
        )
    at = SlotSettings(settings).place(name)
    place = where_words(at.position, at.depth)
    return RowFacts(
        setting.name,
        name,
        tr(words.TITLES[name]),
        place,
        words.HUES[name],
        slot_meaning(name.key),
        budget if why else int(settings[setting.name]),
        0 if why else int(setting.minimum or 0),
        max(int(setting.maximum or 0), budget),
        budget,
        own,
        content.budget if content and name is SlotName.TRIGGERED else outlook.turn[name],
        used,
        full,
        max(full, preview.full.get(name.key, 0)),
        why_fixed=why,
        is_tuned=name in tuned,
        is_share=is_simple and name in SHARING,
        by_budget=_is_by_budget(content),
    )


def recap_rows(
    preview: BudgetPreview,
    outlook: Outlook,
    settings: Mapping[str, Any],
    untold: Sequence[int] = (),
) -> tuple[RowFacts, ...]:
    """The running recap, and the recaps of single messages where there are any. untold: numbers of
    the scenes that it holds nothing of any more.
    """
    running = _running_row(outlook, settings)
    rows = [replace(running, gone=len(untold), gone_from=min(untold, default=0))]
    if outlook.recaps is not None:
        first, second = outlook.recap_limits
        texts = preview.story.inclusion
        inside = sum(texts[int(i)].tokens for i in outlook.recaps.included)
        kept = sum(texts[int(i)].tokens for i in outlook.recaps.long_term)
        whole = preview.recaps.tokens
        rows.append(
            _limit_row(
                "inclusion_limit", tr(words.RECAPS_TITLE), preview, settings, first, inside, whole
            )
        )
        if kept:
            rows.append(
                _limit_row(
                    "long_term_limit", tr(words.KEPT_TITLE), preview, settings, second, kept, kept
                )
            )
    return tuple(rows)


def _running_row(outlook: Outlook, settings: Mapping[str, Any]) -> RowFacts:
    setting = REGISTRY["running_recap_budget"]
    slot = next((s for s in outlook.slots.slots if s.key == RUNNING_RECAP_KEY), None)
    value = int(settings[setting.name])
    place = tr("nowhere")
    if slot is not None:
        place = where_words(slot.position, slot.depth)
    used, full = (slot.tokens, slot.full_tokens) if slot else (0, 0)
    return RowFacts(
        setting.name,
        None,
        tr(words.RUNNING_TITLE),
        place,
        "",
        tr("The story so far in one text."),
        value,
        int(setting.minimum or 0),
        int(setting.maximum or 0),
        value,
        value,
        min(value, slot.budget) if slot else value,
        used,
        full,
        full,
    )


# 7 parameters: as of `_row`, for a limit.
def _limit_row(
    name: str,
    title: str,
    preview: BudgetPreview,
    settings: Mapping[str, Any],
    limit: int,
    used: int,
    full: int,
) -> RowFacts:
    is_percent = RecapSettings(settings).inclusion_limit_type == "percent"
    sent = RecapSettings(settings).message_recaps_inject
    meaning = tr("One sentence per message; as many of the newest as fit.")
    if name == "long_term_limit":
        meaning = tr("Recaps you chose to keep, when the first budget has no room for them.")
    return RowFacts(
        name,
        None,
        title,
        tr("in the prompt") if sent else tr("counted, not sent"),
        "",
        meaning,
        int(settings[name]),
        0,
        100 if is_percent else max(preview.context, limit),
        limit,
        limit,
        limit,
        used,
        full,
        full,
        unit=preview.context / 100 if is_percent else 1.0,
    )


def _is_by_budget(content: SlotContent | None) -> bool:
    """Whether a slot's own budget, or its part of the total in this kind of turn, cuts it."""
    return any(one.reason is Reason.BUDGET for one in lost(content))


def lost(content: SlotContent | None) -> tuple[LeftOut, ...]:
    """What a slot had no room for, best first."""
    return tuple(one for one in content.left_out if one.reason in CUT) if content else ()


def other_reasons(content: SlotContent | None) -> tuple[LeftOut, ...]:
    """What a slot left out for another reason than room."""
    return tuple(one for one in content.left_out if one.reason not in CUT) if content else ()


def tuning_of(outlook: Outlook, name: SlotName) -> Tuning | None:
    """What auto-tune makes of a slot, None for nothing."""
    return next((tuning for tuning in outlook.tunings if tuning.name is name), None)
