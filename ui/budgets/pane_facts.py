"""What the pane says of the chosen slot, read from an outlook; no widgets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from app.core.translation import tr
from app.prompt.budgeting.auto_tune import target
from app.prompt.slots import LeftOut, Reason, SlotContent
from app.settings.slot_table import SHARING, SlotName
from app.views.budget_preview import BudgetPreview, Need, Outlook
from ui.budgets import words
from ui.budgets.facts import RowFacts, lost, other_reasons, tuning_of
from ui.memories.words import stored_word

SHOWN = 6


@dataclass(frozen=True, slots=True)
class LostLine:
    """One thing that is not sent. kind: type and message, "" for neither. message: index, -1."""

    text: str
    kind: str
    tokens: int
    message: int = -1


@dataclass(frozen=True, slots=True)
class PaneFacts:
    """What the pane says of a slot. lost: the first lines that fall out; count, tokens: of all.
    other: what is left out for another reason, in words. fit: the budget with which all would fit,
    None where it does or where no budget helps. needs: (message, tokens). is_growing: with a
    larger budget fewer messages fit beside it, and it has the more to tell. is_reading: the story
    is read for memory, or is next. has_other_chats: its part of one total cuts what other chats of
    the character say, whatever room is left. not_lent: tokens that the total has left and that the
    part does not get, where it is cut and stands at the head of the prompt; 0 for none.
    """

    row: RowFacts
    lost: Sequence[LostLine]
    count: int
    tokens: int
    other: Sequence[str]
    fit: int | None
    needs: Sequence[tuple[int, int]]
    tuned: int | None
    has_memory: bool
    is_growing: bool = False
    is_reading: bool = False
    has_other_chats: bool = False
    not_lent: int = 0


def pane_facts(
    preview: BudgetPreview,
    outlook: Outlook,
    row: RowFacts,
    needs: Sequence[Need],
    count: Callable[[str], int],
    *,
    is_reading: bool = False,
) -> PaneFacts:
    """count: tokens of a text."""
    key = row.name.key if row.name else ""
    content = next((c for c in outlook.slots.contents if c.key == key), None)
    out = lost(content)
    tuning = tuning_of(outlook, row.name) if row.name else None
    occasion = preview.prepared.occasion
    is_growing = row.name is SlotName.SHORT and bool(occasion.unread)
    return PaneFacts(
        row,
        [_line(preview, one.text, one.memory, count) for one in out[:SHOWN]],
        len(out),
        row.cut,
        _others(content),
        None if is_growing else fitting_budget(row),
        [(need.message, need.tokens.get(key, 0)) for need in needs] if key else [],
        tuning.after if tuning else None,
        bool(occasion.told),
        is_growing,
        is_reading,
        row.name in outlook.borrowers and _is_held_back(out, occasion.told.of_other_chats),
        _not_lent(preview, outlook, row),
    )


def _not_lent(preview: BudgetPreview, outlook: Outlook, row: RowFacts) -> int:
    """What is left of the one total beside a part that is cut and borrows nothing."""
    if not row.is_share or not row.cut or row.lacks_room or row.name in outlook.borrowers:
        return 0
    keys = {name.key for name in SHARING}
    used = sum(content.tokens for content in outlook.slots.contents if content.key in keys)
    return max(0, sum(outlook.own[name] for name in SHARING) - used)


def _is_held_back(out: Sequence[LeftOut], other_chats: Collection[str]) -> bool:
    """Whether a budget cuts what other chats of the character say."""
    return any(one.reason is Reason.BUDGET and one.memory in other_chats for one in out)


def fitting_budget(row: RowFacts) -> int | None:
    """The budget with which all of a slot would fit; None where another budget changes nothing."""
    if row.name is None or not row.cut or row.lacks_room or row.is_tuned:
        return None
    fit = min(target(row.full, row.budget), row.most_allowed)
    return fit if fit > row.budget else None


def _line(preview: BudgetPreview, text: str, memory: str, count: Callable[[str], int]) -> LostLine:
    """What is not sent, with where it comes from."""
    shown, tokens = text.removeprefix("- "), count(text)
    standing = preview.standings.get(memory)
    if standing is None:
        return LostLine(shown, "", tokens)
    kind = stored_word(standing.memory.type)
    if shown[:1].islower():  # the list it stands in is headed by who it is of
        shown = f"{kind[:1].upper()}{kind[1:]} {shown}"
    at = f", #{standing.start}" if standing.start >= 0 else ""
    return LostLine(shown, kind + at, tokens, standing.start)


def _others(content: SlotContent | None) -> list[str]:
    """What is left out for other reasons, a sentence for each."""
    counted = Counter(one.reason.value for one in other_reasons(content))
    return [f"{words.lines_words(n)}: {tr(why)}." for why, n in counted.items()]


def moments(outlook: Outlook, needs: Sequence[Need]) -> dict[SlotName, int]:
    """The message at which each slot that auto-tune changes wanted most, where that is known."""
    found = {}
    for tuning in outlook.tunings:
        wanted = [(need.tokens.get(tuning.name.key, 0), need.message) for need in needs]
        most, message = max(wanted, default=(0, 0))
        if most and most == tuning.full:
            found[tuning.name] = message
    return found
