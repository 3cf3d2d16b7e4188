"""Small JSON files of SillyTavern's that may be missing, damaged or absurdly large."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

MAX_BYTES = 64 * 1024 * 1024


def load_object(path: Path) -> dict[str, Any]:
    """The file's JSON object, {} when it cannot be read or is none."""
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
        value = msgspec.json.decode(raw) if len(raw) <= MAX_BYTES else None
    except (OSError, msgspec.MsgspecError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
