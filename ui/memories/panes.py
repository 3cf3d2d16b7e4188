"""Which of its panes the memories page shows: memories, people, texts, or why there is nothing."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from app.views.memory_view import MemoryView
from ui.core.session import Session
from ui.memories.hands import MemoryHands
from ui.memories.listing.people import PeoplePane
from ui.memories.listing.rail import PEOPLE, TEXTS
from ui.memories.pane.pane import has_focus_in
from ui.memories.pane.states import EmptyState, ReadingStrip
from ui.memories.texts import TextsPane


class MemoryPanes(QStackedWidget):
    """memories: the table, with what is chosen in it beside.

    Signals:
        keys_lost: another pane came in the place of the one that had the keyboard.
    """

    keys_lost = Signal()

    # 6 parameters: the page's own parts.
    def __init__(
        self,
        session: Session,
        hands: MemoryHands,
        memories: QWidget,
        people: PeoplePane,
        texts: TextsPane,
        strip: ReadingStrip,
    ) -> None:
        super().__init__()
        self._session, self._hands, self._strip = session, hands, strip
        self.memories, self.people, self.texts = memories, people, texts
        self.empty = EmptyState(strip)
        for widget in (memories, people, texts, self.empty):
            self.addWidget(widget)

    @property
    def target(self) -> QWidget | None:
        """What the keyboard is given to; None where the memories are shown."""
        shown = self.currentWidget()
        if shown is self.people:
            return self.people.table
        if shown is self.empty:
            return self.empty.target
        return self.texts if shown is self.texts else None

    def show_what(self, view: MemoryView | None, place: str) -> None:
        """Show what there is at a place of the rail."""
        has_any = view is not None and bool(view.memories or view.entities or view.documents)
        shown = {PEOPLE: self.people, TEXTS: self.texts}.get(place, self.memories)
        # A text can be asked for before anything is remembered.
        wanted = shown if has_any or (view and shown is self.texts) else self.empty
        had_focus = has_focus_in(self)
        if wanted is self.texts:
            offers = self._hands.text_offers()
            self.texts.offers.show_offers(offers, can_change=self._hands.can_change)
        companion, path = self._session.companion, self._session.path
        has_backend = companion.health.backend.sentence != ""
        self.empty.show_state(
            is_known=view is not None or path is None,
            is_reading=self._strip.is_reading,
            has_model=has_backend and not self._hands.is_without_model,
            is_demo=path is not None and path == companion.demo.path,
        )
        if wanted is not self.currentWidget():
            self.setCurrentWidget(wanted)
            if had_focus:  # else Qt gives the keyboard to whatever stands next
                self.keys_lost.emit()
