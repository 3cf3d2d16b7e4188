"""Which texts stand in slots, which in one block, which are served by macros: decided once. Pure.

Source: spec/smart-memory.md §16 (IJ13) and §17.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum

from app.core.translation import tr
from app.prompt.slots import RUNNING_RECAP_KEY, SlotSet
from app.settings.slot_table import SLOTS, SlotName
from app.settings.slots import AUTO, FORCED, NEVER

_OF_TIERS = tuple(name for name, spec in SLOTS.items() if spec.tier)
# In the order in which they stand in one block.
IN_BLOCK = (
    SlotName.CANON,
    SlotName.PROFILES,
    SlotName.LONG,
    SlotName.SHORT,
    SlotName.SCENES,
    SlotName.SESSION,
    *_OF_TIERS,
)
MACROS: Mapping[SlotName, str] = {
    SlotName.SHORT: "smartmemory-shortterm",
    SlotName.LONG: "smartmemory-longterm",
    SlotName.TRIGGERED: "smartmemory-triggered",
    SlotName.SESSION: "smartmemory-session",
    SlotName.SCENES: "smartmemory-scenes",
    **{name: f"smartmemory-{name.replace('_', '')}" for name in _OF_TIERS},
    SlotName.RELATIONSHIPS: "smartmemory-relationships",
    SlotName.CANON: "smartmemory-canon",
    SlotName.PROFILES: "smartmemory-profiles",
    SlotName.EPISTEMIC: "smartmemory-epistemic",
    SlotName.STATE_LEDGER: "smartmemory-stateledger",
    SlotName.UNIFIED: "smartmemory-unified",
}
RECAP_MACRO = "smartmemory-runningrecap"
# Every macro by the key of the slot whose text it tells, in the order in which they are listed.
MACROS_BY_KEY: Mapping[str, str] = {
    RUNNING_RECAP_KEY: RECAP_MACRO,
    **{name.key: macro for name, macro in MACROS.items()},
}
_FOUND = re.compile(r"\{\{\s{0,20}(smartmemory-[a-z]{1,20})\s{0,20}\}\}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Placement:
    """Where each text goes. by_macro: what a macro serves; all others stand in slots of their own,
    but for those in one block when is_unified. has_recap_macro: the card names the one of the
    running recap, which is served then.
    """

    is_unified: bool
    by_macro: frozenset[SlotName]
    standing: frozenset[SlotName]
    is_forced: bool
    has_recap_macro: bool = False

    def is_in_block(self, name: SlotName) -> bool:
        return self.is_unified and name in IN_BLOCK

    def warnings(self, told: Collection[SlotName]) -> tuple[str, ...]:
        """What of the told slots may never reach a prompt, and which macros say nothing."""
        sentences = []
        lost = [name for name in MACROS if name in told and name in self.by_macro - self.standing]
        if self.is_forced and lost:
            named = ", ".join(f"{{{{{MACROS[name]}}}}}" for name in lost)
            sentences.append(
                tr(
                    "Macros replace the usual places, but the card does not contain {named}. "
                    "Without a preset or author's note that contains it, its text reaches no "
                    "prompt.",
                    named=named,
                )
            )
        if SlotName.UNIFIED in self.standing and not self.is_unified and self.by_macro:
            sentences.append(
                tr("{{smartmemory-unified}} stays empty while “All in one block” is off.")
            )
        silent = [n for n in IN_BLOCK if n in self.standing] if self.is_unified else []
        if silent:
            named = ", ".join(f"{{{{{MACROS[name]}}}}}" for name in silent)
            sentences.append(
                tr("{named} stays empty while everything is in one block.", named=named)
            )
        # With macros switched off; in one block it was said above.
        beside = self.standing - self.by_macro - {SlotName.UNIFIED} - set(silent)
        in_slots = [name for name in MACROS if name in told and name in beside]
        if in_slots:
            named = ", ".join(f"{{{{{MACROS[name]}}}}}" for name in in_slots)
            sentences.append(
                tr("{named} stays empty: its text already has its own place.", named=named)
            )
        return tuple(sentences)


def macros_in(texts: Iterable[str]) -> tuple[str, ...]:
    """Names of our macros that stand in texts, each once, in the order of MACROS."""
    said = {found.lower() for text in texts for found in _FOUND.findall(text)}
    return tuple(macro for macro in (*MACROS.values(), RECAP_MACRO) if macro in said)


def placement_of(mode: str, card: Collection[str], *, is_unified: bool) -> Placement:
    """Where texts go. mode: AUTO serves by macro what the card names, FORCED all, NEVER none.

    card: names of the macros in system prompt, description, personality, scenario and examples of
    whoever answers.
    """
    standing = frozenset(name for name, macro in MACROS.items() if macro in card)
    # A macro of what stands in the block would say it twice; the block's own needs a block.
    allowed = set(MACROS) - (set(IN_BLOCK) if is_unified else {SlotName.UNIFIED})
    wanted = {AUTO: standing, FORCED: frozenset(MACROS), NEVER: frozenset[SlotName]()}[mode]
    has_recap = mode != NEVER and RECAP_MACRO in card
    return Placement(is_unified, wanted & allowed, standing, mode == FORCED, has_recap)


class MacroState(Enum):
    """What a macro tells now, and why it tells nothing."""

    TELLS = "tells"
    IN_SLOT = "in slot"
    IN_BLOCK = "in block"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class MacroUse:
    """One macro. key: of the slot whose text it tells. tokens: that it tells now."""

    name: str
    key: str
    state: MacroState
    tokens: int = 0


def macro_uses(slots: SlotSet) -> tuple[MacroUse, ...]:
    """What each macro tells in the prompt with these slots."""
    by_key = {slot.key: slot for slot in slots.slots}
    told = {content.key for content in slots.contents if content.tokens}
    has_block = SlotName.UNIFIED.key in by_key
    uses = []
    for key, name in MACROS_BY_KEY.items():
        slot, state, tokens = by_key.get(key), MacroState.NOTHING, 0
        if slot is not None and slot.text:
            state = MacroState.TELLS if slot.macro else MacroState.IN_SLOT
            tokens = slot.tokens if slot.macro else 0
        elif slot is None and has_block and key in told:
            state = MacroState.IN_BLOCK
        uses.append(MacroUse(name, key, state, tokens))
    return tuple(uses)
