"""Where a total is too small for all, exact notes go before texts that tell of much at length."""

from __future__ import annotations

from app.memory.records import DocumentKind, Source, Tier
from app.prompt.generation import Turn
from app.prompt.slots import Reason
from app.prompt.turn_budgets import pressed
from app.settings.slot_table import DEFAULTS, SlotName
from tests.app.prompt.remembered import (
    CHAT,
    COUNTER,
    document,
    memory,
    prompt,
    story,
    text_of,
    whole,
)


def test_exact_notes_weigh_more_where_room_is_scarce() -> None:
    weights = pressed({**DEFAULTS, SlotName.TRIGGERED: 150})
    for exact in (SlotName.LONG, SlotName.SESSION):
        assert all(
            weights[exact] > weights[other]
            for other in (SlotName.CANON, SlotName.PROFILES, SlotName(Tier.ARCS))
        )
    assert weights[SlotName.SHORT] == DEFAULTS[SlotName.SHORT]


TOLD_TWICE = (
    "Odo sold the ferry to Hanna for nine silver spoons.",
    "Vera buried the blue lantern under the third birch.",
    "The miller has not spoken since the flood.",
    "Hanna carries her grandfather's whistle in her shoe.",
)


def test_what_lost_its_line_for_room_is_no_reason_to_leave_out_another() -> None:
    of = story(*(f"On day {n} they walk on, and it rains on the {n}th hill." for n in range(60)))
    memories = [
        memory(line, Tier.SESSION, at=n + 2, type="detail") for n, line in enumerate(TOLD_TWICE)
    ]
    walk = ("Vera walked on in the rain, and on, and it rained on the hill.",) * 6
    canon = document(DocumentKind.CANON, " ".join((*walk, *TOLD_TWICE)), subject="Vera")
    pressed_out = 0
    for total in range(60, 260, 10):
        slots = prompt(memories, of=of, documents=[canon], total=total)
        told = whole(slots)
        for content in slots.contents:
            for left in content.left_out:
                line = left.text.removeprefix("- ")
                pressed_out += left.reason is Reason.TOTAL
                assert left.reason is not Reason.ELSEWHERE or line in told, total
    assert pressed_out


def test_what_other_chats_say_gives_way_to_what_this_one_says_and_borrows_nothing() -> None:
    """A long chat of the same character filled the prompt of a short one with its own secrets."""
    elsewhere = [
        memory(
            f"the charcoal burner of valley {n} hid the bell of year {n} from everyone",
            Tier.EPISTEMIC,
            id=f"other{n}",
            type="hiding",
            subject="Vera",
            target="Odo",
            importance=3,
            sources=(Source(CHAT + 1, f"x{n}", ""),),
        )
        for n in range(60)
    ]
    here = [
        memory(text, Tier.EPISTEMIC, at=n, type="knows", subject="Vera", importance=1)
        for n, text in enumerate(("that Odo is afraid", "that the gate is old", "that rain comes"))
    ]
    details = [
        memory(f"Odo carries lantern {n} up to the gate", Tier.SESSION, type="detail", at=n % 4)
        for n in range(12)
    ]
    alone = prompt([*here, *details], turn=Turn(context=4000))
    beside = prompt([*elsewhere, *here, *details], turn=Turn(context=4000))
    told = text_of(beside, SlotName.EPISTEMIC)
    assert all(one.text in told for one in here)
    assert "charcoal burner" in told
    assert COUNTER.count(told) <= DEFAULTS[SlotName.EPISTEMIC]
    assert text_of(beside, SlotName.SESSION) == text_of(alone, SlotName.SESSION)
