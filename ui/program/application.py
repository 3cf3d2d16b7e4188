"""Starting and stopping the window. The only place that knows qasync."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, Qt, QTranslator
from PySide6.QtWidgets import QApplication, QMessageBox

from app.core.chosen_scale import NORMAL, ChosenScale
from app.core.errors import AlreadyRunning, StoreError, TavernkeepError
from app.core.paths import Folders, user_folders
from app.core.private_log import log_to_file
from app.core.start_mark import CRASHES, StartMark
from app.core.tasks import TaskSupervisor
from app.core.translation import N_, language, tr
from app.settings.program import ProgramSettings
from ui.controls.timers import once
from ui.core.collecting import GuiThreadCollector
from ui.core.dialogs import ask
from ui.program.ending import LONGEST_ENDING, RUNNING_SECONDS, Deadline, end_at_once
from ui.program.front_door import FrontDoor, is_somebody_in, knock
from ui.program.main_window import MainWindow
from ui.program.safe_start import SafeStartOffer, say_safe, start_again
from ui.program.window_look import kept_theme
from ui.theme import theme
from ui.theme.fonts import load_fonts, ui_font
from ui.theme.palette import palette_of
from ui.theme.style import InstrumentStyle
from ui.theme.tokens import Tokens

if TYPE_CHECKING:
    from app.companion import Companion

log = logging.getLogger(__name__)

THREADS = 4
AGAIN = -1  # in place of an exit code: start anew, without safe mode
SETTLED_MS = 10_000  # a start that came so far was no crash
STILL_ENDING = N_(
    "Tavernkeep is still closing from last time and saving your data. This window continues "
    "afterwards."
)
LOOK_SECONDS = 0.3
CANNOT_GO_ON = N_("Tavernkeep cannot go on because of an unexpected error. The log has details.")


@dataclass(frozen=True, slots=True)
class WindowOptions:
    """How the window was asked for. tavern, llm: in place of the settings of that name. is_safe:
    only show what there is.
    """

    data_dir: Path | None = None
    tavern: Path | None = None
    llm: str | None = None
    chat: Path | None = None
    is_safe: bool = False


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
    speak(application)
    application.setStyle(InstrumentStyle(theme))
    application.setFont(ui_font(12))
    theme.follow_system(application)

    def on_theme_changed(tokens: Tokens) -> None:
        application.setPalette(palette_of(tokens))

    on_theme_changed(theme.tokens)
    theme.changed.connect(on_theme_changed)


def speak(application: QApplication) -> QTranslator:
    """Let Qt's own buttons, menus and dates be of the language in use, too."""
    QLocale.setDefault(QLocale(language()))
    texts = QTranslator(application)
    folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    if texts.load(QLocale(), "qtbase", "_", folder):  # English needs none
        application.installTranslator(texts)
    return texts


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
    """Open the window and stay until it is closed; gives the exit code.

    Where a window of this data folder stands already, that one comes forward instead.
    """
    try:
        data = user_folders(options.data_dir).data
    except StoreError as error:
        return _cannot_start(error)
    if is_somebody_in(data) and knock(data, options.chat):
        return 0
    scale = ChosenScale(data).get()
    if scale != NORMAL:  # Qt reads it once, before there is an application
        os.environ.setdefault("QT_SCALE_FACTOR", f"{scale / 100:g}")
    application = make_application()
    collector = GuiThreadCollector(application)
    collector.start()
    with asyncio.Runner(loop_factory=lambda: loop_factory(application)) as runner:
        code = runner.run(run(options, Deadline))
    return start_again() if code == AGAIN else code


def _cannot_start(error: StoreError) -> int:
    """Say why there will be no window: who starts from a menu sees no terminal."""
    log.error("%s", error)
    application = make_application()
    box = QMessageBox(QMessageBox.Icon.Critical, "Tavernkeep", str(error))
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.finished.connect(application.quit)
    box.open()
    application.exec()
    return 1


async def run(
    options: WindowOptions, deadline: Callable[[Callable[[], None]], Deadline] | None = None
) -> int:
    """Show the window at once, then start what stands behind it. Gives the exit code, or AGAIN.

    deadline: makes what ends the process where closing takes too long; None for no such thing.
    """
    stopping = asyncio.Event()
    folders = user_folders(options.data_dir)
    tasks = TaskSupervisor()
    theme.set_choice(kept_theme(folders.data))
    window = MainWindow(theme, tasks)
    door = FrontDoor(folders.data)
    last = None if deadline is None else deadline(partial(_end_in_haste, window))

    def stop() -> None:
        stopping.set()
        door.close()  # who starts anew from now on gets a window of their own
        window.hide()
        if last is not None:
            last.begin()

    _stop_on_signals(stop)
    window.closed.connect(stop)
    window.show()
    kept_log = log_to_file(folders.logs)
    door.knocked.connect(window.on_knocked)
    is_ours = door.open()
    try:
        mark = StartMark(folders.data)
        if not options.is_safe and mark.crashes >= CRASHES:
            options = replace(options, is_safe=await _wants_safe(window))
            mark.got_through()  # whatever was chosen is not asked again at the next start
        return await _live(window, options, folders, stopping, is_ours=is_ours)
    finally:
        door.close()
        await tasks.aclose()
        logging.getLogger().removeHandler(kept_log)
        kept_log.close()
        window.hide()
        window.deleteLater()


def _end_in_haste(window: MainWindow) -> None:
    if window.is_to_start_again:
        start_again()
    end_at_once()


async def _wants_safe(window: MainWindow) -> bool:
    offer = SafeStartOffer(window)
    window.closed.connect(offer.reject)
    return await ask(offer)


async def _live(
    window: MainWindow,
    options: WindowOptions,
    folders: Folders,
    stopping: asyncio.Event,
    *,
    is_ours: bool,
) -> int:
    """is_ours: whether those who start anew knock here, and not at another one's door."""
    with _marked(folders, options, window) as mark:
        try:
            await _play(window, options, folders, stopping, waits=is_ours)
        except AlreadyRunning as error:  # it started in the same moment
            if not is_ours and await asyncio.to_thread(knock, folders.data, options.chat):
                return 0
            return await _tell(window, str(error), stopping)
        except TavernkeepError as error:
            mark.got_through()
            log.exception("Tavernkeep cannot go on")
            return await _tell(window, str(error), stopping)
        except Exception:
            # The outermost border: a window that vanishes tells nobody anything.
            log.exception("Tavernkeep cannot go on")
            return await _tell(window, tr(CANNOT_GO_ON), stopping)
        mark.got_through()
    return AGAIN if window.is_to_start_again else 0


async def _play(
    window: MainWindow,
    options: WindowOptions,
    folders: Folders,
    stopping: asyncio.Event,
    *,
    waits: bool,
) -> None:
    """Open what stands behind the window, and end it when the window is closed.

    waits: for one that has no door any more and still ends, which takes LONGEST_ENDING at most.
    Raises AlreadyRunning where it stays, and what opening raises.
    """
    give_up = asyncio.get_running_loop().time() + LONGEST_ENDING
    while True:
        try:
            async with await _companion(options, folders) as companion:
                window.frame.notice.take_back(tr(STILL_ENDING))
                await _stay(window, options, companion, stopping)
                return
        except AlreadyRunning as error:
            is_over = stopping.is_set() or asyncio.get_running_loop().time() > give_up
            if is_over or not (waits and error.is_ending):
                raise
            window.frame.notice.say(tr(STILL_ENDING))
            await asyncio.sleep(LOOK_SECONDS)


async def _stay(
    window: MainWindow, options: WindowOptions, companion: Companion, stopping: asyncio.Event
) -> None:
    window.attach(companion)
    if options.is_safe:
        say_safe(window.frame.banner, window, window.start_again)
    window.begin(options.chat)
    await stopping.wait()
    companion.work.end()
    await window.detach()
    await companion.work.ended(RUNNING_SECONDS)
    text = window.current_state().to_text()
    if text != ProgramSettings(companion.settings).window_state:
        await companion.put_setting("window_state", text)


async def _tell(window: MainWindow, sentence: str, stopping: asyncio.Event) -> int:
    window.frame.notice.say(sentence)
    await stopping.wait()
    return 1


@contextmanager
def _marked(folders: Folders, options: WindowOptions, window: MainWindow) -> Iterator[StartMark]:
    """Notes the start until it got through; one in safe mode leaves no mark."""
    mark = StartMark(folders.data)
    settled = once(window, SETTLED_MS, mark.got_through)
    if not options.is_safe:
        mark.begin()
        settled.start()
    try:
        yield mark
    finally:
        settled.stop()


async def _companion(
    options: WindowOptions, folders: Folders
) -> AbstractAsyncContextManager[Companion]:
    # Half a second of imports (numpy, peewee, httpx) that the window need not wait for.
    module: ModuleType = await asyncio.to_thread(_import_companion)
    opened: AbstractAsyncContextManager[Companion] = module.open_companion(
        folders,
        tavern=options.tavern,
        llm=options.llm,
        watch=not options.is_safe,
        asks_first=True,
        keeps_memory=True,
        reads_to_the_end=False,
        is_safe=options.is_safe,
    )
    return opened


def _import_companion() -> ModuleType:
    from app import companion

    return companion


def _stop_on_signals(stop: Callable[[], None]) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            loop.add_signal_handler(number, stop)
        except NotImplementedError:  # Windows: the window's own closing has to do
            return
