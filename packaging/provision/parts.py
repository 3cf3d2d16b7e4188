"""What only the tests need: Node, a real SillyTavern, Chromium and a virtual display.

Each part is found or installed; where it cannot be had, the tests that need it are skipped and say
why. They learn of both through environment variables: TAVERNKEEP_TEST_<PART> holds a path,
TAVERNKEEP_TEST_MISSING_<PART> the reason.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from provision.places import SetupFailed, cache_folder, say
from provision.system import can_install, install_packages

SILLYTAVERN_VERSION = "1.19.0"
OLDEST_NODE = 20
CHROMIUM_NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "microsoft-edge",
    "msedge",
)
CHROMIUM_PLACES = {
    "darwin": (
        "/Applications/Chromium.app/Contents/MacOS/Chromium",
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
        "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    ),
    "win32": (
        r"%ProgramFiles%\Google\Chrome\Application\chrome.exe",
        r"%ProgramFiles(x86)%\Google\Chrome\Application\chrome.exe",
        r"%LocalAppData%\Google\Chrome\Application\chrome.exe",
        r"%LocalAppData%\Chromium\Application\chrome.exe",
        r"%ProgramFiles(x86)%\Microsoft\Edge\Application\msedge.exe",
    ),
}


class PartMissing(Exception):
    """A part of the tests cannot be had here; the message is the reason, without a full stop."""


def find_parts() -> dict[str, str]:
    """Find or install every part; the environment variables that tell the tests."""
    finders: dict[str, Callable[[], Path]] = {
        "NODE": find_node,
        "SILLYTAVERN": find_sillytavern,
        "CHROMIUM": find_chromium,
        "XVFB": find_xvfb,
    }
    variables = {}
    for part, finder in finders.items():
        given = os.environ.get(f"TAVERNKEEP_TEST_{part}")
        try:
            variables[f"TAVERNKEEP_TEST_{part}"] = given or str(finder())
        except (PartMissing, SetupFailed) as reason:
            variables[f"TAVERNKEEP_TEST_MISSING_{part}"] = str(reason)
            say(f"Tests that need {part.title()} will be skipped: {reason}")
    return variables


def find_node() -> Path:
    """Node's executable, new enough for SillyTavern."""
    node = shutil.which("node")
    if node is None and can_install():
        install_packages(["nodejs", "npm"], why="Node is missing")
        node = shutil.which("node")
    if node is None:
        raise PartMissing(
            f"Node is not installed; SillyTavern needs version {OLDEST_NODE} or newer"
        )
    said = _output([node, "--version"])
    version = re.match(r"v(\d+)\.", said)
    if version is None or int(version[1]) < OLDEST_NODE:
        raise PartMissing(f"Node is {said.strip()}, SillyTavern needs {OLDEST_NODE} or newer")
    return Path(node)


def find_sillytavern(cache: Path | None = None) -> Path:
    """The folder of SillyTavern's npm package in the user's cache; loaded there when missing."""
    home = (cache or cache_folder()) / f"sillytavern-{SILLYTAVERN_VERSION}"
    package = home / "node_modules" / "sillytavern"
    if _package_version(package) == SILLYTAVERN_VERSION:
        return package
    find_node()
    npm = shutil.which("npm")
    if npm is None:
        raise PartMissing("npm is not installed, which loads SillyTavern")
    say(f"Loading SillyTavern {SILLYTAVERN_VERSION} into {home} ...")
    home.parent.mkdir(parents=True, exist_ok=True)
    # Made beside its place and renamed, so that an interrupted load leaves nothing half done.
    with tempfile.TemporaryDirectory(dir=home.parent, prefix="sillytavern-") as name:
        loading = Path(name) / "package"
        loading.mkdir()
        (loading / "package.json").write_text('{"private": true}', encoding="utf-8")
        command = [npm, "install", "--ignore-scripts", "--no-audit", "--no-fund"]
        command += ["--save-exact", f"sillytavern@{SILLYTAVERN_VERSION}"]
        try:
            done = subprocess.run(command, cwd=loading, stdout=sys.stderr, timeout=1200)
        except subprocess.TimeoutExpired:
            raise PartMissing("npm did not load SillyTavern within 20 minutes") from None
        if done.returncode != 0:
            raise PartMissing("npm could not load SillyTavern; see above")
        if home.exists():
            shutil.rmtree(home)
        loading.rename(home)
    return package


def find_chromium() -> Path:
    """An executable of Chromium or of a browser made from it."""
    found = _installed_chromium()
    if found is None and can_install():
        install_packages(["chromium"], why="Chromium is missing")
        found = _installed_chromium()
    if found is None:
        raise PartMissing("neither Chromium nor Chrome nor Edge is installed")
    return found


def find_xvfb() -> Path:
    """`Xvfb`, which gives a window a screen that nobody sees; Linux only."""
    if sys.platform != "linux":
        raise PartMissing("a virtual screen exists on Linux only")
    found = shutil.which("Xvfb")
    if found is None and can_install():
        install_packages(["xvfb"], why="Xvfb is missing")
        found = shutil.which("Xvfb")
    if found is None:
        raise PartMissing("Xvfb is not installed")
    return Path(found)


def _installed_chromium() -> Path | None:
    for name in CHROMIUM_NAMES:
        found = shutil.which(name)
        # Ubuntu's chromium-browser may be a stub that only names a snap. Windows' browsers open a
        # window when asked for their version.
        if found and (
            sys.platform == "win32" or re.search(r"\d+\.\d+", _output([found, "--version"]))
        ):
            return Path(found)
    for place in CHROMIUM_PLACES.get(sys.platform, ()):
        path = Path(os.path.expandvars(place))
        if path.is_file():
            return path
    return None


def _package_version(package: Path) -> str | None:
    try:
        version = json.loads((package / "package.json").read_text(encoding="utf-8"))["version"]
    except (OSError, ValueError, KeyError):
        return None
    return str(version)


def _output(command: list[str]) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=60).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""
