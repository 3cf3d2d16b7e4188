"""What the window says by itself: what a reading found, what was undone, what a page shows."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget

from app.companion import Companion
from app.core.part_health import Health, HealthItem, Light
from app.story.clearance import Clearance
from app.views.asked_cost import AskedCost
from tests.labelled import WrittenTavern
from tests.ui.samples import message, story
from ui.core.window_state import WindowState
from ui.library.chats import CHAT_ROLE, IN_PAGE_ROLE
from ui.offers.clearing import clearing_sentence
from ui.offers.sync_news import news_sentence
from ui.program.main_window import MainWindow
from ui.shell.status_bar import StatusBar, StatusItem

Until = Callable[[Callable[[], bool]], Awaitable[None]]


def test_a_reading_says_what_was_found() -> None:
    old = story(4, ())
    shown = (*old.messages[:2], message(2, "Other words."), message(7), message(8))
    after = replace(old, messages=shown)
    assert news_sentence(old, after, 2) == "2 new messages, 1 changed, 1 gone, 2 new chats."
    assert news_sentence(old, old, 0) == "Up to date: #3 is the newest message."
    assert news_sentence(None, None, -1) == "1 chat gone."
    assert news_sentence(None, None, 0) == "Up to date."


async def test_sync_says_that_nothing_is_new_and_then_what_is(
    demo_window: MainWindow, demo_tavern: WrittenTavern, until: Until
) -> None:
    status, sync = demo_window.frame.status, demo_window.actions_["sync"]
    sync.trigger()
    await until(lambda: status.said.startswith("Up to date: #"))
    lines = demo_tavern.chat.read_text("utf-8").splitlines()
    demo_tavern.chat.write_text("\n".join(lines[:-2]), "utf-8")
    sync.trigger()
    await until(lambda: status.said == "2 gone.")


async def test_what_is_undone_and_redone_is_said(
    demo_window: MainWindow, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    told = companion.story(demo_tavern.chat)
    assert told is not None
    await companion.edits.scenes.mark(demo_tavern.chat, told.messages[2].anchor)
    await until(demo_window.actions_["undo"].isEnabled)
    demo_window.actions_["undo"].trigger()
    await until(lambda: demo_window.frame.status.said == "Undone: scene break at #2")
    notice = demo_window.frame.notice
    await until(lambda: notice.sentence == "Undone: scene break at #2")
    assert notice.way_on == "Redo"
    await until(demo_window.actions_["redo"].isEnabled)
    notice.take_up()
    await until(lambda: demo_window.frame.status.said == "Redone: scene break at #2")
    assert notice.sentence != "Undone: scene break at #2"


def test_a_moments_word_gives_way_to_what_goes_on(dressed: QApplication) -> None:
    bar = StatusBar()
    bar.keep_telling("Looking for scene breaks")
    bar.tell("Undone: scene break at #2")
    assert bar.said == "Undone: scene break at #2"
    bar._moment.timeout.emit()
    assert bar.said == "Looking for scene breaks"
    bar._moment.stop()
    bar.keep_telling("")
    assert bar.said == ""
    bar.deleteLater()


@pytest.fixture
def other_chat(demo_tavern: WrittenTavern) -> Path:
    """A second chat of the same character."""
    other = demo_tavern.chat.with_name("Another evening.jsonl")
    shutil.copy(demo_tavern.chat, other)
    return other


async def test_that_the_page_shows_another_chat_is_said_whatever_else_is_told(
    demo_window: MainWindow,
    companion: Companion,
    other_chat: Path,
    monkeypatch: pytest.MonkeyPatch,
    until: Until,
) -> None:
    notice, banner = demo_window.frame.notice, demo_window.frame.banner
    pages: tuple[Path, ...] = ()
    monkeypatch.setattr(Companion, "chats_in_pages", property(lambda _self: pages))

    def show(*paths: Path) -> None:
        nonlocal pages
        pages = paths
        companion.health_changed.emit(companion.health)

    await companion.put_setting("follow_page", False)
    demo = demo_window.desk.session.path  # type: ignore[union-attr]
    assert demo is not None
    show(other_chat)
    # It stood behind whatever else was told, and went with Esc.
    notice.offer("else", "Something else.")
    assert banner.sentence == "SillyTavern shows another chat: Another evening."
    notice.close_shown()
    assert banner.sentence
    show(demo)
    assert banner.sentence == ""
    show(other_chat)
    assert banner.way_on == "Open it"
    banner.take_up()
    await until(lambda: demo_window.desk.session.path == other_chat)  # type: ignore[union-attr]
    assert banner.sentence == ""


async def test_the_window_follows_the_page_but_not_away_from_what_was_chosen(
    demo_window: MainWindow,
    companion: Companion,
    other_chat: Path,
    monkeypatch: pytest.MonkeyPatch,
    until: Until,
) -> None:
    desk, notice = demo_window.desk, demo_window.frame.banner
    assert desk is not None
    demo = desk.session.path
    assert demo is not None
    third = other_chat.with_name("A third evening.jsonl")
    pages: tuple[Path, ...] = ()
    monkeypatch.setattr(Companion, "chats_in_pages", property(lambda _self: pages))

    def show(*paths: Path) -> None:
        nonlocal pages
        pages = paths
        companion.health_changed.emit(companion.health)

    demo_window.show_page("recaps")
    show(third)  # new, and nothing written in it yet
    assert desk.session.path == demo
    show(other_chat)
    await until(lambda: desk.session.path == other_chat)
    assert notice.sentence == ""
    assert desk.page_key == "recaps"
    show(demo)
    await until(lambda: desk.session.path == demo)

    await desk.session.open_path(other_chat)  # on purpose
    show(demo)
    assert desk.session.path == other_chat
    assert notice.sentence.startswith("SillyTavern shows ")
    assert notice.way_on == "Go back to it"
    notice.take_up()
    await until(lambda: desk.session.path == demo)
    assert notice.sentence == ""
    show(other_chat)
    await until(lambda: desk.session.path == other_chat)


async def test_words_being_written_are_not_torn_away(
    demo_window: MainWindow,
    companion: Companion,
    other_chat: Path,
    monkeypatch: pytest.MonkeyPatch,
    until: Until,
) -> None:
    desk = demo_window.desk
    assert desk is not None
    demo = desk.session.path
    writing = QLineEdit(demo_window)
    writing.show()
    writing.setFocus()
    QTest.keyClicks(writing, "Ada")
    await until(writing.hasFocus)
    monkeypatch.setattr(Companion, "chats_in_pages", property(lambda _self: (other_chat,)))
    companion.health_changed.emit(companion.health)
    assert desk.session.path == demo
    assert demo_window.frame.banner.way_on == "Go back to it"
    writing.hide()
    companion.health_changed.emit(companion.health)
    await until(lambda: desk.session.path == other_chat)


async def test_the_chat_of_the_page_is_marked_in_the_list(
    demo_window: MainWindow,
    companion: Companion,
    other_chat: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    await companion.sync()
    monkeypatch.setattr(Companion, "chats_in_pages", property(lambda _self: (other_chat,)))
    desk = demo_window.desk
    assert desk is not None
    desk.open_chats()
    model = desk._popover._model
    rows = [model.index(row) for row in range(model.rowCount())]
    marked = [row.data(CHAT_ROLE).path for row in rows if row.data(IN_PAGE_ROLE)]
    assert marked == [other_chat]


async def test_a_click_on_a_notice_leaves_the_keyboard_where_it_was(
    demo_window: MainWindow,
) -> None:
    view = demo_window.desk.story_stage.page.view  # type: ignore[union-attr]
    notice = demo_window.frame.notice
    demo_window.activateWindow()
    view.setFocus()
    notice.offer("one", "Something could be done.", way_on="Do it")
    QTest.mouseClick(notice._way_on, Qt.MouseButton.LeftButton)
    assert notice.isHidden()
    assert QApplication.focusWidget() is view
    notice.offer("one", "Something could be done.", way_on="Do it")
    notice._way_on.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(notice._way_on, Qt.Key.Key_Space)
    assert notice.isHidden()
    assert QApplication.focusWidget() is view


async def test_the_word_to_reload_stays_until_a_page_has_the_bridge(
    window: MainWindow, companion: Companion, until: Until
) -> None:
    window._restore(WindowState(is_set_up=True).to_text())
    window.begin()
    notice = window.frame.notice
    await until(lambda: notice.way_on == "Install the bridge")
    notice.take_up()
    assert notice.sentence == "Installing the bridge"
    await until(lambda: "Reload" in notice.sentence)
    await companion.sync()
    assert window.desk is not None
    window.desk.session.library_changed.emit()
    folder = companion.taverns[0].user_folder
    await window.desk.banners.first_steps._offer_bridge(folder)
    assert "Reload" in notice.sentence
    health = companion.health
    companion.health_changed.emit(replace(health, bridge=replace(health.bridge, light=Light.GOOD)))
    assert notice.sentence == ""


async def test_where_a_recap_comes_from_is_told_whole_and_as_plain_text(
    demo_window: MainWindow, until: Until
) -> None:
    origin = demo_window.desk.story_stage.inspector._origin  # type: ignore[union-attr]
    height = origin.height()
    origin.setText("Scenes 1–13, written 20:41 by built-in, since <b>a model</b> gave nothing " * 2)
    assert origin.textFormat() is Qt.TextFormat.PlainText
    await until(lambda: origin.height() > height)
    assert origin.height() >= origin.heightForWidth(origin.width())


async def test_clearing_a_chat_says_first_what_goes_and_is_one_step_back(
    demo_window: MainWindow, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    assert demo_window.desk is not None
    stage = demo_window.desk.story_stage
    assert stage is not None
    notice, page = demo_window.frame.notice, stage.page
    await companion.put_setting("scene_breaks_auto", False)
    before = companion.story(demo_tavern.chat)
    assert before is not None
    page.story_actions.clear_all.trigger()
    await until(lambda: notice.way_on == "Clear them all")
    ended = sum(scene.is_closed for scene in before.scenes)
    assert f" {ended} scene breaks, {ended} scene recaps and " in notice.sentence
    assert "with data" not in notice.sentence
    assert "Messages and memories stay. Undo brings all of it back." in notice.sentence
    assert "Making it anew" not in notice.sentence  # no model is asked here
    assert page.story.breaks == before.breaks
    notice.take_up()
    await until(lambda: demo_window.frame.status.said.startswith("Cleared: "))
    assert len(page.story.scenes) == 1
    await companion.settled(demo_tavern.chat)
    await companion.edits.undo(demo_tavern.chat)
    assert page.story.breaks == before.breaks


async def test_what_the_extension_wrote_is_said_first_and_taken_in_in_one_step(
    demo_window: MainWindow, demo_tavern: WrittenTavern, companion: Companion, until: Until
) -> None:
    assert demo_window.desk is not None
    stage = demo_window.desk.story_stage
    assert stage is not None
    notice, page, status = demo_window.frame.notice, stage.page, demo_window.frame.status
    page.story_actions.take_in.trigger()
    await until(lambda: status.said.startswith("Other extensions left nothing"))
    header, *lines = demo_tavern.chat.read_text().splitlines()
    last = json.loads(lines[60])
    last["extra"] = {"auto_recap_memory": {"scene_break": True, "scene_recap_memory": "Theirs."}}
    lines[60] = json.dumps(last)
    demo_tavern.chat.write_text("\n".join([header, *lines]))
    page.story_actions.take_in.trigger()
    await until(lambda: notice.way_on == "Import")
    assert "From ST-Auto-Recap: 1 scene break and 1 scene recap." in notice.sentence
    before = len(page.story.breaks)
    notice.take_up()
    await until(lambda: status.said == "Imported: 1 scene break and 1 scene recap")
    await until(lambda: len(page.story.breaks) == before + 1)
    await companion.settled(demo_tavern.chat)
    await companion.edits.undo(demo_tavern.chat)
    assert page.story.messages[60].anchor not in page.story.breaks


@pytest.mark.parametrize(("light", "is_shown"), [(Light.BAD, True), (Light.GOOD, False)])
def test_a_bad_fact_is_cut_before_it_is_left_out(
    dressed: QApplication, light: Light, is_shown: bool
) -> None:
    facts = {key: HealthItem(key, Light.GOOD, "A fact") for key in ("sillytavern", "bridge")}
    more = {key: HealthItem(key, Light.GOOD, "A fact") for key in ("reading", "queue")}
    long = HealthItem("backend", light, "The model answered with nothing, twice. " * 9)
    bar = StatusBar()
    bar.resize(900, 28)
    bar.show()
    bar.show_health(Health(**facts, **more, backend=long))
    QApplication.processEvents()
    item = next(item for item in bar.findChildren(StatusItem) if item.key == "backend")
    assert item.isVisible() is is_shown
    assert not is_shown or 140 <= item.width() < bar.width() - item.x() <= 900
    bar.deleteLater()


def test_what_went_wrong_is_said_whole_before_all_that_did_not(dressed: QApplication) -> None:
    """At 1,100 pixels a server that was away was told in half a sentence."""
    good = "A fact that is as long as such facts are"
    facts = {key: HealthItem(key, Light.GOOD, good) for key in ("sillytavern", "bridge", "reading")}
    queue = HealthItem("queue", Light.GOOD, good)
    said = "12 to do: No answer from http://localhost:5001. Is the model's server running?"
    bar = StatusBar()
    bar.resize(1100, 28)
    bar.show()
    bar.show_health(Health(**facts, queue=queue, backend=HealthItem("backend", Light.BAD, said)))
    QApplication.processEvents()
    shown = [item for item in bar.findChildren(StatusItem) if item.isVisible()]
    assert {item.key for item in shown} >= {"sillytavern", "backend"}
    assert all(item.width() >= item.sizeHint().width() for item in shown)
    bar.deleteLater()


def test_what_went_wrong_for_good_leaves_the_other_facts_their_half(dressed: QApplication) -> None:
    """At 130 % one long failure pushed bridge, reading and work out, as long as it stood."""
    said = "A model: no profile, it answered without any of the requested sections. " * 2
    facts = {
        "sillytavern": "SillyTavern connected",
        "bridge": "Bridge 0.4.4, 1 page",
        "reading": "Read to #3010, 15:36",
        "queue": "Catching up, 242 of 676",
    }
    good = {key: HealthItem(key, Light.GOOD, words) for key, words in facts.items()}
    bar = StatusBar()
    bar.show()
    bar.show_health(Health(**good, backend=HealthItem("backend", Light.BAD, said)))

    def shown(width: int) -> list[str]:
        bar.resize(width, 28)
        QApplication.processEvents()
        return [item.key for item in bar.findChildren(StatusItem) if item.isVisible()]

    assert {"bridge", "sillytavern", "queue", "backend"} <= set(shown(1050))
    gone = [
        next(k for k in facts if k not in shown(w))
        for w in range(1400, 200, -10)
        if len(shown(w)) == 4
    ][:1]
    assert gone == ["reading"]
    assert set(shown(380)) == {"bridge", "backend"}  # the bridge's word goes last
    bar.deleteLater()


def test_facts_come_back_when_a_long_word_of_the_moment_is_gone(dressed: QApplication) -> None:
    names = ("sillytavern", "bridge", "reading", "queue", "backend")
    bar = StatusBar()
    bar.resize(1050, 28)
    bar.show()
    bar.show_health(Health(**{key: HealthItem(key, Light.GOOD, "A plain fact") for key in names}))

    def shown() -> set[str]:
        QApplication.processEvents()
        return {item.key for item in bar.findChildren(StatusItem) if item.isVisible()}

    assert shown() == set(names)
    bar.tell("Written: a file with a name that is long, as names of chats are. " * 4)
    assert shown() >= {"said", "bridge", "sillytavern", "queue"}
    bar._moment.timeout.emit()
    bar._moment.stop()
    assert shown() == set(names)
    bar.deleteLater()


@pytest.mark.parametrize("width", [1000, 1280])
def test_a_word_of_the_moment_is_said_whole(dressed: QApplication, width: int) -> None:
    """It was cut in the middle beside facts that could wait for seven seconds."""
    good = "Up to date with the chat until #144, 18:27"
    names = ("sillytavern", "bridge", "reading", "queue", "backend")
    bar = StatusBar()
    bar.resize(width, 28)
    bar.show()
    bar.show_health(Health(**{key: HealthItem(key, Light.GOOD, good) for key in names}))
    said = "All kinds of memory share one total now. The next prompt gets 1,912 tokens of memory "
    bar.tell(f"{said} instead of 2,104; the budgets of before come back with undo.")
    QApplication.processEvents()
    assert bar._said.width() >= bar._said.sizeHint().width()
    assert bar._said.x() + bar._said.width() <= width - 12
    bar.deleteLater()


@pytest.mark.parametrize("width", [1000, 1100])
def test_facts_that_matter_least_give_way_to_what_went_wrong(
    dressed: QApplication, width: int
) -> None:
    """ "It is tried again by itself." was cut off to say which model is used."""
    facts = {
        "sillytavern": "SillyTavern connected",
        "bridge": "Bridge 0.4.4, 1 page",
        "reading": "Nothing read yet",
        "backend": "a-model:14b",
    }
    good = {key: HealthItem(key, Light.GOOD, words) for key, words in facts.items()}
    said = "12 waiting: No answer from http://localhost:5001. Is the model's server running? "
    queue = HealthItem("queue", Light.BAD, f"{said}It is tried again by itself.")
    bar = StatusBar()
    bar.resize(width, 28)
    bar.show()
    bar.show_health(Health(**good, queue=queue))
    QApplication.processEvents()
    shown = {item.key: item for item in bar.findChildren(StatusItem) if item.isVisible()}
    assert set(shown) >= {"sillytavern", "bridge", "queue"}
    assert shown["queue"].width() >= shown["queue"].sizeHint().width()
    bar.deleteLater()


async def test_a_notice_moves_nothing_when_it_comes_and_goes(
    demo_window: MainWindow, until: Until
) -> None:
    frame = demo_window.frame
    notice, page = frame.notice, demo_window.page
    assert page is not None
    for offered in tuple(notice._offers):
        notice.withdraw(offered)
    await until(notice.isHidden)
    assert demo_window.desk is not None
    assert demo_window.desk.story_stage is not None
    view = demo_window.desk.story_stage.page.view
    # The pointer is on the story: else it follows its end, to stay above what covers its foot.
    view.setAttribute(Qt.WidgetAttribute.WA_UnderMouse)
    places = {w: w.mapTo(demo_window, QPoint(0, 0)) for w in page.findChildren(QWidget)}
    sizes = {widget: widget.size() for widget in places}
    notice.say("Something failed, and is told in a sentence that is long. " * 6)
    await until(lambda: notice.isVisible() and notice.height() > 40)
    await asyncio.sleep(0.02)
    area = frame.stack.parentWidget()
    assert area is not None
    assert area.rect().contains(notice.geometry())
    assert notice._sentence.heightForWidth(notice._sentence.width()) <= notice._sentence.height()
    for widget, place in places.items():
        assert widget.mapTo(demo_window, QPoint(0, 0)) == place
        assert widget.size() == sizes[widget]
    notice.close_shown()


def test_what_making_all_anew_takes_is_said_before_it_is_cleared() -> None:
    shown = Clearance(scene_breaks=300, scene_recaps=299, running_versions=302)
    cost = AskedCost(requests=598, prompt_tokens=900_000, price=0.004, searches=12)
    said = clearing_sentence(shown, cost)
    assert "300 scene breaks, 299 scene recaps and 302 running recap versions" in said
    assert "Making it anew takes 598 requests to the model, 12 of them to find where" in said
    assert "about 900,000 tokens, about 0.004 at your prices" in said
    said = clearing_sentence(shown, replace(cost, kept=3))
    assert "The rest takes 598 requests" in said
    said = clearing_sentence(shown, AskedCost(kept=3))
    assert said.endswith("What the model has answered for the same text comes back by itself.")
