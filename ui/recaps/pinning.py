"""Pins sentences of the version that is read, and says which of them it lacks."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtGui import QAction

from app.core.translation import N_, tr
from app.story.recap_texts.pinned import Pin, holds, sentence_at, with_pinned
from ui.controls.buttons import Button
from ui.core.session import Session
from ui.recaps.pins import PinsLine, marks_of
from ui.recaps.reading import ReadingPane
from ui.recaps.version_rows import VersionRow

NO_SENTENCE = N_("Put the cursor into a sentence to pin it: pinned sentences are always kept. (P)")
KEEPS = N_(
    "Pinned sentences are kept whenever this recap is rewritten; only you can change them. (P)"
)


class RecapPinning(QObject):
    """Owns what stands over the text of a reading pane, and its button.

    subject: message that closes the scene whose recap is read, "" for the running recap. rows: of
    its versions, newest first.

    Signals:
        text_made: text of a version that says a pinned sentence again.
    """

    text_made = Signal(str)

    def __init__(
        self,
        session: Session,
        reading: ReadingPane,
        action: QAction,
        subject: Callable[[], str],
        rows: Callable[[], tuple[VersionRow, ...]],
    ) -> None:
        super().__init__(reading)
        self._session = session
        self._reading = reading
        self._action = action
        self._subject = subject
        self._rows = rows
        self._pins: tuple[Pin, ...] = ()
        self.button: Button = reading.pin
        self.line: PinsLine = reading.pins
        self._prose = reading.text.prose
        self._prose.cursorPositionChanged.connect(self._show_button)
        self._prose.selectionChanged.connect(self._show_button)
        self._prose.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self._prose.customContextMenuRequested.connect(self._on_menu)
        self.button.clicked.connect(self.pin_or_not)
        action.triggered.connect(self.pin_or_not)
        self.line.put_back_asked.connect(self._on_put_back)
        self.line.unpin_asked.connect(self._unpin)
        session.replayed.connect(self.follow)

    def follow(self) -> None:
        """Show what is pinned in the version that is read."""
        path, row = self._session.path, self._reading.row
        pins = self._session.companion.pins
        self._pins = pins.of(path, self._subject()) if path is not None else ()
        is_read = row is not None and not row.is_deleted and not self._reading.is_editing
        shown = self._pins if is_read else ()
        text = self._reading.text.text
        self._prose.setExtraSelections(marks_of(self._prose, shown))
        self.line.show_pins(text, shown, is_current=row is not None and row.is_current)
        self._show_button()

    @property
    def sentence(self) -> str:
        """What would be pinned: what is chosen, or where the cursor stands."""
        at = self._prose.textCursor()
        return sentence_at(self._reading.text.text, at.selectionStart(), at.selectionEnd())

    @property
    def _pinned(self) -> Pin | None:
        """The pin of the sentence at the cursor."""
        said = self.sentence
        return next((p for p in self._pins if said and holds(said, p.text)), None)

    def _show_button(self) -> None:
        row = self._reading.row
        is_open = row is not None and row.is_current and not self._reading.is_editing
        can_change = not self._session.companion.is_reading_only
        can_pin = is_open and can_change and bool(self.sentence)
        words = tr("Unpin") if self._pinned is not None else tr("Pin")
        self.button.setVisible(is_open)
        self.button.setEnabled(can_pin)
        self.button.set_text(words)
        self.button.setToolTip(tr(KEEPS) if can_pin else tr(NO_SENTENCE))
        self._action.setEnabled(can_pin)

    def _on_menu(self, at: QPoint) -> None:
        if not self._prose.textCursor().hasSelection():
            self._prose.setTextCursor(self._prose.cursorForPosition(at))
        menu = self._prose.createStandardContextMenu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if not self._reading.is_editing:
            self._action.setText(self.button.text())
            menu.insertAction(menu.actions()[0], self._action)
        menu.popup(self._prose.viewport().mapToGlobal(at))

    # Commands

    def pin_or_not(self) -> None:
        """Pin the sentence at the cursor; one that is pinned, let go."""
        path, said, pinned = self._session.path, self.sentence, self._pinned
        if path is None or not said or not self.button.isEnabled():
            return
        if pinned is not None:
            self._unpin(pinned)
            return
        pin = Pin(said, self._subject(), self._until())
        self._do(self._session.companion.pins.pin(path, pin), N_("pinning a sentence"))

    def _until(self) -> str:
        """Message that closes the newest scene that the running recap tells of."""
        story, row = self._session.story, self._reading.row
        if story is None or row is None or self._subject():
            return ""
        versions = story.running.versions
        return next((v.last_anchor for v in versions if v.version == row.number), "")

    def _unpin(self, pin: Pin) -> None:
        path = self._session.path
        if path is not None:
            self._do(self._session.companion.pins.unpin(path, pin), N_("unpinning a sentence"))

    def _on_put_back(self, pin: Pin) -> None:
        row = self._reading.row
        if row is not None:
            said = (version.text for version in self._rows())
            origin = next((text for text in said if holds(text, pin.text)), pin.text)
            self.text_made.emit(with_pinned(row.text, [pin], origin))

    def _do(self, command: Coroutine[Any, Any, None], name: str) -> None:
        async def follow() -> None:
            await command
            self.follow()
            self._session.refresh()

        self._session.do(follow(), name=name)
