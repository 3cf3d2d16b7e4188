"""The words of a memory, to read and to write anew."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.core.translation import tr
from ui.controls.buttons import Button, ButtonRole
from ui.controls.labels import Label
from ui.controls.prose import ProseField
from ui.theme.fonts import story_font

TEXT_HEIGHT = 132  # px while it is edited


class EditedWords(QWidget):
    """Words, or in their place a field with a button that keeps what stands in it.

    Signals:
        kept: the new text, on one line.
        left: the words stand there again.
    """

    kept = Signal(str)
    left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.words = Label(font=story_font(15), wraps=True)
        self.words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.editor = ProseField(tr("Text of this memory"), px=14.5, line_px=22)
        self.editor.setFixedHeight(TEXT_HEIGHT)
        self.editor.hide()
        self.editor.committed.connect(self.keep)
        self.editor.escaped.connect(self.leave)
        self._buttons = self._make_buttons()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(10)
        for widget in (self.words, self.editor, self._buttons):
            column.addWidget(widget)

    def _make_buttons(self) -> QWidget:
        buttons = QWidget()
        layout = QVBoxLayout(buttons)  # beside each other they are wider than the pane may be
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        keep = Button(tr("Keep"), icon="check", role=ButtonRole.MAIN, hint=tr("Ctrl Return"))
        keep.clicked.connect(self.keep)
        leave = Button(tr("Discard changes"), role=ButtonRole.QUIET, hint="Esc")
        leave.clicked.connect(self.leave)
        layout.addWidget(keep)
        layout.addWidget(leave)
        buttons.hide()
        return buttons

    @property
    def is_editing(self) -> bool:
        """Whether the words are being changed."""
        return self.editor.isVisibleTo(self)

    def edit(self, text: str) -> None:
        """Open a text for editing."""
        if not self.is_editing:
            self.words.hide()
            self.editor.show()
            self._buttons.show()
            self.editor.set_text(text)
            self.editor.set_editing(True)

    def keep(self) -> None:
        """Keep the words as they were written."""
        text = " ".join(self.editor.text.split())
        self.leave()
        self.kept.emit(text)

    def leave(self) -> None:
        """Leave the words as they were."""
        if self.is_editing:
            self.editor.set_editing(False)
            self.editor.hide()
            self._buttons.hide()
            self.words.show()
            self.left.emit()
