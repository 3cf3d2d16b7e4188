"""Where the set-up keeps things, and how it speaks: on stderr, in sentences."""

from __future__ import annotations

import os
import sys
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent.parent
LOCKS = CHECKOUT / "packaging" / "locks"


class SetupFailed(Exception):
    """The set-up cannot go on; the message tells the user why and what to do."""

    def __init__(self, message: str, *, exit_code: int = 1) -> None:
        super().__init__(message)
        self.exit_code = exit_code


def say(sentence: str) -> None:
    """Tell the user; stdout belongs to the command that is run."""
    print(sentence, file=sys.stderr, flush=True)


def cache_folder() -> Path:
    """This user's folder for what can be made again."""
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "tavernkeep"
