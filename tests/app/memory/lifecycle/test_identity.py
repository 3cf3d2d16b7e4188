"""When arcs, feelings, values of the ledger and attitudes are the same thing."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from app.languages import load_packs
from app.memory.lifecycle.decisions import Outcome, verified
from app.memory.lifecycle.every_tier import texts_to_compare, verify_all
from app.memory.lifecycle.identity import (
    beyond_cap,
    open_threads,
    verify_epistemic,
    verify_threads,
)
from app.memory.lifecycle.state_change import Wording
from app.memory.records import ARC, FEELING, Ending, EndReason, Memory, Review, Tier
from app.memory.similarity import NO_VECTORS, Vectors

WORDING = Wording(load_packs())


def arc(id_: str, text: str) -> Memory:
    return Memory(id_, 1, Tier.ARCS, ARC, text)


def value(id_: str, text: str, subject: str = "Mara", field: str = "location") -> Memory:
    return Memory(id_, 1, Tier.STATE_LEDGER, "character", text, subject=subject, field=field)


def feels(id_: str, text: str, magnitude: str = "medium", target: str = "Jon") -> Memory:
    return Memory(
        id_,
        1,
        Tier.RELATIONSHIPS,
        FEELING,
        text,
        subject="Mara",
        target=target,
        magnitude=magnitude,
    )


def stance(id_: str, type_: str, text: str, holder: str = "Mara", target: str = "") -> Memory:
    return Memory(id_, 1, Tier.EPISTEMIC, type_, text, subject=holder, target=target)


def at(cosine: float, one: str, other: str) -> Vectors:
    return Vectors.of({one: [1.0, 0.0], other: [cosine, math.sqrt(1 - cosine * cosine)]})


def ones(count: int, total: int) -> tuple[str, str]:
    """Two texts with so many common words of all."""
    words = [f"w{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(total)]
    return " ".join(words[:count]), " ".join(words)


@pytest.mark.parametrize(("cosine", "expected"), [(0.819, Outcome.NEW), (0.82, Outcome.DUPLICATE)])
def test_an_arc_is_known_from_its_limit_on(cosine: float, expected: Outcome) -> None:
    vectors = at(cosine, "who sent it", "an unknown sender")
    known = [arc("old", "an unknown sender")]
    [decision] = verify_threads([arc("new", "who sent it")], known, vectors=vectors)
    assert decision.outcome is expected


def test_what_is_open_between_other_people_is_another_thread() -> None:
    known = [replace(arc("old", "bring the ring home"), subject="Mara", target="Jon")]
    new = replace(arc("new", "bring the ring home"), subject="Mara", target="Tom")
    [decision] = verify_threads([new], known)
    assert decision.outcome is Outcome.NEW


@pytest.mark.parametrize(("common", "expected"), [(39, Outcome.NEW), (40, Outcome.DUPLICATE)])
def test_an_arc_is_known_by_its_words(common: int, expected: Outcome) -> None:
    part, whole = ones(common, 100)
    [decision] = verify_threads([arc("new", part)], [arc("old", whole)])
    assert decision.outcome is expected


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        ("Who took the map?", Outcome.NEW),
        ("Will the ring be found?", Outcome.NEW),
        ("Will Mara forgive Jon?", Outcome.NEW),
        ("Who took the ring from the safe?", Outcome.DUPLICATE),
        ("Who was it that took the ring?", Outcome.DUPLICATE),
    ],
)
def test_arcs_that_ask_the_same_of_different_things_are_two(new: str, expected: Outcome) -> None:
    texts = ("Who took the ring?", "Will the cup be found?", "Will Mara marry Jon?")
    known = [arc(text, text) for text in texts]
    [decision] = verify_threads([arc("new", new)], known, wording=WORDING)
    assert decision.outcome is expected


def test_arcs_of_a_batch_are_held_against_each_other_but_not_those_of_others() -> None:
    batch = [
        arc("1", "Who sent the letter to Mara?"),
        arc("2", "Who sent that letter to Mara?"),
        arc("3", "Who sent the letter to Jon?"),
    ]
    assert [d.outcome for d in verify_threads(batch, [], wording=WORDING)] == [
        Outcome.NEW,
        Outcome.DUPLICATE,
        Outcome.NEW,
    ]


@pytest.mark.parametrize(("cosine", "kept"), [(0.779, 1), (0.78, 0)])
def test_what_the_session_tells_is_no_open_thread(cosine: float, kept: int) -> None:
    session = [Memory("s", 1, Tier.SESSION, "detail", "it is done")]
    vectors = at(cosine, "will it be done", "it is done")
    assert len(open_threads([arc("a", "will it be done")], session, vectors)) == kept
    for common, words_kept in ((44, 1), (45, 0)):
        part, whole = ones(common, 100)
        session = [Memory("s", 1, Tier.SESSION, "detail", whole)]
        assert len(open_threads([arc("a", part)], session, NO_VECTORS)) == words_kept


def test_a_newer_value_supersedes_and_the_same_is_a_duplicate() -> None:
    known = [value("old", "the mill")]
    decisions = verify_all(
        [value("1", "The mill."), value("2", "the harbour"), value("3", "the mill", field="mood")],
        known,
    )
    assert [(d.outcome, d.other) for d in decisions] == [
        (Outcome.DUPLICATE, "old"),
        (Outcome.SUPERSEDES, "old"),
        (Outcome.NEW, ""),
    ]
    assert verify_all([value("4", "the ship", subject="MARA")], known)[0].other == "old"
    assert verify_all([value("5", "the ship", subject="Jon")], known)[0].other == ""


def test_values_of_one_answer_follow_each_other() -> None:
    decisions = verify_all([value("1", "a"), value("2", "b"), value("3", "b")], [])
    assert [(d.outcome, d.other) for d in decisions] == [
        (Outcome.NEW, ""),
        (Outcome.SUPERSEDES, "1"),
        (Outcome.DUPLICATE, "2"),
    ]


def test_a_value_found_later_in_an_earlier_message_takes_its_place_in_the_history() -> None:
    first = replace(value("first", "a"), endings=(Ending(EndReason.SUPERSEDED, by="last"),))
    known = [first, value("last", "c")]
    decisions = verify_all([value("new", "b")], known, places={"first": 1, "new": 5, "last": 9})
    result = verified(decisions, known)
    [made] = result.accepted
    assert made.supersedes == ("first",)
    assert [ending.by for ending in made.endings] == ["last"]
    assert [m.id for m in result.ended] == ["first"]


def test_a_value_that_was_cleared_can_be_set_again() -> None:
    cleared = replace(value("old", "a"), endings=(Ending(EndReason.RETIRED),))
    assert verify_all([value("new", "a")], [cleared])[0].outcome is Outcome.NEW


def test_a_feeling_is_its_pair_and_its_word() -> None:
    known = [feels("old", "wary", "low")]
    decisions = verify_all(
        [
            feels("1", "Wary", "low"),
            feels("2", "wary", "high"),
            feels("3", "warm"),
            feels("4", "wary", target="Tom"),
        ],
        known,
    )
    assert [(d.outcome, d.other) for d in decisions] == [
        (Outcome.DUPLICATE, "old"),
        (Outcome.SUPERSEDES, "old"),
        (Outcome.NEW, ""),
        (Outcome.NEW, ""),
    ]


def test_a_pair_keeps_its_six_strongest_feelings() -> None:
    felt = [feels(f"{n}", f"word{n}", "high" if n % 2 else "low") for n in range(8)]
    felt += [feels("other", "warm", "low", target="Tom")]
    assert {m.id for m in beyond_cap(felt)} <= {"0", "2", "4", "6"}
    assert len(beyond_cap(felt)) == 2


@pytest.mark.parametrize(
    ("type_", "target", "expected"),
    [
        ("knows", "", (Outcome.DUPLICATE, "old")),
        ("suspects", "", (Outcome.SUPERSEDES, "old")),
        ("hiding", "Jon", (Outcome.NEW, "")),
    ],
)
def test_another_attitude_to_the_same_matter_supersedes(
    type_: str, target: str, expected: object
) -> None:
    known = [stance("old", "knows", "the ledger was forged")]
    new = stance("new", type_, "the ledger was forged", target=target)
    [decision] = verify_epistemic([new], known, wording=WORDING)
    assert (decision.outcome, decision.other) == expected
    [other] = verify_epistemic([replace(new, subject="Jon")], known, wording=WORDING)
    assert other.outcome is Outcome.NEW


@pytest.mark.parametrize(("cosine", "expected"), [(0.699, Outcome.NEW), (0.70, Outcome.SUPERSEDES)])
def test_a_matter_is_the_same_from_its_limit_on(cosine: float, expected: Outcome) -> None:
    vectors = at(cosine, "a forged ledger", "someone faked the book")
    known = [stance("old", "suspects", "someone faked the book")]
    [decision] = verify_epistemic(
        [stance("new", "knows", "a forged ledger")], known, wording=WORDING, vectors=vectors
    )
    assert decision.outcome is expected


def test_hiding_goes_by_whom_it_is_hidden_from() -> None:
    known = [stance("old", "hiding", "the ledger was forged", target="Jon")]
    again, from_tom = (
        stance(name, "hiding", "the ledger was forged", target=name) for name in ("jon", "Tom")
    )
    assert verify_epistemic([again], known)[0].outcome is Outcome.DUPLICATE
    assert verify_epistemic([from_tom], known)[0].outcome is Outcome.NEW


def test_likeness_alone_makes_no_matter_the_same() -> None:
    old, new = "Jon told Tom of the forged ledger", "Tom told Jon of the forged ledger"
    [decision] = verify_epistemic(
        [stance("new", "suspects", new)],
        [stance("old", "knows", old)],
        wording=WORDING,
        vectors=at(0.99, old, new),
    )
    assert decision.outcome is Outcome.NEW


def test_one_change_of_mind_ends_all_that_was_thought_of_it() -> None:
    known = [
        stance("1", "unaware", "the forged ledger"),
        stance("2", "suspects", "the forged ledger"),
    ]
    result = verified(verify_epistemic([stance("3", "knows", "the forged ledger")], known), known)
    assert {m.id for m in result.ended} == {"1", "2"}
    assert result.accepted[0].supersedes == ("1", "2")


def test_an_attitude_of_an_earlier_message_is_ended_by_the_later_one() -> None:
    known = [stance("old", "knows", "the forged ledger")]
    decisions = verify_epistemic(
        [stance("new", "unaware", "the forged ledger")], known, places={"old": 9, "new": 2}
    )
    result = verified(decisions, known)
    assert result.ended == ()
    assert result.accepted[0].endings[0].by == "old"


IN_THE_CHEST = "that the crown of the abbot is in the chest"
IN_THE_WELL = "that the crown of the abbot is in the well"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("believes", "unaware", (Outcome.NEW, "")),
        ("knows", "unaware", (Outcome.SUPERSEDES, "old")),
        ("believes", "knows", (Outcome.SUPERSEDES, "old")),
        ("knows", "knows", (Outcome.SUPERSEDES, "old")),
        ("unaware", "believes", (Outcome.SUPERSEDES, "old")),
        ("unaware", "unaware", (Outcome.NEW, "")),
        ("hiding", "hiding", (Outcome.NEW, "")),
    ],
)
def test_a_thing_at_another_place_ends_what_it_leaves_no_room_for(
    old: str, new: str, expected: object
) -> None:
    known = [stance("old", old, IN_THE_CHEST)]
    [decision] = verify_epistemic([stance("new", new, IN_THE_WELL)], known, wording=WORDING)
    assert (decision.outcome, decision.other) == expected


def test_a_belief_told_late_stands_beside_what_its_holder_misses() -> None:
    known = [stance("missed", "unaware", IN_THE_WELL)]
    [decision] = verify_epistemic(
        [stance("belief", "believes", IN_THE_CHEST)],
        known,
        wording=WORDING,
        places={"missed": 9, "belief": 2},
    )
    assert (decision.outcome, decision.ended_by) == (Outcome.NEW, "")


def test_a_place_said_more_closely_is_the_same_one() -> None:
    known = [stance("old", "unaware", f"{IN_THE_CHEST} there")]
    [decision] = verify_epistemic([stance("new", "knows", IN_THE_CHEST)], known, wording=WORDING)
    assert decision.outcome is Outcome.SUPERSEDES
    [again] = verify_epistemic([stance("new", "unaware", IN_THE_CHEST)], known, wording=WORDING)
    assert again.outcome is Outcome.DUPLICATE


def test_each_tier_is_verified_by_its_own_rule() -> None:
    known = [
        value("v", "the mill"),
        stance("s", "suspects", "the forged ledger"),
        Memory("d", 1, Tier.SESSION, "detail", "The gate of the mill is broken"),
    ]
    candidates = [
        value("v2", "the harbour"),
        stance("s2", "knows", "the forged ledger"),
        arc("a", "The gate of the mill is broken"),
        arc("a2", "Who broke into the archive?"),
        Memory("d2", 1, Tier.SESSION, "detail", "the gate of the mill is broken."),
    ]
    result = verified(verify_all(candidates, known, wording=WORDING), known)
    assert {m.id for m in result.accepted} == {"v2", "s2", "a2"}
    assert {m.id for m in result.ended} == {"v", "s"}
    assert result.confirmed == {"d"}
    assert texts_to_compare(candidates) == tuple(
        m.text for m in candidates if m.tier is not Tier.STATE_LEDGER
    )


def test_a_claim_that_waits_for_review_takes_no_place_from_one_that_stands() -> None:
    firm = Memory("firm", 1, Tier.LONG_TERM, "fact", "Kael keeps bees behind the mill")
    waiting = replace(firm, id="waiting", review=Review.WAITING)
    result = verified(verify_all([waiting, firm], []), [])
    assert [m.id for m in result.accepted] == ["firm"]
