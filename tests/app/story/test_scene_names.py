"""What a scene is called: by hand first, then as its recap says, cut where it is too long."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.story.messages import Message, digest
from app.story.recaps import SceneRecap
from app.story.scenes import BreakOrigin, SceneBreak, moved_break, scenes_of
from app.story.story import ChatKind, ChatRef, Story


def story_of(break_name: str, recap_name: str) -> Story:
    messages = tuple(Message(f"m{n}", digest(str(n)), "Name", f"text {n}") for n in range(8))
    breaks = {"m5": SceneBreak("m5", BreakOrigin.HAND, name=break_name)}
    recaps: dict[str, tuple[SceneRecap, ...]] = {
        "m5": (SceneRecap("m5", 0, recap_name, "text", "", "model", 1.0),)
    }
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


def named_story(*scenes: tuple[BreakOrigin, str, str], made_by: str = "model") -> Story:
    """Two messages for each scene: how its break was found, its break's name, its recap's name."""
    messages = tuple(
        Message(f"m{n}", digest(str(n)), "Name", f"text {n}") for n in range(2 * len(scenes))
    )
    breaks: dict[str, SceneBreak] = {}
    recaps: dict[str, tuple[SceneRecap, ...]] = {}
    for n, (origin, break_name, recap_name) in enumerate(scenes):
        anchor = f"m{2 * n + 1}"
        breaks[anchor] = SceneBreak(anchor, origin, name=break_name)
        text = f"DEVELOPMENTS\nDeed {n} was done there.\n\nSTATE\nAll is well."
        recaps[anchor] = (SceneRecap(anchor, 0, recap_name, text, "", made_by, 1.0),)
    return Story(
        ChatRef(path=None, kind=ChatKind.FILE, title="chat"),  # type: ignore[arg-type]
        messages=messages,
        breaks=breaks,
        scenes=scenes_of(messages, breaks),
        recaps=recaps,
    )


def names_of(story: Story) -> list[str]:
    return [story.scene_name(scene) for scene in story.scenes]


HEURISTIC, HAND = BreakOrigin.HEURISTIC, BreakOrigin.HAND


@pytest.mark.real_model(2)
def test_a_name_that_a_model_gave_goes_before_one_that_a_cue_found() -> None:
    assert names_of(named_story((HEURISTIC, "Mill", "Ann buys the boat"))) == ["Ann buys the boat"]
    assert names_of(named_story((HEURISTIC, "Mill", ""))) == ["Mill"]


def test_a_cue_goes_before_the_words_of_a_recap_without_a_model() -> None:
    story = named_story((HEURISTIC, "The mill", "She went"), made_by="built-in")
    assert names_of(story) == ["The mill"]


def test_a_users_name_goes_before_both_however_its_break_was_found() -> None:
    story = named_story((HEURISTIC, "Mine", "Ann buys the boat"))
    (anchor,) = story.breaks
    breaks = {anchor: replace(story.breaks[anchor], is_named=True)}
    story = replace(story, breaks=breaks, scenes=scenes_of(story.messages, breaks))
    assert names_of(story) == ["Mine"]


def test_a_cues_name_that_moves_with_its_break_is_not_the_users_for_that() -> None:
    found = SceneBreak("a", BreakOrigin.HEURISTIC, "time", name="Mill")
    for mark in moved_break({"a": found}, "a", "b"):
        assert (mark.name, mark.has_given_name) == ("Mill", False)
    given = replace(found, is_named=True)
    assert all(mark.has_given_name for mark in moved_break({"a": given}, "a", "b"))


@pytest.mark.real_model(2)
def test_no_two_scenes_have_the_same_name() -> None:
    story = named_story(
        (HEURISTIC, "", "The old mill"),
        (HEURISTIC, "Quay", "the old Mill"),
        (HEURISTIC, "", "The old mill"),
        (HEURISTIC, "", "The old mill"),
    )
    names = names_of(story)
    assert names == [
        "The old mill",
        "the old Mill – Quay",
        "The old mill – Deed 2 was done there",
        "The old mill – Deed 3 was done there",
    ]
    assert all(len(name) <= 50 for name in names)


def test_a_users_name_stays_and_the_others_give_way() -> None:
    story = named_story((HEURISTIC, "Quay", "The mill"), (HAND, "The mill", "x"))
    assert names_of(story) == ["The mill – Quay", "The mill"]


def test_an_imported_name_does_not_keep_the_message_numbers_of_then() -> None:
    for given, shown in (
        ("The ford 0-10", "The ford"),
        ("The ford (2-7)", "The ford"),
        ("The war of 1990-1995", "The war of 1990-1995"),
        ("10-12", "10-12"),
    ):
        story = story_of(given, "")
        breaks = {"m5": replace(story.breaks["m5"], origin=BreakOrigin.IMPORT, cue="import")}
        story = replace(story, breaks=breaks, scenes=scenes_of(story.messages, breaks))
        assert story.scene_name(story.scenes[0]) == shown
    by_hand = story_of("The ford 0-10", "")
    assert by_hand.scene_name(by_hand.scenes[0]) == "The ford 0-10"


def test_names_that_were_told_apart_are_taken_over_by_the_same_scenes_alone() -> None:
    scenes = ((HEURISTIC, "", "The old mill"), (HEURISTIC, "", "The old mill"))
    story = named_story(*scenes)
    names = names_of(story)
    later = replace(story).with_names_of(story)
    assert later.names == story.names
    assert names_of(later) == names
    renamed = replace(story, recaps=named_story(scenes[0], (HEURISTIC, "", "The ford")).recaps)
    assert names_of(renamed.with_names_of(story))[1] == "The ford"
    fewer = replace(story, scenes=story.scenes[:1])
    assert not fewer.with_names_of(story).names


def test_a_name_beside_one_like_it_is_never_two_pieces_of_names() -> None:
    """A scene broken by hand left its second half as "Tages und… – Pendel, am Abend desselben…"."""
    long = "On the evening of the same day, and the tide"
    (first, second, third, _) = names_of(
        named_story(
            (HEURISTIC, "", long),
            (HEURISTIC, "The pendulum of the clock", long),
            (HEURISTIC, "The pendulum of the clock in the hall, at rest", long),
            (HEURISTIC, "", long),
        )
    )[:4]
    assert first == long
    assert second == "The pendulum of the clock"
    assert third == "The pendulum of the clock in the hall, at rest"
