"""One run of the window over a long chat, in a process of its own: prints what each deed took."""

from __future__ import annotations

import asyncio
import json
import os
import random
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QAbstractEventDispatcher, QEvent, QObject, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication, QWidget

from app.companion import Companion
from tests.bench import window_world as world
from tests.bench.table import FRAME_MS, IS_QUICK
from ui.core.collecting import GuiThreadCollector
from ui.memories.listing.model import Column
from ui.program.application import loop_factory, make_application
from ui.program.desk import Desk
from ui.program.main_window import MainWindow

PAGES = ("story", "recaps", "memories", "minds", "budgets", "prompt", "work", "settings")
PARTS = ("scroll", "find", "search", "memories", "sliders", "switching", "new_messages")
CALM_SECONDS = 0.35  # longer than any timer of the window waits before it goes to work
# To look is some 0.2 ms itself. Looked at each 7 ms, that was never calm: steps of 3 ms were told
# as such of 150, most of it the looking.
STEP_SECONDS = 0.16
BUSY = 0.03  # share of the time that idle timers never take
ROUNDS = 3 if IS_QUICK else 5
WHEEL, WHEELS, DRAGS = 24, 400, 100
SLIDERS = ("budget_long", "budget_session", "inclusion_limit")
STEPS = 12

Deed = Callable[[], object]


class Ear(QObject):
    """Hears each turn of the event loop: the longest one is how long the window stood still."""

    def __init__(self) -> None:
        super().__init__()
        dispatcher = QAbstractEventDispatcher.instance()
        assert dispatcher is not None
        dispatcher.awake.connect(self._on_awake)
        self.reset()

    def reset(self) -> None:
        """Forget what was heard."""
        self.longest, self._last = 0.0, time.thread_time()

    def _on_awake(self) -> None:
        now = time.thread_time()
        self.longest, self._last = max(self.longest, now - self._last), now


class Painted(QObject):
    """Waits until a widget is painted."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self._waiting = asyncio.get_running_loop().create_future()
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint and not self._waiting.done():
            self._waiting.set_result(None)
        return False

    async def next(self) -> None:
        """For the first time since it was made, or was to look anew; when that is over."""
        await asyncio.wait_for(self._waiting, 60)

    def look_anew(self) -> None:
        """Forget what was painted."""
        self._waiting = asyncio.get_running_loop().create_future()


async def calm(seconds: float = CALM_SECONDS) -> None:
    """Wait until nothing has been done for a while."""
    step, still = seconds / 4, 0
    while still < 4:
        before = time.process_time()
        await asyncio.sleep(step)
        still = still + 1 if time.process_time() - before < step * BUSY else 0


class Run:
    """The window at work, and what it took."""

    def __init__(self, companion: Companion, window: MainWindow, folder: Path, size: int) -> None:
        assert window.desk is not None
        self.companion, self.window, self.folder = companion, window, folder
        self.desk: Desk = window.desk
        self.path, self.size = world.long_file(folder), size
        self.ear = Ear()
        self.figures: dict[str, Any] = {}
        self.dice = random.Random(3)

    async def taken(self, deed: Deed, *, seconds: float = CALM_SECONDS) -> tuple[float, ...]:
        """Milliseconds of the processor until all is calm: of the window's thread, of all threads,
        and of the longest time that the window stood still.
        """
        self.ear.reset()
        mine, all_ = time.thread_time(), time.process_time()
        found = deed()
        if isinstance(found, Awaitable):
            await found
        await calm(seconds)
        return (
            1000 * (time.thread_time() - mine),
            1000 * (time.process_time() - all_),
            1000 * self.ear.longest,
        )

    async def medians(self, deed: Deed, rounds: int = ROUNDS, **how: float) -> dict[str, float]:
        """Of some rounds behind one that warms up."""
        await self.taken(deed, **how)
        return _medians([await self.taken(deed, **how) for _ in range(rounds)])

    # What is measured

    async def open(self) -> None:
        """From the press to the first paint, with all that the store holds of the chat."""
        begun: list[Painted] = []

        def on_opened(_story: object) -> None:
            stage = self.desk.story_stage  # it is there now: pages are made when they are shown
            assert stage is not None
            begun.append(Painted(stage.page.view.viewport()))

        session = self.desk.session
        session.chat_opened.connect(on_opened)
        mine, all_, began = time.thread_time(), time.process_time(), time.perf_counter()
        self.ear.reset()
        await session.open_path(self.path)
        await begun[0].next()
        self.figures["open"] = {
            "mine": 1000 * (time.thread_time() - mine),
            "all": 1000 * (time.process_time() - all_),
            "longest": 1000 * self.ear.longest,
            "wall": 1000 * (time.perf_counter() - began),
        }
        session.chat_opened.disconnect(on_opened)
        await self.companion.settled(self.path)
        await self.companion.search.settled()
        await calm()

    async def scroll(self) -> None:
        stage = self.desk.story_stage
        assert stage is not None
        view = stage.page.view
        painted, bar = Painted(view.viewport()), view.verticalScrollBar()

        def scroll() -> None:
            bar.setValue(bar.value() + WHEEL)

        def jump() -> None:
            bar.setValue(self.dice.randrange(bar.maximum()))

        for name, count, way in (("scroll", WHEELS, scroll), ("jump", DRAGS, jump)):
            view.jump_to(self.size // 2)
            await calm()
            frames = []
            for _ in range(count):
                painted.look_anew()
                begin = time.thread_time()
                way()
                await painted.next()
                frames.append(1000 * (time.thread_time() - begin))
            late = sum(frame > FRAME_MS for frame in frames) / len(frames)
            self.figures[name] = {
                "median": statistics.median(frames),
                "worst": max(frames),
                "late": 100 * late,
            }
        view.scroll_to_end()

    async def find(self) -> None:
        stage = self.desk.story_stage
        assert stage is not None
        bar, words = stage.page.find_bar, iter(("nobody", "lantern", "zzz", "message") * 9)
        bar.open_at(0)
        await calm()
        self.figures["find"] = await self.medians(lambda: bar.field.setText(next(words)))
        bar.close_bar()

    async def search(self) -> None:
        words, sheet = (
            iter(("lantern", "captain", "widow", "smoke", "oath") * 9),
            (self.desk.everywhere.search_sheet),
        )
        self.desk.everywhere.open_search()
        await calm()
        self.figures["search"] = await self.medians(lambda: sheet.field.setText(next(words)))
        sheet.close()

    async def memories(self) -> None:
        self.figures["memories opened"] = _medians([await self.taken(lambda: self._go("memories"))])
        page: Any = self.window.page
        words = iter(("lantern", "who:Wren", "oath", "", "kind:fact") * 9)
        field, table = page.tools.field, page.table
        self.figures["filter"] = await self.medians(lambda: field.setText(next(words)))
        field.clear()
        columns = iter((Column.IMPORTANCE, Column.MEMORY, Column.VALID, Column.CONFIDENCE) * 9)
        self.figures["sort"] = await self.medians(lambda: table.sort_asked.emit(next(columns)))
        table.sort_asked.emit(Column.VALID)
        await calm()

    async def sliders(self) -> None:
        # In simple mode the tracks of single slots are to be read only.
        await self.companion.put_setting("budget_mode", "advanced", path=self.path)
        self._go("budgets")
        await calm()
        page: Any = self.window.page
        first: list[tuple[float, ...]] = []
        again: list[tuple[float, ...]] = []
        for name in SLIDERS:
            rows = page.board.rows.values()
            row = next((row for row in rows if row.facts and row.facts.setting == name), None)
            if row is None:
                continue
            for taken in (first, again):
                taken += await self._dragged(row.track)
        self.figures["slider first"] = _medians(first)
        self.figures["slider"] = _medians(again)
        self.figures["slider"]["worst"] = max(one[0] for one in again)
        late = sum(one[0] > FRAME_MS for one in again) / len(again)
        self.figures["slider"]["late"] = 100 * late

    async def _dragged(self, track: Any) -> list[tuple[float, ...]]:
        """A hand moves it from end to end and back, and lets it be."""
        start = track.thumb.center()
        places = (*range(STEPS), *range(STEPS, -1, -1))
        _mouse(track, QMouseEvent.Type.MouseButtonPress, start)
        taken = []
        for place in places:
            point = QPointF(track.span * place / STEPS, start.y())
            taken.append(
                await self.taken(
                    partial(_mouse, track, QMouseEvent.Type.MouseMove, point),
                    seconds=STEP_SECONDS,
                )
            )
        track.cancel()
        await calm()
        return taken

    async def switching(self) -> None:
        """Between two chats that are open."""
        self._go("story")
        session, short = self.desk.session, world.short_file(self.folder)
        await session.open_path(short)
        await self.companion.settled(short)
        await calm()
        times = []
        for _ in range(5):
            times.append(await self.taken(lambda: session.open_path(self.path)))
            await session.open_path(short)
            await calm()
        self.figures["switch"] = _medians(times[1:])
        await session.open_path(self.path)
        await calm()

    async def new_messages(self) -> None:
        """One new message with each page in front, and without a window at the end."""
        for page in PAGES:
            self._go(page)
            await calm()
            self.figures[f"message, {page}"] = await self.medians(self.message)

    async def message(self) -> None:
        """One more in the file, and all that follows of it."""
        world.append(self.path, self.size)
        self.size += 1
        await self.companion.open_story(self.path)
        await self.companion.settled(self.path)
        await self.companion.search.settled()

    def _go(self, page: str) -> None:
        self.window.show_page(page)


def _medians(times: list[tuple[float, ...]]) -> dict[str, float]:
    mine, all_, longest = (statistics.median(column) for column in zip(*times, strict=True))
    return {"mine": mine, "all": all_, "longest": longest}


def _mouse(track: QWidget, kind: QMouseEvent.Type, point: QPointF) -> None:
    left = Qt.MouseButton.LeftButton
    event = QMouseEvent(
        kind, point, track.mapToGlobal(point), left, left, Qt.KeyboardModifier.NoModifier
    )
    QApplication.sendEvent(track, event)


def memory_mb() -> float:
    """What the process holds in memory now; 0 where that is not told."""
    try:
        status = Path("/proc/self/status").read_text("utf-8")
    except OSError:
        return 0.0
    line = next(line for line in status.splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


async def run(folder: Path, size: int, parts: list[str]) -> dict[str, Any]:
    """Everything, in the order in which somebody would do it."""
    async with world.running(folder, memory_auto=False, message_recaps_auto=False) as companion:
        window = world.shown(companion)
        await calm()
        empty = memory_mb()
        run = Run(companion, window, folder, size)
        await run.open()
        run.figures["memory"] = {"empty": empty, "opened": memory_mb() - empty}
        for part in parts or PARTS:
            await getattr(run, part)()
        run.figures["memory"]["used"] = memory_mb() - empty
        await window.detach()
        window.hide()
        window.deleteLater()
        await calm()
        if not parts or "new_messages" in parts:
            run.figures["message, no window"] = await run.medians(run.message)
        return run.figures


def main() -> None:
    """Arguments: the prepared folder, how long the chat is, what to measure of all."""
    folder, size, *parts = sys.argv[1:]
    application = make_application()
    collector = GuiThreadCollector(application)
    collector.start()
    with asyncio.Runner(loop_factory=lambda: loop_factory(application)) as runner:
        figures = runner.run(run(Path(folder), int(size), parts))
    collector.stop()
    print(json.dumps(figures))  # noqa: T201


if __name__ == "__main__":
    main()
