"""The test of a model: how long it takes, and what it wrote."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout

from app.core.translation import number, tr, trn
from ui.controls.bars import ProgressLine
from ui.controls.buttons import Button
from ui.controls.labels import Label, ToneLabel, body, meta
from ui.controls.surfaces import Surface
from ui.theme.fonts import SEMIBOLD, story_font, ui_font
from ui.theme.palette import T2_ROLE

if TYPE_CHECKING:
    from app.views.model_trial import ModelTrial

SECONDS = 20
TICK_MS = 250
MOST_LETTERS = 600


class TrialPanel(Surface):
    """Hidden until the first test.

    Signals:
        stop_wanted: the user does not want to wait for the rest.
        ended: there is a verdict.
    """

    stop_wanted = Signal()
    ended = Signal()

    def __init__(self) -> None:
        super().__init__("well", edge="line")
        self._began = 0.0
        self._name = ""
        self._title = Label(font=ui_font(12.5, SEMIBOLD))
        self._time = Label(font=ui_font(12), tone=T2_ROLE)
        self._stop = Button(tr("Stop"), icon="stop")
        self._stop.clicked.connect(self.stop_wanted)
        self._bar = ProgressLine()
        self._wrote = meta(tr("What it wrote"))
        self._text = Label(font=story_font(14), wraps=True)
        self._error = body()
        self.is_refused = False  # the last test found the model not usable
        self._verdict = ToneLabel(font=ui_font(13, SEMIBOLD))
        self._tick = QTimer(self)
        self._tick.setInterval(TICK_MS)
        self._tick.timeout.connect(self._show_time)
        head = QHBoxLayout()
        head.setSpacing(12)
        head.addWidget(self._title, 1)
        head.addWidget(self._time)
        head.addWidget(self._stop)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 10, 14, 12)
        column.setSpacing(8)
        column.addLayout(head)
        for widget in (self._bar, self._verdict, self._wrote, self._text, self._error):
            column.addWidget(widget)
        self.hide()

    @property
    def text(self) -> str:
        """What the model wrote so far."""
        return self._text.text()

    @property
    def verdict(self) -> str:
        """Whether the model is usable, "" before the end."""
        return self._verdict.text()

    @property
    def error(self) -> str:
        """What went wrong, "" for nothing."""
        return self._error.text() or (self._verdict.text() if not self.text else "")

    @property
    def is_running(self) -> bool:
        return self._tick.isActive()

    def begin(self, name: str) -> None:
        """A test of a model begins."""
        self.is_refused = False
        self._began = time.monotonic()
        self._name = name
        self._title.setText(tr("Testing {name} on a sample scene", name=name))
        self._show_words("", "")
        self._verdict.hide()
        self._verdict.setText("")
        self._stop.show()
        self._bar.show()
        self._tick.start()
        self._show_time()
        self.show()

    def show_text(self, text: str) -> None:
        """What it wrote until now."""
        self._show_words(text, "")

    def end(self, trial: ModelTrial | None) -> None:
        """How it ended; None when it was stopped."""
        self._tick.stop()
        self._stop.hide()
        self._bar.hide()
        self._title.setText(tr("{name} on a sample scene", name=self._name))
        if trial is None:
            self._time.setText(tr("Stopped"))
            return
        self._time.setText(speed_words(trial))
        verdict = trial.verdict
        self.is_refused = not verdict.is_usable
        # What keeps it from being usable is said once.
        self._show_words(trial.text, trial.error if verdict.is_usable else "")
        good = "stale" if verdict.is_slow else "included"
        self._verdict.show_words(verdict.sentence, good if verdict.is_usable else "failed")
        self._verdict.show()
        self.ended.emit()

    def _show_words(self, text: str, error: str) -> None:
        self._text.setText(text[:MOST_LETTERS])
        self._error.setText(error)
        self._wrote.setVisible(bool(text))
        self._text.setVisible(bool(text))
        self._error.setVisible(bool(error))

    def _show_time(self) -> None:
        seconds = min(SECONDS, time.monotonic() - self._began)
        self._time.setText(tr("{done} of {seconds} seconds", done=int(seconds), seconds=SECONDS))
        self._bar.set_share(seconds / SECONDS)


def speed_words(trial: ModelTrial) -> str:
    """ "3.2 seconds, 17 tokens per second"."""
    if trial.seconds < 0.05:
        return tr("Immediately")
    words = tr("{seconds} seconds", seconds=number(trial.seconds, 1))
    if trial.output_tokens and not trial.error:
        speed = round(trial.output_tokens / trial.seconds)
        words = f"{words}, {trn('{n} token per second', '{n} tokens per second', speed)}"
    return words
