"""Where SillyTavern's page is opened on this computer, as its own configuration says."""

from __future__ import annotations

import re
from pathlib import Path

USUAL_PORT = 8000
LONGEST = 200_000  # characters of its configuration that are read
# Two facts of a file that may hold much else: its form, YAML, is not read as a whole.
PORT = re.compile(r"^port:[ \t]*(\d{1,5})\b", re.MULTILINE)
SSL = re.compile(
    r"^ssl:[ \t]*(?:#.*)?\n(?:[ \t]*#.*\n|[ \t]*\n)*[ \t]+enabled:[ \t]*true\b", re.MULTILINE
)


def page_address(user_folder: Path) -> str:
    """Such as http://127.0.0.1:8000; the usual one where nothing says another.

    Source: SillyTavern's config.yaml, which lies beside the folder that holds its users.
    """
    try:
        with (user_folder.parent.parent / "config.yaml").open(encoding="utf-8") as file:
            said = file.read(LONGEST)
    except (OSError, UnicodeDecodeError):
        said = ""
    found = PORT.search(said)
    port = int(found[1]) if found is not None else USUAL_PORT
    if not 0 < port < 65_536:
        port = USUAL_PORT
    return f"{'https' if SSL.search(said) else 'http'}://127.0.0.1:{port}"
