"""The prompt page: the prompt to come and the turns that were sent, slot by slot, and compared."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from app.core.translation import N_, tr
from app.prompt.order import wire_of
from app.prompt.placement import macro_uses
from app.prompt.slots import SlotSet
from app.prompt.turns import SentTurn
from app.story.comparison import Block, compare
from app.story.messages import Message
from app.story.story import Story
from app.views.turn_view import TurnView
from ui.controls.dates import time_words
from ui.core.session import Session
from ui.prompt.cards import SlotCard
from ui.prompt.commands import PromptCommands
from ui.prompt.difference import WHOLE, DifferencePane
from ui.prompt.preview import PromptPreview
from ui.prompt.rail import TurnRail
from ui.prompt.rows import PromptRow, coming_rows, sent_rows, slots_text, whole_text
from ui.prompt.turn_rows import COMING, TurnRow, turn_rows
from ui.prompt.words import break_sentence, coming_sentence, generation_words, turn_facts
from ui.recaps.sides import Sides
from ui.recaps.version_rows import LEFT, RIGHT, ROW_ROLE
from ui.shell.member_choice import MemberChoice

EMPTY = N_(
    "Nothing is added to the prompt yet. Memories and recaps of earlier scenes will appear here."
)
COMING_WORDS = N_("memory tokens in the next prompt")
SENT_WORDS = N_("memory tokens in this prompt")


def _is_in_prompt(message: Message) -> bool:
    return not message.is_hidden


class PromptPage(QWidget):
    """What SillyTavern will be given and was given, word by word. `rail` belongs in the window's
    left pane, `tools` in its header.

    Signals:
        header_changed: title, place or tools became others.
    """

    header_changed = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._slots = SlotSet()
        self._turns: tuple[SentTurn, ...] = ()
        self._shown = COMING
        self._view: TurnView | None = None
        self._sides = Sides()
        self.commands = PromptCommands(self)
        self.rail = TurnRail()
        self.list = self.rail.list
        self.members = MemberChoice(session)
        self.preview = PromptPreview(tr(EMPTY), self.members)
        self.difference = DifferencePane()
        self._stack = QStackedWidget()
        self._stack.addWidget(self.preview)
        self._stack.addWidget(self.difference)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self._stack)
        self._connect()
        self._show_list()
        if session.story is not None:
            self._on_chat_opened(session.story)
        self.show_slots(session.slots)

    def _connect(self) -> None:
        session = self._session
        session.chat_opened.connect(self._on_chat_opened)
        session.slots_changed.connect(self.show_slots)
        session.turns_changed.connect(self._fetch)
        self.list.side_asked.connect(self.put)
        self.list.selectionModel().currentChanged.connect(self._on_row)
        self.preview.copy_asked.connect(self._on_copy)
        self.difference.closed.connect(self.close_difference)
        self.difference.extent_chosen.connect(self._compare)
        commands = self.commands
        doing = {
            commands.copy: self._on_copy,
            commands.compare: self.compare_shown,
            commands.coming: self._on_coming,
            commands.macros: self._on_macros,
        }
        for action, slot in doing.items():
            action.triggered.connect(slot)

    # --- for the window

    @property
    def title(self) -> str:
        """For the header."""
        return tr("Compare") if self.is_comparing else tr("Prompt")

    @property
    def place(self) -> str:
        """For the header, "" for the story's name."""
        pair = self._pair()
        if not self.is_comparing or pair is None:
            return ""
        return tr("{left} with {right}, word by word", left=pair[0], right=pair[1])

    @property
    def tools(self) -> QWidget | None:
        """For the header, None for the usual ones."""
        return self.difference.tools if self.is_comparing else None

    @property
    def cards(self) -> dict[str, SlotCard]:
        """Of the slots that are shown, by their keys."""
        return self.preview.cards

    @property
    def is_comparing(self) -> bool:
        """Whether two turns stand side by side."""
        return self._stack.currentWidget() is self.difference

    @property
    def navigator(self) -> QWidget:
        """The list for the window's left side."""
        return self.rail

    @property
    def command_icons(self) -> Mapping[QAction, str]:
        """The commands for the palette, each with its icon's name."""
        return self.commands.icons

    def take_focus(self) -> None:
        """Give the keyboard to the text, to scroll it, or to what is compared."""
        target = self.difference if self.is_comparing else self.preview.area
        target.setFocus(Qt.FocusReason.OtherFocusReason)

    # --- reading

    def show_slots(self, slots: SlotSet) -> None:
        """The slots of the prompt to come became these."""
        self._slots = slots
        self._show_figures()
        if self._shown == COMING:
            self._show_coming()

    def choose(self, number: int) -> None:
        """Read a turn, by its number; COMING for the prompt to come."""
        self.rail.choose(number)

    def _on_macros(self) -> None:
        """Go to the list of macros, which stands below the prompt to come."""
        self.choose(COMING)
        self.preview.show_macros()

    def _show_coming(self) -> None:
        slots, story = self._slots, self._session.story
        visible = story.places.where(_is_in_prompt) if story is not None else ()
        first = self._session.reach.verbatim_from  # as the colours of the story show it
        messages = sum(place >= first for place in visible)
        facts = [tr("For {responder}.", responder=slots.responder)] if slots.responder else []
        if slots.slots:
            counted = self._session.companion.tokens.how_counted(s.text for s in slots.slots)
            facts += [counted] if counted else []
        is_counted = self._session.is_counted
        self.preview.say_nothing_is_there(tr(EMPTY) if is_counted else tr("Counting …"))
        known = coming_sentence(self._turns[0], slots) if self._turns and slots.slots else ""
        self.preview.show_head(slots.total_tokens, tr(COMING_WORDS), " ".join(facts), known)
        rows = coming_rows(slots, messages, wire_of(self._turns)) if slots.slots else ()
        self._show_rows(rows, None)
        self.preview.macros.show_uses(macro_uses(slots))
        self.preview.macros.show()
        self.members.offer(True)

    def _show_rows(self, rows: Sequence[PromptRow], kept: int | None) -> None:
        self.preview.show_rows(rows, kept)

    def _on_row(self, index: QModelIndex, _before: QModelIndex) -> None:
        row = index.data(ROW_ROLE)
        number = row.number if isinstance(row, TurnRow) else COMING
        if number == self._shown:
            return
        self._shown, self._view = number, None
        self.preview.area.verticalScrollBar().setValue(0)
        if self.is_comparing:
            self.close_difference()
        if number == COMING:
            self._show_coming()
        else:
            self._read(number)

    def _read(self, number: int) -> None:
        path = self._session.path
        if path is not None:
            self._session.do(self._load_turn(path, number), name=N_("reading a turn"))

    async def _load_turn(self, path: Path, number: int) -> None:
        companion = self._session.companion
        view = await companion.turns.view(path, number)
        rows = await asyncio.to_thread(sent_rows, view.turn, companion.count_tokens)
        if path != self._session.path or number != self._shown:
            return
        self._view = view
        facts = turn_facts(view.turn)
        if view.turn.is_late:
            late = tr("SillyTavern did not wait: it used the texts it already had")
            facts = f"{facts}. {late}"
        known = break_sentence(view)
        self.preview.show_head(view.turn.total_tokens, tr(SENT_WORDS), f"{facts}.", known)
        self.preview.macros.hide()
        self.members.offer(False)
        self._show_rows(rows, view.break_.kept if view.break_ is not None else None)

    def _on_copy(self) -> None:
        text = self._text(None, is_whole=False)
        if self._shown != COMING and self._view is not None:
            text = whole_text(self._view.turn)
        QGuiApplication.clipboard().setText(text)
        self._session.told.emit(tr("Copied the whole prompt"))

    # --- the list

    def _on_chat_opened(self, _story: Story) -> None:
        self._turns = ()
        self._shown, self._view = COMING, None
        self._sides.clear()
        self._stack.setCurrentWidget(self.preview)
        self._show_list()
        self.show_slots(SlotSet())
        self._fetch()
        self.header_changed.emit()

    def _fetch(self) -> None:
        path = self._session.path
        if path is not None:
            self._session.do(self._load(path), name=N_("reading the turns"))

    async def _load(self, path: Path) -> None:
        turns = await self._session.companion.turns.turns(path)
        if path != self._session.path:
            return
        fresh = {turn.id: turn for turn in turns}
        shown = next((turn for turn in self._turns if turn.id == self._shown), None)
        self._turns = turns
        self._show_list()
        if self._shown == COMING:
            self._show_coming()
        elif self._shown in fresh and fresh[self._shown] != shown:
            self._read(self._shown)

    def _show_list(self) -> None:
        self.rail.model.show_rows(turn_rows(self._turns))
        self._show_figures()
        self.rail.show_has_turns(bool(self._turns))
        self.commands.compare.setEnabled(bool(self._turns))
        self.rail.choose(self._shown)

    def _show_figures(self) -> None:
        tokens = {turn.id: turn.total_tokens for turn in self._turns}
        self.rail.model.show_tokens({**tokens, COMING: self._slots.total_tokens})

    # --- comparing

    def put(self, side: str, number: int) -> None:
        """Compare: a turn goes to a side, the one that is read to the other where that is free."""
        if self._sides.holds(side, number):
            self.close_difference()
            return
        self._sides.put(side, number, self._shown)
        self._show_sides()
        self._compare()

    def compare_shown(self) -> None:
        """Compare what is read with the newest turn that was sent before it."""
        numbers = [COMING, *(turn.id for turn in self._turns)]  # newest first
        shown = numbers.index(self._shown) if self._shown in numbers else len(numbers)
        before = numbers[shown + 1 :]
        if before and not self.is_comparing:
            self.put(RIGHT, self._shown)
            self.put(LEFT, before[0])

    def _on_coming(self) -> None:
        self.choose(COMING)

    def _show_sides(self) -> None:
        self.rail.model.show_sides(self._sides.left, self._sides.right)

    def close_difference(self) -> None:
        """Back to reading."""
        self._sides.clear()
        self._show_sides()
        self._stack.setCurrentWidget(self.preview)
        self.header_changed.emit()

    def _pair(self) -> tuple[str, str] | None:
        left, right = self._sides.left, self._sides.right
        return None if left is None or right is None else (self._name(left), self._name(right))

    def _name(self, number: int) -> str:
        turn = next((turn for turn in self._turns if turn.id == number), None)
        if turn is None:
            return tr("Next prompt")
        return tr(
            "{turn} of {time}",
            turn=generation_words(turn),
            time=time_words(turn.moment, now=turn.moment),
        )

    def _compare(self, _extent: str = "") -> None:
        path, left, right = self._session.path, self._sides.left, self._sides.right
        if path is not None and left is not None and right is not None:
            self._session.do(self._load_pair(path, left, right), name=N_("comparing two turns"))

    async def _load_pair(self, path: Path, left: int, right: int) -> None:
        turns = [await self._turn(path, number) for number in (left, right)]
        is_whole = self.difference.extent == WHOLE
        is_kept = not is_whole or all(one is not None and one.prompt is not None for one in turns)
        blocks: tuple[Block, ...] = ()
        if is_kept:
            one, other = (self._text(turn, is_whole=is_whole) for turn in turns)
            blocks = await asyncio.to_thread(compare, one, other)
        pair = self._pair()
        if path == self._session.path and (left, right) == (self._sides.left, self._sides.right):
            assert pair is not None
            self.difference.show_blocks(blocks, pair, is_kept=is_kept)
            self._stack.setCurrentWidget(self.difference)
            self.header_changed.emit()

    async def _turn(self, path: Path, number: int) -> SentTurn | None:
        if number == COMING:
            return None
        return (await self._session.companion.turns.view(path, number)).turn

    def _text(self, turn: SentTurn | None, *, is_whole: bool) -> str:
        if turn is None:
            return slots_text(self._slots.slots, wire_of(self._turns))
        return whole_text(turn) if is_whole else slots_text(turn.slots, wire_of((turn,)))
