"""The strip: one clip per scene, a frame that follows and leads the column."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QSignalSpy
from pytestqt.qtbot import QtBot

from app.story.recaps import SceneRecap
from app.story.scenes import scenes_of
from app.story.story import Story
from tests.ui.samples import story, with_states
from ui.story.messages.message_model import empty_story
from ui.story.messages.settling_table import VisibleRange
from ui.story.scenes.bars import bars_of, no_bars
from ui.story.scenes.strip import GAP, Clips, Strip
from ui.theme.source import ThemeSource

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def strip(qtbot: QtBot, theme: ThemeSource) -> Strip:
    shown = Strip(theme)
    qtbot.addWidget(shown)
    shown.resize(1000, shown.height())
    with qtbot.waitActive(shown, timeout=30_000):  # a real screen takes a moment
        shown.show()
        shown.activateWindow()
    return shown


def fill(strip: Strip, told: Story) -> Clips:
    strip.set_story(told, bars_of(told, no_bars(), empty_story()))
    return Clips(told, strip.width())


def x_of(clips: Clips, message: int) -> int:
    clip = clips[clips.scene_of(message)]
    return round(clip.x_of(message) + clip.bar_width / 2)


def test_clips_share_the_width_with_gaps_between() -> None:
    clips = Clips(story(100, (9, 49)), 1000)
    first, second, third = clips[0], clips[1], clips[2]
    assert (first.width, second.width, third.width) == pytest.approx((99.2, 396.8, 496.0))
    assert second.left - (first.left + first.width) == pytest.approx(GAP)
    assert third.left + third.width == pytest.approx(1000)


def test_a_thousand_scenes_still_fit() -> None:
    clips = Clips(story(3_000, tuple(range(2, 3_000, 3))), 800)
    last = clips[clips.count - 1]
    assert last.left + last.width == pytest.approx(800)
    assert clips.bar_width > 0


def test_a_click_goes_to_the_message_under_it(strip: Strip, qtbot: QtBot) -> None:
    clips = fill(strip, story(100, (9, 49)))
    heard = QSignalSpy(strip.place_wanted)
    for message in (0, 9, 10, 49, 50, 99):
        qtbot.mouseClick(strip, LEFT, pos=QPoint(x_of(clips, message), 50))
        assert heard.at(heard.count() - 1) == [message]


def test_dragging_the_frame_scrolls_without_a_jump(strip: Strip, qtbot: QtBot) -> None:
    clips = fill(strip, story(100, (9, 49)))
    strip.set_visible(VisibleRange(20, 29))
    heard = QSignalSpy(strip.place_wanted)
    start = QPoint(x_of(clips, 24), 50)
    qtbot.mousePress(strip, LEFT, pos=start)
    assert heard.count() == 0
    qtbot.mouseMove(strip, start + QPoint(round(10 * clips.bar_width) + 1, 0))
    assert heard.at(heard.count() - 1) == [30]
    qtbot.mouseRelease(strip, LEFT, pos=start)


def test_a_double_click_opens_the_scene(strip: Strip, qtbot: QtBot) -> None:
    clips = fill(strip, story(100, (9, 49)))
    heard = QSignalSpy(strip.scene_opened)
    qtbot.mouseDClick(strip, LEFT, pos=QPoint(x_of(clips, 30), 8))
    assert heard.at(0) == [1]


def test_arrow_keys_go_scene_by_scene(strip: Strip, qtbot: QtBot) -> None:
    fill(strip, story(100, (9, 49)))
    strip.set_visible(VisibleRange(20, 29))
    heard = QSignalSpy(strip.scene_opened)
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Home, Qt.Key.Key_End):
        qtbot.keyClick(strip, key)
    assert [heard.at(n)[0] for n in range(4)] == [0, 2, 0, 2]


def test_the_frame_covers_what_is_visible(strip: Strip) -> None:
    clips = fill(strip, story(100, (9, 49)))
    strip.set_visible(VisibleRange(5, 60))
    frame = strip.frame()
    assert frame.left() <= x_of(clips, 5) < x_of(clips, 60) <= frame.right()


def test_the_frame_of_little_can_still_be_taken_hold_of(strip: Strip) -> None:
    fill(strip, story(20_000, (9_999,)))
    strip.set_visible(VisibleRange(12_000, 12_001))
    assert strip.frame().width() >= 10


def test_a_screen_reader_hears_the_scene(strip: Strip) -> None:
    fill(strip, story(100, (9, 49)))
    strip.set_visible(VisibleRange(20, 29))
    assert strip.accessibleName() == "Scenes of the story"
    assert strip.accessibleDescription().startswith("Scene 2, Scene name 2, finished")


def test_the_tip_names_the_message_and_its_state(strip: Strip) -> None:
    told = with_states(story(100, (9, 49)))
    clips = fill(strip, told)
    tip = strip.tip_at(QPoint(x_of(clips, 89), 40))
    assert tip.splitlines()[0].startswith("#89, ")
    assert tip.splitlines()[0].endswith("failed")
    assert tip.splitlines()[1].startswith("3 ")


@pytest.mark.parametrize(
    ("count", "breaks"),
    [(0, ()), (1, ()), (90, (9,)), (5_000, tuple(range(99, 5_000, 100))), (900, tuple(range(899)))],
)
def test_every_size_paints(strip: Strip, count: int, breaks: tuple[int, ...]) -> None:
    fill(strip, with_states(story(count, breaks)) if count else story(0, ()))
    strip.set_visible(VisibleRange(0, min(3, count - 1)))
    assert not strip.grab().isNull()


def test_a_failure_is_painted_in_a_strip_of_buckets(strip: Strip, theme: ThemeSource) -> None:
    fill(strip, with_states(story(60_000, (30_000,))))
    image = strip.grab().toImage()
    wanted = theme.tokens.failed.fill.rgb()
    ratio = image.devicePixelRatio()
    found = any(
        image.pixel(x, y) == wanted
        for x in range(image.width())
        for y in range(round(18 * ratio), round(58 * ratio))
    )
    assert found


def test_a_scene_without_a_name_of_its_own_is_called_as_its_recap_says(strip: Strip) -> None:
    told = story(100, (9, 49))
    anchor = told.messages[9].anchor
    unnamed = {**told.breaks, anchor: replace(told.breaks[anchor], name="")}
    recap = SceneRecap(anchor, 0, "A very " + "long " * 12 + "name", "Text.", "", "model", 1.0)
    told = replace(
        told,
        breaks=unnamed,
        scenes=scenes_of(told.messages, unnamed),
        recaps={anchor: (recap,)},
    )
    clips = fill(strip, told)
    title = strip.tip_at(QPoint(x_of(clips, 3), 50)).splitlines()[-1]
    assert title == f"1 {('A very ' + 'long ' * 8)[:47]}..., #0–9"
