"""The line above the prompts: the way back, the preset in force, what can be done with presets."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QWidget

from app.core.translation import retold, tr
from app.llm.prompts.prompt_library import PromptState
from ui.controls.buttons import Button, ButtonRole, IconButton
from ui.controls.fields import Choice, Field
from ui.controls.labels import Label
from ui.prompts.commands import PresetCommands
from ui.prompts.words import NO_PRESET
from ui.theme.fonts import MEDIUM, ui_font
from ui.theme.palette import T2_ROLE

NAME_WIDTH = 220


class PresetBar(QWidget):
    """Signals:
    back_asked: to the settings.
    preset_chosen: its name, "" for none.
    keep_asked: your prompts are to be kept under this name.
    delete_asked, import_asked, export_asked, folder_asked: of the menu.
    undo_asked, redo_asked: what was done last to prompts or presets.
    """

    back_asked = Signal()
    preset_chosen = Signal(str)
    keep_asked = Signal(str)
    delete_asked = Signal()
    import_asked = Signal()
    export_asked = Signal()
    folder_asked = Signal()
    undo_asked = Signal()
    redo_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.back = Button(
            tr("Settings"), icon="chevron-left", role=ButtonRole.QUIET, flush=Qt.Edge.LeftEdge
        )
        self.back.setAccessibleName(tr("Back to the settings"))
        self.presets = Choice(tr("Preset in use"))
        self.more = IconButton("more", tr("Keep, share or import prompts"), is_framed=True)
        self.name = _NameField(tr("Name of the preset"), placeholder=tr("Name of the preset"))
        self.name.setFixedWidth(NAME_WIDTH)
        self.keep = Button(tr("Keep as a preset"), icon="check")
        self.leave = Button(tr("Cancel"), role=ButtonRole.QUIET, hint="Esc")
        self.undo = IconButton("undo", tr("Nothing to undo"), is_framed=True)
        self.redo = IconButton("redo", tr("Nothing to redo"), is_framed=True)
        self._label = Label(tr("Preset"), font=ui_font(12.5, MEDIUM), tone=T2_ROLE)
        self._commands = PresetCommands(self)
        self.actions_ = self._commands.by_name
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 6, 16, 6)
        row.setSpacing(8)
        row.addWidget(self.back)
        row.addSpacing(8)
        for widget in (self._label, self.presets, self.more, self.name, self.keep, self.leave):
            row.addWidget(widget)
        row.addStretch(1)
        row.addWidget(self.undo)
        row.addWidget(self.redo)
        self._connect()
        self._show_naming(False)

    def _connect(self) -> None:
        self.back.clicked.connect(self.back_asked)
        self.presets.activated.connect(self._on_preset)
        self.more.clicked.connect(self._open_menu)
        self.undo.clicked.connect(self.undo_asked)
        self.redo.clicked.connect(self.redo_asked)
        self.actions_["keep"].triggered.connect(self.begin_naming)
        self.actions_["delete"].triggered.connect(self.delete_asked)
        self.actions_["export"].triggered.connect(self.export_asked)
        self.actions_["import"].triggered.connect(self.import_asked)
        self.actions_["folder"].triggered.connect(self.folder_asked)
        self.keep.clicked.connect(self._on_keep)
        self.leave.clicked.connect(self._end_naming)
        self.name.returnPressed.connect(self._on_keep)
        self.name.escaped.connect(self._end_naming)
        self.name.textChanged.connect(self._on_name)

    def show_state(self, state: PromptState) -> None:
        """Show the presets, the one in force, and what can be taken back."""
        with QSignalBlocker(self.presets):
            self.presets.clear()
            self.presets.addItem(tr(NO_PRESET), "")
            for name in state.presets:
                self.presets.addItem(name, name)
            self.presets.setCurrentIndex(max(0, self.presets.findData(state.preset)))
        self._commands.follow(state)
        for button, label, word, nothing in (
            (self.undo, state.undo, tr("Undo"), tr("Nothing to undo")),
            (self.redo, state.redo, tr("Redo"), tr("Nothing to redo")),
        ):
            button.setEnabled(bool(label))
            button.set_name(f"{word}: {retold(label)}" if label else nothing)

    def begin_naming(self) -> None:
        """Ask for a name."""
        self.name.setText(str(self.presets.currentData() or ""))
        self._show_naming(True)
        self.name.selectAll()
        self.name.setFocus(Qt.FocusReason.OtherFocusReason)

    def _end_naming(self) -> None:
        self._show_naming(False)
        self.more.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_naming(self, is_naming: bool) -> None:
        for widget in (self.name, self.keep, self.leave):
            widget.setVisible(is_naming)
        for other in (self.presets, self.more):
            other.setVisible(not is_naming)
        self._on_name(self.name.text())

    def _on_name(self, text: str) -> None:
        names = [self.presets.itemText(i).casefold() for i in range(1, self.presets.count())]
        is_taken = " ".join(text.split()).casefold() in names
        self.keep.set_text(tr("Replace the preset") if is_taken else tr("Keep as a preset"))
        self.keep.setEnabled(bool(text.strip()))

    def _on_keep(self) -> None:
        if self.name.text().strip():
            self.keep_asked.emit(self.name.text())
            self._end_naming()

    def _on_preset(self, row: int) -> None:
        self.preset_chosen.emit(str(self.presets.itemData(row)))

    def _open_menu(self) -> None:
        menu = QMenu(self)
        for key, action in self.actions_.items():
            if key == "export":
                menu.addSeparator()
            menu.addAction(action)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self.more.mapToGlobal(QPoint(0, self.more.height() + 4)))


class _NameField(Field):
    """Signals:
    escaped: Escape was pressed.
    """

    escaped = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.escaped.emit()
        else:
            super().keyPressEvent(event)
