"""What can be done on the recaps page, each command once: for its menu, keys and the palette."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from app.core.translation import tr
from ui.controls.page_commands import PageCommands


class RecapCommands(PageCommands):
    """The actions of the page; who owns the page connects them."""

    def __init__(self, page: QWidget) -> None:
        super().__init__(page)
        self.pin = self._command(
            tr("Pin the sentence at the cursor"), tr("A rewrite keeps it."), "bookmark", "P"
        )
        self.edit = self._command(
            tr("Edit this version"), tr("Write on from it; what is there stays."), "pencil", "E"
        )
        self.compare = self._command(
            tr("Compare with the version before"), tr("Word by word."), "swap", "C"
        )
        self.use = self._command(
            tr("Use this version"), tr("Let the prompt hold the version that is read."), "check"
        )
        self.write = self._command(
            tr("Write your own version"), tr("From what is read, or from nothing."), "pencil"
        )
        self.redo = self._command(
            tr("Make this recap again"),
            tr("The scene's, or the running one from the first scene on."),
            "sync",
        )
        self.rebuild = self._command(
            tr("Rebuild the running recap from this scene"),
            tr("Later scenes are folded in anew."),
            "sync",
        )
        self.renew = self._command(
            tr("Let the model redo recaps that were written without it"),
            tr("In one go; what is there stays as a version."),
            "sync",
        )
        self.again = self._command(
            tr("Fold scenes in again"), tr("Those that only deleted versions told."), "sync"
        )
        self.clear = self._command(
            tr("Delete all versions"), tr("Of the running recap; undo brings them back."), "trash"
        )
        self._act_on_chosen(self.pin, self.use, self.redo, self.rebuild)
