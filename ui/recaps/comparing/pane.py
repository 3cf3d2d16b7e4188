"""Comparing two versions: two columns, a choice for each difference, and the result."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QEvent, QKeyCombination, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from app.core.translation import N_, tr, trn
from app.story.comparison import Choice, compare
from ui.controls.buttons import Button, ButtonRole, IconButton
from ui.controls.dates import time_words
from ui.controls.labels import ElidedLabel, Label, section
from ui.recaps.comparing.columns import GUTTER, INSET, CompareColumns
from ui.recaps.comparing.merging import Merge
from ui.recaps.comparing.result import ResultPane
from ui.recaps.comparing.result_editor import editable
from ui.recaps.draft_keeper import NOT_KEPT
from ui.recaps.version_rows import VersionRow
from ui.theme.fonts import MEDIUM, ui_font
from ui.theme.palette import T2_ROLE, T3_ROLE

SIGNS = {"[": Choice.LEFT, "]": Choice.RIGHT, "=": Choice.BOTH}
CTRL_Y = QKeyCombination(Qt.KeyboardModifier.ControlModifier, Qt.Key.Key_Y)
WORDS = {"left": Choice.LEFT, "right": Choice.RIGHT, "both": Choice.BOTH}


class ComparePane(QWidget):
    """`tools` belongs in the page's header.

    Signals:
        edited: the result changed; see `result_text`.
        keep_asked: the result is to be kept.
        closed: back to reading.
    """

    edited = Signal()
    keep_asked = Signal()
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.merge = Merge(())
        self.current = -1
        self._same_as = ""
        self._next = ""
        self._is_kept = True
        self.columns = CompareColumns()
        self.result = ResultPane()
        self._heads = (_Head("left"), _Head("right"))
        self.tools = CompareTools()
        self._build()
        self.columns.chosen.connect(self.take)
        self.columns.pressed.connect(self.go_to)
        self.result.typed.connect(self._on_typed)
        self.result.asked.connect(self._on_asked)
        for head in self._heads:
            head.wanted.connect(self.take_all)
        self.tools.next.clicked.connect(self.go_next)
        self.tools.previous.clicked.connect(self.go_previous)
        self.tools.close_button.clicked.connect(self.closed)
        self.tools.keep.clicked.connect(self.keep_asked)

    def _build(self) -> None:
        heads = QHBoxLayout()
        heads.setContentsMargins(2 * INSET, 10, 2 * INSET, 8)
        heads.setSpacing(0)
        heads.addWidget(self._heads[0], 1)
        heads.addSpacing(GUTTER)
        heads.addWidget(self._heads[1], 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(heads)
        column.addWidget(self.columns, 1)
        column.addWidget(self.result)

    @property
    def result_text(self) -> str:
        """What would be kept."""
        return self.merge.text

    def show_versions(
        self, left: VersionRow, right: VersionRow, tokens: Callable[[int], int | None]
    ) -> None:
        """Compare two versions anew."""
        self.merge = Merge(compare(editable(left.text), editable(right.text)))
        self.current = -1
        for head, row in zip(self._heads, (left, right), strict=True):
            head.show_row(row, tokens(row.number))
        self.columns.left.setAccessibleName(tr("{version}, left", version=left.word))
        self.columns.right.setAccessibleName(tr("{version}, right", version=right.word))
        self.columns.show_blocks(
            self.merge.blocks,
            tr("Not in {version}.", version=left.word),
            tr("Not in {version}.", version=right.word),
        )
        self._show(cursor=0)
        if self.merge.differences:
            self.go_to(0)

    def show_tokens(
        self, rows: tuple[VersionRow, VersionRow], tokens: Callable[[int], int | None]
    ) -> None:
        """The versions have been counted."""
        for head, row in zip(self._heads, rows, strict=True):
            head.show_row(row, tokens(row.number))

    def show_next(self, word: str) -> None:
        """Which version the result becomes, "" while that is not known."""
        self._next = word
        self.tools.show_next(word)
        self._show_tools()

    def show_equal_to(self, word: str) -> None:
        """Name the version that the result would only repeat, "" for none."""
        self._same_as = word
        self._show_tools()

    def take(self, difference: int, choice: Choice) -> None:
        """Take a side of one difference."""
        self.merge.take(difference, choice)
        self.go_to(difference)
        self._show(cursor=self.merge.start_of(difference))
        self.edited.emit()

    def take_all(self, side: str) -> None:
        """Take one side throughout."""
        self.merge.take_all(WORDS[side])
        self._show()
        self.edited.emit()

    def go_to(self, difference: int) -> None:
        """Turn to a difference."""
        self.current = difference
        self.columns.show_current(difference)
        self._show_tools()

    def go_next(self) -> None:
        """Turn to the next difference."""
        self._go(1)

    def go_previous(self) -> None:
        """Turn to the one before."""
        self._go(-1)

    def _go(self, step: int) -> None:
        count = len(self.merge.differences)
        if count:
            self.go_to(max(0, min(count - 1, self.current + step)))
            self.result.editor.reveal(self.merge.start_of(self.current))

    def undo(self) -> bool:
        """Take back the last choice or writing; false when there is none."""
        return self._turn_back(self.merge.undo)

    def redo(self) -> bool:
        """Do it again."""
        return self._turn_back(self.merge.redo)

    def _turn_back(self, turn: Callable[[], str]) -> bool:
        if not turn():
            return False
        self._show()
        self.edited.emit()
        return True

    def _on_typed(self, shown: str) -> None:
        cursor = self.merge.type_text(shown)
        self._show(cursor=cursor)
        self.edited.emit()

    def _show(self, *, cursor: int | None = None) -> None:
        merge = self.merge
        self.columns.show_choices([merge.choice(n) for n in range(len(merge.differences))])
        self.result.editor.show_display(merge.display, merge.open_stretches(), cursor=cursor)
        self.result.show_undo(merge.undo_label)
        self._show_tools()

    def show_kept(self, is_kept: bool) -> None:
        """Whether what is being put together could be saved."""
        if is_kept is not self._is_kept:
            self._is_kept = is_kept
            self._show_tools()

    def _show_tools(self) -> None:
        count = len(self.merge.differences)
        self.tools.show_change(self.current, count)
        open_count = self.merge.open_count
        self.tools.show_open(open_count, self._same_as, is_empty=not self.merge.text)
        if not self._is_kept:
            words = tr(NOT_KEPT)
        elif self._next:
            words = tr("{version} draft, saved as you type", version=self._next)
        else:
            words = tr("draft, saved as you type")
        if open_count:
            left = trn("{n} change is not chosen yet", "{n} changes are not chosen yet", open_count)
            words = f"{words}; {left}"
        self.result.show_about(words)

    def _on_asked(self, key: str) -> None:
        if key in WORDS and self.current >= 0:
            self.take(self.current, WORDS[key])
        elif key == "next":
            self.go_next()
        elif key == "previous":
            self.go_previous()
        elif key == "undo":
            self.undo()
        elif key == "redo":
            self.redo()
        elif key == "keep":
            self.keep_asked.emit()

    def event(self, event: QEvent) -> bool:
        # The window's undo has the same key; here it is that of the choices while there are any.
        if event.type() == QEvent.Type.ShortcutOverride and self._step_of(event):
            event.accept()
            return True
        return super().event(event)

    def _step_of(self, event: QEvent) -> Callable[[], bool] | None:
        assert isinstance(event, QKeyEvent)
        if event.matches(QKeySequence.StandardKey.Undo) and self.merge.undo_label:
            return self.undo
        # Which of the window's two keys is Redo for Qt depends on the desktop.
        is_redo = event.matches(QKeySequence.StandardKey.Redo) or event.keyCombination() == CTRL_Y
        if is_redo and self.merge.redo_label:
            return self.redo
        return None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = self._step_of(event)
        choice = SIGNS.get(event.text())
        if step is not None:
            step()
        elif choice is not None and self.current >= 0:
            self.take(self.current, choice)
        elif event.key() == Qt.Key.Key_F7:
            is_back = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
            self._go(-1 if is_back else 1)
        elif event.matches(QKeySequence.StandardKey.Save):
            self.keep_asked.emit()
        elif event.key() == Qt.Key.Key_Escape:
            self.closed.emit()
        else:
            super().keyPressEvent(event)


class CompareTools(QWidget):
    """Where one is among the changes, and the one filled button."""

    def __init__(self) -> None:
        super().__init__()
        self.can_change = True  # not so in safe mode
        self._where = Label(font=ui_font(12.5, MEDIUM), tone=T2_ROLE)
        self.previous = IconButton("chevron-up", tr("Previous change (Shift F7)"), is_framed=True)
        self.next = IconButton("chevron-down", tr("Next change (F7)"), is_framed=True)
        self.close_button = IconButton("cross", tr("Back to reading (Esc)"))
        self.keep = Button(tr("Keep"), icon="check", role=ButtonRole.MAIN, hint=tr("Ctrl S"))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self._where)
        row.addSpacing(8)
        row.addWidget(self.previous)
        row.addWidget(self.next)
        row.addWidget(self.close_button)
        row.addWidget(self.keep)

    def show_next(self, word: str) -> None:
        """Which version the result becomes."""
        self.keep.set_text(
            tr("Keep as {version}", version=word) if word else tr("Keep as new version")
        )

    def show_change(self, current: int, count: int) -> None:
        """current: from 0."""
        self._where.setText(
            tr("Change {current} of {count}", current=current + 1, count=count)
            if count
            else tr("No difference")
        )
        self.previous.setEnabled(current > 0)
        self.next.setEnabled(current + 1 < count)

    def show_open(self, count: int, same_as: str, *, is_empty: bool) -> None:
        """Say why the result cannot be kept yet, if it cannot."""
        reason = ""
        if count:
            reason = trn("{n} change is not chosen yet.", "{n} changes are not chosen yet.", count)
        elif is_empty:
            reason = tr("The result is empty.")
        elif same_as:
            reason = tr("The result is exactly {version}.", version=same_as)
        self.keep.setEnabled(self.can_change and not reason)
        self.keep.setToolTip(reason or tr("Keep the result as a new version. (Ctrl S)"))


class _Head(QWidget):
    """Which version a column shows.

    Signals:
        wanted: its side, all of which is to be taken.
    """

    wanted = Signal(str)

    def __init__(self, side: str) -> None:
        super().__init__()
        self._side = side
        self._word = section()
        self._about = ElidedLabel(font=ui_font(12), tone=T3_ROLE)
        self._all = Button(tr("Take all"), role=ButtonRole.QUIET, flush=Qt.Edge.RightEdge)
        self._all.clicked.connect(self._on_all)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(9)
        row.addWidget(self._word)
        row.addWidget(self._about, 1)
        row.addWidget(self._all)

    def show_row(self, row: VersionRow, tokens: int | None) -> None:
        self._word.setText(row.word)
        facts = [trn("{n} token", "{n} tokens", tokens)] if tokens is not None else []
        facts += [time_words(row.created, now=time.time()), row.author]
        self._about.setText(", ".join(facts))
        side = N_("Take all of {version}, left")
        if self._side == "right":
            side = N_("Take all of {version}, right")
        self._all.setAccessibleName(tr(side, version=row.word))
        self._all.setToolTip(tr("Take every change from {version}.", version=row.word))

    def _on_all(self) -> None:
        self.wanted.emit(self._side)
