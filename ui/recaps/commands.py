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
            tr("Pin the sentence at the cursor"),
            tr("Always kept when it is rewritten."),
            "bookmark",
            "P",
        )
        self.edit = self._command(
            tr("Edit this version"),
            tr("Continue from this version; existing text stays."),
            "pencil",
            "E",
        )
        self.compare = self._command(
            tr("Compare with the previous version"), tr("Word by word."), "swap", "C"
        )
        self.use = self._command(
            tr("Use this version"), tr("Use the version shown in the prompt."), "check"
        )
        self.write = self._command(
            tr("Write your own version"),
            tr("Starting from the version shown, or from scratch."),
            "pencil",
        )
        self.redo = self._command(
            tr("Write this recap again"),
            tr("The scene's recap, or the running recap from the first scene on."),
            "sync",
        )
        self.rebuild = self._command(
            tr("Rebuild the running recap from this scene"),
            tr("Later scenes are added again."),
            "sync",
        )
        self.renew = self._command(
            tr("Let the model redo recaps that were written without it"),
            tr("All at once; existing text stays as a version."),
            "sync",
        )
        self.again = self._command(
            tr("Add scenes again"), tr("Scenes that only deleted versions told."), "sync"
        )
        self.clear = self._command(
            tr("Delete all versions"), tr("Of the running recap; undo brings them back."), "trash"
        )
        self._act_on_chosen(self.pin, self.use, self.redo, self.rebuild)
