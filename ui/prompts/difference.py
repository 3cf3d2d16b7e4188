"""Ours and yours side by side; each difference can be taken back to ours."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from app.core.translation import tr, trn
from app.llm.prompts.prompt_files import SECTION
from app.llm.prompts.prompt_text import PromptText
from app.story.comparison import Block, BlockKind, Choice, chosen_text, compare
from ui.controls.labels import body, meta, section
from ui.recaps.comparing.columns import GUTTER, INSET, CompareColumns
from ui.theme.fonts import mono_font


class DifferencePane(QWidget):
    """Signals:
    taken: (upper part, lower part), as they are when one difference is taken from ours.
    """

    taken = Signal(str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._blocks: tuple[Block, ...] = ()
        self.columns = CompareColumns(font=mono_font(12), sides=(tr("Original"), tr("Yours")))
        self.columns.chosen.connect(self._on_chosen)
        self._ours, self._yours = section(tr("Original")), section(tr("Yours"))
        self._about = meta()
        self._same = body(tr("Yours is the same as the original."))
        left = QHBoxLayout()
        left.setSpacing(8)
        left.addWidget(self._ours)
        left.addWidget(self._about, 1)
        head = QGridLayout()
        head.setContentsMargins(2 * INSET, 0, 2 * INSET, 0)
        head.setHorizontalSpacing(GUTTER)
        head.addLayout(left, 0, 0)
        head.addWidget(self._yours, 0, 1)
        for number in (0, 1):
            head.setColumnStretch(number, 1)
            head.setColumnMinimumWidth(number, 1)
        for label in (self._ours, self._about, self._yours):
            label.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(10)
        column.addLayout(head)
        column.addWidget(self._same)
        column.addWidget(self.columns, 1)
        self._same.setContentsMargins(2 * INSET, 0, 2 * INSET, 0)

    @property
    def count(self) -> int:
        """How many differences there are."""
        return sum(block.kind is not BlockKind.EQUAL for block in self._blocks)

    def show_texts(self, ours: PromptText, yours: PromptText) -> None:
        """Compare two texts."""
        self._blocks = compare(_whole(ours), _whole(yours))
        count = self.count
        self._about.setText(trn("{n} difference", "{n} differences", count))
        self._same.setVisible(not count)
        self.columns.setVisible(bool(count))
        self._about.setVisible(bool(count))
        self.columns.show_blocks(self._blocks, tr("Not in the original."), tr("Not in yours."))
        self.columns.show_choices([Choice.RIGHT] * count)

    def _on_chosen(self, difference: int, choice: Choice) -> None:
        if choice is Choice.RIGHT:
            return
        parts = merged(self._blocks, difference, choice)
        if parts is not None:
            self.taken.emit(*parts)


def merged(blocks: Sequence[Block], difference: int, choice: Choice) -> tuple[str, str] | None:
    """Upper and lower part with one difference taken from the left, or from both; None where the
    headings between them are gone.
    """
    choices, number = [], -1
    for block in blocks:
        number += block.kind is not BlockKind.EQUAL
        is_meant = block.kind is not BlockKind.EQUAL and number == difference
        choices.append(choice if is_meant else Choice.RIGHT)
    text = chosen_text(blocks, choices)
    heads = list(SECTION.finditer(text))
    if [head[1].lower() for head in heads] != ["system", "user"]:
        return None
    return text[heads[0].end() : heads[1].start()].strip(), text[heads[1].end() :].strip()


def _whole(text: PromptText) -> str:
    return f"# System\n\n{text.system.strip()}\n\n# User\n\n{text.user.strip()}\n"
