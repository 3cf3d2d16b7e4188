"""Missing system libraries are found, and the one command that installs them is named."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import PySide6
import pytest
from provision import system
from provision.places import SetupFailed

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Linux only")

LDD = """#!/bin/sh
cat <<'END'
    libxcb-icccm.so.4 => not found
    libc.so.6 => /lib/libc.so.6 (0x1)
    libEGL.so.1 => not found
    libxcb-icccm.so.4 => not found
END
"""


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is the whole PATH: what the test puts there exists, nothing else does."""
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def put(folder: Path, name: str, script: str) -> None:
    program = folder / name
    program.write_text(script.replace("cat <<", "/bin/cat <<"), encoding="utf-8")
    program.chmod(0o755)


@pytest.fixture
def python(tmp_path: Path) -> Path:
    """The Python of an environment that holds Qt's plugins."""
    plugins = tmp_path / "env/lib/python3.11/site-packages/PySide6/Qt/plugins/platforms"
    plugins.mkdir(parents=True)
    (plugins / "libqxcb.so").touch()
    return tmp_path / "env" / "bin" / "python"


def test_libraries_that_the_loader_misses_are_named_once(programs: Path, tmp_path: Path) -> None:
    put(programs, "ldd", LDD)
    file = tmp_path / "libqxcb.so"
    file.touch()
    assert system.missing_libraries([file]) == ["libEGL.so.1", "libxcb-icccm.so.4"]
    assert system.missing_libraries([tmp_path / "not there"]) == []


def test_a_user_of_debian_gets_the_one_command(
    programs: Path, python: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(programs, "ldd", LDD)
    put(programs, "apt-get", "#!/bin/sh\nexit 99\n")
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    with pytest.raises(SetupFailed, match=r"sudo apt-get install --yes libegl1 libxcb-icccm4$"):
        system.require_qt_libraries(python, ["xcb"])


def test_root_on_debian_installs_and_updates_the_lists_when_needed(
    programs: Path, python: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The fake apt-get knows no package before an update; the fake ldd finds what it installed."""
    log = tmp_path / "log"
    put(
        programs,
        "apt-get",
        f'#!/bin/sh\necho "$@" >> "{log}"\n'
        f'case "$*" in *update) echo >"{tmp_path}/lists";; esac\n'
        f'[ -e "{tmp_path}/lists" ] || exit 100\n'
        f'case "$*" in *install*) echo >"{tmp_path}/installed";; esac\n',
    )
    put(programs, "ldd", LDD.replace("cat <<", f'[ -e "{tmp_path}/installed" ] || cat <<'))
    monkeypatch.setattr("os.geteuid", lambda: 0)
    system.require_qt_libraries(python, ["xcb"])
    lines = log.read_text().splitlines()
    asked = [word for line in lines for word in line.split() if word in ("install", "update")]
    assert asked == ["install", "update", "install"]
    assert lines[-1].endswith(" libegl1 libxcb-icccm4")


def test_fedora_installs_by_the_name_of_the_library(programs: Path, python: Path) -> None:
    put(programs, "ldd", LDD)
    put(programs, "dnf", "#!/bin/sh\n")
    with pytest.raises(SetupFailed, match=r"sudo dnf install 'libEGL\.so\.1\(\)\(64bit\)'"):
        system.require_qt_libraries(python, ["xcb"])


def test_every_library_of_qts_own_plugins_has_its_package() -> None:
    """A newer Qt that links to more must not surprise a user with an unknown library."""
    qt = Path(PySide6.__path__[0]) / "Qt"
    plugins = [qt / f"plugins/platforms/libq{name}.so" for name in ("xcb", "offscreen", "wayland")]
    listed = subprocess.run(["ldd", *plugins], capture_output=True, text=True, timeout=30).stdout
    linked = set(re.findall(r"lib(?:xcb|X11|xkb|wayland|EGL|GL|fontconfig|dbus)\S*\.so\S*", listed))
    own = {"libGLdispatch.so.0"}  # comes with libglx0
    assert {name for name in linked if "/" not in name} - own <= set(system.DEBIAN_PACKAGES)


@pytest.mark.parametrize(
    ("variables", "plugins"),
    [
        ({"DISPLAY": ":0"}, ["xcb"]),
        ({"WAYLAND_DISPLAY": "wayland-0"}, ["wayland"]),
        ({"QT_QPA_PLATFORM": "offscreen:size=1x1", "DISPLAY": ":0"}, ["offscreen"]),
    ],
)
def test_the_plugin_follows_from_the_session(
    variables: dict[str, str], plugins: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert system.qt_plugins_for_window() == plugins
