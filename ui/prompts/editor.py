"""One prompt: whose it is, its two parts to write in, what is wrong with them, and the commands."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from app.core.translation import N_, tr, trn
from app.llm.prompts.prompt_library import PromptView
from app.llm.prompts.prompt_text import LEAST_TOKENS, MOST_TOKENS, PromptText, findings
from ui.controls.buttons import Button, ButtonRole
from ui.controls.fields import Segments
from ui.controls.labels import Label, body, page_title, safe_tip
from ui.controls.number_fields import NumberField
from ui.controls.surfaces import Surface, scrolling
from ui.prompts.difference import DifferencePane
from ui.prompts.facts import PromptFacts
from ui.prompts.lines import PromptLines
from ui.prompts.words import SYSTEM_HELP, USER_HELP, state_sentence
from ui.theme import current_tokens
from ui.theme.fonts import MEDIUM, SEMIBOLD, ui_font
from ui.theme.icons import icon_pixmap
from ui.theme.palette import T2_ROLE, T3_ROLE

TEXT, DIFFERENCE = "text", "difference"
MODES = {TEXT: N_("Text"), DIFFERENCE: N_("Difference from the original")}
UNCHANGED = N_("Safe mode does not change prompts. Start normally to do that.")
FACTS = 272
COLUMN = 960
WIDE = 860  # px from which the facts stand beside the text
NEAR = 40  # px kept free around the cursor


class PromptEditor(QWidget):
    """Nothing is in force before it is saved.

    Signals:
        edited: PromptText, as it is written.
        save_asked: PromptText.
        revert_asked: go back to ours.
        dropped: what was written is not wanted.
    """

    edited = Signal(object)
    save_asked = Signal(object)
    revert_asked = Signal()
    dropped = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.view: PromptView | None = None
        self._saved_at: float | None = None
        self.title = page_title()
        self.state = Label(font=ui_font(12), tone=T3_ROLE, wraps=True)
        self.modes = Segments(tr("Show"), {mode: tr(word) for mode, word in MODES.items()})
        self.modes.choose(TEXT)
        self.can_change = True  # not so in safe mode
        self.revert = Button(tr("Back to the original"), icon="undo")
        self.drop = Button(tr("Discard changes"), role=ButtonRole.QUIET)
        self.save = Button(tr("Save"), icon="check", role=ButtonRole.MAIN, hint=tr("Ctrl S"))
        self.system = PromptLines(tr("Upper part"))
        self.user = PromptLines(tr("Lower part"))
        self.tokens = NumberField(tr("Longest answer"), LEAST_TOKENS, MOST_TOKENS)
        self.finding = _Finding()
        self.facts = PromptFacts()
        self.difference = DifferencePane()
        self._stack = QStackedWidget()
        self._last = self.user
        self._lay_out()
        self._connect()

    def _connect(self) -> None:
        for lines in (self.system, self.user):
            lines.edited.connect(self._on_edited)
            lines.saved.connect(self._on_save)
            lines.cursor_moved.connect(self._on_cursor)
        self.tokens.valueChanged.connect(self._on_edited)
        self.modes.chosen.connect(self._on_mode)
        self.save.clicked.connect(self._on_save)
        self.drop.clicked.connect(self._on_drop)
        self.revert.clicked.connect(self.revert_asked)
        self.facts.input_wanted.connect(self._on_input)
        self.difference.taken.connect(self._on_taken)

    def _lay_out(self) -> None:
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(self.title)
        words.addWidget(self.state)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addLayout(words, 1)
        for button in (self.revert, self.drop, self.save):
            head.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        second = QHBoxLayout()
        second.setSpacing(12)
        second.addWidget(self.modes)
        second.addWidget(self.finding, 1)
        self._stack.addWidget(self._make_text())
        self._stack.addWidget(self.difference)
        top = QVBoxLayout()
        top.setContentsMargins(24, 0, 24, 0)
        top.setSpacing(12)
        top.addLayout(head)
        top.addLayout(second)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 14, 0, 0)
        column.setSpacing(14)
        column.addLayout(top)
        column.addWidget(self._stack, 1)

    def _make_text(self) -> QWidget:
        content = QWidget()
        self._texts = QVBoxLayout()
        self._texts.setSpacing(8)
        self._add_part(tr("Upper part"), tr(SYSTEM_HELP), self.system)
        self._texts.addSpacing(12)
        self._add_part(tr("Lower part"), tr(USER_HELP), self.user)
        self._texts.addSpacing(12)
        longest = QHBoxLayout()
        longest.setSpacing(8)
        longest.addWidget(Label(tr("Longest answer"), font=ui_font(12.5, MEDIUM)))
        longest.addWidget(Label(tr("In tokens; anything longer is cut off."), tone=T3_ROLE), 1)
        longest.addWidget(self.tokens)
        self._texts.addLayout(longest)
        self._texts.addStretch(1)
        self._beside = QVBoxLayout()
        self._beside.addWidget(self.facts)
        self._below = QVBoxLayout()
        left = QVBoxLayout()
        left.setSpacing(24)
        left.addLayout(self._texts)
        left.addLayout(self._below)
        left.addStretch(1)
        block = QWidget()
        block.setMaximumWidth(COLUMN)
        block.setLayout(left)
        left.setContentsMargins(0, 0, 0, 0)
        self._columns = QHBoxLayout(content)
        self._columns.setContentsMargins(24, 2, 24, 32)
        self._columns.setSpacing(28)
        self._columns.addWidget(block, 1000)
        self._columns.addLayout(self._beside)
        self._columns.addStretch(1)
        self.area = scrolling(content, name=tr("Prompt"))
        return self.area

    def _add_part(self, title: str, help_: str, lines: PromptLines) -> None:
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(Label(title, font=ui_font(12.5, SEMIBOLD)))
        row.addWidget(Label(help_, font=ui_font(11.5), tone=T3_ROLE, wraps=True), 1)
        ground = Surface("well", radius=8, edge="line2")
        inner = QVBoxLayout(ground)
        inner.setContentsMargins(14, 11, 14, 11)
        inner.addWidget(lines)
        self._texts.addLayout(row)
        self._texts.addWidget(ground)

    # What is shown

    @property
    def text(self) -> PromptText:
        """As it is written."""
        return PromptText(self.system.text, self.user.text, self.tokens.value())

    @property
    def is_changed(self) -> bool:
        """Whether something else is written than what is in force."""
        return self.view is not None and not self.text.is_as(self.view.in_force)

    def show_view(self, view: PromptView, text: PromptText, saving: str) -> None:
        """Show a task. text: what is written of it. saving: what a change does."""
        self.view = view
        known = view.shipped.inputs
        self.title.setText(tr(view.task.title))
        self.facts.show_view(view, saving)
        for lines, words in ((self.system, text.system), (self.user, text.user)):
            lines.inputs.show_known(known)
            lines.show_text(words)
        with QSignalBlocker(self.tokens):
            self.tokens.setValue(text.max_output_tokens)
        self._show_state()

    def show_saved_at(self, moment: float | None) -> None:
        """When the draft was kept, in seconds since the epoch; None without one."""
        self._saved_at = moment
        self._show_state()

    def _show_state(self) -> None:
        view, text = self.view, self.text
        if view is None:
            return
        is_changed, found = self.is_changed, findings(text, view.shipped)
        task = view.task
        when = self._saved_at if is_changed else None
        self.state.setText(state_sentence(task, draft_saved=when))
        self.save.setVisible(is_changed)
        why_not = found.problem or ("" if self.can_change else tr(UNCHANGED))
        self.save.setEnabled(not why_not)
        self.save.setToolTip(why_not or tr("Use it from now on. (Ctrl+S)"))
        self.drop.setVisible(is_changed)
        self.revert.setVisible(task.is_yours)
        self.revert.setEnabled(self.can_change)
        self.facts.show_used(frozenset(text.inputs))
        self.finding.show_findings(found.problem, found.remarks)
        if self.is_comparing:
            self.difference.show_texts(view.ours, text)

    @property
    def is_comparing(self) -> bool:
        """Whether the difference to ours is shown."""
        return self._stack.currentWidget() is self.difference

    def show_mode(self, mode: str) -> None:
        """Show the text, or its difference to ours."""
        self.modes.choose(mode)
        self._on_mode(mode)

    def _on_mode(self, mode: str) -> None:
        self._stack.setCurrentIndex(1 if mode == DIFFERENCE else 0)
        self._show_state()

    def set_wide(self, is_wide: bool) -> None:
        """Facts beside the text, or below it."""
        place = self._beside if is_wide else self._below
        if place.indexOf(self.facts) < 0:
            (self._below if is_wide else self._beside).removeWidget(self.facts)
            place.addWidget(self.facts)
        self._columns.setSpacing(28 if is_wide else 0)
        self.facts.setMinimumWidth(FACTS if is_wide else 0)
        self.facts.setMaximumWidth(FACTS if is_wide else 16_777_215)

    # What the user does

    def _on_edited(self, _value: object = None) -> None:
        self._show_state()
        self.edited.emit(self.text)

    def _on_save(self) -> None:
        if self.view is not None and self.is_changed:
            text = self.text
            if not findings(text, self.view.shipped).problem:
                self.save_asked.emit(text)

    def _on_drop(self) -> None:
        if self.view is not None:
            self.put(self.view.in_force)
            self.dropped.emit()

    def put(self, text: PromptText) -> None:
        """Write another text, as the user would: Ctrl+Z takes it back."""
        self.system.replace_text(text.system)
        self.user.replace_text(text.user)
        self.tokens.setValue(text.max_output_tokens)

    def _on_input(self, name: str) -> None:
        if self.is_comparing:
            self.show_mode(TEXT)
        lines = self.system if self.system.hasFocus() else self._last
        lines.insert_input(name)

    def _on_taken(self, system: str, user: str) -> None:
        self.put(PromptText(system, user, self.tokens.value()))

    def _on_cursor(self, place: QRect) -> None:
        lines = self.sender()
        if isinstance(lines, PromptLines):
            self._last = lines
            content = self.area.widget()
            assert content is not None
            at = lines.mapTo(content, place.center())
            self.area.ensureVisible(at.x(), at.y(), 0, NEAR)


class _Finding(QWidget):
    """One sentence with its icon: what is wrong, else what may not be meant so."""

    def __init__(self) -> None:
        super().__init__()
        self._is_problem = False
        self._words = body()
        self._words.setForegroundRole(T2_ROLE)
        row = QHBoxLayout(self)
        row.setContentsMargins(24, 0, 0, 0)
        row.addWidget(self._words, 1)
        self.show_findings("", ())

    @property
    def text(self) -> str:
        """What it says."""
        return self._words.text()

    def show_findings(self, problem: str, remarks: tuple[str, ...]) -> None:
        """Show the first of them; the others are its tooltip."""
        self._is_problem = bool(problem)
        words = problem or (remarks[0] if remarks else "")
        if not problem and len(remarks) > 1:
            words += " " + trn("And {n} more.", "And {n} more.", len(remarks) - 1)
        self._words.setText(words)
        self._words.setToolTip(safe_tip("\n".join(remarks)))
        self.setAccessibleName(self._words.text())
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._words.text():
            t = current_tokens()
            name = "triangle" if self._is_problem else "info"
            ink = t.failed.text if self._is_problem else t.t2
            pixmap = icon_pixmap(name, ink, 14, self.devicePixelRatioF())
            QPainter(self).drawPixmap(3, (self.height() - 14) // 2, pixmap)
