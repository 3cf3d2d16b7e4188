"""Longer texts that were made of memories: profiles, canon, summaries; to read and to change."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.core.translation import N_, tr
from app.memory.documents.profiles import without_figures
from app.memory.lifecycle.derived_documents import earlier_versions, texts_that_count
from app.memory.records import Document, DocumentKind
from app.prompt.rendering.text_slots import is_portrait_of_then
from app.views.memory_view import MemoryView
from ui.controls.buttons import Button, ButtonRole
from ui.controls.dates import time_words
from ui.controls.labels import ElidedLabel, Label, body, meta
from ui.controls.prose import ProseField
from ui.controls.surfaces import Surface, centred, scrolling
from ui.core.slot_words import author_words
from ui.memories.text_offers import TextOffers
from ui.theme.fonts import SEMIBOLD, story_font, ui_font
from ui.theme.palette import T2_ROLE

KIND_WORDS = {
    DocumentKind.PROFILE: N_("Profile"),
    DocumentKind.CANON: N_("Canon"),
    DocumentKind.SUMMARY: N_("Summary"),
    DocumentKind.ARC_SUMMARY: N_("How a plot thread went"),
    DocumentKind.CONTINUITY: N_("What a reply contradicts"),
    DocumentKind.REPAIR: N_("Correction for the next reply"),
}
BY_HAND = frozenset(
    {DocumentKind.PROFILE, DocumentKind.CANON, DocumentKind.SUMMARY, DocumentKind.REPAIR}
)
COLUMN = 720
MOST = 60
MOST_EARLIER = 10  # versions of a text
EDIT_HEIGHT = 220
EMPTY = N_(
    "No texts yet. Once a model is chosen, it writes character profiles, the canon and a summary "
    "from memories."
)
OF_THEN = N_(
    "From an earlier scene: prompts use only its fears and loyalties. It is rewritten when a "
    "scene ends and more is known."
)
# A model is asked for these in English, whatever the language of the story.
LABELS = {
    "state": N_("State"),
    "world": N_("World"),
    "relationships": N_("Relationships"),
    "goals": N_("Goals"),
    "posture": N_("Attitude"),
    "fears": N_("Fears"),
    "loyalties": N_("Loyalties"),
    "location": N_("Location"),
    "threats": N_("Threats"),
    "unresolved": N_("Unresolved"),
    "time": N_("Story time"),
}


def shown_text(document: Document) -> str:
    """A text as it is read; of a profile the labels are in the language of the window."""
    text = document.text.strip()
    if document.kind is not DocumentKind.PROFILE:
        return text
    return "\n".join(map(_shown_line, without_figures(text).splitlines()))


def _shown_line(line: str) -> str:
    label, colon, told = line.partition(":")
    known = LABELS.get(label.strip().casefold()) if colon else None
    return f"{tr(known)}:{told}" if known else line


class TextsPane(QWidget):
    """Signals:
    rewritten: (kind, subject, text).
    """

    rewritten = Signal(object, str, str)

    def __init__(self, offers: TextOffers, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.offers = offers
        self.count = 0  # of texts that count
        self.cards: list[TextCard] = []
        self._shown: tuple[object, ...] = ()
        self._nothing = body(tr(EMPTY))
        content = QWidget()
        middle = QVBoxLayout(content)
        middle.setContentsMargins(24, 16, 24, 24)
        block = QWidget()
        self._column = QVBoxLayout(block)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(12)
        self._column.addWidget(self.offers)
        self._column.addWidget(self._nothing)
        self._column.addStretch(1)
        middle.addLayout(centred(block, COLUMN))
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(scrolling(content, name=tr("Texts")))

    def show_view(self, view: MemoryView, *, can_change: bool) -> None:
        """Show the texts that count; one that is being changed stays open."""
        counting = texts_that_count(view.documents)
        self.count, shown = len(counting), counting[:MOST]
        places, last = view.story.places, len(view.story.messages) - 1
        of_then = {one.id for one in shown if is_portrait_of_then(one, view.story)}
        ends = {one.id: places.get(one.until) for one in shown if one.kind is DocumentKind.SUMMARY}
        earlier = {one.id: earlier_versions(view.documents, one)[:MOST_EARLIER] for one in shown}
        now = (shown, of_then, ends, earlier, can_change)
        if now == self._shown or any(card.is_editing for card in self.cards):
            return
        self._shown = now
        for card in self.cards:
            card.hide()
            self._column.removeWidget(card)
            card.deleteLater()
        self.cards = []
        names = {s.memory.id: s.memory.text for s in view.memories}
        self._nothing.setVisible(not shown)
        for document in shown:
            subject = names.get(document.subject, document.subject)
            card = TextCard(document, subject, can_change, is_of_then=document.id in of_then)
            end = ends.get(document.id)
            if end is not None and end < last:
                card.say_end(end)
            card.show_earlier(earlier[document.id])
            card.rewritten.connect(self.rewritten)
            self._column.insertWidget(self._column.count() - 1, card)
            self.cards.append(card)


class TextCard(Surface):
    """Signals:
    rewritten: (kind, subject, text).
    """

    rewritten = Signal(object, str, str)

    def __init__(
        self, document: Document, subject: str, can_change: bool, *, is_of_then: bool = False
    ) -> None:
        super().__init__("raised", edge="line")
        self._document, self._can_change = document, can_change
        title = tr(KIND_WORDS[document.kind]) + (f": {subject}" if subject else "")
        when = time_words(document.created, now=time.time()) if document.created else ""
        self.words = Label(shown_text(document), font=story_font(14), tone=T2_ROLE, wraps=True)
        self.words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.note = meta(tr(OF_THEN), wraps=True)
        self.editor = ProseField(title)
        self.editor.setFixedHeight(EDIT_HEIGHT)
        self.editor.hide()
        self.editor.committed.connect(self.keep)
        self.editor.escaped.connect(self.leave)
        self.edit_button = Button(
            tr("Edit"), icon="pencil", role=ButtonRole.QUIET, flush=Qt.Edge.RightEdge
        )
        self.edit_button.clicked.connect(self.edit)
        self.edit_button.setEnabled(can_change)
        self.drop_button = Button(
            tr("Drop"), icon="cross", role=ButtonRole.QUIET, flush=Qt.Edge.RightEdge
        )
        self.drop_button.setToolTip(
            tr("The next reply is not corrected; undo brings the correction back.")
        )
        self.drop_button.clicked.connect(self.drop)
        self.drop_button.setEnabled(can_change)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(ElidedLabel(title, font=ui_font(13, SEMIBOLD)), 1)
        head.addWidget(meta(", ".join(filter(None, (author_words(document.made_by), when)))))
        head.addWidget(self.edit_button)
        head.addWidget(self.drop_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 8, 14, 14)
        column.setSpacing(6)
        column.addLayout(head)
        column.addWidget(self.note)
        column.addWidget(self.words)
        column.addWidget(self.editor)
        self.earlier_button = Button("", role=ButtonRole.QUIET, flush=Qt.Edge.LeftEdge)
        self.earlier_button.setCheckable(True)
        self.earlier = QWidget()
        self.take_buttons: list[Button] = []
        self._versions = QVBoxLayout(self.earlier)
        self._versions.setContentsMargins(0, 0, 0, 0)
        self._versions.setSpacing(6)
        self.earlier_button.toggled.connect(self.earlier.setVisible)
        column.addWidget(self.earlier_button, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self.earlier)
        self.earlier_button.hide()
        self.earlier.hide()
        self.note.setVisible(is_of_then)
        self.edit_button.setVisible(document.kind in BY_HAND)  # without a parent: a window
        self.drop_button.setVisible(document.kind is DocumentKind.REPAIR)

    def say_end(self, message: int) -> None:
        """The story goes on behind the message that the text tells up to."""
        self.note.setText(tr("Tells the story up to #{message}.", message=message))
        self.note.show()

    def show_earlier(self, versions: Sequence[Document]) -> None:
        """Offer other versions, folded away; called once."""
        self.earlier_button.set_text(tr("Other versions: {n}", n=len(versions)))
        self.earlier_button.setVisible(bool(versions))
        for version in versions:
            when = time_words(version.created, now=time.time()) if version.created else ""
            head = QHBoxLayout()
            head.addWidget(meta(", ".join(filter(None, (author_words(version.made_by), when)))), 1)
            take = Button(tr("Take this one"), role=ButtonRole.QUIET, flush=Qt.Edge.RightEdge)
            take.setToolTip(tr("It then counts as yours: no text of a model takes its place."))
            take.setEnabled(self._can_change)
            take.clicked.connect(partial(self._take, version))
            self.take_buttons.append(take)
            head.addWidget(take)
            words = Label(shown_text(version), font=story_font(14), tone=T2_ROLE, wraps=True)
            words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            self._versions.addLayout(head)
            self._versions.addWidget(words)

    def _take(self, version: Document) -> None:
        self.rewritten.emit(version.kind, version.subject, version.text)

    @property
    def is_editing(self) -> bool:
        """Whether the text is being changed."""
        return self.editor.is_editing

    def edit(self) -> None:
        """Open the text, or keep what was written."""
        if self.is_editing:
            self.keep()
            return
        self.words.hide()
        self.editor.show()
        self.editor.set_text(self._document.text)
        self.editor.set_editing(True)
        self.edit_button.set_text(tr("Keep"))

    def keep(self) -> None:
        """Keep what was written."""
        text = self.editor.text.strip()
        self.leave()
        if text != self._document.text.strip():
            self.rewritten.emit(self._document.kind, self._document.subject, text)

    def drop(self) -> None:
        """Take a correction back that waits for the next reply."""
        self.rewritten.emit(self._document.kind, self._document.subject, "")

    def leave(self) -> None:
        """Leave the text as it was."""
        self.editor.set_editing(False)
        self.editor.hide()
        self.words.show()
        self.edit_button.set_text(tr("Edit"))
