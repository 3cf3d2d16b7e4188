"""Renders every page with the demo story, dark and light, without a screen."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from app.core.errors import UsageError
from app.core.help_pages import help_pages
from app.core.paths import Folders, user_folders
from app.core.resources import RESOURCES
from app.core.tasks import TaskSupervisor
from app.core.translation import N_

if TYPE_CHECKING:
    from ui.program.main_window import MainWindow

IDLE_SECONDS = 60.0
SETTLE_ROUNDS = 40
SETTLE_SECONDS = 0.02
NARROW = (900, 860)
LARGE_TEXT = (938, 593)  # what 1360x860 holds where all is drawn at 145 %
# So little that something falls out.
SCARCE = {"budget_mode": "advanced", "budget_epistemic": 80, "budget_long": 150}
HOMES = ("HOME", "USERPROFILE")


@dataclass(frozen=True, slots=True)
class PictureOptions:
    """Which pictures. size: of the wide window, in px. contrast: as the setting of that name.
    only: beginnings of the names of those that are wanted, none for all.
    """

    folder: Path
    size: tuple[int, int]
    scale: float = 1.0
    contrast: str = "normal"
    only: tuple[str, ...] = ()


def render(options: PictureOptions) -> int:
    """Write one PNG per page and theme; gives the exit code."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    os.environ["QT_SCALE_FACTOR"] = f"{options.scale:g}"
    options.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="tavernkeep-") as home, _living_in(Path(home)):
        return _render_at_home(options, Path(home))


def _render_at_home(options: PictureOptions, home: Path) -> int:
    from ui.core.collecting import GuiThreadCollector
    from ui.program.application import loop_factory, make_application

    application = make_application()
    GuiThreadCollector(application).start()
    with asyncio.Runner(loop_factory=lambda: loop_factory(application)) as runner:
        return runner.run(_render(options, home))


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


async def _render(options: PictureOptions, home: Path) -> int:
    from app.companion import open_companion
    from ui.program import poses
    from ui.program.main_window import MainWindow
    from ui.theme import ContrastChoice, theme

    tavern = home / "SillyTavern" / "data"
    chat = next(tavern.glob("*/chats/*/*.jsonl"))
    tasks = TaskSupervisor()
    folders = user_folders(home / "own")
    await _remember_demo(folders, tavern, chat)
    async with open_companion(
        folders, tavern=tavern, llm="builtin", watch=False, keeps_memory=True
    ) as companion:
        await companion.put_setting("contrast", options.contrast)
        window = MainWindow(theme, tasks)
        window.resize(*options.size)
        window.show()
        window.attach(companion)
        theme.set_contrast(ContrastChoice(options.contrast))
        album = _Album(options, window)
        await _take_empty(album, window)
        assert window.desk is not None
        async with asyncio.timeout(IDLE_SECONDS):
            await window.desk.session.open_path(chat)
            await companion.settled(chat)
        await _take_pages(album, window)
        await companion.budgets.put(chat, SCARCE, N_("one budget for each kind of memory"))
        await album.take_both("budgets-advanced", lambda: poses.show_budgets(window))
        await companion.edits.undo(chat)
        await companion.guard.look(chat)
        await _take_sheets(album, window)
        window.resize(*NARROW)
        await _take_narrow(album, window)
        window.resize(*LARGE_TEXT)
        for page in ("story", "memories", "budgets"):
            await album.take_both(f"{page}-large-text", partial(window.show_page, page))
        window.resize(*options.size)
        for number in range(4):
            await album.take_both(
                f"first-run-{number + 1}",
                partial(poses.show_step, window, number),
            )
        window.hide()
        await window.detach()
        window.deleteLater()
    return 0


async def _take_empty(album: _Album, window: MainWindow) -> None:
    """The pages while no chat is open."""
    from ui.program.pages import PAGES

    await album.take_both("empty", lambda: window.show_page("story"))
    for page in PAGES:
        if page not in ("story", "settings"):
            await album.take_both(f"empty-{page}", partial(window.show_page, page))


async def _take_pages(album: _Album, window: MainWindow) -> None:
    from ui.program import poses
    from ui.program.pages import PAGES

    window.show_page("story")
    assert window.desk is not None
    assert window.desk.story_stage is not None
    story = window.desk.story_stage.page
    story.view.jump_to_scene(len(story.story.scenes) - 2)
    posed: tuple[tuple[str, Callable[[MainWindow], object]], ...] = (
        ("use", poses.show_use),
        ("budgets", poses.show_budgets),
        ("people", poses.show_people),
        ("texts", poses.show_texts),
        ("minds", poses.show_minds),
        ("minds-table", lambda window: poses.show_minds(window, as_table=True)),
        ("prompts", poses.open_prompts),
        ("prompts-difference", poses.change_prompt),
        ("recaps-compare", poses.compare_versions),
        ("lore", poses.show_lore),
        ("macros", poses.show_macros),
        ("story-recaps", lambda window: poses.show_colours(window, "recaps")),
    )
    for page in PAGES:
        if page not in dict(posed):
            await album.take_both(page, partial(window.show_page, page))
    for name, pose in posed:
        await album.take_both(name, partial(pose, window))
    poses.show_colours(window, "prompt")


async def _take_sheets(album: _Album, window: MainWindow) -> None:
    """What floats over a page."""
    from ui.program import poses

    desk = window.desk
    assert desk is not None
    window.show_page("story")
    sheets: tuple[tuple[str, Callable[[], object]], ...] = (
        ("library", desk.open_chats),
        ("commands", desk.open_palette),
        ("search", lambda: poses.search_all(window, poses.QUERY)),
        ("search-how", lambda: poses.search_all(window, "")),
        ("history", desk.everywhere.open_history),
        ("health", desk.everywhere.open_health),
        ("help", lambda: desk.everywhere.open_help(help_pages()[1].title)),
        ("copies", desk.banners.copies.begin),
        ("safe-offer", lambda: poses.offer_safe_mode(window)),
    )
    for name, open_sheet in sheets:
        await album.take_both(name, open_sheet, popup=True)
    await album.take_both("safe", lambda: poses.be_safe(window))
    poses.be_safe(window, is_safe=False)
    await album.take_both("story-break", partial(poses.break_scene, window))


async def _take_narrow(album: _Album, window: MainWindow) -> None:
    from ui.program import poses

    await album.take_both("story-narrow", lambda: window.show_page("story"))
    await album.take_both("recaps-narrow", lambda: poses.read_recaps(window))
    await album.take_both("minds-narrow", lambda: poses.show_minds(window))


async def _remember_demo(folders: Folders, tavern: Path, chat: Path) -> None:
    """Read the demo story once, and give it the recaps and memories that it comes with."""
    from app.companion import open_companion
    from app.store.store import Store
    from app.work.demo.demo_memories import give_demo_memories
    from app.work.demo.demo_recaps import give_demo_recaps

    async with open_companion(folders, tavern=tavern, llm="builtin", watch=False) as companion:
        async with asyncio.timeout(IDLE_SECONDS):
            await companion.open_story(chat)
            story = await companion.settled(chat)
        # No chat has settings of its own yet.
        settings, count = companion.settings.for_chat(0), companion.count_tokens
    store = Store(folders.database, backups=folders.backups)
    try:
        await store.open()
        await give_demo_recaps(store, chat, story, settings, count)
        await give_demo_memories(store, chat)
    finally:
        await store.aclose()


class _Album:
    """Takes pictures of one window."""

    def __init__(self, options: PictureOptions, window: MainWindow) -> None:
        self._options = options
        self._window = window

    async def take_both(
        self, name: str, prepare: Callable[[], object], *, popup: bool = False
    ) -> None:
        """One dark and one light picture. popup: paint what floats over the window, too."""
        from ui.theme import ThemeChoice, theme

        only = self._options.only
        if only and not any(name.startswith(beginning) for beginning in only):
            return
        for choice in (ThemeChoice.DARK, ThemeChoice.LIGHT):
            theme.set_choice(choice)
            prepare()
            await _settle()
            self._save(f"{name}-{choice.value}.png", popup=popup)

    def _save(self, name: str, *, popup: bool) -> None:
        from PySide6.QtCore import QPoint
        from PySide6.QtGui import QPainter
        from PySide6.QtWidgets import QApplication

        from ui.theme import theme

        window = self._window
        picture = window.grab()
        sheet, dialog = QApplication.activePopupWidget(), QApplication.activeModalWidget()
        floating = sheet or dialog
        if popup and floating is not None:
            at = floating.mapToGlobal(QPoint(0, 0)) - window.mapToGlobal(QPoint(0, 0))
            painter = QPainter(picture)
            if floating is dialog:  # placed and framed by the system, of which there is none
                at = window.rect().center() - floating.rect().center()
                painter.setPen(theme.tokens.line2)
                painter.drawRect(floating.rect().adjusted(-1, -1, 0, 0).translated(at))
            floating.render(painter, at)
            painter.end()
            floating.close()
        path = self._options.folder / name
        if not picture.save(str(path)):
            raise UsageError(f"{path} cannot be written.")


async def _settle() -> None:
    """Let timers, layouts and repaints come to rest."""
    for _ in range(SETTLE_ROUNDS):
        await asyncio.sleep(SETTLE_SECONDS)
