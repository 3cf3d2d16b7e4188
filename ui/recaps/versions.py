"""The list of versions, newest first."""

from __future__ import annotations

import time
from collections.abc import Sequence

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt

from app.story.recaps import RunningVersion
from ui.inspector.words import origin_words, version_word

Index = QModelIndex | QPersistentModelIndex

VERSION_ROLE = Qt.ItemDataRole.UserRole
CURRENT_ROLE = Qt.ItemDataRole.UserRole + 1
LATEST_ROLE = Qt.ItemDataRole.UserRole + 2


class VersionModel(QAbstractListModel):
    """Versions of the running recap; `current` is the one that is injected."""

    def __init__(self) -> None:
        super().__init__()
        self._versions: list[RunningVersion] = []
        self.current: int | None = None

    def show_versions(self, versions: Sequence[RunningVersion], current: int | None) -> None:
        """Versions come oldest first and are shown newest first."""
        rows = list(reversed(versions))
        if [row.version for row in rows] != [row.version for row in self._versions]:
            self.beginResetModel()
            self._versions, self.current = rows, current
            self.endResetModel()
            return
        self._versions, self.current = rows, current
        if rows:
            self.dataChanged.emit(self.index(0), self.index(len(rows) - 1))

    def index_of(self, version: int | None) -> QModelIndex:
        """The row of a version; invalid when it is not there."""
        for row, candidate in enumerate(self._versions):
            if candidate.version == version:
                return self.index(row)
        return QModelIndex()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._versions)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        version = self._versions[index.row()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return f"{version_word(version)}, {origin_words(version, now=time.time())}"
        if role == VERSION_ROLE:
            return version
        if role == CURRENT_ROLE:
            return version.version == self.current
        if role == LATEST_ROLE:
            return index.row() == 0
        return None
