"""How the bridge stands in a tavern."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from app.core.translation import N_

REMOVED = N_("The bridge was removed. Reload SillyTavern's page to finish.")
# Causes of how the way to the page is doing, beside the states of a bridge.
PORT_TAKEN, WAITS = "port taken", "waits for the page"


class BridgeState(StrEnum):
    """How the bridge stands in a tavern, by what lies in its folder.

    UNPAIRED: its pages find another port or password there than those they need.
    """

    PAIRED = "paired"
    ABSENT = "absent"
    UNPAIRED = "unpaired"
    SWITCHED_OFF = "switched off"


@dataclass(frozen=True, slots=True)
class BridgeStatus:
    """Whether the bridge is in a tavern. version: of the installed one, empty when none is.

    is_switched_off: SillyTavern does not load it, by the user's word among its extensions.
    """

    installed: bool
    version: str
    newer_available: bool
    path: Path
    sentence: str
    is_switched_off: bool = False
