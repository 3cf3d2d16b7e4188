"""What a canon that was written some time ago tells no more, as the story has moved on."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.memory.records import DocumentKind, Ending, EndReason, Memory, Source, Tier
from app.prompt.slots import Reason, SlotSet
from app.settings.slot_table import SlotName
from app.story.messages import digest
from app.story.recaps import YOU
from tests.app.prompt.remembered import document, in_scenes, memory, prompt, story, text_of

KEPT = "Vera keeps the letters of the drowned in a green chest."
CAME = "Vera came to the lighthouse from the north."
CANON = document(
    DocumentKind.CANON,
    f"Identity: {KEPT}\n\nHistory: {CAME}\n\nNow: Vera waits at the gate.",
    subject="Vera",
    until="m1",
)
OF = in_scenes(70, 9, 20, 60)
LINES = [f"{KEPT} {n}." for n in range(70)]


def _ended(at: int) -> Ending:
    return Ending(EndReason.RETIRED, "", (Source(1, f"m{at}", digest(LINES[at])),))


def _left_out(slots: SlotSet) -> list[str]:
    (content,) = (c for c in slots.contents if c.key == SlotName.CANON.key)
    return [one.text for one in content.left_out if one.reason is Reason.PAST]


def test_a_canon_of_scenes_ago_does_not_say_how_things_stand_now() -> None:
    told = prompt(documents=[CANON], of=OF)
    assert "waits at the gate" not in text_of(told, SlotName.CANON)
    assert CAME in text_of(told, SlotName.CANON)
    assert _left_out(told) == ["Vera waits at the gate."]
    for fresh in (replace(CANON, until="m65"), replace(CANON, made_by=YOU)):
        assert "waits at the gate" in text_of(prompt(documents=[fresh], of=OF), SlotName.CANON)


@pytest.mark.parametrize(
    "later",
    [
        (memory("Vera no longer keeps the letters of the drowned.", at=30, hash=""),),
        (memory(KEPT, hash=digest(LINES[0]), endings=(_ended(30),)),),
    ],
    ids=["denied", "retired"],
)
def test_a_sentence_that_a_later_memory_has_overtaken_is_not_told(
    later: tuple[Memory, ...],
) -> None:
    told = prompt(later, documents=[CANON], of=story(*LINES))
    assert KEPT not in text_of(told, SlotName.CANON)
    assert CAME in text_of(told, SlotName.CANON)
    assert _left_out(told) == [KEPT]


def test_what_ended_before_the_canon_was_written_takes_nothing_from_it() -> None:
    source = Source(1, "m0", digest(LINES[0]))
    ended = memory(KEPT, hash=digest(LINES[0]), endings=(Ending(EndReason.RETIRED, "", (source,)),))
    told = prompt([ended], documents=[CANON], of=story(*LINES))
    assert KEPT in text_of(told, SlotName.CANON)


def test_the_user_s_own_words_stay_whatever_was_noted_since() -> None:
    own = replace(CANON, made_by=YOU)
    denied = memory("Vera no longer keeps the letters of the drowned.", at=30, hash="")
    assert KEPT in text_of(prompt([denied], documents=[own], of=story(*LINES)), SlotName.CANON)


def test_a_value_that_changed_since_is_not_told_by_the_canon() -> None:
    lines = [f"Line {n}." for n in range(70)]
    gone = memory(
        "in the cellar of the mill",
        Tier.STATE_LEDGER,
        hash=digest(lines[0]),
        subject="Vera",
        field="location",
        endings=(Ending(EndReason.RETIRED, "", (Source(1, "m9", digest(lines[9])),)),),
    )
    where = "Vera is in the cellar of the mill."
    canon = replace(CANON, text=f"Identity: {CAME} {where}")
    told = text_of(prompt([gone], documents=[canon], of=story(*lines)), SlotName.CANON)
    assert CAME in told
    assert where not in told


def test_history_that_later_memories_overtake_is_told_as_of_then() -> None:
    later = memory("Vera no longer keeps the letters of the drowned.", at=30, hash="")
    canon = replace(CANON, text=f"History: {CAME} {KEPT}\n\nNow: Vera writes.", until="m25")
    told = text_of(prompt([later], documents=[canon], of=story(*LINES)), SlotName.CANON)
    assert told.splitlines()[1:] == [
        f"History: {CAME}",
        "Now: Vera writes.",
        "Earlier, as things stood then:",
        f"History: {KEPT}",
    ]
