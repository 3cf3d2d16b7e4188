"""How long the story page takes: first paint, jumps, scrolling and a new message."""

from __future__ import annotations

import os
import random
import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtWidgets import QApplication

from app.story.inclusion import Inclusion, InclusionState
from app.story.scenes import scenes_of
from app.story.story import Story
from tests.bench.table import Aim, Row
from tests.ui.samples import LINES, message, story
from ui.story.page import StoryPage
from ui.theme import theme
from ui.theme.fonts import load_fonts
from ui.theme.style import InstrumentStyle

SIZES = (10_000, 100_000)
SCENE_LENGTH = 40
JUMPS = 60
FRAMES = 200
APPENDS = 30
FRAME_MS = 16.7

T = TypeVar("T")


def long_story(count: int) -> Story:
    """Messages of 1 to 12 stock paragraphs, all different, a scene every 40."""
    dice = random.Random(7)
    shown = tuple(
        message(i, f"{i}. " + "\n\n".join(dice.choices(LINES, k=min(dice.randint(1, 6), 4))))
        for i in range(count)
    )
    return story(count, tuple(range(SCENE_LENGTH - 1, count, SCENE_LENGTH)), messages=shown)


def appended(before: Story) -> Story:
    """The story with one more message in its open scene, as the Companion freezes it."""
    index = len(before.messages)
    text = f"{index}. {LINES[index % len(LINES)]}"
    messages = (*before.messages, message(index, text))
    last = before.scenes[-1]
    if last.is_closed:
        scenes = scenes_of(messages, before.breaks)
    else:
        scenes = (*before.scenes[:-1], replace(last, last=index))
    return replace(
        before,
        messages=messages,
        scenes=scenes,
        inclusion=(*before.inclusion, Inclusion(InclusionState.NONE, "")),
        message_tokens=(*before.message_tokens, len(text) // 4),
    )


def measure() -> list[Row]:
    """All figures, without a rival: nothing else shows a chat of this length."""
    application = QApplication.instance() or QApplication([])
    assert isinstance(application, QApplication)
    load_fonts()
    application.setStyle(InstrumentStyle(theme))
    rows: list[Row] = []
    for count in SIZES:
        rows += _measured(application, count)
    return rows


def _measured(application: QApplication, count: int) -> list[Row]:
    from tests.ui.gallery import StillSession

    told = long_story(count)
    size = f"{count:,} messages"

    def opened() -> StoryPage:
        page = StoryPage(StillSession(told), theme)  # type: ignore[arg-type]
        page.resize(1040, 800)
        page.show()
        application.processEvents()
        return page

    first, page = _timed(opened)
    view, dice = page.view, random.Random(3)

    def jump() -> None:
        view.jump_to(dice.randrange(count))
        application.processEvents()

    jumps = [_timed(jump)[0] for _ in range(JUMPS)]
    bar = view.verticalScrollBar()
    view.jump_to(count // 2)
    application.processEvents()

    def scroll() -> None:
        bar.setValue(bar.value() + 24)
        application.processEvents()

    frames = [_timed(scroll)[0] for _ in range(FRAMES)]
    view.scroll_to_end()
    states = [told]
    for _ in range(APPENDS):
        states.append(appended(states[-1]))
    following = iter(states[1:])

    def append() -> None:
        grown = next(following)
        page._show(grown, len(grown.messages) - 1)
        application.processEvents()

    appends = [_timed(append)[0] for _ in range(APPENDS)]
    late = 100 * sum(ms > FRAME_MS for ms in frames) / len(frames)
    page.close()
    page.deleteLater()
    application.processEvents()
    return [
        Row(f"story page, first paint, {size}", first, aim=Aim(most=150)),
        Row(f"story page, jump, median, {size}", statistics.median(jumps), aim=Aim(most=10)),
        Row(f"story page, jump, worst, {size}", max(jumps)),
        Row(
            f"story page, scroll 24 px, median, {size}", statistics.median(frames), aim=Aim(most=5)
        ),
        Row(
            f"story page, scroll 24 px, worst, {size} ({late:.1f} % of frames over 16.7 ms)",
            max(frames),
            aim=Aim(most=FRAME_MS),
        ),
        Row(
            f"story page, append, median, {size}",
            statistics.median(appends),
            aim=Aim(most=FRAME_MS),
        ),
    ]


def _timed(work: Callable[[], T]) -> tuple[float, T]:
    start = time.perf_counter()
    result = work()
    return (time.perf_counter() - start) * 1000, result
