"""Writing a memory by hand: what it is, whom it is about, and its words."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from app.core.translation import N_, tr
from app.memory.records import LEDGER_FIELDS, Tier
from app.memory.tiers.relationships import MAGNITUDES
from app.memory.tiers.table import TIERS
from ui.controls.buttons import Button, ButtonRole
from ui.controls.fields import Choice, Field
from ui.controls.labels import Label, body, section
from ui.controls.prose import ProseField
from ui.controls.surfaces import scrolling
from ui.memories.words import IMPORTANCE_WORDS, stored_word
from ui.theme.fonts import MEDIUM, ui_font
from ui.theme.palette import T2_ROLE

TYPE_WORDS = {
    "unaware": N_("does not know"),
    "hiding": N_("hides"),
    "arc": N_("plot thread"),
}
TEXT_HEIGHT = 96


class AddPane(QWidget):
    """Signals:
    add_asked: (tier, type, text, fields as in MemoryEdits.add).
    left: nothing is to be added.
    """

    add_asked = Signal(object, str, str, object)
    left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.tier = Choice(tr("Kind of memory"))
        for tier, spec in TIERS.items():
            self.tier.addItem(tr(spec.words.name), tier)
        self.type = Choice(tr("Type"))
        self.field = Choice(tr("Which detail"))
        self.magnitude = Choice(tr("How strong"))
        for word in MAGNITUDES:
            self.magnitude.addItem(stored_word(word), word)
        self.magnitude.setCurrentIndex(1)
        self.importance = Choice(tr("Importance"))
        for level in (3, 2, 1):
            self.importance.addItem(f"{level}, {tr(IMPORTANCE_WORDS[level])}", level)
        self.importance.setCurrentIndex(1)
        self.subject = Field(tr("Who"))
        self.target = Field(tr("Toward whom"))
        self.words = ProseField(tr("Text"), px=14.5, line_px=22)
        self.words.setFixedHeight(TEXT_HEIGHT)
        self.said = body()
        self.add = Button(tr("Add it"), icon="check", role=ButtonRole.MAIN, hint=tr("Ctrl Return"))
        self._leave = Button(tr("Cancel"), role=ButtonRole.QUIET, hint="Esc")
        self._labels: dict[QWidget, Label] = {}
        self._lay_out()
        self.tier.currentIndexChanged.connect(self._on_tier)
        self.type.currentIndexChanged.connect(self._on_type)
        self.add.clicked.connect(self.ask)
        self._leave.clicked.connect(self.left)
        self.words.committed.connect(self.ask)
        self.words.escaped.connect(self.left)
        self._on_tier()

    def _lay_out(self) -> None:
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(16, 14, 16, 16)
        column.setSpacing(4)
        column.addWidget(section(tr("Add a memory")))
        column.addSpacing(6)
        for widget, word in (
            (self.tier, tr("Kind of memory")),
            (self.type, tr("Type")),
            (self.subject, tr("Who")),
            (self.target, tr("Toward whom")),
            (self.field, tr("Detail")),
            (self.words, tr("Text")),
            (self.magnitude, tr("How strong")),
            (self.importance, tr("Importance")),
        ):
            label = Label(word, font=ui_font(12, MEDIUM), tone=T2_ROLE)
            label.setContentsMargins(0, 8, 0, 0)
            self._labels[widget] = label
            column.addWidget(label)
            column.addWidget(widget)
        column.addSpacing(10)
        column.addWidget(self.said)
        row = QHBoxLayout()
        row.setSpacing(8)
        for button in (self.add, self._leave):  # a narrow pane shows them without their keys
            button.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
            row.addWidget(button)
        row.addStretch(1)
        column.addLayout(row)
        column.addStretch(1)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(scrolling(content, name=tr("Add a memory")))

    def begin(self, tier: Tier | None, at: int) -> None:
        """Start with a clean sheet. at: index of the message from which on it will hold."""
        if tier is not None:
            self.tier.setCurrentIndex(list(TIERS).index(tier))
        for field in (self.subject, self.target):
            field.clear()
        self.words.set_text("")
        self.words.set_editing(True)
        self.go_on(at)

    def go_on(self, at: int) -> None:
        """Take the keyboard and leave what stands here. at: as for `begin`."""
        self.said.setText(
            tr("Valid from #{at} on. It counts as yours, so no model changes it.", at=at)
        )
        first = self.subject if self.subject.isVisibleTo(self) else self.words.prose
        first.setFocus(Qt.FocusReason.OtherFocusReason)

    def ask(self) -> None:
        """Add what stands here."""
        tier = Tier(self.tier.currentData())  # Qt gives back a plain string
        fields: dict[str, Any] = {"importance": self.importance.currentData()}
        for widget, name in ((self.subject, "subject"), (self.target, "target")):
            if widget.isVisibleTo(self):
                fields[name] = widget.text()
        if tier is Tier.STATE_LEDGER:
            fields["field"] = self.field.currentData()
        if tier is Tier.RELATIONSHIPS:
            fields["magnitude"] = self.magnitude.currentData()
        self.add_asked.emit(tier, str(self.type.currentData()), self.words.text, fields)

    def _on_tier(self, _place: int = 0) -> None:
        tier = Tier(self.tier.currentData())  # Qt gives back a plain string
        self.type.clear()
        spec, words = TIERS[tier], TIERS[tier].words
        for name in spec.types:
            self.type.addItem(
                tr(TYPE_WORDS[name]) if name in TYPE_WORDS else stored_word(name), name
            )
        self._show(self.type, self.type.count() > 1)
        self._show(self.subject, bool(words.subject), tr(words.subject) if words.subject else "")
        self._show(self.magnitude, tier is Tier.RELATIONSHIPS)
        self._show(self.field, tier is Tier.STATE_LEDGER)
        self._show(self.words, True, tr(words.text) if words.text else tr("Text"))
        self._on_type()

    def _on_type(self, _place: int = 0) -> None:
        tier = Tier(self.tier.currentData())  # Qt gives back a plain string
        name = str(self.type.currentData() or "")
        is_hiding = name == "hiding"
        whom = TIERS[tier].words.target
        word = tr("Hidden from") if is_hiding else tr(whom or "Toward whom")
        self._show(self.target, is_hiding or bool(whom), word)
        if tier is Tier.STATE_LEDGER:
            self.field.clear()
            for field in LEDGER_FIELDS.get(name, ()):
                self.field.addItem(stored_word(field), field)

    def _show(self, widget: QWidget, is_shown: bool, word: str = "") -> None:
        label = self._labels[widget]
        if word:
            label.setText(word)
            if isinstance(widget, Field):
                widget.setAccessibleName(word)
        label.setVisible(is_shown)
        widget.setVisible(is_shown)
