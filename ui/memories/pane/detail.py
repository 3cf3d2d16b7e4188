"""One memory in full: its words, how it stands, its history, its sources, and what it is worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.core.translation import N_, retold, tr, tr_in, trn
from app.memory.documents.browsing import chain_of, sentence_of
from app.memory.lifecycle.contradictions import open_against
from app.memory.standing import BEFORE, Ground, Standing, Status
from app.memory.tiers.table import TIERS
from app.story.story import Story
from ui.controls.labels import Label, body, meta
from ui.controls.prose import ProseField
from ui.controls.surfaces import scrolling
from ui.memories.commands import MemoryCommands
from ui.memories.pane.against import Against
from ui.memories.pane.command_grid import CommandGrid
from ui.memories.pane.edited_words import EditedWords
from ui.memories.pane.pieces import Link, Proof, Step, Tag, TierLine, titled
from ui.memories.pane.worth import worth_parts
from ui.memories.words import (
    FOUND_WITHOUT_MODEL,
    STATUS_ICONS,
    ending_words,
    is_without_model,
    kind_words,
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
        self._text = EditedWords()
        self._text.kept.connect(self._on_kept)
        self._nothing = body(tr(NOTHING_CHOSEN))
        content = QWidget()
        self._column = QVBoxLayout(content)
        self._column.setContentsMargins(16, 14, 14, 16)
        self._column.setSpacing(10)
        for widget in (self._nothing, self._head, self._text):
            self._column.addWidget(widget)
        self._column.addStretch(1)
        self.area = scrolling(content, name=tr("Details of the memory"))
        self._text.left.connect(partial(self.area.setFocus, Qt.FocusReason.OtherFocusReason))
        self._buttons = CommandGrid(commands)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addWidget(self.area, 1)
        outer.addWidget(self._buttons)
        self.show_nothing()

    @property
    def words(self) -> Label:
        """The words as they are read."""
        return self._text.words

    @property
    def editor(self) -> ProseField:
        """Where they are written anew."""
        return self._text.editor

    # What is shown

    def show_nothing(self) -> None:
        """Nothing is chosen."""
        self._set_standing(None)
        self._nothing.setText(tr(NOTHING_CHOSEN))
        self._nothing.show()
        self._head.hide()
        self._text.hide()
        self._buttons.show_commands(())

    def show_many(self, chosen: Sequence[Standing]) -> None:
        """Several are chosen: say how many of what, and what can be done with all of them."""
        self._set_standing(None)
        tiers = {s.memory.tier for s in chosen}
        self._nothing.hide()
        self._head.setVisible(len(tiers) == 1)
        if len(tiers) == 1:
            self._head.show_tier(next(iter(tiers)), tr(TIERS[next(iter(tiers))].words.name))
        self.words.setText(trn("{n} memory chosen.", "{n} memories chosen.", len(chosen)))
        self._text.show()
        for standing in chosen[:MOST_STEPS]:
            self._put(
                Label(sentence_of(standing.memory), font=story_font(13), tone=T2_ROLE, wraps=True)
            )
        if len(chosen) > MOST_STEPS:
            self._put(meta(trn("and {n} more", "and {n} more", len(chosen) - MOST_STEPS)))
        commands = self._commands
        self._buttons.show_commands(
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
        self._text.show()
        if memory.detail and memory.detail != memory.text:
            self._put(Label(memory.detail, font=story_font(13), tone=T2_ROLE, wraps=True))
        self._show_tags(standing)
        self._show_validity(standing, story)
        self._show_against(standing, by_id)
        self._show_history(standing, by_id)
        self._show_sources(standing, story, ground)
        for part in worth_parts(memory, self.kept_by):
            self._put(part)
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
        self._buttons.show_commands(wanted)
        if not is_same:
            self.area.verticalScrollBar().setValue(0)

    def _set_standing(self, standing: Standing | None) -> None:
        self._text.leave()
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
        self._put(titled(tr("Contradicts"), trn("{n} other", "{n} others", len(others))))
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
                self._put(titled(title))
                self._put(body(said))
            return
        self._put(titled(tr("History"), trn("{n} step", "{n} steps", len(chain))))
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
        self._put(titled(tr("Sources"), f"{len(sources)}" if sources else ""))
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

    # Editing

    @property
    def is_editing(self) -> bool:
        """Whether the words are being changed."""
        return self._text.is_editing

    def edit(self) -> None:
        """Open the words for editing."""
        if self.standing is not None:
            self._text.edit(self.standing.memory.text)

    def _on_kept(self, text: str) -> None:
        standing = self.standing
        if standing is not None and text and text != standing.memory.text:
            self.rewritten.emit(standing.memory.id, text)

    def _on_moment(self) -> None:
        link = self.sender()
        if link is not None:
            self.moment_asked.emit(int(link.property("moment")))
