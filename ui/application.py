"""Starting and stopping the window. The only place that knows qasync."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QApplication

from app.errors import TavernkeepError
from app.paths import Folders, user_folders
from app.tasks import TaskSupervisor
from ui.collecting import GuiThreadCollector
from ui.main_window import MainWindow
from ui.theme import theme
from ui.theme.fonts import load_fonts, ui_font
from ui.theme.palette import palette_of
from ui.theme.style import InstrumentStyle
from ui.theme.tokens import Tokens

if TYPE_CHECKING:
    from app.companion import Companion

log = logging.getLogger(__name__)

THREADS = 4
CANNOT_GO_ON = "Tavernkeep cannot go on: something unexpected failed. The log says what."


@dataclass(frozen=True, slots=True)
class WindowOptions:
    """How the window was asked for. tavern, llm: in place of the settings of that name."""

    data_dir: Path | None = None
    tavern: Path | None = None
    llm: str | None = None
    chat: Path | None = None


def make_application() -> QApplication:
    """The one QApplication, dressed in our theme."""
    QCoreApplication.setApplicationName("Tavernkeep")
    QCoreApplication.setOrganizationName("Tavernkeep")
    application = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(application, QApplication)
    application.setApplicationDisplayName("Tavernkeep")
    application.setDesktopFileName("tavernkeep")
    application.setQuitOnLastWindowClosed(False)  # the loop ends by its event, not under its tasks
    dress(application)
    return application


def dress(application: QApplication) -> None:
    """Give an application our fonts, style and palette, and keep the palette with the theme."""
    load_fonts()
    application.setStyle(InstrumentStyle(theme))
    application.setFont(ui_font(12))
    theme.follow_system(application)

    def on_theme_changed(tokens: Tokens) -> None:
        application.setPalette(palette_of(tokens))

    on_theme_changed(theme.tokens)
    theme.changed.connect(on_theme_changed)


def loop_factory(application: QApplication) -> asyncio.AbstractEventLoop:
    """qasync's loop over a running application."""
    # qasync takes whichever binding it finds first unless told.
    os.environ["QT_API"] = "pyside6"
    import qasync

    loop: asyncio.AbstractEventLoop = qasync.QEventLoop(application)
    # qasync's own threads never give back a SystemExit, and whoever awaits them waits for ever.
    loop.set_default_executor(ThreadPoolExecutor(THREADS, thread_name_prefix="tavernkeep"))
    return loop


def show_window(options: WindowOptions) -> int:
    """Open the window and stay until it is closed; gives the exit code."""
    application = make_application()
    collector = GuiThreadCollector(application)
    collector.start()
    with asyncio.Runner(loop_factory=lambda: loop_factory(application)) as runner:
        return runner.run(run(options))


async def run(options: WindowOptions) -> int:
    """Show the window at once, then start what stands behind it."""
    stopping = asyncio.Event()
    _stop_on_signals(stopping)
    tasks = TaskSupervisor()
    window = MainWindow(theme, tasks)
    window.closed.connect(stopping.set)
    window.show()
    try:
        return await _live(window, options, stopping)
    finally:
        await tasks.aclose()
        window.hide()
        window.deleteLater()


async def _live(window: MainWindow, options: WindowOptions, stopping: asyncio.Event) -> int:
    folders = user_folders(options.data_dir)
    try:
        async with await _companion(options, folders) as companion:
            window.attach(companion)
            window.begin(options.chat)
            await stopping.wait()
            await window.detach()
            text = window.current_state().to_text()
            if text != companion.settings["window_state"]:
                await companion.put_setting("window_state", text)
    except Exception as error:
        # The outermost border: a window that vanishes tells nobody anything.
        log.exception("Tavernkeep cannot go on")
        is_told = isinstance(error, TavernkeepError)
        window.frame.notice.say(str(error) if is_told else CANNOT_GO_ON)
        await stopping.wait()
        return 1
    return 0


async def _companion(
    options: WindowOptions, folders: Folders
) -> AbstractAsyncContextManager[Companion]:
    # Half a second of imports (numpy, peewee, httpx) that the window need not wait for.
    module: ModuleType = await asyncio.to_thread(_import_companion)
    opened: AbstractAsyncContextManager[Companion] = module.open_companion(
        folders, tavern=options.tavern, llm=options.llm, asks_first=True, keeps_memory=True
    )
    return opened


def _import_companion() -> ModuleType:
    from app import companion

    return companion


def _stop_on_signals(stopping: asyncio.Event) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            loop.add_signal_handler(number, stopping.set)
        except NotImplementedError:  # Windows: the window's own closing has to do
            return
