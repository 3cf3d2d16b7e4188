"""What the budgets page says: names of slots, places, figures, and what each number means."""

from __future__ import annotations

from collections.abc import Mapping

from app.prompt.slots import MESSAGE_RECAPS_KEY, RUNNING_RECAP_KEY, Position, SlotName, TurnKind
from app.slot_settings import WORDS
from ui.inspector.words import SLOT_NAMES, SLOT_TIERS

# In the order of the page, largest default first.
TEN = (
    SlotName.SHORT,
    SlotName.CANON,
    SlotName.ARCS,
    SlotName.LONG,
    SlotName.SESSION,
    SlotName.PROFILES,
    SlotName.SCENES,
    SlotName.RELATIONSHIPS,
    SlotName.EPISTEMIC,
    SlotName.STATE_LEDGER,
)
SLIDERS = (*TEN, SlotName.TRIGGERED)
TITLES = {name: SLOT_NAMES[name.key] for name in SLIDERS}
HUES = {name: SLOT_TIERS[name.key] for name in SLIDERS}
MEANINGS = {
    SlotName.SHORT: "The summary of the story so far; the running recap stands in for it.",
    SlotName.CANON: "What the one who answers has lived through, over all their chats.",
    SlotName.ARCS: "Open threads of the plot.",
    SlotName.LONG: "Facts, relationships and events that last.",
    SlotName.SESSION: "The scene as it is now, and details of this session.",
    SlotName.PROFILES: "The portrait of the one who answers.",
    SlotName.SCENES: "Recaps of the newest scenes that have closed.",
    SlotName.RELATIONSHIPS: "Who feels what toward whom.",
    SlotName.EPISTEMIC: "What the one who answers knows, suspects, hides and does not know.",
    SlotName.STATE_LEDGER: "Where people and things are, and how.",
    SlotName.TRIGGERED: "Long-term memories that the last messages call up.",
}
RUNNING_TITLE, RECAPS_TITLE, KEPT_TITLE = "Running recap", "Message recaps", "Kept message recaps"
TOTAL_TITLE = "All tiers together"
TURN_WORDS: Mapping[TurnKind, str] = {
    TurnKind.DIALOGUE: "Dialogue",
    TurnKind.ACTION: "Action",
    TurnKind.TRANSITION: "Transition",
    TurnKind.INTIMATE: "Intimate",
}
STEP, SMALL_STEP, PAGE_STEP = 50, 10, 250

KEYS_OF_RECAPS = (RUNNING_RECAP_KEY, MESSAGE_RECAPS_KEY)


def place_words(position: Position, depth: int) -> str:
    """Where a slot stands, in two or three words."""
    match position:
        case Position.BEFORE_PROMPT:
            return "before the prompt"
        case Position.IN_PROMPT:
            return "in the prompt"
        case Position.IN_CHAT:
            return f"chat, depth {depth}"
        case _:
            return "nowhere"


def tokens_words(tokens: int) -> str:
    """ "1 token", "1,204 tokens"."""
    return "1 token" if tokens == 1 else f"{tokens:,} tokens"


def lines_words(count: int) -> str:
    """ "1 line", "3 lines"."""
    return "1 line" if count == 1 else f"{count:,} lines"


def moved_label(what: str, before: int, after: int) -> str:
    """Name of a step for undo: "budget of who knows what 200 → 350"."""
    return f"budget of {what} {before:,} → {after:,}"


def what_of(name: SlotName) -> str:
    """The slot as the settings call it: "long-term memories"."""
    return WORDS[name]


def spoken_row(title: str, used: int, budget: int, full: int) -> str:
    """What a screen reader says of a row."""
    words = f"{title}: {used:,} of {tokens_words(budget)} used"
    return f"{words}, {full - used:,} cut" if full > used else words
