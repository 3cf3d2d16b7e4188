"""The strips over the queue: a catch-up with the means to stop it, and what was cleared."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.core.model_use import DayCap
from app.core.translation import tr, trn
from app.views.catch_up import CatchUpPlan, CatchUpProgress
from ui.controls.bars import ProgressLine
from ui.controls.buttons import Button, ButtonRole, IconButton
from ui.controls.holding import Unaimed
from ui.controls.labels import Label
from ui.controls.surfaces import Line
from ui.shell.plan_words import parts_sentence, plan_command, plan_sentence
from ui.theme.fonts import SEMIBOLD, ui_font
from ui.theme.palette import T2_ROLE
from ui.work.use_words import cap_words
from ui.work.words import progress_facts, progress_title


class Strip(QWidget):
    """Words at the left, commands at the right, a hairline below. Hidden while it has nothing."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.words = QVBoxLayout()
        self.words.setSpacing(4)
        self.commands = QHBoxLayout()
        self.commands.setSpacing(8)
        row = QHBoxLayout()
        row.setContentsMargins(16, 10, 16, 10)
        row.setSpacing(16)
        row.addLayout(self.words, 1)
        row.addLayout(self.commands)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(row)
        column.addWidget(Line())
        self.hide()


class CatchUpStrip(Strip):
    """A backlog: what it would take, or how far it is."""

    def __init__(
        self, start: QAction, recaps: QAction, memory: QAction, stop: QAction, stop_now: QAction
    ) -> None:
        super().__init__(tr("Catching up"))
        self._title = Label(font=ui_font(12.5, SEMIBOLD))
        self._facts = Label(font=ui_font(12), tone=T2_ROLE, wraps=True)
        self._line = ProgressLine()
        for widget in (self._title, self._facts, self._line):
            self.words.addWidget(widget)
        self._start = Button(start.text(), icon="play", role=ButtonRole.MAIN)
        self._recaps = Button(recaps.text())
        self._memory = Button(memory.text())
        self._stop = Button(tr("Stop after this job"), icon="stop")
        self._stop_now = Button(tr("Stop now"), icon="cross")
        for button, action in (
            (self._recaps, recaps),
            (self._memory, memory),
            (self._start, start),
            (self._stop, stop),
            (self._stop_now, stop_now),
        ):
            button.follow(action)
            self.commands.addWidget(button)

    def show_plan(self, plan: CatchUpPlan, title: str = "") -> None:
        """What waits for the user's word. title: of the chat, where another one is worked on."""
        whose = tr("{title}: waits for your answer", title=title)
        self._title.setText(whose if title else tr("Waits for your answer"))
        self._facts.setText("\n".join(filter(None, (plan_sentence(plan), parts_sentence(plan)))))
        self._arrange(is_on=False)
        self._start.set_text(plan_command(plan))
        self._recaps.setVisible(plan.has_parts)
        self._memory.setVisible(plan.has_parts)

    def show_progress(self, progress: CatchUpProgress, *, is_paused: bool) -> None:
        """How far it is."""
        self._title.setText(progress_title(progress))
        facts = progress_facts(progress, is_paused=is_paused)
        self._facts.setText(facts)
        self._line.set_share(progress.share)
        self._line.setAccessibleName(facts)
        self._arrange(is_on=True)
        self._recaps.hide()
        self._memory.hide()

    def _arrange(self, *, is_on: bool) -> None:
        self._line.setVisible(is_on)
        self._start.setVisible(not is_on)
        self._stop.setVisible(is_on)
        self._stop_now.setVisible(is_on)
        self.show()


class CapStrip(Strip):
    """The day's cap is reached, and the word that lets work go on."""

    def __init__(self, go_on: QAction) -> None:
        super().__init__(tr("Today's limit"))
        self._title = Label(font=ui_font(12.5, SEMIBOLD))
        self._facts = Label(font=ui_font(12), tone=T2_ROLE, wraps=True)
        self.words.addWidget(self._title)
        self.words.addWidget(self._facts)
        self._button = Button(go_on.text(), icon="play", role=ButtonRole.MAIN)
        self._button.follow(go_on)
        self.commands.addWidget(self._button)
        self._unaimed = Unaimed(self._button)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._unaimed.begin()

    def show_cap(self, cap: DayCap, held: int) -> None:
        """held: operations that wait for it; hidden while the cap holds nothing back."""
        is_shown = cap.is_reached and held > 0
        if is_shown:
            self._title.setText(cap.sentence)
            waits = trn("{n} job waits.", "{n} jobs wait.", held)
            self._facts.setText(f"{waits} {cap_words(cap)}.")
        self.setVisible(is_shown)


class ClearedStrip(Strip):
    """What was taken out of the queue, and the way back.

    Signals:
        closed: nobody wants it back.
    """

    closed = Signal()

    def __init__(self, put_back: QAction) -> None:
        super().__init__(tr("Taken out of the queue"))
        self._sentence = Label(font=ui_font(12), tone=T2_ROLE, wraps=True)
        self.words.addWidget(self._sentence)
        back = Button(put_back.text(), icon="undo")
        back.follow(put_back)
        close = IconButton("cross", tr("Close this notice"), side=24, icon_size=13)
        close.clicked.connect(self.closed)
        self.commands.addWidget(back)
        self.commands.addWidget(close)

    def say(self, sentence: str) -> None:
        """Show it, or hide with ""."""
        self._sentence.setText(sentence)
        self.setVisible(bool(sentence))
