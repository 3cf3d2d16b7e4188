"""What can be done on the minds page, each command once: for buttons, keys and the palette."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from app.core.translation import tr
from ui.controls.page_commands import PageCommands


class MindCommands(PageCommands):
    """The actions of the page; who owns the page connects them."""

    def __init__(self, page: QWidget) -> None:
        super().__init__(page)
        self.map = self._command(tr("Show the map"), tr("Who knows what, as a map."), "graph", "M")
        self.table = self._command(tr("Show the table"), tr("The same as a table."), "layers", "T")
        self.secrets = self._command(
            tr("Show secrets"), tr("See what people hide and are wrong about."), "eye", "S"
        )
        self.leaks = self._command(
            tr("Check for leaks"),
            tr("Does the reply reveal what its speaker cannot know?"),
            "triangle",
            "L",
        )
        self.fit = self._command(tr("Fit the map"), tr("See the whole map."), "fold", "F")
        self.play = self._command(tr("Replay how it spread"), tr("Scene by scene."), "play", "R")
        self.earlier = self._command(
            tr("One scene back"), tr("Look at an earlier scene."), "arrow-left", "["
        )
        self.later = self._command(
            tr("One scene on"), tr("Look at the next scene."), "arrow-right", "]"
        )
        self.now = self._command(
            tr("Back to now"), tr("Look at the newest message again."), "clock", "N"
        )
        self.nothing = self._command(
            tr("Choose nothing"), tr("Show everything in front again."), "cross", "Esc"
        )
        self.read_now = self._command(
            tr("Read this story now"), tr("Look for memories up to the latest message."), "pulse"
        )
