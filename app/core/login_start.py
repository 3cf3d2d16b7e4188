"""Starts the program when its user logs in; each system has its own way to be told so."""

from __future__ import annotations

import os
import plistlib
import re
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from app.core.errors import StoreError, reason_of
from app.core.resources import RESOURCES
from app.core.translation import tr

TITLE = "Tavernkeep"
_RUN = r"Software\Microsoft\Windows\CurrentVersion\Run"
_SWITCHED_OFF = re.compile(
    r"^\s*(Hidden\s*=\s*true|X-GNOME-Autostart-enabled\s*=\s*false)\s*$", re.M | re.I
)


class LoginStart(Protocol):
    """Whether the program starts by itself, and with which words."""

    @property
    def is_on(self) -> bool: ...

    def turn_on(self, words: Sequence[str]) -> None:
        """Let these words be called at each login. Raises StoreError."""

    def turn_off(self) -> None:
        """Let nothing be called any more. Raises StoreError."""


@dataclass(frozen=True, slots=True)
class EntryFile:
    """Linux and macOS: a file in a folder of the user's. text: what it says for a command."""

    path: Path
    text: Callable[[Sequence[str]], bytes]

    @property
    def is_on(self) -> bool:
        try:
            return not _SWITCHED_OFF.search(self.path.read_text("utf-8", "replace"))
        except OSError:
            return False

    def turn_on(self, words: Sequence[str]) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.write_bytes(self.text(words))
        except OSError as error:
            raise _refused(error) from error

    def turn_off(self) -> None:
        try:
            self.path.unlink(missing_ok=True)
        except OSError as error:
            raise _refused(error) from error


@dataclass(frozen=True, slots=True)
class RunValue:
    """Windows: a value of the user's part of the registry. registry: the module winreg."""

    registry: Any

    @property
    def is_on(self) -> bool:
        try:
            with self.registry.OpenKey(self.registry.HKEY_CURRENT_USER, _RUN) as key:
                return bool(self.registry.QueryValueEx(key, TITLE)[0])
        except OSError:
            return False

    def turn_on(self, words: Sequence[str]) -> None:
        try:
            with self.registry.CreateKey(self.registry.HKEY_CURRENT_USER, _RUN) as key:
                line = subprocess.list2cmdline(words)
                self.registry.SetValueEx(key, TITLE, 0, self.registry.REG_SZ, line)
        except OSError as error:
            raise _refused(error) from error

    def turn_off(self) -> None:
        try:
            with self.registry.CreateKey(self.registry.HKEY_CURRENT_USER, _RUN) as key:
                self.registry.DeleteValue(key, TITLE)
        except FileNotFoundError:
            pass
        except OSError as error:
            raise _refused(error) from error


def login_start(
    system: str = sys.platform, environ: Mapping[str, str] = os.environ, home: Path | None = None
) -> LoginStart:
    """The way of a system. system: as sys.platform has it."""
    home = home or Path.home()
    if system == "win32":
        return RunValue(import_module("winreg"))
    if system == "darwin":
        return EntryFile(home / "Library" / "LaunchAgents" / "tavernkeep.plist", agent_text)
    configured = environ.get("XDG_CONFIG_HOME", "")
    folder = Path(configured) if Path(configured).is_absolute() else home / ".config"
    return EntryFile(folder / "autostart" / "tavernkeep.desktop", entry_text)


def own_words() -> list[str]:
    """What starts this copy from any folder: a bundle, a checkout, or an installed package."""
    if getattr(sys, "frozen", False):
        return [sys.executable]
    bootstrap = RESOURCES.parent / "packaging" / "bootstrap.py"
    if bootstrap.is_file():
        return [sys.executable, str(bootstrap), "run"]
    # -P: a folder "ui" of the user's is not ours.
    return [sys.executable, "-P", "-m", "ui"]


def entry_text(words: Sequence[str]) -> bytes:
    """A desktop file (freedesktop.org, Desktop Entry Specification 1.5: "The Exec key")."""
    line = " ".join(_quoted(word) for word in words)
    program = words[0].replace("\\", r"\\")
    # Without its program the desktop passes it over.
    said = f"[Desktop Entry]\nType=Application\nName={TITLE}\nTryExec={program}\nExec={line}\n"
    return said.encode("utf-8", "surrogateescape")


def _quoted(word: str) -> str:
    escaped = re.sub(r'(["`$\\])', r"\\\1", word).replace("\\", r"\\").replace("%", "%%")
    return f'"{escaped}"'


def agent_text(words: Sequence[str]) -> bytes:
    """A launch agent of macOS (launchd.plist)."""
    agent = {"Label": "tavernkeep", "ProgramArguments": list(words), "RunAtLoad": True}
    return plistlib.dumps(agent)


def _refused(error: OSError) -> StoreError:
    return StoreError(
        tr("The start at login could not be changed: {reason}.", reason=reason_of(error))
    )
