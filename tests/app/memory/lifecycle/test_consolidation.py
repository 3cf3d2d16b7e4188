"""Folding memories: what is merged lives on in one place, and nothing is lost by a poor answer."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.languages import load_packs
from app.memory.lifecycle.consolidation import MOST_NEW, Batch, consolidated, due, split
from app.memory.lifecycle.state_change import Wording
from app.memory.reading.answers import read_answer
from app.memory.reading.extraction import Work
from app.memory.records import (
    LONG_TERM_TYPES,
    SESSION_TYPES,
    EndReason,
    Expiration,
    Grounding,
    Memory,
    MemoryChange,
    Source,
    Tier,
)
from app.memory.similarity import Vectors
from app.memory.standing import Ground, active
from app.memory.tiers.claims import ReadAnswer
from app.settings.values import REGISTRY

WORDING = Wording(load_packs())
WORK = Work("operation", 1, "card", "model", 50.0)
AT = {"fact": 4, "detail": 3}


def fact(id_: str, text: str, *, is_old: bool = False, place: int = 0) -> Memory:
    return Memory(
        id_,
        1,
        Tier.LONG_TERM,
        "fact",
        text,
        character="card",
        is_consolidated=is_old,
        sources=(Source(1, f"m{place}"),),
    )


BEES = fact("base", "Kael keeps bees behind the mill", is_old=True, place=1)
HIVES = fact("new", "Kael keeps bees behind the old mill", place=2)
FLUTE = fact("flute", "Mara plays the flute at weddings", place=3)
BATCH = Batch(Tier.LONG_TERM, "fact", (BEES,), (HIVES, FLUTE))
GROUND = Ground(1, {f"m{n}": n for n in range(9)}, {}, 8)


def folded(batch: Batch, *lines: str, vectors: Vectors | None = None) -> MemoryChange:
    answer = read_answer("\n".join(lines), (batch.tier,))
    return consolidated(batch, answer, WORK, wording=WORDING, vectors=vectors or Vectors())


def after(batch: Batch, change: MemoryChange) -> dict[str, Memory]:
    return {m.id: m for m in batch.entries} | {m.id: m for m in change.memories}


def holding(batch: Batch, change: MemoryChange) -> list[str]:
    return sorted(m.text for m in active(tuple(after(batch, change).values()), GROUND))


def test_a_type_is_due_when_enough_of_it_is_new() -> None:
    old = [fact(f"o{n}", f"old {n}", is_old=True) for n in range(9)]
    new = [fact(f"n{n}", f"new {n}") for n in range(4)]
    assert due([*old, *new[:3]], AT) == ()
    [batch] = due([*old, *new], AT)
    assert (batch.base, batch.new) == (tuple(old), tuple(new))
    assert batch.output_tokens == 13 * 60
    assert due(new[:1], AT, is_forced=True) == ()
    assert due([*old, new[0]], AT, is_forced=True)[0].new == (new[0],)
    assert due([replace(m, tier=Tier.ARCS, type="arc") for m in new], AT) == ()


@pytest.mark.parametrize("type_", [*LONG_TERM_TYPES, *SESSION_TYPES])
def test_each_type_is_merged_by_its_own_number(type_: str) -> None:
    """The number that the user sets for a type makes it due, and no other one."""
    tier = Tier.LONG_TERM if type_ in LONG_TERM_TYPES else Tier.SESSION
    new = [replace(fact(f"n{n}", f"new {n}"), tier=tier, type=type_) for n in range(3)]
    others = {one: 2 for one in (*LONG_TERM_TYPES, *SESSION_TYPES) if one != type_}
    assert f"consolidate_{type_}" in REGISTRY
    assert due(new, others | {type_: 4}) == ()
    [batch] = due(new, dict.fromkeys(others, 9) | {type_: 3})
    assert (batch.tier, batch.type, batch.new) == (tier, type_, tuple(new))


def test_a_model_is_asked_only_about_what_may_be_the_same() -> None:
    other = fact("other", "The harbour freezes in winter", is_old=True)
    alike, apart = split(replace(BATCH, base=(other, BEES)))
    assert (alike.base, alike.new, apart) == ((BEES,), (HIVES,), (FLUTE,))
    nothing, rest = split(replace(BATCH, base=(other,), new=(FLUTE,)))
    assert (nothing.new, rest) == ((), (FLUTE,))


def test_many_new_ones_are_taken_in_turns() -> None:
    new = [fact(f"n{n}", f"new {n}") for n in range(MOST_NEW + 5)]
    [batch] = due(new, AT)
    change = consolidated(batch, ReadAnswer(is_none=True), WORK)
    [rest] = due([m for m in MemoryChange(tuple(new)).memories if m not in batch.new], AT)
    assert len(rest.new) == 5
    assert all(m.is_consolidated for m in change.memories)


@pytest.mark.pitfall(27)
def test_a_merged_memory_holds_all_that_its_parts_stood_on() -> None:
    base = replace(
        BEES,
        importance=1,
        confidence=0.9,
        entities=("Kael",),
        triggers=("honey",),
        witnessed_by=("Mara",),
        expiration=Expiration.SESSION,
    )
    new = replace(HIVES, importance=3, entities=("Kael", "mill"), witnessed_by=("Jon",))
    batch = replace(BATCH, base=(base,), new=(new, FLUTE))
    change = folded(batch, "[fact:2] Kael keeps many bees behind the old mill")
    merged = change.memories[0]
    assert merged.text == "Kael keeps many bees behind the old mill"
    assert merged.sources == (Source(1, "m1"), Source(1, "m2"))
    assert merged.entities == ("Kael", "mill")
    assert (merged.triggers, merged.witnessed_by) == (("honey",), ("Mara", "Jon"))
    assert (merged.importance, merged.confidence) == (3, 0.9)
    assert (merged.expiration, merged.grounding) == (Expiration.PERMANENT, Grounding.DERIVED)
    assert (merged.supersedes, merged.character) == (("base", "new"), "card")
    states = after(batch, change)
    for part in ("base", "new"):
        assert [(e.reason, e.by) for e in states[part].endings] == [(EndReason.MERGED, merged.id)]
    assert states["flute"].endings == ()
    assert states["flute"].is_consolidated


def test_what_was_merged_lives_again_when_the_merged_one_falls() -> None:
    change = folded(BATCH, "[fact] Kael keeps many bees behind the old mill")
    assert HIVES.text not in holding(BATCH, change)
    without = Ground(1, {"m1": 1, "m3": 3}, {}, 3)
    with_hash = tuple(
        replace(m, sources=tuple(replace(s, content_hash="then") for s in m.sources))
        if m.grounding is Grounding.DERIVED
        else m
        for m in after(BATCH, change).values()
    )
    assert BEES.text in [m.text for m in active(with_hash, without)]


def test_none_puts_each_new_one_into_its_nearest_and_keeps_the_rest() -> None:
    change = folded(BATCH, "NONE.")
    states = after(BATCH, change)
    assert [(e.reason, e.by) for e in states["new"].endings] == [(EndReason.MERGED, "base")]
    assert states["flute"].endings == ()
    assert holding(BATCH, change) == [BEES.text, FLUTE.text]
    assert states["flute"].is_consolidated


@pytest.mark.parametrize(("cosine", "holds"), [(0.549, 2), (0.55, 1)])
def test_none_goes_by_the_limit_of_the_same_topic(cosine: float, holds: int) -> None:
    base, new = replace(BEES, entities=("Kael",)), fact("new", "Hives stand there")
    batch = replace(BATCH, base=(base,), new=(new,))
    vectors = Vectors.of(
        {BEES.text: [1.0, 0.0], "Hives stand there": [cosine, math.sqrt(1 - cosine**2)]}
    )
    assert len(holding(batch, folded(batch, "NONE", vectors=vectors))) == holds


@pytest.mark.parametrize(
    ("tier", "type_", "limit"), [(Tier.LONG_TERM, "fact", 0.70), (Tier.SESSION, "detail", 0.65)]
)
@pytest.mark.parametrize("above", [False, True])
def test_a_known_one_is_replaced_only_above_its_limit(
    tier: Tier, type_: str, limit: float, above: bool
) -> None:
    base, new = (replace(m, tier=tier, type=type_) for m in (BEES, HIVES))
    line = "Hives with bees are behind the old mill"
    cosine = limit + (1e-3 if above else 0)
    vectors = Vectors.of(
        {line: [1.0, 0.0], base.text: [cosine, math.sqrt(1 - cosine**2)], new.text: [1.0, 0.1]}
    )
    batch = Batch(tier, type_, (base,), (new,))
    change = folded(batch, f"[{type_}] {line}", vectors=vectors)
    assert (base.text not in holding(batch, change)) is above


def test_a_line_that_repeats_an_entry_leaves_it_as_it_is() -> None:
    change = folded(BATCH, f"[fact] {BEES.text}.", f"[fact] {FLUTE.text}")
    assert holding(BATCH, change) == [BEES.text, FLUTE.text]
    assert {m.id for m in change.memories} == {"new", "flute"}


def test_numbers_of_entries_say_what_a_line_stands_for() -> None:
    other = fact("hive", "Honey is sold by a keeper of bees")
    batch = Batch(Tier.LONG_TERM, "fact", (BEES,), (other,))
    line = "Kael, a keeper of bees behind the mill, sells honey"
    assert len(holding(batch, folded(batch, f"[fact:sources=1,2] {line}"))) == 1


def test_a_long_line_may_stand_for_many_short_entries() -> None:
    short = [fact(f"n{n}", f"Kael owns {thing}") for n, thing in enumerate(["bees", "a mill"])]
    batch = Batch(Tier.LONG_TERM, "fact", (BEES,), tuple(short))
    line = "Kael owns a mill, and keeps bees behind it, which he owns as well as he keeps them"
    change = folded(batch, f"[fact:sources=1,2,3] {line}")
    assert holding(batch, change) == [line]


def test_two_foldings_of_one_piece_of_work_make_two_memories() -> None:
    other = replace(BATCH, new=(fact("more", HIVES.text), FLUTE))
    line = "[fact] Kael keeps many bees behind the old mill"
    made = {folded(batch, line).memories[0].id for batch in (BATCH, BATCH, other)}
    assert len(made) == 2


def test_a_wrong_number_merges_nothing() -> None:
    change = folded(BATCH, "[fact:sources=1,3] Kael keeps bees behind the mill and the old barn")
    assert after(BATCH, change)["flute"].endings == ()


@pytest.mark.parametrize(
    "new",
    ["Kael keeps four bees behind the mill", "Kael does not keep bees behind the mill"],
)
@pytest.mark.parametrize("answer", ["NONE", "[fact] Kael keeps some bees behind the mill"])
def test_numbers_and_negations_are_never_folded_away(new: str, answer: str) -> None:
    batch = replace(BATCH, new=(fact("new", new),))
    assert new in holding(batch, folded(batch, answer))


def test_what_one_of_several_denies_leaves_none_of_the_others_beside_their_line() -> None:
    """The merged line stood beside the entry that it was to replace."""
    knock = fact("knock", "Kael knocked once at the wall of room seven", place=1)
    hush = fact("hush", "At the wall of room seven nobody had answered for years", place=2)
    line = "Kael knocked once at the wall of room seven, where nobody had answered for years."
    batch = Batch(Tier.LONG_TERM, "fact", (), (knock, hush))
    assert holding(batch, folded(batch, f"[fact:sources=1,2] {line}")) == [line]
    alone = Batch(Tier.LONG_TERM, "fact", (), (knock,))
    turned = "[fact:sources=1] Kael never knocked at the wall of room seven."
    assert holding(alone, folded(alone, turned)) == [knock.text]


def test_what_the_user_wrote_is_not_written_anew() -> None:
    yours = replace(BEES, grounding=Grounding.YOURS)
    pinned = replace(FLUTE, is_pinned=True)
    batch = Batch(Tier.LONG_TERM, "fact", (yours,), (pinned, HIVES))
    change = folded(
        batch,
        "[fact] Kael keeps many bees behind the old mill",
        "[fact] Mara plays the flute at weddings often",
    )
    assert {yours.text, pinned.text} <= set(holding(batch, change))


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "I am sorry, I cannot do that.",
        "[event] Kael keeps bees behind the old mill",
        "[fact] Kael keeps bees behind the mill with Aldous",  # a name from nowhere
        "[fact] Kael keeps 40 bees behind the old mill",  # a number from nowhere
        "\n".join(
            f"[fact] Kael keeps bees behind the mill {word}" for word in ("a", "b", "c", "d")
        ),
        "Sure!\nHere it is\n[fact] Kael keeps bees behind the old mill",
    ],
)
def test_an_answer_that_cannot_be_trusted_changes_nothing(answer: str) -> None:
    assert not folded(BATCH, answer)


LINES = st.lists(
    st.one_of(
        st.sampled_from(
            [
                "NONE",
                "[fact] Kael keeps bees behind the old mill",
                "[fact:sources=1,2] Kael keeps bees behind the mill",
                "[fact:sources=2] Mara plays the flute",
                "[fact:sources=9] Mara plays the flute at weddings",
                "[session] nonsense",
            ]
        ),
        st.text(max_size=40),
    ),
    max_size=6,
)
ENTRIES = st.lists(
    st.sampled_from([BEES.text, HIVES.text, FLUTE.text, "Kael keeps three bees", "猫が好き"]),
    max_size=5,
)


@given(LINES, ENTRIES, ENTRIES)
def test_no_answer_loses_anything(lines: list[str], base: list[str], new: list[str]) -> None:
    batch = Batch(
        Tier.LONG_TERM,
        "fact",
        tuple(fact(f"b{n}", text, is_old=True) for n, text in enumerate(base)),
        tuple(fact(f"n{n}", text) for n, text in enumerate(new)),
    )
    change = folded(batch, *lines)
    states = after(batch, change)
    assert not change.removed
    held = {m.id for m in active(tuple(states.values()), GROUND)}
    for entry in batch.entries:
        target, seen = states[entry.id], set()
        while target.endings:  # each leads to something that holds, in no circle
            assert target.id not in seen
            seen.add(target.id)
            assert target.endings[-1].reason is EndReason.MERGED
            target = states[target.endings[-1].by]
        assert target.id in held
        assert {s.anchor for s in entry.sources} <= {f"m{n}" for n in range(9)}
    for made in states.values():
        assert made.id not in made.supersedes


PLAIN = replace(BEES, importance=1, confidence=0.6, expiration=Expiration.SESSION, recalls=1)
RICH = replace(
    HIVES,
    importance=3,
    confidence=0.9,
    recalls=4,
    last_confirmed=70.0,
    entities=("Kael", "mill"),
    triggers=("honey",),
    witnessed_by=("Jon",),
)


@pytest.mark.parametrize("line", [f"[fact:2] {BEES.text}", "NONE"])
@pytest.mark.real_model(8)
def test_an_entry_that_is_repeated_word_for_word_takes_over_what_the_other_had(line: str) -> None:
    base = replace(PLAIN, entities=("Kael",), triggers=("bees",), witnessed_by=("Mara",))
    batch = replace(BATCH, base=(base,), new=(RICH,))
    change = folded(batch, line)
    assert holding(batch, change) == [BEES.text]
    kept = after(batch, change)["base"]
    assert kept.triggers == ("bees", "honey")
    assert kept.entities == ("Kael", "mill")
    assert kept.witnessed_by == ("Mara", "Jon")
    assert (kept.importance, kept.confidence, kept.recalls) == (3, 0.9, 4)
    assert (kept.expiration, kept.last_confirmed) == (Expiration.PERMANENT, 70.0)
    assert kept.sources == base.sources, "what it stands on is its own"


def test_what_the_user_weighed_keeps_its_weight_when_another_goes_into_it() -> None:
    yours = replace(PLAIN, is_pinned=True)
    kept = after(batch := replace(BATCH, base=(yours,), new=(RICH,)), folded(batch, "NONE"))["base"]
    assert (kept.importance, kept.triggers) == (1, ("honey",))


def test_what_goes_into_a_merged_one_afterwards_leaves_its_triggers_there() -> None:
    late = replace(RICH, id="late", text="Kael keeps bees behind the mill now", triggers=("hum",))
    batch = replace(BATCH, base=(BEES,), new=(HIVES, late))
    change = folded(batch, "[fact:2] Kael keeps many bees behind the old mill")
    assert "hum" in change.memories[0].triggers
