"""The prompt page: each slot of the coming turn, its place, its cost, and its exact text."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import (
    QGuiApplication,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextBlockFormat,
    QTextCursor,
)
from PySide6.QtWidgets import QFrame, QHBoxLayout, QTextEdit, QVBoxLayout, QWidget

from app.prompt.slots import Slot, SlotSet
from app.story.story import Story
from ui.controls.bars import BudgetBar
from ui.controls.buttons import Button, ButtonRole
from ui.controls.labels import Label, body, headline, meta, section
from ui.controls.surfaces import Surface, scrolling
from ui.inspector.next_prompt import slot_fill
from ui.inspector.words import place_words, slot_name
from ui.session import Session
from ui.theme import current_tokens
from ui.theme.fonts import MEDIUM, mono_font, ui_font
from ui.theme.palette import T2_ROLE
from ui.theme.style import rounded

COLUMN = 960
LINE_PX = 17

EMPTY = "Nothing is injected yet. Once a scene has closed and its recap is written, it stands here."


class PromptPage(QWidget):
    """What SillyTavern will be given, word by word."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.cards: dict[str, SlotCard] = {}
        self._figure = headline("0")
        self._figure_words = body("tokens of memory in the next prompt", wraps=False)
        self._empty = body(EMPTY)
        top = QHBoxLayout()
        top.setSpacing(10)
        top.addWidget(self._figure, 0, Qt.AlignmentFlag.AlignBaseline)
        top.addWidget(self._figure_words, 0, Qt.AlignmentFlag.AlignBaseline)
        top.addStretch(1)
        content = QWidget()
        middle = QHBoxLayout(content)
        middle.setContentsMargins(24, 20, 24, 32)
        block = QWidget()
        block.setMaximumWidth(COLUMN)
        self._column = QVBoxLayout(block)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(24)
        self._column.addLayout(top)
        self._column.addWidget(self._empty)
        self._column.addStretch(1)
        middle.addStretch(1)
        middle.addWidget(block, 1000)
        middle.addStretch(1)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        self._area = scrolling(content, name="Next prompt")
        outer.addWidget(self._area)
        session.chat_opened.connect(self._on_chat_opened)
        session.slots_changed.connect(self.show_slots)
        if session.story is not None:
            self._on_chat_opened(session.story)
        self.show_slots(session.slots)

    def take_focus(self) -> None:
        """Give the keyboard to the text, to scroll it."""
        self._area.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_slots(self, slots: SlotSet) -> None:
        """One card per slot, kept by its key so that a selection in a text survives."""
        self._figure.setText(f"{slots.total_tokens:,}")
        for key in self.cards.keys() - {slot.key for slot in slots.slots}:
            card = self.cards.pop(key)
            card.hide()
            card.deleteLater()
        for number, slot in enumerate(slots.slots):
            if slot.key not in self.cards:
                self.cards[slot.key] = SlotCard()
                self.cards[slot.key].setMaximumWidth(COLUMN)
                self._column.insertWidget(2 + number, self.cards[slot.key])
            self.cards[slot.key].show_slot(slot)
        self._empty.setVisible(not slots.slots)

    def _on_chat_opened(self, _story: Story) -> None:
        self.show_slots(SlotSet())


class SlotCard(QWidget):
    """One slot: swatch, name, place, figures, and the text as it will be sent."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._swatch = _Swatch()
        self._name = section()
        self._place = meta()
        self._figures = Label(font=ui_font(12, MEDIUM), tone=T2_ROLE)
        self._bar = BudgetBar(height=6)
        self._bar.setFixedWidth(140)
        self._copy = Button("Copy", icon="copy", role=ButtonRole.QUIET)
        self._copy.clicked.connect(self._on_copy)
        self._text = ExactText()
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self._swatch)
        head.addWidget(self._name)
        head.addWidget(self._place)
        head.addStretch(1)
        head.addWidget(self._bar)
        head.addWidget(self._figures)
        head.addWidget(self._copy)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        ground = Surface("well")
        inner = QVBoxLayout(ground)
        inner.setContentsMargins(14, 12, 14, 12)
        inner.addWidget(self._text)
        column.addLayout(head)
        column.addWidget(ground)

    @property
    def exact_text(self) -> str:
        """The text as it is shown."""
        return self._text.toPlainText()

    def show_slot(self, slot: Slot) -> None:
        """Show it as it will be set."""
        name = slot_name(slot.key)
        self._swatch.show_slot(slot)
        self._name.setText(name)
        self._place.setText(place_words(slot))
        self._place.setToolTip(f"Extension prompt {slot.key}")
        cut = slot.full_tokens - slot.tokens
        words = f"{slot.tokens:,} of {slot.budget:,} tokens"
        self._figures.setText(words + (f", {cut:,} cut" if cut > 0 else ""))
        self._bar.set_values(
            slot.tokens, slot.budget, wanted=slot.full_tokens, fill=slot_fill(slot)
        )
        self._copy.setAccessibleName(f"Copy the text of {name.lower()}")
        self._copy.setEnabled(bool(slot.text))
        self._text.setAccessibleName(f"Exact text of {name.lower()}")
        self._text.show_text(slot.text or "Empty: nothing is set here.")

    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(self._text.toPlainText())


class ExactText(QTextEdit):
    """Monospaced, read-only, as high as its text; never read as markup."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setReadOnly(True)
        self.setAcceptRichText(False)
        self.setFont(mono_font())
        self.setForegroundRole(T2_ROLE)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabChangesFocus(True)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.viewport().setAutoFillBackground(False)
        self.document().setDocumentMargin(0)

    def show_text(self, text: str) -> None:
        if text != self.toPlainText():
            self.setPlainText(text)
            cursor = QTextCursor(self.document())
            cursor.select(QTextCursor.SelectionType.Document)
            block = QTextBlockFormat()
            block.setLineHeight(LINE_PX, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
            cursor.mergeBlockFormat(block)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        height = max(LINE_PX, round(self.document().size().height()))
        if height != self.height():
            self.setFixedHeight(height)


class _Swatch(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self._slot: Slot | None = None
        self.setFixedSize(12, 12)

    def show_slot(self, slot: Slot) -> None:
        self._slot = slot
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._slot is not None:
            fill = slot_fill(self._slot) or current_tokens().included.fill
            rounded(QPainter(self), QRectF(1, 1, 10, 10), 3, fill)
