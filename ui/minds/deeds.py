"""What can be done on the minds page, each deed once: for buttons, keys and the palette."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from ui.controls.buttons import key_text


class MindDeeds:
    """The actions of the page; who owns the page connects them."""

    def __init__(self, page: QWidget) -> None:
        self._page = page
        self.icons: dict[QAction, str] = {}
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

    def _deed(self, name: str, sentence: str, icon: str, *keys: str) -> QAction:
        action = QAction(name, self._page)
        action.setShortcuts([QKeySequence(key) for key in keys])
        action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        hint = f" ({key_text(action.shortcut())})" if keys else ""
        action.setToolTip(sentence + hint)
        self._page.addAction(action)
        self.icons[action] = icon
        return action
