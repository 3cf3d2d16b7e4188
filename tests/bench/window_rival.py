"""The same chat in a bare list of Qt's, in a process of its own: prints what each deed takes."""

from __future__ import annotations

import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import msgspec
from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QPersistentModelIndex,
    QSortFilterProxyModel,
    QStringListModel,
    Qt,
)
from PySide6.QtWidgets import QApplication, QListView

from app.story.messages import Message
from tests.bench import window_world as world
from tests.bench.window_run import ROUNDS, WHEEL, WHEELS
from tests.ui.samples import message as sample

Index = QModelIndex | QPersistentModelIndex


class Texts(QAbstractListModel):
    """One row for each message, with its text."""

    def __init__(self, texts: list[str]) -> None:
        super().__init__()
        self.texts = texts

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.texts)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        return self.texts[index.row()] if role == Qt.ItemDataRole.DisplayRole else None

    def append(self, text: str) -> None:
        """One more row."""
        self.beginInsertRows(QModelIndex(), len(self.texts), len(self.texts))
        self.texts.append(text)
        self.endInsertRows()


def samples(count: int) -> tuple[Message, ...]:
    """Messages for memories to come from."""
    return tuple(sample(number, "A line.") for number in range(count))


def _taken(work: Callable[[], object]) -> float:
    begun = time.thread_time()
    work()
    QApplication.processEvents()
    return 1000 * (time.thread_time() - begun)


def _median(work: Callable[[], object], rounds: int = ROUNDS) -> float:
    _taken(work)
    return statistics.median(_taken(work) for _ in range(rounds))


def measured(path: Path) -> dict[str, Any]:
    """Milliseconds of the processor."""
    view = QListView()
    view.setUniformItemSizes(True)
    view.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
    view.resize(1040, 800)

    def opened() -> None:
        with path.open("rb") as file:
            messages = [msgspec.json.decode(line) for line in file][1:]
        view.setModel(Texts([message["mes"] for message in messages]))
        view.show()

    figures = {"open": _taken(opened)}
    model: Any = view.model()
    bar = view.verticalScrollBar()
    bar.setValue(bar.maximum() // 2)
    figures["scroll"] = _median(lambda: bar.setValue(bar.value() + WHEEL), WHEELS)
    view.scrollToBottom()
    figures["message"] = _median(lambda: model.append("A short new line."))
    texts = model.texts
    figures["find"] = _median(lambda: [n for n, t in enumerate(texts) if "lantern" in t.casefold()])
    held = QStringListModel([memory.text for memory in world.memories(1, samples(2_000))])
    proxy = QSortFilterProxyModel()
    proxy.setSourceModel(held)
    table = QListView()
    table.setModel(proxy)
    table.show()
    QApplication.processEvents()
    words = iter(("lantern", "oath", "wren", "") * ROUNDS)
    figures["filter"] = _median(lambda: proxy.setFilterFixedString(next(words)))
    orders = iter((Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder) * ROUNDS)
    figures["sort"] = _median(lambda: proxy.sort(0, next(orders)))
    return figures


if __name__ == "__main__":
    application = QApplication([])
    print(json.dumps(measured(world.long_file(Path(sys.argv[1])))))  # noqa: T201
