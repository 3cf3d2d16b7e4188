"""What is stated of another's mind goes before what follows of who was there."""

from __future__ import annotations

import pytest

from app.languages import load_packs
from app.memory.epistemic.epistemic_map import EpistemicMap
from app.memory.epistemic.presence import Event, Whereabouts
from app.memory.epistemic.witnessing import Witnessing
from app.memory.records import Memory, Tier
from app.memory.standing import Standing, Status

ENGLISH = [pack for pack in load_packs() if pack.code == "en"]
BOX, BED = "the red ring is in the box", "the red ring is under the bed"
TOGETHER = (Event("present", "Ana", 0, "kitchen"), Event("present", "Bo", 0, "kitchen"))
SHOWN = (Event("shown", "Ana", 1, text=BOX), Event("shown", "Ana", 3, text=BED))
WATCHED = (*TOGETHER, *SHOWN)
UNWATCHED = (*TOGETHER, Event("leave", "Bo", 2, "kitchen"), *SHOWN)


def stated(state: str, who: str, text: str, start: int) -> Standing:
    memory = Memory(f"{who} {text}", 1, Tier.EPISTEMIC, state, text, subject=who)
    return Standing(memory, Status.ACTIVE, start)


def minds(person: str, *entries: Standing, events: tuple[Event, ...]) -> set[tuple[str, str, str]]:
    """Whom a person takes to hold what."""
    witnessing = Witnessing(Whereabouts(events), ENGLISH)
    derived = witnessing.entries(1, entries)
    world = EpistemicMap((*entries, *derived), witnessing=witnessing).world_of(person, 9)
    return {(inner.holder, inner.state, inner.text) for inner in world.minds}


@pytest.mark.parametrize(
    "entry",
    [
        stated("unaware", "Ana", "that Bo saw her put the red ring under the bed", 3),
        stated("unaware", "Ana", "that Bo knows that the red ring is under the bed", 3),
        stated("believes", "Ana", "Bo does not know that the red ring is under the bed", 3),
    ],
)
def test_who_does_not_know_that_they_were_watched_goes_by_what_both_saw_before(
    entry: Standing,
) -> None:
    assert minds("Ana", events=WATCHED) == {("Bo", "knows", BED)}
    found = minds("Ana", entry, events=WATCHED)
    assert {mind for mind in found if mind[1] != "unaware"} == {("Bo", "believes", BOX)}


def test_who_watched_takes_the_other_to_know_all_the_same() -> None:
    entry = stated("unaware", "Ana", "that Bo saw her put the red ring under the bed", 3)
    assert minds("Bo", entry, events=WATCHED) == {("Ana", "knows", BED)}


def test_what_one_wrongly_takes_another_to_have_seen_goes_before_what_both_saw() -> None:
    assert minds("Ana", events=UNWATCHED) == {("Bo", "believes", BOX)}
    taken = stated("believes", "Ana", f"Bo knows that {BED}", 3)
    assert minds("Ana", taken, events=UNWATCHED) == {("Bo", "knows", BED)}


def test_what_both_learn_together_later_counts_again() -> None:
    entry = stated("unaware", "Ana", "that Bo saw her put the red ring under the bed", 3)
    again = (*WATCHED, Event("shown", "Ana", 5, text=BED))
    assert ("Bo", "knows", BED) in minds("Ana", entry, events=again)


def test_what_is_stated_of_one_says_nothing_of_another() -> None:
    three = (*WATCHED, Event("present", "Cem", 0, "kitchen"))
    entry = stated("unaware", "Ana", "that Bo saw her put the red ring under the bed", 3)
    assert ("Cem", "knows", BED) in minds("Ana", entry, events=three)


def test_what_somebody_does_not_know_of_a_mind_is_none_of_their_thoughts() -> None:
    entry = stated("unaware", "Ana", f"that Bo knows that {BED}", 3)
    assert minds("Ana", entry, events=()) == set()
