"""How the window comes to look as in its pictures: a page, a sheet or a step, posed."""

from __future__ import annotations

from PySide6.QtWidgets import QTableView

from app.story.comparison import Choice
from ui.budgets.page import BudgetsPage
from ui.memories.listing.rail import PEOPLE, TEXTS
from ui.memories.page import MemoriesPage
from ui.minds.page import MindsPage
from ui.program.main_window import MainWindow
from ui.program.safe_start import SAFE, SafeStartOffer, say_safe
from ui.prompt.page import PromptPage
from ui.recaps.page import RecapsPage
from ui.settings.page import SettingsPage
from ui.work.page import USE, WorkPage

QUERY = "lantern"
BROKEN_SCENE = 1


def show_use(window: MainWindow) -> None:
    """Show what models were asked for."""
    window.show_page("work")
    page = window.page
    assert isinstance(page, WorkPage)
    page.show_view(USE)


def show_macros(window: MainWindow) -> None:
    """Show the list of macros below the prompt to come."""
    window.show_page("prompt")
    page = window.page
    assert isinstance(page, PromptPage)
    page.commands.macros.trigger()


def show_colours(window: MainWindow, view: str) -> None:
    """Show the story in one of the two views of its colours."""
    window.show_page("story")
    desk = window.desk
    assert desk is not None
    assert desk.story_stage is not None
    desk.story_stage.navigator.view_chosen.emit(view)


def break_scene(window: MainWindow) -> None:
    """End a scene with a message that is far from the end of the list of scenes."""
    window.show_page("story")
    desk = window.desk
    assert desk is not None
    assert desk.story_stage is not None
    page = desk.story_stage.page
    scene = page.story.scenes[BROKEN_SCENE]
    if scene.length > 1:
        page.show_message(scene.first)
        page.break_here.trigger()


def show_step(window: MainWindow, number: int) -> None:
    """Show a step of the first run, by its place."""
    window.set_up()
    assert window.first_run is not None
    window.first_run.rail.rows[number].click()


def compare_versions(window: MainWindow) -> None:
    """Put the newest version beside the one before and choose some of its words."""
    window.show_page("recaps")
    page = window.page
    assert isinstance(page, RecapsPage)
    if not page.is_comparing:
        page.compare_shown()
        page.comparison.take(1, Choice.LEFT)
        page.comparison.take(0, Choice.RIGHT)


def read_recaps(window: MainWindow) -> None:
    """Show the running recap."""
    window.show_page("recaps")
    page = window.page
    assert isinstance(page, RecapsPage)
    page.rail.choose("")


def show_minds(window: MainWindow, *, as_table: bool = False) -> None:
    """Show who knows what, with all secrets."""
    window.show_page("minds")
    page = window.page
    assert isinstance(page, MindsPage)
    page.veil.lift(True)
    (page.commands.table if as_table else page.commands.map).trigger()


def show_budgets(window: MainWindow) -> None:
    """Show what each slot may take."""
    window.show_page("budgets")
    page = window.page
    assert isinstance(page, BudgetsPage)
    page.choose("epistemic")


def show_people(window: MainWindow) -> None:
    """Show who and what the memories are about, one of them chosen, to be merged."""
    window.show_page("memories")
    page = window.page
    assert isinstance(page, MemoriesPage)
    page.rail.choose(PEOPLE)
    table = page.people.findChild(QTableView)
    if table is not None:
        table.selectRow(0)
    first = page.people.bonds.topLevelItem(0)
    if first is not None:
        first.setExpanded(True)


def show_texts(window: MainWindow) -> None:
    """Show the written texts among the memories."""
    window.show_page("memories")
    page = window.page
    assert isinstance(page, MemoriesPage)
    page.rail.choose(TEXTS)


def show_lore(window: MainWindow) -> None:
    """Show what scenes gave for a lorebook."""
    window.show_page("recaps")
    page = window.page
    assert isinstance(page, RecapsPage)
    page.rail.show_lore()


def open_prompts(window: MainWindow) -> None:
    """Show the prompts of the settings."""
    window.show_page("settings")
    page = window.page
    assert isinstance(page, SettingsPage)
    page.open_prompts()


def change_prompt(window: MainWindow) -> None:
    """Write a prompt otherwise, and show the difference to ours."""
    window.show_page("settings")
    page = window.page
    assert isinstance(page, SettingsPage)
    editor = page.open_prompts().editor
    if not editor.is_changed:
        text = editor.system.text
        text = text.replace("two to six words", "two or three words", 1)
        text = text.replace("- Plain words.", "- Plain words, and the names that people use.", 1)
        editor.system.replace_text(text)
    editor.show_mode("difference")


def search_all(window: MainWindow, query: str) -> None:
    """Open the search in all chats; "" shows how it is asked."""
    assert window.desk is not None
    window.desk.everywhere.search_sheet.field.setText(query)
    window.desk.everywhere.open_search()


def offer_safe_mode(window: MainWindow) -> None:
    """Ask, as after crashes, how to start."""
    SafeStartOffer(window).open()


def be_safe(window: MainWindow, *, is_safe: bool = True) -> None:
    """Show the story as in safe mode, or as before."""
    if is_safe:
        say_safe(window.frame.banner, window)
    else:
        window.frame.banner.withdraw(SAFE)
    window.show_page("story")
    desk = window.desk
    assert desk is not None
    assert desk.story_stage is not None
    page = desk.story_stage.page
    page.story_actions.can_change = not is_safe
    page.story_actions.adjust(page.target())
