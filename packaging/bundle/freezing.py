"""Runs PyInstaller over the specification: one folder with the program and all that it needs."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

from bundle.specification import NAME, SPEC
from provision.places import CHECKOUT, say


class BundleFailed(Exception):
    """The bundle could not be made; the message says what failed."""


class ToolMissing(Exception):
    """What makes or packs a bundle is not here; the message is the reason, without a full stop."""


def require_tool() -> None:
    """Raise ToolMissing where PyInstaller cannot work."""
    if importlib.util.find_spec("PyInstaller") is None:
        raise ToolMissing("PyInstaller is not installed (packaging/locks/build.txt)")
    if sys.platform == "linux":
        require_program("objdump", "Debian's package binutils")


def require_program(name: str, source: str) -> str:
    """Where the program `name` is; else ToolMissing, which names the source to get it from."""
    found = shutil.which(name)
    if found is None:
        raise ToolMissing(f"{name} is not installed ({source})")
    return found


def freeze(work: Path) -> Path:
    """Freeze below `work`; the folder, or on macOS the app. Raises BundleFailed, ToolMissing."""
    require_tool()
    distributed = work / "frozen"
    command = [sys.executable, "-m", "PyInstaller", "--noconfirm", "--clean", "--log-level", "WARN"]
    command += ["--workpath", str(work / "pyinstaller"), "--distpath", str(distributed), str(SPEC)]
    environ = os.environ | {"PYTHONPATH": str(CHECKOUT / "packaging")}
    # Names in sets would else come in another order each time.
    environ |= {"PYTHONHASHSEED": "1"}
    say("Freezing ...")
    done = subprocess.run(command, cwd=CHECKOUT, env=environ, stdout=sys.stderr)
    if done.returncode != 0:
        raise BundleFailed("PyInstaller failed; see above.")
    folder = distributed / NAME
    if sys.platform == "linux":
        _strip_python(folder)
    return distributed / "Tavernkeep.app" if sys.platform == "darwin" else folder


def _strip_python(folder: Path) -> None:
    """Take the debugger's part out of Python's own libraries; the wheels' have none."""
    strip = shutil.which("strip")
    if strip is None:
        return
    inside = folder / "_internal"
    files = [*inside.glob("libpython*.so*"), *inside.glob("python3*/lib-dynload/*.so")]
    subprocess.run([strip, "--strip-unneeded", *map(str, files)], check=False)
