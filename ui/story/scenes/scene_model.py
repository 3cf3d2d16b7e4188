"""The scenes of a story as a model for the navigator."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from app.story.scenes import Scene
from app.story.story import Story
from ui.controls.labels import plain_tip
from ui.story import words
from ui.story.messages.message_model import empty_story

AnyIndex = QModelIndex | QPersistentModelIndex


class SceneModel(QAbstractTableModel):
    """One row per scene whose title holds the filter's text, in story order."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._story = empty_story()
        self._filter = ""
        self._numbers: list[int] = []

    @property
    def story(self) -> Story:
        return self._story

    @property
    def filter(self) -> str:
        """What titles must hold, in any case; "" for all."""
        return self._filter

    def set_story(self, story: Story) -> None:
        """Show another state of the story; scenes that are new or gone are told exactly."""
        is_other = story.chat.path != self._story.chat.path
        numbers = self._matching(story, self._filter)
        if is_other:
            self.beginResetModel()
            self._story, self._numbers = story, numbers
            self.endResetModel()
            return
        self._story = story
        self._exchange(numbers)

    def set_filter(self, text: str) -> None:
        """Show only scenes whose title or number holds the text."""
        text = text.strip().casefold()
        if text != self._filter:
            self._filter = text
            self._exchange(self._matching(self._story, text))

    def _exchange(self, numbers: list[int]) -> None:
        """Rows are scene numbers: only the end of the list can be new or gone."""
        nowhere, old = QModelIndex(), len(self._numbers)
        if len(numbers) < old:
            self.beginRemoveRows(nowhere, len(numbers), old - 1)
            self._numbers = numbers
            self.endRemoveRows()
        elif len(numbers) > old:
            self.beginInsertRows(nowhere, old, len(numbers) - 1)
            self._numbers = numbers
            self.endInsertRows()
        self._numbers = numbers
        if numbers:
            self.dataChanged.emit(self.index(0, 0), self.index(len(numbers) - 1, 0))

    @staticmethod
    def _matching(story: Story, text: str) -> list[int]:
        if not text:
            return list(range(len(story.scenes)))
        return [
            number
            for number, scene in enumerate(story.scenes)
            if text in words.scene_name(story, scene).casefold() or text == str(scene.number)
        ]

    def number(self, row: int) -> int:
        """Index of the scene a row shows, counted from 0."""
        return self._numbers[row]

    def row_of(self, number: int) -> int:
        """Row of a scene, -1 when the filter hides it."""
        try:
            return self._numbers.index(number)
        except ValueError:
            return -1

    def scene(self, row: int) -> Scene:
        return self._story.scenes[self._numbers[row]]

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._numbers)

    def columnCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else 1

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        scene = self.scene(index.row())
        name = words.scene_name(self._story, scene)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return words.spoken_scene(scene, name, False)
        if role == Qt.ItemDataRole.ToolTipRole:
            line = words.first_line(self._story, scene)
            return plain_tip(f"{name}\n{line}" if line else name)
        return None
