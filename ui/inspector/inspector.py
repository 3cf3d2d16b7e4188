"""The inspector: the running recap with its versions, and the next prompt at its foot."""

from __future__ import annotations

import time
from collections.abc import Sequence

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from app.core.translation import N_, number, tr
from app.prompt.reach import Reached
from app.prompt.slots import RUNNING_RECAP_KEY, RecapShown, Slot, SlotSet
from app.story.recaps import RunningVersion, injected_version, visible_versions
from app.story.story import Story
from ui.controls.bars import BudgetBar
from ui.controls.buttons import Button, ButtonRole, IconButton
from ui.controls.fields import MORE, Choice
from ui.controls.labels import Label, body, section
from ui.controls.prose import ProseField
from ui.controls.surfaces import Line, scrolling
from ui.controls.timers import once
from ui.core.session import Session
from ui.core.slot_words import (
    change_words,
    latest_number,
    left_words,
    origin_words,
    used_words,
    version_word,
)
from ui.inspector.next_prompt import NextPrompt
from ui.inspector.scrolled_words import ScrolledWords
from ui.inspector.told_otherwise import NotToldAnyMore, ToldOtherwise
from ui.recaps.token_tally import TokenTally
from ui.theme.fonts import MEDIUM, ui_font
from ui.theme.palette import T2_ROLE, T3_ROLE

EMPTY = N_(
    "No scene has ended yet. A scene ends where you set a break, or where place or time change. "
    "Finished scenes are added to the running recap."
)
ALL_CLOSED_STAY_OUT = N_(
    "No finished scene has been added yet. The newest finished scenes stay out of the running "
    "recap, because the chat itself still tells them. Older ones are added once they have a "
    "recap."
)
LEFT_TO_CHAT = N_(
    "The next reply gets less of it: messages sent word for word tell their part themselves."
)
LESS_IS_SENT = N_(
    "The next reply gets {n} of its {all} tokens: messages sent word for word tell their part "
    "themselves."
)
BUDGET = "running_recap_budget"
LITTLE_ROOM = N_(
    "The next reply gets {cut} tokens less of it: besides the messages and SillyTavern's own "
    "text, the prompt has room for only {room} of its {budget} budgeted tokens."
)
NO_ROOM = N_(
    "Of these, {cut} are cut: besides the messages and SillyTavern's own text, the prompt has "
    "room for only {room} of its {budget} budgeted tokens."
)

BEHIND_MS = 20  # of another chat the story is painted first, in a frame of its own
LEAST_TEXT = 48  # px; it can be scrolled, what stands above it cannot


class Inspector(QWidget):
    """Shows and edits the running recap of the open chat.

    Signals:
        rebuild_asked: it is to be made again from the scene on that ends at this message.
        budget_asked: it is to get more room in the prompt.
    """

    rebuild_asked = Signal(str)
    budget_asked = Signal()

    def __init__(self, session: Session, see_text: QAction, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._versions = Choice(tr("Version of the running recap"), is_brief=True)
        self._versions.activated.connect(self._on_version_activated)
        self._base: int | None = None  # of what is being written
        self._edit = IconButton("pencil", tr("Edit the running recap"), is_framed=True)
        self._edit.clicked.connect(self._begin_edit)
        self._origin = Label(font=ui_font(12), tone=T3_ROLE, wraps=True)
        self._bar = BudgetBar()
        self._used = Label(font=ui_font(12, MEDIUM), tone=T2_ROLE)
        self._change = Label(font=ui_font(12), tone=T2_ROLE)
        self._left = ScrolledWords(Label(font=ui_font(12), tone=T2_ROLE, wraps=True))
        self._left.hide()
        self._otherwise = ToldOtherwise()
        self._otherwise.rebuild_asked.connect(self.rebuild_asked)
        self._gone = NotToldAnyMore()
        self._gone.rebuild_asked.connect(self.rebuild_asked)
        self._gone.budget_asked.connect(self.budget_asked)
        self._text = ProseField(tr("Running recap"))
        self._text.committed.connect(self._keep)
        self._text.escaped.connect(self._drop)
        self._empty = body(tr(EMPTY))
        self._keep_button = Button(
            tr("Keep"), icon="check", role=ButtonRole.MAIN, hint=tr("Ctrl Return")
        )
        self._keep_button.clicked.connect(self._keep)
        self._drop_button = Button(tr("Discard"), role=ButtonRole.QUIET, hint="Esc")
        self._drop_button.clicked.connect(self._drop)
        self._next = NextPrompt(see_text)
        self._line = Line()
        self._tally = TokenTally(session, self)
        self._tally.counted.connect(self._show_change)
        self._cut = self._full = 0  # of the running recap in the next prompt, tokens
        # What the list of versions offers: those, the one in the prompt, the newest one's number.
        self._numbers: list[int] = []  # of the versions that are offered, in their rows
        # The story whose versions are offered; which of them is told, and which is the latest.
        self._offered: tuple[Story, RunningVersion | None, int | None] | None = None
        self._shown_slots: tuple[SlotSet, str] | None = None
        self._build()
        # What was due when the story was there is done first, its painting among it.
        self._behind = once(self, BEHIND_MS, self._show_opened)
        self._opened = once(self, 0, self._behind.start)
        session.chat_opened.connect(self._on_chat_opened)
        session.story_changed.connect(self._on_story_changed)
        session.slots_changed.connect(self._on_slots_changed)
        session.reach_changed.connect(self._show_gone)
        self._show_edit(False)
        # The pane may be built while a chat is open already, after another page was shown first.
        if session.story is not None:
            self._show_story(session.story)
            self._on_slots_changed(session.slots)
            self._show_gone(session.reach)

    @property
    def shown_text(self) -> str:
        """The recap as it stands in the pane."""
        return self._text.text

    @property
    def empty_words(self) -> str:
        """Why there is no recap; "" while there is one."""
        return self._empty.text() if self._stack.currentIndex() else ""

    @property
    def version_choice(self) -> Choice:
        """The list of versions, newest first."""
        return self._versions

    def _build(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(5)
        head.addWidget(section(tr("Running recap")), 1)
        head.addWidget(self._versions)
        head.addWidget(self._edit)
        figures = QHBoxLayout()
        figures.addWidget(self._used)
        figures.addStretch(1)
        figures.addWidget(self._change)
        self._facts = QWidget()
        facts = QVBoxLayout(self._facts)
        facts.setContentsMargins(0, 0, 0, 0)
        facts.setSpacing(5)
        facts.addWidget(self._origin)
        facts.addWidget(self._bar)
        facts.addLayout(figures)
        facts.addWidget(self._left)
        facts.addWidget(self._otherwise)
        facts.addWidget(self._gone)
        self._stack = _Texts()
        self._stack.addWidget(self._text)
        nothing = QWidget()
        nothing_column = QVBoxLayout(nothing)
        nothing_column.setContentsMargins(0, 0, 0, 0)
        nothing_column.addWidget(self._empty)
        nothing_column.addStretch(1)
        self._stack.addWidget(scrolling(nothing, name=tr("Running recap")))
        self._commands = QWidget()
        commands = QHBoxLayout(self._commands)
        commands.setContentsMargins(0, 0, 0, 0)
        commands.addStretch(1)
        commands.addWidget(self._drop_button)
        commands.addWidget(self._keep_button)
        top = QVBoxLayout()
        top.setContentsMargins(16, 8, 16, 12)
        top.setSpacing(12)
        top.addLayout(head)
        top.addWidget(self._facts)
        top.addWidget(self._stack, 1)
        top.addWidget(self._commands)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(top, 1)
        column.addWidget(self._line)
        column.addWidget(self._next)

    def _on_chat_opened(self, _story: Story) -> None:
        self._show_edit(False)
        self._shown_slots = None
        self._opened.start()

    def _show_opened(self) -> None:
        if self._session.story is None:
            return
        self._show_story(self._session.story)
        if self._shown_slots is None:
            self._next.show_counting()

    def _on_story_changed(self, _change: object) -> None:
        if self._session.story is not None:
            self._show_story(self._session.story)

    def _show_story(self, story: Story) -> None:
        current = injected_version(story.running, story.places)
        self._offer_versions(story, current)
        self._edit.setEnabled(current is not None and self._can_change)
        self._facts.setVisible(current is not None)
        self._stack.setCurrentIndex(0 if current is not None else 1)
        if current is None:
            has_closed = any(scene.is_closed for scene in story.scenes)
            self._empty.setText(tr(ALL_CLOSED_STAY_OUT) if has_closed else tr(EMPTY))
            self._text.set_text("")
            return
        self._origin.setText(origin_words(current, now=time.time()))
        self._otherwise.show_story(story, can_change=self._can_change)
        self._show_change()
        if not self._text.is_editing:
            self._text.set_text(self._shown(current.content))

    def _show_gone(self, reach: Reached) -> None:
        self._gone.show_reach(self._session.story, reach, can_change=self._can_change)

    @property
    def _can_change(self) -> bool:
        """Whether stories can be changed at all: not in safe mode."""
        return not self._session.companion.is_reading_only

    def _offer_versions(self, story: Story, current: RunningVersion | None) -> None:
        latest = latest_number(story.running)
        before, self._offered = self._offered, (story, current, latest)
        if before and before[1:] == (current, latest) and story.has_versions_of(before[0]):
            return
        # By what the chat holds, too: a chat that shrinks keeps its versions, and shows fewer.
        visible = visible_versions(story.running.versions, story.places)
        self._versions.fill(lambda: self._fill_versions(visible, current, latest))
        self._versions.setEnabled(len(visible) > 1 and self._can_change)
        self._versions.setVisible(bool(visible) and not self._text.is_editing)

    def _fill_versions(
        self,
        visible: Sequence[RunningVersion],
        current: RunningVersion | None,
        latest: int | None,
    ) -> None:
        self._versions.clear()
        self._numbers = [version.version for version in reversed(visible)]
        words = [version_word(version) for version in reversed(visible)]
        if latest in self._numbers:
            words[self._numbers.index(latest)] += f"{MORE}{tr('latest')}"
        self._versions.addItems(words)  # each by itself, thousands take a while
        if current is not None:
            is_there = current.version in self._numbers
            row = self._numbers.index(current.version) if is_there else -1
            self._versions.setCurrentIndex(row)

    def _on_slots_changed(self, slots: SlotSet) -> None:
        who = self._turn_words()
        if (slots, who) == self._shown_slots:
            return
        self._shown_slots = slots, who
        running = next((slot for slot in slots.slots if slot.key == RUNNING_RECAP_KEY), None)
        if running is not None:
            self._show_tokens(running, slots)
        else:
            self._show_unsent()
        self._next.show_slots(slots, who)

    def _show_unsent(self) -> None:
        """Nothing goes out, as where Tavernkeep is off: no figure of before stays."""
        self._left.hide()
        self._bar.set_values(0, 0, wanted=0)
        self._used.setText("")
        self._full = self._cut = 0
        self._show_change()

    def _show_tokens(self, slot: Slot, slots: SlotSet) -> None:
        words = self._why_less(slot, slots.whole_recap, slots.recap)
        self._left.say(words)
        self._bar.set_values(slot.tokens, slot.budget, wanted=slot.full_tokens)
        self._used.setText(used_words(slot))
        self._full = slot.full_tokens
        self._cut = max(0, slot.full_tokens - slot.tokens)
        self._show_change()

    def _why_less(self, slot: Slot, whole: int, recap: RecapShown | None) -> str:
        """Why the next reply gets less than all of it, beside what its budget cuts."""
        said = []
        budget = int(self._session.companion.setting(BUDGET, path=self._session.path).value)
        cut = slot.full_tokens - slot.tokens
        is_narrow = cut > 0 and slot.budget < budget  # of which a sentence of its own tells
        if whole:
            # One that the built-in way made has about the same size wherever it ends.
            # Of all of the version, as the pages Recaps and Prompt count it.
            whole = recap.tokens if recap is not None else whole
            told, all_ = number(slot.full_tokens if is_narrow else slot.tokens), number(whole)
            is_less = slot.full_tokens < whole
            said.append(tr(LESS_IS_SENT, n=told, all=all_) if is_less else tr(LEFT_TO_CHAT))
        if recap is not None and recap.left:
            said.append(left_words(recap))
        if is_narrow:
            figures = {"cut": number(cut), "room": number(slot.budget), "budget": number(budget)}
            said.append(tr(NO_ROOM, **figures) if whole else tr(LITTLE_ROOM, **figures))
        return " ".join(said)

    def _show_change(self) -> None:
        """What the budget cuts, else how the version differs in length from the one before."""
        if self._cut:
            self._change.setText(tr("{cut} cut", cut=number(self._cut)))
            return
        self._change.setText("")
        current, before = self._current_and_before()
        if current is None or before is None:
            return
        texts = tuple(self._shown(version.content) for version in (current, before))
        of = self._tally.of
        self._tally.want(texts, is_running=True)
        tokens, old = (of(text, is_running=True) for text in texts)
        # Where the messages tell part of it, its size beside this is another one.
        if tokens is not None and old is not None and tokens == self._full:
            self._change.setText(change_words(tokens, old, before))

    def _current_and_before(self) -> tuple[RunningVersion | None, RunningVersion | None]:
        """The version in the prompt, and the newest of those older than it."""
        story = self._session.story
        if story is None:
            return None, None
        current = injected_version(story.running, story.places)
        if current is None:
            return None, None
        newest_first = reversed(story.running.versions)
        return current, next((v for v in newest_first if v.version < current.version), None)

    def _shown(self, content: str) -> str:
        """A kept recap under the headings that the prompt has, too."""
        path = self._session.path
        return self._session.companion.recap_texts.shown(path, content) if path else content

    def _turn_words(self) -> str:
        story = self._session.story
        names = story.chat.speakers if story is not None else ()
        if len(names) > 1:
            who = self._session.slots.responder
            return tr("If {name} answers", name=who) if who else ""
        return tr("{name} answers", name=names[0]) if names else ""

    def _on_version_activated(self, row: int) -> None:
        path = self._session.path
        if path is None:
            return
        version = self._numbers[row]
        self._session.do(
            self._session.companion.edits.select_running_version(path, version),
            name=N_("choose a version"),
        )

    def _begin_edit(self) -> None:
        story = self._session.story
        now = injected_version(story.running, story.places) if story is not None else None
        self._base = now.version if now is not None else None
        self._show_edit(True)

    def _show_edit(self, is_editing: bool) -> None:
        self._text.set_editing(is_editing)
        self._versions.setVisible(not is_editing and self._versions.count() > 0)
        self._commands.setVisible(is_editing)
        self._edit.setVisible(not is_editing)
        # Whoever writes needs the height of the pane.
        self._line.setVisible(not is_editing)
        self._next.setVisible(not is_editing)

    def _keep(self) -> None:
        path = self._session.path
        text = self._text.text.strip()
        self._show_edit(False)
        if path is not None and text:
            companion = self._session.companion
            kept = companion.recap_texts.kept(path, text)
            self._session.do(
                companion.edits.edit_running_recap(path, kept, base=self._base, was_in_prompt=True),
                name=N_("keep your edit"),
            )
        else:
            self._drop()

    def _drop(self) -> None:
        self._show_edit(False)
        if self._session.story is not None:
            self._show_story(self._session.story)


class _Texts(QStackedWidget):
    """Takes what is left: the rows below it go before a long text, which can be scrolled."""

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), LEAST_TEXT)

    def minimumSizeHint(self) -> QSize:
        return QSize(super().minimumSizeHint().width(), LEAST_TEXT)
