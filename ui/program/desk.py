"""What happens in a window that has a companion: pages, chats, actions, and what is told."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QObject, Qt, SignalInstance
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from app.companion import Companion
from app.core.operations import FINISHED, Operation, OperationStatus
from app.core.tasks import TaskSupervisor
from app.core.translation import N_, retold, tr
from app.story.story import ChatRef, Story
from ui.controls.buttons import key_text
from ui.controls.labels import menu_text, safe_tip
from ui.core.actions import PAGE_ACTIONS, Actions
from ui.core.chat_words import chat_title, chat_words, owner_words
from ui.core.dialogs import choose_folder
from ui.core.session import Session
from ui.memories.asked_texts import AskedTexts
from ui.memories.whole import WholeCommands
from ui.offers.exporting import EXPORTS, Exporting
from ui.offers.sync_news import sync
from ui.program import pages
from ui.program.banners import Banners
from ui.program.everywhere import Everywhere
from ui.program.far_commands import FarCommands
from ui.program.tray import Tray
from ui.program.window_look import WindowLook
from ui.shell.command_palette import CommandPalette, FarCommand
from ui.shell.frame import Frame
from ui.theme.source import ThemeSource
from ui.work.words import failed_words

if TYPE_CHECKING:
    from ui.library.popover import LibraryPopover
    from ui.program.story_stage import StoryStage

WELCOME = "welcome"
RECAP_ROOM = "running_recap_budget"  # what is raised for scenes of which nothing is told
HEALTH_PAGES = {"queue": "work", "backend": "settings", "reading": "story"}
TAVERN_PARTS = ("sillytavern", "bridge")  # a section of the settings is about them
NEED_A_COMPANION = ("chats", "sync", "pause", "prompts")


class Desk(QObject):
    """Connects one session with one frame. Owned by the window."""

    def __init__(
        self,
        window: QWidget,
        frame: Frame,
        actions: Actions,
        companion: Companion,
        theme: ThemeSource,
        tasks: TaskSupervisor,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._frame = frame
        self._actions = actions
        self._theme = theme
        self.session = Session(companion, tasks)
        self.page_key = "story"
        self.story_stage: StoryStage | None = None
        self._pages: dict[str, QWidget] = {}
        self.far = FarCommands(self.session, self._pages, self.show_page, self)
        self._palette = CommandPalette(
            self._shown_actions, self._shown_story, window, far=self._far_commands
        )
        self._palette.far_chosen.connect(self.far.go)
        self._palette.idle_chosen.connect(self.far.say_why)
        self._palette.message_chosen.connect(self._on_message_chosen)
        self._palette.setting_chosen.connect(self._on_setting_chosen)
        self._exporting = Exporting(self.session, actions, window)
        self._frame.header.set_more([actions[key] for key in EXPORTS])
        self._whole = WholeCommands(self.session, frame.notice, window)
        self._asked_texts = AskedTexts(self.session, frame.notice, window)
        self.everywhere = Everywhere(self.session, frame, actions, window)
        self.everywhere.serve(self._palette)
        self.everywhere.message_wanted.connect(self._on_message_chosen)
        self.everywhere.memory_wanted.connect(self._on_memory_wanted)
        self.everywhere.setting_wanted.connect(self._on_section_wanted)
        self.everywhere.place_wanted.connect(self._on_setting_chosen)
        self.everywhere.folder_wanted.connect(self.choose_tavern)
        self.tray = Tray(self.session, actions, window)
        self._look = WindowLook(self.session, theme, actions)
        self._connect_session()
        self.wants = self._page_wants()
        self._connect_actions()
        frame.status.show_health(companion.health)
        self._on_operations_changed(companion.work.operations)

    @cached_property
    def _popover(self) -> LibraryPopover:
        """The list of chats; made when it is first wanted, so that no start waits for it."""
        from ui.library.popover import LibraryPopover

        popover = LibraryPopover(self.session, self._window)
        popover.chat_chosen.connect(self.open_chat)
        return popover

    def _connect_session(self) -> None:
        session, frame = self.session, self._frame
        session.chat_opened.connect(self._on_chat_opened)
        session.story_changed.connect(self._on_story_changed)
        session.health_changed.connect(frame.status.show_health)
        session.operations_changed.connect(self._on_operations_changed)
        session.undo_changed.connect(self._on_undo_changed)
        session.replayed.connect(self._on_setting_changed)
        session.reading.connect(self._on_reading)
        session.failed.connect(frame.notice.say)
        session.mended.connect(frame.notice.take_back)
        session.told.connect(frame.status.tell)
        banners = self.banners = Banners(session, frame, self._actions, self._window)
        banners.budget_wanted.connect(self._on_budget_wanted)
        banners.folder_wanted.connect(self.choose_tavern)
        banners.setting_wanted.connect(self._on_setting_chosen)
        banners.list_wanted.connect(self.open_chats)
        banners.message_wanted.connect(self._on_message_chosen)
        banners.place_wanted.connect(self._on_place_wanted)
        banners.page_wanted.connect(self.show_page)
        banners.texts_wanted.connect(self._on_texts_wanted)
        frame.bar.page_chosen.connect(self.show_page)
        frame.status.item_pressed.connect(self._on_status_item)
        frame.card.clicked.connect(self.open_chats)

    def _connect_actions(self) -> None:
        for spec in PAGE_ACTIONS:
            self._actions[spec.key].triggered.connect(self._on_page_action)
        doing = {
            "search": self.open_palette,
            "chats": self.open_chats,
            "copies": self.banners.copies.begin,
            "replace": self.banners.replacement.begin,
            "sync": self._on_sync,
            "undo": self.session.undo,
            "redo": self.session.redo,
            "pause": self._on_pause,
            "prompts": self._on_prompts,
            "pane.right": self._on_right,
        }
        for key, slot in doing.items():
            self._actions[key].triggered.connect(slot)
        for key in NEED_A_COMPANION:
            self._actions[key].setEnabled(True)
        self._frame.header.right_toggled.connect(self._on_right)

    # Pages

    def _on_budget_wanted(self, key: str = RECAP_ROOM) -> None:
        self.show_page("budgets")
        if isinstance(page := self._pages["budgets"], pages.ShowsSlot) and key:
            page.choose(key)

    def show_page(self, key: str) -> None:
        """Put a page on the stage; without a chat the welcome stands for those that need one."""
        self.page_key = key
        self._frame.bar.show_page(key)
        shown = key if self.session.path is not None or pages.is_bare(key) else WELCOME
        if shown not in self._pages:
            self._pages[shown] = self._make_page(shown)
            self._frame.stack.addWidget(self._pages[shown])
        if shown == WELCOME:
            self._welcome_to(key)
        self._frame.stack.setCurrentWidget(self._pages[shown])
        self._show_place()
        self.banners.follow_page(key)
        self.fit_panes()
        page = self._pages[shown]
        if isinstance(page, pages.TakesFocus):
            page.take_focus()
        else:
            page.setFocus(Qt.FocusReason.OtherFocusReason)

    def _welcome_to(self, key: str) -> None:
        welcome = self._pages[WELCOME]
        assert isinstance(welcome, pages.StandsIn)
        welcome.show_for(key)

    def fit_panes(self) -> None:
        """Lay panes beside the page or over it, as the window is wide."""
        page = self.page_key if self.session.path is not None else ""
        self._frame.fit_panes(self._window.width(), page=page)

    def _make_page(self, key: str) -> QWidget:
        spec = pages.WELCOME if key == WELCOME else pages.PAGES[key]
        page = spec.make(pages.PageParts(self.session, self._theme, self._actions))
        self._connect_page(page)
        if isinstance(page, pages.HasNavigator):
            self._frame.set_navigator(key, page.navigator)
        if isinstance(page, pages.HasSplit):
            self._frame.set_inspector_split(key, page.split)
        if isinstance(page, pages.TakesWhole):
            self.banners.leave_counting()
            page.take_whole(self._whole)
        if key == "story":
            self._take_stage(cast("StoryStage", page))
        return page

    def _take_stage(self, stage: StoryStage) -> None:
        """What the window and the story have to do with each other only."""
        self._frame.page_area.covered.connect(stage.page.view.set_foot)
        stage.page.view.set_foot(self._frame.page_area.covered_px)
        self.story_stage = stage

    def _connect_page(self, page: QWidget) -> None:
        """Connect the signals by which pages say what they want."""
        speaker = page.speaker if isinstance(page, pages.HasSpeaker) else page
        for name, follow in self.wants.items():
            signal = getattr(speaker, name, None)
            if isinstance(signal, SignalInstance):
                signal.connect(follow)

    def _page_wants(self) -> dict[str, Callable[..., object]]:
        """What follows each signal of a page, by its name."""
        return {
            "header_changed": self._show_place,
            "message_wanted": self._on_message_chosen,
            "chat_chosen": self.open_chat,
            "chat_wanted": self.open_chats,
            "list_wanted": self.open_chats,
            "folder_wanted": self.choose_tavern,
            "demo_wanted": self._on_demo_wanted,
            "model_wanted": self._on_settings_wanted,
            "setting_wanted": self._on_setting_chosen,
            "setting_changed": self._on_setting_changed,
            "restart_wanted": self._actions["restart"].trigger,
            "prompt_wanted": self._actions["page.prompt"].trigger,
            "budget_wanted": self._on_budget_wanted,
            "scene_memories_wanted": self._on_scene_memories_wanted,
            **self.banners.wants,
            "review_wanted": self._on_review_wanted,
            "waiting_changed": self.banners.show_in_review,
        }

    def _show_place(self) -> None:
        story, key = self.session.story, self.page_key
        is_bare = pages.is_bare(key)
        place = ""
        if story is not None and not is_bare:
            name = owner_words(story.chat) or story.chat.title
            place = chat_title(story.chat) if key == "story" else name
        title, tools = tr(pages.PAGES[key].title), None
        page = self._pages.get(key)
        if isinstance(page, pages.HasHeader) and (story is not None or is_bare):
            title, tools = page.title, page.tools
            place = page.place or place
        self._frame.header.show_place(title, place)
        self._frame.header.set_tools(tools)
        actions = []
        if story is not None and not is_bare and tools is None:
            actions.append((self._actions["sync"], "sync"))
            if key == "story" and self.story_stage is not None:
                actions.insert(0, (self.story_stage.page.break_here, "split"))
        self._frame.header.set_actions(actions)
        self._frame.header.set_more(self._further_commands(key))
        self._frame.header.show_more(story is not None and not is_bare and tools is None)
        # Where tools stand, they have an undo of their own; but these commands are taken back.
        has_undo = tools is None or pages.PAGES[key].has_undo
        is_history = not is_bare or (key == "settings" and title == tr(pages.PAGES[key].title))
        self._frame.header.show_undo(story is not None and is_history and has_undo)

    def _further_commands(self, key: str) -> list[QAction]:
        """What the menu at the right end of the header holds."""
        exports = [self._actions[name] for name in EXPORTS]
        if key != "story" or self.story_stage is None:
            return exports
        return [*self.story_stage.page.story_actions.for_story(), *exports]

    # Chats

    def open_chat(self, chat: ChatRef) -> None:
        """Read a chat and show its story."""
        self.page_key = "story"
        self.session.open_chat(chat)

    def open_chats(self) -> None:
        """Open the list of chats under the card, or under the header where no card is seen."""
        card = self._frame.card
        self._popover.open_below(card if card.isVisible() else self._frame.header)

    def _on_chat_opened(self, story: Story) -> None:
        self._frame.notice.forget_failure()
        self._frame.card.show_story(story, self.session.companion.host_of(story.chat))
        self._actions["copies"].setEnabled(True)
        self._actions["replace"].setEnabled(not self.session.companion.is_reading_only)
        self._window.setWindowTitle(f"{chat_words(story.chat)} — Tavernkeep")
        self.show_page(self.page_key)

    def _on_story_changed(self, _change: object) -> None:
        story = self.session.story
        host = "" if story is None else self.session.companion.host_of(story.chat)
        self._frame.card.show_story(story, host)

    def _on_reading(self, is_reading: bool) -> None:
        if not is_reading:
            self.show_page(self.page_key)
        elif self.session.path is None:
            self._frame.waiting.say(tr("Reading the chat"))
            self._frame.stack.setCurrentWidget(self._frame.waiting)

    # Search

    def open_palette(self) -> None:
        """Open the field that finds commands, scenes and messages."""
        self._palette.open_over(self._window)

    def _shown_actions(self) -> tuple[tuple[QAction, str], ...]:
        search = self._actions["search"]
        shown = [
            (action, self._actions.icon(action.objectName()))
            for action in self._actions.all()
            if action is not search
        ]
        shown += pages.command_icons(self._pages.get(self.page_key))
        shown += self._whole.icons.items()
        shown += self._asked_texts.icons.items()
        return tuple(shown)

    def _far_commands(self) -> tuple[FarCommand, ...]:
        return self.far.of_others(self.page_key)

    def _shown_story(self) -> Story | None:
        return self.session.story

    def _on_prompts(self) -> None:
        self.show_page("settings")
        page = self._pages["settings"]
        if isinstance(page, pages.HasPrompts):
            page.open_prompts()

    def _on_message_chosen(self, anchor: str) -> None:
        self.show_page("story")
        if self.story_stage is not None:
            self.story_stage.show_message(anchor)

    def _memories(self) -> QWidget | None:
        self.show_page("memories")
        return self._pages.get("memories")

    def _on_memory_wanted(self, memory_id: str) -> None:
        if isinstance(page := self._memories(), pages.ShowsMemory):
            page.show_memory(memory_id)

    def _on_scene_memories_wanted(self, scene: int) -> None:
        if isinstance(page := self._memories(), pages.ShowsMemory):
            page.search_for("scene", str(scene))

    # Actions

    def _on_page_action(self) -> None:
        action = self.sender()
        if action is not None:
            self.show_page(action.objectName().removeprefix("page."))

    def _on_status_item(self, key: str) -> None:
        if key in TAVERN_PARTS and not self.everywhere.show_status(key):
            self._on_section_wanted("SillyTavern")
        elif key not in TAVERN_PARTS:
            self.show_page(HEALTH_PAGES[key])

    def _on_sync(self) -> None:
        self.session.do(self._sync(), name=N_("sync"))

    async def _sync(self) -> None:
        self.session.told.emit(await sync(self.session))

    def _on_section_wanted(self, title: str) -> None:
        self.show_page("settings")
        page = self._pages["settings"]
        if isinstance(page, pages.HasPrompts):
            page.go_to(title)

    def _on_setting_chosen(self, name: str) -> None:
        self.show_page("settings")
        page = self._pages["settings"]
        if isinstance(page, pages.HasPrompts):
            page.show_setting(name)

    def _on_settings_wanted(self) -> None:
        self.show_page("settings")

    def _on_place_wanted(self, index: int) -> None:
        self.show_page("story")
        if self.story_stage is not None:
            self.story_stage.page.show_message(index)

    def _on_pause(self) -> None:
        companion = self.session.companion
        if companion.work.is_paused:
            companion.work.resume()
        else:
            companion.work.pause()

    def _on_right(self) -> None:
        self._frame.toggle_inspector(self.page_key)

    def _on_demo_wanted(self) -> None:
        self.session.open_chat(self.session.companion.demo)

    def _on_texts_wanted(self) -> None:
        if isinstance(page := self._memories(), pages.ShowsTexts):
            page.show_texts()

    def _on_review_wanted(self) -> None:
        if isinstance(page := self._memories(), pages.ShowsTexts):
            page.show_review()

    def choose_tavern(self) -> None:
        """Let the user name SillyTavern's folder."""
        self.session.do(self._choose_folder(), name=N_("choosing a folder"))

    async def _choose_folder(self) -> None:
        folder = await choose_folder(self._window, tr("SillyTavern's folder"), Path.home())
        if folder is not None:
            put, path = self.session.companion.put_setting, self.session.path
            await put("tavern", str(folder), noted_in=path)
            self.session.refresh()

    # What the companion says

    def _on_undo_changed(self, undo: str, redo: str) -> None:
        for key, word, label in (("undo", tr("Undo"), undo), ("redo", tr("Redo"), redo)):
            action = self._actions[key]
            action.setEnabled(bool(label))
            words = f"{word}: {retold(label)}" if label else word
            action.setText(menu_text(words))
            action.setToolTip(safe_tip(f"{words} ({key_text(action.shortcut())})"))

    def _on_operations_changed(self, operations: tuple[Operation, ...]) -> None:
        failed = sum(operation.status is OperationStatus.FAILED for operation in operations)
        runs = any(operation.status not in FINISHED for operation in operations)
        self._frame.page_buttons["work"].set_badge(str(failed) if failed else "", dot=runs)
        self._frame.page_buttons["work"].set_more(failed_words(self.session, operations))
        is_paused = self.session.companion.work.is_paused
        self._actions["pause"].setText(
            tr("Go on with the work") if is_paused else tr("Pause the work")
        )

    def _on_setting_changed(self, *_: object) -> None:
        """Also after what was taken back: that may be an import of settings."""
        self._look.apply()
        self.tray.follow()
