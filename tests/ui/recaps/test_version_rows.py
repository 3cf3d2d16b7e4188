"""What the list of versions says of each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from app.story.recaps import RunningVersion, SceneRecap
from tests.ui.samples import story
from ui.recaps.growth import GrowthLine, GrowthPoint
from ui.recaps.reading import ReadingPane
from ui.recaps.version_rows import (
    VersionModel,
    VersionRow,
    running_why,
    scene_rows,
    scene_why,
)


@pytest.mark.parametrize(
    ("made_by", "said"),
    [
        ("MemoryBooks", "Imported from MemoryBooks"),
        ("BakemonoMemory", "Imported from BakemonoMemory"),
        ("ST-Auto-Recap", "Found in the chat"),
        ("you", "Your edit"),
        ("ollama:x", "First version"),
    ],
)
def test_a_version_says_where_it_comes_from(made_by: str, said: str) -> None:
    recap = SceneRecap("m1", 0, "", "They met.", "d", made_by, 1.0)
    assert scene_why(recap, None) == said


def test_a_recap_that_left_the_running_recap_is_not_called_told_by_it(qapp: QApplication) -> None:
    told = story(20, (9,))
    recap = SceneRecap("a000009", 0, "", "They met.", "d", "x", 1.0, combined_at=2.0)
    told = replace(told, recaps={recap.anchor: (recap,)})
    (row,) = scene_rows(told, recap.anchor)
    assert row.told == "told by the running recap"
    (row,) = scene_rows(told, recap.anchor, is_gone=True)
    assert row.told == "not in the running recap any more"
    view = ReadingPane()
    view.told.show_row(row)
    assert not view.told.isHidden()


def test_a_version_that_is_longer_than_its_budget_says_so(qapp: QApplication) -> None:
    """The list said 1,444, the prompt 1,000 of 1,000, and the curve ran along the budget."""
    model = VersionModel()
    model.show_rows(
        [VersionRow(1, "long", 1.0, "you", "Your edit"), VersionRow(0, "", 1.0, "", "")]
    )
    model.show_tokens({0: 900, 1: 1_444})
    model.show_budget(1_000)
    assert (model.over(0), model.over(1)) == (0, 444)
    spoken = str(model.index(0).data(Qt.ItemDataRole.AccessibleTextRole))
    assert "444 over its budget" in spoken
    line = GrowthLine()
    line.resize(200, 156)
    line.show_points([GrowthPoint("v1", 900), GrowthPoint("v2", 1_444)], 1_000)
    assert line.budget_line is not None
    below, above = line.heights
    assert above < line.budget_line < below


def test_a_stopgap_names_its_scenes_first() -> None:
    """A narrow list cuts the end: v2 to v4 could not be told apart."""
    version = RunningVersion(3, "It rained.", 4, "", "m9", "built-in, in place of x", 1.0)
    assert running_why(version).startswith("Scenes 1–4")
    assert running_why(replace(version, scene_count=1)).startswith("Scene 1, ")


class CountedReads(tuple[GrowthPoint, ...]):
    """Points that count how often they are gone through."""

    reads = 0

    def __iter__(self) -> Iterator[GrowthPoint]:
        type(self).reads += 1
        return super().__iter__()


def test_a_curve_of_thousands_of_versions_is_not_gone_through_for_each_of_them(
    qapp: QApplication,
) -> None:
    """With 2,000 versions it stood still for a fifth of a second at each new message."""
    line = GrowthLine()
    line.resize(200, 156)
    line.show_points(CountedReads(GrowthPoint(f"v{n}", n) for n in range(50)), 1_000)
    CountedReads.reads = 0
    line.grab()
    assert 0 < CountedReads.reads < 20


def test_a_version_says_whether_the_scene_changed_or_it_was_redone() -> None:
    first = SceneRecap("m1", 0, "", "They met.", "one", "model", 1.0)
    assert scene_why(replace(first, version=1), first) == "Redone"
    assert scene_why(replace(first, version=1, source_digest="other"), first) == "Scene changed"
