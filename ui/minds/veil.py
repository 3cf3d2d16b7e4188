"""Which secrets may be read on the window; forgotten when the program ends."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from app.memory.epistemic.map_view import Topic


class Veil(QObject):
    """Signals:
    changed: something else may be read now.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._is_lifted = False
        self._shown: set[str] = set()

    @property
    def is_lifted(self) -> bool:
        """Whether all secrets are shown."""
        return self._is_lifted

    def hides(self, topic: Topic) -> bool:
        """Whether a proposition's words are not to be shown."""
        return topic.is_secret and not self._is_lifted and topic.key not in self._shown

    def lift(self, is_lifted: bool) -> None:
        """Show all secrets, or none, also of those that were asked for one by one."""
        self._is_lifted = is_lifted
        self._shown.clear()
        self.changed.emit()

    def show(self, topic: Topic) -> None:
        """Show one secret."""
        self._shown.add(topic.key)
        self.changed.emit()
