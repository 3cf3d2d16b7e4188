"""What the budgets page says: names of slots, places, figures, and what each number means."""

from __future__ import annotations

from collections.abc import Mapping

from app.core.translation import N_, number, tr, trn
from app.prompt.slot_names import SLOT_NAMES
from app.prompt.slots import TurnKind
from app.settings.slot_table import DEFAULTS, SLOTS, SlotName
from app.settings.slots import ADVANCED
from ui.core.slot_words import SLOT_TIERS

# In the order of the page, largest default first.
WITH_BUDGET = tuple(sorted(DEFAULTS, key=lambda name: -DEFAULTS[name]))
SLIDERS = (*WITH_BUDGET, SlotName.TRIGGERED)
TITLES = {name: SLOT_NAMES[name.key] for name in SLIDERS}
HUES = {name: SLOT_TIERS[name.key] for name in SLIDERS}
RUNNING_TITLE, RECAPS_TITLE, KEPT_TITLE = (
    N_("Running recap"),
    N_("Message recaps"),
    N_("Kept message recaps"),
)
TOTAL_TITLE = N_("All memory together")
OTHERS_IN_SENTENCES: Mapping[str, str] = {
    "budget_total": N_("all memory together"),
    "running_recap_budget": N_("running recap"),
    "inclusion_limit": N_("message recaps"),
    "long_term_limit": N_("kept message recaps"),
}
TURN_WORDS: Mapping[TurnKind, str] = {
    TurnKind.DIALOGUE: N_("Dialogue"),
    TurnKind.ACTION: N_("Action"),
    TurnKind.TRANSITION: N_("Transition"),
    TurnKind.INTIMATE: N_("Intimate"),
}
TURNS_IN_SENTENCES: Mapping[TurnKind, str] = {
    TurnKind.DIALOGUE: N_("dialogue"),
    TurnKind.ACTION: N_("action"),
    TurnKind.TRANSITION: N_("transition"),
    TurnKind.INTIMATE: N_("intimate"),
}
# As steps were named once, and are still in the history of chats.
EARLIER_LABEL = N_("budget of {what} {before} → {after}")
STEP, SMALL_STEP, PAGE_STEP = 50, 10, 250


def tokens_words(tokens: int) -> str:
    """ "1 token", "1,204 tokens"."""
    return trn("{n} token", "{n} tokens", tokens)


def lines_words(count: int) -> str:
    """ "1 line", "3 lines"."""
    return trn("{n} line", "{n} lines", count)


def moved_label(what: str, before: int, after: int) -> str:
    """Name of a step for undo, in English: "budget of who knows what: 200 → 350"."""
    return N_("budget of {what}: {before} → {after}").format(
        what=what, before=f"{before:,}", after=f"{after:,}"
    )


def what_of(name: SlotName | None, setting: str) -> str:
    """What a budget is for, in English: as the settings call a slot, "long-term memories"."""
    return SLOTS[name].what if name else OTHERS_IN_SENTENCES[setting]


def spoken_row(title: str, used: int, budget: int, full: int, lent: int = 0) -> str:
    """What a screen reader says of a row. lent: of what is used, by others that need less."""
    tokens = tokens_words(budget)
    if lent:
        return tr(
            "{title}: {used} used, its own {tokens} plus {lent} lent by others",
            title=title,
            used=number(used),
            tokens=tokens,
            lent=number(lent),
        )
    if full <= used:
        return tr("{title}: {used} of {tokens} used", title=title, used=number(used), tokens=tokens)
    return tr(
        "{title}: {used} of {tokens} used, {cut} cut",
        title=title,
        used=number(used),
        tokens=tokens,
        cut=number(full - used),
    )


def switched(mode: str, before: int, after: int) -> str:
    """What a switch of modes changed. before, after: tokens of all slots in the next prompt."""
    now = (
        tr("Each kind of memory has its own budget now.")
        if mode == ADVANCED
        else tr("All kinds of memory share one total now.")
    )
    if before == after:
        return " ".join((now, tr("The next prompt stays as it is.")))
    changed = tr(  # brief: all of it has to fit into half of the status bar
        "The next prompt gets {after} tokens instead of {before}.",
        after=number(after),
        before=number(before),
    )
    return " ".join((now, changed))
