"""Puts the bridge extension into a tavern, pairs it with the running program, and takes it out."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from app.core.errors import BridgeError, reason_of
from app.core.resources import RESOURCES
from app.core.translation import N_, tr
from app.sillytavern.bridge.bridge_file import BRIDGE_FILE, make_files_folder, write_for_tavern
from app.sillytavern.guarded_write import DIGITS
from app.views.bridge import BridgeStatus

SOURCE = RESOURCES / "bridge"
FOLDER_NAME = "tavernkeep"
_PAIRING = "pairing.json"
_MANIFEST = "manifest.json"
_INVENTORY = "installed.json"  # what we put there: an older version's files are known by it
_INTERCEPTOR = "tavernkeep_intercept"  # in the manifest of every version: tells ours from others
_FILE_NAME = re.compile(r"[A-Za-z0-9_-]+\.(js|json|css)")
_UNFINISHED = re.compile(rf"{_FILE_NAME.pattern}\.\d{{{DIGITS}}}")


def extension_folder(user_folder: Path) -> Path:
    """Where SillyTavern loads the extension from."""
    return user_folder / "extensions" / FOLDER_NAME


def program_version() -> str:
    """Version of the extension that this program brings along."""
    return str(_read_json(SOURCE / _MANIFEST).get("version", ""))


def status(user_folder: Path) -> BridgeStatus:
    """What is installed in this tavern now."""
    folder = extension_folder(user_folder)
    if _is_free(folder):
        return BridgeStatus(False, "", False, folder, tr("The bridge is not installed."))
    if not _is_ours(folder):
        return BridgeStatus(
            False, "", False, folder, tr("Another extension uses the folder of the bridge.")
        )
    version = str(_read_json(folder / _MANIFEST).get("version", ""))
    if _parts(version) < _parts(program_version()):
        sentence = tr(
            "The bridge is installed in version {version}; a newer one is ready.", version=version
        )
        return BridgeStatus(True, version, True, folder, sentence)
    is_off = is_switched_off(user_folder)
    sentence = N_("The bridge is installed ({version}).")
    if is_off:
        sentence = N_("The bridge is installed, but switched off in SillyTavern's extensions.")
    return BridgeStatus(
        True, version, False, folder, tr(sentence, version=version), is_switched_off=is_off
    )


def is_switched_off(user_folder: Path) -> bool:
    """Whether SillyTavern does not load it, by the user's word among its extensions."""
    extensions = _read_json(user_folder / "settings.json").get("extension_settings")
    off = extensions.get("disabledExtensions") if isinstance(extensions, dict) else None
    return isinstance(off, list) and f"third-party/{FOLDER_NAME}" in off


def install(user_folder: Path) -> BridgeStatus:
    """Copy the extension into the tavern, or bring it up to date.

    Pages take it up at their next reload. Raises BridgeError when the folder belongs to somebody
    else or cannot be written; then it can be done again, and until then nothing is called installed
    that is not whole.
    """
    folder = extension_folder(user_folder)
    if not _is_free(folder) and not _is_ours(folder):
        raise BridgeError(
            tr(
                "The folder {folder} contains something else. Move it away, then install the "
                "bridge.",
                folder=folder,
            )
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        names = set(source_names())
        outdated = _inventory(folder) - names
        # First of all: by it a folder is known for ours that a full disk left without a manifest.
        _write_inventory(user_folder, names | outdated)
        for name in sorted(names - {_MANIFEST}):
            write_for_tavern(user_folder, folder / name, (SOURCE / name).read_bytes())
        if not (folder / _PAIRING).exists():
            _write_pairing(user_folder, 0, "")
        _leave_empty_bridge_file(user_folder)
        # Last: SillyTavern loads what has one, and we take its version for that of all files.
        write_for_tavern(user_folder, folder / _MANIFEST, (SOURCE / _MANIFEST).read_bytes())
        for path in (*(folder / name for name in outdated), *_unfinished(folder)):
            path.unlink(missing_ok=True)
        _write_inventory(user_folder, names)
    except OSError as error:
        raise BridgeError(
            tr(
                "The bridge could not be installed in {folder}: {reason}.",
                folder=folder,
                reason=reason_of(error),
            )
        ) from error
    return status(user_folder)


def update(user_folder: Path) -> bool:
    """Install again when the program brings a newer version. Returns whether it did."""
    if not status(user_folder).newer_available:
        return False
    install(user_folder)
    return True


def remove(user_folder: Path) -> BridgeStatus:
    """Take out what we put in, and nothing else.

    Files that somebody else added stay where they are. Raises BridgeError when the folder is not
    ours or a file cannot be deleted.
    """
    folder = extension_folder(user_folder)
    if not folder.exists() and not folder.is_symlink():
        (user_folder / BRIDGE_FILE).unlink(missing_ok=True)
        return status(user_folder)
    if not _is_free(folder) and not _is_ours(folder):
        raise BridgeError(
            tr("The folder {folder} contains something else, so it was not touched.", folder=folder)
        )
    try:
        # The manifest goes last: while it is there, a half done removal can be done again.
        names = _inventory(folder) | set(source_names()) | {_PAIRING, _INVENTORY}
        for path in (*(folder / name for name in names - {_MANIFEST}), *_unfinished(folder)):
            path.unlink(missing_ok=True)
        (folder / _MANIFEST).unlink(missing_ok=True)
        (user_folder / BRIDGE_FILE).unlink(missing_ok=True)
        if not any(folder.iterdir()):
            folder.rmdir()
    except OSError as error:
        raise BridgeError(
            tr(
                "The bridge could not be removed from {folder}: {reason}.",
                folder=folder,
                reason=reason_of(error),
            )
        ) from error
    if folder.exists():
        sentence = tr(
            "The bridge was removed. Files that do not belong to it stay in {folder}.",
            folder=folder,
        )
        return BridgeStatus(False, "", False, folder, sentence)
    return status(user_folder)


def write_pairing(
    user_folder: Path, port: int, token: str, parts: Mapping[str, bool] | None = None
) -> bool:
    """Tell the tavern's pages how to reach us; port 0 says that nobody is there.

    parts: which parts of the page the user wants, also while nobody is there. Returns False, and
    writes nothing, where the bridge is not installed. Raises BridgeError when the file cannot be
    written.
    """
    if not _is_ours(extension_folder(user_folder)):
        return False
    try:
        _write_pairing(user_folder, port, token, parts)
    except OSError as error:
        raise BridgeError(
            tr(
                "The bridge in {user_folder} could not be told how to reach Tavernkeep: {reason}.",
                user_folder=user_folder,
                reason=reason_of(error),
            )
        ) from error
    return True


def read_pairing(user_folder: Path) -> tuple[int, str] | None:
    """Port and token that the tavern's pages find; (0, "") for none, None without the bridge."""
    folder = extension_folder(user_folder)
    if not _is_ours(folder):
        return None
    paired = _read_json(folder / _PAIRING)
    port, token = paired.get("port"), paired.get("token")
    return (port if isinstance(port, int) else 0, token if isinstance(token, str) else "")


def _write_pairing(
    user_folder: Path, port: int, token: str, parts: Mapping[str, bool] | None = None
) -> None:
    paired = {"port": port, "token": token}
    content = json.dumps(paired | ({"parts": dict(parts)} if parts else {})).encode()
    path = extension_folder(user_folder) / _PAIRING
    write_for_tavern(user_folder, path, content, is_secret=True)


def _leave_empty_bridge_file(user_folder: Path) -> None:
    # A page that asks for a missing file fills the browser's console with errors.
    path = user_folder / BRIDGE_FILE
    if not path.exists():
        make_files_folder(user_folder)
        write_for_tavern(user_folder, path, b'{"sequence":0,"written":0,"chats":{}}')


def _is_ours(folder: Path) -> bool:
    # A link may lead into somebody's working copy: never write through it.
    if folder.is_symlink() or not folder.is_dir():
        return False
    return _read_json(folder / _MANIFEST).get("generate_interceptor") == _INTERCEPTOR


def _is_free(folder: Path) -> bool:
    """Whether nothing is there, or only what an installation of ours left that did not end."""
    if folder.is_symlink() or not folder.is_dir():
        return not folder.exists() and not folder.is_symlink()
    if (folder / _MANIFEST).exists():
        return False
    return bool(_inventory(folder)) or set(folder.iterdir()) <= set(_unfinished(folder))


def _unfinished(folder: Path) -> list[Path]:
    """Files that a program which died while it wrote them left beside those of the bridge."""
    return [path for path in folder.iterdir() if _UNFINISHED.fullmatch(path.name)]


def _write_inventory(user_folder: Path, names: Iterable[str]) -> None:
    content = json.dumps({"files": sorted(names)}).encode()
    write_for_tavern(user_folder, extension_folder(user_folder) / _INVENTORY, content)


def source_names() -> list[str]:
    """Names of the files that make the extension."""
    return sorted(path.name for path in SOURCE.iterdir() if _FILE_NAME.fullmatch(path.name))


def _inventory(folder: Path) -> set[str]:
    names = _read_json(folder / _INVENTORY).get("files")
    if not isinstance(names, list):
        return set()
    return {name for name in names if isinstance(name, str) and _FILE_NAME.fullmatch(name)}


def _read_json(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def _parts(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:4])
