"""The rows of a prompt: a card for each slot, a line for what is SillyTavern's own."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QGuiApplication,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QHBoxLayout, QTextEdit, QVBoxLayout, QWidget

from app.core.translation import N_, number, tr
from app.prompt.slot_names import slot_name
from app.prompt.slots import Slot
from app.prompt.turns import Share
from ui.controls.bars import BudgetBar
from ui.controls.buttons import Button, ButtonRole
from ui.controls.labels import ElidedLabel, Label, meta, section
from ui.controls.surfaces import Line, Surface
from ui.core.slot_words import place_words, slot_meaning, used_words
from ui.inspector.next_prompt import slot_fill
from ui.prompt.rows import PromptRow
from ui.prompt.words import (
    elsewhere_words,
    left_out_lines,
    left_out_words,
    passage_lines,
    tokens_words,
)
from ui.theme import current_tokens, theme
from ui.theme.fonts import MEDIUM, mono_font, ui_font
from ui.theme.icons import icon_pixmap
from ui.theme.palette import T2_ROLE, T3_ROLE
from ui.theme.style import rounded

LINE_PX = 17
SHOWN_LINES = 8  # of a long text, until all of it is asked for
NOTHING_SET = N_("Empty.")
ALL_LEFT_OUT = N_("All of it was left out.")


class SlotCard(QWidget):
    """One slot: swatch, name, place, figures, the text as it is sent, and what was left out."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._swatch = _Swatch()
        self._name = section()
        self._place = ElidedLabel(font=ui_font(11), tone=T3_ROLE)
        self._figures = Label(font=ui_font(12, MEDIUM), tone=T2_ROLE)
        usual = tr("{tokens} of {budget} tokens", tokens=number(1000), budget=number(1000))
        # The bars of all cards stand under each other.
        self._figures.setMinimumWidth(self._figures.fontMetrics().horizontalAdvance(usual))
        self._bar = BudgetBar(height=6)
        self._bar.setFixedWidth(120)
        self._copy = Button(tr("Copy"), icon="copy", role=ButtonRole.QUIET, flush=Qt.Edge.RightEdge)
        self._copy.clicked.connect(self._on_copy)
        self._text = ExactText(lines=SHOWN_LINES)
        self._text.fitted.connect(self._show_whole)
        self.whole = FoldButton(tr("Show all of it"), icon="chevron-down")
        self.whole.clicked.connect(self.turn_text)
        self.more = FoldButton("", icon="chevron-right")
        self.more.clicked.connect(self.turn)
        self._left_out = ExactText()
        self._left_out.setForegroundRole(T3_ROLE)
        self._left_out.hide()
        self._passages = Label(font=ui_font(11), tone=T3_ROLE)
        self._passages.setWordWrap(True)
        self._passages.hide()
        self._words = ""
        self._slot: Slot | None = None
        theme.changed.connect(self._show_bar)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self._swatch)
        head.addWidget(self._name)
        head.addWidget(self._place, 1)
        head.addWidget(self._bar)
        head.addWidget(self._figures)
        head.addWidget(self._copy)
        ground = Surface("well")
        inner = QVBoxLayout(ground)
        inner.setContentsMargins(14, 12, 14, 12)
        inner.setSpacing(8)
        inner.addWidget(self._text)
        inner.addWidget(self._passages)
        commands = QHBoxLayout()
        commands.setSpacing(8)
        commands.addWidget(self.whole)
        commands.addWidget(self.more)
        commands.addStretch(1)
        inner.addLayout(commands)
        inner.addWidget(self._left_out)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addLayout(head)
        column.addWidget(ground)

    @property
    def exact_text(self) -> str:
        """The text as it is shown."""
        return self._text.toPlainText()

    @property
    def left_out_text(self) -> str:
        """What was left out, "" while that is folded."""
        return self._left_out.toPlainText() if not self._left_out.isHidden() else ""

    @property
    def passages_text(self) -> str:
        """Why old passages stand in it, or what it tells of; "" for none."""
        return self._passages.text() if not self._passages.isHidden() else ""

    def show_row(self, row: PromptRow) -> None:
        """Show it as it is or was set."""
        assert row.slot is not None
        slot = row.slot
        name = slot_name(slot.key)
        self._swatch.show_slot(slot)
        self._name.setText(name)
        self._name.setToolTip(slot_meaning(slot.key))
        place = (
            tr("Through its macro {{{{{macro}}}}}", macro=slot.macro)
            if slot.macro
            else place_words(slot)
        )
        self._place.setText(
            tr("Added, but it did not reach the prompt") if row.is_missing else place
        )
        cut = slot.full_tokens - slot.tokens
        words = used_words(slot)
        self._figures.setText(
            tr("{used}, {cut} cut", used=words, cut=number(cut)) if cut > 0 else words
        )
        self._slot = slot
        self._show_bar()
        self._copy.setAccessibleName(tr("Copy the text of {slot}", slot=name))
        self._copy.setEnabled(bool(slot.text))
        self._text.setAccessibleName(tr("Exact text of {slot}", slot=name))
        content = row.content
        nothing = ALL_LEFT_OUT if content is not None and content.left_out else NOTHING_SET
        self._text.show_text(slot.text or tr(nothing), content.elsewhere if content else ())
        why = ""
        if content is not None:
            why = "\n".join(filter(None, (elsewhere_words(content), passage_lines(content))))
        if row.note and not row.is_missing:
            why = row.note
        self._passages.setText(why)
        self._passages.setVisible(bool(why))
        self._show_left_out(row, name)

    def _show_bar(self, _tokens: object = None) -> None:
        """In the colours of the theme, which may have changed."""
        slot = self._slot
        if slot is not None:
            self._bar.set_values(
                slot.tokens, slot.budget, wanted=slot.full_tokens, fill=slot_fill(slot)
            )

    def _show_left_out(self, row: PromptRow, name: str) -> None:
        content = row.content
        self._words = left_out_words(content) if content is not None else ""
        self.more.setVisible(bool(self._words))
        self.more.set_text(self._words)
        self.more.setAccessibleName(
            tr("{left_out} of {slot}, and why", left_out=self._words, slot=name)
        )
        if content is not None:
            self._left_out.setAccessibleName(tr("Left out of {slot}", slot=name))
            self._left_out.show_text(left_out_lines(content))
        if not self._words:
            self._left_out.hide()

    def turn_text(self) -> None:
        """Show all of a long text, or its beginning."""
        self._text.set_lines(None if self._text.is_folded else SHOWN_LINES)

    def _show_whole(self) -> None:
        text = self._text
        self.whole.setVisible(text.is_long)
        self.whole.set_text(tr("Show all of it") if text.is_folded else tr("Show less"))
        self.whole.set_icon("chevron-down" if text.is_folded else "chevron-up")
        self.whole.setAccessibleName(f"{self.whole.text()}: {self._name.text()}")

    def turn(self) -> None:
        """Unfold what was left out, or fold it."""
        is_open = self._left_out.isHidden()
        self._left_out.setVisible(is_open)
        self.more.set_icon("chevron-down" if is_open else "chevron-right")

    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(self._text.toPlainText())


class OwnRow(QWidget):
    """What is SillyTavern's own: its name and tokens; its text, where it is kept, unfolds."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._fold = FoldButton("", icon="chevron-right")
        self._fold.clicked.connect(self.turn)
        self._name = Label(font=ui_font(12, MEDIUM), tone=T2_ROLE)
        self._note = meta()
        self._tokens = Label(font=ui_font(12), tone=T3_ROLE)
        self._text = ExactText()
        self._text.setForegroundRole(T3_ROLE)
        self._ground = Surface("well")
        inner = QVBoxLayout(self._ground)
        inner.setContentsMargins(14, 12, 14, 12)
        inner.addWidget(self._text)
        self._row = PromptRow("", Share.OWN)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self._name)
        head.addWidget(self._fold)
        head.addWidget(self._note)
        line = Line()
        head.addWidget(line, 1)
        head.addWidget(self._tokens)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addLayout(head)
        column.addWidget(self._ground)

    @property
    def shown_text(self) -> str:
        """Its text, "" while that is folded."""
        return self._text.toPlainText() if not self._ground.isHidden() else ""

    @property
    def words(self) -> str:
        """Name and note."""
        return f"{self._row.title}, {self._row.note}" if self._row.note else self._row.title

    def show_row(self, row: PromptRow) -> None:
        """Show it folded."""
        self._row = row
        has_text = bool(row.text)
        self._fold.setVisible(has_text)
        self._fold.set_text(row.title)
        self._fold.set_icon("chevron-right")
        self._fold.setAccessibleName(tr("{title}: show the text", title=self.words))
        self._name.setVisible(not has_text)
        self._name.setText(row.title)
        self._note.setText(row.note)
        self._note.setVisible(bool(row.note))
        self._tokens.setText(tokens_words(row.tokens) if row.tokens is not None else "")
        self._tokens.setVisible(row.tokens is not None)
        self._text.setAccessibleName(tr("Text of {title}", title=self.words))
        self._ground.hide()

    def turn(self) -> None:
        """Unfold the text, or fold it."""
        is_open = self._ground.isHidden()
        if is_open:
            self._text.show_text(self._row.text)
        self._ground.setVisible(is_open)
        self._fold.set_icon("chevron-down" if is_open else "chevron-right")


class FoldButton(Button):
    """A word with a chevron that stands flush with the text around it."""

    INSET = 4

    def __init__(self, text: str, *, icon: str) -> None:
        super().__init__(text, icon=icon, role=ButtonRole.QUIET)
        self.setFont(ui_font(12, MEDIUM))

    def sizeHint(self) -> QSize:
        whole = super().sizeHint()
        return QSize(whole.width() - 28 + 2 * self.INSET, 24)

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current_tokens()
        painter = QPainter(self)
        if self.underMouse() or self.isDown():
            rounded(painter, self.rect(), 5, t.hover)
        pixmap = icon_pixmap(self.icon_name, t.t3, 13, self.devicePixelRatioF())
        painter.drawPixmap(self.INSET - 2, (self.height() - 13) // 2, pixmap)
        painter.setFont(self.font())
        painter.setPen(t.t2)
        middle = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.drawText(self.rect().adjusted(self.INSET + 15, 0, 0, 0), middle, self.text())


class ExactText(QTextEdit):
    """Monospaced, read-only, as high as its text; never read as markup.

    lines: of a longer text only so many are shown, None for all.

    Signals:
        fitted: it has its height; see is_long and is_folded.
    """

    fitted = Signal()

    def __init__(self, parent: QWidget | None = None, *, lines: int | None = None) -> None:
        super().__init__(parent)
        self._lines = self._most = lines
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
        self._marked: tuple[str, ...] = ()

    def show_text(self, text: str, marked: Sequence[str] = ()) -> None:
        """Show it whole. marked: parts of it that stand in italics."""
        if text != self.toPlainText() or tuple(marked) != self._marked:
            self._marked = tuple(marked)
            self.setPlainText(text)
            cursor = QTextCursor(self.document())
            cursor.select(QTextCursor.SelectionType.Document)
            block = QTextBlockFormat()
            block.setLineHeight(LINE_PX, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
            cursor.mergeBlockFormat(block)
            self._mark()
        self._fit()

    def _mark(self) -> None:
        italic = QTextCharFormat()
        italic.setFontItalic(True)
        case = QTextDocument.FindFlag.FindCaseSensitively
        for part in filter(None, self._marked):
            found = self.document().find(part, 0, case)
            if not found.isNull():
                found.mergeCharFormat(italic)

    @property
    def is_long(self) -> bool:
        """Whether there is more than is shown at first."""
        return self._most is not None and self._whole_height() > (self._most + 1) * LINE_PX

    @property
    def is_folded(self) -> bool:
        """Whether only its beginning is shown."""
        return self.is_long and self._lines is not None

    def set_lines(self, lines: int | None) -> None:
        """Show so many lines of it, None for all."""
        self._lines = lines
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _whole_height(self) -> int:
        return max(LINE_PX, round(self.document().size().height()))

    def _fit(self) -> None:
        height = self._whole_height()
        if self.is_folded and self._lines is not None:
            height = self._lines * LINE_PX
            self.verticalScrollBar().setValue(0)
        if height != self.height():
            self.setFixedHeight(height)
        self.fitted.emit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()  # the page is scrolled, not the text


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
