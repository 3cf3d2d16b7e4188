"""What recaps leave to the messages and memories that the prompt holds, and what they do not."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import pytest
from msgspec import structs

from app.memory.records import Ending, EndReason, Source, Tier
from app.prompt.generation import Turn
from app.prompt.slots import RUNNING_RECAP_KEY, Reason, RecapShown, SlotSet
from app.settings.slot_table import SlotName
from app.story.messages import digest
from app.story.recap_texts.pinned import Pin, stored
from app.story.recaps import IMPORTED, YOU, RunningRecap, RunningVersion, SceneRecap
from app.story.scenes import BreakOrigin, SceneBreak, scenes_of
from app.story.story import Story
from tests.app.prompt.remembered import LINES, memory, prompt, story, whole

ENDS = (9, 19, 29)
ROOMY, NARROW = Turn("Vera", context=100_000), Turn("Vera", context=600)
SCENES = ("Vera opened the gate.", "Odo lost the key.", "They crossed the river.")


def told(*, hidden: Collection[int] = (), made_by: str = "model", dropped: int = 0) -> Story:
    """Forty messages, three closed scenes, each folded in. hidden: places of messages. dropped:
    how many of the first messages are gone.
    """
    of = story(*(f"They walk on for the {n}th hour, and nobody says much." for n in range(40)))
    messages = tuple(
        structs.replace(message, is_hidden=place in hidden)
        for place, message in enumerate(of.messages)
    )
    versions = tuple(
        RunningVersion(
            n,
            "DEVELOPMENTS\n" + "\n".join(SCENES[: n + 1]) + "\n\nSTATE\nThe key is gone.",
            n + 1,
            f"m{ENDS[n - 1]}" if n else "",
            f"m{end}",
            made_by,
            1.0,
        )
        for n, end in enumerate(ENDS)
    )
    marks = (SceneBreak(f"m{end}", BreakOrigin.HAND, "hand") for end in ENDS if end >= dropped)
    breaks = {mark.anchor: mark for mark in marks}
    return replace(
        of,
        messages=messages[dropped:],
        message_tokens=of.message_tokens[dropped:],
        breaks=breaks,
        scenes=scenes_of(messages[dropped:], breaks),
        running=RunningRecap(versions, 2),
    )


def recap(of: Story, turn: Turn = ROOMY, **values: Any) -> str:
    return next((s.text for s in prompt(of=of, turn=turn, **values).slots if s.key == KEY), "")


KEY = RUNNING_RECAP_KEY


def test_of_messages_that_all_stand_in_the_prompt_nothing_is_told_again() -> None:
    """The first scene, and how things stand, stood before a chat that the prompt held whole."""
    assert recap(told()) == ""
    found: SlotSet = prompt(of=told(), turn=ROOMY)
    assert found.whole_recap > 0  # and the page can say how much was left to the messages
    assert "Vera opened the gate." in recap(told(), NARROW)


def test_what_gave_way_to_the_recap_is_told_though_all_others_have_room() -> None:
    shown = recap(told(hidden=range(20)))
    assert all(scene in shown for scene in SCENES[:2])
    assert SCENES[2] not in shown
    # One that the user hid stands alone, and stays hidden.
    assert recap(told(hidden=[12])) == ""


@pytest.mark.parametrize(
    "of",
    [
        told(made_by=YOU),
        told(made_by=IMPORTED),
        told(dropped=10),
        replace(told(), message_tokens=told().message_tokens[:20]),
    ],
    ids=["the user's words", "found in the chat", "messages that are gone", "not counted yet"],
)
def test_what_the_messages_may_not_tell_stays(of: Story) -> None:
    assert SCENES[0] in recap(of)


def test_what_is_pinned_stays() -> None:
    shown = recap(told(), recap_pins=stored([Pin(SCENES[0], "", "")]))
    assert SCENES[0] in shown
    assert SCENES[1] not in shown


def test_what_the_user_wrote_stays_in_the_prompt_when_a_model_has_folded_on() -> None:
    """A name that was added to how things stand was sent until the next scene, and then told by
    nobody, though the running recap still held it.
    """
    of = told()
    *before, first, last = of.running.versions
    own = "Vera's other name is Kunigunde."
    edited = replace(
        first, version=2, content=f"{first.content}\nIt rains. {own}", made_by=YOU, reason="edit"
    )
    folded = replace(last, version=3, content=f"{last.content}\nIt rains. {own}")
    mine = replace(of, running=RunningRecap((*before, first, edited, folded), 3))
    found_in = of.messages[0].content_hash
    noted = [memory("Odo's key is gone.", Tier.STATE_LEDGER, subject="Odo", hash=found_in)]

    def said(budget: int) -> str:
        found = prompt(noted, of=mine, turn=NARROW, running_recap_budget=budget)
        return next(s.text for s in found.slots if s.key == KEY)

    assert f"It rains. {own}" in said(1_000)
    assert "The key is gone." not in said(1_000)  # other parts tell what the model wrote
    assert own in said(45)
    assert SCENES[0] not in said(45)  # it goes before what the user wrote


def test_a_pinned_sentence_stays_with_others_on_its_line() -> None:
    of = told()
    *before, last = of.running.versions
    line = "The key is gone. It rains."
    wet = replace(last, content=last.content.replace("The key is gone.", line))
    of = replace(of, running=RunningRecap((*before, wet), 2))
    pins = stored([Pin("It rains.")])
    assert line in recap(of, NARROW, recap_pins=pins)
    assert "It rains." in recap(of, ROOMY, recap_pins=pins)


def with_scene_recaps(of: Story, made_by: str = "model") -> Story:
    recaps: dict[str, tuple[SceneRecap, ...]] = {
        f"m{end}": (SceneRecap(f"m{end}", 0, "", f"{said} It snowed.", "", made_by, 1.0),)
        for end, said in zip(ENDS, SCENES, strict=True)
    }
    return replace(of, recaps=recaps)


def scenes(of: Story, turn: Turn = ROOMY, **values: Any) -> str:
    found = prompt(of=of, turn=turn, **values).slots
    return next((s.text for s in found if s.key == SlotName.SCENES.key), "")


def test_scenes_that_the_prompt_holds_word_for_word_are_not_told_again() -> None:
    """446 tokens of scene recaps went along with a chat that was sent whole."""
    of = with_scene_recaps(told())
    assert scenes(of) == ""
    content = next(c for c in prompt(of=of, turn=ROOMY).contents if c.key == SlotName.SCENES.key)
    assert {left.reason for left in content.left_out} == {Reason.VISIBLE}
    # What gave way to recaps, is hidden or not counted yet, or the user wrote, is told.
    assert SCENES[0] in scenes(with_scene_recaps(told(hidden=(3, 4))), running_recap_enabled=False)
    assert SCENES[1] not in scenes(with_scene_recaps(told(hidden=(3, 4))))
    uncounted = replace(of, message_tokens=of.message_tokens[:20])
    assert SCENES[2] in scenes(uncounted, running_recap_enabled=False)
    assert SCENES[2] in scenes(with_scene_recaps(told(), YOU))
    pins = stored([Pin("It snowed.", "m19")])
    assert "It snowed." in scenes(of, recap_pins=pins)
    assert SCENES[0] not in scenes(of, recap_pins=pins)


def test_the_room_of_scenes_goes_to_those_that_the_prompt_does_not_hold() -> None:
    """Five scenes were told that all stood there word for word, and none of those before."""
    of = with_scene_recaps(told())
    few = Turn("Vera", context=900)
    found = scenes(of, few, scenes_shown=1, running_recap_enabled=False)
    assert SCENES[2] not in found
    assert any(said in found for said in SCENES[:2])


@pytest.mark.real_model(12)
def test_a_recap_does_not_ask_again_what_all_threads_have_answered() -> None:
    """When the last open thread had ended, the running recap's old questions came back."""
    recap = "DEVELOPMENTS\nThe first evening.\n\nOPEN\nWho took the key?"
    version = RunningVersion(0, recap, 1, "", "m0", "model", 1.0)
    of = replace(story(), running=RunningRecap((version,), 0))
    over = Ending(EndReason.RESOLVED, sources=(Source(1, "m2", digest(LINES[2])),), text="Found.")
    arc = memory("Who took the key?", Tier.ARCS, endings=(over,))
    assert "Who took the key?" not in whole(prompt([arc], of=of))
    assert "Who took the key?" in whole(prompt(of=of))


@pytest.mark.real_model(12)
def test_the_recap_leaves_how_things_stand_to_the_ledger() -> None:
    """It lags behind, and stood in the present tense beside values that said otherwise."""
    recap = "DEVELOPMENTS\nThe first evening.\n\nSTATE\nVera is in the cellar."
    version = RunningVersion(0, recap, 1, "", "m0", "model", 1.0)
    of = replace(story(), running=RunningRecap((version,), 0))
    attic = memory("attic", Tier.STATE_LEDGER, subject="Vera", field="location")
    both = whole(prompt([attic], of=of))
    assert "cellar" not in both
    shown, alone = prompt([attic], of=of).recap, prompt(of=of).recap
    assert shown is not None
    assert alone is not None
    size = next(slot.full_tokens for slot in prompt(of=of).slots if slot.key == RUNNING_RECAP_KEY)
    assert shown == RecapShown(0, 0, ("state",), size)  # of all of it, whoever tells it
    assert alone == RecapShown(0, 0, (), size)
    assert "location: attic" in both
    assert "The first evening." in both
    assert "cellar" in whole(prompt(of=of))
