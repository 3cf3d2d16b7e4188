"""Renders every page with the demo story, dark and light, without a screen."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from app.errors import UsageError
from app.paths import RESOURCES, Folders, user_folders
from app.tasks import TaskSupervisor

IDLE_SECONDS = 60.0
SETTLE_ROUNDS = 40
SETTLE_SECONDS = 0.02
NARROW = (900, 860)
# So little that something falls out.
SCARCE = {"budget_mode": "advanced", "budget_epistemic": 80, "budget_long": 150}
HOMES = ("HOME", "USERPROFILE")


def render(folder: Path, size: tuple[int, int], *, scale: float = 1.0) -> int:
    """Write one PNG per page and theme into `folder`; gives the exit code."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    os.environ["QT_SCALE_FACTOR"] = f"{scale:g}"
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="tavernkeep-") as home, _living_in(Path(home)):
        return _render_at_home(folder, size, Path(home))


def _render_at_home(folder: Path, size: tuple[int, int], home: Path) -> int:
    from ui.application import loop_factory, make_application
    from ui.collecting import GuiThreadCollector

    application = make_application()
    GuiThreadCollector(application).start()
    with asyncio.Runner(loop_factory=lambda: loop_factory(application)) as runner:
        return runner.run(_render(folder, size, home))


@contextmanager
def _living_in(home: Path) -> Iterator[None]:
    """Let the demo's tavern be all that is found: pictures must not show this machine's chats."""
    shutil.copytree(RESOURCES / "demo" / "data", home / "SillyTavern" / "data")
    before = {name: os.environ.get(name) for name in HOMES}
    os.environ.update(dict.fromkeys(HOMES, str(home)))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


async def _render(folder: Path, size: tuple[int, int], home: Path) -> int:
    from app.companion import open_companion
    from ui.main_window import MainWindow
    from ui.theme import theme

    tavern = home / "SillyTavern" / "data"
    chat = next(tavern.glob("*/chats/*/*.jsonl"))
    tasks = TaskSupervisor()
    folders = user_folders(home / "own")
    await _remember_demo(folders, tavern, chat)
    async with open_companion(
        folders, tavern=tavern, llm="builtin", watch=False, keeps_memory=True
    ) as companion:
        window = MainWindow(theme, tasks)
        window.resize(*size)
        window.show()
        window.attach(companion)
        assert window.desk is not None
        album = _Album(folder, window)
        await album.take_both("empty", lambda: window.show_page("story"))
        async with asyncio.timeout(IDLE_SECONDS):
            await window.desk.session.open_path(chat)
            await companion.settled(chat)
        window.show_page("story")
        assert window.desk.story_stage is not None
        story = window.desk.story_stage.page
        story.view.jump_to_scene(len(story.story.scenes) - 2)
        for page in ("story", "recaps", "memories", "prompt", "work", "settings"):
            await album.take_both(page, lambda page=page: window.show_page(page))  # type: ignore[misc]
        await album.take_both("use", lambda: show_use(window))
        await album.take_both("budgets", lambda: show_budgets(window))
        await companion.budgets.put(chat, SCARCE, "budgets of a picture")
        await album.take_both("budgets-advanced", lambda: show_budgets(window))
        await companion.edits.undo(chat)
        await album.take_both("minds", lambda: show_minds(window))
        await album.take_both("minds-table", lambda: show_minds(window, as_table=True))
        window.show_page("settings")
        await album.take_both("prompts", lambda: open_prompts(window.page))
        await album.take_both("prompts-difference", lambda: change_prompt(window.page))
        window.show_page("recaps")
        await album.take_both("recaps-compare", lambda: compare_versions(window.page))
        await album.take_both("lore", lambda: show_lore(window.page))
        window.show_page("story")
        await album.take_both("library", window.desk.open_chats, popup=True)
        await album.take_both("commands", window.desk.open_palette, popup=True)
        window.resize(*NARROW)
        await album.take_both("story-narrow", lambda: window.show_page("story"))
        await album.take_both("recaps-narrow", lambda: read_recaps(window))
        await album.take_both("minds-narrow", lambda: show_minds(window))
        window.resize(*size)
        for number in range(4):
            await album.take_both(
                f"first-run-{number + 1}",
                lambda number=number: show_step(window, number),  # type: ignore[misc]
            )
        window.hide()
        await window.detach()
        window.deleteLater()
    return 0


async def _remember_demo(folders: Folders, tavern: Path, chat: Path) -> None:
    """Read the demo story once, and give it the memories that it comes with."""
    from app.companion import open_companion
    from app.store.store import Store
    from app.work.demo_memories import give_demo_memories

    async with open_companion(folders, tavern=tavern, llm="builtin", watch=False) as companion:
        async with asyncio.timeout(IDLE_SECONDS):
            await companion.open_story(chat)
            await companion.settled(chat)
    store = Store(folders.database, backups=folders.backups)
    try:
        await store.open()
        await give_demo_memories(store, chat)
    finally:
        await store.aclose()


def show_use(window: object) -> None:
    """Show what models were asked for."""
    from ui.main_window import MainWindow
    from ui.work.page import USE, WorkPage

    assert isinstance(window, MainWindow)
    window.show_page("work")
    page = window.page
    assert isinstance(page, WorkPage)
    page.show_view(USE)


def show_step(window: object, number: int) -> None:
    """Show a step of the first run, by its place."""
    from ui.main_window import MainWindow

    assert isinstance(window, MainWindow)
    window.set_up()
    assert window.first_run is not None
    window.first_run.rail.rows[number].click()


def compare_versions(page: object) -> None:
    """Put the newest version beside the one before and choose some of its words."""
    from app.story.comparison import Choice
    from ui.recaps.page import RecapsPage

    assert isinstance(page, RecapsPage)
    if not page.is_comparing:
        page.compare_shown()
        page.comparison.take(1, Choice.LEFT)
        page.comparison.take(0, Choice.RIGHT)


def read_recaps(window: object) -> None:
    """Show the running recap."""
    from ui.main_window import MainWindow
    from ui.recaps.page import RecapsPage

    assert isinstance(window, MainWindow)
    window.show_page("recaps")
    page = window.page
    assert isinstance(page, RecapsPage)
    page.rail.choose("")


def show_minds(window: object, *, as_table: bool = False) -> None:
    """Show who knows what, with all secrets."""
    from ui.main_window import MainWindow
    from ui.minds.page import MindsPage

    assert isinstance(window, MainWindow)
    window.show_page("minds")
    page = window.page
    assert isinstance(page, MindsPage)
    page.veil.lift(True)
    (page.deeds.table if as_table else page.deeds.map).trigger()


def show_budgets(window: object) -> None:
    """Show what each slot may take."""
    from ui.budgets.page import BudgetsPage
    from ui.main_window import MainWindow

    assert isinstance(window, MainWindow)
    window.show_page("budgets")
    page = window.page
    assert isinstance(page, BudgetsPage)
    page.choose("epistemic")


def show_lore(page: object) -> None:
    """Show what scenes gave for a lorebook."""
    from ui.recaps.page import RecapsPage

    assert isinstance(page, RecapsPage)
    page.rail.show_lore()


def open_prompts(page: object) -> None:
    """Show the prompts of the settings."""
    from ui.settings.page import SettingsPage

    assert isinstance(page, SettingsPage)
    page.open_prompts()


def change_prompt(page: object) -> None:
    """Write a prompt otherwise, and show the difference to ours."""
    from ui.settings.page import SettingsPage

    assert isinstance(page, SettingsPage)
    editor = page.open_prompts().editor
    if not editor.is_changed:
        text = editor.system.text
        text = text.replace("two to six words", "two or three words", 1)
        text = text.replace("- Plain words.", "- Plain words, and the names that people use.", 1)
        editor.system.replace_text(text)
    editor.show_mode("difference")


class _Album:
    """Takes pictures of one window."""

    def __init__(self, folder: Path, window: object) -> None:
        self._folder = folder
        self._window = window

    async def take_both(
        self, name: str, prepare: Callable[[], object], *, popup: bool = False
    ) -> None:
        """One dark and one light picture. popup: paint what floats over the window, too."""
        from ui.theme import ThemeChoice, theme

        for choice in (ThemeChoice.DARK, ThemeChoice.LIGHT):
            theme.set_choice(choice)
            prepare()
            await _settle()
            self._save(f"{name}-{choice.value}.png", popup=popup)

    def _save(self, name: str, *, popup: bool) -> None:
        from PySide6.QtCore import QPoint
        from PySide6.QtGui import QPainter
        from PySide6.QtWidgets import QApplication, QWidget

        window = self._window
        assert isinstance(window, QWidget)
        picture = window.grab()
        if popup and (floating := QApplication.activePopupWidget()) is not None:
            at = floating.mapToGlobal(QPoint(0, 0)) - window.mapToGlobal(QPoint(0, 0))
            painter = QPainter(picture)
            floating.render(painter, at)
            painter.end()
            floating.close()
        path = self._folder / name
        if not picture.save(str(path)):
            raise UsageError(f"{path} cannot be written.")


async def _settle() -> None:
    """Let timers, layouts and repaints come to rest."""
    for _ in range(SETTLE_ROUNDS):
        await asyncio.sleep(SETTLE_SECONDS)
