"""The macros that tell what slots would: what each tells now, and a button to copy it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QGridLayout, QVBoxLayout, QWidget

from app.core.translation import N_, tr, trn
from app.prompt.placement import MacroState, MacroUse
from app.prompt.slot_names import slot_name
from ui.controls.buttons import IconButton
from ui.controls.labels import Label, body, section
from ui.core.slot_words import slot_meaning
from ui.theme.fonts import mono_font, ui_font
from ui.theme.palette import T2_ROLE, T3_ROLE

WHAT_FOR = N_(
    "Each macro stands for one part of the prompt. Put it into a character card and the text "
    "appears there instead of in its usual place. In a preset or author's note it stays empty "
    "while the text has its own place; “Macros” in the settings changes that for all but the "
    "running recap."
)
STATES = {
    MacroState.IN_SLOT: N_("empty: its text already has its own place"),
    MacroState.IN_BLOCK: N_("empty: its text is already in the one block"),
    MacroState.NOTHING: N_("nothing to tell right now"),
}


def state_words(use: MacroUse) -> str:
    """What a macro tells now, or why nothing."""
    if use.state is MacroState.TELLS:
        return trn("adds {n} token", "adds {n} tokens", use.tokens)
    return tr(STATES[use.state])


class MacroList(QWidget):
    """A row for each: name, whose text, what it tells now, a button that copies it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.copies: dict[str, IconButton] = {}
        self.states: dict[str, Label] = {}
        self._rows = QGridLayout()
        self._rows.setHorizontalSpacing(16)
        self._rows.setVerticalSpacing(4)
        self._rows.setColumnStretch(3, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 12, 0, 0)
        column.setSpacing(8)
        column.addWidget(section(tr("Macros")))
        column.addWidget(body(tr(WHAT_FOR)))
        column.addLayout(self._rows)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def show_uses(self, uses: Sequence[MacroUse]) -> None:
        """Show what each tells in the prompt to come; the rows stay, so that focus does."""
        for row, use in enumerate(uses):
            if use.name not in self.copies:
                self._add(row, use)
            self.states[use.name].setText(state_words(use))

    def _add(self, row: int, use: MacroUse) -> None:
        written = f"{{{{{use.name}}}}}"
        copy = IconButton("copy", tr("Copy {macro}", macro=written), side=24, icon_size=14)
        copy.clicked.connect(self._on_copy)
        copy.setProperty("macro", written)
        name = Label(written, font=mono_font(12), tone=T2_ROLE)
        name.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        whose = Label(slot_name(use.key), font=ui_font(12), tone=T2_ROLE)
        whose.setToolTip(slot_meaning(use.key))
        state = Label(font=ui_font(12), tone=T3_ROLE, wraps=True)
        self.copies[use.name], self.states[use.name] = copy, state
        for place, widget in enumerate((copy, name, state, whose)):
            self._rows.addWidget(widget, row, (0, 1, 3, 2)[place])

    def _on_copy(self) -> None:
        button = self.sender()
        if button is not None:
            QGuiApplication.clipboard().setText(str(button.property("macro")))
