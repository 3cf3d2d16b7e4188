"""What the tests need is found or loaded; a missing part becomes a reason, never an error."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from provision import parts

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the fake programs are scripts")

# A fake npm: does what `npm install` leaves behind, in the folder it is started in.
NPM = """#!/bin/sh
/bin/mkdir -p node_modules/sillytavern
echo '{"version": "1.19.0"}' > node_modules/sillytavern/package.json
echo "$@" > arguments
"""


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is the whole PATH of a user who may not install anything."""
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    for part in ("NODE", "SILLYTAVERN", "CHROMIUM", "XVFB"):
        monkeypatch.delenv(f"TAVERNKEEP_TEST_{part}", raising=False)
    monkeypatch.setattr(parts, "CHROMIUM_PLACES", {})
    return folder


def put(folder: Path, name: str, script: str) -> None:
    (folder / name).write_text(script, encoding="utf-8")
    (folder / name).chmod(0o755)


def test_what_cannot_be_had_becomes_a_reason_that_the_tests_can_show(
    programs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    variables = parts.find_parts()
    assert set(variables) == {
        f"TAVERNKEEP_TEST_MISSING_{part}" for part in ("NODE", "SILLYTAVERN", "CHROMIUM", "XVFB")
    }
    assert "Node is not installed" in variables["TAVERNKEEP_TEST_MISSING_SILLYTAVERN"]
    assert "Node is not installed" in capsys.readouterr().err


def test_what_the_caller_names_is_taken_as_it_is(
    programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TAVERNKEEP_TEST_CHROMIUM", "/some/browser")
    assert parts.find_parts()["TAVERNKEEP_TEST_CHROMIUM"] == "/some/browser"


def test_a_node_that_is_too_old_for_sillytavern_is_no_node(programs: Path) -> None:
    put(programs, "node", "#!/bin/sh\necho v18.19.0\n")
    with pytest.raises(parts.PartMissing, match=r"v18\.19\.0"):
        parts.find_node()


def test_sillytavern_is_loaded_once_without_running_its_scripts(
    programs: Path, tmp_path: Path
) -> None:
    put(programs, "node", "#!/bin/sh\necho v22.1.0\n")
    put(programs, "npm", NPM)
    package = parts.find_sillytavern(tmp_path / "cache")
    assert package == tmp_path / "cache/sillytavern-1.19.0/node_modules/sillytavern"
    asked = (tmp_path / "cache/sillytavern-1.19.0/arguments").read_text()
    assert "--ignore-scripts" in asked
    assert "sillytavern@1.19.0" in asked
    (programs / "npm").unlink()
    assert parts.find_sillytavern(tmp_path / "cache") == package


def test_a_failed_load_leaves_nothing_behind(programs: Path, tmp_path: Path) -> None:
    put(programs, "node", "#!/bin/sh\necho v22.1.0\n")
    put(programs, "npm", NPM + "exit 1\n")
    with pytest.raises(parts.PartMissing, match="npm"):
        parts.find_sillytavern(tmp_path / "cache")
    assert list((tmp_path / "cache").iterdir()) == []


def test_a_stub_that_only_names_another_package_is_no_browser(programs: Path) -> None:
    put(programs, "chromium-browser", "#!/bin/sh\necho 'Command requires the chromium snap'\n")
    with pytest.raises(parts.PartMissing):
        parts.find_chromium()
    put(programs, "google-chrome", "#!/bin/sh\necho Google Chrome 130.0.1\n")
    assert parts.find_chromium() == programs / "google-chrome"
