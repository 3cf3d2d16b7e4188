"""Editing a text that surrounds what goes into the prompt."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from app.core.translation import N_, tr
from ui.controls.buttons import Button, ButtonRole
from ui.controls.labels import Label
from ui.controls.surfaces import Surface
from ui.theme import current_tokens
from ui.theme.fonts import mono_font, ui_font
from ui.theme.palette import T2_ROLE

NOTHING_ELSE = N_("Without {placeholder}, only these words are sent, and no recap.")
BELOW = N_("Without {placeholder}, memories are placed below these words.")
LINES = 5
LINE = 17


class TemplateEditor(QWidget):
    """A few lines to write in; nothing is kept before the user says so.

    Signals:
        kept: the text as the user wants it.
    """

    kept = Signal(object)

    def __init__(
        self,
        name: str,
        placeholder: str,
        parent: QWidget | None = None,
        *,
        keeps_text: bool = False,
    ) -> None:
        """placeholder: of what goes into the prompt; keeps_text: which stands below without it."""
        super().__init__(parent)
        self._placeholder = placeholder
        self._without = BELOW if keeps_text else NOTHING_ELSE
        self._shown = ""
        self.text = _Lines(self)
        self.text.setAccessibleName(name)
        self.text.textChanged.connect(self._on_text_changed)
        self.keep = Button(tr("Keep this text"), icon="check", hint=tr("Ctrl Return"))
        self.keep.clicked.connect(self._on_keep)
        self.drop = Button(tr("Discard changes"), role=ButtonRole.QUIET)
        self.drop.clicked.connect(self.put_back)
        self._warning = Label(font=ui_font(11.5), tone=T2_ROLE, wraps=True)
        ground = Surface("well", radius=7, edge="line2")
        inner = QVBoxLayout(ground)
        inner.setContentsMargins(10, 8, 4, 8)
        inner.addWidget(self.text)
        commands = QHBoxLayout()
        commands.setSpacing(8)
        commands.addWidget(self._warning, 1)
        commands.addWidget(self.drop)
        commands.addWidget(self.keep)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(ground)
        column.addLayout(commands)
        self._show_commands()

    def show_text(self, text: str) -> None:
        """Show the text in force; what is being written stays."""
        is_writing = self.text.toPlainText() != self._shown
        self._shown = text
        if not is_writing:
            self.text.setPlainText(text)
        self._show_commands()

    def put_back(self) -> None:
        """Drop what was written."""
        self.text.setPlainText(self._shown)

    def _on_keep(self) -> None:
        text = self.text.toPlainText()
        if text != self._shown:
            self._shown = text
            self._show_commands()
            self.kept.emit(text)

    def _on_text_changed(self) -> None:
        self._show_commands()

    def _show_commands(self) -> None:
        text = self.text.toPlainText()
        is_changed = text != self._shown
        self.keep.setVisible(is_changed)
        self.drop.setVisible(is_changed)
        lacks = bool(text.strip() and self._placeholder) and self._placeholder not in text
        self._warning.setText(tr(self._without, placeholder=self._placeholder) if lacks else "")
        self._warning.setVisible(lacks)

    def commit(self) -> None:
        """Keep it, as by Ctrl+Return."""
        self._on_keep()


class _Lines(QPlainTextEdit):
    def __init__(self, editor: TemplateEditor) -> None:
        super().__init__()
        self._editor = editor
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFont(mono_font(12))
        self.setTabChangesFocus(True)
        self.setFixedHeight(LINES * LINE + 8)
        self.document().setDocumentMargin(0)
        self.viewport().setAutoFillBackground(False)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._tint()

    def _tint(self) -> None:
        t, palette = current_tokens(), self.palette()
        if palette.color(palette.ColorRole.Text) != t.prose:
            palette.setColor(palette.ColorRole.Text, t.prose)
            self.setPalette(palette)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._tint()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        is_return = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if is_return and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self._editor.commit()
        elif event.key() == Qt.Key.Key_Escape:
            self._editor.put_back()
        else:
            super().keyPressEvent(event)
