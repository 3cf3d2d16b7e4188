"""The story page as the window shows it: strip and column, and the inspector beside the column."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QVBoxLayout, QWidget

from ui.core.session import Session
from ui.inspector.inspector import Inspector
from ui.shell.side_split import Side, SideSplit
from ui.story.page import StoryPage
from ui.story.scenes.navigator import Navigator
from ui.theme.source import ThemeSource

INSPECTOR = 316
NARROWEST, WIDEST = 272, 480


class StoryStage(QWidget):
    """Owns the page and the inspector; `navigator` is placed by the window."""

    def __init__(self, session: Session, theme: ThemeSource, see_text: QAction) -> None:
        super().__init__()
        self.page = StoryPage(session, theme)
        self.inspector = Inspector(session, see_text)
        self.inspector.rebuild_asked.connect(self.page.rebuild_from)
        self.inspector.budget_asked.connect(self.page.budget_wanted)
        self.split = SideSplit(
            self.page.column,
            self.inspector,
            Side.RIGHT,
            width=INSPECTOR,
            minimum=NARROWEST,
            maximum=WIDEST,
            draws_line=True,
        )
        self.page.set_body(self.split)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.page)

    def take_focus(self) -> None:
        """Give the keyboard to the column."""
        self.page.view.setFocus(Qt.FocusReason.OtherFocusReason)

    @property
    def speaker(self) -> StoryPage:
        """Whose signals say what the stage wants."""
        return self.page

    @property
    def command_icons(self) -> Mapping[QAction, str]:
        """The commands for the palette, each with its icon's name."""
        return self.page.story_actions.icons

    @property
    def navigator(self) -> Navigator:
        """The list of scenes, for the window's left side."""
        return self.page.navigator

    def show_message(self, anchor: str) -> None:
        """Go to the message with this anchor."""
        for index, message in enumerate(self.page.story.messages):
            if message.anchor == anchor:
                self.page.show_message(index)
                return
