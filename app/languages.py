"""Reads the language packs that come with the program."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Lock
from typing import overload

from app.core.resources import RESOURCES
from app.story.scene_cues.language import LanguagePack, parse_pack


def load_packs(folder: Path = RESOURCES / "languages") -> tuple[LanguagePack, ...]:
    """Every pack of the folder, by file name. Raises UsageError for one that cannot be read."""
    return tuple(
        parse_pack(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.toml"))
    )


class LanguagePacks(Sequence[LanguagePack]):
    """The same, read when a text is first looked at: that takes 70 ms, and no window waits for it.

    Any thread may look.
    """

    def __init__(self) -> None:
        self._packs: tuple[LanguagePack, ...] | None = None
        self._lock = Lock()

    def _read(self) -> tuple[LanguagePack, ...]:
        if self._packs is None:
            with self._lock:
                if self._packs is None:
                    self._packs = load_packs()
        return self._packs

    def __iter__(self) -> Iterator[LanguagePack]:
        return iter(self._read())

    def __len__(self) -> int:
        return len(self._read())

    @overload
    def __getitem__(self, index: int) -> LanguagePack: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[LanguagePack]: ...

    def __getitem__(self, index: int | slice) -> LanguagePack | Sequence[LanguagePack]:
        return self._read()[index]
