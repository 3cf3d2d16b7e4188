"""A prompt to read: figures, what of it was known, and its rows in their order."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.core.translation import number, tr
from app.prompt.turns import Share
from ui.controls.buttons import Button, ButtonRole
from ui.controls.labels import Label, body, headline
from ui.controls.surfaces import scrolling
from ui.prompt.cards import OwnRow, SlotCard
from ui.prompt.macros import MacroList
from ui.prompt.rows import PromptRow
from ui.prompt.strip import PromptStrip
from ui.theme.fonts import ui_font
from ui.theme.palette import T3_ROLE

COLUMN = 960


class PromptPreview(QWidget):
    """Cards are kept by their keys, so that a selection in a text survives.

    Signals:
        copy_asked: the whole prompt is to be put on the clipboard.
    """

    copy_asked = Signal()

    def __init__(
        self, empty: str, members: QWidget | None = None, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.cards: dict[str, SlotCard] = {}
        self.own_rows: list[OwnRow] = []
        self._figure = headline("0")
        self._figure_words = body("", wraps=False)
        self._facts = Label(font=ui_font(12), tone=T3_ROLE, wraps=True)
        self._known = body()
        self._empty = body(empty)
        self.strip = PromptStrip()
        self.copy = Button(
            tr("Copy all"), icon="copy", role=ButtonRole.QUIET, flush=Qt.Edge.RightEdge
        )
        self.copy.clicked.connect(self.copy_asked)
        self._members = members
        self.macros = MacroList()
        self._build()

    def _build(self) -> None:
        top = QHBoxLayout()
        top.setSpacing(10)
        top.addWidget(self._figure, 0, Qt.AlignmentFlag.AlignBaseline)
        top.addWidget(self._figure_words, 0, Qt.AlignmentFlag.AlignBaseline)
        top.addStretch(1)
        if self._members is not None:
            top.addWidget(self._members, 0, Qt.AlignmentFlag.AlignVCenter)
        top.addWidget(self.copy, 0, Qt.AlignmentFlag.AlignVCenter)
        head = QVBoxLayout()
        head.setSpacing(6)
        head.addLayout(top)
        head.addWidget(self._facts)
        head.addWidget(self.strip)
        head.addWidget(self._known)
        content = QWidget()
        middle = QHBoxLayout(content)
        middle.setContentsMargins(24, 20, 24, 32)
        block = QWidget()
        block.setMaximumWidth(COLUMN)
        column = QVBoxLayout(block)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(20)
        column.addLayout(head)
        column.addWidget(self._empty)
        self._rows = QVBoxLayout()
        self._rows.setSpacing(20)
        column.addLayout(self._rows)
        column.addWidget(self.macros)
        column.addStretch(1)
        middle.addStretch(1)
        middle.addWidget(block, 1000)
        middle.addStretch(1)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        self.area = scrolling(content, name=tr("Prompt"))
        outer.addWidget(self.area)

    def say_nothing_is_there(self, words: str) -> None:
        """What is said where there is no slot."""
        self._empty.setText(words)

    def show_macros(self) -> None:
        """Bring the list of macros into view."""
        bar = self.area.verticalScrollBar()
        bar.setValue(bar.maximum())
        self.macros.setFocus(Qt.FocusReason.OtherFocusReason)

    @property
    def known_words(self) -> str:
        """What is said of the unchanged beginning, "" for nothing."""
        return self._known.text() if not self._known.isHidden() else ""

    @property
    def facts(self) -> str:
        """What is said of the turn."""
        return self._facts.text()

    def show_head(self, tokens: int, words: str, facts: str, known: str) -> None:
        """tokens: of all slots. facts, known: "" for none."""
        self._figure.setText(number(tokens))
        self._figure_words.setText(words)
        for label, text in ((self._facts, facts), (self._known, known)):
            label.setText(text)
            label.setVisible(bool(text))

    def show_rows(self, rows: Sequence[PromptRow], kept: int | None) -> None:
        """Show a prompt from its beginning to its end. kept: tokens of its unchanged beginning."""
        keys = {row.slot.key for row in rows if row.slot is not None}
        for key in self.cards.keys() - keys:
            _drop(self.cards.pop(key))
        own = [row for row in rows if row.share is not Share.SLOT]
        while len(self.own_rows) > len(own):
            _drop(self.own_rows.pop())
        while len(self.own_rows) < len(own):
            self.own_rows.append(OwnRow())
        for shown in (*self.cards.values(), *self.own_rows):
            # Not takeAt: the item that it gives lives on as the widget's, and the new one would
            # keep the height of its first layout for good.
            self._rows.removeWidget(shown)
        spare = iter(self.own_rows)
        for row in rows:
            widget = self._card_of(row) if row.slot is not None else next(spare)
            self._rows.addWidget(widget)
            widget.show_row(row)
            widget.show()
        has_slots = bool(keys)
        self._empty.setVisible(not has_slots)
        self.copy.setEnabled(has_slots)
        # A strip of a prompt of which only the slots are known would tell no truth about its whole.
        is_whole = all(row.tokens is not None for row in rows)
        self.strip.show_rows(rows if is_whole else (), kept)

    def _card_of(self, row: PromptRow) -> SlotCard:
        assert row.slot is not None
        if row.slot.key not in self.cards:
            self.cards[row.slot.key] = SlotCard()
        return self.cards[row.slot.key]


def _drop(widget: QWidget) -> None:
    widget.hide()
    widget.deleteLater()
