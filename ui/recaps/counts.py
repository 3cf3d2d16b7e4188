"""Shows how many tokens versions take, and what is being made: in the list, curve and panes."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject

from app.prompt.slots import RUNNING_RECAP_KEY
from ui.controls.timers import once
from ui.core.session import Session
from ui.core.slot_words import size_words, untold_words
from ui.recaps.comparing.pane import ComparePane
from ui.recaps.growth import GrowthPoint
from ui.recaps.rail import RecapRail
from ui.recaps.reading import ReadingPane
from ui.recaps.sides import Sides
from ui.recaps.subject import RecapSubject
from ui.recaps.token_tally import TokenTally

COUNT_MS = 150


class RecapCounts(QObject):
    """subject: whose versions are looked at. is_comparing: two of them are shown side by side."""

    # 7 parameters: the page alone makes it, of its own parts.
    def __init__(
        self,
        session: Session,
        subject: RecapSubject,
        rail: RecapRail,
        reading: ReadingPane,
        comparison: ComparePane,
        sides: Sides,
        is_comparing: Callable[[], bool],
    ) -> None:
        super().__init__(rail)
        self._session, self.subject = session, subject
        self._rail, self._sides, self._is_comparing = rail, sides, is_comparing
        self._reading, self._comparison = reading, comparison
        self._model = rail.list.versions
        self._tally = TokenTally(session, self)
        self._timer = once(self, COUNT_MS, self.count_made)
        self._tally.counted.connect(self._show)
        session.slots_changed.connect(self._on_slots_changed)

    def count_versions(self) -> None:
        """Count all versions in the list."""
        texts = (row.text for row in self._model.rows)
        self._tally.want(texts, is_running=self._is_running)
        self._show()

    def count_made(self) -> None:
        """Count what is being made, in the comparison or by hand."""
        self._tally.want([self._made_text()], is_running=self._is_running)
        self._show()

    def count_soon(self) -> None:
        """Count what is being made when the typing pauses."""
        self._timer.start()

    def show_growth(self) -> None:
        """Draw how the versions grew, as far as they are counted."""
        points = []
        for row in reversed(self._model.rows):
            tokens = self._model.tokens(row.number)
            if tokens is not None and not row.is_deleted:
                points.append(GrowthPoint(row.word, tokens, self._sides.side_of(row.number)))
        self._rail.growth.show_points(points, self.subject.budget)
        self._model.show_budget(self.subject.budget)
        self.show_size()

    def show_size(self) -> None:
        """Say what becomes of the tokens of the version that is read."""
        self._reading.show_size(self._size_words())

    def _size_words(self) -> str:
        """What the next prompt tells of the version in it, "" for any other."""
        slots, row = self._session.slots, self._reading.row
        slot = next((one for one in slots.slots if one.key == RUNNING_RECAP_KEY), None)
        if not self._is_running or slot is None or row is None or not row.is_current:
            return ""
        if slots.recap is None:
            return untold_words(slots, slot)
        if slots.recap.version != row.number:  # the prompt is not made anew yet
            return ""
        return size_words(slots.recap, slot)

    @property
    def _is_running(self) -> bool:
        return not self.subject.anchor

    def _made_text(self) -> str:
        if self._is_comparing():
            return self._comparison.result_text
        return self._reading.text.text

    def _show(self) -> None:
        rows = self._model.rows
        of, is_running = self._tally.of, self._is_running
        counts = {row.number: of(row.text, is_running=is_running) for row in rows}
        self._model.show_tokens({n: count for n, count in counts.items() if count is not None})
        self.show_growth()
        made = of(self._made_text(), is_running=is_running)
        pair = self._sides.rows(rows)
        if pair is not None:
            self._comparison.show_tokens(pair, self._model.tokens)
        if made is not None and self._is_comparing():
            self._comparison.result.show_count(made, self.subject.budget)
        elif made is not None:
            self._reading.show_count(made, self.subject.budget)

    def _on_slots_changed(self, _slots: object) -> None:
        self.show_growth()
