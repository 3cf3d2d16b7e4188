"""Named sets of a user's prompts: folders beside them, and one JSON file to give them away."""

from __future__ import annotations

import re
import shutil
import tempfile
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import msgspec

from app.core.errors import PromptUnusable, UsageError, reason_of
from app.core.translation import tr
from app.llm.prompts.prompt_files import SHIPPED, TASKS
from app.llm.prompts.prompt_library import PromptLibrary, write_prompt

FORMAT = "tavernkeep-prompts"
FORMAT_VERSION = 1
OWN_NAME = "My prompts"  # of what stands in no preset, in a file
LONGEST_NAME = 60
MOST_PRESETS = 100
LARGEST_IMPORT = 20_000_000
FORBIDDEN = re.compile(r'[/\\:*?"<>|]')
RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)


class Conflict(StrEnum):
    """What becomes of an imported preset whose name is taken."""

    KEEP = "keep"  # what is here stays, the imported one is left out
    REPLACE = "replace"
    RENAME = "rename"  # the imported one gets a number behind its name


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did. added: names as they are here now. kept: names that were left as they
    were. unknown: tasks in the file that this Tavernkeep does not have; left out.
    """

    added: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


class _Preset(msgspec.Struct):
    name: str
    prompts: dict[str, str]


class _File(msgspec.Struct):
    format: str
    format_version: int
    presets: list[_Preset] = []


class PromptPresets:
    """The presets below a user's prompt folder. Call from a thread; one caller at a time."""

    def __init__(self, folder: Path, shipped: Path = SHIPPED) -> None:
        self._own = folder
        self._folder = folder / "presets"
        self._shipped = shipped

    def names(self) -> tuple[str, ...]:
        """All presets, by name."""
        try:
            found = [entry.name for entry in self._folder.iterdir() if _is_preset(entry)]
        except OSError:
            return ()
        return tuple(sorted(found, key=str.casefold))

    def library(self, name: str) -> PromptLibrary:
        """The prompts of a preset, for "" those that stand in none.

        Raises UsageError for a name that there is not.
        """
        return PromptLibrary(self._existing(name) if name else self._own, self._shipped)

    def in_force(self, name: str) -> PromptLibrary:
        """The same, where a preset that is gone counts as none."""
        try:
            return self.library(name)
        except UsageError:
            return self.library("")

    def save(self, name: str, source: PromptLibrary, *, replace: bool = False) -> str:
        """Keep the source's own prompts as a preset; gives its name.

        Raises UsageError for a name that no preset can have, or that is taken; PromptUnusable.
        """
        name = checked_name(name)
        taken = self._taken(name)
        if taken is not None and not replace:
            raise UsageError(tr("A preset “{taken}” already exists.", taken=taken))
        self._write(taken or name, source.own_texts())
        return taken or name

    def delete(self, name: str) -> None:
        """Remove a preset and its files. Raises UsageError."""
        folder = self._existing(name)
        try:
            shutil.rmtree(folder)
        except OSError as error:
            raise PromptUnusable(
                tr(
                    "The preset “{name}” cannot be deleted: {reason}.",
                    name=name,
                    reason=reason_of(error),
                )
            ) from error

    def exported(self) -> bytes:
        """All presets, and what stands in none, as one JSON file. Raises PromptUnusable."""
        sets = {name: self.library(name).own_texts() for name in self.names()}
        own = self.library("").own_texts()
        if own:
            sets[_free(OWN_NAME, sets)] = own
        file = _File(FORMAT, FORMAT_VERSION, [_Preset(name, texts) for name, texts in sets.items()])
        return msgspec.json.format(msgspec.json.encode(file), indent=2)

    def take_in(self, data: bytes, conflict: Conflict) -> Imported:
        """Keep the presets of an exported file.

        Raises PromptUnusable for a file that is none, or holds one prompt that cannot be used;
        then nothing is written.
        """
        file = _decoded(data)
        unknown = {task for preset in file.presets for task in preset.prompts} - set(TASKS)
        sets = self._checked(file)
        here = {name.casefold(): name for name in self.names()}
        added, replaced, kept = list[str](), list[str](), list[str]()
        for name, texts in sets.items():
            taken = here.get(name.casefold())
            if taken is None:
                target, done = name, added
            elif conflict is Conflict.KEEP:
                kept.append(taken)
                continue
            elif conflict is Conflict.REPLACE:
                target, done = taken, replaced
            else:
                target, done = _free(name, here, sets), added
            self._write(target, texts)
            here[target.casefold()] = target
            done.append(target)
        shown = tuple(sorted(task[:LONGEST_NAME] for task in unknown))[:MOST_PRESETS]
        return Imported(tuple(added), tuple(replaced), tuple(kept), shown)

    def _checked(self, file: _File) -> dict[str, dict[str, str]]:
        ours = self.library("")
        sets: dict[str, dict[str, str]] = {}
        seen: set[str] = set()
        for preset in file.presets:
            try:
                name = checked_name(preset.name)
            except UsageError as error:
                raise PromptUnusable(
                    tr("The file cannot be imported: {error}", error=error)
                ) from error
            if name.casefold() in seen:
                raise PromptUnusable(
                    tr(
                        "The file contains two presets named “{name}”; nothing was imported.",
                        name=name,
                    )
                )
            seen.add(name.casefold())
            known = {task: text for task, text in preset.prompts.items() if task in TASKS}
            try:
                sets[name] = {task: ours.checked(task, text) for task, text in known.items()}
            except PromptUnusable as error:
                raise PromptUnusable(
                    tr(
                        "Nothing was imported because of the preset “{name}”. {error}",
                        name=name,
                        error=error,
                    )
                ) from error
        return sets

    def _write(self, name: str, texts: Mapping[str, str]) -> None:
        """Put a whole preset in place of another, or of none."""
        target = self._folder / name
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(prefix=".", dir=self._folder) as temporary:
                fresh, old = Path(temporary) / "fresh", Path(temporary) / "old"
                fresh.mkdir()
                for task, text in texts.items():
                    write_prompt(fresh / f"{task}.md", text)
                if target.exists():
                    target.rename(old)
                try:
                    fresh.rename(target)
                except OSError:
                    if old.exists():
                        old.rename(target)
                    raise
        except OSError as error:
            raise PromptUnusable(
                tr(
                    "The preset “{name}” cannot be written: {reason}.",
                    name=name,
                    reason=reason_of(error),
                )
            ) from error

    def _taken(self, name: str) -> str | None:
        """The preset of this name; some disks do not tell capitals from small letters."""
        return next((n for n in self.names() if n.casefold() == name.casefold()), None)

    def _existing(self, name: str) -> Path:
        taken = self._taken(name)
        if taken is None:
            raise UsageError(tr("There is no preset “{name}”.", name=name[:LONGEST_NAME]))
        return self._folder / taken


def checked_name(name: str) -> str:
    """The name of a preset, which is that of a folder on every system. Raises UsageError."""
    name = unicodedata.normalize("NFC", " ".join(name[:1000].split()))
    if not name or len(name) > LONGEST_NAME:
        raise UsageError(
            tr(
                "The name of a preset has 1 to {longest_name} characters.",
                longest_name=LONGEST_NAME,
            )
        )
    is_bad = (
        not name.isprintable()
        or FORBIDDEN.search(name)
        or name[0] == "."
        or name[-1] == "."
        or RESERVED.fullmatch(name)
    )
    if is_bad:
        raise UsageError(
            tr(
                "A preset's name has no / \\ : * ? \" < > |, no dot at its ends, and is none that "
                "some systems keep for themselves."
            )
        )
    return name


def _is_preset(entry: Path) -> bool:
    try:
        return checked_name(entry.name) == entry.name and entry.is_dir() and not entry.is_symlink()
    except UsageError:
        return False


def _free(name: str, *taken: Mapping[str, object]) -> str:
    """The name, or with the first number behind it that nobody has."""
    names = {other.casefold() for others in taken for other in others}
    number, free = 2, name
    while free.casefold() in names:
        end = f" {number}"
        free = name[: LONGEST_NAME - len(end)].rstrip(" .") + end
        number += 1
    return free


def _decoded(data: bytes) -> _File:
    if len(data) > LARGEST_IMPORT:
        raise PromptUnusable(tr("The file is too large to contain prompts."))
    try:
        file = msgspec.json.decode(data, type=_File)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise PromptUnusable(
            tr("This file does not contain prompts exported by Tavernkeep.")
        ) from error
    if file.format != FORMAT:
        raise PromptUnusable(tr("This file does not contain prompts exported by Tavernkeep."))
    if file.format_version > FORMAT_VERSION:
        raise PromptUnusable(
            tr("The file was exported by a newer Tavernkeep; update this one first.")
        )
    if len(file.presets) > MOST_PRESETS:
        raise PromptUnusable(
            tr("The file contains more than {most_presets} presets.", most_presets=MOST_PRESETS)
        )
    return file
