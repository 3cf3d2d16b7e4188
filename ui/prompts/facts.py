"""What stands beside a prompt: when it is used, its inputs, the answer, what saving does."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from app.core.translation import N_, tr
from app.llm.prompts.prompt_library import PromptView
from ui.controls.labels import Label, body, section
from ui.theme import current_tokens
from ui.theme.fonts import MEDIUM, mono_font, ui_font
from ui.theme.icons import icon_pixmap
from ui.theme.palette import T3_ROLE
from ui.theme.style import rounded


class PromptFacts(QWidget):
    """Signals:
    input_wanted: name of an input to put where the cursor is.
    """

    input_wanted = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._purpose = body()
        self._answer = Label(font=mono_font(11), tone=T3_ROLE, wraps=True)
        self._saving = body()
        self.chips: dict[str, InputChip] = {}
        self._inputs = QVBoxLayout()
        self._inputs.setSpacing(12)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        for title, content in (
            (tr("When it is used"), self._purpose),
            (tr("Inputs"), self._inputs),
            (tr("Required form of the answer"), self._answer),
            (tr("When you save"), self._saving),
        ):
            column.addWidget(section(title))
            if isinstance(content, QWidget):
                column.addWidget(content)
            else:
                column.addSpacing(2)
                column.addLayout(content)
            column.addSpacing(16)
        column.addStretch(1)

    def show_view(self, view: PromptView, saving: str) -> None:
        """Show the facts of a task."""
        self._purpose.setText(tr(view.task.purpose))
        # The answer's form has no spaces to break at.
        self._answer.setText(view.task.output.replace("{", "{\u200b").replace(",", ",\u200b"))
        self._saving.setText(saving)
        about = dict(view.task.about)
        names = [name for name, _ in view.task.about]
        names += [name for name in view.task.inputs if name not in about]
        if list(self.chips) == names:
            return
        while (item := self._inputs.takeAt(0)) is not None:
            row = item.widget()
            if row is not None:
                row.hide()
                row.deleteLater()
        self.chips = {}
        for name in names:
            chip = InputChip(name)
            chip.clicked.connect(self._on_chip)
            self.chips[name] = chip
            self._inputs.addWidget(_row(chip, tr(about.get(name, ""))))

    def show_used(self, used: frozenset[str]) -> None:
        """Which inputs the text asks for now."""
        for name, chip in self.chips.items():
            chip.show_used(name in used)

    def _on_chip(self) -> None:
        chip = self.sender()
        if isinstance(chip, InputChip):
            self.input_wanted.emit(chip.name)


def _row(chip: InputChip, about: str) -> QWidget:
    row = QWidget()
    column = QVBoxLayout(row)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(4)
    line = QHBoxLayout()
    line.setSpacing(8)
    line.addWidget(chip)
    line.addStretch(1)
    column.addLayout(line)
    if about:
        column.addWidget(Label(about, font=ui_font(11.5), tone=T3_ROLE, wraps=True))
    return row


class InputChip(QAbstractButton):
    """An input's name with whether it is used; a press puts it into the text."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self._is_used = True
        self.setText(f"{{{{{name}}}}}")
        self.setFont(mono_font(12))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setToolTip(tr("Insert at the cursor."))
        self.show_used(True)

    @property
    def is_used(self) -> bool:
        """Whether the text asks for it."""
        return self._is_used

    def show_used(self, is_used: bool) -> None:
        """Say whether the text asks for it."""
        self._is_used = is_used
        self.setAccessibleName(
            tr(
                N_("{name}, used: insert it") if is_used else N_("{name}, left out: insert it"),
                name=self.name,
            )
        )
        self.updateGeometry()
        self.update()

    def _left_out_width(self) -> int:
        return 0 if self._is_used else 62

    def sizeHint(self) -> QSize:
        width = self.fontMetrics().horizontalAdvance(self.text())
        return QSize(width + 36 + self._left_out_width(), 24)

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current_tokens()
        painter = QPainter(self)
        fill = t.hover if self.underMouse() or self.isDown() else t.well
        rounded(painter, self.rect(), 5, fill, t.line2)
        ink = t.included.text if self._is_used else t.t3
        icon = "check" if self._is_used else "plus"
        pixmap = icon_pixmap(icon, ink, 12, self.devicePixelRatioF())
        painter.drawPixmap(8, 6, pixmap)
        painter.setFont(self.font())
        painter.setPen(ink)
        middle = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.drawText(QRectF(26, 0, self.width() - 26, self.height()), middle, self.text())
        if not self._is_used:
            painter.setFont(ui_font(11, MEDIUM))
            right = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
            painter.drawText(QRectF(0, 0, self.width() - 9, self.height()), right, tr("left out"))
