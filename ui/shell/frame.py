"""The window's parts in their places: activity bar, scenes, stage with header, status bar."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from app.core.translation import tr
from ui.controls.surfaces import Stage
from ui.core.actions import PAGE_ACTIONS, PAGE_OF, Actions
from ui.shell.activity_bar import ActivityBar, PageButton
from ui.shell.chat_card import LibraryCard
from ui.shell.header import Header
from ui.shell.notice import Notice
from ui.shell.page_area import PageArea
from ui.shell.side_split import Side, SideSplit
from ui.shell.status_bar import StatusBar
from ui.shell.waiting import WaitingPage

INSPECTOR = 316
NAVIGATOR_BELOW = 1100  # px of window width; narrower windows lay the navigator over the page
INSPECTOR_BELOW = 1000
GUTTER = 8


class Frame(QWidget):
    """Knows where things stand, and nothing of what they show."""

    def __init__(self, actions: Actions) -> None:
        super().__init__()
        self.bar = ActivityBar()
        self.page_buttons: dict[str, PageButton] = {}
        self.header = Header(actions["search"], actions["undo"], actions["history"])
        self.notice = Notice()
        self.banner = Notice(stays=True)
        self.waiting = WaitingPage()
        self.stack = QStackedWidget()
        self.stack.addWidget(self.waiting)
        self.card = LibraryCard()
        self.status = StatusBar()
        self._inspectors: dict[str, SideSplit] = {}
        self._inspector_wish = (INSPECTOR, True)
        self._navigator_of: dict[str, QWidget] = {}
        self._navigator_key = "story"
        self._widths = {key: spec.list_width for key, spec in PAGE_OF.items() if spec.list_width}
        self._add_pages(actions)
        self._navigator_column = self._make_navigator_column()
        self.navigator_split = SideSplit(
            self._make_stage(),
            self._navigator_column,
            Side.LEFT,
            width=self._widths["story"],
            minimum=200,
            maximum=400,
        )
        body = QHBoxLayout()
        body.setSpacing(0)
        body.addWidget(self.bar)
        body.addWidget(self.navigator_split, 1)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addLayout(body, 1)
        outer.addWidget(self.status)

    def _add_pages(self, actions: Actions) -> None:
        for spec in PAGE_ACTIONS:
            key = spec.key.removeprefix("page.")
            is_last = key == "settings"
            if is_last:
                self.bar.add_action(actions["search"], "search")
            name = actions[spec.key].toolTip()
            self.page_buttons[key] = self.bar.add_page(key, spec.icon, name, at_foot=is_last)

    def _make_stage(self) -> QWidget:
        stage = Stage()
        stage.column.addWidget(self.banner)
        stage.column.addWidget(self.header)
        self.page_area = PageArea(self.stack, self.notice)
        stage.column.addWidget(self.page_area, 1)
        holder = QWidget()
        around = QVBoxLayout(holder)
        around.setContentsMargins(0, GUTTER, GUTTER, 0)
        around.addWidget(stage)
        return holder

    def _make_navigator_column(self) -> QWidget:
        column = QWidget()
        self._navigator_layout = QVBoxLayout(column)
        self._navigator_layout.setContentsMargins(0, 10, 0, 0)
        self._navigator_layout.setSpacing(0)
        row = QHBoxLayout()
        row.setContentsMargins(10, 0, 10, 4)
        row.addWidget(self.card)
        self._navigator_layout.addLayout(row)
        self._navigators = QStackedWidget()
        self._navigators.addWidget(QWidget())  # stands there until the first one comes
        self._navigator_layout.addWidget(self._navigators, 1)
        return column

    def set_navigator(self, key: str, navigator: QWidget) -> None:
        """Keep a page's own list, to stand under the card while the page is shown."""
        self._navigator_of[key] = navigator
        self._navigators.addWidget(navigator)

    @property
    def navigator_width(self) -> int:
        """Width of the list of scenes, in px, as the user wants it."""
        shown = self._navigator_key
        return self._widths["story"] if shown != "story" else self.navigator_split.pane_width

    def _show_navigator(self, key: str) -> None:
        if key != self._navigator_key:
            self._widths[self._navigator_key] = self.navigator_split.pane_width
            self._navigator_key = key
            self.navigator_split.set_pane_width(self._widths[key])
        if key in self._navigator_of:
            self._navigators.setCurrentWidget(self._navigator_of[key])

    def set_inspector_split(self, key: str, split: SideSplit) -> None:
        """A page's split, whose pane gives way in a narrow window."""
        self._inspectors[key] = split
        if key == "story":
            width, is_open = self._inspector_wish
            split.set_pane_width(width)
            split.set_open(is_open)

    def toggle_inspector(self, key: str) -> None:
        """Show or hide the pane at the right of a page that has one."""
        if key in self._inspectors:
            self._inspectors[key].toggle()

    def set_inspector_wish(self, width: int, is_open: bool) -> None:
        """How the user left the inspector, for when it is made."""
        self._inspector_wish = (width, is_open)

    @property
    def inspector_wish(self) -> tuple[int, bool]:
        """The inspector's width, and whether the user wants it beside the page."""
        split = self._inspectors.get("story")
        return (split.pane_width, split.is_open) if split is not None else self._inspector_wish

    def fit_panes(self, width: int, *, page: str) -> None:
        """Lay panes beside the page or over it.

        width: of the window, in px. page: the one with panes that is shown, "" for another.
        """
        has_list = page in self._widths
        if has_list:
            self._show_navigator(page)
        self.navigator_split.set_available(has_list)
        self.navigator_split.set_overlay(width < NAVIGATOR_BELOW)
        is_narrow = width < INSPECTOR_BELOW
        for split in self._inspectors.values():
            split.set_overlay(is_narrow)
        self.header.set_panes(
            left=page in self._navigator_of and self.navigator_split.is_overlay,
            right=page in self._inspectors and is_narrow,
            left_name=tr(PAGE_OF[page].show_list) if page else "",
            right_name=tr(PAGE_OF[page].show_pane) if page else "",
        )
