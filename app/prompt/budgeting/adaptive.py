"""What a turn is like, and the budgets that go with it. Pure.

Source: spec/smart-memory.md §15, TK4. The words are data: [turns] in resources/languages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from app.prompt.budgeting.budgets import Budgets, shares
from app.prompt.slots import TurnKind
from app.settings.slot_table import SHARING, SLOTS, SlotName
from app.story.scene_cues.language import LanguagePack, common_words, tokens_of

# In the order in which rows of slots name their factors.
_KINDS = (TurnKind.DIALOGUE, TurnKind.ACTION, TurnKind.TRANSITION, TurnKind.INTIMATE)
FACTORS: Mapping[TurnKind, Mapping[SlotName, float]] = MappingProxyType(
    {
        kind: {name: by_kind[n] for name in SHARING if (by_kind := SLOTS[name].by_kind)}
        for n, kind in enumerate(_KINDS)
    }
)
AT_HEAD = (SlotName.LONG, SlotName.PROFILES)  # of these
# The first that is found counts.
_ORDER = (TurnKind.INTIMATE, TurnKind.TRANSITION, TurnKind.ACTION)
LONGEST_READ = 20_000  # characters
# A touch or a whisper alone makes no moment intimate: as many different words, and one for so many
# words of the text. Words are alike that begin alike.
DIFFERENT, FOR_EACH, ALIKE = 2, 60, 4
ENGLISH = "en"


def turn_kind(text: str, packs: Sequence[LanguagePack]) -> TurnKind:
    """What a turn is like, by words of the language that most of its common words belong to."""
    tokens = tokens_of(text[:LONGEST_READ])
    counts = common_words(tokens, packs)
    most = max(counts, default=0)
    spoken = [pack for pack, found in zip(packs, counts, strict=True) if found == most]
    pack = next((p for p in spoken if p.code == ENGLISH), spoken[0] if spoken else None)
    found: dict[str, set[str]] = {}
    for hit in pack.turns.find(tokens) if pack else ():
        found.setdefault(hit.cue, set()).add(tokens[hit.start][:ALIKE])
    if len(found.get(TurnKind.INTIMATE, ())) < max(DIFFERENT, len(tokens) // FOR_EACH):
        found.pop(TurnKind.INTIMATE, None)
    return next((kind for kind in _ORDER if kind in found), TurnKind.DIALOGUE)


def adapted(budgets: Budgets, kind: TurnKind, head: Sequence[TurnKind] | None = None) -> Budgets:
    """The budgets of a turn: some slots by its factors, together as much as before.

    head: kinds of the turns that the head of the prompt tells of; what stands there follows those,
    so that it changes no oftener than the head does. None where it follows the turn.
    """
    before = sum(budgets[name] for name in FACTORS[kind])
    if head is None or not before:
        return MappingProxyType({**budgets, **_shared(budgets, before, FACTORS[kind])})
    lately = _shared(budgets, before, _mean(head))
    kept = {name: lately[name] for name in AT_HEAD}
    others = {name: factor for name, factor in FACTORS[kind].items() if name not in kept}
    left = before - sum(kept.values())
    return MappingProxyType({**budgets, **kept, **_shared(budgets, left, others)})


def _shared(budgets: Budgets, total: int, factors: Mapping[SlotName, float]) -> Budgets:
    wanted = {name: int(budgets[name] * factor * 100) for name, factor in factors.items()}
    return shares(total, wanted) if any(wanted.values()) else {n: budgets[n] for n in factors}


def _mean(kinds: Sequence[TurnKind]) -> Mapping[SlotName, float]:
    """The factors of several turns together; of none, those that change nothing."""
    count = len(kinds)
    return {
        name: sum(FACTORS[kind][name] for kind in kinds) / count if count else 1.0
        for name in FACTORS[TurnKind.DIALOGUE]
    }
