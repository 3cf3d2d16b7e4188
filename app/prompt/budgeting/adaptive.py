"""What a turn is like, and the budgets that go with it. Pure.

Source: spec/smart-memory.md §15, TK4. The words are data: [turns] in resources/languages.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType

from app.prompt.budgeting.budgets import Budgets, shares
from app.prompt.slots import SlotName, TurnKind
from app.story.scene_cues.language import LanguagePack, common_words, tokens_of

FACTORS: Mapping[TurnKind, Mapping[SlotName, float]] = MappingProxyType(
    {
        kind: dict(
            zip(
                (
                    SlotName.LONG,
                    SlotName.SESSION,
                    SlotName.SCENES,
                    SlotName.ARCS,
                    SlotName.PROFILES,
                ),
                factors,
                strict=True,
            )
        )
        for kind, factors in {
            TurnKind.DIALOGUE: (1.2, 0.8, 0.7, 1.0, 1.2),
            TurnKind.ACTION: (0.8, 1.3, 1.2, 1.0, 0.8),
            TurnKind.TRANSITION: (1.0, 0.9, 1.0, 1.3, 1.0),
            TurnKind.INTIMATE: (0.9, 1.2, 1.0, 0.8, 1.3),
        }.items()
    }
)
# The first that is found counts.
_ORDER = (TurnKind.INTIMATE, TurnKind.TRANSITION, TurnKind.ACTION)
LONGEST_READ = 20_000  # characters
ENGLISH = "en"


def turn_kind(text: str, packs: Sequence[LanguagePack]) -> TurnKind:
    """What a turn is like, by words of the language that most of its common words belong to."""
    tokens = tokens_of(text[:LONGEST_READ])
    counts = common_words(tokens, packs)
    most = max(counts, default=0)
    spoken = [pack for pack, found in zip(packs, counts, strict=True) if found == most]
    pack = next((p for p in spoken if p.code == ENGLISH), spoken[0] if spoken else None)
    found = {hit.cue for hit in pack.turns.find(tokens)} if pack else set()
    return next((kind for kind in _ORDER if kind.value in found), TurnKind.DIALOGUE)


def adapted(budgets: Budgets, kind: TurnKind, keeps: Collection[SlotName] = ()) -> Budgets:
    """The budgets of a turn: five tiers by its factors, together as much as before. keeps: of them
    those that stay as they are.
    """
    factors = {name: factor for name, factor in FACTORS[kind].items() if name not in keeps}
    before = sum(budgets[name] for name in factors)
    wanted = {name: int(budgets[name] * factor * 100) for name, factor in factors.items()}
    if not any(wanted.values()):
        return budgets
    return MappingProxyType({**budgets, **shares(before, wanted)})
