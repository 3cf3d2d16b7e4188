"""Reads the language packs that come with the program."""

from __future__ import annotations

from pathlib import Path

from app.core.resources import RESOURCES
from app.story.scene_cues.language import LanguagePack, parse_pack


def load_packs(folder: Path = RESOURCES / "languages") -> tuple[LanguagePack, ...]:
    """Every pack of the folder, by file name. Raises UsageError for one that cannot be read."""
    return tuple(
        parse_pack(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.toml"))
    )
