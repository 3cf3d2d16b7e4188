"""Who and what the memories are about: renamed, joined, and followed to what is remembered."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.memory.documents.browsing import sentence_of
from app.views.memory_view import MemoryView
from tests.ui.memories.rows import Until, press
from ui.memories.page import MemoriesPage

pytestmark = pytest.mark.slow


async def test_somebody_becomes_something(
    page: MemoriesPage, until: Until, remembered: Callable[[], MemoryView]
) -> None:
    def type_of() -> str:
        entities = remembered().entities
        return next(entity.type for entity in entities if entity.name == "Pilot's coat")

    press(page.rail.places["people"])
    await until(lambda: page.people.isVisible())
    names = [entity.name for entity in page.people.model.entities]
    page.people.table.selectRow(names.index("Pilot's coat"))
    types = page.people.types
    types.setCurrentIndex(types.findData("concept"))
    types.activated.emit(types.currentIndex())
    await until(lambda: type_of() == "concept")


async def test_two_names_become_one_and_a_name_another(
    page: MemoriesPage, until: Until, remembered: Callable[[], MemoryView]
) -> None:
    def names() -> list[str]:
        return [entity.name for entity in remembered().entities]

    def select(name: str) -> None:
        shown = [entity.name for entity in page.people.model.entities]
        page.people.table.selectRow(shown.index(name))

    press(page.rail.places["people"])
    await until(lambda: page.people.isVisible())
    select("Ferrand")
    merge = page.people.merge
    merge.setCurrentIndex(merge.findText("Anselm Reck"))
    merge.activated.emit(merge.currentIndex())
    await until(lambda: "Ferrand" not in names())
    await until(lambda: len(page.people.model.entities) == len(names()))
    place = [entity.name for entity in page.people.model.entities].index("Heron pen")
    page.people.model.setData(page.people.model.index(place, 0), "Silver pen")
    await until(lambda: "Silver pen" in names())
    await until(lambda: len(page.people.model.entities) == len(names()))
    select("Patient Margit")
    press(page.people.delete)
    await until(lambda: "Patient Margit" not in names())


async def test_a_name_leads_to_its_memories(page: MemoriesPage, until: Until) -> None:
    press(page.rail.places["people"])
    await until(lambda: page.people.isVisible())
    names = [entity.name for entity in page.people.model.entities]
    page.people.table.selectRow(names.index("Joost Pellam"))
    press(page.people.see)
    await until(lambda: page.table.isVisible() and 0 < len(page.model.rows) < 20)
    assert page.tools.field.text() == 'who:"Joost Pellam"'


async def test_who_is_remembered_together_is_seen_and_leads_on_by_key(
    page: MemoriesPage, until: Until
) -> None:
    press(page.rail.places["people"])
    await until(lambda: page.people.isVisible())
    people, bonds = page.people, page.people.bonds
    names = [entity.name for entity in people.model.entities]
    people.table.selectRow(names.index("Joost Pellam"))
    rows = bonds.rows
    counts = [row.childCount() for row in rows if row.text(0) != "nobody else"]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] > 1
    other = rows[0].text(0)
    assert other in names
    said = rows[0].data(0, Qt.ItemDataRole.AccessibleTextRole)
    assert said == f"{other}: {counts[0]} memories"
    bonds.setFocus()
    bonds.setCurrentItem(rows[0])
    QTest.keyClick(bonds, Qt.Key.Key_Return)
    assert people.chosen is not None
    assert people.chosen.name == other
    back = bonds.findItems("Joost Pellam", Qt.MatchFlag.MatchExactly)[0]
    assert back.childCount() == counts[0]
    bonds.setCurrentItem(back)
    QTest.keyClick(bonds, Qt.Key.Key_Right)
    QTest.keyClick(bonds, Qt.Key.Key_Down)
    (row,) = bonds.selectedItems()
    words = row.text(0)
    QTest.keyClick(bonds, Qt.Key.Key_Return)
    await until(lambda: page.table.isVisible())
    (chosen,) = page.chosen.standings
    assert sentence_of(chosen.memory) == words
