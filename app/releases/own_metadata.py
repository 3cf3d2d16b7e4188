"""What this copy says of itself: which version it is, and where releases of it are."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import Any

from app.core.resources import RESOURCES

NAME = "tavernkeep"
PLACE = "releases"  # the label of its address among the project's, in whatever case


@dataclass(frozen=True, slots=True)
class OwnMetadata:
    """version: "" where nothing says it. releases: address of the page with all releases, "" where
    the project states none.
    """

    version: str = ""
    releases: str = ""


def own_metadata(folder: Path | None = None) -> OwnMetadata:
    """Of the checkout or bundle in `folder`, by default our own, else of what is installed."""
    project = _project(folder or RESOURCES.parent)
    if project is not None:
        return OwnMetadata(str(project.get("version", "")), _place(project.get("urls", {})))
    try:
        installed = metadata(NAME)
    except PackageNotFoundError:
        return OwnMetadata()
    # Each is "Label, address" (core metadata specification, Project-URL).
    pairs = [entry.partition(",") for entry in installed.get_all("Project-URL") or ()]
    return OwnMetadata(installed["Version"], _place({label: url for label, _, url in pairs}))


def _project(folder: Path) -> dict[str, Any] | None:
    """The table [project] of our own pyproject.toml, None where that is not in the folder."""
    try:
        said = tomllib.loads((folder / "pyproject.toml").read_text("utf-8")).get("project", {})
    except (OSError, ValueError):
        return None
    return said if said.get("name") == NAME else None


def _place(urls: dict[str, str]) -> str:
    found = (url.strip() for label, url in urls.items() if label.strip().casefold() == PLACE)
    return next(found, "").rstrip("/")
