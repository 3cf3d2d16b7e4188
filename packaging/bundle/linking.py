"""Which of the collected libraries something that is packed still links to; Linux only."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

# One file of the bundle as PyInstaller has it: its path in there, where it comes from, and what it
# is ("SYMLINK": the second is where it points).
Entry = tuple[str, str, str]
# Python itself is loaded by the program, which is no entry.
LIBRARY = re.compile(r"(PySide6/Qt/lib/)?lib(?!python)[^/]+\.so[^/]*")


def still_needed(entries: Iterable[Entry], links_of: Callable[[str], Iterable[str]]) -> list[Entry]:
    """Those entries but libraries that nothing packed links to, such as what a dropped plugin took.

    links_of: the file names of the libraries that the file at a path links to.
    """
    entries = list(entries)
    if sys.platform != "linux":
        return entries
    by_name: dict[str, list[Entry]] = {}
    waiting: list[Entry] = []
    for entry in entries:
        if LIBRARY.fullmatch(entry[0]):
            by_name.setdefault(PurePosixPath(entry[0]).name, []).append(entry)
        else:
            waiting.append(entry)
    kept: list[Entry] = []
    while waiting:
        entry = waiting.pop()
        kept.append(entry)
        if entry[2] in ("SYMLINK", "DATA"):
            continue
        for name in links_of(entry[1]):
            waiting += by_name.pop(name, ())
    return sorted(kept)


@dataclass(frozen=True, slots=True)
class Outside:
    """What a bundle takes from the system. libraries: file names, sorted. libc: the oldest version
    of the C library that has all that is called, such as (2, 34).
    """

    libraries: tuple[str, ...]
    libc: tuple[int, ...]


def outside(folder: Path) -> Outside:
    """What the files in `folder` link to and that is not in there; needs objdump."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and _is_elf(path)]
    command = ["objdump", "-p", *map(str, files)]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    linked = set(re.findall(r"^\s*NEEDED\s+(\S+)$", listed, flags=re.MULTILINE))
    versions = re.findall(r"\bGLIBC_(\d+(?:\.\d+)+)\b", listed)
    return Outside(
        tuple(sorted(linked - {path.name for path in folder.rglob("*")})),
        max(tuple(map(int, version.split("."))) for version in versions),
    )


def _is_elf(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"
