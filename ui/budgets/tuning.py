"""Auto-tune: the switch, what it does in one sentence, and each change with its reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from app.core.translation import N_, number, tr
from app.prompt.budgeting.auto_tune import Tuning
from app.settings.slot_table import SlotName
from ui.budgets import words
from ui.controls.buttons import Button, Switch
from ui.controls.labels import ElidedLabel, Label, body, meta, section
from ui.story.lettering import letters
from ui.story.lettering import meta as meta_letters
from ui.theme import current_tokens
from ui.theme.fonts import MEDIUM, SEMIBOLD, ui_font
from ui.theme.palette import T3_ROLE

ROW = 24
OFF = N_(
    "When on, a part that is cut grows to 115 % of the most it has needed here, in steps of 50, "
    "and never drops below its default."
)
OFF_WITHIN = N_(
    "When on, each part gets what it needs here: about 15 % more than the most so far, in steps of "
    "50, and less where the total does not hold that. What is left is shared out as it is now. The "
    "total stays as you set it."
)
ON = N_(
    "On: each part gets what it needs in this chat. Your own values are kept and return when you "
    "switch it off."
)
NOTHING = N_("Nothing to change: every part has what it needs.")
STILL_CUT = N_(
    "Auto-tune would change nothing. Still cut: {title}, by {tokens}. A larger budget for it "
    "would help."
)
NO_ROOM = N_(
    "Auto-tune would change nothing. Still cut: {title}, by {tokens}. Its budget is large "
    "enough, but this prompt has no more room for memory."
)
NOTHING_WITHIN = N_("Nothing to change within this total; a larger total would make room for it.")
NOTHING_YET = N_("Nothing to tune yet. Auto-tune starts with the first memories.")


class TuningPart(QWidget):
    """Signals:
    switched: auto-tune is to be on or off.
    use_asked: what it would make of the budgets is to be set once.
    """

    switched = Signal(bool)
    use_asked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.switch = Switch(tr("Tune budgets automatically"))
        self.switch.clicked.connect(self._on_clicked)
        self._state = Label(tr("off"), font=ui_font(12), tone=T3_ROLE)
        self.sentence = body(tr(OFF))
        self.nothing = meta("", wraps=True)
        self.use = Button(tr("Use these budgets"))
        self.use.setToolTip(
            tr(
                "Apply them once as your own budgets, one for each kind of memory. Undo brings "
                "the old ones back."
            )
        )
        self.use.clicked.connect(self.use_asked)
        self.use.hide()  # until there are some
        self.sum = ElidedLabel(font=ui_font(12), tone=T3_ROLE)
        self.sum.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.rows: dict[SlotName, _TuningRow] = {}
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(section(tr("Auto-tune")))
        head.addStretch(1)
        head.addWidget(self._state)
        head.addWidget(self.switch)
        self._list = QVBoxLayout()
        self._list.setSpacing(0)
        foot = QHBoxLayout()
        foot.setSpacing(12)
        foot.addWidget(self.use)
        foot.addWidget(self.sum, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addLayout(head)
        column.addWidget(self.sentence)
        column.addLayout(self._list)
        column.addWidget(self.nothing)
        column.addLayout(foot)

    def show_tunings(
        self,
        tunings: Sequence[Tuning],
        when: Mapping[SlotName, int],
        *,
        is_on: bool,
        nothing: str,
        free: int,
        has_total: bool,
    ) -> None:
        """when: message at which a slot needed most. nothing: said where nothing is to be changed.
        free: tokens that the prompt has left. has_total: the slots share one total.
        """
        self.switch.setChecked(is_on)
        self._state.setText(tr("on") if is_on else tr("off"))
        said = tr(ON if is_on else OFF_WITHIN if has_total else OFF)
        if said != self.sentence.text():
            self.sentence.setText(said)
        by_name = {tuning.name: tuning for tuning in tunings}
        for name in self.rows.keys() - by_name.keys():
            row = self.rows.pop(name)
            row.hide()
            row.deleteLater()
        for tuning in tunings:
            if tuning.name not in self.rows:
                self.rows[tuning.name] = _TuningRow()
                self._list.addWidget(self.rows[tuning.name])
            self.rows[tuning.name].show_tuning(tuning, when.get(tuning.name))
        self._align(tunings)
        if nothing != self.nothing.text():
            self.nothing.setText(nothing)
        self.nothing.setVisible(not tunings)
        grows = sum(tuning.after - tuning.before for tuning in tunings)
        self.use.setVisible(bool(tunings) and not is_on)
        self.sum.setVisible(bool(tunings) and not is_on)
        sign = "−" if grows < 0 else "+"
        said = tr(
            "{sign}{grows} budget, {free} free",
            sign=sign,
            grows=number(abs(grows)),
            free=number(free),
        )
        if said != self.sum.text():
            self.sum.setText(said)

    def _align(self, tunings: Sequence[Tuning]) -> None:
        """Let all arrows stand under one another, behind the longest name and figure."""
        name, face = letters(12, MEDIUM), letters(12)
        titles = (name.width(tr(words.TITLES[tuning.name])) for tuning in tunings)
        befores = (face.width(number(tuning.before)) for tuning in tunings)
        column = max(titles, default=0.0) + 10 + max(befores, default=0.0)
        for row in self.rows.values():
            row.show_column(column)

    def _on_clicked(self) -> None:
        self.switched.emit(self.switch.isChecked())


class _TuningRow(QWidget):
    """Name, from, to, and why."""

    def __init__(self) -> None:
        super().__init__()
        self._tuning: Tuning | None = None
        self._why, self._less = "", ""
        self.column = 0.0
        self.setFixedHeight(ROW)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(240, ROW)

    def show_tuning(self, tuning: Tuning, when: int | None) -> None:
        before, self._tuning = self._tuning, tuning
        full = number(tuning.full)
        why, said = tr("needed {full}", full=full), tr("Needed {full}.", full=full)
        self._less = why
        if when is not None:
            why = tr("needed {full} at #{message}", full=full, message=when)
            said = tr("Needed {full} at #{message}.", full=full, message=when)
        if tuning.is_spare and tuning.after > tuning.before:
            why = tr("needed {full}, the rest is spare", full=full)
        if before == tuning and why == self._why:
            return
        self._why = why
        self.setAccessibleName(f"{tuning.sentence} {said}")
        self.setToolTip(tuning.sentence)
        self.update()

    def show_column(self, right: float) -> None:
        """Where the figure before the arrow ends, in all rows alike, in px."""
        if right != self.column:
            self.column = right
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        tuning = self._tuning
        if tuning is None:
            return
        t = current_tokens()
        painter = QPainter(self)
        middle = self.height() / 2
        before, arrow = number(tuning.before), " → "
        after = number(tuning.after)
        face, loud = letters(12), letters(12, SEMIBOLD)
        title = tr(words.TITLES[tuning.name])
        name = letters(12, MEDIUM)
        small, column = meta_letters(), min(self.column, self.width() * 0.6)
        beside = self.width() - column - face.width(arrow) - loud.width(after) - 8
        # Where there is no room for both, the name says more than the place of the need.
        told = self._why if small.width(self._why) <= beside else self._less
        small.draw_right(painter, told, t.t3, self.width(), middle)
        left = column - face.width(before)
        name.draw(painter, title, t.t1, 0, middle, left - 6)
        end = face.draw(painter, f"{before}{arrow}", t.t2, left, middle)
        ink = t.included.text if tuning.after > tuning.before else t.t1
        loud.draw(painter, after, ink, end, middle)
