"""No thread but the interface's collects garbage."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

from ui.core.collecting import GuiThreadCollector


@pytest.fixture
def collector(qapp: QApplication) -> Iterator[GuiThreadCollector]:
    made = GuiThreadCollector()
    made.start()
    yield made
    made.stop()
    gc.disable()  # as all tests of the window have it


def cycle() -> weakref.ref[QObject]:
    one, other = QObject(), QObject()
    one.other, other.other = other, one  # type: ignore[attr-defined]
    return weakref.ref(one)


def allocate() -> None:
    for _ in range(200):
        list(map(list, [[]] * 1000))


def test_a_worker_leaves_cycles_of_qt_objects_alone(collector: GuiThreadCollector) -> None:
    lost = cycle()
    worker = threading.Thread(target=allocate)
    worker.start()
    worker.join()
    assert lost() is not None
    gc.collect()
    assert lost() is None


def test_what_is_due_is_collected_here(collector: GuiThreadCollector) -> None:
    gc.collect()
    lost = cycle()
    keep: list[list[object]] = [[] for _ in range(gc.get_threshold()[0] + 10)]
    collector.collect_due()
    assert lost() is None
    assert keep
