"""What the window remembers between two runs, as one JSON text."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields


@dataclass(slots=True)
class WindowState:
    """geometry: Qt's own bytes in base64. Widths in px. last_chat: path of the chat shown last.
    declines_bridge: the user closed the offer to install the bridge. is_set_up: the steps of the
    first run are over. knows_tray: it was said once that a closed window stays in the tray.
    """

    geometry: str = ""
    page: str = "story"
    navigator_width: int = 256
    navigator_open: bool = True
    inspector_width: int = 316
    inspector_open: bool = True
    last_chat: str = ""
    declines_bridge: bool = False
    is_set_up: bool = False
    knows_tray: bool = False

    def to_text(self) -> str:
        """For the settings."""
        return json.dumps(asdict(self), sort_keys=True)


def read_state(text: str) -> WindowState:
    """The state in `text`; what is missing or of the wrong kind is as at the first start."""
    state = WindowState()
    try:
        raw = json.loads(text) if text else {}
    except ValueError:
        return state
    if not isinstance(raw, dict):
        return state
    for entry in fields(WindowState):
        value = raw.get(entry.name)
        if type(value) is type(getattr(state, entry.name)):
            setattr(state, entry.name, value)
    return state
