"""At the right: what falls out of the chosen slot, auto-tune, and what the slot needed lately."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.core.translation import N_, number, tr, trn
from ui.budgets import words
from ui.budgets.lost_list import LostList
from ui.budgets.need_chart import NeedChart
from ui.budgets.pane_facts import PaneFacts
from ui.budgets.tuning import TuningPart
from ui.controls.buttons import Button, ButtonRole
from ui.controls.labels import ElidedLabel, Label, body, meta
from ui.controls.surfaces import Line, scrolling
from ui.core.slot_words import gone_words
from ui.memories.pane.pieces import Link
from ui.story.lettering import letters
from ui.theme import current_tokens
from ui.theme.fonts import SEMIBOLD, ui_font

FITS = N_("Everything fits.")
TOO_SMALL = N_("A larger budget would let more of it in.")
NO_ROOM = N_(
    "Its budget is large enough, but this prompt has no more room for memory: the rest is for the "
    "card and the messages. A larger budget would change nothing; a larger context in SillyTavern "
    "would."
)
NOT_LENT = N_(
    "{spare} tokens of the total are free, but lent only to parts within the chat. This one stands "
    "before it and gets its own share: a beginning that stays the same from reply to reply is "
    "faster, and cheaper with many providers. A larger total or Advanced gives it more."
)
OF_OTHER_CHATS = N_(
    "Some of it comes from other chats of this character. That gets only the part's own share of "
    "the total, even where room is left."
)
GROWING = N_(
    "It tells of messages that no longer fit into the prompt. A larger budget pushes more of "
    "them out, so there would be more to tell: no budget holds everything."
)
EMPTY = N_("Nothing to tell in the next prompt.")
NO_MEMORY = N_(
    "Nothing is remembered of this story yet. Budgets apply from the first memory on, and what "
    "does not fit is listed here."
)

READING = N_(
    "This story is being read for memory. Budgets apply from the first memory on, and what does "
    "not fit is listed here."
)


class BudgetPane(QWidget):
    """Signals:
    message_asked: index. fit_asked: the budget that is to be set. prompt_asked, read_asked.
    rebuild_asked: the running recap is to be made again from the first scene on that it lost.
    """

    message_asked = Signal(int)
    fit_asked = Signal(int)
    prompt_asked = Signal()
    rebuild_asked = Signal()
    read_asked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.facts: PaneFacts | None = None
        self.title = ElidedLabel(font=ui_font(13, SEMIBOLD))
        self.figures = _Loud()
        self.sentence = body("")
        self.lost = LostList()
        self.lost.message_asked.connect(self.message_asked)
        self.other = meta("", wraps=True)
        self.fit = Button("", role=ButtonRole.MAIN)
        self.fit.setToolTip(
            tr("Gives it 15 % more than it needs in full, rounded to steps of 50. (F)")
        )
        self.fit.clicked.connect(self._on_fit)
        self.fit.hide()  # until there is a figure to name it by
        self.show_prompt = Link(
            tr("Show in the prompt"), tr("Read the exact text of the next prompt.")
        )
        self.show_prompt.clicked.connect(self.prompt_asked)
        self.rebuild = Button("", icon="layers")
        self.rebuild.setToolTip(tr("Says first what it takes."))
        self.rebuild.clicked.connect(self.rebuild_asked)
        self.rebuild.hide()  # while nothing has left the running recap
        self.read = Button(tr("Read this story now"), icon="pulse", role=ButtonRole.MAIN)
        self.read.clicked.connect(self.read_asked)
        self.read.hide()  # until it is known that nothing was read
        self.tuning = TuningPart()
        self.chart_title = Label(font=ui_font(13, SEMIBOLD), wraps=True)
        self.most = meta()
        self.most.setToolTip(tr("The most this part needs in full for any of these replies."))
        self.chart = NeedChart()
        self._build()

    def _build(self) -> None:
        head = QVBoxLayout()
        head.setSpacing(2)
        head.addWidget(self.title)
        head.addWidget(self.figures)
        # One beneath the other: side by side there is no room for all words in every language.
        commands = QVBoxLayout()
        commands.setSpacing(8)
        for button in (self.fit, self.rebuild, self.read, self.show_prompt):
            commands.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
        chart_head = QHBoxLayout()
        chart_head.addWidget(self.chart_title, 1)
        chart_head.addWidget(self.most)
        holder = QWidget()
        column = QVBoxLayout(holder)
        column.setContentsMargins(16, 10, 16, 16)
        column.setSpacing(8)
        column.addLayout(head)
        column.addWidget(self.sentence)
        column.addWidget(self.lost)
        column.addWidget(self.other)
        column.addLayout(commands)
        column.addSpacing(4)
        column.addWidget(Line())
        column.addSpacing(2)
        column.addWidget(self.tuning)
        column.addSpacing(4)
        self._chart_line = Line()
        column.addWidget(self._chart_line)
        column.addSpacing(2)
        column.addLayout(chart_head)
        column.addWidget(self.chart)
        column.addStretch(1)
        self.area = scrolling(holder, name=tr("What is left out, auto-tune and needs"))
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self.area)

    def show_facts(self, facts: PaneFacts) -> None:
        """Show a slot."""
        self.facts = facts
        row = facts.row
        is_cut = facts.count > 0
        _say(self.title, tr("Left out of {title}", title=row.title) if is_cut else row.title)
        said = f"{words.lines_words(facts.count)}, {words.tokens_words(facts.tokens)}"
        self.figures.say(said if is_cut else "")
        has_reason = (
            row.lacks_room or facts.is_growing or facts.has_other_chats or facts.not_lent > 0
        )
        self.sentence.setVisible(not is_cut or has_reason)
        _say(self.sentence, _sentence_on(facts))
        self.lost.show_lines(facts.lost, facts.count)
        _say(self.other, " ".join(facts.other))
        self.other.setVisible(bool(facts.other))
        self.fit.setVisible(facts.fit is not None)
        if facts.fit is not None:
            self.fit.set_text(tr("Make it fit: {fit}", fit=number(facts.fit)))
        self.rebuild.setVisible(row.gone > 0)
        self.rebuild.set_text(tr("Rebuild from scene {first}", first=number(row.gone_from)))
        self.read.setVisible(not facts.has_memory and not facts.is_reading)
        self._show_chart(facts)

    def _show_chart(self, facts: PaneFacts) -> None:
        row, needs = facts.row, facts.needs
        most = max((row.full, *(tokens for _, tokens in needs)))
        has_needs = bool(needs and most)
        for widget in (self._chart_line, self.chart_title, self.most, self.chart):
            widget.setVisible(has_needs)
        if not has_needs:
            return
        replies = trn(
            "{title}, last reply and the next",
            "{title}, last {n} replies and the next",
            len(needs),
            title=row.title,
        )
        _say(self.chart_title, replies)
        _say(self.most, tr("at most {tokens}", tokens=number(most)))
        self.chart.show_needs(
            needs,
            row.hue,
            title=row.title,
            budget=row.budget,
            tuned=facts.tuned,
            coming=row.full,
        )

    def _on_fit(self) -> None:
        if self.facts is not None and self.facts.fit is not None:
            self.fit_asked.emit(self.facts.fit)


class _Loud(QWidget):
    """In the tone of what is cut; painted, so that a new number moves nothing else."""

    def __init__(self) -> None:
        super().__init__()
        self.words = ""
        self.setFixedHeight(18)
        self.setToolTip(tr("What the budget has no room for, most important first."))
        self.hide()

    def say(self, said: str) -> None:
        if said != self.words:
            self.words = said
            self.setVisible(bool(said))
            self.setAccessibleName(said or tr("Nothing is left out"))
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        face, ink = letters(12, SEMIBOLD), current_tokens().out_of_budget.text
        face.draw(QPainter(self), self.words, ink, 0, self.height() / 2, self.width())


def _sentence_on(facts: PaneFacts) -> str:
    """What the slot holds, and whether all of it fits."""
    row = facts.row
    if facts.is_growing and row.cut:
        return tr(GROWING)
    if not facts.has_memory:
        return tr(READING if facts.is_reading else NO_MEMORY)
    if facts.has_other_chats:
        return tr(OF_OTHER_CHATS)
    if facts.not_lent:
        return tr(NOT_LENT, spare=number(facts.not_lent))
    if row.gone:
        return gone_words(row.gone, number(row.gone_from))
    if row.cut:
        said = trn(
            "{n} token of it does not reach the next prompt.",
            "{n} tokens of it do not reach the next prompt.",
            row.cut,
        )
        return f"{said} {tr(NO_ROOM if row.lacks_room else TOO_SMALL)}"
    return f"{row.meaning} {tr(FITS if row.full else EMPTY)}"


def _say(label: Label, said: str) -> None:
    """A label that is told the same again is not laid out again."""
    if label.text() != said:
        label.setText(said)
