"""One memory in full: its words, how it stands, its history, its sources, and what it is worth."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from itertools import takewhile

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from app.core.translation import N_, retold, tr, tr_in, trn
from app.memory.documents.browsing import chain_of, sentence_of
from app.memory.lifecycle.contradictions import open_against
from app.memory.records import Memory, Tier
from app.memory.standing import BEFORE, Ground, Standing, Status
from app.memory.tiers.table import TIERS
from app.story.story import Story
from ui.controls.buttons import Button, ButtonRole
from ui.controls.dates import time_words
from ui.controls.labels import Label, body, meta, section
from ui.controls.prose import ProseField
from ui.controls.surfaces import Line, scrolling
from ui.memories.commands import MemoryCommands
from ui.memories.pane.against import Against
from ui.memories.pane.pieces import Link, Proof, Step, Tag, TierLine
from ui.memories.words import (
    FOUND_WITHOUT_MODEL,
    IMPORTANCE_WORDS,
    STATUS_ICONS,
    confidence_title,
    confidence_words,
    ending_words,
    importance_words,
    is_without_model,
    kind_words,
    learned_words,
    made_words,
    place_of,
    status_words,
)
from ui.theme.fonts import MEDIUM, story_font, ui_font
from ui.theme.palette import T2_ROLE

MOST_PROOFS = 8
MOST_STEPS = 12
NOTHING_CHOSEN = N_(
    "Choose a memory to see where it comes from, what it replaced and how important it is."
)
STATUS_TONES = {Status.ACTIVE: "included", Status.STALE: "stale"}
TEXT_HEIGHT = 132  # px while it is edited


class DetailPane(QWidget):
    """Signals:
    message_asked: anchor of a message to go to.
    memory_asked: id of a memory to show.
    moment_asked: index of a message at which all is to be shown.
    rewritten: (memory id, text).
    settled: (memory id, id of what contradicts it, Keeps).
    """

    message_asked = Signal(str)
    memory_asked = Signal(str)
    moment_asked = Signal(int)
    rewritten = Signal(str, str)
    settled = Signal(str, str, str)

    def __init__(self, commands: MemoryCommands, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._commands = commands
        self.standing: Standing | None = None
        self.proofs: list[Proof] = []
        self.steps: list[Step] = []
        self.against: list[Against] = []
        self.kept_by: Mapping[str, str] = {}  # who else keeps a memory, by its id
        self._parts: list[QWidget] = []
        self._head = TierLine()
        self.words = Label(font=story_font(15), wraps=True)
        self.words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.editor = ProseField(tr("Text of this memory"), px=14.5, line_px=22)
        self.editor.setFixedHeight(TEXT_HEIGHT)
        self.editor.hide()
        self.editor.committed.connect(self.keep)
        self.editor.escaped.connect(self.leave)
        self._keep_row = self._make_keep_row()
        self._nothing = body(tr(NOTHING_CHOSEN))
        content = QWidget()
        self._column = QVBoxLayout(content)
        self._column.setContentsMargins(16, 14, 14, 16)
        self._column.setSpacing(10)
        for widget in (self._nothing, self._head, self.words, self.editor, self._keep_row):
            self._column.addWidget(widget)
        self._column.addStretch(1)
        self.area = scrolling(content, name=tr("Details of the memory"))
        self._command_row = self._make_command_row()
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addWidget(self.area, 1)
        self._command_line = Line()
        outer.addWidget(self._command_line)
        outer.addWidget(self._command_row)
        self.show_nothing()

    def _make_keep_row(self) -> QWidget:
        row = QWidget()
        layout = QVBoxLayout(row)  # beside each other they are wider than the pane may be
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        self.keep_button = Button(
            tr("Keep"), icon="check", role=ButtonRole.MAIN, hint=tr("Ctrl Return")
        )
        self.keep_button.clicked.connect(self.keep)
        leave = Button(tr("Discard changes"), role=ButtonRole.QUIET, hint="Esc")
        leave.clicked.connect(self.leave)
        layout.addWidget(self.keep_button)
        layout.addWidget(leave)
        row.hide()
        return row

    def _make_command_row(self) -> QWidget:
        row = QWidget()
        self._command_grid = QGridLayout(row)
        self._command_grid.setContentsMargins(14, 10, 14, 12)
        self._command_grid.setSpacing(8)
        self._command_buttons: list[Button] = []
        self._importance = Label(
            tr("Importance"), font=ui_font(12, MEDIUM), tone=T2_ROLE, parent=row
        )
        return row

    # What is shown

    def show_nothing(self) -> None:
        """Nothing is chosen."""
        self._set_standing(None)
        self._nothing.setText(tr(NOTHING_CHOSEN))
        self._nothing.show()
        self._head.hide()
        self.words.hide()
        self._show_commands(())

    def show_many(self, chosen: Sequence[Standing]) -> None:
        """Several are chosen: say how many of what, and what can be done with all of them."""
        self._set_standing(None)
        tiers = {s.memory.tier for s in chosen}
        self._nothing.hide()
        self._head.setVisible(len(tiers) == 1)
        if len(tiers) == 1:
            self._head.show_tier(next(iter(tiers)), tr(TIERS[next(iter(tiers))].words.name))
        self.words.setText(trn("{n} memory chosen.", "{n} memories chosen.", len(chosen)))
        self.words.show()
        for standing in chosen[:MOST_STEPS]:
            self._put(
                Label(sentence_of(standing.memory), font=story_font(13), tone=T2_ROLE, wraps=True)
            )
        if len(chosen) > MOST_STEPS:
            self._put(meta(trn("and {n} more", "and {n} more", len(chosen) - MOST_STEPS)))
        commands = self._commands
        self._show_commands(
            (
                commands.approve,
                commands.reject,
                *commands.importance,
                commands.pin,
                commands.copy,
                commands.delete,
            )
        )

    def show_memory(
        self, standing: Standing, story: Story, ground: Ground, by_id: Mapping[str, Standing]
    ) -> None:
        """Show one memory. by_id: all that stand beside it."""
        is_same = self.standing is not None and self.standing.memory.id == standing.memory.id
        if is_same and self.is_editing:
            self.standing = standing
            return
        self._set_standing(standing)
        memory = standing.memory
        self._nothing.hide()
        kind = kind_words(memory)
        name = tr(TIERS[memory.tier].words.name) + (f", {kind}" if kind else "")
        self._head.show_tier(memory.tier, name)
        self._head.show()
        self.words.setText(sentence_of(memory))
        self.words.show()
        if memory.detail and memory.detail != memory.text:
            self._put(Label(memory.detail, font=story_font(13), tone=T2_ROLE, wraps=True))
        self._show_tags(standing)
        self._show_validity(standing, story)
        self._show_against(standing, by_id)
        self._show_history(standing, by_id)
        self._show_sources(standing, story, ground)
        self._show_worth(memory)
        commands = self._commands
        wanted = (
            commands.approve,
            commands.reject,
            commands.resolve,
            commands.edit,
            commands.pin,
            commands.reopen,
            commands.delete,
        )
        self._show_commands(wanted)
        if not is_same:
            self.area.verticalScrollBar().setValue(0)

    def _set_standing(self, standing: Standing | None) -> None:
        self.leave()
        self.standing = standing
        for widget in self._parts:
            widget.hide()
            self._column.removeWidget(widget)
            widget.deleteLater()
        self._parts, self.proofs, self.steps, self.against = [], [], [], []

    def _put(self, widget: QWidget) -> None:
        self._column.insertWidget(self._column.count() - 1, widget)
        self._parts.append(widget)

    def _show_tags(self, standing: Standing) -> None:
        memory = standing.memory
        tone = STATUS_TONES.get(standing.status, "t2")
        tags = [Tag(STATUS_ICONS[standing.status], status_words(standing), tone)]
        if memory.is_pinned:
            tags.append(Tag("bookmark", tr("Pinned"), "long_term"))
        if is_without_model(memory):
            tags.append(Tag("chip", tr(FOUND_WITHOUT_MODEL)))
        tags += [Tag("info", retold(note)) for note in memory.notes]
        holder = QWidget()
        column = QVBoxLayout(holder)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(5)
        for tag in tags:
            column.addWidget(tag)
        self._put(holder)

    def _show_validity(self, standing: Standing, story: Story) -> None:
        """ "Valid from #12 until #40", each number a way to that moment."""
        row = QHBoxLayout(holder := QWidget())
        row.setContentsMargins(0, 2, 0, 0)
        row.setSpacing(5)
        row.addWidget(Label(tr("Valid"), font=ui_font(12, MEDIUM), tone=T2_ROLE))
        if standing.start == BEFORE:
            row.addWidget(Label(tr("from the beginning"), font=ui_font(12), tone=T2_ROLE))
        else:
            row.addWidget(Label(tr_in("a moment", "from"), font=ui_font(12), tone=T2_ROLE))
            row.addWidget(self._moment(standing.start))
        if standing.end is None:
            if standing.start != BEFORE:  # "from the beginning" says it already
                row.addWidget(Label(tr_in("from a moment", "on"), font=ui_font(12), tone=T2_ROLE))
        elif standing.end > BEFORE:
            row.addWidget(Label(tr_in("a moment", "until"), font=ui_font(12), tone=T2_ROLE))
            row.addWidget(self._moment(standing.end))
        row.addStretch(1)
        self._put(holder)

    def _moment(self, index: int) -> Link:
        link = Link(f"#{index}", tr("Show everything as it was at #{index}.", index=index))
        link.setProperty("moment", index)
        link.clicked.connect(self._on_moment)
        return link

    def _show_against(self, standing: Standing, by_id: Mapping[str, Standing]) -> None:
        others = open_against(standing, by_id)
        if not others:
            return
        self._put_section(tr("Contradicts"), trn("{n} other", "{n} others", len(others)))
        for other in others[:MOST_STEPS]:
            box = Against(other, can_change=self._commands.can_change)
            box.memory_asked.connect(self.memory_asked)
            box.settled.connect(self._on_settled)
            self.against.append(box)
            self._put(box)

    def _on_settled(self, other: str, keeps: str) -> None:
        if self.standing is not None:
            self.settled.emit(self.standing.memory.id, other, keeps)

    def _show_history(self, standing: Standing, by_id: Mapping[str, Standing]) -> None:
        chain = chain_of(standing, by_id)
        if len(chain) < 2:
            if standing.ending is not None:
                title, said = ending_words(standing)
                self._put_section(title)
                self._put(body(said))
            return
        self._put_section(tr("History"), trn("{n} step", "{n} steps", len(chain)))
        holder = QWidget()
        column = QVBoxLayout(holder)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for one in chain[-MOST_STEPS:]:
            step = Step(one, is_shown=one.memory.id == standing.memory.id)
            step.chosen.connect(self.memory_asked)
            column.addWidget(step)
            self.steps.append(step)
        self._put(holder)

    def _show_sources(self, standing: Standing, story: Story, ground: Ground) -> None:
        sources = standing.memory.evidence
        self._put_section(tr("Sources"), f"{len(sources)}" if sources else "")
        if not sources:
            self._put(body(tr("No source message. {made}.", made=made_words(standing.memory))))
        gone = elsewhere = 0
        shown = []
        for source in sources:
            place = place_of(source, ground)
            if place is not None:
                shown.append((place, source))
            elif ground.is_here(source):
                gone += 1
            else:
                elsewhere += 1
        for place, source in sorted(shown, key=lambda pair: pair[0])[:MOST_PROOFS]:
            changed = not ground.reads_as_then(source)
            proof = Proof(story.messages[place], place, is_changed=changed)
            proof.jump_asked.connect(self.message_asked)
            self.proofs.append(proof)
            self._put(proof)
        if len(shown) > MOST_PROOFS:
            self._put(
                meta(trn("and {n} more message", "and {n} more messages", len(shown) - MOST_PROOFS))
            )
        if gone:
            self._put(
                body(
                    trn(
                        "{n} of its messages is no longer in the chat.",
                        "{n} of its messages are no longer in the chat.",
                        gone,
                    )
                )
            )
        if elsewhere:
            self._put(
                body(
                    trn("{n} message of another chat.", "{n} messages of another chat.", elsewhere)
                )
            )

    def _show_worth(self, memory: Memory) -> None:
        word = tr(IMPORTANCE_WORDS.get(memory.importance, ""))
        self._put_section(tr("Importance {importance} of 3", importance=memory.importance), word)
        self._put(body(importance_words(memory)))
        self._put_section(confidence_title(memory))
        self._put(body(confidence_words(memory)))
        learned = learned_words(memory)
        if memory.tier is Tier.EPISTEMIC and learned:
            self._put_section(tr("How they know"))
            self._put(body(f"{learned}."))
        if memory.witnessed_by:
            self._put_section(tr("Who was there"))
            self._put(body(", ".join(memory.witnessed_by)))
        if memory.id in self.kept_by:
            self._put_section(tr("Lived through elsewhere"))
            self._put(
                body(
                    tr(
                        "Remembered by {who}; characters who were there know it in this chat too.",
                        who=self.kept_by[memory.id],
                    )
                )
            )
        made = made_words(memory)
        if memory.created:
            made += f", {time_words(memory.created, now=time.time())}"
        self._put(meta(made, wraps=True))

    def _put_section(self, title: str, fact: str = "") -> None:
        holder = QWidget()
        row = QHBoxLayout(holder)
        row.setContentsMargins(0, 8, 0, 0)
        row.addWidget(section(title), 1)
        row.addWidget(meta(fact))
        self._put(holder)

    def _show_commands(self, wanted: Sequence[QAction]) -> None:
        for button in self._command_buttons:
            button.hide()
            self._command_grid.removeWidget(button)
            button.deleteLater()
        self._command_buttons = []
        # A vanished control teaches nothing, but a full row of what never applies does no more.
        can = self._commands.can_change
        shown = [d for d in wanted if d.isEnabled() or (not can and d is self._commands.edit)]
        row = column = 0
        if not set(shown).isdisjoint(self._commands.importance):
            self._command_grid.addWidget(self._importance, 0, 0, 1, 6)
            row = 1
        self._importance.setVisible(row > 0)
        for place, command in enumerate(shown):
            # Six columns: two buttons in a row, of importance three; the first of an odd number
            # has a row of its own, so that none has a hole.
            width = 2 if command in self._commands.importance else 3
            if column + width > 6:
                row, column = row + 1, 0
            alike = takewhile(lambda d: d not in self._commands.importance, shown[place:])
            if width == 3 and column == 0 and len(list(alike)) % 2:
                width = 6
            icon = "" if width == 2 else self._commands.icons[command]
            button = Button(command.iconText(), icon=icon)
            button.follow(command)
            button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
            self._command_grid.addWidget(button, row, column, 1, width)
            column += width
            self._command_buttons.append(button)
        self._command_row.setVisible(bool(shown))
        self._command_line.setVisible(bool(shown))

    # Editing

    @property
    def is_editing(self) -> bool:
        """Whether the words are being changed."""
        return self.editor.isVisibleTo(self)

    def edit(self) -> None:
        """Open the words for editing."""
        if self.standing is not None and not self.is_editing:
            self.words.hide()
            self.editor.show()
            self._keep_row.show()
            self.editor.set_text(self.standing.memory.text)
            self.editor.set_editing(True)

    def keep(self) -> None:
        """Keep the words as they were written."""
        standing, text = self.standing, " ".join(self.editor.text.split())
        self.leave()
        if standing is not None and text and text != standing.memory.text:
            self.rewritten.emit(standing.memory.id, text)

    def leave(self) -> None:
        """Leave the words as they were."""
        if self.is_editing:
            self.editor.set_editing(False)
            self.editor.hide()
            self._keep_row.hide()
            self.words.show()
            self.area.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_moment(self) -> None:
        link = self.sender()
        if link is not None:
            self.moment_asked.emit(int(link.property("moment")))
