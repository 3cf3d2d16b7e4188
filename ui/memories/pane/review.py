"""What waits for the user's word: one open card with its proof, the rest closed; all by key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from app.core.translation import N_, number, retold, tr, tr_in
from app.memory.documents.browsing import sentence_of
from app.memory.lifecycle.contradictions import open_against
from app.memory.standing import Ground, Standing
from app.memory.tiers.table import TIERS
from app.story.story import Story
from ui.controls.buttons import Button, ButtonRole
from ui.controls.labels import Label, body, meta, section
from ui.controls.prose import ProseField
from ui.controls.surfaces import Surface, scrolling
from ui.memories.pane.pieces import Proof, Tag, TierLine
from ui.memories.words import kind_words, place_of
from ui.recaps.comparing.key_hint import KeyHint
from ui.theme.fonts import SEMIBOLD, story_font, ui_font
from ui.theme.palette import T1_ROLE, T2_ROLE

CARDS = 30  # shown at once; each holds several widgets
NOTHING = N_(
    "Nothing to review. Memories without a source message are shown here before they count."
)
EDIT_HEIGHT = 104
READ_UP_TO = N_("Noticed while reading up to this message:")
REPLACES = N_("Contradicts this; approving ends it")


class ReviewPane(QWidget):
    """Signals:
    approve_asked, reject_asked: id of the memory.
    rewritten: (memory id, text); approved with these words.
    message_asked: anchor of a message to go to.
    """

    approve_asked = Signal(str)
    reject_asked = Signal(str)
    rewritten = Signal(str, str)
    message_asked = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._waiting: tuple[Standing, ...] = ()
        self._story: Story | None = None
        self._ground: Ground | None = None
        self._by_id: Mapping[str, Standing] = {}
        self._place = 0
        self._can_change = False
        self.cards: list[ReviewCard] = []
        self._count = meta()
        self._nothing = body(tr(NOTHING))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(tr("Review"))
        content = QWidget()
        self._column = QVBoxLayout(content)
        self._column.setContentsMargins(12, 4, 12, 12)
        self._column.setSpacing(10)
        self._column.addWidget(self._nothing)
        self._column.addStretch(1)
        self.area = scrolling(content, name=tr("Memories that wait for review"))
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        head = QHBoxLayout()
        head.setContentsMargins(16, 12, 16, 8)
        head.addWidget(section(tr("Waits for your answer")), 1)
        head.addWidget(self._count)
        self.keys = QWidget()
        hints = QHBoxLayout(self.keys)
        hints.setContentsMargins(14, 8, 14, 12)
        hints.setSpacing(12)
        for key, shortcut, word in (
            ("next", "J", tr_in("the next memory", "next")),
            ("back", "K", tr_in("the memory before", "back")),
            ("source", tr_in("a key", "Space"), tr("source")),
        ):
            hint = KeyHint(key, shortcut, word)
            hint.pressed_key.connect(self._on_hint)
            hints.addWidget(hint)
        hints.addStretch(1)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addLayout(head)
        outer.addWidget(self.area, 1)
        outer.addWidget(self.keys)

    # What is shown

    @property
    def open_card(self) -> ReviewCard | None:
        """The card that keys are about."""
        return next((card for card in self.cards if card.is_open), None)

    def show_waiting(
        self,
        waiting: Sequence[Standing],
        story: Story,
        ground: Ground,
        by_id: Mapping[str, Standing],
        *,
        can_change: bool,
    ) -> None:
        """Show what waits; the open card stays open as long as it does. by_id: all there is."""
        self._by_id = by_id
        card = self.open_card
        if card is not None and card.is_editing and card.standing in waiting:
            self._waiting = tuple(waiting)
            return
        before = card.standing.memory.id if card is not None else ""
        self._waiting, self._story, self._ground = tuple(waiting), story, ground
        self._can_change = can_change
        ids = [standing.memory.id for standing in waiting]
        self._place = ids.index(before) if before in ids else min(self._place, len(ids) - 1)
        self._place = max(0, self._place)
        self._fill()

    def _fill(self) -> None:
        had_focus = (
            any(card.isAncestorOf(self.focusWidget()) for card in self.cards)
            if (self.focusWidget() is not None)
            else False
        )
        for card in self.cards:
            card.hide()
            self._column.removeWidget(card)
            card.deleteLater()
        self.cards = []
        count = len(self._waiting)
        self._nothing.setVisible(not count)
        self.keys.setVisible(bool(count))
        self._count.setText(
            tr("{place} of {count}", place=number(self._place + 1), count=number(count))
            if count
            else ""
        )
        first = max(0, min(self._place - CARDS // 2, count - CARDS))
        for place in range(first, min(count, first + CARDS)):
            self._add_card(place)
        if had_focus or self.hasFocus():
            self.setFocus(Qt.FocusReason.OtherFocusReason)
        if self.open_card is not None:
            self.area.ensureWidgetVisible(self.open_card, 0, 24)

    def _add_card(self, place: int) -> None:
        assert self._story is not None
        assert self._ground is not None
        card = ReviewCard(self._waiting[place], is_open=place == self._place)
        if card.is_open:
            against = open_against(card.standing, self._by_id)
            card.open_up(self._story, self._ground, against, can_change=self._can_change)
            card.approve.clicked.connect(self.approve)
            card.reject.clicked.connect(self.reject)
            card.edit_button.clicked.connect(self.edit)
            card.edited.connect(self._on_edited)
            card.left.connect(self._on_left)
            if card.proof is not None:
                card.proof.jump_asked.connect(self.message_asked)
        else:
            card.pressed.connect(self._on_card)
        self._column.insertWidget(self._column.count() - 1, card)
        self.cards.append(card)

    # Commands

    def approve(self) -> None:
        """It is so."""
        card = self.open_card
        if card is not None and card.is_editing:
            card.keep()
        elif card is not None and self._can_change:
            self.approve_asked.emit(card.standing.memory.id)

    def reject(self) -> None:
        """It is not so."""
        card = self.open_card
        if card is not None and self._can_change:
            self.reject_asked.emit(card.standing.memory.id)

    def edit(self) -> None:
        """Change its words, then let it count."""
        card = self.open_card
        if card is not None and self._can_change:
            card.edit()

    def step(self, by: int) -> None:
        """Open the next card, or the one before."""
        if self._waiting:
            self._place = max(0, min(len(self._waiting) - 1, self._place + by))
            self._fill()

    def show_source(self) -> None:
        """Show all of the proof, or its beginning."""
        card = self.open_card
        if card is not None and card.proof is not None:
            card.proof.toggle()

    def _on_edited(self, memory_id: str, text: str) -> None:
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        self.rewritten.emit(memory_id, text)

    def _on_left(self) -> None:
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_card(self, memory_id: str) -> None:
        ids = [standing.memory.id for standing in self._waiting]
        if memory_id in ids:
            self._place = ids.index(memory_id)
            self._fill()
            self.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_hint(self, key: str) -> None:
        if key == "source":
            self.show_source()
        else:
            self.step(1 if key == "next" else -1)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        doing = {
            Qt.Key.Key_A: self.approve,
            Qt.Key.Key_R: self.reject,
            Qt.Key.Key_E: self.edit,
            Qt.Key.Key_Space: self.show_source,
        }
        steps = {Qt.Key.Key_J: 1, Qt.Key.Key_Down: 1, Qt.Key.Key_K: -1, Qt.Key.Key_Up: -1}
        key = Qt.Key(event.key())
        if event.modifiers() == Qt.KeyboardModifier.NoModifier:
            if key in doing:
                doing[key]()
                return
            if key in steps:
                self.step(steps[key])
                return
        super().keyPressEvent(event)


class ReviewCard(Surface):
    """Signals:
    pressed: id of the memory of a closed card.
    edited: (memory id, text).
    left: the words stay as they were.
    """

    pressed = Signal(str)
    edited = Signal(str, str)
    left = Signal()

    def __init__(self, standing: Standing, *, is_open: bool) -> None:
        edge = "ring" if is_open else "line2"
        super().__init__("raised", edge=edge)
        self.standing, self.is_open = standing, is_open
        self.proof: Proof | None = None
        memory = standing.memory
        head = TierLine()
        kind = kind_words(memory)
        name = tr(TIERS[memory.tier].words.name) + (f", {kind}" if kind else "")
        head.show_tier(
            memory.tier,
            name,
            tr("importance {importance}", importance=memory.importance) if is_open else "",
        )
        font = story_font(15) if is_open else ui_font(12.5, SEMIBOLD)
        self.words = Label(
            sentence_of(memory), font=font, tone=T1_ROLE if is_open else T2_ROLE, wraps=True
        )
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(12, 11, 12, 12)
        self._column.setSpacing(8)
        self._column.addWidget(head)
        self._column.addWidget(self.words)
        if not is_open:
            self.setAccessibleName(tr("Open: {sentence}", sentence=sentence_of(memory)))
            self.setCursor(Qt.CursorShape.PointingHandCursor)

    def open_up(
        self, story: Story, ground: Ground, against: Sequence[Standing], *, can_change: bool
    ) -> None:
        """Add why it waits, its proof, and what can be done."""
        memory = self.standing.memory
        self.editor = ProseField(tr("Text of this memory"), px=14.5, line_px=22)
        self.editor.setFixedHeight(EDIT_HEIGHT)
        self.editor.hide()
        self.editor.committed.connect(self.keep)
        self.editor.escaped.connect(self._leave)
        self._column.addWidget(self.editor)
        for note in memory.notes:
            why = body(retold(note))
            self._column.addWidget(why)
        for other in against:
            self._column.addWidget(Tag("triangle", tr(REPLACES), "out_of_budget"))
            told = Label(sentence_of(other.memory), font=story_font(13), tone=T2_ROLE, wraps=True)
            self._column.addWidget(told)
        places = [(place_of(source, ground), source) for source in memory.sources]
        shown = [(place, source) for place, source in places if place is not None]
        if shown:
            place, source = shown[-1]
            changed = not ground.reads_as_then(source)
            if not memory.evidence:
                self._column.addWidget(meta(tr(READ_UP_TO), wraps=True))
            self.proof = Proof(story.messages[place], place, is_changed=changed)
            self._column.addWidget(self.proof)
        row = QHBoxLayout()
        row.setSpacing(6)
        self.approve = Button(tr("Approve"), role=ButtonRole.MAIN, hint="A")
        self.edit_button = Button(tr("Edit"), hint="E")
        self.reject = Button(tr("Reject"), hint="R")
        for button in (self.approve, self.edit_button, self.reject):
            button.setEnabled(can_change)
            button.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
            row.addWidget(button)
        self._column.addLayout(row)

    @property
    def is_editing(self) -> bool:
        """Whether its words are being changed."""
        return self.is_open and self.editor.is_editing

    def edit(self) -> None:
        """Open the words for editing."""
        self.words.hide()
        self.editor.show()
        self.editor.set_text(self.standing.memory.text)
        self.editor.set_editing(True)
        self.approve.set_text(tr("Keep"))

    def keep(self) -> None:
        """Let it count with these words."""
        text = " ".join(self.editor.text.split())
        self._close_editor()
        if text:
            self.edited.emit(self.standing.memory.id, text)

    def _leave(self) -> None:
        self._close_editor()
        self.left.emit()

    def _close_editor(self) -> None:
        self.editor.set_editing(False)
        self.editor.hide()
        self.words.show()
        self.approve.set_text(tr("Approve"))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if not self.is_open:
            self.pressed.emit(self.standing.memory.id)
