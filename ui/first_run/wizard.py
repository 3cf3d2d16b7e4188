"""The first run: four steps in place of the window's pages, each of which can be skipped."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QWidget

from app.core.translation import tr
from ui.controls.buttons import Button, ButtonRole
from ui.controls.surfaces import Line, Stage, centred, scrolling
from ui.core.session import Session
from ui.first_run.bridge_step import BridgeStep
from ui.first_run.chat_step import ChatStep
from ui.first_run.model_step import ModelStep
from ui.first_run.problem import ProblemLine
from ui.first_run.rail import StepRail
from ui.first_run.step import Step
from ui.first_run.tavern_step import TavernStep
from ui.theme import current_tokens

COLUMN = 880


class FirstRun(QWidget):
    """Begins at the first step that is not done.

    Signals:
        closed: it is over, by its last step, or since the user wants the demo story.
        folder_wanted: the user wants to name SillyTavern's folder.
    """

    closed = Signal()
    folder_wanted = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._current = 0
        self.was_bridge_skipped = False  # it is not to be offered again at once
        self.main = Button("", role=ButtonRole.MAIN)
        self.use = Button("", role=ButtonRole.MAIN)  # the choice of a model has its own
        self.back = Button(
            tr("Back"), icon="chevron-left", role=ButtonRole.QUIET, flush=Qt.Edge.LeftEdge
        )
        self.skip = Button(tr("Skip this step"), role=ButtonRole.QUIET)
        self.tavern = TavernStep(session)
        self.bridge = BridgeStep(session)
        self.model = ModelStep(session, self.use)
        self.chat = ChatStep(session)
        self.steps: tuple[Step, ...] = (self.tavern, self.bridge, self.model, self.chat)
        self.rail = StepRail(self.steps)
        self.problem = ProblemLine()
        self._stack = QStackedWidget()
        self._lay_out()
        self._connect()
        self.begin()

    def begin(self) -> None:
        """Show the first step that is to be done."""
        self._show_step(1 if len(self.tavern.taverns) == 1 else 0)

    def _connect(self) -> None:
        for step in self.steps:
            step.changed.connect(self._refresh)
            step.over.connect(self._on_over)
        self.tavern.folder_wanted.connect(self.folder_wanted)
        self.tavern.told.connect(self.problem.say)
        for begun in (self.model.choice.test_wanted, self.model.choice.models_wanted):
            begun.connect(self._say_nothing)  # what was said of the last try is old
        self.chat.begun.connect(self.closed)
        self.rail.step_wanted.connect(self._show_step)
        self.rail.demo_wanted.connect(self._on_demo)
        self.main.clicked.connect(self._on_main)
        self.back.clicked.connect(self._on_back)
        self.skip.clicked.connect(self._on_skip)
        self._session.failed.connect(self.problem.say)

    def _lay_out(self) -> None:
        stage = Stage()
        for step in self.steps:
            stage_page = QWidget()
            middle = QHBoxLayout(stage_page)
            middle.setContentsMargins(32, 40, 32, 24)
            step.setMaximumWidth(COLUMN)
            middle.addStretch(1)
            middle.addWidget(step, 1000)
            middle.addStretch(1)
            self._stack.addWidget(scrolling(stage_page, name=tr(step.title)))
        stage.column.addWidget(self._stack, 1)
        # Beneath: above, it would move what is under the pointer.
        problem = centred(self.problem, COLUMN)
        problem.setContentsMargins(32, 0, 32, 12)
        stage.column.addLayout(problem)
        stage.column.addWidget(Line())
        commands = QWidget()
        foot = QHBoxLayout(commands)
        foot.setContentsMargins(0, 0, 0, 0)
        foot.setSpacing(8)
        foot.addWidget(self.back)
        foot.addStretch(1)
        foot.addWidget(self.skip)
        foot.addWidget(self.main)
        foot.addWidget(self.use)
        under = centred(commands, COLUMN)
        under.setContentsMargins(32, 12, 32, 12)
        stage.column.addLayout(under)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 8, 8, 8)
        row.setSpacing(0)
        row.addWidget(self.rail)
        row.addWidget(stage, 1)

    @property
    def step(self) -> Step:
        """The step that is shown."""
        return self.steps[self._current]

    def _show_step(self, number: int) -> None:
        self._current = number
        self.problem.say("")
        self._stack.setCurrentIndex(number)
        self.step.enter()
        self._refresh()

    def _refresh(self) -> None:
        step, is_last = self.step, self._current == len(self.steps) - 1
        self.rail.show_steps(self._current)
        self.rail.show_destination(*self.model.choice.destination)
        is_model = step is self.model
        self.use.setVisible(is_model)
        self.main.setVisible(not is_model)
        self.main.set_text(step.command)
        self.main.setEnabled(step.is_ready)
        self.back.setVisible(self._current > 0)
        self.skip.set_text(tr("Open Tavernkeep") if is_last else tr("Skip this step"))
        self.skip.setVisible(is_last or is_model or not step.found)

    # --- hands

    def _say_nothing(self, _what: str) -> None:
        self.problem.say("")

    def _on_main(self) -> None:
        self.problem.say("")
        self.step.do()

    def _on_over(self) -> None:
        if self.sender() is self.step:
            self._go_on()

    def _go_on(self) -> None:
        if self._current == len(self.steps) - 1:
            self.closed.emit()
        else:
            self._show_step(self._current + 1)
            self.take_focus()  # what had it may be hidden or disabled now

    def _on_back(self) -> None:
        self._show_step(max(0, self._current - 1))

    def _on_skip(self) -> None:
        if self.step is self.bridge and self.tavern.taverns:
            self.was_bridge_skipped = True
        if self.step is self.model:
            self.model.testing.stop()
        self._go_on()

    def _on_demo(self) -> None:
        self._session.open_chat(self._session.companion.demo)
        self.closed.emit()

    def take_focus(self) -> None:
        """Give the keyboard to the command of the step."""
        button = self.use if self.step is self.model else self.main
        button.setFocus(Qt.FocusReason.OtherFocusReason)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.rail.fit(self.size())

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(self.rect(), current_tokens().chrome)
