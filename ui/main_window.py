"""The window: chrome, stage and pages, and what happens when something is asked of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QSize, Qt, Signal
from PySide6.QtGui import QAction, QCloseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from app.operations import FINISHED, Operation, OperationStatus
from app.story.story import ChatRef, Story
from app.tasks import TaskSupervisor
from ui.actions import PAGE_ACTIONS, Actions
from ui.controls.surfaces import Stage
from ui.library.card import LibraryCard
from ui.library.words import chat_title
from ui.session import Session
from ui.shell.activity_bar import ActivityBar, PageButton
from ui.shell.header import Header
from ui.shell.notice import Notice
from ui.shell.side_split import Side, SideSplit
from ui.shell.status_bar import StatusBar
from ui.shell.waiting import WaitingPage
from ui.theme.focus import FocusRing
from ui.theme.source import ThemeChoice, ThemeSource
from ui.window_state import WindowState, read_state

if TYPE_CHECKING:
    from app.companion import Companion
    from ui.library.popover import LibraryPopover
    from ui.shell.command_palette import CommandPalette
    from ui.story_stage import StoryStage

SIZE = QSize(1360, 860)
SMALLEST = QSize(640, 480)
NAVIGATOR = 256
NAVIGATOR_BELOW = 1100  # px of window width; narrower windows lay the navigator over the page
INSPECTOR_BELOW = 1000
GUTTER = 8
TITLES = {"recaps": "Recaps", "prompt": "Prompt", "work": "Work", "settings": "Settings"}
HEALTH_PAGES = {
    "queue": "work",
    "backend": "settings",
    "bridge": "settings",
    "sillytavern": "settings",
    "reading": "story",
}
BARE_PAGES = frozenset({"work", "settings"})  # need no open chat


class MainWindow(QWidget):
    """Shows the shell at once; `attach` brings it to life.

    Signals:
        closed: the user closed the window; whoever owns it ends the program.
    """

    closed = Signal()

    def __init__(self, theme: ThemeSource, tasks: TaskSupervisor) -> None:
        super().__init__()
        self._theme = theme
        self._tasks = tasks
        self.session: Session | None = None
        self.state = WindowState()
        self.actions_ = Actions(self)
        self._page = "story"
        self._pages: dict[str, QWidget] = {}
        self._story_stage: StoryStage | None = None
        self._popover: LibraryPopover | None = None
        self._palette: CommandPalette | None = None
        self.setWindowTitle("Tavernkeep")
        self.setMinimumSize(SMALLEST)
        self.resize(SIZE)
        self._build_shell()
        self._connect_actions()
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        self._ring = FocusRing(application, self)

    # --- building

    def _build_shell(self) -> None:
        self.bar = ActivityBar()
        self._page_buttons: dict[str, PageButton] = {}
        for spec in PAGE_ACTIONS:
            key = spec.key.removeprefix("page.")
            action = self.actions_[spec.key]
            if key == "settings":
                self.bar.add_action(self.actions_["search"], "search")
            self._page_buttons[key] = self.bar.add_page(
                key, spec.icon, action.toolTip(), at_foot=key == "settings"
            )
        self.bar.page_chosen.connect(self.show_page)
        self.header = Header(self.actions_["search"])
        self.notice = Notice()
        self._stack = QStackedWidget()
        self._waiting = WaitingPage()
        self._stack.addWidget(self._waiting)
        stage = Stage()
        for widget in (self.header, self.notice):
            stage.column.addWidget(widget)
        stage.column.addWidget(self._stack, 1)
        stage_holder = QWidget()
        holder = QVBoxLayout(stage_holder)
        holder.setContentsMargins(0, GUTTER, GUTTER, 0)
        holder.addWidget(stage)
        self._navigator_column = QWidget()
        self._navigator_layout = QVBoxLayout(self._navigator_column)
        self._navigator_layout.setContentsMargins(0, 10, 0, 0)
        self._navigator_layout.setSpacing(0)
        self.card = LibraryCard()
        card_row = QHBoxLayout()
        card_row.setContentsMargins(10, 0, 10, 4)
        card_row.addWidget(self.card)
        self._navigator_layout.addLayout(card_row)
        self._navigator_layout.addStretch(1)
        self.navigator_split = SideSplit(
            stage_holder,
            self._navigator_column,
            Side.LEFT,
            width=NAVIGATOR,
            minimum=200,
            maximum=400,
        )
        self.status = StatusBar()
        body = QHBoxLayout()
        body.setSpacing(0)
        body.addWidget(self.bar)
        body.addWidget(self.navigator_split, 1)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addLayout(body, 1)
        outer.addWidget(self.status)
        self.bar.show_page("story")
        self.header.show_place("Story", "")

    def _connect_actions(self) -> None:
        for spec in PAGE_ACTIONS:
            self.actions_[spec.key].triggered.connect(self._on_page_action)
        doing = {
            "search": self.open_palette,
            "chats": self.open_chats,
            "sync": self._on_sync,
            "undo": self._on_undo,
            "redo": self._on_redo,
            "pause": self._on_pause,
            "pane.left": self.navigator_split.toggle,
            "pane.right": self._on_right,
            "text.larger": self._on_larger,
            "text.smaller": self._on_smaller,
            "text.normal": self._on_normal,
            "quit": self.close,
        }
        for key, slot in doing.items():
            self.actions_[key].triggered.connect(slot)
        for key in ("chats", "sync", "undo", "redo", "pause"):
            self.actions_[key].setEnabled(False)
        self.header.left_toggled.connect(self.navigator_split.toggle)
        self.header.right_toggled.connect(self._on_right)
        self.status.item_pressed.connect(self._on_status_item)
        self.card.clicked.connect(self.open_chats)

    def attach(self, companion: Companion) -> None:
        """Bring the window to life with a companion that runs."""
        session = Session(companion, self._tasks)
        self.session = session
        session.chat_opened.connect(self._on_chat_opened)
        session.story_changed.connect(self._on_story_changed)
        session.health_changed.connect(self.status.show_health)
        session.operations_changed.connect(self._on_operations_changed)
        session.undo_changed.connect(self._on_undo_changed)
        session.reading.connect(self._on_reading)
        session.failed.connect(self.notice.say)
        self._restore(str(companion.settings["window_state"]))
        self._apply_look()
        self.status.show_health(companion.health)
        self._on_operations_changed(companion.operations)
        for key in ("chats", "sync", "pause"):
            self.actions_[key].setEnabled(True)
        self.show_page(self._page)

    async def detach(self) -> None:
        """End what the window has under way; to be called before the companion stops."""
        if self.session is not None:
            self.session.close()
        await self._tasks.aclose()

    # --- pages

    def show_page(self, key: str) -> None:
        """Put a page on the stage."""
        self._page = key
        self.bar.show_page(key)
        if self.session is None:
            return
        shown = key if self.session.path is not None or key in BARE_PAGES else "welcome"
        if shown not in self._pages:
            self._pages[shown] = self._make_page(shown)
            self._stack.addWidget(self._pages[shown])
        self._stack.setCurrentWidget(self._pages[shown])
        self._show_place()
        self._fit_panes()
        if shown == "story" and self._story_stage is not None:
            self._story_stage.take_focus()
        else:
            self._pages[shown].setFocus(Qt.FocusReason.OtherFocusReason)

    @property
    def page(self) -> QWidget | None:
        """The page on the stage."""
        return self._stack.currentWidget()

    def _make_page(self, key: str) -> QWidget:
        # Imported when first shown: none of them is needed to put the window up.
        session = self.session
        assert session is not None
        if key == "story":
            return self._make_story(session)
        if key == "welcome":
            from ui.welcome.page import WelcomePage

            welcome = WelcomePage(session)
            welcome.chat_chosen.connect(self.open_chat)
            welcome.folder_wanted.connect(self._on_folder_wanted)
            welcome.list_wanted.connect(self.open_chats)
            return welcome
        if key == "settings":
            from ui.settings.page import SettingsPage

            settings = SettingsPage(session)
            settings.folder_wanted.connect(self._on_folder_wanted)
            settings.setting_changed.connect(self._apply_look)
            return settings
        if key == "recaps":
            from ui.recaps.page import RecapsPage

            return RecapsPage(session)
        if key == "prompt":
            from ui.prompt.page import PromptPage

            return PromptPage(session)
        from ui.work.page import WorkPage

        return WorkPage(session)

    def _make_story(self, session: Session) -> QWidget:
        from ui.story_stage import StoryStage

        stage = StoryStage(session, self._theme, self.actions_["page.prompt"])
        stage.split.set_pane_width(self.state.inspector_width)
        stage.split.set_open(self.state.inspector_open)
        self._story_stage = stage
        stage.page.chat_wanted.connect(self.open_chats)
        self._navigator_layout.takeAt(self._navigator_layout.count() - 1)  # the room kept for it
        self._navigator_layout.addWidget(stage.navigator, 1)
        return stage

    def _show_place(self) -> None:
        session = self.session
        story = session.story if session is not None else None
        if self._page == "story" or (story is None and self._page not in BARE_PAGES):
            title, place = "Story", chat_title(story.chat) if story is not None else ""
        else:
            title = TITLES[self._page]
            place = story.chat.owner_name or story.chat.title if story is not None else ""
            if self._page in BARE_PAGES:
                place = ""
        self.header.show_place(title, place)
        actions = []
        if story is not None and self._page not in BARE_PAGES:
            actions.append((self.actions_["sync"], "sync"))
            if self._page == "story" and self._story_stage is not None:
                actions.insert(0, (self._story_stage.page.break_here, "scissors"))
        self.header.set_actions(actions)

    def _fit_panes(self) -> None:
        has_chat = self.session is not None and self.session.path is not None
        on_story = self._page == "story" and (has_chat or self.session is None)
        self.navigator_split.set_available(on_story)
        self.navigator_split.set_overlay(self.width() < NAVIGATOR_BELOW)
        is_narrow = self.width() < INSPECTOR_BELOW
        if self._story_stage is not None:
            self._story_stage.split.set_overlay(is_narrow)
        self.header.set_panes(
            left=on_story and has_chat and self.navigator_split.is_overlay,
            right=on_story and has_chat and is_narrow,
        )

    # --- chats

    def open_chat(self, chat: ChatRef) -> None:
        """Read a chat and show its story."""
        if self.session is not None:
            self._page = "story"
            self.session.open_chat(chat)

    def open_last(self) -> None:
        """Open the chat that was shown when the window was closed."""
        if self.state.last_chat:
            self.open_path(Path(self.state.last_chat))

    def open_path(self, path: Path) -> None:
        """Read the chat at `path` and show it."""
        if self.session is not None:
            self.session.do(self.session.open_path(path), name="open chat")

    def open_chats(self) -> None:
        """Open the list of chats under the card, or under the header where no card is seen."""
        if self.session is None:
            return
        if self._popover is None:
            from ui.library.popover import LibraryPopover

            self._popover = LibraryPopover(self.session, self)
            self._popover.chat_chosen.connect(self.open_chat)
        self._popover.open_below(self.card if self.card.isVisible() else self.header)

    def open_palette(self) -> None:
        """Open the field that finds commands, scenes and messages."""
        if self._palette is None:
            from ui.shell.command_palette import CommandPalette

            self._palette = CommandPalette(self._shown_actions, self._shown_story, self)
            self._palette.message_chosen.connect(self._on_message_chosen)
        self._palette.open_over(self)

    def _shown_actions(self) -> tuple[tuple[QAction, str], ...]:
        own = tuple(
            (action, self.actions_.icon(action.objectName()))
            for action in self.actions_.all()
            if action is not self.actions_["search"]
        )
        if self._story_stage is None or self._page != "story":
            return own
        return own + tuple((a, "book") for a in self._story_stage.page.actions())

    def _shown_story(self) -> Story | None:
        return self.session.story if self.session is not None else None

    def _on_chat_opened(self, story: Story) -> None:
        self.notice.hide()
        self.card.show_story(story)
        self.setWindowTitle(f"{story.chat.owner_name or story.chat.title} — Tavernkeep")
        self.show_page(self._page)

    def _on_story_changed(self, _change: object) -> None:
        if self.session is not None:
            self.card.show_story(self.session.story)

    def _on_reading(self, is_reading: bool) -> None:
        if is_reading and self.session is not None and self.session.path is None:
            self._waiting.say("Reading the chat")
            self._stack.setCurrentWidget(self._waiting)
        elif not is_reading:
            self.show_page(self._page)

    def _on_message_chosen(self, anchor: str) -> None:
        self.show_page("story")
        if self._story_stage is not None:
            self._story_stage.show_message(anchor)

    # --- actions

    def _on_page_action(self) -> None:
        action = self.sender()
        if action is not None:
            self.show_page(action.objectName().removeprefix("page."))

    def _on_sync(self) -> None:
        if self.session is not None:
            self.session.do(self.session.companion.sync(), name="sync")

    def _on_undo(self) -> None:
        if self.session is not None:
            self.session.undo()

    def _on_redo(self) -> None:
        if self.session is not None:
            self.session.redo()

    def _on_undo_changed(self, undo: str, redo: str) -> None:
        for key, word, label in (("undo", "Undo", undo), ("redo", "Redo", redo)):
            action = self.actions_[key]
            action.setEnabled(bool(label))
            action.setText(f"{word}: {label}" if label else word)

    def _on_pause(self) -> None:
        if self.session is not None:
            companion = self.session.companion
            if companion.is_paused:
                companion.resume()
            else:
                companion.pause()

    def _on_right(self) -> None:
        if self._story_stage is not None:
            self._story_stage.split.toggle()

    def _on_larger(self) -> None:
        self._put_text_size(self._theme.reading_px + 0.5)

    def _on_smaller(self) -> None:
        self._put_text_size(self._theme.reading_px - 0.5)

    def _on_normal(self) -> None:
        self._put_text_size(15.5)

    def _put_text_size(self, px: float) -> None:
        self._theme.set_reading_px(px)
        if self.session is not None:
            put = self.session.companion.put_setting("story_text_size", self._theme.reading_px)
            self.session.do(put, name="changing a setting")

    def _on_status_item(self, key: str) -> None:
        self.show_page(HEALTH_PAGES[key])

    def _on_folder_wanted(self) -> None:
        if self.session is not None:
            self.session.do(self._choose_folder(), name="choosing a folder")

    async def _choose_folder(self) -> None:
        from ui.dialogs import choose_folder

        session = self.session
        assert session is not None
        folder = await choose_folder(self, "SillyTavern's folder", Path.home())
        if folder is not None:
            await session.companion.put_setting("tavern", str(folder))

    # --- what the companion says

    def _on_operations_changed(self, operations: tuple[Operation, ...]) -> None:
        failed = sum(operation.status is OperationStatus.FAILED for operation in operations)
        runs = any(operation.status not in FINISHED for operation in operations)
        self._page_buttons["work"].set_badge(str(failed) if failed else "", dot=runs)
        if self.session is not None:
            is_paused = self.session.companion.is_paused
            self.actions_["pause"].setText("Go on with the work" if is_paused else "Pause the work")

    # --- the window itself

    def _apply_look(self, _name: str = "", _value: object = None) -> None:
        if self.session is not None:
            settings = self.session.companion.settings
            self._theme.set_choice(ThemeChoice(str(settings["theme"])))
            self._theme.set_reading_px(float(settings["story_text_size"]))

    def _restore(self, text: str) -> None:
        self.state = read_state(text)
        if self.state.geometry:
            self.restoreGeometry(QByteArray.fromBase64(self.state.geometry.encode("ascii")))
        self._page = self.state.page if self.state.page in self._page_buttons else "story"
        self.navigator_split.set_pane_width(self.state.navigator_width)
        self.navigator_split.set_open(self.state.navigator_open)

    def current_state(self) -> WindowState:
        """What is to be remembered until the next run."""
        path = self.session.path if self.session is not None else None
        state = WindowState(
            geometry=bytes(self.saveGeometry().toBase64().data()).decode("ascii"),
            page=self._page,
            navigator_width=self.navigator_split.pane_width,
            navigator_open=self.navigator_split.is_open,
            last_chat=str(path) if path is not None else "",
        )
        if self._story_stage is not None:
            state.inspector_width = self._story_stage.split.pane_width
            state.inspector_open = self._story_stage.split.is_open
        return state

    def focusNextPrevChild(self, forward: bool) -> bool:
        self._ring.announce_key()
        return super().focusNextPrevChild(forward)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_panes()

    def closeEvent(self, event: QCloseEvent) -> None:
        event.accept()
        self.closed.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(self.rect(), self._theme.tokens.chrome)
