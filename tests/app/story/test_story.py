"""What a story says of its messages and versions from one state to the next."""

from __future__ import annotations

from dataclasses import replace

from msgspec import structs

from app.story.recaps import RunningRecap, RunningVersion, SceneRecap
from app.story.scenes import BreakOrigin, Scene, SceneBreak
from app.story.story import Recapped, Story
from tests.ui.samples import message, story


def _told(ends: str) -> Story:
    """Six messages in two scenes, and one version that ends with the message of this anchor."""
    told = story(6, (2,))
    version = RunningVersion(0, "So it began.", 1, "", ends, "you", 0.0)
    return replace(told, running=RunningRecap((version,), 0))


def _with(told: Story, *more: str) -> Story:
    last = len(told.messages)
    new = (
        structs.replace(message(last + at, "More."), anchor=anchor)
        for at, anchor in enumerate(more)
    )
    return replace(told, messages=(*told.messages, *new))


def test_a_new_message_leaves_the_versions_as_they_were() -> None:
    told = _told(story(6, (2,)).messages[2].anchor)
    assert _with(told, "new").has_versions_of(told)


def test_a_message_that_is_gone_may_take_a_version_along() -> None:
    told = _told(story(6, (2,)).messages[2].anchor)
    assert not replace(told, messages=told.messages[:2]).has_versions_of(told)


def test_a_message_that_comes_back_brings_its_version() -> None:
    told = _told("taken away")
    assert not _with(told, "taken away").has_versions_of(told)


def test_other_versions_are_other_ones() -> None:
    told = _told("anywhere")
    assert not replace(told, running=RunningRecap()).has_versions_of(told)


def test_each_message_is_in_its_scene() -> None:
    told = story(6, (2,))
    assert [told.scene_at(index) for index in range(6)] == [told.scenes[n // 3] for n in range(6)]
    assert told.scene_at(6) is None
    assert told.scene_at(-1) is None


def test_which_scenes_have_a_recap_is_asked_anew_where_other_scenes_stand() -> None:
    def scene(number: int, ends: str) -> Scene:
        return Scene(number, 3 * number - 3, 3 * number - 1, SceneBreak(ends, BreakOrigin.HAND))

    recap = SceneRecap("a", 0, "", "So it was.", "digest", "you", 0.0, is_current=True)
    recaps = {"a": (recap,), "b": (replace(recap, anchor="b"),)}
    before = Recapped.of((scene(1, "a"), scene(2, "b")), recaps, Recapped())
    assert before.count == 2
    assert Recapped.of((scene(1, "other"), scene(2, "b2")), recaps, before).count == 0
    assert Recapped.of((scene(1, "a"), scene(2, "b2")), recaps, before).count == 1
