"""Which texts stand in slots, which in one block, which are served by macros: decided once. Pure.

Source: spec/smart-memory.md §16 (IJ13) and §17.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from app.prompt.slots import SlotName
from app.translation import tr

AUTO, FORCED, NEVER = "auto", "forced", "never"

# In the order in which they stand in one block.
IN_BLOCK = (
    SlotName.CANON,
    SlotName.PROFILES,
    SlotName.LONG,
    SlotName.SHORT,
    SlotName.SCENES,
    SlotName.SESSION,
    SlotName.ARCS,
)
MACROS: Mapping[SlotName, str] = {
    SlotName.SHORT: "smartmemory-shortterm",
    SlotName.LONG: "smartmemory-longterm",
    SlotName.TRIGGERED: "smartmemory-triggered",
    SlotName.SESSION: "smartmemory-session",
    SlotName.SCENES: "smartmemory-scenes",
    SlotName.ARCS: "smartmemory-arcs",
    SlotName.RELATIONSHIPS: "smartmemory-relationships",
    SlotName.CANON: "smartmemory-canon",
    SlotName.PROFILES: "smartmemory-profiles",
    SlotName.EPISTEMIC: "smartmemory-epistemic",
    SlotName.STATE_LEDGER: "smartmemory-stateledger",
    SlotName.UNIFIED: "smartmemory-unified",
}
_FOUND = re.compile(r"\{\{\s{0,20}(smartmemory-[a-z]{1,20})\s{0,20}\}\}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Placement:
    """Where each text goes. by_macro: what a macro serves; all others stand in slots of their own,
    but for those in one block when is_unified.
    """

    is_unified: bool
    by_macro: frozenset[SlotName]
    standing: frozenset[SlotName]
    is_forced: bool

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
                    "Macros stand in place of slots, and the card does not name {named}: what "
                    "they tell reaches no prompt, unless a preset or an author's note of yours "
                    "names them.",
                    named=named,
                )
            )
        if SlotName.UNIFIED in self.standing and not self.is_unified and self.by_macro:
            sentences.append(
                tr("{{smartmemory-unified}} says nothing while all in one block is off.")
            )
        silent = [n for n in IN_BLOCK if n in self.standing] if self.is_unified else []
        if silent:
            named = ", ".join(f"{{{{{MACROS[name]}}}}}" for name in silent)
            sentences.append(tr("{named} says nothing while all is in one block.", named=named))
        return tuple(sentences)


def macros_in(texts: Iterable[str]) -> tuple[str, ...]:
    """Names of our macros that stand in texts, each once, in the order of MACROS."""
    said = {found.lower() for text in texts for found in _FOUND.findall(text)}
    return tuple(macro for macro in MACROS.values() if macro in said)


def placement_of(mode: str, card: Collection[str], *, is_unified: bool) -> Placement:
    """Where texts go. mode: AUTO serves by macro what the card names, FORCED all, NEVER none.

    card: names of the macros in system prompt, description, personality, scenario and examples of
    whoever answers.
    """
    standing = frozenset(name for name, macro in MACROS.items() if macro in card)
    # A macro of what stands in the block would say it twice; the block's own needs a block.
    allowed = set(MACROS) - (set(IN_BLOCK) if is_unified else {SlotName.UNIFIED})
    wanted = {AUTO: standing, FORCED: frozenset(MACROS), NEVER: frozenset[SlotName]()}[mode]
    return Placement(is_unified, wanted & allowed, standing, mode == FORCED)
