"""What the page shows beside memories: that there are none yet, and how a reading goes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.core.errors import TavernkeepError
from app.core.operations import FINISHED, MEMORY_KINDS, Operation, OperationKind, OperationStatus
from app.core.translation import N_, retold, tr
from ui.controls.bars import ProgressLine
from ui.controls.buttons import Button, ButtonRole
from ui.controls.labels import ElidedLabel, Label, body
from ui.controls.surfaces import Line
from ui.memories.pane.pieces import Link
from ui.theme.fonts import MEDIUM, SEMIBOLD, ui_font
from ui.theme.palette import T2_ROLE

WIDTH = 520
TITLE = N_("Nothing is remembered of this story yet")
EMPTY = N_(
    "Memories are read from the story as it goes on: who people are and what they feel, what is "
    "still open, who knows what. Each one names the messages it comes from."
)
NO_MODEL = N_("No model is chosen. Without one, little more than names is found.")
READING = N_("The story is being read. Memories appear here as they are found.")
WAITS = N_("Reading waits")
WHY = N_("The reason is given above. Memories appear here as they are found.")
LOOKING = N_("Loading memories")
FAILED = N_("The memories could not be loaded")


class EmptyState(QWidget):
    """strip: what says above how the reading goes, where it is said.

    Signals:
        read_asked: the story is to be read now.
        model_asked: a model is to be chosen.
        demo_asked: the demo story is to be opened.
    """

    read_asked = Signal()
    model_asked = Signal()
    demo_asked = Signal()

    def __init__(self, strip: ReadingStrip | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._strip = strip
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)  # it keeps the keyboard for what comes
        self._unknown = LOOKING
        self.title = Label(tr(TITLE), font=ui_font(15, SEMIBOLD))
        self.sentence = Label(tr(EMPTY), font=ui_font(13), tone=T2_ROLE, wraps=True)
        self.no_model = Label(tr(NO_MODEL), font=ui_font(13), tone=T2_ROLE, wraps=True)
        self.read = Button(tr("Read this story now"), icon="pulse", role=ButtonRole.MAIN)
        self.model = Button(tr("Choose a model"), icon="chip")
        self.demo = Link(tr("See the demo story"), tr("Open the story that comes with Tavernkeep."))
        self.read.clicked.connect(self.read_asked)
        self.model.clicked.connect(self.model_asked)
        self.demo.clicked.connect(self.demo_asked)
        self.commands = QHBoxLayout()
        self.commands.setSpacing(8)
        for widget in (self.read, self.model):
            self.commands.addWidget(widget)
        self.commands.addStretch(1)
        block = QWidget()
        block.setFixedWidth(WIDTH)
        column = QVBoxLayout(block)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(10)
        column.addWidget(self.title)
        column.addWidget(self.sentence)
        column.addWidget(self.no_model)
        column.addSpacing(6)
        column.addLayout(self.commands)
        # Beneath the buttons: beside them there is no room for all words in every language.
        column.addWidget(self.demo, 0, Qt.AlignmentFlag.AlignLeft)
        outer = QVBoxLayout(self)
        outer.addStretch(2)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(block)
        row.addStretch(1)
        outer.addLayout(row)
        outer.addStretch(3)

    @property
    def target(self) -> QWidget:
        """What the keyboard is given to."""
        return self if self.read.isHidden() else self.read

    async def waits_for(self, look: Callable[[Path], Awaitable[None]], path: Path) -> None:
        """Say of a look that failed that it did, before whoever began it says why."""
        self._unknown = LOOKING
        try:
            await look(path)
        except TavernkeepError:
            self._unknown = FAILED
            self.title.setText(tr(FAILED))
            raise

    def show_state(
        self, *, is_known: bool, is_reading: bool, has_model: bool, is_demo: bool
    ) -> None:
        """Say what can be done from here. is_known: it was looked whether there are memories."""
        title = TITLE if is_known else self._unknown
        waits = self._strip is not None and self._strip.waits
        reading = tr(WAITS) if waits else tr("Reading")
        self.title.setText(reading if is_reading and is_known else tr(title))
        self.sentence.setText(tr(WHY) if waits else tr(READING) if is_reading else tr(EMPTY))
        self.sentence.setVisible(is_known)
        is_idle = is_known and not is_reading
        self.no_model.setVisible(not has_model and is_idle)
        self.model.setVisible(not has_model and is_idle)
        self.read.setVisible(is_idle)
        self.demo.setVisible(not is_demo and is_idle)


class ReadingStrip(QWidget):
    """How far the reading for memory is; a failure stays until it is tried again.

    kinds: of the work that it tells of.

    Signals:
        stop_asked, retry_asked: id of the operation.
    """

    stop_asked = Signal(int)
    retry_asked = Signal(int)

    def __init__(
        self,
        parent: QWidget | None = None,
        *,
        kinds: Collection[OperationKind] = MEMORY_KINDS,
    ) -> None:
        super().__init__(parent)
        self._kinds = kinds
        self.operation: Operation | None = None
        self.words = ElidedLabel(font=ui_font(12, MEDIUM))
        self._bar = ProgressLine()
        self._bar.setFixedWidth(160)
        self.stop = Button(tr("Stop"), icon="stop", role=ButtonRole.QUIET, flush=Qt.Edge.RightEdge)
        self.again = Button(tr("Try again"), icon="loop")
        self.stop.clicked.connect(self._on_stop)
        self.again.clicked.connect(self._on_again)
        row = QHBoxLayout()
        row.setContentsMargins(16, 6, 12, 6)
        row.setSpacing(10)
        row.addWidget(self.words, 1)
        row.addWidget(self._bar, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self.stop)
        row.addWidget(self.again)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(row)
        column.addWidget(Line())
        self.hide()

    @property
    def is_reading(self) -> bool:
        """Whether work on memories is under way or waits."""
        return self.operation is not None and self.operation.status not in FINISHED

    @property
    def waits(self) -> bool:
        """Whether it is under way and something keeps it, which is said."""
        operation = self.operation
        if operation is None or operation.status in (*FINISHED, OperationStatus.RUNNING):
            return False
        return bool(operation.held or operation.error)

    def show_operations(
        self, operations: Sequence[Operation], places: Mapping[str, int], last: int
    ) -> None:
        """places: index by anchor, of the chat that is shown. last: its last index."""
        ours = [
            operation
            for operation in operations
            if operation.spec.kind in self._kinds and operation.spec.anchor in places
        ]
        under_way = [operation for operation in ours if operation.status not in FINISHED]
        runs = [op for op in under_way if op.status is OperationStatus.RUNNING]
        finished = [operation for operation in ours if operation.status in FINISHED]
        self.operation = next(iter(runs or under_way), None)
        if self.operation is None and finished:
            newest = max(finished, key=lambda op: op.finished or 0.0)
            self.operation = newest if newest.status is OperationStatus.FAILED else None
        self._show(places, last)

    def _show(self, places: Mapping[str, int], last: int) -> None:
        operation = self.operation
        self.setVisible(operation is not None)
        if operation is None:
            return
        has_failed = operation.status is OperationStatus.FAILED
        self._bar.setVisible(not has_failed)
        self.stop.setVisible(not has_failed)
        self.again.setVisible(has_failed)
        if has_failed:
            self.words.setText(f"{retold(operation.spec.label)}: {retold(operation.error)}")
            return
        place = places.get(operation.spec.anchor, 0)
        self._bar.set_share(place / max(1, last))
        is_running = operation.status is OperationStatus.RUNNING
        label, why = retold(operation.spec.label), operation.held or operation.error
        if why and not is_running:  # a sentence, which stands last
            self.words.setText(f"{label}: {retold(why)}")
        else:
            self.words.setText(f"{tr('Reading now') if is_running else tr('Next')}: {label}")

    def _on_stop(self) -> None:
        if self.operation is not None:
            self.stop_asked.emit(self.operation.id)

    def _on_again(self) -> None:
        if self.operation is not None:
            self.retry_asked.emit(self.operation.id)


def nothing_found(text: str = "") -> QWidget:
    """In place of the rows when the filters leave none."""
    holder = QWidget()
    column = QVBoxLayout(holder)
    sentence = body(text or tr("No matches. Change your search or the filters."))
    sentence.setAlignment(Qt.AlignmentFlag.AlignHCenter)
    column.addStretch(2)
    column.addWidget(sentence)
    column.addStretch(3)
    return holder
