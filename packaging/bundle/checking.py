"""Tries a bundle as somebody would who has just installed it: in an empty home, no Python."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from bundle.freezing import BundleFailed
from bundle.specification import NAME, is_wanted
from provision.places import say

TIMEOUT_SECONDS = 120
WINDOW_SECONDS = 60
KEPT = ("PATH", "SYSTEMROOT", "WINDIR", "TEMP", "TMP", "TMPDIR", "COMSPEC")
# What a log holds when a module or a file was forgotten.
FORGOTTEN = ("Traceback", "ModuleNotFoundError", "FileNotFoundError", "could not find the Qt")


def programs_of(frozen: Path) -> tuple[Path, Path]:
    """The program with a window and the one for commands; on Linux they are one."""
    if sys.platform == "win32":
        return frozen / f"{NAME}.exe", frozen / f"{NAME}-cli.exe"
    if sys.platform == "darwin":
        inside = frozen / "Contents" / "MacOS"
        return inside / NAME, inside / f"{NAME}-cli"
    return frozen / NAME, frozen / NAME


def check(frozen: Path) -> None:
    """Try every part of the frozen program; BundleFailed says which failed and how."""
    window, program = programs_of(frozen)
    stray = [str(path) for path in _files(frozen) if not is_wanted(path.as_posix())]
    if stray:
        raise BundleFailed(f"These are in the bundle and not to be: {', '.join(stray[:5])}")
    with tempfile.TemporaryDirectory(prefix="bundle-check-") as name:
        place = Place(Path(name), program)
        place.check_commands()
        place.check_bridge()
        place.check_pictures()
        place.check_window(window)


def _files(frozen: Path) -> list[Path]:
    inside = frozen / "_internal"
    return [path.relative_to(inside) for path in inside.rglob("*") if path.is_file()]


class Place:
    """A home without anything, and the program as it runs there."""

    def __init__(self, folder: Path, program: Path) -> None:
        self._program = program
        self._home = folder / "hóme with blanks"
        self._home.mkdir()
        self._folder = folder

    def check_commands(self) -> None:
        """Help in two languages, and every part in order."""
        if "doctor" not in self._run(["--help"]):
            raise BundleFailed("--help does not name the commands.")
        german = self._run(["--help"], {"LANG": "de_DE.UTF-8", "LANGUAGE": "de"})
        if sys.platform == "linux" and "Gedächtnis" not in german:
            raise BundleFailed("--help speaks no German.")
        # It fails where there is no SillyTavern, as here.
        findings = json.loads(self._run(["doctor", "--json"], codes=(0, 1)))["findings"]
        good = {finding["part"] for finding in findings if finding["good"]}
        if missing := {"database", "tokenizer"} - good:
            raise BundleFailed(f"The doctor finds fault with: {', '.join(sorted(missing))}")
        say("  commands, German, database, tokenizer: good")

    def check_bridge(self) -> None:
        """The bridge gets into a SillyTavern and out of it."""
        tavern = self._folder / "SillyTavern"
        user = tavern / "data" / "default-user"
        for folder in ("chats", "characters", "extensions"):
            (user / folder).mkdir(parents=True)
        (user / "settings.json").write_text("{}", encoding="utf-8")
        script = user / "extensions" / NAME / "index.js"
        self._run(["bridge", "install", "--tavern", str(tavern)])
        if not script.is_file():
            raise BundleFailed("The bridge was not installed.")
        self._run(["bridge", "remove", "--tavern", str(tavern)])
        if script.exists():
            raise BundleFailed("The bridge was not removed.")
        say("  bridge in and out: good")

    def check_pictures(self) -> None:
        """The demo story with its recaps and memories is opened and drawn."""
        pictures = self._folder / "pictures"
        self._run(["screenshots", str(pictures), "--only", "story-recaps"])
        if not any(file.stat().st_size > 50_000 for file in pictures.glob("story-recaps*.png")):
            raise BundleFailed("No picture of the demo story was drawn.")
        say("  demo story drawn: good")

    def check_window(self, window: Path) -> None:
        """The window comes to work, and goes when told."""
        data = self._folder / "data"
        log = self._folder / "window.log"
        with log.open("wb") as stream:
            command = [str(window), "--data-dir", str(data), "--llm", "builtin"]
            running = subprocess.Popen(command, env=self._environ({}), stderr=stream)
            try:
                self._wait_for_work(data, running)
                # Windows has no signal that a program without a console could obey.
                running.send_signal(signal.SIGTERM)
                code = running.wait(WINDOW_SECONDS)
            finally:
                running.kill()
                running.wait()
        said = log.read_text(encoding="utf-8", errors="replace")
        if (code != 0 and sys.platform != "win32") or any(word in said for word in FORGOTTEN):
            raise BundleFailed(f"The window ended with {code} and said:\n{said}")
        say("  window opened and closed: good")

    def _wait_for_work(self, data: Path, running: subprocess.Popen[bytes]) -> None:
        end = time.monotonic() + WINDOW_SECONDS
        while not (data / "tavernkeep.sqlite3").exists():
            if running.poll() is not None or time.monotonic() > end:
                raise BundleFailed("The window did not come to work.")
            time.sleep(0.2)
        time.sleep(3)  # it opened its database, and now shows what is in there

    def _run(
        self,
        words: Sequence[str],
        more: Mapping[str, str] | None = None,
        codes: Sequence[int] = (0,),
    ) -> str:
        done = subprocess.run(
            [str(self._program), *words],
            env=self._environ(more or {}),
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=TIMEOUT_SECONDS,
        )
        if done.returncode not in codes or any(word in done.stderr for word in FORGOTTEN):
            raise BundleFailed(
                f"{' '.join(words)} ended with {done.returncode} and said:\n{done.stderr}"
            )
        return done.stdout

    def _environ(self, more: Mapping[str, str]) -> dict[str, str]:
        home = str(self._home)
        environ = {key: os.environ[key] for key in KEPT if key in os.environ}
        environ |= {"HOME": home, "USERPROFILE": home, "LOCALAPPDATA": home, "APPDATA": home}
        environ |= {"QT_QPA_PLATFORM": "offscreen", "LANG": "C.UTF-8", "PYTHONUTF8": "1"}
        return environ | dict(more)
