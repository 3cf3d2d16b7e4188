"""Which memories the table shows, and in which order: as the rail, the field and the head say."""

from __future__ import annotations

from dataclasses import replace

from app.memory.documents.browsing import Order, Show, Wanted, read_query
from app.memory.documents.scene_memories import ids_by_scene
from app.memory.records import Tier
from app.memory.standing import Standing, Status
from app.views.memory_view import MemoryView
from ui.memories.listing.model import ORDERS, Column
from ui.memories.listing.rail import ALL, BUILTIN, HERE, PEOPLE, PINNED, TEXTS, MemoryRail
from ui.memories.listing.table import MemoryTable
from ui.memories.tools import MemoryTools


class Filters:
    """wanted: what the table was arranged by last, with an order that it may still have to get."""

    def __init__(self, rail: MemoryRail, tools: MemoryTools, table: MemoryTable) -> None:
        self._rail, self._tools, self._table = rail, tools, table
        self.wanted = Wanted()

    def now(self, view: MemoryView) -> Wanted:
        """What is to be shown of it by all that is chosen now."""
        place, shows = self._rail.place, self._rail.shows
        query = read_query(self._tools.field.text())
        names_scene = any(term.field == "scene" for term in query)
        scenes = view.story.scenes if names_scene else ()
        is_tier = place not in (ALL, PEOPLE, TEXTS)
        return Wanted(
            tier=Tier(place) if is_tier else None,
            query=query,
            show=self._rail.show_set,
            only_pinned=shows[PINNED].isChecked(),
            only_builtin=shows[BUILTIN].isChecked(),
            only_here=shows[HERE].isChecked(),
            ground=view.ground,
            order=self.wanted.order,
            is_descending=self.wanted.is_descending,
            folded=self.wanted.folded,
            scenes=ids_by_scene(scenes, view.memories, view.ground) if names_scene else {},
        )

    def follow_search(self) -> bool:
        """Show the table where something is searched for; whether that is something else now."""
        query = read_query(self._tools.field.text())
        if query and self._rail.place in (PEOPLE, TEXTS):
            self._rail.places[ALL].setChecked(True)
        return query != self.wanted.query

    def fold(self, group: str) -> None:
        """Fold a group, or unfold it."""
        self.wanted = replace(self.wanted, folded=self.wanted.folded ^ {group})

    def sort(self, column: int) -> None:
        """The first press sorts, the second the other way round, the third no more."""
        order, now = ORDERS[Column(column)], self.wanted
        starts_down = order not in (Order.TEXT, Order.STORY)
        head = self._table.head
        if head.sorted_by != column:
            wanted = (order, starts_down)
            head.show_order(column, is_descending=starts_down)
        elif now.is_descending is starts_down:
            wanted = (order, not starts_down)
            head.show_order(column, is_descending=not starts_down)
        else:
            wanted = (Order.STORY, False)
            head.show_order(None, is_descending=False)
        self.wanted = replace(now, order=wanted[0], is_descending=wanted[1])

    def look_for(self, field: str, name: str) -> None:
        """Let only what a field of the search says through, of all tiers: who, of, scene."""
        self._rail.places[ALL].setChecked(True)
        self._tools.look_for(f'{field}:"{name}"' if " " in name else f"{field}:{name}")

    def reveal(self, standing: Standing) -> None:
        """Let go of the filters that hide a memory; of as few as need be."""
        self._tools.field.clear()
        for key in (HERE, PINNED, BUILTIN):
            self._rail.shows[key].setChecked(False)
        if standing.is_set_aside:
            self._rail.shows[Show.ASIDE.value].setChecked(True)
        for key in (Status.ENDED, Status.WAITING, Status.REJECTED):
            if standing.status is key and not standing.is_set_aside:
                self._rail.shows[key.value].setChecked(True)
        if standing.status in (Status.STALE, Status.WITHDRAWN):
            self._rail.shows["lost"].setChecked(True)
        if self._rail.place not in (ALL, standing.memory.tier.value):
            self._rail.places[ALL].setChecked(True)

    def unfold_all(self) -> None:
        """Only the order stays of what was wanted."""
        self.wanted = Wanted(order=self.wanted.order)
