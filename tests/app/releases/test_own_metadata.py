"""Version and place of releases come from what this copy says of itself, and from nowhere else."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import pytest

from app.core.resources import RESOURCES
from app.releases.own_metadata import OwnMetadata, own_metadata
from app.releases.release_look import latest_of

PLACE = "https://github.com/somebody/tavernkeep/releases"
OURS = '[project]\nname = "tavernkeep"\nversion = "0.3.1"\n'


def test_this_checkout_says_what_its_project_file_does() -> None:
    project = tomllib.loads((RESOURCES.parent / "pyproject.toml").read_text("utf-8"))["project"]
    assert own_metadata().version == project["version"]
    stated = project.get("urls", {}).get("Releases", "")
    assert own_metadata().releases == stated.rstrip("/")
    assert not stated or latest_of(own_metadata().releases), "nobody could be asked there"


@pytest.mark.parametrize("label", ["Releases", "releases", "RELEASES"])
def test_a_checkout_names_its_place(tmp_path: Path, label: str) -> None:
    urls = f'[project.urls]\nHomepage = "https://elsewhere.example"\n{label} = "{PLACE}/"\n'
    (tmp_path / "pyproject.toml").write_text(OURS + urls, "utf-8")
    assert own_metadata(tmp_path) == OwnMetadata("0.3.1", PLACE)


def test_a_checkout_without_a_place_has_none(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(OURS, "utf-8")
    assert own_metadata(tmp_path) == OwnMetadata("0.3.1", "")


@pytest.mark.parametrize("beside", [None, '[project]\nname = "other"\nversion = "9"\n', "[broken"])
def test_an_installed_package_says_it_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, beside: str | None
) -> None:
    """In site-packages no project file is ours."""
    if beside is not None:
        (tmp_path / "pyproject.toml").write_text(beside, "utf-8")
    assert own_metadata(tmp_path) == OwnMetadata("", "")
    installed = tmp_path / "tavernkeep-0.4.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text(
        "Metadata-Version: 2.4\nName: tavernkeep\nVersion: 0.4.0\n"
        f"Project-URL: Homepage, https://elsewhere.example\nProject-URL: Releases, {PLACE}\n",
        "utf-8",
    )
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    assert own_metadata(tmp_path) == OwnMetadata("0.4.0", PLACE)
