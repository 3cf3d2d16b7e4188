"""The minds page as people use it: choosing, replaying, veiled secrets, leaks, and the way out."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
import pytest_asyncio
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractScrollArea, QGraphicsItem, QLabel, QWidget

from app.companion import Companion
from app.memory.epistemic.leaks import Leak, LeakKind
from app.memory.epistemic.map_view import Attitude
from app.memory.records import Memory, MemoryChange, Review, Tier
from app.memory.standing import Standing, Status
from tests.labelled import WrittenTavern
from tests.ui.told_demo import keeping_memory
from ui.memories.page import MemoriesPage
from ui.memories.pane.pieces import Link
from ui.minds.map_items import PERSON_DISC
from ui.minds.page import MindsPage
from ui.minds.parts import PlainLink, Row, Veiled
from ui.program.main_window import MainWindow

pytestmark = pytest.mark.slow

Until = Callable[[Callable[[], bool]], Awaitable[None]]
LEFT = Qt.MouseButton.LeftButton
SEAL = "that the brass seal lies under the chapel floor"
MILL = "that Viktor sold the northern mill to the abbey"
BOAT = "that the grey boat leaves at dawn"
ENTRIES: tuple[tuple[str, str, str, int, dict[str, str]], ...] = (
    ("hiding", "Bert Marsh", SEAL, 3, {"target": "Cora Lee"}),
    ("knows", "Ann Pike", SEAL, 20, {"told_by": "Bert Marsh", "channel": "told"}),
    ("believes", "Cora Lee", MILL, 30, {}),
    ("knows", "Ann Pike", BOAT, 41, {"channel": "saw"}),
    ("unaware", "Bert Marsh", BOAT, 44, {}),
)


@pytest.fixture
async def companion(
    tmp_path: Path, demo_tavern: WrittenTavern, told_demo: Path
) -> AsyncIterator[Companion]:
    """A real companion without a model that keeps memory."""
    async with keeping_memory(told_demo, tmp_path / "own", demo_tavern) as running:
        yield running


@pytest_asyncio.fixture
async def demo_window(window: MainWindow, demo_tavern: WrittenTavern) -> MainWindow:
    """The window with the demo story; recaps are not waited for."""
    assert window.desk is not None
    await window.desk.session.open_path(demo_tavern.chat)
    return window


@pytest_asyncio.fixture
async def page(
    demo_window: MainWindow,
    companion: Companion,
    demo_tavern: WrittenTavern,
    until: Until,
) -> MindsPage:
    """It shows ENTRIES at the newest message, secrets veiled."""
    story = companion.story(demo_tavern.chat)
    assert story is not None
    for kind, who, text, at, more in ENTRIES:
        await companion.memories.add(
            demo_tavern.chat,
            Tier.EPISTEMIC,
            kind,
            text,
            subject=who,
            anchor=story.messages[at].anchor,
            **more,
        )
    demo_window.show_page("minds")
    shown = demo_window.page
    assert isinstance(shown, MindsPage)
    demo_window.activateWindow()
    await until(lambda: shown.minds is not None and len(shown.map.ties) == 6)
    return shown


def number(page: MindsPage, text: str) -> int:
    """Number of the proposition with this text."""
    minds = page.minds
    assert minds is not None
    words = text.removeprefix("that ")
    return next(t.number for t in minds.topics if t.title.lower() == words.lower())


def key(page: MindsPage, name: str) -> str:
    """Key of the person with this name."""
    minds = page.minds
    assert minds is not None
    return next(person.key for person in minds.people if person.name == name)


def is_at(page: MindsPage, at: int) -> bool:
    """Whether the map shows who knew what at a message."""
    return page.place == f"Who knew what at #{at}"


def press(page: MindsPage, item: QGraphicsItem) -> None:
    """Click a person or a proposition on the map."""
    there = page.map.mapFromScene(item.pos())
    QTest.mouseClick(page.map.viewport(), LEFT, Qt.KeyboardModifier.NoModifier, there)


def said(widget: QWidget) -> list[str]:
    """All words that are to be read in a widget."""
    labels = [w.text() for w in widget.findChildren(QLabel) if w.isVisibleTo(widget)]
    rows = [w.text() for w in widget.findChildren(PlainLink) if w.isVisibleTo(widget)]
    return labels + rows


def is_shown(page: MindsPage, text: str) -> bool:
    return page.map.propositions[number(page, text)].isVisible()


async def test_a_press_on_a_person_shows_the_world_as_they_know_it(
    page: MindsPage, until: Until
) -> None:
    page.commands.secrets.trigger()
    press(page, page.map.people[key(page, "Bert Marsh")])
    await until(lambda: "Bert Marsh" in said(page.pane))
    words = said(page.pane)
    assert "The brass seal lies under the chapel floor" in words
    assert "The grey boat leaves at dawn" in words
    assert not any("northern mill" in word for word in words)


async def test_a_press_on_a_matter_shows_who_holds_it_and_who_told_whom(
    page: MindsPage, until: Until
) -> None:
    press(page, page.map.propositions[number(page, SEAL)])
    await until(lambda: "Bert Marsh, from Cora Lee" in said(page.pane))
    words = said(page.pane)
    assert "Ann Pike" in words
    assert "Bert → Ann" in words
    assert "Kept by Bert Marsh." in words


async def test_what_is_not_chosen_steps_back(page: MindsPage) -> None:
    page.choose_proposition(number(page, SEAL))
    faint = {tie.stance.proposition for tie in page.map.ties if tie.is_faint}
    assert faint == {number(page, MILL), number(page, BOAT)}
    QTest.keyClick(page.map, Qt.Key.Key_Escape)
    assert not any(tie.is_faint for tie in page.map.ties)


async def test_secrets_are_veiled_until_one_asks_for_them(page: MindsPage, until: Until) -> None:
    cards = page.map.propositions
    assert cards[number(page, SEAL)].is_veiled
    assert cards[number(page, MILL)].is_veiled
    assert not cards[number(page, BOAT)].is_veiled
    page.choose_proposition(number(page, SEAL))
    assert not any("brass seal" in word for word in said(page))
    assert "brass seal" not in page.map.accessibleDescription()
    assert "brass seal" not in cards[number(page, SEAL)].toolTip()
    veiled = page.pane.findChildren(Veiled)
    QTest.mouseClick(veiled[0], LEFT)
    assert not cards[number(page, SEAL)].is_veiled
    assert cards[number(page, MILL)].is_veiled
    await until(lambda: any("brass seal" in word for word in said(page.pane)))


async def test_a_key_shows_all_secrets_and_hides_them_again(page: MindsPage) -> None:
    QTest.keyClick(page.map, Qt.Key.Key_S)
    assert not any(card.is_veiled for card in page.map.propositions.values())
    assert page.tools.secrets.text() == "Hide secrets"
    QTest.keyClick(page.map, Qt.Key.Key_S)
    assert page.map.propositions[number(page, SEAL)].is_veiled


async def test_arrows_on_the_ruler_replay_scene_by_scene(page: MindsPage, until: Until) -> None:
    slider = page.timeline.slider
    slider.setFocus()
    QTest.keyClick(slider, Qt.Key.Key_Home)
    first = slider.value()
    await until(lambda: page.at == first and not is_shown(page, BOAT))
    seen = []
    while slider.value() < slider.maximum():
        QTest.keyClick(slider, Qt.Key.Key_Right)
        seen.append(slider.value())
    lasts = [scene.last for scene in page._session.story.scenes]  # type: ignore[union-attr]
    assert seen == lasts[1:]
    await until(lambda: is_shown(page, BOAT))
    QTest.keyClick(slider, Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier)
    assert slider.value() == slider.maximum() - 1


async def test_a_matter_stays_in_its_place_while_the_story_is_replayed(
    page: MindsPage, until: Until
) -> None:
    card = page.map.propositions[number(page, SEAL)]
    where = card.pos()
    for at in (5, 25, 35, 42):
        page.timeline.go_to(at)
        await until(partial(is_at, page, at))
        assert is_shown(page, SEAL)
        assert card.pos() == where


async def test_what_somebody_learns_later_is_not_shown_before(
    page: MindsPage, until: Until
) -> None:
    page.timeline.go_to(10)
    await until(lambda: len(page.map.ties) == 2)
    attitudes = {tie.stance.attitude for tie in page.map.ties}
    assert attitudes == {Attitude.HIDING, Attitude.KEPT}
    page.timeline.now.click()
    await until(lambda: len(page.map.ties) == 6)


async def test_a_moment_at_which_nobody_held_anything_says_so(
    page: MindsPage, until: Until
) -> None:
    page.timeline.go_to(0)
    await until(lambda: not page.map.isVisible())
    assert any("Nobody knew anything" in word for word in said(page))


async def test_the_table_says_the_same_as_the_map(page: MindsPage) -> None:
    QTest.keyClick(page.map, Qt.Key.Key_T)
    table = page.table
    assert table.isVisible()
    cells = {
        (table.matrix.topics[row].number, table.matrix.people[column].key, stance.attitude)
        for row in range(table.matrix.rowCount())
        for column in range(table.matrix.columnCount())
        for stance in table.matrix.stances(row, column)
    }
    ties = {(t.stance.proposition, t.stance.person, t.stance.attitude) for t in page.map.ties}
    assert cells == ties


async def test_the_table_is_read_out_cell_by_cell(page: MindsPage) -> None:
    page.commands.table.trigger()
    model = page.table.matrix
    row = next(n for n, t in enumerate(model.topics) if t.number == number(page, BOAT))
    column = next(n for n, p in enumerate(model.people) if p.name == "Ann Pike")
    spoken = model.data(model.index(row, column), Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == "The grey boat leaves at dawn: Ann Pike knows it"
    row = next(n for n, t in enumerate(model.topics) if t.number == number(page, SEAL))
    spoken = model.data(model.index(row, column), Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == "Hidden until you ask to see it: Ann Pike knows it"


async def test_return_in_the_table_chooses_person_and_matter(page: MindsPage) -> None:
    page.commands.table.trigger()
    model = page.table.matrix
    row = next(n for n, t in enumerate(model.topics) if t.number == number(page, BOAT))
    column = next(n for n, p in enumerate(model.people) if p.name == "Ann Pike")
    page.table.setCurrentIndex(model.index(row, column))
    QTest.keyClick(page.table, Qt.Key.Key_Return)
    assert (page.proposition, page.person) == (number(page, BOAT), key(page, "Ann Pike"))


async def test_arrows_walk_over_the_map(page: MindsPage) -> None:
    page.choose_proposition(number(page, SEAL))
    QTest.keyClick(page.map, Qt.Key.Key_Left)
    assert page.person
    chosen = page.map.people[page.person]
    assert chosen.x() < page.map.propositions[number(page, SEAL)].x()


async def test_a_message_of_the_chain_is_shown_in_the_story(
    page: MindsPage, demo_window: MainWindow, until: Until
) -> None:
    page.choose_proposition(number(page, SEAL))
    row = next(r for r in page.pane.findChildren(Row) if r.name.text() == "Bert → Ann")
    link = row.findChild(Link)
    assert link is not None
    link.click()
    assert demo_window.desk is not None
    assert demo_window.desk.page_key == "story"


async def test_a_line_of_the_lanes_leads_to_its_message(page: MindsPage) -> None:
    page.choose_proposition(number(page, BOAT))
    wanted: list[str] = []
    page.message_wanted.connect(wanted.append)
    lanes = page.timeline.lanes
    x = round(page.timeline.slider.axis.x(41)) + 3
    QTest.mouseClick(lanes, LEFT, Qt.KeyboardModifier.NoModifier, QPoint(x, 12))
    story = page._session.story
    assert story is not None
    assert wanted == [story.messages[41].anchor]


async def test_a_leak_of_the_newest_reply_is_listed_with_its_evidence(
    page: MindsPage, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    story = companion.story(demo_tavern.chat)
    assert story is not None
    assert not page.leak_strip.isVisible()
    await companion.memories.add(
        demo_tavern.chat,
        Tier.EPISTEMIC,
        "unaware",
        "that the ice goes out of the Saltholm channel in six weeks",
        subject="Captain Henrike Sloe",
        anchor=story.messages[120].anchor,
    )
    await until(lambda: page.minds is not None and len(page.minds.topics) == 4)
    page.timeline.go_to(142)
    QTest.keyClick(page.map, Qt.Key.Key_L)
    await until(page.leak_strip.isVisible)
    words = said(page.leak_strip)
    assert any("six weeks" in word and "“" in word for word in words)
    assert page.leak_strip.title.text() == "1 possible leak in #142"
    links = {link.text(): link for link in page.leak_strip.findChildren(Link)}
    wanted: list[str] = []
    page.message_wanted.connect(wanted.append)
    links["Evidence #120"].click()
    assert wanted == [story.messages[120].anchor]


async def test_a_leak_of_what_no_entry_holds_leads_to_no_matter_of_the_map(
    page: MindsPage, until: Until
) -> None:
    minds = page.minds
    assert minds is not None
    memory = Memory("told", 1, Tier.LONG_TERM, "event", "The ice went out in the night.")
    told = Standing(memory, Status.ACTIVE, 7)
    leak = Leak(LeakKind.ABSENT, "Midge Reck", "The ice went out.", 9, told, 7)
    page.leak_strip.show_leaks(minds, [leak], 9)
    await until(lambda: any("Midge Reck was not there" in w for w in said(page.leak_strip)))
    links = [link.text() for link in page.leak_strip.findChildren(Link)]
    assert links == ["Evidence #7", "Said in #9"]


async def test_a_reply_that_gives_nothing_away_is_said_so(page: MindsPage, until: Until) -> None:
    told: list[str] = []
    page._session.told.connect(told.append)
    QTest.keyClick(page.map, Qt.Key.Key_L)
    await until(lambda: bool(told))
    assert "reveals nothing" in told[0]


async def test_what_was_chosen_stays_chosen_when_more_is_remembered(
    page: MindsPage, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    page.choose_proposition(number(page, BOAT))
    story = companion.story(demo_tavern.chat)
    assert story is not None
    anchor = story.messages[1].anchor
    await companion.memories.add(
        demo_tavern.chat,
        Tier.EPISTEMIC,
        "knows",
        "that the cellar door has two keys",
        subject="Cora Lee",
        anchor=anchor,
    )
    await until(lambda: page.minds is not None and len(page.minds.topics) == 4)
    assert page.proposition == number(page, BOAT)


async def test_what_the_map_shows_stays_while_nothing_of_it_is_another(
    page: MindsPage, until: Until
) -> None:
    """All lines were drawn anew at each message, which took half of a frame."""
    page.choose_proposition(number(page, BOAT))
    people, ties, minds = dict(page.map.people), page.map.ties, page.minds
    page.refresh()
    await until(lambda: page.minds is not minds)
    for _ in range(5):  # it is shown piece by piece
        await asyncio.sleep(0)
    assert page.map.people == people
    assert page.map.ties is ties
    page.choose_nothing()
    assert not any(tie.is_faint for tie in ties)


async def test_a_story_of_which_nothing_is_known_offers_to_read_it(
    demo_window: MainWindow,
    companion: Companion,
    until: Until,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[Path] = []

    async def remember_now(path: Path) -> None:
        asked.append(path)

    monkeypatch.setattr(companion.remembered, "read_now", remember_now)
    demo_window.show_page("minds")
    page = demo_window.page
    assert isinstance(page, MindsPage)
    await until(page.empty.read.isVisible)
    QTest.mouseClick(page.empty.read, LEFT)
    await until(lambda: bool(asked))


async def test_what_waits_for_review_is_said_where_nobodys_mind_is_known(
    demo_window: MainWindow, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    """It said that nothing was found, and to read the story anew, while entries waited."""
    kind, who, text, at, more = ENTRIES[0]
    path, story = demo_tavern.chat, companion.story(demo_tavern.chat)
    assert story is not None
    anchor = story.messages[at].anchor
    await companion.memories.add(
        path, Tier.EPISTEMIC, kind, text, subject=who, anchor=anchor, **more
    )
    (found,) = companion.memory(path).of(Tier.EPISTEMIC)
    waiting = MemoryChange((replace(found.memory, review=Review.WAITING),))
    await companion._store.run(lambda: companion._store.memories.write(waiting))
    await companion.put_setting("context_tokens", 9000)
    demo_window.show_page("minds")
    page = demo_window.page
    assert isinstance(page, MindsPage)
    await until(page.empty.review.isVisible)
    assert page.empty.sentence.text().startswith("1 entry was found and waits for your review.")
    assert not page.empty.read.isVisible()
    QTest.mouseClick(page.empty.review, LEFT)
    assert isinstance(demo_window.page, MemoriesPage)


async def test_without_a_chat_the_welcome_stands_in_for_the_page(window: MainWindow) -> None:
    window.show_page("minds")
    assert not isinstance(window.page, MindsPage)


async def test_the_palette_finds_the_deeds_of_the_page(
    page: MindsPage, demo_window: MainWindow
) -> None:
    assert demo_window.desk is not None
    names = {action.text() for action, _ in demo_window.desk._shown_actions()}
    assert {"Minds", "Show the table", "Show secrets", "Check for leaks"} <= names


async def test_a_map_that_just_fits_comes_to_rest_at_every_height(
    page: MindsPage, demo_window: MainWindow, until: Until
) -> None:
    changes: list[object] = []
    page.map.scene().sceneRectChanged.connect(changes.append)
    for height in range(520, 780, 13):
        changes.clear()
        before = page.map.height()
        demo_window.resize(1360, height)
        await until(lambda before=before: page.map.height() != before)  # type: ignore[misc]
        assert len(changes) < 10


async def test_glyphs_keep_apart(page: MindsPage) -> None:
    spots = [tie.glyph for tie in page.map.ties]
    for n, one in enumerate(spots):
        for other in spots[n + 1 :]:
            apart = one - other
            assert abs(apart.x()) > 18 or abs(apart.y()) > 18


async def test_in_a_narrow_window_the_pane_comes_when_it_is_asked_for(
    page: MindsPage, demo_window: MainWindow, until: Until
) -> None:
    demo_window.resize(900, 860)
    await until(lambda: page.split.is_overlay)
    assert not page.split.is_pane_shown
    page.choose_proposition(number(page, BOAT))
    QTest.keyClick(page.map, Qt.Key.Key_Down)
    QTest.keyClick(page.map, Qt.Key.Key_Return)
    assert page.split.is_pane_shown


async def test_everything_that_takes_the_keyboard_has_a_name(page: MindsPage, until: Until) -> None:
    page.choose_proposition(number(page, SEAL))
    await until(lambda: bool(said(page.pane)))
    for widget in page.findChildren(QWidget):
        above = widget.parentWidget()
        is_viewport = isinstance(above, QAbstractScrollArea) and above.viewport() is widget
        takes_keys = bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus) and not is_viewport
        if takes_keys and widget.isVisible():
            assert widget.accessibleName(), (widget, above)


async def test_people_stay_in_view_on_a_map_that_is_longer_than_the_page(
    page: MindsPage, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    """Only matters and lines that led out of the picture were seen of a hundred of them."""
    story = companion.story(demo_tavern.chat)
    assert story is not None
    things = [
        *("anchor", "barrel", "candle", "dagger", "engine", "feather", "garnet", "hammer"),
        *("inkwell", "jewel", "kettle", "lantern", "mirror", "needle", "orchard", "pistol"),
        *("quiver", "ribbon", "saddle", "teapot"),
    ]
    for n, thing in enumerate(things):
        who = ("Ann Pike", "Bert Marsh")[n % 2]
        matter = f"that {thing} {things[(n + 3) % 20]} {things[(n * 7 + 5) % 20]} vanished"
        anchor = story.messages[20 + n].anchor
        await companion.memories.add(
            demo_tavern.chat, Tier.EPISTEMIC, "knows", matter, subject=who, anchor=anchor
        )
    view = page.map
    bar = view.verticalScrollBar()
    await until(lambda: len(view.ties) >= 20 and bar.maximum() > 200)
    for at in (0, bar.maximum() // 2, bar.maximum(), 0):
        bar.setValue(at)
        seen = view.mapToScene(view.viewport().rect()).boundingRect().adjusted(-1, -1, 1, 1)
        for person in view.people.values():
            assert seen.contains(person.sceneBoundingRect()), (at, person.name)
        for tie in view.ties:
            start = tie.path.elementAt(0)
            assert abs(start.y - view.people[tie.stance.person].y()) < PERSON_DISC


async def test_the_map_is_read_anew_when_other_chats_are_left_out(
    page: MindsPage, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    def is_alone() -> bool:
        return page._minds is not None and page._minds.view.is_alone

    await companion.put_setting("other_chats_enabled", False, path=demo_tavern.chat)
    await until(is_alone)
    await companion.put_setting("other_chats_enabled", True, path=demo_tavern.chat)
    await until(lambda: not is_alone())
