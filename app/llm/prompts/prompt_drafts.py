"""Prompts that the user is writing and has not saved: one file for each task."""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass
from pathlib import Path

import msgspec

from app.llm.prompts.prompt_files import LARGEST_FILE
from app.llm.prompts.prompt_library import write_prompt
from app.llm.prompts.prompt_text import PromptText


@dataclass(frozen=True, slots=True)
class PromptDraft:
    """saved: when, in seconds since the epoch."""

    text: PromptText
    saved: float


class PromptDrafts:
    """The drafts below a user's prompt folder. They are in force nowhere. Call from a thread."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / ".drafts"

    def get(self, task: str) -> PromptDraft | None:
        """A task's draft; one that cannot be read is none."""
        try:
            if self._file(task).stat().st_size > 2 * LARGEST_FILE:
                return None
            return msgspec.json.decode(self._file(task).read_bytes(), type=PromptDraft)
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
            return None

    def tasks(self) -> frozenset[str]:
        """Tasks that have one."""
        try:
            return frozenset(file.stem for file in self._folder.iterdir() if file.suffix == ".json")
        except OSError:
            return frozenset()

    def keep(self, task: str, text: PromptText) -> None:
        """Keep a draft in place of the one before. Raises PromptUnusable."""
        draft = PromptDraft(text, time.time())
        try:
            data = msgspec.json.encode(draft).decode()
        except UnicodeEncodeError:
            return  # half a sign: the other half is typed next
        write_prompt(self._file(task), data)

    def discard(self, task: str) -> None:
        """Forget a draft; one that is not there is fine."""
        with contextlib.suppress(OSError):
            self._file(task).unlink(missing_ok=True)

    def _file(self, task: str) -> Path:
        return self._folder / f"{task}.json"
