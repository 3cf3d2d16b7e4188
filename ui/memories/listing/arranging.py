"""Arranges what is remembered for the table, beside the window's thread where it is much."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from app.memory.documents.browsing import Arranged, arranged, in_place
from app.memory.standing import Standing
from app.views.memory_view import MemoryView
from ui.controls.holding import Hold
from ui.memories.listing.filters import Filters
from ui.memories.listing.table import MemoryTable

AT_ONCE = 3_000  # memories that are arranged without leaving the window's thread


class Arranging:
    """hold: of the table's rows; what is read meanwhile changes their words, not their places."""

    def __init__(self, filters: Filters, table: MemoryTable) -> None:
        self._filters, self._table = filters, table
        self._turn = 0  # an older result is of no use any more
        self.hold = Hold(table)
        self.is_behind = False  # rows were held that stand elsewhere by now

    def drop(self) -> None:
        """What is being arranged is not wanted any more."""
        self._turn += 1

    async def of(
        self, view: MemoryView, by_id: Mapping[str, Standing], *, is_read_anew: bool
    ) -> Arranged | None:
        """The rows for it, None when something else was asked for since, or a row is written in.

        is_read_anew: nobody asked for another order.
        """
        self._turn += 1
        turn, wanted = self._turn, self._filters.now(view)
        if len(view.memories) <= AT_ONCE:
            found = arranged(view.memories, wanted)
        else:
            found = await asyncio.to_thread(arranged, view.memories, wanted)
        if turn != self._turn or self._table.is_editing:
            return None  # other rows would take the words away that are being written
        self._filters.wanted = wanted
        self.is_behind = is_read_anew and self.hold.is_on and bool(self._table.memories.rows)
        return in_place(found, self._table.memories.rows, by_id) if self.is_behind else found
