"""What can be done on the prompt page, each deed once: for its keys and the palette."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from app.translation import tr
from ui.controls.page_deeds import PageDeeds


class PromptDeeds(PageDeeds):
    """The actions of the page; who owns the page connects them."""

    def __init__(self, page: QWidget) -> None:
        super().__init__(page)
        self.copy = self._deed(
            tr("Copy the whole prompt"), tr("As it is read here."), "copy", "Ctrl+Shift+C"
        )
        self.compare = self._deed(
            tr("Compare with the turn before"),
            tr("What is read beside the newest turn before it, word by word."),
            "swap",
            "C",
        )
        self.coming = self._deed(
            tr("Read the prompt to come"), tr("The one that is not sent yet."), "prompt"
        )
        self.macros = self._deed(
            tr("List the macros"), tr("To put a text where you want it in a card."), "copy"
        )
