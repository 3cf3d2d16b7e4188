"""What people take each other to hold by what they saw together."""

from __future__ import annotations

from dataclasses import replace

from app.languages import load_packs
from app.memory.epistemic.epistemic_map import EpistemicMap
from app.memory.epistemic.presence import Event, Whereabouts
from app.memory.epistemic.shared_sights import SharedSight, shared_sights
from app.memory.epistemic.witnessing import Witnessing
from app.memory.records import Memory, Source, Tier
from app.memory.standing import Standing, Status
from app.memory.tiers.epistemic import SAW

ENGLISH = [pack for pack in load_packs() if pack.code == "en"]
BOX = "that the ring is in the box"
PARTING = [
    Event("present", "Ana", 1, "kitchen"),
    Event("present", "Bo", 1, "kitchen"),
    Event("present", "Dee", 1, "cellar"),
    Event("leave", "Bo", 3, "kitchen"),
]


def believed(who: str, *cited: int, channel: str = SAW) -> Standing:
    """A belief in the box, which begins to be one at the last of the messages that it cites."""
    sources = tuple(Source(1, str(at), "") for at in cited)
    memory = Memory(
        f"{who} {cited}", 1, Tier.EPISTEMIC, "believes", BOX, subject=who, sources=sources
    )
    return Standing(replace(memory, channel=channel), Status.ACTIVE, max(cited))


def place(source: Source) -> int:
    return int(source.anchor)


def shared(*beliefs: Standing) -> list[SharedSight]:
    return list(shared_sights(beliefs, Whereabouts(PARTING), place))


def minds(person: str, *beliefs: Standing, at: int = 9) -> set[tuple[str, str, str]]:
    """Whom a person takes to hold what."""
    where = Whereabouts(PARTING)
    witnessing = Witnessing(where, ENGLISH, shared_sights(beliefs, where, place))
    world = EpistemicMap(
        beliefs, participants=("Ana", "Bo", "Dee"), witnessing=witnessing
    ).world_of(person, at)
    return {(inner.holder, inner.state, inner.text) for inner in world.minds}


def test_who_was_with_the_holder_at_the_sight_shares_it() -> None:
    (sight,) = shared(believed("Bo", 2, 3, 5))
    assert (sight.holder, sight.at, sight.beside) == ("bo", 2, frozenset({"ana"}))


def test_who_leaves_in_the_message_of_the_sight_shares_it() -> None:
    assert [sight.beside for sight in shared(believed("Bo", 3, 5))] == [{"ana"}]


def test_who_is_met_and_leaves_in_one_message_shares_what_was_seen_in_it() -> None:
    met = [Event("present", who, 2, "hall") for who in ("Ana", "Bo")]
    where = Whereabouts([*met, Event("leave", "Bo", 2, "hall"), Event("enter", "Bo", 3, "yard")])
    assert [s.beside for s in shared_sights([believed("Bo", 2, 3)], where, place)] == [{"ana"}]
    assert where.beside("Bo", 3) == frozenset()


def test_nobody_shares_what_the_holder_saw_alone_or_was_told() -> None:
    assert not shared(believed("Bo", 4, 5))
    assert not shared(believed("Dee", 2, 5))
    assert not shared(believed("Bo", 2, 5, channel="told"))


def test_who_stayed_knows_what_the_one_who_left_goes_by() -> None:
    bo = believed("Bo", 2, 3, 5)
    knows = Memory("k", 1, Tier.EPISTEMIC, "knows", "that the ring is under the bed", subject="Ana")
    ana = Standing(knows, Status.ACTIVE, 5)
    assert minds("Ana", bo, ana) == {("Bo", "believes", BOX)}
    assert minds("Ana", bo, ana, at=4) == set()  # as yet nothing has changed


def test_who_left_takes_the_others_to_know_what_they_saw() -> None:
    assert minds("Bo", believed("Bo", 2, 3, 5)) == {("Ana", "knows", BOX)}


def test_who_goes_by_the_same_does_not_call_it_a_mere_belief() -> None:
    assert minds("Ana", believed("Bo", 2, 5), believed("Ana", 2, 5)) == {("Bo", "knows", BOX)}


def test_what_is_over_is_taken_of_nobody() -> None:
    over = replace(believed("Bo", 2, 5), status=Status.ENDED, end=7)
    assert minds("Bo", over, at=6) == {("Ana", "knows", BOX)}
    assert minds("Bo", over, at=8) == set()
