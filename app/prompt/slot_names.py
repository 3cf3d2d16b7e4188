"""What people call the slots, by their keys. Pure."""

from __future__ import annotations

from app.core.translation import N_, tr
from app.prompt.slots import RUNNING_RECAP_KEY
from app.settings.slot_table import SLOTS

SLOT_NAMES = {
    RUNNING_RECAP_KEY: N_("Running recap"),
    "auto_recap_memory_long": N_("Long-term messages"),
    "auto_recap_memory_short": N_("Recent messages"),
    **{name.key: spec.title for name, spec in SLOTS.items()},
}


def slot_name(key: str) -> str:
    """The slot's name for people; an unknown key with its underscores as spaces."""
    if key in SLOT_NAMES:
        return tr(SLOT_NAMES[key])
    return key.replace("_", " ").strip().capitalize()
