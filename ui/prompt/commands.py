"""What can be done on the prompt page, each command once: for its keys and the palette."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from app.core.translation import tr
from ui.controls.page_commands import PageCommands


class PromptCommands(PageCommands):
    """The actions of the page; who owns the page connects them."""

    def __init__(self, page: QWidget) -> None:
        super().__init__(page)
        self.copy = self._command(
            tr("Copy the whole prompt"), tr("Exactly as shown here."), "copy", "Ctrl+Shift+C"
        )
        self.compare = self._command(
            tr("Compare with the previous turn"),
            tr("What is shown, next to the turn before it, word by word."),
            "swap",
            "C",
        )
        self.coming = self._command(
            tr("Read the next prompt"), tr("The one that has not been sent yet."), "prompt"
        )
        self.macros = self._command(
            tr("List the macros"), tr("To put a text exactly where you want it in a card."), "copy"
        )
