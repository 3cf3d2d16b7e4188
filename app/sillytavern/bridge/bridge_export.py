"""Makes the extension's folder for a SillyTavern whose files are not here."""

from __future__ import annotations

import json
from pathlib import Path

from app.core.errors import BridgeError, reason_of
from app.core.translation import tr
from app.sillytavern.bridge.bridge_installer import FOLDER_NAME, SOURCE, source_names
from app.sillytavern.guarded_write import write_file_atomically

_PAIRING = "pairing.json"
# It says only that nobody writes a token here: the page is paired by a code.
_REMOTE = {"port": 0, "token": "", "remote": True}


def export(folder: Path) -> Path:
    """Write the extension into a folder of its own below `folder`, and give that.

    There is no secret in it. One that was exported before is brought up to date. Raises BridgeError
    where something else is there, and where it cannot be written.
    """
    target = folder / FOLDER_NAME
    try:
        if target.is_symlink() or (target.exists() and not _was_exported(target)):
            raise BridgeError(
                tr(
                    "{folder} already exists and was not created by this command. Name another "
                    "folder.",
                    folder=target,
                )
            )
        target.mkdir(parents=True, exist_ok=True)
        write_file_atomically(target / _PAIRING, json.dumps(_REMOTE).encode())
        for name in source_names():
            write_file_atomically(target / name, (SOURCE / name).read_bytes())
    except OSError as error:
        raise BridgeError(
            tr(
                "The extension could not be saved to {folder}: {reason}.",
                folder=target,
                reason=reason_of(error),
            )
        ) from error
    return target


def _was_exported(target: Path) -> bool:
    if not any(target.iterdir()):
        return True
    try:
        content = json.loads((target / _PAIRING).read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(content, dict) and content == _REMOTE
