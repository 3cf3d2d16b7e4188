"""What was done to prompts and presets, to take it back by name, also after a restart.

Each command is kept as the files that it changed, as they were before and after. What somebody
changed since is not taken back over their head.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

import msgspec

from app.core.errors import PromptUnusable, UsageError, reason_of
from app.core.translation import tr
from app.llm.prompts.prompt_files import LARGEST_FILE, TASKS
from app.llm.prompts.prompt_library import write_prompt
from app.llm.prompts.prompt_presets import PromptPresets, checked_name

KEPT = 50
LARGEST_JOURNAL = 4_000_000
FILES = tuple(f"{task}.md" for task in TASKS)

Files = dict[str, bytes]  # by path below the folder; a preset itself is "presets/NAME", empty


class _Change(msgspec.Struct):
    path: str
    before: bytes | None = None
    after: bytes | None = None


class Command(msgspec.Struct):
    """One thing that was done. presets: the one in force before it, and the one after it."""

    label: str
    changes: list[_Change]
    presets: tuple[str, str]
    done: float = 0.0


class _Journal(msgspec.Struct):
    undo: list[Command] = []
    redo: list[Command] = []


class PromptHistory:
    """The commands on one prompt folder. Call from a thread; one caller at a time."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file = folder / ".undo.json"
        self._presets = PromptPresets(folder)

    def labels(self) -> tuple[str, str]:
        """Names of what would be taken back and done again, "" for nothing."""
        journal = self._read()
        return (
            journal.undo[-1].label if journal.undo else "",
            journal.redo[-1].label if journal.redo else "",
        )

    def files(self) -> Files:
        """The user's own prompts and all presets as they are now."""
        found = {name: self._content(name) for name in FILES}
        for preset in self._presets.names():
            found[f"presets/{preset}"] = b""
            for name in FILES:
                found[f"presets/{preset}/{name}"] = self._content(f"presets/{preset}/{name}")
        return {path: content for path, content in found.items() if content is not None}

    def record(self, label: str, before: Files, presets: tuple[str, str]) -> None:
        """Note what became of the files since `before`, and of the preset in force."""
        changes = _changes(before, self.files())
        if not changes and presets[0] == presets[1]:
            return
        journal = self._read()
        journal.undo.append(Command(label, changes, presets, time.time()))
        journal.redo.clear()
        self._write(journal)

    def undo(self) -> Command | None:
        """Take back the newest command; None when there is none. Raises PromptUnusable."""
        journal = self._read()
        if not journal.undo:
            return None
        command = journal.undo.pop()
        back = [_Change(c.path, c.after, c.before) for c in command.changes]
        self._apply(command.label, back)
        journal.redo.append(command)
        self._write(journal)
        return command

    def redo(self) -> Command | None:
        """Do again what was taken back last. Raises PromptUnusable."""
        journal = self._read()
        if not journal.redo:
            return None
        command = journal.redo.pop()
        self._apply(command.label, command.changes)
        journal.undo.append(command)
        self._write(journal)
        return command

    def _apply(self, label: str, changes: list[_Change]) -> None:
        now = self.files()
        if any(not _is_ours(c.path) or now.get(c.path) != c.before for c in changes):
            raise PromptUnusable(
                tr(
                    "The prompts have been changed by hand since, so “{label}” cannot be undone "
                    "or redone.",
                    label=label,
                )
            )
        is_folder = [c for c in changes if c.path.count("/") == 1]
        rest = [c for c in changes if c.path.count("/") != 1]
        try:
            for change in is_folder:
                if change.after is not None:
                    (self._folder / change.path).mkdir(parents=True, exist_ok=True)
            for change in rest:
                path = self._folder / change.path
                if change.after is None:
                    path.unlink(missing_ok=True)
                else:
                    write_prompt(path, change.after)
            for change in is_folder:
                if change.after is None:
                    with contextlib.suppress(OSError):  # something else lies in it
                        (self._folder / change.path).rmdir()
        except OSError as error:
            raise PromptUnusable(
                tr("The prompts cannot be changed: {reason}.", reason=reason_of(error))
            ) from error

    def _content(self, path: str) -> bytes | None:
        file = self._folder / path
        try:
            return file.read_bytes() if file.stat().st_size <= LARGEST_FILE else None
        except OSError:
            return None

    def _read(self) -> _Journal:
        try:
            if self._file.stat().st_size > 2 * LARGEST_JOURNAL:
                return _Journal()
            return msgspec.json.decode(self._file.read_bytes(), type=_Journal)
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
            return _Journal()

    def _write(self, journal: _Journal) -> None:
        journal.undo = _newest(journal.undo)
        journal.redo = _newest(journal.redo)
        write_prompt(self._file, msgspec.json.encode(journal))


def _changes(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> list[_Change]:
    paths = sorted(before.keys() | after.keys())
    return [
        _Change(path, before.get(path), after.get(path))
        for path in paths
        if before.get(path) != after.get(path)
    ]


def _newest(commands: list[Command]) -> list[Command]:
    """As many of the newest as there is room for."""
    kept, room = list[Command](), LARGEST_JOURNAL
    for command in reversed(commands[-KEPT:]):
        room -= sum(len(c.before or b"") + len(c.after or b"") for c in command.changes)
        if room < 0:
            break
        kept.append(command)
    return kept[::-1]


def _is_ours(path: str) -> bool:
    """Whether a path is one that a command can be about: the journal could be anybody's."""
    match PurePosixPath(path).parts:
        case (file,):
            return file in FILES
        case ("presets", name) | ("presets", name, _) as parts:
            return _is_name(name) and (len(parts) == 2 or parts[2] in FILES)
    return False


def _is_name(name: str) -> bool:
    try:
        return checked_name(name) == name
    except UsageError:
        return False
