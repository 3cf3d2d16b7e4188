"""The story page: the strip above, the column below, and what a reader does with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QAction, QFocusEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QStackedWidget, QVBoxLayout, QWidget

from app.core.translation import N_, tr, trn
from app.prompt.reach import Reach
from app.story.inclusion import InclusionState
from app.story.scenes import Scene
from app.story.story import Story
from ui.controls.surfaces import Line
from ui.core.session import Session
from ui.story.colours import StoryColours
from ui.story.commands import StoryCommands
from ui.story.find_bar import FindBar
from ui.story.late_story import LateStory
from ui.story.messages.chat_view import ChatView
from ui.story.messages.inline_editors import NameEditor, RecapEditor
from ui.story.messages.message_model import MessageModel, empty_story
from ui.story.messages.moved_break import MovedBreak
from ui.story.messages.settling_table import VisibleRange
from ui.story.page_states import ReadingState, Sentence
from ui.story.scenes.bars import next_of
from ui.story.scenes.navigator import Navigator
from ui.story.scenes.strip import Strip
from ui.story.story_actions import StoryActions
from ui.story.target import Target
from ui.theme import theme as window_theme
from ui.theme.source import ThemeSource

if TYPE_CHECKING:
    from app.views.story_change import StoryChange

NO_CHAT = N_(
    "Read your story here, with its scenes and what of it reaches the next prompt. Choose one of "
    "your chats, or try the demo story."
)
NO_MESSAGES = N_(
    "This chat has no messages yet. They appear here as you write them in SillyTavern."
)


class StoryPage(QWidget):
    """Shows the session's chat and asks its Companion for every change.

    Signals:
        chat_wanted: the reader wants to choose a chat.
        message_chosen: message index, -1 when a scene or nothing is current.
        breaks_wanted: the reader wants the model to look for scene breaks.
        clearing_wanted: the reader wants every recap and break forgotten.
        recaps_asked: the reader wants recaps; what they take, what begins it.
        recap_import_wanted: the reader wants what other extensions left.
        budget_wanted: the reader wants more room for recaps.
        scene_memories_wanted: number of the scene whose memories the reader wants to see.

    `navigator` is made here and placed by the window; `break_here` is the page's main action.
    """

    chat_wanted = Signal()
    message_chosen = Signal(int)
    breaks_wanted = Signal()
    clearing_wanted = Signal()
    recaps_asked = Signal(object, object)
    recap_import_wanted = Signal()
    budget_wanted = Signal()
    scene_memories_wanted = Signal(int)

    def __init__(
        self, session: Session, theme: ThemeSource = window_theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._commands = StoryCommands(session, self.recaps_asked.emit)
        self._shown: Story = empty_story()
        self._sought: tuple[InclusionState | None, int] = (None, -1)  # state, message
        self._late = LateStory(self, self._follow)
        self.model = MessageModel(self)
        self.model.ask_staleness(self._is_scene_stale)
        self.strip = Strip(theme)
        self.view = ChatView(self.model, theme)
        self._moved = MovedBreak(self.view, self.model)
        self.navigator = Navigator(theme)
        self.find_bar = FindBar(theme)
        self.colours = StoryColours(session, self._commands, self.view, self.strip, self.navigator)
        self._reading = ReadingState(theme)
        self._sentence = Sentence(theme)
        self._stack = QStackedWidget()
        self._names = NameEditor(self.view)
        self._recaps = RecapEditor(self.view, theme)
        self.story_actions = StoryActions(self)
        self.story_actions.can_change = self.view.attention.can_change = self._commands.can_change
        self.navigator.offer(self.story_actions.find_breaks)
        self._lay_out()
        self._connect()
        if session.story is not None:
            self._show(session.story, 0)
        else:
            self._show_empty()

    @property
    def break_here(self) -> QAction:
        """ "Break scene here", for the header."""
        return self.story_actions.break_here

    @property
    def story(self) -> Story:
        """The story shown; one without messages before a chat is opened."""
        return self._shown

    @property
    def column(self) -> QWidget:
        """The column alone, without the strip: what a split lays a pane beside."""
        return self._stack

    def set_body(self, body: QWidget) -> None:
        """Lay `body`, which holds `column`, under the strip."""
        self._page.addWidget(body, 1)

    def _lay_out(self) -> None:
        above = QHBoxLayout()
        above.setContentsMargins(13, 4, 13, 4)
        above.addWidget(self.strip)
        self._strip_row = QWidget()
        self._strip_row.setLayout(above)
        column = QWidget()
        rows = QVBoxLayout(column)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(0)
        rows.addWidget(self.find_bar)
        rows.addWidget(self.view, 1)
        self.find_bar.hide()
        self._column = column
        for state in (column, self._reading, self._sentence):
            self._stack.addWidget(state)
        self._page = QVBoxLayout(self)
        self._page.setContentsMargins(0, 0, 0, 0)
        self._page.setSpacing(0)
        self._page.addWidget(self._strip_row)
        self._page.addWidget(Line())
        self._page.addWidget(self._stack, 1)

    def _connect(self) -> None:
        session, view = self._session, self.view
        session.chat_opened.connect(self._on_chat_opened)
        session.story_changed.connect(self._on_story_changed)
        session.reading.connect(self._on_reading)
        session.health_changed.connect(self._follow_injection)
        session.health_changed.connect(self._follow_page)
        view.visible_changed.connect(self._on_visible_changed)
        view.tool_used.connect(self._on_tool)
        view.fold_asked.connect(self._fold)
        view.rename_asked.connect(self._rename)
        view.scene_redo_asked.connect(self._redo_scene)
        view.break_dropped.connect(self._drop_break)
        view.menu_asked.connect(self._show_menu)
        view.current_changed.connect(self._on_current_changed)
        self.strip.place_wanted.connect(view.jump_to)
        self.strip.scene_opened.connect(self._open_scene)
        self.navigator.scene_chosen.connect(self._open_scene)
        self.navigator.rename_asked.connect(self._rename)
        self.navigator.menu_asked.connect(self._on_navigator_menu)
        self.navigator.answer(self.story_actions.with_scene_keys(), self._act_in_navigator)
        self.navigator.state_chosen.connect(self._on_state_chosen)
        self.navigator.reach_legend.reach_chosen.connect(self._on_reach_chosen)
        self.navigator.reach_legend.budget_wanted.connect(self.budget_wanted)
        self.find_bar.found.connect(self._on_found)
        self.find_bar.text_changed.connect(view.find_text)
        self.find_bar.closed.connect(view.setFocus)
        self._names.committed.connect(self._on_named)
        self._recaps.committed.connect(self._on_recap_written)
        self._sentence.button_pressed.connect(self.chat_wanted)
        self._sentence.demo_asked.connect(self._open_demo)
        self.story_actions.asked.connect(self._on_action)

    def focusInEvent(self, event: QFocusEvent) -> None:
        # Not a focus proxy: with one, Tab passes over the strip.
        self.view.setFocus(event.reason())

    # What is shown

    def _on_chat_opened(self, story: Story) -> None:
        self._show(story, None if story is self._shown else 0)

    def _on_story_changed(self, change: StoryChange) -> None:
        self._late.take(change.first_message)

    def _follow(self, first_changed: int | None) -> None:
        story = self._session.story
        if story is not None and story is not self._shown:
            self._show(story, first_changed)
            self._moved.follow(story)

    def _show(self, story: Story, first_changed: int | None) -> None:
        before, self._shown = self._shown, story
        if before.chat.path != story.chat.path:
            self.story_actions.forget_count()
            first_changed = 0
        self.view.show_story(story, first_changed=first_changed)
        self.colours.show_story(story)
        self._on_visible_changed(self.view.visible)
        self._follow_injection()
        self.find_bar.set_messages(story.messages, first_changed)
        if story.messages:
            self._show_state(self._column)
        else:
            self._sentence.say(tr(NO_MESSAGES))
            self._show_state(self._sentence)
        self._adjust_actions()

    def _follow_injection(self, _news: object = None) -> None:
        """Say where no message recap goes into the prompt, and which messages memory leaves out."""
        left_out = self._commands.left_out(self._shown)
        if left_out != self.model.left_out:
            self.model.left_out = self.story_actions.left_out = left_out
            self.view.viewport().update()
            self.story_actions.adjust(self.target())
        injects = self._commands.injects_recaps(self._shown)
        if injects != self.model.injects_recaps:
            for part in (self.view, self.navigator):
                part.set_injected(injects)

    def _show_state(self, state: QWidget) -> None:
        self._reading.end()
        had_current = self.view.currentIndex().isValid()
        self._stack.setCurrentWidget(state)
        if not had_current:
            # The stack hands on the focus as Tab does, which would choose a row for the reader.
            self.view.forget_current()
        self._strip_row.setVisible(state is self._column)

    def _show_empty(self) -> None:
        self._sentence.say(tr(NO_CHAT), button=tr("Choose a chat"), demo=True)
        self._show_state(self._sentence)
        self._adjust_actions()

    def _on_reading(self, is_reading: bool) -> None:
        if is_reading:
            self._show_state(self._reading)
            self._reading.begin("")
        elif self._stack.currentWidget() is self._reading:
            # chat_opened follows at once when it went well; otherwise the old chat stays.
            if self._shown.messages:
                self._show_state(self._column)
            else:
                self._show_empty()

    def _open_demo(self) -> None:
        self._session.open_chat(self._session.companion.demo)

    # Place

    def _on_visible_changed(self, visible: VisibleRange) -> None:
        self.strip.set_visible(visible)
        self.navigator.set_visible(visible)

    def _open_scene(self, scene: int) -> None:
        self.view.jump_to_scene(scene)
        self._choose_scene(scene)

    def _choose_scene(self, scene: int | None) -> None:
        """Let other pages know which scene the reader means."""
        scenes = self._shown.scenes
        closing = scenes[scene].closing if scene is not None and scene < len(scenes) else None
        if closing is not None:
            self._session.chosen_scene = closing.anchor

    def show_message(self, index: int) -> None:
        """Go to a message and make it current, as from a search or a source."""
        self.view.jump_to(index, selects=True)

    def _on_found(self, index: int) -> None:
        scene = self._shown.scene_at(index)
        if scene is not None:
            self._fold(scene.number - 1, False)
        self.view.jump_to(index, selects=True)

    def _on_state_chosen(self, state: InclusionState | None) -> None:
        """Go to the first message in a state, and from one of them to the next."""
        sought, index = self._sought
        is_there = sought is state and 0 <= index < len(self._shown.messages)
        if not is_there or self.view.current_scene() != self.model.layout.scene_of_message(index):
            index = -1
        found = next_of(self.colours.bars, state, index)
        if found is not None:
            self._sought = state, found
            self._on_found(found)

    def _on_reach_chosen(self, reach: Reach) -> None:
        self.colours.choose(reach, self._on_found)
        self._adjust_actions()

    def _on_current_changed(self) -> None:
        message = self.view.current_message()
        self.message_chosen.emit(-1 if message is None else message)
        self._choose_scene(self.view.current_scene())
        self._adjust_actions()

    # Actions

    def target(self) -> Target:
        """What the actions act on now."""
        story, view = self._shown, self.view
        if view.current_scene() is not None:
            chosen = view.chosen_messages()
            return Target(story, view.current_message(), view.current_scene(), True, chosen)
        if not story.scenes:
            return Target(story, None, None, False)
        # Whoever plays along breaks the scene with the newest message.
        return Target(story, len(story.messages) - 1, len(story.scenes) - 1, False)

    def _adjust_actions(self) -> None:
        self.story_actions.adjust(self.target())
        self._follow_page()

    def _follow_page(self, _news: object = None) -> None:
        """Going to a message in SillyTavern takes a page that shows the chat."""
        is_shown = self._commands.is_in_page(self._shown)
        self.story_actions.adjust_page(self.target(), is_shown=is_shown)

    def _on_action(self, name: str) -> None:
        target = self.target()
        match name:
            case "move_up" | "move_down":
                self._move_break(target, -1 if name == "move_up" else 1)
            case "find_breaks":
                self.breaks_wanted.emit()
            case "clear_all":
                self.clearing_wanted.emit()
            case "take_in":
                self.recap_import_wanted.emit()
            case "scene_memories" if (scene := target.the_scene()) is not None:
                self.scene_memories_wanted.emit(scene.number)
            case "rename" if target.scene is not None:
                self._rename(target.scene)
            case "fold" | "unfold" if target.scene is not None:
                self._fold(target.scene, name == "fold")
            case "previous_scene" | "next_scene":
                self._step_scene(1 if name == "next_scene" else -1)
            case "edit_recap" if target.message is not None:
                self._edit_recap(target.message)
            case "find":
                self.find_bar.open_at(self.view.visible.first)
            case _:
                self._commands.act(name, target)
        self._adjust_actions()

    def rebuild_from(self, anchor: str) -> None:
        """Make the running recap again from the scene on that ends at this message."""
        self._commands.rebuild(self._shown.chat.path, anchor)

    def _redo_scene(self, scene: int) -> None:
        self._commands.redo_scene(self._shown, scene)

    def _move_break(self, target: Target, by: int) -> None:
        if (places := self._moved.ask(target, by)) is not None:
            self._commands.move(self._shown, *places)

    def _drop_break(self, scene: int, last: int) -> None:
        places = self._moved.place(self._shown, scene, last)
        if places is not None:
            self._commands.move(self._shown, *places)

    def _on_tool(self, tool: str, index: int) -> None:
        if not self._commands.can_change:
            return
        if tool == "edit":
            self._edit_recap(index)
            return
        names = {"break": "break_here", "redo": "recap_message"}
        scene = self.model.layout.scene_of_message(index)
        self._commands.act(names.get(tool, tool), Target(self._shown, index, scene, True))

    def _fold(self, scene: int, folds: bool) -> None:
        if self._commands.can_change:
            self._commands.fold(self._shown, scene, folds)

    def _rename(self, scene: int) -> None:
        shown = self._shown.scenes[scene]
        if shown.closing is None or not self._commands.can_change:
            return
        row = self.model.layout.row_of_scene(scene)
        if not self.view.viewport().rect().contains(self.view.row_rect(row).center()):
            self.view.jump_to_scene(scene)
        # As the list and the heading call it, wherever that comes from.
        self._names.edit(scene, self._shown.scene_name(shown), row)

    def _on_named(self, scene: int, name: str) -> None:
        self._commands.rename(self._shown, scene, name)

    def _edit_recap(self, index: int) -> None:
        row = self.model.layout.row_of_message(index)
        self._recaps.edit(index, self.model.message_at(index).recap.text, row)

    def _on_recap_written(self, index: int, text: str) -> None:
        self._commands.write_recap(self._shown, index, text)

    def _step_scene(self, by: int) -> None:
        scene = self.view.current_scene()
        if scene is None:
            scene = self.navigator.scene
        wanted = min(max(scene + by, 0), len(self._shown.scenes) - 1)
        if wanted >= 0:
            self.view.jump_to_scene(wanted, selects=True)

    def _on_navigator_menu(self, scene: int, point: QPoint) -> None:
        self.view.jump_to_scene(scene, selects=True)
        self._show_menu(point)

    def _act_in_navigator(self, action: QAction) -> None:
        # What is marked there, and not the row of the column, which may be another scene's.
        if self.navigator.scene >= 0:
            self.view.jump_to_scene(self.navigator.scene, selects=True)
        action.trigger()

    def _show_menu(self, point: QPoint) -> None:
        actions = self.story_actions
        target = self.target()
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._count_missing()
        on_scene = self.view.is_on_scene()
        shown = actions.for_scene(target) if on_scene else actions.for_message(target)
        for action in shown:
            if action is None:
                menu.addSeparator()
            else:
                menu.addAction(action)
        # Never exec(): it would hold up every other task.
        menu.popup(point)

    def _count_missing(self) -> None:
        """Say in the menu how much work it would be."""
        missing = self._commands.missing_recaps(self._shown)
        action = self.story_actions.recap_missing
        action.setEnabled(missing > 0 and self._commands.can_change)
        action.setText(
            trn("Recap {n} message without one", "Recap {n} messages without one", missing)
            if missing
            else tr("Every message has its recap")
        )

    def _is_scene_stale(self, scene: Scene) -> bool:
        return self._commands.is_scene_stale(self._shown, scene)
