"""What can be done on the minds page, each deed once: for buttons, keys and the palette."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from ui.controls.page_deeds import PageDeeds


class MindDeeds(PageDeeds):
    """The actions of the page; who owns the page connects them."""

    def __init__(self, page: QWidget) -> None:
        super().__init__(page)
        self.map = self._deed("Show the map", "Who knows what, as a map.", "graph", "M")
        self.table = self._deed("Show the table", "The same as a table.", "layers", "T")
        self.secrets = self._deed(
            "Show secrets", "Read what people hide and are wrong about.", "eye", "S"
        )
        self.leaks = self._deed(
            "Check for leaks", "Does the reply tell what its speaker cannot know?", "triangle", "L"
        )
        self.fit = self._deed("Fit the map", "See the whole map.", "fold", "F")
        self.play = self._deed("Replay how it spread", "Scene by scene.", "play", "R")
        self.earlier = self._deed("One scene back", "Look at an earlier scene.", "arrow-left", "[")
        self.later = self._deed("One scene on", "Look at the next scene.", "arrow-right", "]")
        self.now = self._deed("Back to now", "Look at the newest message again.", "clock", "N")
        self.nothing = self._deed("Choose nothing", "All in front again.", "cross", "Esc")
        self.read_now = self._deed(
            "Read this story now", "Look for memories up to the last message.", "pulse"
        )
