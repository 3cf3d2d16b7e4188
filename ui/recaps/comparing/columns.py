"""Two texts side by side: rows on one line, choices between them, one scroll bar for both."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QRectF, Qt, Signal
from PySide6.QtGui import (
    QFont,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QShowEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QScrollBar, QWidget

from app.core.translation import tr, trn
from app.story.comparison import Block, BlockKind, Choice, is_heading
from ui.recaps.comparing.choices import BUTTON, PAIR_HEIGHT, ChoicePair, FoldRow
from ui.recaps.comparing.column_text import HEADING_LINE_PX, LINE_PX, ColumnText
from ui.theme import current_tokens, theme
from ui.theme.style import BAR_EXTENT, rounded

INSET = 14  # of a row's ground from the edge, and of the words from the ground
GUTTER = 96
NARROW_GUTTER = 32  # where nothing stands between the two
GAP = 14.0  # under each row
NEAR = 24  # px kept free above a difference that is scrolled to


class CompareColumns(QWidget):
    """Shows the blocks; a difference is named by its number among the differences.

    font: of the words, else the story's. sides: what the two are called, else left and right.
    offers_choices: whether a side can be taken; else the two are only read.

    Signals:
        chosen: (difference, Choice), by one of its buttons.
        pressed: difference, by a click on its row.
    """

    chosen = Signal(int, object)
    pressed = Signal(int)

    def __init__(
        self,
        parent: QWidget | None = None,
        *,
        font: QFont | None = None,
        sides: tuple[str, str] = ("", ""),
        offers_choices: bool = True,
    ) -> None:
        super().__init__(parent)
        self._offers_choices = offers_choices
        self._sides = sides
        self._blocks: tuple[Block, ...] = ()
        self._differences: dict[int, int] = {}  # block number: difference
        self._choices: Sequence[Choice | None] = ()
        self._missing = ("", "")
        self._unfolded: set[int] = set()
        self._tops: list[float] = []
        self._current = -1
        self._pairs: dict[int, ChoicePair] = {}
        self._folds: dict[int, FoldRow] = {}
        self._is_arranging = False
        self.left = ColumnText(Choice.LEFT, tr("Left text"), self, font=font)
        self.right = ColumnText(Choice.RIGHT, tr("Right text"), self, font=font)
        self.bar = QScrollBar(Qt.Orientation.Vertical, self)
        self.bar.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        for column in (self.left, self.right):
            column.verticalScrollBar().valueChanged.connect(self._on_scrolled)
            column.viewport().installEventFilter(self)
        self.right.verticalScrollBar().rangeChanged.connect(self._on_range_changed)
        self.bar.valueChanged.connect(self._on_scrolled)
        theme.changed.connect(self._on_theme_changed)

    def show_blocks(self, blocks: Sequence[Block], missing_left: str, missing_right: str) -> None:
        """Compare other texts. missing: what stands where a side has nothing."""
        self._blocks = tuple(blocks)
        different = [n for n, b in enumerate(blocks) if b.kind is not BlockKind.EQUAL]
        self._differences = {block: number for number, block in enumerate(different)}
        self._missing = (missing_left, missing_right)
        self._unfolded.clear()
        self._current = -1
        for widget in (*self._pairs.values(), *self._folds.values()):
            widget.hide()
            widget.deleteLater()
        self._pairs, self._folds = {}, {}
        self._choices = [None] * len(different)
        self._fill()
        self.bar.setValue(0)

    @property
    def gutter(self) -> int:
        """Px between the two."""
        return GUTTER if self._offers_choices else NARROW_GUTTER

    def show_choices(self, choices: Sequence[Choice | None]) -> None:
        """Light what is taken of each difference."""
        self._choices = choices
        for block, pair in self._pairs.items():
            pair.show_choice(choices[self._differences[block]])

    def show_current(self, difference: int) -> None:
        """Mark a difference and bring it into view; -1 for none."""
        self._current = difference
        block = self._block_of(difference)
        if block >= 0 and self._tops:
            top, bottom = self._tops[block], self._tops[block + 1]
            view, value = self.left.viewport().height(), self.bar.value()
            if top - NEAR < value:
                self.bar.setValue(round(top - NEAR))
            elif bottom > value + view:
                self.bar.setValue(round(min(bottom - view, top - NEAR)))
        self.update()

    def pair(self, difference: int) -> ChoicePair | None:
        """The buttons of a difference, None while it is out of view."""
        pair = self._pairs.get(self._block_of(difference))
        return pair if pair is not None and not pair.isHidden() else None

    def turn(self, block: int) -> None:
        """Unfold what is the same in both, or fold it."""
        self._unfolded ^= {block}
        value = self.bar.value()
        self._fill()
        self.bar.setValue(value)

    def _block_of(self, difference: int) -> int:
        return next((b for b, number in self._differences.items() if number == difference), -1)

    def _fill(self) -> None:
        self.left.show_blocks(self._blocks, self._unfolded, self._missing[0])
        self.right.show_blocks(self._blocks, self._unfolded, self._missing[1])
        self._arrange()

    def _arrange(self) -> None:
        """Lay the columns out and give the rows of both the same height."""
        if self._is_arranging:
            return
        self._is_arranging = True
        width = max(80, (self.width() - 4 * INSET - self.gutter) // 2)
        self.left.setGeometry(2 * INSET, 0, width, self.height())
        self.right.setGeometry(2 * INSET + width + self.gutter, 0, width, self.height())
        self.bar.setGeometry(self.width() - BAR_EXTENT, 0, BAR_EXTENT, self.height())
        for column in (self.left, self.right):
            column.lay_out(width)
        left, right = self.left.heights(), self.right.heights()
        rows = [
            max(one, other, 0.0 if block.kind is BlockKind.EQUAL else PAIR_HEIGHT + 4.0)
            for one, other, block in zip(left, right, self._blocks, strict=True)
        ]
        self.left.set_gaps([row + GAP - own for row, own in zip(rows, left, strict=True)])
        self.right.set_gaps([row + GAP - own for row, own in zip(rows, right, strict=True)])
        self._tops = self.left.tops()
        self._is_arranging = False
        self._on_range_changed()
        self._place()

    def _place(self) -> None:
        """Put buttons and folded rows where their rows are now; those out of view are hidden."""
        if not self._tops:
            return
        value, height = self.bar.value(), self.height()
        first = max(0, bisect_right(self._tops, value) - 1)
        last = min(len(self._blocks), bisect_left(self._tops, value + height))
        for place, widget in (*self._pairs.items(), *self._folds.items()):
            if not first <= place < last:
                widget.hide()
        for number in range(first, last):
            y = round(self._tops[number] - value)
            if number in self._differences:
                if not self._offers_choices:
                    continue
                pair = self._pair_for(number)
                x = self.left.geometry().right() + 1 + (GUTTER - BUTTON.width()) // 2
                pair.move(x, y + (HEADING_LINE_PX - LINE_PX))
                pair.show()
            else:
                fold = self._fold_for(number)
                fold.setGeometry(INSET, y, self.width() - 2 * INSET, fold.height())
                fold.show()
        self.update()

    def _pair_for(self, block: int) -> ChoicePair:
        if block not in self._pairs:
            difference = self._differences[block]
            name = self._blocks[block].heading or tr("change {n}", n=difference + 1)
            pair = ChoicePair(difference, name, self, self._sides)
            pair.chosen.connect(self.chosen)
            pair.show_choice(self._choices[difference])
            self._pairs[block] = pair
        return self._pairs[block]

    def _fold_for(self, block: int) -> FoldRow:
        if block not in self._folds:
            fold = FoldRow(block, fold_title(self._blocks[block]), self)
            fold.turned.connect(self.turn)
            self._folds[block] = fold
        self._folds[block].show_open(block in self._unfolded)
        return self._folds[block]

    def _on_scrolled(self, value: int) -> None:
        if self._is_arranging:
            return
        for bar in (self.left.verticalScrollBar(), self.right.verticalScrollBar(), self.bar):
            bar.setValue(value)
        self._place()

    def _on_range_changed(self, _low: int = 0, _high: int = 0) -> None:
        bar = self.right.verticalScrollBar()
        self.bar.setRange(bar.minimum(), bar.maximum())
        self.bar.setPageStep(bar.pageStep())
        self.bar.setSingleStep(bar.singleStep())
        self.bar.setVisible(bar.maximum() > 0)

    def _on_theme_changed(self, _tokens: object) -> None:
        value = self.bar.value()
        self._fill()
        self.bar.setValue(value)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QMouseEvent) and event.type() == QEvent.Type.MouseButtonPress:
            for column in (self.left, self.right):
                if watched is column.viewport():
                    y = event.position().y() + self.bar.value()
                    row = bisect_right(self._tops, y) - 1
                    if row in self._differences:
                        self.pressed.emit(self._differences[row])
        return False

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._arrange()

    def wheelEvent(self, event: QWheelEvent) -> None:
        step = event.pixelDelta().y() or event.angleDelta().y() // 2
        self.bar.setValue(self.bar.value() - step)

    def paintEvent(self, event: QPaintEvent) -> None:
        block = self._block_of(self._current)
        if block < 0 or not self._tops:
            return
        t = current_tokens()
        painter = QPainter(self)
        top = self._tops[block] - self.bar.value() - 6
        height = self._tops[block + 1] - self._tops[block] - GAP + 14
        ground = QRectF(INSET, top, self.width() - 2 * INSET, height)
        rounded(painter, ground, 8, t.hover)
        rounded(painter, QRectF(INSET, top + 8, 3, height - 16), 1.5, t.ring)


def fold_title(block: Block) -> str:
    """What a stretch that is the same in both is called."""
    passage = block.right or block.left
    lines = passage.text.split("\n") if passage is not None else []
    titles = [
        line.strip().rstrip(":") for number, line in enumerate(lines) if is_heading(lines, number)
    ]
    count = sum(bool(line.strip()) for line in lines) - len(titles)
    if len(titles) > 3:
        return trn(
            "{titles} and {n} more",
            "{titles} and {n} more",
            len(titles) - 2,
            titles=", ".join(titles[:2]),
        )
    if titles:
        return ", ".join(titles)
    return trn("{n} line", "{n} lines", count)
