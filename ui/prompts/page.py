"""The page of prompts: tasks at the left, one prompt to write or to compare, presets above."""

from __future__ import annotations

import time
from pathlib import Path

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QHideEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.core.translation import N_, tr
from app.llm.prompts.prompt_library import PromptState
from app.llm.prompts.prompt_presets import LARGEST_IMPORT, Conflict
from app.llm.prompts.prompt_text import PromptText
from app.settings.program import ProgramSettings
from ui.controls.fields import Choice
from ui.controls.surfaces import Line
from ui.controls.timers import once
from ui.core.dialogs import choose_file, choose_new_file
from ui.core.session import Session
from ui.prompts.editor import TEXT, WIDE, PromptEditor
from ui.prompts.note import PromptNote
from ui.prompts.preset_bar import PresetBar
from ui.prompts.task_list import TaskList, TaskModel
from ui.prompts.words import imported_words, saving_words

DRAFT_MS = 400
LIST, LIST_SHARE = 248, 0.3  # px at least; of the page at most, for the longest title
LIST_FROM = 900  # px of the page; narrower ones have a choice in place of the list
FILES = N_("Prompts (*.json)")
EXPORTED = "tavernkeep-prompts.json"


class PromptsPage(QWidget):
    """What is written is kept as a draft, and in force once it is saved.

    Signals:
        back_asked: to where it was opened from.
    """

    back_asked = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._prompts = session.companion.prompts
        self.task = ""
        self.model = TaskModel()
        self.list = TaskList(self.model)
        self.tasks = Choice(tr("Prompt"))
        self.bar = PresetBar()
        self.note = PromptNote()
        self.editor = PromptEditor()
        self.editor.can_change = not session.companion.is_reading_only
        self._pending: tuple[str, PromptText] | None = None
        self._timer = once(self, DRAFT_MS, self.flush)
        self._data = b""  # of the file that is taken in, while names are taken
        self._lay_out()
        self._connect()
        self._show_state(self._prompts.state)

    def _lay_out(self) -> None:
        self._line = Line(is_upright=True)
        body = QHBoxLayout()
        body.setSpacing(0)
        body.addWidget(self.list)
        body.addWidget(self._line)
        right = QVBoxLayout()
        right.setSpacing(0)
        choice = QHBoxLayout()
        choice.setContentsMargins(24, 10, 24, 0)
        choice.addWidget(self.tasks, 1)
        right.addLayout(choice)
        right.addWidget(self.editor, 1)
        body.addLayout(right, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.bar)
        column.addWidget(self.note)
        column.addWidget(Line())
        column.addLayout(body, 1)
        self.list.setViewportMargins(8, 8, 8, 8)

    def _connect(self) -> None:
        bar, editor = self.bar, self.editor
        self._prompts.state_changed.connect(self._on_state)
        self.list.chosen.connect(self.show_task)
        self.tasks.activated.connect(self._on_task)
        editor.edited.connect(self._on_edited)
        editor.save_asked.connect(self._on_save)
        editor.revert_asked.connect(self._on_revert)
        editor.dropped.connect(self._on_dropped)
        bar.back_asked.connect(self._on_back)
        bar.preset_chosen.connect(self._on_preset)
        bar.keep_asked.connect(self._on_keep)
        bar.delete_asked.connect(self._on_delete)
        bar.import_asked.connect(self._on_import)
        bar.export_asked.connect(self._on_export)
        bar.folder_asked.connect(self._on_folder)
        bar.undo_asked.connect(self._on_undo)
        bar.redo_asked.connect(self._on_redo)
        self.note.chosen.connect(self._on_conflict)

    def take_focus(self) -> None:
        """Give the keyboard to the list of tasks, and read what there is."""
        (self.list if self.list.isVisible() else self.tasks).setFocus(
            Qt.FocusReason.OtherFocusReason
        )
        self._session.do(self._look(), name=N_("reading the prompts"))

    async def _look(self) -> None:
        await self._prompts.look()
        self.model.show_drafted(await self._prompts.drafted())

    # What is shown

    def _on_state(self, state: PromptState) -> None:
        self._show_state(state)
        if self.task:
            self._session.do(self._load(self.task), name=N_("reading a prompt"))

    def _show_state(self, state: PromptState) -> None:
        self.bar.show_state(state)
        self.model.show_tasks(state.tasks)
        self._share_width()
        if [self.tasks.itemData(i) for i in range(self.tasks.count())] != [
            task.task for task in state.tasks
        ]:
            self.tasks.clear()
            for task in state.tasks:
                self.tasks.addItem(tr(task.title), task.task)
        if not self.task and state.tasks:
            self.list.choose(state.tasks[0].task)

    def show_task(self, task: str) -> None:
        """Turn to another prompt; what is written of this one stays a draft."""
        if task != self.task:
            self.flush()
            self.task = task
            self.editor.view = None
            self.tasks.setCurrentIndex(self.tasks.findData(task))
            self.list.choose(task)
            self.editor.show_mode(TEXT)
            self._session.do(self._load(task), name=N_("reading a prompt"))

    def _on_task(self, row: int) -> None:
        self.show_task(str(self.tasks.itemData(row)))

    async def _load(self, task: str) -> None:
        """Show a task as it is now; what is being written of it stays."""
        view, draft = await self._prompts.view(task), await self._prompts.draft(task)
        if task != self.task:
            return
        editor = self.editor
        if editor.view is not None and editor.is_changed:
            text = editor.text
        else:
            text = draft.text if draft is not None else view.in_force
        editor.show_view(view, text, saving_words(task, self._backend))
        editor.show_saved_at(draft.saved if draft is not None else None)

    @property
    def _backend(self) -> str:
        return ProgramSettings(self._session.companion.settings).backend

    # Drafts

    def _on_edited(self, text: PromptText) -> None:
        self._pending = (self.task, text)
        self._timer.start()

    def flush(self) -> None:
        """Keep at once what waits."""
        self._timer.stop()
        pending, self._pending = self._pending, None
        if pending is not None:
            task, text = pending
            is_draft = self.editor.view is not None and self.editor.is_changed
            self._session.do(self._keep_draft(task, text, is_draft), name=N_("keeping your draft"))

    async def _keep_draft(self, task: str, text: PromptText, is_draft: bool) -> None:
        if is_draft:
            await self._prompts.keep_draft(task, text)
        else:
            await self._prompts.discard_draft(task)
        self.model.show_drafted(await self._prompts.drafted())
        if task == self.task:
            self.editor.show_saved_at(time.time() if is_draft else None)

    def _forget(self) -> None:
        self._timer.stop()
        self._pending = None

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.flush()

    # What the user does

    def _on_save(self, text: PromptText) -> None:
        self._forget()
        self._session.do(self._save(self.task, text), name=N_("saving a prompt"))

    async def _save(self, task: str, text: PromptText) -> None:
        await self._prompts.save(task, text)
        self.model.show_drafted(await self._prompts.drafted())
        await self._load(task)

    def _on_revert(self) -> None:
        if self.editor.view is not None:
            self.editor.put(self.editor.view.ours)
        self._forget()
        self._session.do(self._revert(self.task), name=N_("going back to the original"))

    async def _revert(self, task: str) -> None:
        await self._prompts.discard_draft(task)
        await self._prompts.revert(task)
        self.model.show_drafted(await self._prompts.drafted())
        await self._load(task)

    def _on_dropped(self) -> None:
        self._forget()
        self._session.do(
            self._keep_draft(self.task, self.editor.text, False), name=N_("discarding your draft")
        )

    def _on_back(self) -> None:
        self.flush()
        self.back_asked.emit()

    def _on_undo(self) -> None:
        self._session.do(self._prompts.undo(), name=N_("undo"))

    def _on_redo(self) -> None:
        self._session.do(self._prompts.redo(), name=N_("redo"))

    # Presets

    def _on_preset(self, name: str) -> None:
        async def use() -> None:
            try:
                await self._prompts.use_preset(name)
            finally:
                self.bar.show_state(self._prompts.state)

        self._session.do(use(), name=N_("choosing a preset"))

    def _on_keep(self, name: str) -> None:
        async def keep() -> None:
            kept = await self._prompts.save_preset(name, replace=True)
            await self._prompts.use_preset(kept)

        self._session.do(keep(), name=N_("keeping a preset"))

    def _on_delete(self) -> None:
        command = self._prompts.delete_preset(self._prompts.state.preset)
        self._session.do(command, name=N_("deleting a preset"))

    def _on_folder(self) -> None:
        folder = self._prompts.folder
        folder.mkdir(parents=True, exist_ok=True)
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))

    def _on_export(self) -> None:
        self._session.do(self._export(), name=N_("exporting the prompts"))

    async def _export(self) -> None:
        data = await self._prompts.exported()
        path = await choose_new_file(
            self, tr("Export the prompts"), Path.home() / EXPORTED, tr(FILES)
        )
        if path is not None:
            await self.export_to(path, data)

    async def export_to(self, path: Path, data: bytes) -> None:
        """Write an exported file; the user has said that `path` may be replaced.

        Raises UsageError.
        """
        await self._session.companion.files.write(path, data, may_replace=True)
        self.note.say(tr("Your prompts and presets are in {path}.", path=path))

    def _on_import(self) -> None:
        self._session.do(self._import(), name=N_("importing prompts"))

    async def _import(self) -> None:
        path = await choose_file(self, tr("Import prompts"), Path.home(), tr(FILES))
        if path is not None:
            await self.take_in(path)

    async def take_in(self, path: Path) -> None:
        """Take in an exported file, and ask what becomes of names that are taken.

        Raises UsageError, PromptUnusable.
        """
        self._data = await self._session.companion.files.read(path, LARGEST_IMPORT + 1)
        await self._take_in(Conflict.KEEP)

    async def _take_in(self, conflict: Conflict) -> None:
        done = await self._prompts.take_in(self._data, conflict)
        ways = {}
        if done.kept:
            ways = {
                Conflict.RENAME.value: tr("Import alongside"),
                Conflict.REPLACE.value: tr("Replace"),
            }
        self.note.say(imported_words(done), ways)

    def _on_conflict(self, way: str) -> None:
        self._session.do(self._take_in(Conflict(way)), name=N_("importing prompts"))

    # Size

    def _share_width(self) -> None:
        widest = int(self.width() * LIST_SHARE)
        self.list.setFixedWidth(max(LIST, min(self.list.title_width, widest)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        has_list = self.width() >= LIST_FROM
        self._share_width()
        self.list.setVisible(has_list)
        self._line.setVisible(has_list)
        self.tasks.setVisible(not has_list)
        self.editor.set_wide(self.width() - (self.list.width() if has_list else 0) >= WIDE)
