"""Slots: the named extension prompts that Tavernkeep fills in SillyTavern, a row for each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from types import MappingProxyType

from app.core.translation import N_
from app.memory.records import Tier
from app.memory.tiers.table import TIERS
from app.memory.tiers.tier import TierSlot, TierSpec


class SlotName(StrEnum):
    """The slots of memory (spec/smart-memory.md §16), in the order in which they are set: what
    rarely changes first, so that a provider's cache of the prompt holds.

    The slot in a tier's row has the tier's name: `SlotName(tier)`.
    """

    CANON = "canon"
    PROFILES = "profiles"
    LONG = "long"
    SHORT = "short"
    SCENES = "scenes"
    RELATIONSHIPS = "relationships"
    TRIGGERED = "triggered"
    SESSION = "session"
    vars().update({tier.name: tier.value for tier, spec in TIERS.items() if spec.slot})
    EPISTEMIC = "epistemic"
    STATE_LEDGER = "state_ledger"
    REPAIR = "repair"
    UNIFIED = "unified"

    @property
    def key(self) -> str:
        """The key of the extension prompt in SillyTavern."""
        return f"smart_memory_{self.value}"


class Position(IntEnum):
    """SillyTavern's extension_prompt_types, tested on 1.13.5 to 1.19.0 (spec/sillytavern.md §3)."""

    NONE = -1
    IN_PROMPT = 0
    IN_CHAT = 1
    BEFORE_PROMPT = 2


class Role(IntEnum):
    """SillyTavern's extension_prompt_roles."""

    SYSTEM = 0
    USER = 1
    ASSISTANT = 2


@dataclass(frozen=True, slots=True)
class SlotSpec:
    """What a slot of memory is at first, and what people call it; English, to be translated.

    what: as in "budget of the summary". title: on pages; short: where auto-tune speaks of it.
    meaning: what it holds, in a sentence. hue: its colour's name in the window's theme.

    placeholder, frame, position, depth: text around it, and where it stands (spec/smart-memory.md
    §16). budget, least, most: tokens; budget 0 for what shares others'. tier: whose entries it
    lists one by one, None where a renderer of its own says what it tells.

    pressed: percent of its weight where the total is too small for all: notes that say one thing
    exactly go before texts that tell of many things at length; measured with tests/answers.
    by_kind: factors of its budget in dialogue, action, transitions and intimate moments (§15, TK4),
    None where it is always the same.
    """

    name: SlotName
    title: str
    what: str = ""
    short: str = ""
    meaning: str = ""
    hue: str = ""
    placeholder: str = ""
    frame: str = ""
    position: Position = Position.IN_CHAT
    depth: int = 1
    budget: int = 0
    least: int = 100
    most: int = 4000
    tier: Tier | None = None
    pressed: int = 100
    by_kind: tuple[float, float, float, float] | None = None


def _of_tier(spec: TierSpec, slot: TierSlot) -> SlotSpec:
    name = SlotName(spec.tier)
    return SlotSpec(
        name,
        title=spec.words.name,
        what=slot.what,
        meaning=slot.meaning,
        hue=spec.hue,
        placeholder=spec.tier.value,
        frame=f"{slot.heading}\n{{{{{name}}}}}",
        depth=slot.depth,
        budget=slot.budget,
        least=slot.least,
        tier=spec.tier,
        pressed=slot.pressed,
        by_kind=slot.by_kind,
    )


# In the order of their shares of the one total.
_SPECS = (
    SlotSpec(
        SlotName.SHORT,
        title=N_("Summary"),
        what=N_("the summary"),
        short=N_("Summary"),
        meaning=N_("The summary of the story so far; the running recap replaces it."),
        hue="short-term",
        placeholder="summary",
        frame="Story so far:\n{{summary}}",
        position=Position.IN_PROMPT,
        depth=0,
        budget=2000,
        least=500,
        most=3000,
    ),
    SlotSpec(
        SlotName.LONG,
        title=N_("Long-term"),
        what=N_("long-term memories"),
        short=N_("Long-term"),
        meaning=N_("Facts, relationships and events that last."),
        hue="long-term",
        placeholder="memories",
        frame="Memories of what came before:\n{{memories}}",
        position=Position.IN_PROMPT,
        depth=2,
        budget=500,
        pressed=130,
        by_kind=(1.2, 0.8, 1.0, 0.9),
    ),
    SlotSpec(
        SlotName.SESSION,
        title=N_("Session"),
        what=N_("session memories"),
        meaning=N_("The current scene, and details of this session."),
        hue="session",
        placeholder="session",
        frame="Details from this session:\n{{session}}",
        depth=3,
        budget=400,
        pressed=150,
        by_kind=(0.8, 1.3, 0.9, 1.2),
    ),
    SlotSpec(
        SlotName.SCENES,
        title=N_("Scenes"),
        what=N_("earlier scenes"),
        meaning=N_("Recaps of the newest finished scenes."),
        hue="scenes",
        placeholder="scenes",
        frame="Previous scenes:\n{{scenes}}",
        depth=6,
        budget=300,
        pressed=200,
        by_kind=(0.7, 1.2, 1.0, 1.0),
    ),
    *(_of_tier(spec, spec.slot) for spec in TIERS.values() if spec.slot),
    SlotSpec(
        SlotName.CANON,
        title=N_("Canon"),
        what=N_("canon"),
        meaning=N_("What the answering character has lived through, across all their chats."),
        hue="canon",
        placeholder="canon",
        frame="Character history:\n{{canon}}",
        position=Position.IN_PROMPT,
        depth=0,
        budget=800,
        pressed=50,
    ),
    SlotSpec(
        SlotName.PROFILES,
        title=N_("Profiles"),
        what=N_("profiles"),
        meaning=N_("The portrait of the character who answers."),
        hue="profiles",
        placeholder="profiles",
        frame="{{profiles}}",
        position=Position.IN_PROMPT,
        budget=400,
        pressed=50,
        by_kind=(1.2, 0.8, 1.0, 1.3),
    ),
    SlotSpec(
        SlotName.RELATIONSHIPS,
        title=N_("Relationships"),
        what=N_("relationships"),
        meaning=N_("Who feels what toward whom."),
        hue="relations",
        placeholder="relationships",
        frame="Relationship history:\n{{relationships}}",
        depth=5,
        budget=250,
        least=50,
    ),
    SlotSpec(
        SlotName.EPISTEMIC,
        title=N_("Who knows what"),
        what=N_("who knows what"),
        short=N_("Who knows what"),
        meaning=N_("What the answering character knows, suspects, hides and does not know."),
        hue="who knows",
        placeholder="epistemic",
        frame="{{epistemic}}",
        budget=200,
        least=50,
    ),
    SlotSpec(
        SlotName.STATE_LEDGER,
        title=N_("Current state"),
        what=N_("the current state"),
        meaning=N_("Where people and things are, and how they are doing."),
        hue="ledger",
        placeholder="state_ledger",
        frame="Current state:\n{{state_ledger}}",
        budget=200,
        least=50,
    ),
    SlotSpec(
        SlotName.TRIGGERED,
        title=N_("Recalled now"),
        what=N_("recalled memories"),
        meaning=N_("Long-term memories and old passages brought back by the latest messages."),
        hue="long-term",
        placeholder="memories",
        frame="Memories that matter now:\n{{memories}}",
        depth=4,
        pressed=200,
    ),
    SlotSpec(SlotName.REPAIR, title=N_("Correction")),
    SlotSpec(SlotName.UNIFIED, title=N_("All memory in one"), what=N_("the one block")),
)
SLOTS: Mapping[SlotName, SlotSpec] = MappingProxyType(
    {name: spec for name in SlotName for spec in _SPECS if spec.name is name}
)
# Those that share one total, in the order of their shares.
SHARING: tuple[SlotName, ...] = tuple(
    spec.name for spec in _SPECS if spec.budget and spec.name is not SlotName.SHORT
)
DEFAULTS: Mapping[SlotName, int] = MappingProxyType(
    {name: SLOTS[name].budget for name in (SlotName.SHORT, *SHARING)}
)
TRIGGERED_BUDGET = 150
