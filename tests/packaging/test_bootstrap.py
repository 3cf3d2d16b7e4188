"""The set-up from a user's side: real Pythons, environments and pip in a small checkout."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from provision.environment import STAMP, folder_for

from tests.packaging.conftest import PACKAGING, SmallCheckout

# Each environment takes five seconds, and four times that where others work too.
pytestmark = [pytest.mark.timeout(240), pytest.mark.slow]


def test_a_command_runs_from_a_fresh_checkout_and_its_stdout_stays_clean(
    small_checkout: SmallCheckout, tmp_path: Path
) -> None:
    # A folder of the user's that has modules of the same names must not be in the way.
    (tmp_path / "cache" / "ui").mkdir()
    (tmp_path / "cache" / "ui" / "__main__.py").write_text("raise SystemExit('wrong ui')")
    done = small_checkout.start("run", "hello", "two words")
    assert done.returncode == 7
    assert json.loads(done.stdout) == {"arguments": ["hello", "two words"], "version": "1.0"}
    assert "Loading and installing" in done.stderr

    # The second time nothing is installed: pip would not even find the wheel.
    shutil.rmtree(small_checkout.wheels)
    # Nor does a command need a display, wherever it stands.
    again = small_checkout.start("run", "--tavern", "x", "hello", DISPLAY="", QT_QPA_PLATFORM="")
    assert again.returncode == 7
    assert again.stderr == ""


def test_an_environment_that_failed_or_is_out_of_date_is_made_anew(
    small_checkout: SmallCheckout,
) -> None:
    """A wheel that is not the locked one is refused; what is left of the try is known as ours."""
    small_checkout.lock("1.0", digest="0" * 64)
    failed = small_checkout.start("run")
    assert failed.returncode == 1
    assert failed.stdout == ""
    assert "could not be installed" in failed.stderr
    leftover = small_checkout.environment / "leftover"
    leftover.touch()

    small_checkout.require("2.0")
    assert json.loads(small_checkout.start("run").stdout)["version"] == "2.0"
    assert not leftover.exists()


def test_a_users_own_venv_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "cache"))
    inside = tmp_path / ".venv"
    assert folder_for(tmp_path) == inside
    inside.mkdir()
    (inside / "pyvenv.cfg").touch()
    elsewhere = folder_for(tmp_path)
    assert inside not in (elsewhere, *elsewhere.parents)
    (inside / STAMP).write_text('{"complete": false}', encoding="utf-8")
    assert folder_for(tmp_path) == inside


def test_help_and_unknown_commands_make_no_environment(small_checkout: SmallCheckout) -> None:
    asked = small_checkout.start("--help")
    assert asked.returncode == 0
    assert "usage:" in asked.stdout
    unknown = small_checkout.start("dance")
    assert unknown.returncode == 2
    assert "dance" in unknown.stderr
    assert small_checkout.start().returncode == 2
    assert not small_checkout.environment.exists()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems always have a display")
def test_without_a_display_the_window_is_refused_in_one_sentence(
    small_checkout: SmallCheckout,
) -> None:
    nothing: dict[str, Any] = {"DISPLAY": "", "WAYLAND_DISPLAY": "", "QT_QPA_PLATFORM": ""}
    for arguments in ((), ("--tavern", "folder"), ("--llm=builtin", "--data-dir", "folder")):
        done = small_checkout.start("run", *arguments, **nothing)
        assert done.returncode == 2
        assert done.stderr.startswith("There is no display")
    assert not small_checkout.environment.exists()


def test_a_python_that_does_not_fit_is_told_so() -> None:
    """The sentence must come from any Python: run the file as one that is too old and too new."""
    for version in ("(3, 10)", "(3, 15)"):
        code = (
            "import sys, runpy\n"
            f"sys.version_info = {version}\n"
            f"runpy.run_path({str(PACKAGING / 'bootstrap.py')!r}, run_name='__main__')\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, timeout=30
        )
        assert done.returncode == 2
        assert done.stderr.startswith("Tavernkeep needs Python 3.11 to 3.14, and this is 3.1")
