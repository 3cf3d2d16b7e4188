"""What a scene is called: by hand first, then as its recap says, cut where it is too long."""

from __future__ import annotations

from dataclasses import replace

from app.story.messages import Message, digest
from app.story.recaps import SceneRecap
from app.story.scenes import BreakOrigin, SceneBreak, scenes_of
from app.story.story import ChatKind, ChatRef, Story


def story_of(break_name: str, recap_name: str) -> Story:
    messages = tuple(Message(f"m{n}", digest(str(n)), "Name", f"text {n}") for n in range(8))
    breaks = {"m5": SceneBreak("m5", BreakOrigin.HAND, name=break_name)}
    recaps = {"m5": (SceneRecap("m5", 0, recap_name, "text", "", "model", 1.0),)}
    return Story(
        ChatRef(path=None, kind=ChatKind.FILE, title="chat"),  # type: ignore[arg-type]
        messages=messages,
        breaks=breaks,
        scenes=scenes_of(messages, breaks),
        recaps=recaps,
    )


def test_a_name_given_by_hand_goes_before_the_models() -> None:
    story = story_of("Mine", "The ford")
    assert story.scene_name(story.scenes[0]) == "Mine"


def test_an_unnamed_scene_is_called_as_its_recap_says_in_fifty_characters_at_most() -> None:
    story = story_of("", "The ford")
    assert story.scene_name(story.scenes[0]) == "The ford"
    story = story_of("", "x" * 60)
    assert story.scene_name(story.scenes[0]) == "x" * 47 + "..."


def test_message_numbers_stand_behind_an_automatic_name_where_that_is_wanted() -> None:
    story = replace(story_of("", "The ford"), has_ranges_in_names=True)
    assert story.scene_name(story.scenes[0]) == "The ford 0-5"
    mine = replace(story_of("Mine", "The ford"), has_ranges_in_names=True)
    assert mine.scene_name(mine.scenes[0]) == "Mine"


def test_the_open_scene_has_no_name() -> None:
    story = story_of("Mine", "The ford")
    assert story.scene_name(story.scenes[1]) == ""
