"""The window with the demo story: what it shows, what it asks for, and that a keyboard suffices."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from app.companion import Companion
from app.core.operations import OperationStatus
from tests.e2e.sillytavern import dialogue, write_chat
from tests.labelled import WrittenTavern
from tests.ui.tabbing import excludes_others
from ui.controls.buttons import Button
from ui.controls.fields import MORE
from ui.controls.labels import Label
from ui.first_run.welcome import WelcomePage
from ui.inspector.inspector import Inspector
from ui.program.main_window import MainWindow
from ui.program.story_stage import StoryStage
from ui.prompt.page import PromptPage
from ui.recaps.page import RecapsPage
from ui.settings.page import SettingsPage
from ui.theme import LIGHT, ThemeChoice, current_tokens, theme
from ui.work.page import WorkPage

Until = Callable[[Callable[[], bool]], Awaitable[None]]
PAGES = ("story", "recaps", "memories", "prompt", "work", "settings")


def story_stage(window: MainWindow) -> StoryStage:
    window.show_page("story")
    assert isinstance(window.page, StoryStage)
    return window.page


def focusable(window: QWidget) -> list[QWidget]:
    """What Tab may reach and the eye may see."""
    return [
        widget
        for widget in window.findChildren(QWidget)
        if widget.isVisible()
        and widget.isEnabled()
        and widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        and widget.focusProxy() is None
    ]


async def test_the_demo_story_stands_on_the_stage(
    demo_window: MainWindow, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    stage = story_stage(demo_window)
    story = companion.story(demo_tavern.chat)
    assert story is not None
    current = story.running.current
    assert current is not None
    await until(lambda: stage.inspector.shown_text == current.content)
    assert len(stage.page.story.messages) == len(story.messages)
    assert f"{len(story.messages)} messages" in demo_window.frame.card.toolTip()


@pytest.mark.weakness(17)
async def test_choosing_a_version_makes_it_current(
    demo_window: MainWindow, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    stage = story_stage(demo_window)
    choice = stage.inspector.version_choice
    await until(lambda: choice.count() > 2)
    wanted = int(choice.itemText(2).partition(MORE)[0].removeprefix("v")) - 1
    choice.setCurrentIndex(2)
    choice.activated.emit(2)

    def current() -> int | None:
        story = companion.story(demo_tavern.chat)
        return story.running.current_version if story is not None else None

    await until(lambda: current() == wanted)
    await until(lambda: choice.currentIndex() == 2)
    await until(lambda: demo_window.actions_["undo"].isEnabled())
    assert demo_window.actions_["undo"].text().startswith("Undo: ")
    demo_window.actions_["undo"].trigger()
    await until(lambda: current() != wanted)


async def test_the_button_that_ends_a_scene_says_with_which_message(
    demo_window: MainWindow,
) -> None:
    stage = demo_window.page
    assert isinstance(stage, StoryStage)
    buttons = [b for b in demo_window.findChildren(Button) if b.isVisible()]
    (button,) = [b for b in buttons if b.text() == "Break scene here"]
    for message in (140, 141):
        stage.page.view.jump_to(message, selects=True)
        assert button.toolTip() == f"End the scene with #{message}. (B)"


async def test_an_edit_of_the_running_recap_is_a_new_version(
    demo_window: MainWindow, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    demo_window.show_page("recaps")
    page = demo_window.page
    assert isinstance(page, RecapsPage)
    await until(lambda: page.model.rowCount() > 1)
    versions = page.model.rowCount()
    QTest.mouseClick(page.reading.edit, Qt.MouseButton.LeftButton)
    prose = page.reading.text.prose
    prose.setPlainText("Everyone went home.")
    QTest.keyClick(prose, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    await until(lambda: page.model.rowCount() == versions + 1)
    story = companion.story(demo_tavern.chat)
    assert story is not None
    assert story.running.current is not None
    assert story.running.current.content == "Everyone went home."


@pytest.mark.weakness(25)
async def test_the_prompt_page_shows_the_exact_text(
    demo_window: MainWindow, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    demo_window.show_page("prompt")
    page = demo_window.page
    assert isinstance(page, PromptPage)
    slots = await companion.slots(demo_tavern.chat)
    assert slots.slots
    await until(lambda: set(page.cards) == {slot.key for slot in slots.slots})
    for slot in slots.slots:
        assert page.cards[slot.key].exact_text == (slot.text or "Empty.")


@pytest.mark.pitfall(60)
async def test_the_queue_is_shown_and_can_be_cancelled(
    window: MainWindow, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    assert window.desk is not None
    companion.work.pause()
    window.show_page("work")
    page = window.page
    assert isinstance(page, WorkPage)
    await window.desk.session.open_path(demo_tavern.chat)
    window.show_page("work")
    await until(lambda: page.model.rowCount() > 0)
    waiting = page.model.operation(0)
    assert waiting is not None
    assert waiting.status is OperationStatus.PENDING
    page.table.select_row(0)
    QTest.keyClick(page.table, Qt.Key.Key_Delete)

    def status() -> OperationStatus:
        found = [op.status for op in companion.work.operations if op.id == waiting.id]
        return found[0]

    await until(lambda: status() is OperationStatus.CANCELLED)


async def test_a_failure_is_said_on_the_page_and_stops_nothing(
    window: MainWindow, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    window.open_path(demo_tavern.chat.with_name("gone.jsonl"))
    await until(lambda: bool(window.frame.notice.sentence))
    window.open_path(demo_tavern.chat)
    await until(lambda: window.desk is not None and window.desk.session.path is not None)
    assert window.frame.notice.sentence == ""


async def test_a_setting_is_in_force_at_once(
    demo_window: MainWindow, companion: Companion, until: Until
) -> None:
    demo_window.show_page("settings")
    page = demo_window.page
    assert isinstance(page, SettingsPage)
    page.put("running_recap_budget", 600)
    await until(lambda: companion.settings["running_recap_budget"] == 600)
    page.put("theme", "light")
    await until(lambda: current_tokens() is LIGHT)
    theme.set_choice(ThemeChoice.DARK)


async def test_a_setting_out_of_range_is_refused_with_a_sentence(
    demo_window: MainWindow, companion: Companion, until: Until
) -> None:
    demo_window.show_page("settings")
    page = demo_window.page
    assert isinstance(page, SettingsPage)
    page.put("running_recap_budget", 1)
    await until(lambda: "below" in demo_window.frame.notice.sentence)
    assert companion.settings["running_recap_budget"] == 1000


async def test_everything_that_takes_the_focus_has_a_name(demo_window: MainWindow) -> None:
    nameless = []
    for key in PAGES:
        demo_window.show_page(key)
        nameless += [
            (key, type(widget).__name__)
            for widget in focusable(demo_window)
            if not widget.accessibleName()
        ]
    assert nameless == []


async def test_tab_reaches_everything_on_a_page(demo_window: MainWindow) -> None:
    missed = []
    for key in PAGES:
        demo_window.show_page(key)
        demo_window.activateWindow()
        wanted = focusable(demo_window)
        wanted[0].setFocus(Qt.FocusReason.TabFocusReason)
        reached = {wanted[0]}
        for _ in range(3 * len(wanted)):
            demo_window.focusNextPrevChild(True)
            reached.add(QApplication.focusWidget() or wanted[0])
        missed += [
            (key, type(widget).__name__, widget.accessibleName())
            for widget in wanted
            if widget not in reached and not excludes_others(widget)
        ]
    assert missed == []


@pytest.mark.parametrize(
    ("width", "navigator", "inspector"),
    [(1360, True, True), (1050, False, True), (900, False, False)],
)
async def test_side_panes_give_way_in_a_narrow_window(
    demo_window: MainWindow, width: int, navigator: bool, inspector: bool
) -> None:
    stage = story_stage(demo_window)
    demo_window.resize(width, 800)
    assert stage.navigator.isVisible() is navigator
    assert stage.inspector.isVisible() is inspector
    if not inspector:
        demo_window.actions_["pane.right"].trigger()
        assert stage.inspector.isVisible()


async def test_the_status_bar_says_what_the_companion_says(
    demo_window: MainWindow, companion: Companion
) -> None:
    for key in ("sillytavern", "bridge", "reading", "queue", "backend"):
        assert demo_window.frame.status.sentence(key) == getattr(companion.health, key).sentence


async def test_every_page_is_reached_by_its_key(demo_window: MainWindow) -> None:
    demo_window.activateWindow()
    for key in PAGES:
        demo_window.actions_[f"page.{key}"].trigger()
        assert demo_window.current_state().page == key


async def test_the_window_opens_as_it_was_closed(
    demo_window: MainWindow, demo_tavern: WrittenTavern
) -> None:
    demo_window.show_page("work")
    demo_window.frame.navigator_split.set_pane_width(300)
    state = demo_window.current_state()
    assert (state.page, state.navigator_width) == ("work", 300)
    assert state.last_chat == str(demo_tavern.chat)


async def test_a_pane_that_is_built_late_shows_the_story_that_is_open(
    demo_window: MainWindow, until: Until
) -> None:
    early = story_stage(demo_window).inspector
    await until(lambda: bool(early.shown_text))
    assert demo_window.desk is not None
    late = Inspector(demo_window.desk.session, QAction())
    assert late.shown_text == early.shown_text
    assert late.version_choice.count() == early.version_choice.count()


async def test_a_recap_without_text_says_whether_a_scene_has_closed(
    demo_window: MainWindow, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    path = demo_tavern.chat.with_name("Short.jsonl")
    write_chat(path, dialogue("The lamp is out.", "Then we wait."))
    assert demo_window.desk is not None
    await demo_window.desk.session.open_path(path)
    pane = story_stage(demo_window).inspector
    await until(lambda: pane.empty_words.startswith("No scene has ended yet."))
    story = companion.story(path)
    assert story is not None
    await companion.edits.scenes.mark(path, story.messages[-1].anchor)
    await until(lambda: pane.empty_words.startswith("No finished scene has been added yet."))


async def test_the_window_goes_on_with_a_chat_that_was_renamed(
    demo_window: MainWindow, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    assert demo_window.desk is not None
    session, renamed = demo_window.desk.session, demo_tavern.chat.with_name("Another name.jsonl")
    before = session.story
    demo_tavern.chat.rename(renamed)
    await companion.open_story(renamed)  # as for the page that shows it
    await until(lambda: session.path == renamed)
    assert before is not None
    assert session.story is not None
    assert session.story.running == before.running
    assert demo_window.current_state().last_chat == str(renamed)


async def test_an_empty_page_says_what_it_is_for(window: MainWindow) -> None:
    said, heights = {}, set()
    for page in ("story", "recaps", "memories", "minds", "budgets", "prompt"):
        window.show_page(page)
        shown = window.page
        assert isinstance(shown, WelcomePage)
        said[page] = shown.sentence
        shown.grab()
        heights.add(next(one.y() for one in shown.findChildren(Label) if one.text()))
    assert len(heights) == 1  # titles do not jump from page to page
    assert len(set(said.values())) == len(said)
    assert "No chat is open." in said["memories"]
    assert "No chat is open." not in said["story"]
