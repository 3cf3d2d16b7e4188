"""The palette finds the commands of every page from every page, and they lead there."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from app.companion import Companion
from tests.ui.palette import type_in_palette
from ui.budgets.page import BudgetsPage
from ui.controls.buttons import IconButton
from ui.controls.labels import words_of
from ui.memories.page import MemoriesPage
from ui.minds.page import MindsPage
from ui.program.desk import Desk
from ui.program.main_window import MainWindow
from ui.program.pages import PAGES, command_icons
from ui.settings.page import SettingsPage
from ui.shell.command_palette import find_entries
from ui.shell.entries import ENTRY_ROLE, EntryModel

pytestmark = pytest.mark.slow

Until = Callable[[Callable[[], bool]], Awaitable[None]]


@pytest.fixture
def desk(demo_window: MainWindow) -> Desk:
    assert demo_window.desk is not None
    return demo_window.desk


def page_of(desk: Desk, key: str) -> QWidget:
    desk.show_page(key)
    page = desk._frame.stack.currentWidget()
    assert page is not None
    return page


async def test_every_command_of_every_page_is_found_from_every_page(desk: Desk) -> None:
    pages = {key: page_of(desk, key) for key in PAGES}
    missing = []
    for here in pages:
        desk.show_page(here)
        far = desk.far.of_others(here)
        for page, spec in PAGES.items():
            theirs = [command for command in far if command.page == page]
            if page != here:
                icons = [icon for _, icon in command_icons(pages[page])]
                assert [command.icon for command in theirs] == icons
            for command in theirs:
                found = find_entries(command.name, desk._shown_actions(), None, far)
                if (command.name, spec.title) not in [(one.text, one.detail) for one in found]:
                    missing.append(f"{command.name} of {page} from {here}")
    assert missing == []
    assert len(desk.far.of_others("")) > 80


async def test_a_command_that_is_not_on_the_page_yet_is_of_the_place_that_is_said(
    desk: Desk,
) -> None:
    for key in PAGES:
        made = command_icons(page_of(desk, key))
        said = [command for command in desk.far.of_others("") if command.page == key]
        same = [words_of(action) == one.name for (action, _), one in zip(made, said, strict=True)]
        # Some say by now what they would act on.
        assert sum(same) >= len(same) * 0.7


async def test_a_command_of_another_page_goes_there_and_is_done(
    desk: Desk, companion: Companion, until: Until
) -> None:
    desk.show_page("story")
    type_in_palette(desk, "one budget for each")
    page = desk._frame.stack.currentWidget()
    assert desk.page_key == "budgets"
    assert isinstance(page, BudgetsPage)
    path = desk.session.path
    assert path is not None
    await until(lambda: companion.setting("budget_mode", path=path).value == "advanced")


async def test_what_a_page_is_not_ready_for_yet_is_done_when_it_is(
    desk: Desk, until: Until
) -> None:
    desk.show_page("story")
    type_in_palette(desk, "show the table")
    page = desk._frame.stack.currentWidget()
    assert isinstance(page, MindsPage)
    await until(lambda: page._views.currentWidget() is page.table)


async def test_what_acts_on_something_chosen_only_goes_there(desk: Desk, until: Until) -> None:
    desk.show_page("memories")
    page = desk._frame.stack.currentWidget()
    assert isinstance(page, MemoriesPage)
    said: list[str] = []
    desk.session.told.connect(said.append)
    asked: list[bool] = []
    page.commands.delete.triggered.connect(asked.append)
    page.commands.delete.setEnabled(True)
    desk.show_page("story")
    (delete,) = (one for one in desk.far.of_others("story") if one.name == "Delete")
    desk.far.go(delete)
    assert desk.page_key == "memories"
    assert said == ["“Delete” applies to what you select here."]
    assert asked == []


async def test_what_stays_impossible_says_so(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, until: Until
) -> None:
    said: list[str] = []
    desk.session.told.connect(said.append)
    (stop,) = (one for one in desk.far.of_others("story") if one.name == "Stop catching up now")
    desk.far._late.setInterval(10)
    desk.far.go(stop)
    await until(lambda: said == ["“Stop catching up now” is not available here right now."])
    assert desk.page_key == "work"


async def test_without_a_chat_only_pages_that_need_none_are_offered(window: MainWindow) -> None:
    assert window.desk is not None
    offered = {command.page for command in window.desk.far.of_others("story")}
    assert offered == {"work", "settings"}


def menu_commands(menu: QMenu) -> list[QAction]:
    """All that a menu does, in its submenus too."""
    found: list[QAction] = []
    for action in menu.actions():
        inner = action.menu()
        if isinstance(inner, QMenu):
            found += menu_commands(inner)
        elif not action.isSeparator():
            found.append(action)
    return found


async def test_every_command_of_every_menu_is_found_on_its_page(desk: Desk) -> None:
    """Those that have nothing to do just now, too: else nobody learns that they exist."""
    desk._on_prompts()
    missing: set[str] = set()
    menus = 0
    for key in PAGES:
        page = page_of(desk, key)
        commands = page.findChildren(QAction)
        window = page.window()
        for button in window.findChildren(IconButton):
            if button.isVisible() and button._icon in {"more", "chevron-down"}:
                button.click()
                menu = QApplication.activePopupWidget()
                if isinstance(menu, QMenu):
                    menus += 1
                    commands += menu_commands(menu)
                    menu.close()
        far = desk.far.of_others(key)
        for command in commands:
            name = words_of(command)
            if command.isSeparator() or not name or not command.isVisible():
                continue
            found = find_entries(name, desk._shown_actions(), None, far)
            if name not in [entry.text for entry in found]:
                missing.add(f"{key}: {name}")
    assert menus >= 3
    assert missing == set()


async def test_a_command_that_has_nothing_to_do_says_so(desk: Desk) -> None:
    said: list[str] = []
    desk.session.told.connect(said.append)
    desk.show_page("story")
    page = desk._frame.stack.currentWidget()
    assert page is not None
    (edit,) = (one for one, _ in command_icons(page) if words_of(one) == "Edit recap")
    edit.setEnabled(False)
    desk.open_palette()
    model = EntryModel()
    model.show_entries(find_entries("edit recap", desk._shown_actions(), None))
    rows = [model.index(row) for row in range(model.rowCount())]
    (row,) = (row for row in rows if row.data(ENTRY_ROLE).action is edit)
    assert row.data(ENTRY_ROLE).is_faded
    desk._palette._choose(row)
    assert said == ["“Edit recap” applies to what you select here."]
    desk._actions["redo"].setEnabled(False)
    found = find_entries("redo", desk._shown_actions(), None)
    assert [one.is_faded for one in found if one.action is desk._actions["redo"]] == [True]


async def test_presets_of_prompts_are_reached_from_everywhere(desk: Desk) -> None:
    desk.show_page("story")
    type_in_palette(desk, "keep your prompts as a preset")
    assert desk.page_key == "settings"
    page = desk._frame.stack.currentWidget()
    assert isinstance(page, SettingsPage)
    assert page.shows_prompts
    assert page.open_prompts().bar.name.isVisible()


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("edit the prompts", "Prompts for the model"),
        ("set prices", "Work"),
        ("Make recaps in stages", "Recaps"),
        ("export as World Info", "Recaps"),
    ],
)
async def test_the_words_of_a_button_lead_to_it(desk: Desk, words: str, name: str) -> None:
    found = find_entries(words, desk._shown_actions(), None, desk._far_commands())
    assert name in [entry.text for entry in found]


async def test_the_words_of_a_button_lead_to_it_in_german(in_german: None, desk: Desk) -> None:
    found = find_entries("Prompts bearbeiten", desk._shown_actions(), None, desk._far_commands())
    assert [entry.text for entry in found] == [words_of(desk._actions["prompts"])]
