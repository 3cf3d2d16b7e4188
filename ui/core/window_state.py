"""What the window remembers between two runs, as one JSON text."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, fields

NOWHERE = -1_000_000  # on no screen


@dataclass(slots=True)
class WindowState:
    """geometry: Qt's own bytes in base64. left, top: of its frame, where it stood. Widths in px.
    last_chat: path of the chat shown last. declines_bridge: the user closed the offer to install
    the bridge. is_set_up: the steps of the first run are over. knows_tray: it was said once that a
    closed window stays in the tray. told_cuts: paths of the chats of which it was said that memory
    does not fit its budgets. told_cap: the last day on which it was said that its cap is reached,
    "" for none.
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
    told_cuts: list[str] = field(default_factory=list)
    told_cap: str = ""
    left: int = NOWHERE
    top: int = NOWHERE

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
        if type(value) is type(getattr(state, entry.name)) and _is_read(value):
            setattr(state, entry.name, value)
    return state


def _is_read(value: object) -> bool:
    """Whether a list holds texts alone; what is no list is read as it is."""
    return not isinstance(value, list) or all(isinstance(one, str) for one in value)
