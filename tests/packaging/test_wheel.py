"""The wheel as somebody has it who installs it by name: in an environment without the checkout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
pytestmark = [pytest.mark.timeout(180), pytest.mark.slow]
pytest.importorskip("hatchling", reason="hatchling, which builds the wheel, is not installed")


@dataclass(frozen=True, slots=True)
class Installed:
    """The program in its environment, and an empty home for it."""

    wheel: Path
    program: Path
    home: Path

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        environ = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
        home = str(self.home)
        environ |= {"HOME": home, "USERPROFILE": home, "LOCALAPPDATA": home, "APPDATA": home}
        environ |= {"QT_QPA_PLATFORM": "offscreen", "PYTHONUTF8": "1"}
        environ.pop("XDG_DATA_HOME", None)
        command: Sequence[str] = [str(self.program), *words]
        return subprocess.run(
            command, cwd=home, env=environ, capture_output=True, encoding="utf-8", timeout=60
        )


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Built from the checkout, installed without a network: its dependencies are these tests'."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=CHECKOUT, check=True, capture_output=True)
    [wheel] = folder.glob("*.whl")
    environment = folder / "environment"
    venv.create(environment, with_pip=False, symlinks=os.name != "nt")
    scripts = environment / ("Scripts" if os.name == "nt" else "bin")
    python = scripts / ("python.exe" if os.name == "nt" else "python")
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet"]
    pip += ["--no-deps", "--no-index", "--no-compile", str(wheel)]
    subprocess.run(pip, check=True, capture_output=True)
    where = subprocess.run(
        [str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        check=True,
        capture_output=True,
        text=True,
    )
    own = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (Path(where.stdout.strip()) / "dependencies.pth").write_text("\n".join(own), encoding="utf-8")
    home = folder / "home"
    home.mkdir()
    program = scripts / ("tavernkeep.exe" if os.name == "nt" else "tavernkeep")
    return Installed(wheel, program, home)


def test_the_wheel_holds_the_program_and_nothing_of_the_checkouts(installed: Installed) -> None:
    with zipfile.ZipFile(installed.wheel) as archive:
        names = archive.namelist()
    tops = {name.split("/")[0] for name in names if ".dist-info/" not in name}
    assert tops == {"app", "ui", "resources"}
    for folder in ("bridge", "demo", "fonts", "help", "icons", "prompts", "tokenizers"):
        assert any(name.startswith(f"resources/{folder}/") for name in names), folder
    assert "resources/translations/de.mo" in names


def test_commands_find_what_comes_with_the_program(installed: Installed) -> None:
    asked = installed.run("--help")
    assert asked.returncode == 0, asked.stderr
    assert "doctor" in asked.stdout
    findings = json.loads(installed.run("doctor", "--json").stdout)["findings"]
    good = {finding["part"] for finding in findings if finding["good"]}
    assert {"database", "tokenizer"} <= good
    python = installed.program.with_name("python.exe" if os.name == "nt" else "python")
    own = "from app.releases.own_metadata import own_metadata as o; print(o().version)"
    said = subprocess.run([python, "-c", own], cwd=installed.home, capture_output=True, text=True)
    assert said.stdout.strip() == installed.wheel.name.split("-")[1], said.stderr
    user = installed.home / "SillyTavern" / "data" / "default-user"
    for folder in ("chats", "characters"):
        (user / folder).mkdir(parents=True)
    done = installed.run("bridge", "install", "--tavern", str(installed.home / "SillyTavern"))
    assert done.returncode == 0, done.stderr
    assert (user / "extensions" / "tavernkeep" / "index.js").is_file()


def test_the_window_opens_the_demo_story(installed: Installed, tmp_path: Path) -> None:
    done = installed.run("screenshots", str(tmp_path), "--only", "story-recaps")
    assert done.returncode == 0, done.stderr
    assert {file.name for file in tmp_path.iterdir()} == {
        "story-recaps-dark.png",
        "story-recaps-light.png",
    }
