"""What the user does with prompts; what is in force afterwards writes from then on."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from pathlib import Path
from typing import TypeVar

from app.core.errors import StoreError, UsageError, reason_of
from app.core.folder_watcher import FolderWatcher
from app.core.signals import Signal
from app.core.translation import N_, tr
from app.llm.prompts.prompt_drafts import PromptDraft, PromptDrafts
from app.llm.prompts.prompt_history import PromptHistory
from app.llm.prompts.prompt_library import PromptLibrary, PromptState, PromptTask, PromptView
from app.llm.prompts.prompt_presets import Conflict, Imported, PromptPresets
from app.llm.prompts.prompt_text import PromptText

T = TypeVar("T")

BUSY = N_(
    "Another Tavernkeep is using this data folder, or safe mode is on, so prompts cannot be "
    "changed here."
)


class PromptEdits:
    """Shows, changes, names, gives away and takes in prompts, one change at a time.

    preset: name of the one in force, "" for none. use: puts another in force. changed: told when
    the prompts in force became others. Every call raises UsageError for a task or preset that
    there is not, PromptUnusable for a file or text that cannot be used, and then changes nothing;
    those that change something raise StoreError while another program works in the folder.

    Signals:
        state_changed: PromptState, whoever changed it, here or on disk.
        broken: a sentence; a file of yours was changed on disk so that it cannot be used.
    """

    def __init__(
        self,
        folder: Path,
        *,
        preset: Callable[[], str],
        use: Callable[[str], Awaitable[None]],
        changed: Callable[[], Awaitable[None]],
        is_reading_only: Callable[[], bool],
    ) -> None:
        self._root = folder
        self._presets = PromptPresets(folder)
        self._history = PromptHistory(folder)
        self._drafts = PromptDrafts(folder)
        self._preset = preset
        self._use = use
        self._changed = changed
        self._is_reading_only = is_reading_only
        self._lock = asyncio.Lock()
        self.state = PromptState()
        self.state_changed: Signal[PromptState] = Signal("state_changed")
        self.broken: Signal[str] = Signal("broken")

    @property
    def folder(self) -> Path:
        """Where the user's own files in force are; it need not be there."""
        return self._library.folder

    @property
    def problem(self) -> str:
        """A sentence on a file of yours that ours stands in for, "" when all can be used."""
        return self.state.problems[0] if self.state.problems else ""

    # --- what is on disk

    async def look(self) -> PromptState:
        """Read what there is, put it in force where it became another, and tell of it."""
        state, before = await asyncio.to_thread(self._look), self.state
        if state == before:
            return state
        self.state = state
        if before.tasks and (state.version, state.problems) != (before.version, before.problems):
            await self._changed()
        self.state_changed.emit(state)
        for problem in state.problems:
            if problem not in before.problems:
                self.broken.emit(problem)
        return state

    async def watch(self) -> None:
        """Notice what is changed on disk, until this is cancelled."""
        # There, so that files put into it are noticed at once.
        await asyncio.to_thread((self._root / "presets").mkdir, parents=True, exist_ok=True)
        kinds = {self._root.name: (".md", 1), f"{self._root.name}/presets": (".md", 2)}
        watcher = FolderWatcher(self._root.parent, kinds)
        await watcher.start()
        await self.look()
        async with aclosing(watcher.changes()) as news:
            async for _ in news:
                async with self._lock:
                    await self.look()

    def _look(self) -> PromptState:
        library = self._library
        in_force, undo = library.in_force(), self._history.labels()
        return PromptState(
            library.tasks(),
            self._presets.names(),
            self._name_in_force(),
            in_force.version,
            in_force.problems,
            *undo,
        )

    def _name_in_force(self) -> str:
        wanted = self._preset()
        names = {name.casefold(): name for name in self._presets.names()}
        return names.get(wanted.casefold(), "")

    # --- one prompt

    async def tasks(self) -> tuple[PromptTask, ...]:
        """All tasks, each with ours or yours in force."""
        return await asyncio.to_thread(self._library.tasks)

    async def view(self, task: str) -> PromptView:
        """A task as it is edited."""
        return await asyncio.to_thread(self._library.view, task)

    async def text(self, task: str) -> str:
        """The prompt file in force."""
        return await asyncio.to_thread(self._library.text, task)

    async def shipped_text(self, task: str) -> str:
        """Our prompt file."""
        return await asyncio.to_thread(self._library.shipped_text, task)

    async def save(self, task: str, text: str | PromptText) -> PromptTask:
        """Put your text, or a whole file of it, in force in the preset that is in force."""

        def unit() -> PromptTask:
            if isinstance(text, PromptText):
                saved = self._library.save_text(task, text)
            else:
                saved = self._library.save(task, text)
            self._drafts.discard(task)
            return saved

        return await self._do(N_("prompt “{name}”").format(name=await self._title(task)), unit)

    async def revert(self, task: str) -> bool:
        """Go back to ours; false when it was ours."""
        label = N_("prompt “{name}” back to the original").format(name=await self._title(task))
        return await self._do(label, lambda: self._library.revert(task))

    async def _title(self, task: str) -> str:
        return (await asyncio.to_thread(self._library.view, task)).task.title

    # --- drafts

    async def draft(self, task: str) -> PromptDraft | None:
        """What you were writing and did not save."""
        return await asyncio.to_thread(self._drafts.get, task)

    async def drafted(self) -> frozenset[str]:
        """Tasks that you were writing for."""
        return await asyncio.to_thread(self._drafts.tasks)

    async def keep_draft(self, task: str, text: PromptText) -> None:
        """Keep what is being written; it is not in force."""
        async with self._lock:  # in the order in which they were written
            await asyncio.to_thread(self._library.view, task)
            await asyncio.to_thread(self._drafts.keep, task, text)

    async def discard_draft(self, task: str) -> None:
        """Forget what was being written."""
        async with self._lock:
            await asyncio.to_thread(self._drafts.discard, task)

    # --- presets

    async def presets(self) -> tuple[str, ...]:
        """Names of all presets."""
        return await asyncio.to_thread(self._presets.names)

    async def save_preset(self, name: str, *, replace: bool = False) -> str:
        """Keep your prompts as they are under a name; gives it as it is kept."""
        return await self._do(
            N_("preset “{name}”").format(name=name),
            lambda: self._presets.save(name, self._library, replace=replace),
        )

    async def use_preset(self, name: str) -> None:
        """Put a preset in force, with "" your prompts outside of any."""
        label = (
            N_("use of the preset “{name}”").format(name=name) if name else N_("use of no preset")
        )
        await self._do(label, lambda: None, use=name)

    async def delete_preset(self, name: str) -> None:
        """Delete a preset; when it is in force, your prompts outside of any are then."""
        is_in_force = name.casefold() == self._preset().casefold()
        await self._do(
            N_("deletion of the preset “{name}”").format(name=name),
            lambda: self._presets.delete(name),
            use="" if is_in_force else None,
        )

    async def exported(self) -> bytes:
        """All your prompts and presets as one JSON file."""
        return await asyncio.to_thread(self._presets.exported)

    async def take_in(self, data: bytes, conflict: Conflict = Conflict.KEEP) -> Imported:
        """Keep the presets of an exported file. None is put in force by that."""
        return await self._do(
            N_("import of presets"), lambda: self._presets.take_in(data, conflict)
        )

    async def check(self, preset: str) -> None:
        """See that a preset is there and can be used as a whole."""
        await asyncio.to_thread(lambda: self._presets.library(preset).check())

    # --- taking back

    async def undo(self) -> str:
        """Take back what was done last to prompts or presets; gives its name, "" for nothing."""
        return await self._play(is_back=True)

    async def redo(self) -> str:
        """Do again what was taken back last."""
        return await self._play(is_back=False)

    async def _play(self, *, is_back: bool) -> str:
        if self._is_reading_only():
            raise StoreError(tr(BUSY))
        async with self._lock:
            step = self._history.undo if is_back else self._history.redo
            command = await asyncio.to_thread(step)
            if command is None:
                return ""
            preset = command.presets[0 if is_back else 1]
            if command.presets[0] != command.presets[1]:
                await self._use(preset)
            await self.look()
            return command.label

    @property
    def _library(self) -> PromptLibrary:
        return self._presets.in_force(self._preset())

    async def _do(self, label: str, change: Callable[[], T], *, use: str | None = None) -> T:
        """Do it as one command that can be taken back. use: preset that is put in force then."""
        if self._is_reading_only():
            raise StoreError(tr(BUSY))
        async with self._lock:
            try:
                before, preset = await asyncio.to_thread(self._history.files), self._preset()
                done = await asyncio.to_thread(change)
                if use is not None:
                    await self._use(use)
                presets = (preset, self._preset())
                await asyncio.to_thread(self._history.record, label, before, presets)
            except OSError as error:
                raise UsageError(
                    tr("The prompts cannot be changed: {reason}.", reason=reason_of(error))
                ) from error
            await self.look()
            return done
