"""Memories are found: by kind, search and order, by what is shown beside them, from elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit

from app.companion import Companion
from app.memory.documents.browsing import sentence_of
from app.memory.documents.scene_memories import memories_by_scene
from app.memory.records import Memory, Source, Tier
from app.settings.program import ProgramSettings
from app.story.story import ChatKind
from app.views.memory_view import MemoryView
from tests.labelled import WrittenTavern
from tests.ui.memories.rows import (
    BUTTON,
    CONTROL,
    Until,
    page_standings,
    press,
    press_row,
    row_of,
    shown,
    wake,
)
from ui.memories.listing.model import Column
from ui.memories.listing.rail import MemoryRail
from ui.memories.members import members_menu
from ui.memories.page import MemoriesPage
from ui.memories.words import source_words
from ui.program.main_window import MainWindow
from ui.shell.entries import ENTRY_ROLE, Entry

pytestmark = pytest.mark.slow


async def test_every_tier_has_its_group_and_its_count(
    page: MemoriesPage, remembered: Callable[[], MemoryView]
) -> None:
    heads = [words for words in shown(page) if words.startswith("[")]
    assert heads == [
        "[Long-term]",
        "[Session]",
        "[Plot threads]",
        "[Relationships]",
        "[Who knows what]",
        "[Current state]",
    ]
    view = remembered()
    for tier in Tier:
        held = sum(s.is_active for s in view.of(tier))
        assert page.rail.places[tier.value].count == held


async def test_a_press_on_a_tier_shows_it_alone(page: MemoriesPage, until: Until) -> None:
    press(page.rail.places["arcs"])
    await until(lambda: shown(page)[0] == "[Open]")
    assert all(row.tier is Tier.ARCS for row in page.model.rows)


async def test_the_search_understands_who_and_is(page: MemoriesPage, until: Until) -> None:
    await wake(page, until)
    QTest.keyClick(page.table, Qt.Key.Key_F, CONTROL)
    await until(page.tools.field.hasFocus)
    QTest.keyClicks(page.tools.field, "who:midge is:active")
    await until(lambda: 0 < len(page.model.rows) < 20)
    found = [row.standing for row in page.model.rows if row.standing is not None]
    assert found
    for one in found:
        memory = one.memory
        names = (memory.subject, memory.target, *memory.entities)
        assert one.is_active
        assert any("Midge" in name for name in names)
    QTest.keyClick(page.tools.field, Qt.Key.Key_Escape)
    await until(lambda: len(page.model.rows) > 20)


async def test_a_scene_of_the_story_leads_to_the_memories_that_it_gave(
    demo_window: MainWindow, until: Until, remembered: Callable[[], MemoryView]
) -> None:
    desk = demo_window.desk
    assert desk is not None
    stage = desk.story_stage
    assert stage is not None
    view = remembered()
    scene = view.story.scenes[2]
    stage.show_message(view.story.messages[scene.first + 1].anchor)
    action = stage.page.story_actions.scene_memories
    await until(action.isEnabled)
    assert action in stage.page.story_actions.for_scene(stage.page.target())
    action.trigger()
    page = demo_window.page
    assert isinstance(page, MemoriesPage)
    await until(lambda: page.model.rowCount() > 0)
    held = [row.standing for row in page.model.rows if row.standing is not None]
    assert held
    for standing in held:
        places = {view.ground.place(source) for source in standing.memory.sources}
        assert any(scene.first <= place <= scene.last for place in places)
    given = memories_by_scene(view.story.scenes, view.memories, view.ground)[2]
    assert {s.memory.id for s in given if s.is_active} <= {s.memory.id for s in held}


async def test_a_press_on_a_column_sorts_by_it(page: MemoriesPage, until: Until) -> None:
    press(page.rail.places["session"])
    await until(
        lambda: shown(page)[0] == "[Session]" and len({r.tier for r in page.model.rows}) == 1
    )
    header = page.table.head
    at = QPoint(header.sectionViewportPosition(Column.CONFIDENCE) + 10, 12)

    def values() -> list[float]:
        return [row.standing.memory.confidence for row in page.model.rows if row.standing]

    QTest.mouseClick(header.viewport(), BUTTON, pos=at)
    await until(lambda: values() == sorted(values(), reverse=True))
    QTest.mouseClick(header.viewport(), BUTTON, pos=at)
    await until(lambda: values() == sorted(values()))


async def test_a_group_folds_by_mouse_and_by_key(page: MemoriesPage, until: Until) -> None:
    await wake(page, until)
    before = len(page.model.rows)
    press_row(page, 0)
    await until(lambda: len(page.model.rows) < before)
    assert page.model.rows[0].is_folded
    page.table.setFocus()
    page.table.setCurrentIndex(page.model.index(0, 0))
    QTest.keyClick(page.table, Qt.Key.Key_Return)
    await until(lambda: len(page.model.rows) == before)


async def test_what_ended_is_hidden_when_not_wanted(page: MemoriesPage, until: Until) -> None:
    assert any(row.is_under for row in page.model.rows)
    page.rail.shows["ended"].click()
    await until(lambda: not any(row.is_under for row in page.model.rows))


async def test_what_is_shown_beside_what_holds_is_remembered(
    page: MemoriesPage, companion: Companion, until: Until
) -> None:
    await wake(page, until)
    assert page.rail.shows["ended"].isChecked()
    page.rail.shows["ended"].click()
    page.rail.shows["pinned"].click()
    await until(lambda: ProgramSettings(companion.settings).memories_shown != "")
    rail = MemoryRail(page.hands.shows)
    assert not rail.shows["ended"].isChecked()
    assert rail.shows["waiting"].isChecked()
    assert not rail.shows["rejected"].isChecked()
    assert not rail.shows["pinned"].isChecked()
    rail.deleteLater()


async def test_what_other_chats_say_can_be_left_out(
    page: MemoriesPage,
    companion: Companion,
    demo_tavern: WrittenTavern,
    until: Until,
    monkeypatch: pytest.MonkeyPatch,
    remembered: Callable[[], MemoryView],
) -> None:
    """A young chat of a character with many others showed mostly what those say."""
    await wake(page, until)
    view = remembered()
    foreign = next(s for s in view.memories if "Six honey cakes" in sentence_of(s.memory))
    away = replace(foreign.memory, sources=(Source(view.ground.chat + 99, "elsewhere", ""),))
    mixed = (*(s for s in view.memories if s is not foreign), replace(foreign, memory=away))
    monkeypatch.setattr(companion, "memory", lambda *_, **__: replace(view, memories=mixed))
    page.refresh()
    await until(
        lambda: "other chat" in [source_words(s, view.ground) for s in page_standings(page)]
    )
    page.rail.shows["here"].click()
    await until(lambda: not any("Six honey cakes" in words for words in shown(page)))
    assert all(view.ground.tells(s.memory) for s in page_standings(page))
    await until(lambda: "here" in ProgramSettings(companion.settings).memories_shown)
    rail = MemoryRail(page.hands.shows)
    assert rail.shows["here"].isChecked()
    rail.deleteLater()


async def test_pinned_memories_can_be_shown_alone(page: MemoriesPage, until: Until) -> None:
    press_row(page, row_of(page, "Six honey cakes"))
    page.commands.pin.trigger()
    await until(lambda: page.commands.pin.text() == "Unpin")
    page.rail.shows["pinned"].click()
    await until(lambda: len([row for row in page.model.rows if row.standing]) == 2)


async def test_the_ledger_is_shown_as_it_was(page: MemoriesPage, until: Until) -> None:
    def owner() -> str:
        rows = [row.standing for row in page.model.rows if row.standing is not None]
        held = [s.memory for s in rows if s.is_active]
        return next(m.text for m in held if (m.subject, m.field) == ("Wick-key", "owner"))

    press(page.rail.places["state_ledger"])
    await until(lambda: "[Wick-key]" in shown(page))
    assert owner() == "Madame Oyle"
    page.moment.number.setValue(40)
    await until(lambda: owner() == "Midge Reck")
    assert page.place.endswith("at #40")
    press(page.moment.now)
    await until(lambda: owner() == "Madame Oyle")


async def test_a_moment_is_chosen_on_the_axis_and_by_its_link(
    page: MemoriesPage, until: Until
) -> None:
    axis = page.moment.axis
    QTest.mouseClick(axis, BUTTON, pos=QPoint(axis.width() // 2, axis.height() // 2))
    await until(lambda: page.model.at == page.moment.at > 0)
    assert 60 < page.moment.at < 85


async def test_what_a_member_of_a_group_remembers_is_shown_by_itself(
    page: MemoriesPage, demo_window: MainWindow, until: Until
) -> None:
    assert demo_window.desk is not None
    story = demo_window.desk.session.story
    assert story is not None
    assert members_menu(story, page, lambda name: None) is None
    names = story.chat.speakers
    group = replace(story, chat=replace(story.chat, kind=ChatKind.GROUP))
    menu = members_menu(group, page, partial(page.search_for, "of"))
    assert menu is not None
    assert [action.text() for action in menu.actions()] == list(names)
    before = len(shown(page))
    menu.actions()[0].trigger()
    await until(lambda: len(shown(page)) < before)
    assert names[0] in page.tools.field.text()
    tiers = {row.standing.memory.tier for row in page.model.rows if row.standing is not None}
    assert tiers <= {Tier.LONG_TERM, Tier.RELATIONSHIPS, Tier.EPISTEMIC}


def memories_of(page: MemoriesPage) -> list[Memory]:
    standings = (page.model.standing(row) for row in range(page.model.rowCount()))
    return [standing.memory for standing in standings if standing is not None]


async def test_the_palette_finds_memories_of_the_chat_and_leads_to_them(
    page: MemoriesPage, demo_window: MainWindow, until: Until
) -> None:
    desk = demo_window.desk
    assert desk is not None
    memory = next(m for m in memories_of(page) if len(m.text.split()) > 4)
    demo_window.show_page("story")
    desk.open_palette()
    field = QApplication.focusWidget()
    assert isinstance(field, QLineEdit)
    field.setText(" ".join(memory.text.split()[:4]))
    shown = desk._palette._model

    def rows() -> list[Entry]:
        return [shown.index(row).data(ENTRY_ROLE) for row in range(shown.rowCount())]

    await until(lambda: memory.text in [row.text for row in rows()])
    place = [row.text for row in rows()].index(memory.text)
    desk._palette._choose(shown.index(place))
    assert demo_window.page is page
    await until(lambda: page.chosen.ids == [memory.id])


async def test_what_is_left_out_of_a_chat_is_not_shown_among_its_memories_at_first(
    page: MemoriesPage, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    """ "90 active" of a new chat were nearly all of others, which its prompt left out."""
    await wake(page, until)
    here = page.rail.shows["here"]
    assert not here.isChecked()
    path = demo_tavern.chat
    await companion.put_setting("other_chats_enabled", False, path=path)
    await until(here.isChecked)
    page.rail.shows["pinned"].click()
    await until(lambda: bool(ProgramSettings(companion.settings).memories_shown))
    assert "here" not in ProgramSettings(companion.settings).memories_shown.split(",")
    await companion.put_setting("other_chats_enabled", True, path=path)
    await until(lambda: not here.isChecked())


async def test_a_search_shows_the_table_and_only_that_has_filters(
    page: MemoriesPage, until: Until
) -> None:
    """Typed over people or texts it found what nobody saw, beside boxes that did nothing."""
    ended = page.rail.shows["ended"]
    for place in ("people", "texts"):
        press(page.rail.places[place])
        await until(lambda: not page.table.isVisible())
        assert not ended.isVisible()
        page.tools.field.setText("wick-key")
        await until(page.table.isVisible)
        assert ended.isVisible()
        page.tools.field.clear()
