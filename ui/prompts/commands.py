"""What can be done with presets of prompts, each command once: for their menu and the palette."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from app.core.translation import tr
from app.llm.prompts.prompt_library import PromptState
from ui.controls.page_commands import PageCommands


class PresetCommands(PageCommands):
    """The actions of the menu. by_name: in their order there; who owns it connects them."""

    def __init__(self, owner: QWidget) -> None:
        super().__init__(owner)
        said = tr("Keep, share or import prompts")
        self.by_name = {
            "keep": self._command(tr("Keep your prompts as a preset"), said, "check"),
            "delete": self._command(tr("Delete the preset"), said, "trash"),
            "export": self._command(tr("Export your prompts and presets"), said, "document"),
            "import": self._command(tr("Import presets"), said, "document"),
            "folder": self._command(tr("Open the prompts folder"), said, "folder"),
        }
        self.by_name["delete"].setEnabled(False)

    def follow(self, state: PromptState) -> None:
        """Offer what can be done with the preset in force."""
        delete = self.by_name["delete"]
        delete.setEnabled(bool(state.preset))
        delete.setText(
            tr("Delete the preset “{preset}”", preset=state.preset)
            if state.preset
            else tr("Delete the preset")
        )
