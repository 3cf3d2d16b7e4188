"""What the four steps of the first run have in common."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.core.translation import tr
from ui.controls.labels import Label
from ui.core.session import Session
from ui.theme.fonts import display_font, ui_font
from ui.theme.palette import T2_ROLE


class Step(QWidget):
    """One step: what it is for, its content, and the one button that names the command.

    Signals:
        changed: what `found`, `command` or `is_ready` say is another.
        over: the step is done; the next one is to come.
    """

    changed = Signal()
    over = Signal()
    name = ""  # in the list of steps
    hint = ""  # beneath it, while nothing was found
    title = ""
    sentence = ""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(8)
        self.column.addWidget(Label(tr(self.title), font=display_font(24)))
        self.column.addWidget(
            Label(tr(self.sentence), font=ui_font(13.5), tone=T2_ROLE, wraps=True)
        )
        self.column.addSpacing(16)

    @property
    def found(self) -> str:
        """What the step has come to, "" while it is not done."""
        return ""

    @property
    def command(self) -> str:
        """What the main button says."""
        return tr("Go on")

    @property
    def is_ready(self) -> bool:
        """Whether the command can be done now."""
        return True

    def enter(self) -> None:
        """The step is shown: look at how things stand."""

    def do(self) -> None:
        """Do the command; goes on when it is done."""
        self.over.emit()
