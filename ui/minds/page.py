"""The minds page: the epistemic map as a graph and as a table, over the scenes of the story."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QShowEvent
from PySide6.QtWidgets import QApplication, QStackedWidget, QVBoxLayout, QWidget

from app.core.operations import Operation, OperationKind
from app.core.translation import N_, tr
from app.memory.epistemic.map_view import EpistemicMapView
from app.views.memory_view import EpistemicView
from app.views.story_change import StoryChange
from ui.controls.surfaces import Line
from ui.core.session import Session
from ui.memories.hands import MemoryHands
from ui.memories.pane.states import ReadingStrip, nothing_found
from ui.minds.commands import MindCommands
from ui.minds.layout import Layout, lay_out
from ui.minds.leak_strip import LeakStrip
from ui.minds.map_view import MapView
from ui.minds.matrix import MatrixTable
from ui.minds.pane import MindPane
from ui.minds.states import NoMinds, in_review
from ui.minds.timeline import Timeline
from ui.minds.tools import MAP, TABLE, MindTools
from ui.minds.veil import Veil
from ui.shell.side_split import Side, SideSplit

PANE, PANE_MINIMUM = 312, 280
NOTHING_THEN = N_("Nobody knew anything yet at this point. Move the slider further right.")

READ_HERE = (OperationKind.MEMORY_PASS, OperationKind.UPKEEP)


class MindsPage(QWidget):
    """`tools` belongs in the window's header, `split` gives way.

    Signals:
        header_changed: title or place became others.
        message_wanted: anchor of a message to show in the story.
        model_wanted: a model is to be chosen.
        demo_wanted: the demo story is to be opened.
    """

    header_changed = Signal()
    message_wanted = Signal(str)
    model_wanted = Signal()
    demo_wanted = Signal()
    review_wanted = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._minds: EpistemicView | None = None
        self._layout = Layout()
        self._is_stale = True
        self.person, self.proposition = "", -1
        self._shown_person = False  # what the pane is about: a person, or the proposition
        self.veil = Veil(self)
        self.commands = MindCommands(self)
        self.hands = MemoryHands(session, self)
        self.tools = MindTools(self.commands)
        self.map = MapView(self.veil)
        self.table = MatrixTable(self.veil)
        self.timeline = Timeline(self.veil)
        self.pane = MindPane(self.veil)
        self.leak_strip = LeakStrip(self.veil)
        self.empty = NoMinds()
        # Longer texts are no matter of this page: what fails of them is said where they stand.
        self.strip = ReadingStrip(kinds=READ_HERE)
        self._build()
        self._connect()
        self._show_operations(session.companion.work.operations)

    def _build(self) -> None:
        self._views = QStackedWidget()
        self._nothing_then = nothing_found(tr(NOTHING_THEN))
        for widget in (self.map, self.table, self._nothing_then):
            self._views.addWidget(widget)
        main = QWidget()
        column = QVBoxLayout(main)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.leak_strip)
        column.addWidget(self._views, 1)
        column.addWidget(self.timeline)
        self.split = SideSplit(
            main,
            self.pane,
            Side.RIGHT,
            width=PANE,
            minimum=PANE_MINIMUM,
            maximum=480,
            draws_line=True,
        )
        self._stack = QStackedWidget()
        self._blank = QWidget()  # until it is known what there is
        for widget in (self._blank, self.split, self.empty):
            self._stack.addWidget(widget)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addWidget(Line())
        outer.addWidget(self.strip)
        outer.addWidget(self._stack, 1)

    def _connect(self) -> None:
        session, hands = self._session, self.hands
        session.chat_opened.connect(self._on_chat_opened)
        session.story_changed.connect(self._on_story_changed)
        session.slots_changed.connect(self._on_slots_changed)
        session.operations_changed.connect(self._show_operations)
        for view in (self.map, self.table):
            view.person_chosen.connect(self.choose_person)
            view.proposition_chosen.connect(self.choose_proposition)
            view.left.connect(self.choose_nothing)
            view.opened.connect(self._on_opened)
        self.timeline.moved.connect(self._on_moved)
        self.timeline.lanes.message_asked.connect(self._on_message_asked)
        self.timeline.lanes.person_asked.connect(self.choose_person)
        self.pane.person_asked.connect(self.choose_person)
        self.pane.proposition_asked.connect(self.choose_proposition)
        self.pane.message_asked.connect(self._on_message_asked)
        self.leak_strip.message_asked.connect(self._on_message_asked)
        self.leak_strip.proposition_asked.connect(self.choose_proposition)
        self.veil.changed.connect(self._on_veil)
        self.empty.read_asked.connect(hands.read_now)
        self.empty.model_asked.connect(self.model_wanted)
        self.empty.demo_asked.connect(self.demo_wanted)
        self.empty.review_asked.connect(self.review_wanted)
        self.strip.stop_asked.connect(hands.stop)
        self.strip.retry_asked.connect(hands.retry)
        commands = self.commands
        doing = {
            commands.map: self._on_map,
            commands.table: self._on_table,
            commands.secrets: self._on_secrets,
            commands.leaks: self.check_leaks,
            commands.fit: self.map.fit,
            commands.play: self.timeline.toggle_play,
            commands.earlier: self._on_earlier,
            commands.later: self._on_later,
            commands.now: self.timeline.go_to_now,
            commands.nothing: self.choose_nothing,
            commands.read_now: hands.read_now,
        }
        for action, slot in doing.items():
            action.triggered.connect(slot)

    # What the window asks

    @property
    def kept_clear(self) -> tuple[QWidget, ...]:
        """What no notice is to lie over."""
        return (self.timeline,)

    @property
    def title(self) -> str:
        """For the header."""
        return tr("Minds")

    @property
    def place(self) -> str:
        """For the header: when it is looked at."""
        if not self._has_minds:
            return ""
        words = tr("Who knows what, now")
        if self.timeline.at >= 0:
            words = tr("Who knew what at #{at}", at=self.timeline.at)
        return f"{words}, {tr('made for the demo')}" if self._session.is_demo else words

    @property
    def _has_minds(self) -> bool:
        return self._minds is not None and bool(self._minds.map.topics)

    @property
    def at(self) -> int:
        """Index of the message that is looked at."""
        return self.timeline.shown_at

    @property
    def command_icons(self) -> Mapping[QAction, str]:
        """The commands for the palette, each with its icon's name."""
        return self.commands.icons

    def take_focus(self) -> None:
        """Give the keyboard to what is shown."""
        target: QWidget = self.map
        if self._stack.currentWidget() is self._blank:
            target = self
        elif self._stack.currentWidget() is self.empty:
            target = self.empty.target
        elif self._views.currentWidget() is self.table:
            target = self.table
        target.setFocus(Qt.FocusReason.OtherFocusReason)

    # Reading the map

    def _on_chat_opened(self, _story: object) -> None:
        self._minds = None
        self._is_stale = True
        self.person, self.proposition, self._shown_person = "", -1, False
        self.timeline.go_to_now()
        self.leak_strip.hide()
        self._show_stack()
        if self.isVisible():
            self.refresh()

    def _on_story_changed(self, change: StoryChange) -> None:
        if change.memories or change.scenes or change.first_message is not None:
            self._is_stale = True
            if self.isVisible():
                self.refresh()

    def _on_slots_changed(self, _slots: object) -> None:
        if self._minds is not None and self._minds.view.is_alone is not self._session.is_alone:
            self._is_stale = True
            if self.isVisible():
                self.refresh()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._is_stale:
            self.refresh()

    def refresh(self) -> None:
        """Read the map anew."""
        path = self._session.path
        if path is not None:
            self._is_stale = False
            self._session.do(self._load(path), name=N_("reading who knows what"))

    async def _load(self, path: Path) -> None:
        minds, layout = await asyncio.to_thread(self._made, path)
        if path != self._session.path:
            return
        old, self._minds, self._layout = self._minds, minds, layout
        self._keep_choice(old, minds)
        self.timeline.show_story(minds.view.story)
        if old is None:
            self.proposition = self._telling(minds)
        self.map.show_minds(minds.map, layout)
        # Piece by piece: all of a long story's at once holds the window up for more than a frame.
        for show in (self._show_stances, self._show_choice, self._show_rest):
            await asyncio.sleep(0)
            if minds is not self._minds:
                return
            show()
        if old is None or self._reply_of(old) != self._reply_of(minds):
            self._show_leaks(minds)
        self._show_operations(self._session.companion.work.operations)

    def _made(self, path: Path) -> tuple[EpistemicView, Layout]:
        minds = self._session.companion.remembered.minds(path)
        return minds, lay_out(minds.map, minds.view.at)

    def _reply_of(self, minds: EpistemicView) -> tuple[int | None, int, int]:
        return minds.reply, len(minds.leaks), len(minds.map.topics)

    def _keep_choice(self, old: EpistemicView | None, minds: EpistemicView) -> None:
        """What was chosen stays chosen, though its number may be another one now."""
        key = ""
        if old is not None and 0 <= self.proposition < len(old.map.topics):
            key = old.map.topic(self.proposition).key
        topics = minds.map.topics
        self.proposition = next((topic.number for topic in topics if topic.key == key), -1)
        if self.person and all(person.key != self.person for person in minds.map.people):
            self.person, self._shown_person = "", False

    def _telling(self, minds: EpistemicView) -> int:
        """The proposition to begin with: that which most people have to do with now."""
        counts = Counter(stance.proposition for stance in minds.map.stances(minds.view.at))
        return max(counts, key=lambda number: (counts[number], number), default=-1)

    def _show_leaks(self, minds: EpistemicView) -> None:
        if minds.reply is not None:
            self.leak_strip.show_leaks(minds.map, minds.leaks, minds.reply)

    def check_leaks(self) -> None:
        """Hold the newest reply, or the message that is looked at, against the map."""
        minds, path = self._minds, self._session.path
        if minds is None or path is None:
            return
        message = minds.reply if self.timeline.at < 0 else self.timeline.at
        if message is not None:
            self._session.do(self._check(path, minds, message), name=N_("checking for leaks"))

    async def _check(self, path: Path, minds: EpistemicView, message: int) -> None:
        leaks = await self._session.companion.remembered.leaks(path, message)
        if minds is not self._minds:
            return
        self.leak_strip.show_leaks(minds.map, leaks, message)
        if not leaks:
            self._session.told.emit(
                tr("#{message} reveals nothing that its speaker cannot know.", message=message)
            )

    # What is shown

    def _on_moved(self, _at: int) -> None:
        self._show_moment()

    def _show_moment(self) -> None:
        self._show_stances()
        self._show_choice()
        self._show_rest()

    def _show_stances(self) -> None:
        minds = self._minds
        if minds is not None:
            stances = minds.map.stances(self.at)
            self.map.show_stances(stances)
            self.table.show_stances(minds.map, stances)

    def _show_rest(self) -> None:
        self._show_stack()
        self.header_changed.emit()

    def _show_choice(self) -> None:
        minds = self._minds
        if minds is None:
            return
        self.map.choose(self.person, self.proposition)
        self.table.choose(self.person, self.proposition)
        self.timeline.show_choice(minds.map, self.proposition, self.person)
        if self.person and (self._shown_person or self.proposition < 0):
            self.pane.show_person(minds.map, self.person, self.at)
        elif self.proposition >= 0:
            self.pane.show_proposition(minds.map, self.proposition, self.at)
        else:
            self.pane.show_nothing()

    def _show_stack(self) -> None:
        focus = QApplication.focusWidget()
        had_focus = focus is not None and (focus is self or self.isAncestorOf(focus))
        before = self._stack.currentWidget(), self._views.currentWidget()
        if self._has_minds:
            self._stack.setCurrentWidget(self.split)
        else:
            is_known = self._minds is not None or self.strip.is_reading
            self._stack.setCurrentWidget(self.empty if is_known else self._blank)
        shown: QWidget = self.table if self.tools.is_table else self.map
        if self._has_minds and not self.map.ties:
            shown = self._nothing_then
        self._views.setCurrentWidget(shown)
        if had_focus and before != (self._stack.currentWidget(), shown):
            self.take_focus()
        companion, path = self._session.companion, self._session.path
        self.empty.show_minds_state(
            is_reading=self.strip.is_reading,
            has_model=not self.hands.is_without_model,
            is_demo=path is not None and path == companion.demo.path,
            has_memories=self._minds is not None and bool(self._minds.view.memories),
            in_review=0 if self._minds is None else in_review(self._minds.view),
        )
        for action in (
            self.commands.secrets,
            self.commands.leaks,
            self.commands.fit,
            self.commands.play,
        ):
            action.setEnabled(self._has_minds)

    def _show_operations(self, operations: tuple[Operation, ...]) -> None:
        story, minds = self._session.story, self._minds
        places = minds.view.ground.places if minds is not None else {}
        last = len(story.messages) - 1 if story is not None else 0
        self.strip.show_operations(operations, places, last)
        self._show_stack()

    # Choosing

    @property
    def minds(self) -> EpistemicMapView | None:
        """The map that is shown."""
        return self._minds.map if self._minds is not None else None

    def choose_person(self, key: str) -> None:
        """Show the world as a person knows it."""
        self.person, self._shown_person = key, True
        self._show_choice()

    def choose_proposition(self, number: int) -> None:
        """Show who holds what of a proposition, and how it got there."""
        self.proposition, self._shown_person = number, False
        self._show_choice()

    def choose_nothing(self) -> None:
        """All in front again."""
        self.person, self.proposition, self._shown_person = "", -1, False
        self._show_choice()

    def _on_message_asked(self, index: int) -> None:
        story = self._session.story
        if story is not None and 0 <= index < len(story.messages):
            self.message_wanted.emit(story.messages[index].anchor)

    def _on_opened(self) -> None:
        """In a narrow window the pane lies over the page, and comes when it is asked for."""
        if not self.split.is_pane_shown:
            self.split.toggle()

    # Commands

    def _on_map(self) -> None:
        self._show_view(MAP)

    def _on_table(self) -> None:
        self._show_view(TABLE)

    def _show_view(self, key: str) -> None:
        self.tools.show_view(key)
        self._show_stack()
        self.take_focus()

    def _on_secrets(self) -> None:
        self.veil.lift(not self.veil.is_lifted)

    def _on_veil(self) -> None:
        self.tools.show_lifted(self.veil.is_lifted)
        self.commands.secrets.setText(
            tr("Hide secrets") if self.veil.is_lifted else tr("Show secrets")
        )

    def _on_earlier(self) -> None:
        self.timeline.slider.step_scene(-1)

    def _on_later(self) -> None:
        self.timeline.slider.step_scene(1)
