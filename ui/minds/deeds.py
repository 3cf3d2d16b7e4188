"""What can be done on the minds page, each deed once: for buttons, keys and the palette."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from app.translation import tr
from ui.controls.page_deeds import PageDeeds


class MindDeeds(PageDeeds):
    """The actions of the page; who owns the page connects them."""

    def __init__(self, page: QWidget) -> None:
        super().__init__(page)
        self.map = self._deed(tr("Show the map"), tr("Who knows what, as a map."), "graph", "M")
        self.table = self._deed(tr("Show the table"), tr("The same as a table."), "layers", "T")
        self.secrets = self._deed(
            tr("Show secrets"), tr("Read what people hide and are wrong about."), "eye", "S"
        )
        self.leaks = self._deed(
            tr("Check for leaks"),
            tr("Does the reply tell what its speaker cannot know?"),
            "triangle",
            "L",
        )
        self.fit = self._deed(tr("Fit the map"), tr("See the whole map."), "fold", "F")
        self.play = self._deed(tr("Replay how it spread"), tr("Scene by scene."), "play", "R")
        self.earlier = self._deed(
            tr("One scene back"), tr("Look at an earlier scene."), "arrow-left", "["
        )
        self.later = self._deed(
            tr("One scene on"), tr("Look at the next scene."), "arrow-right", "]"
        )
        self.now = self._deed(
            tr("Back to now"), tr("Look at the newest message again."), "clock", "N"
        )
        self.nothing = self._deed(tr("Choose nothing"), tr("All in front again."), "cross", "Esc")
        self.read_now = self._deed(
            tr("Read this story now"), tr("Look for memories up to the last message."), "pulse"
        )
