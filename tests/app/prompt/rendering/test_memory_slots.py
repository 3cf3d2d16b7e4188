"""What the slots of single memories tell: what holds, in time, and what the moment calls up."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from app.memory.records import DocumentKind, Ending, EndReason, Source, Tier
from app.prompt.generation import Turn
from app.prompt.slots import Reason
from app.settings.slot_table import SlotName
from app.settings.slots import ADVANCED
from app.story.messages import digest
from app.story.scenes import BreakOrigin, SceneBreak, scenes_of
from app.story.story import ChatKind
from tests.app.prompt.remembered import (
    LINES,
    document,
    in_scenes,
    long_story,
    memory,
    prompt,
    slot,
    story,
    text_of,
    whole,
)


def test_a_fact_that_others_outranked_is_called_up_by_the_moment_alone() -> None:
    """Of three thousand messages the twenty-five newest facts could be told, and nothing else."""
    over = Ending(EndReason.OUTRANKED, sources=(Source(1, "m1", digest(LINES[1])),))
    wrong = replace(over, reason=EndReason.SUPERSEDED)
    old = memory("Captain Holloway buried a copper kettle under the jetty.", endings=(over,))
    untrue = memory("Captain Holloway sold a copper kettle at the fair.", endings=(wrong,))
    kept = memory("The mill grinds barley.")
    asked = story(*LINES, "Where is the copper kettle of Captain Holloway?")
    told = prompt([old, untrue, kept], of=asked, is_indexed=True)
    assert "Earlier, as things stood then:\n- Captain Holloway buried" in text_of(
        told, SlotName.TRIGGERED
    )
    assert "buried" not in text_of(told, SlotName.LONG)
    assert "sold" not in whole(told)
    calm = prompt([old, untrue, kept], of=story(*LINES, "Rain falls."), is_indexed=True)
    assert "kettle" not in whole(calm)


def test_long_term_memories_stand_in_the_order_of_the_story() -> None:
    held = [memory("Third.", at=2, importance=3), memory("First.", at=0), memory("Second.", at=1)]
    assert text_of(prompt(held), SlotName.LONG).splitlines()[1:] == [
        "- First.",
        "- Second.",
        "- Third.",
    ]


def test_what_the_user_wants_goes_first_and_the_best_of_some_types_is_not_missed() -> None:
    events = [
        memory(f"{place} burned down that year.", id=place, type="event")
        for place in ("Ansel Mill", "Bruck Farm", "Corde House", "Dov Tower", "Ebb Inn", "Fen Quay")
    ]
    tie = memory("Odo is a cousin of hers.", id="tie", type="relationship")
    pinned = memory("It rained.", id="p", type="event", importance=1, is_pinned=True)
    told = prompt([*events, tie, pinned])
    (content,) = (c for c in told.contents if c.key == SlotName.LONG.key)
    assert content.shown[0] == "p"
    assert "tie" in content.shown[:4]


def test_what_happened_long_ago_is_told_as_the_past_and_what_is_so_is_not() -> None:
    fact = memory("The harbour is old.", id="fact", at=0, hash="")
    stolen = memory("The harbour bell is gone.", id="stolen", at=0, hash="", type="event")
    rung = memory("The harbour bell rang.", id="rung", at=58, hash="", type="event")
    told = prompt(
        [fact, stolen, rung],
        of=story(*(f"Line {n} of the day." for n in range(59)), "The harbour bell?"),
    )
    for name in (SlotName.LONG, SlotName.TRIGGERED):
        text = text_of(told, name)
        _now, _, then = text.partition("Earlier, as things stood then:")
        if stolen.text in text:
            assert stolen.text in then
        assert fact.text not in then
        assert rung.text not in then
    both = text_of(told, SlotName.LONG) + text_of(told, SlotName.TRIGGERED)
    assert stolen.text in both
    assert rung.text in both


@pytest.mark.real_model(5)
def test_details_of_a_scene_that_has_ended_are_told_as_the_past() -> None:
    of_then = memory("The bell is cracked.", Tier.SESSION, at=2, hash="", type="detail")
    of_now = memory("The lamp is lit.", Tier.SESSION, at=18, hash="", type="detail")
    newest = memory("The rope is wet.", Tier.SESSION, at=29, hash="", type="detail")
    going_on = long_story(30)
    begun = replace(
        going_on, scenes=scenes_of(going_on.messages, {"m15": SceneBreak("m15", BreakOrigin.HAND)})
    )
    told = text_of(prompt([of_then, of_now, newest], of=begun), SlotName.SESSION)
    present, _, past = told.partition("Earlier, as things stood then:")
    assert of_then.text in past
    assert of_now.text in present
    one_scene = text_of(prompt([of_then, of_now, newest], of=going_on), SlotName.SESSION)
    assert "Earlier" not in one_scene


def test_the_scene_now_is_none_that_has_ended() -> None:
    """A scene of one message was told to play in the kitchen of the scene before."""
    kitchen = memory("A hot kitchen.", Tier.SESSION, at=27, hash="")
    going_on = long_story(30)
    assert "The scene now:" in text_of(prompt([kitchen], of=going_on), SlotName.SESSION)
    begun = replace(
        going_on, scenes=scenes_of(going_on.messages, {"m28": SceneBreak("m28", BreakOrigin.HAND)})
    )
    told = text_of(prompt([kitchen], of=begun), SlotName.SESSION)
    assert "The scene now:" not in told
    assert "A hot kitchen." in told


@pytest.mark.real_model(6)
def test_the_moment_calls_up_what_the_budget_left_out_and_nothing_twice() -> None:
    held = [memory(f"Fact {n} about nothing at all", id=f"{n}", importance=3) for n in range(40)]
    bees = memory("She is allergic to bees.", id="bees", importance=1, triggers=("sting",))
    quiet = prompt([*held, bees], budget_total=800)
    assert "bees" not in whole(quiet)
    stung = story(*LINES, "A wasp's sting!")
    told = prompt([*held, bees], of=stung, budget_total=800)
    assert "bees" in text_of(told, SlotName.TRIGGERED)
    roomy = prompt([*held, bees], of=stung, budget_total=8000)
    assert whole(roomy).count("bees") == 1
    assert "bees" in text_of(roomy, SlotName.LONG)


def test_a_reply_that_is_replaced_calls_nothing_up() -> None:
    held = [memory(f"Fact {n} about nothing at all", id=f"{n}", importance=3) for n in range(40)]
    bees = memory("Allergic to bees.", id="bees", importance=1, triggers=("sting",))
    of = story("You wait.", "All wait.", "A wasp's sting!")
    told = prompt([*held, bees], of=of, turn=Turn(generation="swipe"), budget_total=800)
    assert slot(told, SlotName.TRIGGERED) is None


def test_what_the_responder_did_not_see_is_marked_or_left_out() -> None:
    held = [memory("The vault is empty.", witnessed_by=("Odo",)), memory("It rained.")]
    group = story(kind=ChatKind.GROUP)
    marked = prompt(held, of=group, turn=Turn("Vera"), secondhand_marked=True)
    assert "- [secondhand] The vault is empty." in whole(marked)
    assert "- The vault is empty." in whole(prompt(held, of=group, turn=Turn("Odo")))
    for_any = whole(prompt(held, of=group))  # Vera, too, may be the one who answers
    assert "vault" not in for_any
    assert "- It rained." in for_any
    strict = prompt(held, of=group, turn=Turn("Vera"))
    assert "vault" not in whole(strict)
    assert "- It rained." in whole(strict)
    left_out = [one for content in strict.contents for one in content.left_out]
    assert [one.reason for one in left_out if "vault" in one.text] == [Reason.SECONDHAND]


def test_the_session_begins_with_the_scene_as_it_is_now() -> None:
    held = [
        memory("A tavern.", Tier.SESSION, at=0),
        memory("A cold cellar.", Tier.SESSION, at=1),
        memory("Vera limps.", Tier.SESSION, at=1, type="detail"),
        memory("Odo lied.", Tier.SESSION, at=2, type="revelation"),
    ]
    assert text_of(prompt(held), SlotName.SESSION) == (
        "The scene now:\nSetting: A cold cellar.\nContinuity: Vera limps.\nNew: Odo lied.\n\n"
        "Details from this session:\n- A tavern."
    )


@pytest.mark.pitfall(38)
def test_what_an_open_thread_is_about_is_told_before_what_is_newer() -> None:
    """Spec §23: open arcs were not given to the ranking."""
    rain = ("Green lanterns hang.", "Brown horses limp.", "Wet gloves lie about.")
    told = [memory(text, Tier.SESSION, at=3, type="detail") for text in (*rain, "A bell tolls.")]
    told.insert(0, memory("The silver key is gone.", Tier.SESSION, type="detail"))
    arc = memory("Who has the silver key that is gone?", Tier.ARCS)
    narrow: dict[str, Any] = {
        "budget_mode": "advanced",
        "budgets_adaptive": False,
        "budget_session": 32,
    }
    assert "silver key" not in text_of(prompt(told, **narrow), SlotName.SESSION)
    assert "silver key" in text_of(prompt([*told, arc], **narrow), SlotName.SESSION)


@pytest.mark.parametrize(
    ("was", "ended"),
    [
        (
            "Wanda Reim is accused of stealing the harbour bell at night.",
            "The judge let her go: Wanda Reim is no longer accused of stealing the harbour bell.",
        ),
        (
            "Die Glocke im Hafen läutet seit neun Jahren nie vor Mitternacht.",
            "Die Glocke im Hafen läutet nicht mehr; sie liegt im Wasser.",
        ),
        (
            "El farero guarda las cartas de los ahogados en un cofre verde.",
            "El farero ya no guarda las cartas de los ahogados: el cofre está vacío.",
        ),
    ],
)
@pytest.mark.real_model(5)
def test_what_a_later_memory_says_is_no_longer_so_is_told_as_the_past(was: str, ended: str) -> None:
    before = memory(was, at=0, hash="", id="was", type="fact")
    after = memory(ended, at=20, hash="", id="ended", type="fact")
    other = memory("Bruno Halm mends nets.", at=3, hash="", id="other", type="fact")
    of = story(*(f"{was} {n}." for n in range(70)))
    told = text_of(prompt([before, after, other], of=of, headings_language="en"), SlotName.LONG)
    now, _, then = told.partition("Earlier, as things stood then:")
    assert was in then
    assert ended in now
    assert other.text in now
    alone = text_of(prompt([before, other], of=of, headings_language="en"), SlotName.LONG)
    assert "Earlier" not in alone


def test_what_can_still_be_read_may_be_left_out() -> None:
    held = [memory("Old news.", at=0), memory("New news.", at=3)]
    told = prompt(held, slots_leave_out_visible=True, turn=Turn(context=30))
    assert "Old news." in whole(told)
    assert "New news." not in whole(told)


@pytest.mark.real_model(5)
def test_a_sentence_that_a_look_through_said_to_be_past_is_told_as_past() -> None:
    held = [memory("Odo is accused of theft."), memory("Odo is a baker.")]
    looked = document(
        DocumentKind.UPKEEP,
        "",
        sections={held[0].id: "He was cleared.", held[1].id: ""},
        until="m3",
    )
    told = text_of(prompt(held, documents=[looked]), SlotName.LONG).splitlines()
    assert told[1:] == [
        "- Odo is a baker.",
        "Earlier, as things stood then:",
        "- Odo is accused of theft.",
    ]
    gone = replace(looked, until="deleted")
    assert "Earlier" not in text_of(prompt(held, documents=[gone]), SlotName.LONG)


def test_details_of_long_ago_are_told_as_the_past_also_where_nothing_newer_is_told() -> None:
    held = [memory("Vera does not sleep.", Tier.SESSION, at=1, hash="", type="detail")]
    told = text_of(prompt(held, of=in_scenes(90, 9, 60)), SlotName.SESSION).splitlines()
    assert told == [
        "Details from this session:",
        "Earlier, as things stood then:",
        "- Vera does not sleep.",
    ]


AND_SO_ON = (
    ", and what do the keeper of the light and both of his daughters have to do with it " * 2
)


@pytest.mark.real_model(13)
def test_the_newest_question_is_asked_though_the_prompt_holds_its_message() -> None:
    """With more room more messages were visible, and an old question took the new one's place."""
    of = long_story(120)
    held = [
        memory(f"Who lent the copper kettle to the miller {AND_SO_ON}?", Tier.ARCS, at=5, hash=""),
        memory(f"Will the ferry reach the isle tonight {AND_SO_ON}?", Tier.ARCS, at=118, hash=""),
    ]
    bound: dict[str, Any] = {"budget_mode": ADVANCED, "budgets_adaptive": False}
    told = prompt(held, of=of, turn=Turn(context=600), budget_arcs=60, **bound)
    assert "ferry" in text_of(told, SlotName(Tier.ARCS))
    assert "kettle" not in text_of(told, SlotName(Tier.ARCS))
