"""The budgets page: what each slot may take, and what comes of it while one drags."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.core.translation import N_, tr
from app.prompt.slots import TurnKind
from app.settings.slot_table import SlotName
from app.settings.slots import ADVANCED, SIMPLE, BudgetSettings
from app.views.budget_preview import BudgetPreview, Need, Outlook
from ui.budgets import words
from ui.budgets.board import Board
from ui.budgets.commands import BudgetCommands
from ui.budgets.facts import RowFacts, recap_rows, ten_rows, total_row
from ui.budgets.hands import ALL_BUDGETS, BudgetHands
from ui.budgets.pane import BudgetPane
from ui.budgets.pane_facts import moments, pane_facts
from ui.budgets.prompt_bar import ANY, PromptBar
from ui.budgets.recap_strip import RecapStrip
from ui.budgets.tools import BudgetTools
from ui.budgets.tuning import NO_ROOM, NOTHING, NOTHING_WITHIN, NOTHING_YET, STILL_CUT
from ui.controls.surfaces import Line
from ui.controls.timers import once
from ui.core.session import Session
from ui.memories.hands import MemoryHands
from ui.shell.member_choice import MemberChoice
from ui.shell.side_split import Side, SideSplit
from ui.shell.waiting import WaitingPage

PANE, PANE_MINIMUM = 336, 290
SETTLE_MS = 80
LOW = 620  # px of height, below which the rows get what words about colours take


class BudgetsPage(QWidget):
    """`tools` belongs in the window's header, `split` gives way. Nothing is written while a budget
    moves; when it is let go, one step.

    Signals:
        header_changed: title or place became others.
        message_wanted: anchor of a message to show in the story.
        prompt_wanted: the text of the prompt is wanted.
        recaps_asked: the reader wants recaps; what they take, what begins it.
    """

    header_changed = Signal()
    message_wanted = Signal(str)
    prompt_wanted = Signal()
    recaps_asked = Signal(object, object)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._preview: BudgetPreview | None = None
        self._outlook: Outlook | None = None
        self._needs: tuple[Need, ...] = ()
        self._needs_of: object = None
        self._tried: dict[str, Any] = {}  # moved or handed in, and not taken in yet
        self._kind: TurnKind | None = None
        self._is_stale = True
        self.key = str(SlotName.LONG)
        self.commands = BudgetCommands(self)
        self.hands = BudgetHands(session)
        self._memory_hands = MemoryHands(session, self)
        self.members = MemberChoice(session)
        self.tools = BudgetTools(self.commands, self.members)
        self.prompt_bar = PromptBar()
        self.strip = RecapStrip()
        self.board = Board()
        self.pane = BudgetPane()
        self._waiting = WaitingPage()
        self._soon = once(self, 0, self.try_now)
        self._settle = once(self, SETTLE_MS, self.refresh)
        self._build()
        self._connect()

    def _build(self) -> None:
        self.split = SideSplit(
            self.board,
            self.pane,
            Side.RIGHT,
            width=PANE,
            minimum=PANE_MINIMUM,
            maximum=460,
            draws_line=True,
        )
        holder = QWidget()
        inner = QVBoxLayout(holder)
        inner.setContentsMargins(24, 4, 24, 0)
        inner.addWidget(self.strip)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addWidget(Line())
        self._shown = (self.prompt_bar, holder, self.split)
        self._waiting.say(tr("Reading the chat"))
        self._waiting.hide()
        for widget in self._shown[:-1]:
            outer.addWidget(widget)
        outer.addWidget(self.split, 1)
        outer.addWidget(self._waiting, 1)

    def _connect(self) -> None:
        session, board, pane, commands = self._session, self.board, self.pane, self.commands
        session.chat_opened.connect(self._on_chat_opened)
        session.story_changed.connect(self._on_news)
        session.slots_changed.connect(self._on_news)
        session.reach_changed.connect(self._on_reach_changed)
        board.chosen.connect(self.choose)
        board.moved.connect(self.try_one)
        board.settled.connect(self._on_settled)
        board.cancelled.connect(self._on_cancelled)
        board.reset_asked.connect(self._on_reset)
        pane.message_asked.connect(self._on_message)
        pane.fit_asked.connect(self._on_fit)
        pane.prompt_asked.connect(self.prompt_wanted)
        pane.rebuild_asked.connect(self._on_rebuild)
        pane.read_asked.connect(self._memory_hands.read_now)
        pane.tuning.switched.connect(self.hands.set_auto_tune)
        pane.tuning.use_asked.connect(self._on_use)
        self.prompt_bar.turns.chosen.connect(self._on_turn)
        doing = {
            commands.simple: self._on_simple,
            commands.advanced: self._on_advanced,
            commands.auto_tune: self._on_auto_tune,
            commands.use_tuned: self._on_use,
            commands.fit: self._on_fit_chosen,
            commands.reset: self._on_reset_chosen,
            commands.reset_all: self.hands.reset_all,
            commands.next_turn: self._on_next_turn,
        }
        for action, slot in doing.items():
            action.triggered.connect(slot)

    # What the window asks

    @property
    def title(self) -> str:
        """For the header."""
        return tr("Budgets")

    @property
    def place(self) -> str:
        """For the header: who answers."""
        who = self._outlook.slots.responder if self._outlook else ""
        return tr("{who} answers next", who=who) if who else ""

    @property
    def command_icons(self) -> Mapping[QAction, str]:
        """The commands for the palette, each with its icon's name."""
        return self.commands.icons

    def take_focus(self) -> None:
        """Give the keyboard to the chosen budget."""
        row = self.board.rows.get(self.key)
        target: QWidget = row.track if row is not None and row.track.isEnabled() else self
        target.setFocus(Qt.FocusReason.OtherFocusReason)

    @property
    def preview(self) -> BudgetPreview | None:
        """The turn that budgets are tried on; None until it is known."""
        return self._preview

    @property
    def outlook(self) -> Outlook | None:
        """What is shown; None until it is known."""
        return self._outlook

    # Reading

    def _on_chat_opened(self, _story: object) -> None:
        self._preview, self._outlook, self._needs = None, None, ()
        self._needs_of, self._kind = None, None
        self._tried.clear()
        self.prompt_bar.turns.choose(ANY)
        self.setEnabled(False)
        self.commands.set_ready(False)
        self._show_ready(is_ready=False)  # the figures of the chat before are none of this one
        self._on_news()

    def _show_ready(self, *, is_ready: bool) -> None:
        for widget in self._shown:
            widget.setVisible(is_ready)
        self._waiting.setVisible(not is_ready)

    def _on_news(self, _news: object = None) -> None:
        self._is_stale = True
        if self.isVisible():
            self._settle.start()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        is_low = self.height() < LOW
        self.strip.be_brief(is_low)
        self.board.legend.setVisible(not is_low)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._is_stale:
            self.refresh()

    def refresh(self) -> None:
        """Read the chat anew."""
        path = self._session.path
        if path is not None:
            self._is_stale = False
            self._session.do(self._load(path), name=N_("reading the budgets"))

    async def _load(self, path: Path) -> None:
        handed_in = dict(self._tried)
        member = self._session.member
        preview = await self._session.companion.budgets.preview(path, member)
        if (path, member) != (self._session.path, self._session.member):
            return
        if not self.board.is_moving:
            for name, value in handed_in.items():
                if self._tried.get(name) == value:
                    del self._tried[name]
        self.show_preview(preview)
        self.header_changed.emit()
        ground = (preview.story.messages, preview.prepared.occasion.told.standings, member)
        if ground != self._needs_of:
            self._needs_of = ground
            needs = await self._session.companion.budgets.needs(path, responder=member)
            if path == self._session.path:
                self._needs = needs
                self._show_pane()

    # Showing

    def show_preview(self, preview: BudgetPreview) -> None:
        """Show a chat's next prompt, with what is tried at this moment."""
        self._preview = preview
        self.strip.show_story(preview.story)
        self.setEnabled(True)
        self.commands.set_ready(True)
        self._show_ready(is_ready=True)
        self.try_now()

    @property
    def _settings(self) -> dict[str, Any]:
        assert self._preview is not None
        return {**self._preview.settings, **self._tried}

    def try_now(self) -> None:
        """Show what the prompt would hold with what is tried."""
        self._soon.stop()
        if self._preview is None:
            return
        self._outlook = self._preview.under(self._tried, self._kind)
        self._show_rows()
        self._show_pane()

    def _on_reach_changed(self, _reach: object) -> None:
        if self.isVisible():
            self._show_rows()
            self._show_pane()

    def _on_rebuild(self) -> None:
        """Let the running recap tell again what it lost, for what that takes."""
        path, story, row = self._session.path, self._session.story, self._row
        closing = story.scenes[row.gone_from - 1].closing if story and row and row.gone else None
        if path is None or closing is None:
            return
        companion, anchor = self._session.companion, closing.anchor
        cost = companion.command_costs.of_rebuild(path, anchor)
        self.recaps_asked.emit(cost, lambda: companion.edits.rebuild_running_recap(path, anchor))

    def _show_rows(self) -> None:
        preview, outlook = self._preview, self._outlook
        if preview is None or outlook is None:
            return
        settings = self._settings
        mode = BudgetSettings(settings).budget_mode
        ten = ten_rows(preview, outlook, settings)
        tiers = ten[:-1] if mode == ADVANCED else (total_row(outlook, settings), *ten[:-1])
        untold = self._session.reach.untold
        beside = (ten[-1], *recap_rows(preview, outlook, settings, untold))
        self.board.show_rows(tiers, beside, self._own())
        self.tools.show_mode(mode)
        if self.key not in self.board.rows:
            self.key = str(SlotName.LONG)
        self.board.choose(self.key)
        self.prompt_bar.show_outlook(
            outlook,
            outlook.slots.responder,
            is_said=preview.is_context_said,
            counter=self._session.companion.budgets.counter_name,
        )
        own_kind = preview.prepared.kind if preview.prepared.occasion.told else None
        self.prompt_bar.show_kind(own_kind)
        self.strip.show_outlook(outlook)

    def _own(self) -> frozenset[str]:
        """Settings that this chat has a value of its own of."""
        path, companion = self._session.path, self._session.companion
        if path is None:
            return frozenset()
        return frozenset(n for n in ALL_BUDGETS if companion.setting(n, path=path).is_own)

    @property
    def _row(self) -> RowFacts | None:
        row = self.board.rows.get(self.key)
        return row.facts if row is not None else None

    def _show_pane(self) -> None:
        preview, outlook, row = self._preview, self._outlook, self._row
        if preview is None or outlook is None or row is None:
            return
        count = self._session.companion.count_tokens
        path, work = self._session.path, self._session.companion.work
        is_reading = path is not None and work.reading_ahead(path) is not None
        facts = pane_facts(preview, outlook, row, self._needs, count, is_reading=is_reading)
        self.pane.show_facts(facts)
        self.pane.tuning.show_tunings(
            outlook.tunings,
            moments(outlook, self._needs),
            is_on=BudgetSettings(self._settings).budgets_auto_tune,
            nothing=self._nothing_to_tune(outlook, has_memory=facts.has_memory),
            free=outlook.free,
            has_total=BudgetSettings(self._settings).is_one_total,
        )
        self.commands.fit.setEnabled(facts.fit is not None)
        self.commands.use_tuned.setEnabled(bool(outlook.tunings))

    def _nothing_to_tune(self, outlook: Outlook, *, has_memory: bool) -> str:
        if not has_memory:
            return tr(NOTHING_YET)
        budgets = {name.key: tokens for name, tokens in outlook.own.items()}
        wants = any(c.full_tokens > budgets.get(c.key, 0) for c in outlook.slots.contents)
        if wants and BudgetSettings(self._settings).budget_mode == SIMPLE:
            return tr(NOTHING_WITHIN)
        facts = [row.facts for row in self.board.rows.values() if row.facts is not None]
        cut = max((row for row in facts if row.setting), key=lambda row: row.cut, default=None)
        if cut is not None and cut.cut:  # one that auto-tune does not set
            lacks = words.tokens_words(cut.cut)
            return tr(NO_ROOM if cut.lacks_room else STILL_CUT, title=cut.title, tokens=lacks)
        return tr(NOTHING)

    # Choosing and moving

    def choose(self, key: str) -> None:
        """Let the pane be about a row."""
        if key != self.key:
            self.key = key
            self.board.choose(key)
            self._show_pane()

    def try_one(self, setting: str, value: int) -> None:
        """Show what a value would do; nothing is set."""
        self._tried[setting] = value
        self._soon.start()

    def _on_cancelled(self, setting: str) -> None:
        self._tried.pop(setting, None)
        self.try_now()

    def _on_settled(self, setting: str, value: int) -> None:
        facts = next((r.facts for r in self.board.rows.values() if _is_of(r.facts, setting)), None)
        if facts is None or self._preview is None:
            return
        self._tried[setting] = value
        before = int(self._preview.settings[setting])
        if before == value:
            self._tried.pop(setting, None)
        else:
            self.hands.set_one(facts, before, value)
        self.try_now()

    def _on_turn(self, key: str) -> None:
        self._kind = None if key == ANY else TurnKind(key)
        self.try_now()

    def _on_next_turn(self) -> None:
        kinds = [ANY, *(kind.value for kind in TurnKind)]
        shown = self._kind.value if self._kind else ANY
        following = kinds[(kinds.index(shown) + 1) % len(kinds)]
        self.prompt_bar.turns.choose(following)
        self._on_turn(following)

    # Commands

    def _on_simple(self) -> None:
        self._set_mode(SIMPLE)

    def _on_advanced(self) -> None:
        self._set_mode(ADVANCED)

    def _set_mode(self, mode: str) -> None:
        if self._preview is not None and BudgetSettings(self._settings).budget_mode != mode:
            self.hands.set_mode(mode, self._preview)

    def _on_auto_tune(self) -> None:
        if self._preview is not None:
            self.hands.set_auto_tune(not BudgetSettings(self._settings).budgets_auto_tune)

    def _on_use(self) -> None:
        if self._outlook is not None and self._outlook.tunings:
            self.hands.use_tuned(self._outlook)

    def _on_fit_chosen(self) -> None:
        if self.pane.facts is not None and self.pane.facts.fit is not None:
            self._on_fit(self.pane.facts.fit)

    def _on_fit(self, tokens: int) -> None:
        row, outlook = self._row, self._outlook
        if row is not None and row.name is not None and outlook is not None:
            mode = BudgetSettings(self._settings).budget_mode
            self.hands.make_fit(outlook, mode, row.name, tokens)

    def _on_reset_chosen(self) -> None:
        self._on_reset(self.key)

    def _on_reset(self, key: str) -> None:
        row = self.board.rows.get(key)
        if row is not None and row.facts is not None and row.facts.setting in self._own():
            self.hands.reset(row.facts)

    def _on_message(self, index: int) -> None:
        story = self._session.story
        if story is not None and 0 <= index < len(story.messages):
            self.message_wanted.emit(story.messages[index].anchor)


def _is_of(facts: RowFacts | None, setting: str) -> bool:
    return facts is not None and facts.setting == setting
