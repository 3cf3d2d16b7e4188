"""The memories page: a table over all tiers, and beside it one memory, or what waits for review."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QShowEvent
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from app.core.operations import Operation
from app.core.translation import N_, tr
from app.memory.documents.browsing import Arranged, arranged
from app.memory.records import Tier
from app.memory.standing import Standing
from app.views.memory_view import MemoryView
from app.views.story_change import StoryChange
from ui.controls.surfaces import Line
from ui.core.session import Session
from ui.memories.chosen import Chosen
from ui.memories.commands import MemoryCommands
from ui.memories.hands import MemoryHands
from ui.memories.listing.arranging import Arranging
from ui.memories.listing.filters import Filters
from ui.memories.listing.model import Column, MemoryModel
from ui.memories.listing.people import PeoplePane
from ui.memories.listing.rail import ALL, PEOPLE, TEXTS, MemoryRail
from ui.memories.listing.table import MemoryTable
from ui.memories.members import menu_of_all
from ui.memories.moment import MomentBar
from ui.memories.pane.half_written import HalfWritten
from ui.memories.pane.pane import DETAILS, REVIEW, MemoryPane
from ui.memories.pane.states import ReadingStrip, nothing_found
from ui.memories.panes import MemoryPanes
from ui.memories.paused import PausedStrip
from ui.memories.text_offers import TextOffers
from ui.memories.texts import TextsPane
from ui.memories.tools import MemoryTools
from ui.memories.whole import WholeCommands
from ui.memories.words import held_words
from ui.shell.side_split import Side, SideSplit

PANE, PANE_MINIMUM = 308, 296


class MemoriesPage(QWidget):
    """`rail` belongs in the window's left pane, `tools` in its header, `split` gives way.

    Signals:
        header_changed: title, place or tools became others.
        message_wanted: anchor of a message to show in the story.
        model_wanted: a model is to be chosen.
        demo_wanted: the demo story is to be opened.
        waiting_changed: how many memories wait for review.
    """

    header_changed = Signal()
    message_wanted = Signal(str)
    model_wanted = Signal()
    demo_wanted = Signal()
    waiting_changed = Signal(int)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._view: MemoryView | None = None
        self._shown: MemoryView | None = None  # whose rows stand in the table
        self._by_id: Mapping[str, Standing] = {}
        self._arranged = Arranged()
        self._is_stale = True
        self._awaited = ""  # id of a memory that is to be shown as soon as it is there
        self.commands = MemoryCommands(self)
        self.hands = MemoryHands(session, self)
        self.model = MemoryModel()
        self.rail = MemoryRail(self.hands.shows)
        self.tools = MemoryTools(self.commands)
        self.table = MemoryTable(self.model)
        self._filters = Filters(self.rail, self.tools, self.table)
        self.arranging = Arranging(self._filters, self.table)
        self.chosen = Chosen(self.table, self.commands, self.hands)
        self.moment = MomentBar()
        self.pane = MemoryPane(self.commands)
        self._writing = HalfWritten(session, self.pane)
        self.people = PeoplePane()
        self.texts = TextsPane(TextOffers(self.commands.texts))
        self.strip = ReadingStrip()
        self.paused = PausedStrip()
        self._build()
        self._connect()
        self._show_operations(session.companion.work.operations)

    def _build(self) -> None:
        self._rows = QStackedWidget()
        self._rows.addWidget(self.table)
        self._nothing = nothing_found()
        self._rows.addWidget(self._nothing)
        main = QWidget()
        column = QVBoxLayout(main)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._rows, 1)
        column.addWidget(self.moment)
        self.split = SideSplit(
            main,
            self.pane,
            Side.RIGHT,
            width=PANE,
            minimum=PANE_MINIMUM,
            maximum=480,
            draws_line=True,
        )
        self._panes = MemoryPanes(
            self._session, self.hands, self.split, self.people, self.texts, self.strip
        )
        self.empty = self._panes.empty
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addWidget(Line())
        outer.addWidget(self.strip)
        outer.addWidget(self.paused)
        outer.addWidget(self._panes, 1)

    def _connect(self) -> None:
        session, table, pane, hands = self._session, self.table, self.pane, self.hands
        session.chat_opened.connect(self._on_chat_opened)
        session.story_changed.connect(self._on_story_changed)
        session.slots_changed.connect(self._on_slots_changed)
        session.operations_changed.connect(self._show_operations)
        session.undone.connect(self.arranging.hold.let_go)
        self.arranging.hold.ended.connect(self._on_let_go)
        self.rail.place_chosen.connect(self._on_place)
        self.rail.shows_changed.connect(self._arrange)
        self.rail.shows_wanted.connect(hands.keep_shows)
        self.tools.searched.connect(self._on_searched)
        self.tools.left.connect(self.take_focus)
        self.moment.moved.connect(self._on_moved)
        table.fold_asked.connect(self._on_fold)
        table.sort_asked.connect(self._on_sort)
        table.chosen_changed.connect(self._show_chosen)
        self.chosen.message_asked.connect(self.message_wanted)
        table.edit_ended.connect(self._arrange)
        self.model.rewritten.connect(hands.rewrite)
        pane.detail.message_asked.connect(self.message_wanted)
        pane.detail.memory_asked.connect(self.show_memory)
        pane.detail.moment_asked.connect(self.moment.go_to)
        pane.detail.rewritten.connect(hands.rewrite)
        pane.detail.settled.connect(hands.settle)
        pane.review.approve_asked.connect(hands.approve_one)
        pane.review.reject_asked.connect(hands.reject_one)
        pane.review.rewritten.connect(hands.rewrite_and_approve)
        pane.review.message_asked.connect(self.message_wanted)
        pane.adding.add_asked.connect(self._on_add)
        pane.adding.left.connect(self._on_add_left)
        self.people.type_asked.connect(hands.retype)
        self.people.merge_asked.connect(hands.merge)
        self.people.name_asked.connect(hands.rename)
        self.people.delete_asked.connect(hands.delete_entity)
        self.people.memories_asked.connect(partial(self.search_for, "who"))
        self.people.memory_asked.connect(self.show_memory)
        self.texts.rewritten.connect(hands.rewrite_text)
        self.empty.read_asked.connect(hands.read_now)
        self.empty.model_asked.connect(self.model_wanted)
        self.empty.demo_asked.connect(self.demo_wanted)
        self._panes.keys_lost.connect(self.take_focus)
        self.strip.stop_asked.connect(hands.stop)
        self.strip.retry_asked.connect(hands.retry)
        self._connect_commands()

    def _connect_commands(self) -> None:
        commands = self.commands
        doing = {
            commands.add: self._on_add_wanted,
            commands.find: self.tools.take_focus,
            commands.edit: self._on_edit,
            commands.read_now: self.hands.read_now,
            commands.review: self.show_review,
        }
        for action, slot in doing.items():
            action.triggered.connect(slot)
        for request, action in commands.texts.items():
            action.triggered.connect(partial(self.hands.ask_for, request))

    def take_whole(self, whole: WholeCommands) -> None:
        """Offer what is done with all of it, too."""
        show = partial(self.search_for, "of")
        self.tools.set_menu(menu_of_all(self._session, whole, self.commands.read_now, show))
        self.paused.follow(whole.commit, whole.discard)

    # What the window asks

    @property
    def title(self) -> str:
        """For the header."""
        return tr("Memories")

    @property
    def place(self) -> str:
        """For the header: how many hold, and how many ended."""
        return held_words(self._arranged, self.moment.at, is_demo=self._session.is_demo)

    @property
    def navigator(self) -> QWidget:
        """The list for the window's left side."""
        return self.rail

    @property
    def command_icons(self) -> Mapping[QAction, str]:
        """The commands for the palette, each with its icon's name."""
        return self.commands.in_palette

    def show_texts(self) -> None:
        """Show the longer texts."""
        self.rail.choose(TEXTS)

    def take_focus(self) -> None:
        """Give the keyboard to what is shown."""
        is_in_review = self.pane.kind == REVIEW and self.pane.isVisible()
        target = self._panes.target
        if target is None:
            target = self.pane.review if is_in_review else self.table
        target.setFocus(Qt.FocusReason.OtherFocusReason)

    # Reading what is remembered

    def _on_chat_opened(self, _story: object) -> None:
        self._writing.put_away()
        self._view = self._shown = None
        self._is_stale = True
        self.model.show_rows((), self.model.ground, -1)
        self.moment.go_to_now()
        self._show_stack()
        self.refresh()

    def _on_story_changed(self, change: StoryChange) -> None:
        if change.memories or change.first_message is not None:
            self.refresh()

    def _on_slots_changed(self, _slots: object) -> None:
        if self._view is not None and self._view.is_alone is not self._session.is_alone:
            self.refresh()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._is_stale:
            self.refresh()

    def refresh(self) -> None:
        """Read anew what is remembered; while the page is not seen, only how many wait."""
        path = self._session.path
        self._is_stale = not self.isVisible()
        if path is not None:
            self._session.do(self.empty.waits_for(self._load, path), name=N_("reading memories"))

    async def _load(self, path: Path) -> None:
        at = self.moment.at
        companion = self._session.companion
        view = await asyncio.to_thread(companion.memory, path, at=None if at < 0 else at)
        if path != self._session.path or at != self.moment.at:
            return
        self._view = view
        shown, can_change = self._shown, self.hands.can_change
        is_same = shown is not None and shown.tells_what(view)
        if is_same and self.model.can_edit == can_change and not self._awaited:
            # A new message that no memory comes from: nothing of all this became another.
            self._shown = view
            self.model.ground, self.model.at = view.ground, view.at
            self.moment.show_story(view.story)
            return
        self.rail.show_alone(view.is_alone)
        self._by_id = {standing.memory.id: standing for standing in view.memories}
        self.waiting_changed.emit(len(view.review))
        self.moment.show_story(view.story)
        await self._arranging(is_read_anew=True)
        if self._awaited in self._by_id:
            self.show_memory(self._awaited)
        self._show_operations(companion.work.operations)

    def _arrange(self) -> None:
        if self._view is not None:
            self._session.do(self._arranging(), name=N_("arranging memories"))

    def _on_let_go(self) -> None:
        if self.arranging.is_behind:
            self._arrange()

    async def _arranging(self, *, is_read_anew: bool = False) -> None:
        view = self._view
        if view is None:
            return
        found = await self.arranging.of(view, self._by_id, is_read_anew=is_read_anew)
        now = self._view
        if found is not None and now is not None and now.memories is view.memories:
            self._show(now, found)

    def _show(self, view: MemoryView, found: Arranged) -> None:
        chosen = tuple(self.chosen.ids)
        row = self.table.currentIndex().row()
        top = self.table.verticalScrollBar().value()
        self._arranged, self._shown = found, view
        can_change = self.hands.can_change
        self.model.can_edit = can_change
        self.model.show_rows(found.rows, view.ground, view.at)
        if not self.chosen.choose_again(chosen, row, self._by_id):
            self.table.verticalScrollBar().setValue(top)
        self._rows.setCurrentWidget(self.table if found.rows else self._nothing)
        self.people.show_entities(view.entities, view.memories, view.ground, can_change=can_change)
        self.paused.show_view(view, can_change=can_change)
        self.texts.show_view(view, can_change=can_change)
        self.rail.show_counts(found, people=len(view.entities), texts=self.texts.count)
        self.pane.show_waiting(len(view.review))
        self.pane.review.show_waiting(
            view.review, view.story, view.ground, self._by_id, can_change=can_change
        )
        self._show_chosen()
        self._show_stack()
        self.header_changed.emit()

    def _show_stack(self) -> None:
        self._panes.show_what(self._view, self.rail.place)

    def _show_operations(self, operations: tuple[Operation, ...]) -> None:
        story = self._session.story
        places = self._view.ground.places if self._view is not None else {}
        last = len(story.messages) - 1 if story is not None else 0
        self.strip.show_operations(operations, places, last)
        self._show_stack()

    # What is chosen

    def show_memory(self, memory_id: str) -> None:
        """Choose a memory, also one that filters hide just now."""
        self._awaited = "" if memory_id in self._by_id else memory_id
        if self.rail.place in (PEOPLE, TEXTS):
            self.rail.choose(ALL)
        if self.model.place_of(memory_id) is None and memory_id in self._by_id:
            self._reveal(self._by_id[memory_id])
        self.table.choose((memory_id,))
        self.pane.show_kind(DETAILS)

    def _reveal(self, standing: Standing) -> None:
        view = self._view
        self._filters.reveal(standing)
        if view is not None:
            self.arranging.drop()
            self._filters.unfold_all()
            self._show(view, arranged(view.memories, self._filters.now(view)))

    def show_review(self) -> None:
        """Put what waits for the user's word in front."""
        self._show_pane()
        self.pane.show_kind(REVIEW)

    def _show_pane(self) -> None:
        self._panes.setCurrentWidget(self.split)
        if not self.split.is_pane_shown:
            self.split.toggle()

    def _show_chosen(self) -> None:
        view, chosen = self._view, self.chosen.standings
        self.commands.follow(chosen, can_change=self.hands.can_change)
        detail = self.pane.detail
        if view is None or not chosen:
            detail.show_nothing()
        elif len(chosen) > 1:
            detail.show_many(chosen)
        else:
            detail.kept_by = view.kept_by
            detail.show_memory(chosen[0], view.story, view.ground, self._by_id)

    # Filters and order

    def _on_place(self, _key: str) -> None:
        self._arrange()

    def _on_searched(self, _text: str) -> None:
        if self._filters.follow_search():
            self._arrange()

    def _on_moved(self, _at: int) -> None:
        self.refresh()

    def _on_fold(self, group: str) -> None:
        self._filters.fold(group)
        self._arrange()

    def _on_sort(self, column: int) -> None:
        self._filters.sort(column)
        self._arrange()

    def search_for(self, field: str, name: str) -> None:
        """Show what the search finds: who is named, of whom it is, or the scene that gave it."""
        self._filters.look_for(field, name)
        self._arrange()

    # Commands

    def _on_edit(self) -> None:
        if self.split.is_pane_shown:
            self.pane.show_kind(DETAILS)
            self.pane.detail.edit()
        else:
            self.table.edit(self.model.index(self.table.chosen_rows[0], Column.MEMORY))

    def _on_add_wanted(self) -> None:
        self._show_pane()
        view = self._view
        self._writing.begin(self._filters.wanted.tier, view.at if view is not None else 0)

    def _on_add(self, tier: Tier, type_: str, text: str, fields: dict[str, object]) -> None:
        view = self._view
        anchor = view.story.messages[view.at].anchor if view is not None and view.at >= 0 else ""
        self.hands.add(tier, type_, text, anchor, fields, self._on_added)

    def _on_added(self, memory_id: str) -> None:
        self._writing.end()
        self.pane.show_kind(DETAILS)
        self.show_memory(memory_id)

    def _on_add_left(self) -> None:
        self._writing.end()
        self.pane.show_kind(DETAILS)
        self.take_focus()
        self._show_stack()
