"""The virtual environment: made once, filled from the locks, remade when these or Python change."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from provision.places import LOCKS, SetupFailed, cache_folder, say
from provision.system import install_packages

STAMP = "tavernkeep-environment.json"
# What would make pip install to another place than the environment, or Python look elsewhere.
MISLEADING = ("PIP_TARGET", "PIP_PREFIX", "PIP_USER", "PYTHONHOME", "PYTHONPATH")


class Environment:
    """A virtual environment that knows from which locks and which Python it was made.

    folder: may be missing; then `prepare` makes it.
    locks: folder of the lock files.
    """

    def __init__(self, folder: Path, locks: Path = LOCKS) -> None:
        self.folder = folder
        self._locks = locks

    @property
    def python(self) -> Path:
        if sys.platform == "win32":
            return self.folder / "Scripts" / "python.exe"
        return self.folder / "bin" / "python"

    def prepare(self, names: Sequence[str]) -> None:
        """Make sure that what the locks `names` (without .txt) hold is installed; else SetupFailed.

        Does nothing when the stamp says so: it starts neither Python nor pip.
        """
        wanted = {name: self._hash(name) for name in names}
        installed = self._installed()
        if installed is None or any(installed.get(n, wanted[n]) != wanted[n] for n in wanted):
            self._make()
            installed = {}
        missing = [name for name in names if name not in installed]
        for name in missing:
            self._write_stamp(installed, complete=False)
            self._install(name)
            installed[name] = wanted[name]
            self._write_stamp(installed, complete=True)

    def _hash(self, name: str) -> str:
        return hashlib.sha256(self._lock(name).read_bytes()).hexdigest()

    def _lock(self, name: str) -> Path:
        return self._locks / f"{name}.txt"

    def _installed(self) -> dict[str, str] | None:
        """The hashes of the locks that are installed; None: the environment must be made anew."""
        stamp = _read_stamp(self.folder)
        if not stamp.get("complete") or stamp.get("python") != _this_python():
            return None
        # The scripts inside hold absolute paths: a moved environment is a broken one.
        if stamp.get("folder") != str(self.folder) or not self.python.exists():
            return None
        locks: dict[str, str] = stamp["locks"]
        return locks

    def _make(self) -> None:
        say(f"Making the environment in {self.folder} ...")
        if self.folder.exists():
            shutil.rmtree(self.folder)
        self.folder.mkdir(parents=True)
        # Written first, so that an interrupted set-up is known as ours and not as somebody's own.
        self._write_stamp({}, complete=False)
        if importlib.util.find_spec("ensurepip") is None:
            version = f"{sys.version_info.major}.{sys.version_info.minor}"
            install_packages([f"python{version}-venv"], why="Python came without its venv part")
        made = subprocess.run([sys.executable, "-m", "venv", str(self.folder)], stdout=sys.stderr)
        if made.returncode != 0:
            raise SetupFailed(f"The environment could not be made in {self.folder}; see above.")

    def _install(self, name: str) -> None:
        # pip says nothing for a while: whoever waits has to know for how long, and that it goes on.
        say(
            "Loading and installing what Tavernkeep needs, about 400 MB. It takes some minutes the "
            "first time, in silence ..."
        )
        started = time.monotonic()
        command = [str(self.python), "-m", "pip", "install", "-qq", "--no-input"]
        command += ["--disable-pip-version-check", "--require-hashes"]
        command += ["--requirement", str(self._lock(name))]
        if subprocess.run(command, stdout=sys.stderr, env=clean_environ()).returncode != 0:
            raise SetupFailed(
                "The dependencies could not be installed; see above. What was loaded is kept: "
                "check the network and run the command again."
            )
        say(f"Installed in {time.monotonic() - started:.0f} seconds.")

    def _write_stamp(self, locks: dict[str, str], *, complete: bool) -> None:
        stamp = {
            "complete": complete,
            "folder": str(self.folder),
            "python": _this_python(),
            "locks": locks,
        }
        temporary = self.folder / f"{STAMP}.new"
        temporary.write_text(json.dumps(stamp, indent=2), encoding="utf-8")
        temporary.replace(self.folder / STAMP)


def folder_for(checkout: Path) -> Path:
    """Where the environment of `checkout` belongs.

    Inside it, or in the user's cache when it cannot be written or when its .venv is the user's own.
    """
    inside = checkout / ".venv"
    if inside.exists():
        if _read_stamp(inside) and os.access(inside, os.W_OK):
            return inside
    elif os.access(checkout, os.W_OK):
        return inside
    key = hashlib.sha256(str(checkout).encode()).hexdigest()[:12]
    return cache_folder() / "environments" / key


def clean_environ() -> dict[str, str]:
    """This process's environment without what misleads Python or pip."""
    return {key: value for key, value in os.environ.items() if key not in MISLEADING}


def _read_stamp(folder: Path) -> dict[str, Any]:
    try:
        stamp = json.loads((folder / STAMP).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) else {}


def _this_python() -> str:
    return f"{platform.python_version()} {platform.machine()} {sys.base_prefix}"
