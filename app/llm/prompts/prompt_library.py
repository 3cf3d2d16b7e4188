"""The prompts as a user sees them: ours and theirs, with a way back to ours."""

from __future__ import annotations

import contextlib
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from app.core.errors import PromptUnusable, UsageError, reason_of
from app.core.translation import tr
from app.llm.prompts.prompt_files import (
    LARGEST_FILE,
    SHIPPED,
    TASKS,
    Prompt,
    Prompts,
    adapted,
    based_on,
    load_prompts,
    parse_prompt,
    read_prompt,
)
from app.llm.prompts.prompt_text import PromptText, file_of, findings, text_of


@dataclass(frozen=True, slots=True)
class PromptTask:
    """One task and the prompt in force for it.

    inputs: names that a prompt may ask for, all of ours. version: of ours. is_outdated: ours has
    changed since yours was made from it. problem: why yours cannot be used and ours is in force,
    "" when it can. purpose and about: see Prompt.
    """

    task: str
    title: str
    version: str
    inputs: tuple[str, ...]
    output: str
    is_yours: bool
    is_outdated: bool = False
    problem: str = ""
    purpose: str = ""
    about: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class PromptView:
    """A task as it is edited: ours, what is in force, and what ours asks for."""

    task: PromptTask
    shipped: Prompt
    ours: PromptText
    in_force: PromptText


class PromptLibrary:
    """The prompts in one folder of a user's own files, over the shipped ones.

    All calls read or write small files; call them from a thread.
    """

    def __init__(self, folder: Path, shipped: Path = SHIPPED) -> None:
        self.folder = folder
        self._shipped = shipped

    def tasks(self) -> tuple[PromptTask, ...]:
        """All tasks, ours or yours; a file that cannot be used is one with a problem."""
        return tuple(self._task(task) for task in TASKS)

    def text(self, task: str) -> str:
        """The whole file in force, as it is edited. Raises UsageError, PromptUnusable."""
        own = self._own(task)
        return _text_of(own if own.is_file() else self._shipped / own.name)

    def view(self, task: str) -> PromptView:
        """A task as it is edited. Raises UsageError."""
        own, shipped = self._own(task), self._shipped_prompt(task)
        in_force = shipped
        if own.is_file():
            with contextlib.suppress(PromptUnusable):
                in_force = adapted(read_prompt(own, task), shipped)
        return PromptView(self._task(task), shipped, text_of(shipped), text_of(in_force))

    def shipped_text(self, task: str) -> str:
        """Our file. Raises UsageError."""
        return _text_of(self._shipped / self._own(task).name)

    def save(self, task: str, text: str) -> PromptTask:
        """Put a text of the user's in force, atomically, noting which of ours it replaces.

        A text that asks for the same as ours is ours again. Raises UsageError for a task that
        there is not, PromptUnusable for a text that cannot be used; then nothing is written.
        """
        own, shipped = self._own(task), self._shipped_prompt(task)
        text = based_on(text, shipped)
        if checked_prompt(text, shipped).digest == shipped.digest:
            self.revert(task)
        else:
            write_prompt(own, text)
        return self._task(task)

    def save_text(self, task: str, text: PromptText) -> PromptTask:
        """As `save`, of what is edited. Raises UsageError, PromptUnusable."""
        self._own(task)
        shipped = self._shipped_prompt(task)
        found = findings(text, shipped)
        if found.problem:
            raise PromptUnusable(found.problem)
        return self.save(task, file_of(text, shipped))

    def revert(self, task: str) -> bool:
        """Go back to ours; false when it was in force already. Raises UsageError."""
        own = self._own(task)
        is_own = own.is_file()
        own.unlink(missing_ok=True)
        return is_own

    def own_texts(self) -> dict[str, str]:
        """The user's own files by task. Raises PromptUnusable when one cannot be used."""
        files = {task: self.folder / f"{task}.md" for task in TASKS}
        texts = {task: _text_of(file) for task, file in files.items() if file.is_file()}
        for task, text in texts.items():
            checked_prompt(text, self._shipped_prompt(task))
        return texts

    def check(self) -> None:
        """See that every file of the user's can be used. Raises PromptUnusable."""
        self.own_texts()

    def in_force(self) -> Prompts:
        """All prompts as a writer has them."""
        return load_prompts(self.folder, self._shipped)

    def checked(self, task: str, text: str) -> str:
        """A file from elsewhere, if it can be used. Raises PromptUnusable, UsageError."""
        self._own(task)
        checked_prompt(text, self._shipped_prompt(task))
        return text

    def _task(self, task: str) -> PromptTask:
        shipped, own = self._shipped_prompt(task), self._own(task)
        is_yours, is_outdated, problem = own.is_file(), False, ""
        if is_yours:
            try:
                yours = adapted(read_prompt(own, task), shipped)
            except PromptUnusable as error:
                problem = str(error)
            else:
                is_outdated = yours.based_on not in ("", shipped.mark)
        return PromptTask(
            task=task,
            title=shipped.title,
            version=shipped.version,
            inputs=tuple(sorted(shipped.inputs)),
            output=shipped.output,
            is_yours=is_yours,
            is_outdated=is_outdated,
            problem=problem,
            purpose=shipped.purpose,
            about=shipped.about,
        )

    def _own(self, task: str) -> Path:
        if task not in TASKS:
            raise UsageError(
                tr(
                    "There is no prompt “{task}”. There are: {tasks}.",
                    task=task[:60],
                    tasks=", ".join(TASKS),
                )
            )
        return self.folder / f"{task}.md"

    def _shipped_prompt(self, task: str) -> Prompt:
        return read_prompt(self._shipped / f"{task}.md", task)


def checked_prompt(text: str, shipped: Prompt) -> Prompt:
    """Read a user's text for a task. Raises PromptUnusable."""
    if len(text) > LARGEST_FILE or len(_encoded(text, shipped.task)) > LARGEST_FILE:
        raise PromptUnusable(tr("The text for the prompt {task} is too large.", task=shipped.task))
    return adapted(parse_prompt(text, shipped.task), shipped)


def write_prompt(path: Path, text: str | bytes) -> None:
    """Write a prompt file, or another beside it, so that at any moment the old or the new stands
    there.

    Raises PromptUnusable where that cannot be done; the old one stays.
    """
    data = _encoded(text, path.stem) if isinstance(text, str) else text
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(prefix=".", suffix=".tmp", dir=path.parent)
        temporary = Path(name)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        except BaseException:
            with contextlib.suppress(OSError):
                temporary.unlink()
            raise
    except OSError as error:
        raise PromptUnusable(
            tr(
                "The prompt file {name} cannot be written: {reason}.",
                name=path.name,
                reason=reason_of(error),
            )
        ) from error


def _encoded(text: str, task: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise PromptUnusable(
            tr(
                "The text for the prompt {task} contains characters that cannot be saved.",
                task=task,
            )
        ) from error


def _text_of(path: Path) -> str:
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise PromptUnusable(tr("The prompt file {name} is too large.", name=path.name))
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise PromptUnusable(
            tr("The prompt file {name} cannot be read.", name=path.name)
        ) from error


@dataclass(frozen=True, slots=True)
class PromptState:
    """What there is: all tasks, names of the presets, and which is in force, "" for none.

    version: of all prompts in force together. problems: sentences on files of yours that cannot be
    used, so that ours are. undo, redo: what would be taken back or done again, "" for nothing.
    """

    tasks: tuple[PromptTask, ...] = ()
    presets: tuple[str, ...] = ()
    preset: str = ""
    version: str = ""
    problems: tuple[str, ...] = ()
    undo: str = ""
    redo: str = ""
