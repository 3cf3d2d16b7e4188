"""The program is started at the login by each system's own way, and by none when not wanted."""

from __future__ import annotations

import configparser
import os
import plistlib
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from app.core import login_start as module
from app.core.errors import StoreError
from app.core.login_start import RunValue, login_start, own_words

WORDS = ['/opt/Tavern keep/it\'s "100%" $HOME `x` \\ ü', "--data-dir", "/data/a b"]


class Registry:
    """What this needs of winreg, in memory."""

    HKEY_CURRENT_USER, REG_SZ = "HKCU", 1

    def __init__(self) -> None:
        self.values: dict[str, tuple[str, int]] = {}
        self.is_locked = False

    @contextmanager
    def _key(self, root: str, path: str) -> Iterator[str]:
        assert (root, path) == ("HKCU", r"Software\Microsoft\Windows\CurrentVersion\Run")
        yield path

    OpenKey = _key

    def CreateKey(self, root: str, path: str):  # type: ignore[no-untyped-def]
        if self.is_locked:
            raise PermissionError(13, "Access is denied")
        return self._key(root, path)

    def QueryValueEx(self, _key: str, name: str) -> tuple[str, int]:
        if name not in self.values:
            raise FileNotFoundError(2, "not there")
        return self.values[name]

    def SetValueEx(self, _key: str, name: str, _zero: int, kind: int, value: str) -> None:
        self.values[name] = (value, kind)

    def DeleteValue(self, _key: str, name: str) -> None:
        if name not in self.values:
            raise FileNotFoundError(2, "not there")
        del self.values[name]


@pytest.mark.parametrize("system", ["linux", "darwin"])
def test_a_file_of_the_users_says_it(tmp_path: Path, system: str) -> None:
    start = login_start(system, {}, tmp_path)
    assert not start.is_on
    start.turn_off()  # nothing to take away
    start.turn_on(WORDS)
    assert start.is_on
    (file,) = (path for path in tmp_path.rglob("*") if path.is_file())
    if system == "darwin":
        assert file == tmp_path / "Library" / "LaunchAgents" / "tavernkeep.plist"
        said = plistlib.loads(file.read_bytes())
        assert (said["ProgramArguments"], said["RunAtLoad"]) == (WORDS, True)
    else:
        assert file == tmp_path / ".config" / "autostart" / "tavernkeep.desktop"
    start.turn_off()
    assert not start.is_on
    assert not file.exists()


def test_a_desktop_file_calls_exactly_these_words(tmp_path: Path) -> None:
    start = login_start("linux", {"XDG_CONFIG_HOME": str(tmp_path)}, Path("/nowhere"))
    start.turn_on(WORDS)
    file = tmp_path / "autostart" / "tavernkeep.desktop"
    entry = configparser.ConfigParser(interpolation=None, strict=True)
    entry.read_string(file.read_text("utf-8"))
    line = entry["Desktop Entry"]["Exec"]
    # As the specification reads it: first as any string, then its quotes, last its field codes.
    quoted = re.findall(r'"((?:[^"\\]|\\.)*)"', line.replace(r"\\", "\\"))
    assert [re.sub(r"\\(.)", r"\1", word).replace("%%", "%") for word in quoted] == WORDS
    assert entry["Desktop Entry"]["TryExec"].replace(r"\\", "\\") == WORDS[0]


@pytest.mark.parametrize("line", ["Hidden=true", "X-GNOME-Autostart-enabled=false"])
def test_what_the_desktop_switched_off_is_off(tmp_path: Path, line: str) -> None:
    start = login_start("linux", {}, tmp_path)
    start.turn_on(WORDS)
    file = tmp_path / ".config" / "autostart" / "tavernkeep.desktop"
    file.write_text(file.read_text("utf-8") + f"{line}\n", "utf-8")
    assert not start.is_on
    start.turn_on(WORDS)
    assert start.is_on


def test_windows_has_a_value_of_the_registry() -> None:
    registry = Registry()
    start = RunValue(registry)
    assert not start.is_on
    start.turn_off()
    start.turn_on([r"C:\Program Files\Tavernkeep\tavernkeep.exe", "--data-dir", r"D:\a b"])
    assert start.is_on
    line = '"C:\\Program Files\\Tavernkeep\\tavernkeep.exe" --data-dir "D:\\a b"'
    assert registry.values == {"Tavernkeep": (line, 1)}
    start.turn_off()
    assert not start.is_on


def test_a_refusal_is_a_sentence(tmp_path: Path) -> None:
    registry = Registry()
    registry.is_locked = True
    with pytest.raises(StoreError, match="could not be changed: Access is denied"):
        RunValue(registry).turn_on(WORDS)
    (tmp_path / ".config").write_text("a file", "utf-8")
    with pytest.raises(StoreError, match="could not be changed"):
        login_start("linux", {}, tmp_path).turn_on(WORDS)


def test_the_words_start_this_copy_from_any_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python, bootstrap, run = own_words()
    assert (python, Path(bootstrap).name, run) == (sys.executable, "bootstrap.py", "run")
    assert Path(bootstrap).is_file()
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert own_words() == [sys.executable]
    monkeypatch.delattr(sys, "frozen")
    monkeypatch.setattr(module, "RESOURCES", tmp_path / "resources")
    (tmp_path / "ui").mkdir()
    (tmp_path / "ui" / "__main__.py").write_text("raise SystemExit(9)", "utf-8")
    checkout = Path(module.__file__).parents[2]
    done = subprocess.run(
        [*own_words(), "--help"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(checkout)},
        capture_output=True,
    )
    assert done.returncode == 0
