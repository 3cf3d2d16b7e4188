"""What the program logs may be sent to strangers: an error's place and kind, not what it quotes."""

from __future__ import annotations

import logging
import traceback
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType

from app.core.errors import TavernkeepError

FORMAT = "%(levelname)s %(name)s: %(message)s"
FILE = "tavernkeep.log"
MOST_BYTES, KEPT_FILES = 1_000_000, 2
MOST_CAUSES = 10

_Caught = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


class PrivateFormatter(logging.Formatter):
    """Tells where an exception was raised, and its message only where the message is ours.

    `int("...")` and `{}["..."]` quote what they could not use, which may be a line of a story.
    """

    def formatException(self, ei: _Caught) -> str:  # noqa: N802
        parts: list[str] = []
        error = ei[1]
        while error is not None and len(parts) < MOST_CAUSES:
            said = f": {error}" if isinstance(error, TavernkeepError) else ""
            frames = "".join(traceback.format_tb(error.__traceback__))
            parts.append(f"{frames}{type(error).__qualname__}{said}")
            error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
        return "\nbecause of\n".join(parts)


def log_to_stderr() -> None:
    """Send warnings and errors to where the program was started; once."""
    root = logging.getLogger()
    if root.handlers:
        return
    handler = logging.StreamHandler()
    handler.setFormatter(PrivateFormatter(FORMAT))
    root.addHandler(handler)
    root.setLevel(logging.WARNING)


def log_to_file(folder: Path) -> logging.Handler:
    """Keep the same in a file of this folder as well: who starts from a menu has no terminal.

    The caller removes the handler. A folder that cannot be written to is told of by logging itself.
    """
    handler = RotatingFileHandler(
        folder / FILE, maxBytes=MOST_BYTES, backupCount=KEPT_FILES, encoding="utf-8", delay=True
    )
    handler.setFormatter(PrivateFormatter(f"%(asctime)s {FORMAT}"))
    logging.getLogger().addHandler(handler)
    return handler
