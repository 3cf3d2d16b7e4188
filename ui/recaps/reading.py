"""One version to read and to edit, and the draft of it that was left behind."""

from __future__ import annotations

import time

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from app.core.translation import N_, number, tr, trn
from app.story.drafts import Draft
from app.story.recaps import DEMO_AUTHORS
from ui.controls.buttons import Button, ButtonRole, IconButton
from ui.controls.dates import time_words
from ui.controls.labels import Label, body, section
from ui.controls.prose import EDIT_MARGIN, ProseField
from ui.controls.surfaces import Surface, centred
from ui.core.slot_words import by_words, maker_words
from ui.recaps.draft_keeper import NOT_KEPT
from ui.recaps.pins import PinsLine
from ui.recaps.version_rows import CURRENT, VersionRow
from ui.theme.fonts import MEDIUM, ui_font
from ui.theme.palette import T1_ROLE, T3_ROLE

COLUMN = 720
GONE = N_(
    "Nothing of this scene is in the running recap any more, for want of room. Give the running "
    "recap a larger budget and rebuild it from here, or pin in it what has to stay."
)
READING = (
    Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
)
GUTTER = 24


class ReadingPane(QWidget):
    """Reading a version changes nothing; its buttons do.

    Signals:
        edit_begun: a text is open for writing.
        edited: the text, while it is being written.
        keep_asked: the text that is to become a version.
        editing_ended: the user left the text as it was.
        use_asked, restore_asked, delete_asked: the version that is shown.
        compare_asked: it, with the one before.
        back_asked: to the comparison that is still open.
        discard_asked: the draft that is offered.
        rebuild_asked: the running recap is to tell the version that counts.
    """

    edit_begun = Signal()
    edited = Signal(str)
    keep_asked = Signal(str)
    editing_ended = Signal()
    use_asked = Signal()
    restore_asked = Signal()
    delete_asked = Signal()
    compare_asked = Signal()
    back_asked = Signal()
    discard_asked = Signal()
    rebuild_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._row: VersionRow | None = None
        self._draft: Draft | None = None
        self._next = ""
        self._is_kept = True
        self._counted: tuple[int, int] | None = None
        self.base: int | None = None  # of what is being written
        self.is_base_in_prompt = False
        self._title = section()
        self.origin = Label(font=ui_font(12), tone=T3_ROLE, wraps=True)
        self.size_note = Label(font=ui_font(12), tone=T3_ROLE, wraps=True)
        self.back = Button(tr("Back to the comparison"), icon="chevron-left")
        self.restore = Button(tr("Restore"), icon="undo")
        self.use = Button(tr("Use this version"), icon="check")
        self.compare = Button(tr("Compare"), icon="swap")
        self.pin = Button(tr("Pin"), icon="bookmark")
        self.edit = Button(tr("Edit"), icon="pencil")
        self.delete = IconButton("trash", tr("Delete this version (Del)"))
        self.drop = Button(tr("Discard changes"), role=ButtonRole.QUIET, hint="Esc")
        self.keep = Button(tr("Keep"), icon="check", role=ButtonRole.MAIN, hint=tr("Ctrl S"))
        self.text = ProseField(tr("Text of the version"), px=15.5, line_px=24, room_after=GUTTER)
        self._empty = body()
        self._stack = QStackedWidget()
        self.offer = _DraftOffer()
        self.told = _ToldLine()
        self.pins = PinsLine()
        self._build()
        for button, signal in (
            (self.back, self.back_asked),
            (self.restore, self.restore_asked),
            (self.use, self.use_asked),
            (self.compare, self.compare_asked),
            (self.delete, self.delete_asked),
            (self.offer.discard, self.discard_asked),
            (self.told.rebuild, self.rebuild_asked),
        ):
            button.clicked.connect(signal)
        self.edit.clicked.connect(self.begin_edit)
        self.drop.clicked.connect(self._on_dropped)
        self.keep.clicked.connect(self._on_kept)
        self.text.committed.connect(self._on_kept)
        self.text.escaped.connect(self._on_dropped)
        self.text.prose.textChanged.connect(self._on_changed)
        self.offer.go_on.clicked.connect(self._on_go_on)
        self.show_draft(None)
        self._show_edit(False)

    def _build(self) -> None:
        top = QWidget()
        head = QHBoxLayout(top)
        head.setContentsMargins(0, 0, 0, 0)
        head.setSpacing(8)
        head.addWidget(self._title)
        head.addStretch(1)
        for button in (
            self.back,
            self.restore,
            self.use,
            self.compare,
            self.pin,
            self.edit,
            self.delete,
            self.drop,
            self.keep,
        ):
            head.addWidget(button)
        reading, nothing = QWidget(), QWidget()
        self._ground = QVBoxLayout(reading)
        self._ground.addWidget(self.text)
        column = QVBoxLayout(nothing)
        column.setContentsMargins(GUTTER, 0, GUTTER, 0)
        column.addLayout(centred(self._empty, COLUMN))
        column.addStretch(1)
        self._stack.addWidget(reading)
        self._stack.addWidget(nothing)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 12, 0, 0)
        outer.setSpacing(14)
        about = QWidget()
        column = QVBoxLayout(about)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(3)
        column.addWidget(self.origin)
        column.addWidget(self.size_note)
        for widget in (top, about, self.offer, self.told, self.pins):
            row = centred(widget, COLUMN)
            row.setContentsMargins(GUTTER, 0, GUTTER, 0)
            outer.addLayout(row)
        outer.addWidget(self._stack, 1)

    @property
    def is_editing(self) -> bool:
        """Whether something is being written."""
        return self.text.is_editing

    @property
    def row(self) -> VersionRow | None:
        """The version that is shown."""
        return self._row

    def show_empty(self, words: str) -> None:
        """What to say while there is no version."""
        self._empty.setText(words)

    def show_row(
        self, row: VersionRow | None, before: VersionRow | None, *, can_delete: bool
    ) -> None:
        """Show a version. before: the one to compare it with."""
        self._row = row
        self._stack.setCurrentIndex(1 if row is None else 0)
        self._title.setText(row.word if row is not None else "")
        self.origin.setText(_origin(row) if row is not None else "")
        is_live = row is not None and not row.is_deleted
        self.use.setVisible(is_live and row is not None and not row.is_current)
        self.restore.setVisible(row is not None and row.is_deleted)
        self.delete.setVisible(is_live and can_delete)
        self.compare.setVisible(is_live and before is not None)
        if before is not None:
            self.compare.set_text(tr("Compare with {version}", version=before.word))
        self.edit.setVisible(is_live)
        self.told.show_row(row)
        self.text.set_text(row.text if row is not None else "")
        self.back.hide()
        self._show_edit(False)

    def show_next(self, word: str) -> None:
        """Which version a text becomes that is written now."""
        self._next = word

    def show_kept(self, is_kept: bool) -> None:
        """Whether what is being written could be saved."""
        self._is_kept = is_kept
        if self._counted is not None:
            self.show_count(*self._counted)

    def show_count(self, tokens: int, budget: int) -> None:
        """Tokens of what is being written. budget: 0 for none."""
        if self.is_editing:
            self._title.setText(self._next)
            self._counted = (tokens, budget)
            if not self._is_kept:
                words = tr(NOT_KEPT)
            elif 0 < budget < tokens:
                words = tr(
                    "draft, saved as you type, {tokens} of {budget} tokens, {over} too many: "
                    "only the most important of it goes into the prompt",
                    tokens=number(tokens),
                    budget=number(budget),
                    over=number(tokens - budget),
                )
            elif budget:
                words = tr(
                    "draft, saved as you type, {tokens} of {budget} tokens",
                    tokens=number(tokens),
                    budget=number(budget),
                )
            else:
                words = trn(
                    "draft, saved as you type, {n} token",
                    "draft, saved as you type, {n} tokens",
                    tokens,
                )
            self.origin.setText(words)

    def show_size(self, words: str) -> None:
        """What becomes of its tokens in the next prompt, "" where there is nothing to say."""
        self.size_note.setText(words)
        self.size_note.setVisible(bool(words) and not self.is_editing)

    def show_back(self, words: str) -> None:
        """Offer the way back to an open comparison, "" for none."""
        self.back.setVisible(bool(words) and not self.is_editing)
        self.back.set_text(words or tr("Back"))

    def begin_edit(self, text: str | None = None, base: int | None = None) -> None:
        """Write on: on the version that is shown, or on other words."""
        self.is_base_in_prompt = False
        if not isinstance(text, str):
            text, base = None, self._row.number if self._row is not None else None
            self.is_base_in_prompt = self._row is not None and self._row.is_current
        self.base = base
        self._stack.setCurrentIndex(0)
        if text is not None:
            self.text.set_text(text)
        self._show_edit(True)
        self.edit_begun.emit()

    def show_draft(self, draft: Draft | None) -> None:
        """Offer what was left behind; None for nothing."""
        self._draft = draft
        self.offer.setVisible(draft is not None and not self.is_editing)
        if draft is not None:
            self.offer.show_time(draft.saved)

    def _show_edit(self, is_editing: bool) -> None:
        self.text.set_editing(is_editing)
        self._place()
        for button in (self.keep, self.drop):
            button.setVisible(is_editing)
        if is_editing:
            others = (self.back, self.restore, self.use, self.compare, self.edit, self.delete)
            self.size_note.hide()
            for other in (*others, self.pin, self.pins, self.offer, self.told):
                other.hide()
            self.text.prose.setExtraSelections([])
        else:  # by keyboard, too: what is at the cursor can be pinned
            self.text.prose.setTextInteractionFlags(READING)

    def _place(self) -> None:
        """Keep the text in the middle: its scroll bar at the edge, or its frame around it."""
        beside = max(GUTTER, (self.width() - COLUMN) // 2)
        prose = self.text.prose
        if self.is_editing:
            side = beside - EDIT_MARGIN
            self._ground.setContentsMargins(side, 0, side, GUTTER)
            prose.set_sides(0, 0)
        else:
            self._ground.setContentsMargins(0, 0, 0, 0)
            prose.set_sides(beside, beside - prose.verticalScrollBar().sizeHint().width())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def _on_changed(self) -> None:
        if self.is_editing:
            self.edited.emit(self.text.text)

    def _on_kept(self) -> None:
        text = self.text.text.strip()
        if self.is_editing and text:
            self._show_edit(False)
            self.keep_asked.emit(text)

    def _on_dropped(self) -> None:
        self._show_edit(False)
        self.editing_ended.emit()

    def _on_go_on(self) -> None:
        if self._draft is not None:
            self.begin_edit(self._draft.text, self._draft.base)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.is_editing and event.matches(QKeySequence.StandardKey.Save):
            self._on_kept()
        else:
            super().keyPressEvent(event)


class _DraftOffer(Surface):
    """One line: there is a draft, go on with it or discard it."""

    def __init__(self) -> None:
        super().__init__("raised", edge="line2")
        self._words = Label(font=ui_font(12.5, MEDIUM), tone=T1_ROLE)
        self.go_on = Button(tr("Continue writing"), icon="pencil")
        self.discard = Button(tr("Discard"), role=ButtonRole.QUIET)
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 8, 8, 8)
        row.setSpacing(8)
        row.addWidget(self._words, 1, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self.discard)
        row.addWidget(self.go_on)

    def show_time(self, saved: float) -> None:
        when = time_words(saved, now=time.time())
        self._words.setText(tr("You started a version at {when} but did not keep it.", when=when))


class _ToldLine(Surface):
    """One line: the running recap tells another version of the scene or none, and the way to this
    one.
    """

    def __init__(self) -> None:
        super().__init__("raised", edge="line2")
        self._words = Label(font=ui_font(12.5, MEDIUM), tone=T1_ROLE, wraps=True)
        self.rebuild = Button(tr("Rebuild from here"), icon="layers")
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 8, 8, 8)
        row.setSpacing(8)
        row.addWidget(self._words, 1, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self.rebuild)
        self.hide()

    def show_row(self, row: VersionRow | None) -> None:
        """Say so for a version that counts and is not told, or not any more."""
        is_gone = row is not None and row.is_gone and row.is_current
        is_other = row is not None and bool(row.told) and not row.is_locked
        self.setVisible(is_gone or is_other)
        if is_gone:
            self._words.setText(tr(GONE))
        elif row is not None and row.told:
            self._words.setText(
                tr("{version} is the recap of this scene, {told}.", version=row.word, told=row.told)
            )


def _origin(row: VersionRow) -> str:
    if row.made_by == DEMO_AUTHORS:
        words = by_words(row.why, row.made_by)
    else:
        who = maker_words(row.made_by)
        when = time_words(row.created, now=time.time())
        words = tr("{why}, written {when} by {who}", why=row.why, when=when, who=who)
    if row.is_deleted:
        return f"{words}, {tr('deleted')}"
    words += f", {tr(CURRENT)}" if row.is_current else ""
    words += f", {tr('outdated: the scene changed since')}" if row.is_stale else ""
    if row.reworded:
        lost = trn(
            "{n} of your sentences is missing or was reworded",
            "{n} of your sentences are missing or were reworded",
            row.reworded,
        )
        words += f"; {lost}"
    return f"{words}, {row.told}" if row.is_locked else words
