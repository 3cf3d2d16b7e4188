"""Draws the story page offscreen, for looking at: python tests/ui/gallery.py CHAT FOLDER."""

from __future__ import annotations

import os
import sys
from collections.abc import Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).parents[2]))

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QHBoxLayout, QVBoxLayout, QWidget

from app.prompt.reach import NOTHING_REACHED
from app.settings.values import ValueInForce
from app.story.scenes import scenes_of
from app.story.story import Story
from tests.ui.samples import labelled_story, with_states
from ui.controls.labels import page_title
from ui.controls.surfaces import Stage
from ui.story.page import StoryPage
from ui.theme import ThemeChoice, theme
from ui.theme.fonts import load_fonts
from ui.theme.palette import palette_of
from ui.theme.style import InstrumentStyle

NAVIGATOR_FROM = 1_100


class StillSession(QObject):
    """Shows one story and refuses nothing: what is asked of it is not done."""

    chat_opened = Signal(object)
    story_changed = Signal(object)
    reading = Signal(bool)
    health_changed = Signal(object)
    reach_changed = Signal(object)
    reach = NOTHING_REACHED

    def __init__(self, story: Story | None) -> None:
        super().__init__()
        self.story = story
        self.companion = self.page = self.reading_bounds = self

    def left_out(self, _path: object) -> frozenset[str]:
        return frozenset()

    def shows(self, _path: object) -> bool:
        return False

    def setting(self, name: str, *, path: object = None) -> ValueInForce:
        return ValueInForce("recaps" if name == "story_colours" else True, False, is_own=False)

    def do(self, coroutine: Coroutine[Any, Any, object], *, name: str) -> None:
        coroutine.close()


def window(story: Story | None, width: int, height: int = 860) -> tuple[QWidget, StoryPage]:
    """The page on its stage, with the navigator on the chrome where there is room."""
    root = QWidget()
    root.setAutoFillBackground(True)
    root.resize(width, height)
    page = StoryPage(StillSession(story), theme)  # type: ignore[arg-type]
    row = QHBoxLayout(root)
    row.setContentsMargins(52, 8, 8, 28)
    row.setSpacing(0)
    if width >= NAVIGATOR_FROM:
        beside = QWidget()
        beside.setFixedWidth(256)
        column = QVBoxLayout(beside)
        column.setContentsMargins(0, 50, 0, 0)
        column.addWidget(page.navigator)
        row.addWidget(beside)
    stage = Stage()
    title = page_title("Story")
    title.setFixedHeight(47)
    title.setContentsMargins(16, 0, 0, 0)
    stage.column.addWidget(title)
    stage.column.addWidget(page, 1)
    row.addWidget(stage, 1)
    if width >= NAVIGATOR_FROM:
        body = QWidget()
        split = QHBoxLayout(body)
        split.setContentsMargins(0, 0, 316, 0)
        split.addWidget(page.column)
        page.set_body(body)
    return root, page


def folded(story: Story, scene: int) -> Story:
    """The same story with one scene folded. scene: counted from 0."""
    breaks = dict(story.breaks)
    anchor = story.messages[story.scenes[scene].last].anchor
    breaks[anchor] = replace(breaks[anchor], is_collapsed=True)
    return replace(story, breaks=breaks, scenes=scenes_of(story.messages, breaks))


def pictures(chat: Path, folder: Path) -> None:
    """Write one picture of each state of the page, dark and light."""
    plain = labelled_story(chat, until=104)
    told = folded(with_states(plain), 8)
    for choice in (ThemeChoice.DARK, ThemeChoice.LIGHT):
        theme.set_choice(choice)
        QApplication.setPalette(palette_of(theme.tokens))
        for name, story, width in (
            ("wide", told, 1360),
            ("narrow", told, 900),
            ("plain", plain, 1360),
            ("empty", None, 1360),
        ):
            root, page = window(story, width)
            root.show()
            QApplication.processEvents()
            if story is not None:
                page.view.jump_to(77)
                row = page.model.layout.row_of_message(90)
                QTest.mouseMove(page.view.viewport(), page.view.row_rect(row).center())
            QApplication.processEvents()
            root.grab().save(str(folder / f"{name}-{choice.value}.png"))
            if name == "wide" and story is not None:
                page.view.setFocus(Qt.FocusReason.TabFocusReason)
                QTest.mouseMove(page.view.viewport(), QPoint(2, 2))
                page.view.jump_to(93, selects=True)
                page.view.attention.by_key = True
                QApplication.processEvents()
                root.grab().save(str(folder / f"selected-{choice.value}.png"))
            root.close()
            root.deleteLater()


if __name__ == "__main__":
    application = QApplication([])
    load_fonts()
    application.setStyle(InstrumentStyle(theme))
    pictures(Path(sys.argv[1]), Path(sys.argv[2]))
