"""The lanes under the map: where somebody was, and why they do not know."""

from __future__ import annotations

from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.memory.epistemic.epistemic_map import EpistemicMap
from app.memory.epistemic.map_view import EpistemicMapView
from app.memory.epistemic.presence import Event, Whereabouts
from app.memory.epistemic.witnessing import Witnessing
from ui.minds.lanes import LANE, Lanes
from ui.minds.timeline import Timeline
from ui.minds.veil import Veil

EVENTS = (
    Event("present", "Ann Pike", 2, "mill"),
    Event("present", "Bert Marsh", 2, "mill"),
    Event("leave", "Bert Marsh", 20, "mill"),
    Event("said", "Ann Pike", 30, text="the grey boat leaves at dawn"),
)


def shown() -> Lanes:
    witnessing = Witnessing(Whereabouts(EVENTS))
    minds = EpistemicMapView(EpistemicMap(witnessing.entries(1), witnessing=witnessing))
    lanes = Lanes()
    lanes.resize(900, 120)
    lanes.show_proposition(minds, 0, 60)
    lanes.show_moment(60, "")
    return lanes


def told(lanes: Lanes, name: str, message: int) -> str:
    place = next(n for n, (person, _) in enumerate(lanes._lanes) if person == name)
    return lanes.told_at(QPointF(lanes._axis().x(message) + 1, place * LANE + 4))


def test_who_does_not_know_is_told_since_when_and_why(qapp: QApplication) -> None:
    words = told(shown(), "bert marsh", 40)
    assert "does not know it" in words
    assert "from #30" in words
    assert "Was not there" in words
    assert "Gone, last at mill, from #20" in words


def test_who_knows_is_told_that_they_were_there(qapp: QApplication) -> None:
    words = told(shown(), "ann pike", 40)
    assert "Was there" in words
    assert "At mill, from #2" in words


def test_the_band_shows_where_somebody_was(qapp: QApplication) -> None:
    lanes = shown()
    with_band = lanes.grab().toImage()
    assert lanes._minds is not None
    lanes._minds.knowledge.witnessing = None
    lanes.update()
    assert lanes.grab().toImage() != with_band


def test_the_legend_says_what_the_bands_are_where_there_are_some(qtbot: QtBot) -> None:
    """Nobody said what the grey marks under the lines of people were."""
    minds = shown()._minds
    timeline = Timeline(Veil())
    qtbot.addWidget(timeline)
    timeline.show_choice(minds, -1, "")
    assert timeline._presence.isHidden()
    timeline.show_choice(minds, 0, "")
    assert not timeline._presence.isHidden()
    assert "thin while they are gone" in timeline._presence.toolTip()
    assert not timeline._presence.grab().isNull()
