"""The test of a model on all tasks of memory: what it wrote of three scenes, and how good it is."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.core.translation import N_, number, tr, trn
from app.llm.backends.specs import BUILTIN, KINDS, parse_spec
from app.views.memory_trial import FAIR, GOOD, ORDER, MemoryTrial, TierTrial, words
from ui.controls.bars import ProgressLine
from ui.controls.buttons import Button
from ui.controls.labels import Label, body, meta, section
from ui.controls.surfaces import Line, Surface
from ui.core.session import Session
from ui.memories.pane.pieces import Link
from ui.theme.fonts import MEDIUM, SEMIBOLD, story_font, ui_font
from ui.theme.palette import T2_ROLE

SENTENCE = N_(
    "Five requests about three made-up scenes show how well the model notes facts, details, plot "
    "threads, the current state and who knows what. Nothing is kept."
)
NO_MODEL = N_("Without a model there is nothing to test: choose one above.")
TITLE = N_("Memory test")
MOST_RAW = 6000  # letters


class TierResult(QWidget):
    """How a model did on one tier: a line, and beneath it, when pressed, all there is."""

    def __init__(self, trial: TierTrial) -> None:
        super().__init__()
        self.trial = trial
        name = words(trial.tier)
        title = Label(name[:1].upper() + name[1:], font=ui_font(12.5, MEDIUM))
        self.fact = Label(fact_words(trial), font=ui_font(12), tone=T2_ROLE)
        self.toggle = Link(tr("Show"), tr("Show what it wrote for {name}.", name=name))
        self.toggle.clicked.connect(self.turn)
        head = QHBoxLayout()
        head.setSpacing(12)
        head.addWidget(title)
        head.addWidget(self.fact, 1)
        head.addWidget(self.toggle)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 9, 14, 9)
        column.setSpacing(6)
        column.addLayout(head)
        for remark in trial.remarks:
            column.addWidget(body(remark))
        self.whole = QWidget()
        self._fill(QVBoxLayout(self.whole))
        self.whole.hide()
        column.addWidget(self.whole)

    def turn(self) -> None:
        """Show all of it, or the line alone."""
        is_open = self.whole.isHidden()
        self.whole.setVisible(is_open)
        self.toggle.set_text(tr("Hide") if is_open else tr("Show"), self.toggle.toolTip())

    def _fill(self, column: QVBoxLayout) -> None:
        trial = self.trial
        column.setContentsMargins(0, 2, 0, 4)
        column.setSpacing(5)
        column.addWidget(body(tr("A good answer: {hint}", hint=tr(trial.hint))))
        if trial.items:
            column.addWidget(meta(tr("Understood, {entry}", entry=entry_words(trial))))
            column.addWidget(_told("\n".join(trial.items)))
        if trial.skipped:
            lines = trn("{n} line", "{n} lines", len(trial.skipped))
            column.addWidget(meta(tr("Not understood, {lines}", lines=lines)))
            column.addWidget(_told("\n".join(trial.skipped)))
        if trial.raw:
            column.addWidget(meta(_raw_words(trial)))
            column.addWidget(_well(trial.raw[:MOST_RAW]))
        scene = trial.scene
        head = QHBoxLayout()
        head.setSpacing(12)
        people = tr(" and ").join(scene.characters)
        head.addWidget(
            meta(tr("The scene: {title}, with {people}", title=scene.title, people=people))
        )
        self.scene_toggle = Link(tr("Read it"), tr("Read the scene."))
        self.scene_toggle.clicked.connect(self.turn_scene)
        head.addWidget(self.scene_toggle)
        head.addStretch(1)
        column.addLayout(head)
        self.scene = _well("\n\n".join(f"{name}: {text}" for name, text in scene.lines))
        self.scene.hide()
        column.addWidget(self.scene)

    def turn_scene(self) -> None:
        """Show the scene, or hide it."""
        is_open = self.scene.isHidden()
        self.scene.setVisible(is_open)
        self.scene_toggle.set_text(
            tr("Hide it") if is_open else tr("Read it"), tr("Read the scene.")
        )


class MemoryTrialSection(QWidget):
    """Stands beneath the choice of a model; one test at a time."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.title = tr(TITLE)
        self.rows: list[TierResult] = []
        self._session = session
        self._running: asyncio.Task[None] | None = None
        self._card = Surface("raised", edge="line")
        self._words = Label(font=ui_font(12), tone=T2_ROLE, wraps=True)
        self.verdict = Label(font=ui_font(12.5, SEMIBOLD), wraps=True)
        self.start = Button(tr("Test its memory"), icon="pulse")
        self.start.clicked.connect(self._on_start)
        self.stop = Button(tr("Stop"), icon="stop")
        self.stop.clicked.connect(self.cancel)
        self._bar = ProgressLine()
        head = QHBoxLayout()
        head.setContentsMargins(14, 10, 14, 10)
        head.setSpacing(12)
        texts = QVBoxLayout()
        texts.setSpacing(4)
        texts.addWidget(self.verdict)
        texts.addWidget(self._words)
        texts.addWidget(self._bar)
        head.addLayout(texts, 1)
        head.addWidget(self.start, 0, Qt.AlignmentFlag.AlignVCenter)
        head.addWidget(self.stop, 0, Qt.AlignmentFlag.AlignVCenter)
        self._results = QVBoxLayout()
        self._results.setSpacing(0)
        inner = QVBoxLayout(self._card)
        inner.setContentsMargins(1, 1, 1, 1)
        inner.setSpacing(0)
        inner.addLayout(head)
        inner.addLayout(self._results)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addWidget(section(self.title))
        column.addWidget(body(tr(SENTENCE)))
        column.addSpacing(2)
        column.addWidget(self._card)
        self._show_idle()

    def matches(self, text: str) -> bool:
        """Whether what is looked for may be here; `text` is casefolded."""
        return text in f"{self.title}\n{tr(SENTENCE)}\n{tr('model test')}".casefold()

    @property
    def is_running(self) -> bool:
        return self._running is not None and not self._running.done()

    def refresh(self) -> None:
        """Say which model would be tested."""
        if not self.is_running and not self.rows:
            self._show_idle()

    def begin(self, spec: str) -> None:
        """Test a model; raises nothing, failures are told by the session."""
        self.cancel()
        self._show_results(())
        self.verdict.setText(tr("Testing {name}", name=_name(spec)))
        self._show_progress(0)
        self._running = self._session.do(self._test(spec), name=N_("the memory test of a model"))

    def cancel(self) -> None:
        """End the test that runs; what was heard stays shown."""
        if self._running is not None:
            self._running.cancel()

    async def _test(self, spec: str) -> None:
        this = asyncio.current_task()
        heard: list[TierTrial] = []

        def on_result(trial: TierTrial) -> None:
            heard.append(trial)
            if self._running is this:
                self._add(trial)
                self._show_progress(len(heard))

        trial: MemoryTrial | None = None
        try:
            trial = await self._session.companion.models.test_memory(spec, on_result)
        finally:
            if self._running is this:
                self._show_end(trial, len(heard))

    def _on_start(self) -> None:
        self.begin(self._session.companion.models.spec)

    # What is shown

    def _show_idle(self) -> None:
        spec = self._session.companion.models.spec
        has_model = parse_spec(spec).kind != BUILTIN
        self.verdict.setVisible(has_model)
        self.verdict.setText(_name(spec))
        self._words.setText(tr("Not tested yet.") if has_model else tr(NO_MODEL))
        self._show_running(False)
        self.start.setEnabled(has_model)

    def _show_progress(self, done: int) -> None:
        names = [words(tier) for tier in ORDER]
        self.verdict.show()
        self._words.setText(
            tr("{done} of {n}: {names}", done=done + 1, n=len(names), names=names[done])
            if done < len(names)
            else ""
        )
        self._bar.set_share(done / len(names))
        self._show_running(True)

    def _show_end(self, trial: MemoryTrial | None, heard: int) -> None:
        self._show_running(False)
        self.start.set_text(tr("Test again"))
        if trial is None:
            self._words.setText(tr("Stopped after {heard} of {n}.", heard=heard, n=len(ORDER)))
            return
        self.verdict.setText(trial.verdict)
        seconds = sum(tier.seconds for tier in trial.tiers)
        self._words.setText(
            tr(
                "{share}% overall, {seconds} seconds.",
                share=number(trial.score * 100),
                seconds=number(seconds, 1),
            )
        )

    def _show_running(self, is_running: bool) -> None:
        self.start.setVisible(not is_running)
        self.stop.setVisible(is_running)
        self._bar.setVisible(is_running)

    def _show_results(self, trials: Sequence[TierTrial]) -> None:
        self.rows = []
        while (item := self._results.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        for trial in trials:
            self._add(trial)

    def _add(self, trial: TierTrial) -> None:
        row = TierResult(trial)
        self.rows.append(row)
        self._results.addWidget(Line())
        self._results.addWidget(row)


def fact_words(trial: TierTrial) -> str:
    """ "Good, 92 %: 6 entries, 100 % of its lines understood, 3.2 seconds"."""
    if trial.error:
        return tr("No answer, {seconds} seconds", seconds=number(trial.seconds, 1))
    if trial.is_empty:
        return tr("Nothing usable, {seconds} seconds", seconds=number(trial.seconds, 1))
    word = (
        tr("Good")
        if trial.score >= GOOD
        else tr("Incomplete")
        if trial.score >= FAIR
        else tr("Too weak")
    )
    parts = [
        tr("{word}, {share}%", word=word, share=number(trial.score * 100))
        + f": {entry_words(trial)}",
        tr("{share}% of its lines understood", share=number(trial.parse_rate * 100)),
        tr("{seconds} seconds", seconds=number(trial.seconds, 1)),
    ]
    return ", ".join(parts)


def entry_words(trial: TierTrial) -> str:
    """ "6 entries"."""
    return trn("{n} entry", "{n} entries", len(trial.items))


def _raw_words(trial: TierTrial) -> str:
    cut = trial.reasoning_characters
    if not cut:
        return tr("Its exact answer")
    return tr(
        "Its exact answer, without {cut} characters of reasoning before it",
        cut=number(cut),
    )


def _name(spec: str) -> str:
    parsed = parse_spec(spec)
    called = KINDS[parsed.kind].called
    return tr(called) if called else parsed.model


def _told(text: str) -> Label:
    label = Label(text, font=ui_font(12), tone=T2_ROLE, wraps=True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


def _well(text: str) -> QWidget:
    """What was written, as it was."""
    holder = Surface("well", edge="")
    column = QVBoxLayout(holder)
    column.setContentsMargins(12, 8, 12, 9)
    label = Label(text, font=story_font(13), tone=T2_ROLE, wraps=True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    column.addWidget(label)
    return holder
