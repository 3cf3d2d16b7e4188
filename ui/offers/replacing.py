"""One wording for another in all that was written of the open chat; first what would change."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, QSize, Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QDialog,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from app.core.errors import UsageError
from app.core.translation import N_, number, tr, trn
from app.story.recap_texts.replacing import Wording
from app.views.replacing import Example, Finds, Part
from ui.controls.buttons import Button, ButtonRole
from ui.controls.fields import Field
from ui.controls.labels import Label
from ui.controls.timers import once
from ui.core.dialogs import size_over
from ui.core.session import Session
from ui.theme.fonts import MEDIUM, display_font, ui_font
from ui.theme.palette import FLOAT_ROLE, T2_ROLE

EXPLANATION = N_(
    "Recaps get a new version with the new words, and memories are changed. Your messages stay "
    "as they are. Undo reverses all of it in one step."
)
SETTLE_MS = 150
SIZE = QSize(680, 560)
PART_WORDS = {
    Part.MESSAGES: N_("Recaps of messages"),
    Part.SCENES: N_("Recaps of scenes"),
    Part.RUNNING: N_("Running recap"),
    Part.MEMORIES: N_("Memories"),
}


class Replacement(QObject):
    """Opens the dialog for the chat that is open."""

    def __init__(self, session: Session, window: QWidget) -> None:
        super().__init__(window)
        self._session, self._window = session, window

    def begin(self) -> None:
        """Ask which words are meant."""
        path = self._session.path
        if path is not None:
            ReplaceDialog(self._session, path, self._window).open()


class ReplaceDialog(QDialog):
    """Over the window, until closed or the words were put in."""

    def __init__(self, session: Session, chat: Path, parent: QWidget) -> None:
        super().__init__(parent)
        self.setBackgroundRole(FLOAT_ROLE)
        self.setAutoFillBackground(True)
        self._session, self._chat = session, chat
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Find and replace"))
        self.resize(size_over(parent, SIZE))
        self.sought = Field(tr("Find"), placeholder=tr("The words to find"))
        self.put = Field(tr("Replace with"), placeholder=tr("Nothing: the words are removed"))
        self.whole = self._check(tr("Whole words only"), is_on=True)
        self.cased = self._check(tr("Match case"), is_on=True)
        self.parts = {
            part: self._check(tr(words), is_on=True) for part, words in PART_WORDS.items()
        }
        self.said = Label(tr(EXPLANATION), font=ui_font(12), tone=T2_ROLE, wraps=True)
        self.examples = QListWidget()
        self.examples.setAccessibleName(tr("What would change"))
        self.examples.setFrameShape(QFrame.Shape.NoFrame)
        self.examples.setWordWrap(True)
        self.examples.setSpacing(4)
        self.examples.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.do = Button(tr("Replace"), role=ButtonRole.MAIN)
        self.do.setEnabled(False)
        self.do.clicked.connect(self._on_do)
        self.leave = Button(tr("Close"))
        self.leave.clicked.connect(self.reject)
        self._settle = once(self, SETTLE_MS, self._look)
        for field in (self.sought, self.put):
            field.textChanged.connect(self._on_text)
            field.returnPressed.connect(self._look)
        self._lay_out()

    def _check(self, words: str, *, is_on: bool) -> QCheckBox:
        box = QCheckBox(words)
        box.setFont(ui_font(12, MEDIUM))
        box.setChecked(is_on)
        box.toggled.connect(self._look)
        return box

    def _lay_out(self) -> None:
        grid = QGridLayout()
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(6)
        for row, (words, field) in enumerate(
            ((tr("Find"), self.sought), (tr("Replace with"), self.put))
        ):
            label = Label(words, font=ui_font(12.5, MEDIUM))
            label.setBuddy(field)
            grid.addWidget(label, row, 0)
            grid.addWidget(field, row, 1, 1, 2)
        grid.setColumnStretch(1, 1)
        grid.setColumnStretch(2, 1)
        for place, box in enumerate((self.whole, self.cased, *self.parts.values())):
            grid.addWidget(box, 2 + place // 2, 1 + place % 2)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self.leave)
        buttons.addWidget(self.do)
        column = QVBoxLayout(self)
        column.setContentsMargins(28, 24, 28, 22)
        column.setSpacing(12)
        column.addWidget(Label(tr("Find and replace"), font=display_font(20)))
        column.addLayout(grid)
        column.addWidget(self.said)
        column.addWidget(self.examples, 1)
        column.addLayout(buttons)

    @property
    def wording(self) -> Wording:
        """What is written in the fields."""
        return Wording(
            self.sought.text(),
            self.put.text(),
            is_word=self.whole.isChecked(),
            is_cased=self.cased.isChecked(),
        )

    @property
    def wanted(self) -> frozenset[Part]:
        """Where it is looked for."""
        return frozenset(part for part, box in self.parts.items() if box.isChecked())

    def _on_text(self, _text: str) -> None:
        self._settle.start()

    def _look(self) -> None:
        self._settle.stop()
        try:
            finds = self._session.companion.replacing.finds(self._chat, self.wording, self.wanted)
        except UsageError:
            finds = Finds()
        is_asked = bool(self.sought.text().strip())
        self.said.setText(finds_sentence(finds) if is_asked else tr(EXPLANATION))
        self.do.setEnabled(bool(finds.count) and self.sought.text() != self.put.text())
        self.examples.clear()
        for example in finds.examples:
            self.examples.addItem(QListWidgetItem(example_words(example)))

    def _on_do(self) -> None:
        self._session.do(self._replace(), name=N_("replacing words"))

    async def _replace(self) -> None:
        made = await self._session.companion.replacing.replace(
            self._chat, self.wording, self.wanted
        )
        self._session.refresh()
        self._session.told.emit(finds_sentence(made, is_done=True))
        if isValid(self):
            self.accept()


def finds_sentence(finds: Finds, *, is_done: bool = False) -> str:
    """In how many texts, and of which kinds."""
    if not finds.count:
        return tr("Nothing written for this chat contains that.")
    kinds = ", ".join(
        f"{tr(PART_WORDS[part])} {number(count)}" for part, count in finds.texts.items()
    )
    if is_done:
        return trn(
            "Replaced in {n} text: {kinds}.",
            "Replaced in {n} texts: {kinds}.",
            finds.count,
            kinds=kinds,
        )
    return trn(
        "Found in {n} text: {kinds}.", "Found in {n} texts: {kinds}.", finds.count, kinds=kinds
    )


def example_words(example: Example) -> str:
    """A text before and after, under what it is of."""
    of = tr(PART_WORDS[example.part])
    if example.index is not None:
        of = f"{of}, #{example.index}"
    return f"{of}\n− {example.before}\n+ {example.after}"
