"""The prompts among the settings: whose they are, and the way to their own page."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal

from app.core.translation import tr
from app.llm.prompts.prompt_library import PromptState
from ui.controls.buttons import Button
from ui.controls.setting_sections import Section
from ui.core.session import Session
from ui.prompts.commands import PresetCommands
from ui.prompts.words import summary
from ui.settings.fact_row import FactRow


class PromptsSection(Section):
    """Signals:
    edit_asked: the prompts are to be shown.
    preset_asked: and this is to be done there with presets: its name among `commands`.
    """

    edit_asked = Signal()
    preset_asked = Signal(str)

    def __init__(self, session: Session) -> None:
        super().__init__(tr("Prompts"), tr("What the model is told. You can rewrite each prompt."))
        self.button = Button(tr("Edit the prompts"), icon="pencil")
        self.button.clicked.connect(self.edit_asked)
        self._row = FactRow(tr("Prompts"), "", self.button)
        self.add_row(self._row)
        self.commands = PresetCommands(self)
        for name, command in self.commands.by_name.items():
            command.triggered.connect(partial(self._ask, name))
        prompts = session.companion.prompts
        prompts.state_changed.connect(self._show_state)
        self._show_state(prompts.state)

    @property
    def fact(self) -> str:
        """What is said of them."""
        return self._row.fact.text()

    def _ask(self, name: str, _is_checked: bool = False) -> None:
        self.preset_asked.emit(name)

    def _show_state(self, state: PromptState) -> None:
        self._row.title.setText(
            tr("Preset “{preset}”", preset=state.preset) if state.preset else tr("Your prompts")
        )
        self._row.fact.setText(summary(state.tasks, ""))
        self.commands.follow(state)
