"""Two versions of a recap side by side: which they are, and what is made of them."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from ui.recaps.comparing.pane import ComparePane
from ui.recaps.draft_keeper import DraftKeeper
from ui.recaps.sides import Pair, Sides, farther
from ui.recaps.version_rows import VersionModel, VersionRow, row_before


class TwoVersions(QObject):
    """pane: where they stand. sides: which versions of the model's these are.

    Signals:
        opening, opened: two are put side by side.
        changed: other versions stand at the sides, or none any more.
        edited: what is made of them became another text.
        made: (text, number of the version that it comes from); it is to be a version.
    """

    opening = Signal()
    opened = Signal()
    changed = Signal()
    edited = Signal()
    made = Signal(str, int)

    def __init__(
        self, pane: ComparePane, model: VersionModel, drafts: DraftKeeper, parent: QObject
    ) -> None:
        super().__init__(parent)
        self.pane = pane
        self.sides = Sides()
        self._model = model
        self._drafts = drafts
        drafts.kept_changed.connect(pane.show_kept)
        pane.edited.connect(self._on_edited)
        pane.keep_asked.connect(self.keep)

    @property
    def pair(self) -> Pair | None:
        """The two, None unless both are there."""
        return self.sides.rows(self._model.rows)

    def compare(self, row: VersionRow | None) -> None:
        """Put a version beside the one before it."""
        before = row_before(row, self._model.rows)
        if row is not None and before is not None:
            self.sides.set_both(row.number, before.number)
            self._open()

    def put(self, side: str, number: int, shown: VersionRow | None) -> None:
        """Put a version left or right. shown: goes to the other side where that is free."""
        self.sides.put(side, number, shown.number if shown is not None else None)
        self.show_sides()
        self._open()

    def _open(self) -> None:
        pair = self.pair
        if pair is not None:
            self.opening.emit()
            self.pane.show_versions(*pair, self._model.tokens)
            self.show_sides()
            self.opened.emit()

    def show_sides(self) -> None:
        """Mark them in the list."""
        self._model.show_sides(self.sides.left, self.sides.right)
        self.changed.emit()

    def clear(self) -> None:
        """Compare nothing."""
        self.sides.clear()
        self.show_sides()

    def keep(self) -> None:
        """Make what was chosen a version, where it is one."""
        pair = self.pair
        if pair is not None and self.pane.tools.keep.isEnabled():
            self.made.emit(self.pane.result_text.strip(), farther(pair))

    def _on_edited(self) -> None:
        pair, text = self.pair, self.pane.result_text
        self._drafts.note(text, farther(pair) if pair is not None else None)
        same = [row.word for row in self._model.rows if row.text.strip() == text.strip()]
        self.pane.show_equal_to(same[0] if same else "")
        self.edited.emit()
