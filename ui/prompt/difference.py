"""Two turns side by side, word by word, to read."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QGridLayout, QSizePolicy, QVBoxLayout, QWidget

from app.core.translation import N_, tr
from app.story.comparison import Block, BlockKind
from ui.controls.fields import Segments
from ui.controls.labels import ElidedLabel, body
from ui.recaps.comparing.columns import INSET, NARROW_GUTTER, CompareColumns
from ui.recaps.comparing.pane import CompareTools
from ui.theme.fonts import SEMIBOLD, mono_font, ui_font

SLOTS, WHOLE = "slots", "whole"
SAME = {
    SLOTS: N_("All parts are the same in both turns."),
    WHOLE: N_("Both prompts are the same."),
}
NOT_KEPT = N_("For one of these turns only Tavernkeep's parts were kept, not the whole prompt.")


class DifferencePane(QWidget):
    """`tools` belongs in the page's header.

    Signals:
        closed: back to reading.
        extent_chosen: SLOTS or WHOLE is to be compared.
    """

    closed = Signal()
    extent_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.extent = SLOTS
        self.current = -1
        self.count = 0
        self.columns = CompareColumns(font=mono_font(12), offers_choices=False)
        self.tools = CompareTools()
        self.tools.keep.hide()
        self.tools.next.clicked.connect(self.go_next)
        self.tools.previous.clicked.connect(self.go_previous)
        self.tools.close_button.clicked.connect(self.closed)
        self.columns.pressed.connect(self.go_to)
        self.extents = Segments(tr("Compare"), {SLOTS: tr("Parts"), WHOLE: tr("Whole prompt")})
        self.extents.choose(SLOTS)
        self.extents.chosen.connect(self._on_extent)
        self.heads = (
            ElidedLabel(font=ui_font(13, SEMIBOLD)),
            ElidedLabel(font=ui_font(13, SEMIBOLD)),
        )
        self._note = body()
        self._build()

    def _build(self) -> None:
        head = QGridLayout()
        head.setContentsMargins(2 * INSET, 0, 2 * INSET, 0)
        head.setHorizontalSpacing(NARROW_GUTTER)
        for number, label in enumerate(self.heads):
            head.addWidget(label, 0, number)
            head.setColumnStretch(number, 1)
            label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 12, 0, 0)
        column.setSpacing(12)
        above = QVBoxLayout()
        above.setContentsMargins(2 * INSET, 0, 2 * INSET, 0)
        above.setSpacing(12)
        above.addWidget(self.extents)
        above.addWidget(self._note)
        column.addLayout(above)
        column.addLayout(head)
        column.addWidget(self.columns, 1)
        column.addStretch(0)

    @property
    def note(self) -> str:
        """What is said in place of a difference, or beside it; "" for nothing."""
        return self._note.text() if not self._note.isHidden() else ""

    def show_blocks(
        self, blocks: Sequence[Block], names: tuple[str, str], *, is_kept: bool
    ) -> None:
        """Show the difference of two texts. is_kept: both are there as whole as was asked."""
        self.count = sum(block.kind is not BlockKind.EQUAL for block in blocks)
        for label, name in zip(self.heads, names, strict=True):
            label.setText(name)
        self.columns.left.setAccessibleName(tr("{version}, left", version=names[0]))
        self.columns.right.setAccessibleName(tr("{version}, right", version=names[1]))
        note = tr(NOT_KEPT) if not is_kept else "" if self.count else tr(SAME[self.extent])
        self._note.setText(note)
        self._note.setVisible(bool(note))
        is_shown = is_kept and bool(self.count)
        self.columns.setVisible(is_shown)
        for label in self.heads:
            label.setVisible(is_shown)
        self.columns.show_blocks(blocks, tr("Not in this turn."), tr("Not in this turn."))
        self.current = -1
        self._show_place()
        if self.count:
            self.go_to(0)

    def go_to(self, difference: int) -> None:
        """Turn to a difference."""
        self.current = difference
        self.columns.show_current(difference)
        self._show_place()

    def go_next(self) -> None:
        """Turn to the next difference."""
        if self.count:
            self.go_to(min(self.count - 1, self.current + 1))

    def go_previous(self) -> None:
        """Turn to the one before."""
        if self.count:
            self.go_to(max(0, self.current - 1))

    def _show_place(self) -> None:
        self.tools.show_change(self.current, self.count)

    def _on_extent(self, extent: str) -> None:
        self.extent = extent
        self.extent_chosen.emit(extent)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_F7:
            is_back = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
            (self.go_previous if is_back else self.go_next)()
        elif event.key() == Qt.Key.Key_Escape:
            self.closed.emit()
        else:
            super().keyPressEvent(event)
