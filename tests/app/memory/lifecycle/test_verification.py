"""What is new, what is known, what replaces what, and what only the model can say."""

from __future__ import annotations

import math
import string
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.languages import load_packs
from app.memory.lifecycle.decisions import (
    Decision,
    Outcome,
    Question,
    Word,
    read_word,
    resolved,
    verified,
)
from app.memory.lifecycle.state_change import Wording
from app.memory.lifecycle.verification import verify
from app.memory.records import EndReason, Memory, Review, Tier
from app.memory.similarity import PROFILE_A, PROFILE_B, Thresholds, Vectors

WORDING = Wording(load_packs())
OLD = "Kael keeps bees behind the mill"
MARKED = "Kael no longer keeps bees behind the mill"
PLAIN = "the hives are cared for by a miller"
MARKER = "the hives were destroyed"


def memory(id_: str, text: str, type_: str = "fact", tier: Tier = Tier.LONG_TERM) -> Memory:
    return Memory(id_, 1, tier, type_, text)


def at(cosine: float, one: str, other: str) -> Vectors:
    """Vectors of two texts that are so much alike."""
    return Vectors.of({one: [1.0, 0.0], other: [cosine, math.sqrt(1 - cosine * cosine)]})


def outcome_at(
    cosine: float,
    text: str,
    profile: Thresholds = PROFILE_A,
    type_: str = "fact",
    tier: Tier = Tier.LONG_TERM,
) -> tuple[Outcome, Question | None]:
    [decision] = verify(
        [memory("new", text, type_, tier)],
        [memory("old", "bees live behind a mill", "fact", tier)],
        thresholds=profile,
        wording=WORDING,
        vectors=at(cosine, text, "bees live behind a mill"),
    )
    return decision.outcome, decision.question


NEW = (Outcome.NEW, None)
SUPERSEDES = (Outcome.SUPERSEDES, None)
DUPLICATE = (Outcome.DUPLICATE, None)
ASK_SAME = (Outcome.UNCERTAIN, Question.SAME)
ASK_CHANGED = (Outcome.UNCERTAIN, Question.CHANGED)
EDGES = [(PROFILE_A, 0.82, 0.88, 0.55), (PROFILE_B, 0.85, 0.91, 0.52)]


@pytest.mark.parametrize(("profile", "same", "cross", "topic"), EDGES, ids="AB")
def test_each_limit_decides_from_its_edge_on(
    profile: Thresholds, same: float, cross: float, topic: float
) -> None:
    step = 1e-3
    assert outcome_at(topic - step, PLAIN, profile) == NEW
    assert outcome_at(topic, PLAIN, profile) == ASK_CHANGED
    assert outcome_at(same - step, PLAIN, profile) == ASK_CHANGED
    assert outcome_at(same, PLAIN, profile) == ASK_SAME
    assert outcome_at(topic - step, MARKER, profile) == NEW
    assert outcome_at(topic, MARKER, profile) == SUPERSEDES
    assert outcome_at(same, MARKER, profile) == SUPERSEDES
    assert outcome_at(cross - step, PLAIN, profile, "event") == NEW
    assert outcome_at(cross, PLAIN, profile, "event") == DUPLICATE


def words_alike(common: int, all_words: int) -> tuple[str, str]:
    """Two texts with so many common words among all of theirs."""
    words = [f"w{one}{other}" for one in "abcdefgh" for other in string.ascii_lowercase]
    shared, alone = words[:common], words[common:all_words]
    half = len(alone) // 2
    return " ".join([*shared, *alone[:half]]), " ".join([*shared, *alone[half:]])


@pytest.mark.parametrize(
    ("profile", "common", "of", "expected"),
    [
        (PROFILE_A, 39, 100, NEW),
        (PROFILE_A, 40, 100, ASK_CHANGED),
        (PROFILE_A, 64, 100, ASK_CHANGED),
        (PROFILE_A, 65, 100, ASK_SAME),
        (PROFILE_B, 37, 100, NEW),
        (PROFILE_B, 38, 100, ASK_CHANGED),
        (PROFILE_B, 67, 100, ASK_CHANGED),
        (PROFILE_B, 68, 100, ASK_SAME),
    ],
)
@pytest.mark.pitfall(56)
def test_without_vectors_the_limits_for_words_decide(
    profile: Thresholds, common: int, of: int, expected: object
) -> None:
    one, other = words_alike(common, of)
    [decision] = verify(
        [memory("new", one)], [memory("old", other)], thresholds=profile, wording=WORDING
    )
    assert (decision.outcome, decision.question) == expected


@pytest.mark.parametrize(
    ("profile", "common", "expected"),
    [
        (PROFILE_A, 74, NEW),
        (PROFILE_A, 75, DUPLICATE),
        (PROFILE_B, 77, NEW),
        (PROFILE_B, 78, DUPLICATE),
    ],
)
def test_another_type_repeats_it_from_its_own_limit_on(
    profile: Thresholds, common: int, expected: object
) -> None:
    one, other = words_alike(common, 100)
    [decision] = verify(
        [memory("new", one, "event")], [memory("old", other)], thresholds=profile, wording=WORDING
    )
    assert (decision.outcome, decision.question) == expected


def test_a_pair_without_both_vectors_is_compared_by_words() -> None:
    one, other = words_alike(65, 100)
    only_one = Vectors.of({one: [1.0, 0.0]})
    [decision] = verify([memory("new", one)], [memory("old", other)], vectors=only_one)
    assert decision.question is Question.SAME
    assert not decision.score.is_cosine


def test_the_nearest_of_both_measures_is_found_on_a_common_scale() -> None:
    candidate = memory("new", "red lamps burn in the tower")
    by_words = memory("words", "red lamps burn in the old tower")  # .86, far above its limit
    by_vectors = memory("vectors", "some beacon")  # .75, below its limit
    vectors = at(0.75, candidate.text, by_vectors.text)
    [decision] = verify([candidate], [by_vectors, by_words], vectors=vectors)
    assert decision.other == "words"


def test_the_same_words_are_a_duplicate_without_asking() -> None:
    for type_ in ("fact", "event"):
        [decision] = verify([memory("new", f" {OLD.upper()}. ", type_)], [memory("old", OLD)])
        assert (decision.outcome, decision.other) == (Outcome.DUPLICATE, "old")


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("Kael has four brothers in the north", "Kael has three brothers in the north"),
        ("Kael owns 4 ships in the harbour", "Kael owns 3 ships in the harbour"),
        ("Mara does not trust Jon with the key", "Mara does trust Jon with the key"),
        ("Mara told Jon of the letter", "Jon told Mara of the letter"),
        ("Mara hates Tom more than death", "Mara hates Jon more than death"),
    ],
)
@pytest.mark.parametrize("tier", [Tier.LONG_TERM, Tier.SESSION])
@pytest.mark.parametrize("type_", ["same", "other"])
def test_numbers_negations_and_roles_are_never_swallowed(
    new: str, old: str, tier: Tier, type_: str
) -> None:
    [decision] = verify(
        [memory("new", new, "same", tier)],
        [memory("old", old, type_, tier)],
        wording=WORDING,
        vectors=at(0.99, new, old),
    )
    assert resolved(decision, None).outcome is Outcome.NEW


def test_what_became_of_one_does_not_end_what_is_known_of_another() -> None:
    new, old = "Mara now lives in the north", "Jon lives in the north"
    [decision] = verify(
        [memory("new", new)], [memory("old", old)], wording=WORDING, vectors=at(0.9, new, old)
    )
    assert (decision.outcome, decision.question) == ASK_CHANGED


@pytest.mark.parametrize(
    ("cosine", "text", "expected"),
    [
        (0.82, PLAIN, NEW),
        (0.821, PLAIN, DUPLICATE),
        (0.60, MARKER, SUPERSEDES),
        (0.99, MARKER, SUPERSEDES),  # the second look must not drop what supersedes
        (0.60, PLAIN, NEW),
    ],
)
@pytest.mark.pitfall(36)
def test_the_session_asks_nothing_and_merges_what_is_alike(
    cosine: float, text: str, expected: object
) -> None:
    assert outcome_at(cosine, text, PROFILE_A, tier=Tier.SESSION) == expected


def test_the_session_goes_by_overlap_without_vectors() -> None:
    texts = {n: words_alike(n, 200 - n) for n in (65, 66)}  # 100 words each
    found = {
        n: verify(
            [memory("n", one, "detail", Tier.SESSION)], [memory("o", two, "detail", Tier.SESSION)]
        )[0].outcome
        for n, (one, two) in texts.items()
    }
    assert found == {65: Outcome.NEW, 66: Outcome.DUPLICATE}


def test_candidates_are_held_against_each_other() -> None:
    first, again = memory("1", OLD), memory("2", "Kael keeps bees behind the old mill")
    ended = memory("3", MARKED)
    decisions = verify([first, again, ended], [], wording=WORDING)
    assert [(d.outcome, d.other) for d in decisions] == [
        (Outcome.NEW, ""),
        (Outcome.DUPLICATE, "1"),
        (Outcome.SUPERSEDES, "1"),
    ]
    result = verified(decisions, [])
    assert [m.id for m in result.accepted] == ["1", "3"]
    assert result.accepted[0].endings[0].by == "3"
    assert result.accepted[1].supersedes == ("1",)


def test_an_earlier_message_never_replaces_what_a_later_one_says() -> None:
    known = [memory("old", OLD)]
    [decision] = verify(
        [memory("new", MARKED)], known, wording=WORDING, places={"old": 9, "new": 3}
    )
    assert decision.outcome is Outcome.NEW
    [decision] = verify(
        [memory("new", MARKED)], known, wording=WORDING, places={"old": 3, "new": 9}
    )
    assert decision.outcome is Outcome.SUPERSEDES


@pytest.mark.parametrize(("profile", "cap"), [(PROFILE_A, 3), (PROFILE_B, 8)], ids="AB")
def test_a_pass_asks_only_so_many_questions(profile: Thresholds, cap: int) -> None:
    known = [memory(f"k{n}", f"{a}a {a}b {a}c {a}d {a}e") for n, a in enumerate("ghijklmnopqr")]
    candidates = [
        memory(f"c{n}", f"{a}a {a}b {a}c {a}d {a}f") for n, a in enumerate("ghijklmnopqr")
    ]
    decisions = verify(candidates, known, thresholds=profile)
    assert sum(d.outcome is Outcome.UNCERTAIN for d in decisions) == cap


@pytest.mark.pitfall(19)
def test_doing_the_same_work_again_makes_nothing_twice() -> None:
    done = memory("same-id", "anything else")
    [decision] = verify([memory("same-id", OLD)], [done])
    assert decision.outcome is Outcome.DUPLICATE
    assert verified([decision], [done]).accepted == ()


@pytest.mark.parametrize(
    ("question", "answer", "expected"),
    [
        (Question.SAME, "UPDATE", Outcome.SUPERSEDES),
        (Question.SAME, " **Duplicate.** They match", Outcome.DUPLICATE),
        (Question.SAME, "independent", Outcome.NEW),
        (Question.SAME, "Both could be", Outcome.DUPLICATE),
        (Question.SAME, "", Outcome.DUPLICATE),
        (Question.CHANGED, "update\n", Outcome.SUPERSEDES),
        (Question.CHANGED, "DUPLICATE", Outcome.NEW),
        (Question.CHANGED, "UPDATED", Outcome.NEW),
        (Question.CHANGED, "", Outcome.NEW),
    ],
)
@pytest.mark.pitfall(51)
def test_the_first_word_of_an_answer_decides(
    question: Question, answer: str, expected: Outcome
) -> None:
    cosine = 0.9 if question is Question.SAME else 0.6
    old = memory("old", "bees live behind a mill")
    [decision] = verify(
        [memory("new", PLAIN)], [old], wording=WORDING, vectors=at(cosine, PLAIN, old.text)
    )
    assert decision.question is question
    settled = resolved(decision, read_word(answer))
    assert settled.outcome is expected
    assert (settled.other == "") == (expected is Outcome.NEW)


def test_what_is_superseded_ends_by_the_new_one_and_what_is_repeated_is_confirmed() -> None:
    known = [memory("old", OLD), memory("other", "Mara plays the flute", "preference")]
    candidates = [memory("1", MARKED), memory("2", "Mara plays the flute.", "preference")]
    result = verified(verify(candidates, known, wording=WORDING), known)
    assert [m.id for m in result.accepted] == ["1"]
    [ended] = result.ended
    assert (ended.id, ended.endings[0].reason, ended.endings[0].by) == (
        "old",
        EndReason.SUPERSEDED,
        "1",
    )
    assert result.confirmed == {"other"}


@pytest.mark.pitfall(19)
def test_nothing_supersedes_itself_whatever_was_decided() -> None:
    again = memory("same-id", MARKED)
    decision = Decision(again, Outcome.SUPERSEDES, "same-id", also=("same-id",))
    [kept] = verified([decision], [memory("same-id", OLD)]).accepted
    assert (kept.supersedes, kept.endings) == ((), ())


def test_what_waits_for_review_confirms_nothing() -> None:
    known = [memory("old", OLD)]
    waiting = replace(memory("new", OLD), review=Review.WAITING)
    assert verified(verify([waiting], known), known).confirmed == frozenset()


SAID = st.sampled_from(
    [
        OLD,
        MARKED,
        "Kael keeps bees",
        "Kael keeps three bees behind the mill",
        "Mara keeps bees behind the mill",
        "Mara now keeps bees behind the mill",
        "bees",
        "",
    ]
)
MEMORIES = st.lists(
    st.tuples(st.integers(0, 9), SAID, st.sampled_from(["fact", "event"])), max_size=8
)


@given(MEMORIES, MEMORIES, st.lists(st.sampled_from([*Word, None]), min_size=8, max_size=8))
def test_whatever_is_proposed_the_outcome_is_sound(
    known_parts: list[tuple[int, str, str]],
    new_parts: list[tuple[int, str, str]],
    answers: list[Word | None],
) -> None:
    known = list({f"k{n}": memory(f"k{n}", t, y) for n, t, y in known_parts}.values())
    candidates = [memory(f"c{n}", t, y) for n, t, y in new_parts]
    decisions = verify(candidates, known, wording=WORDING)
    assert [d.candidate for d in decisions] == candidates
    settled = [resolved(d, a) for d, a in zip(decisions, answers, strict=False)]
    result = verified(settled, known)
    made = {m.id: m for m in result.accepted}
    assert len(made) == len(result.accepted)
    assert {m.id for m in result.ended}.isdisjoint(result.confirmed)
    everything = {m.id: m for m in known} | {m.id: m for m in result.ended} | made
    for item in everything.values():
        for ending in item.endings:
            assert ending.by != item.id
            assert item.id in everything[ending.by].supersedes
    for item in made.values():  # what supersedes comes later: there are no circles
        for old in item.supersedes:
            assert old not in made or list(made).index(old) < list(made).index(item.id)
    assert len({d.candidate.id for d in settled}) >= len(made)
