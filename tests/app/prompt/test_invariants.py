"""What holds for all memories and budgets: bounds, order, sameness, and nothing twice."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import settings as trial
from hypothesis import strategies as st

from app.memory.records import Memory, Tier
from app.prompt.generation import Turn
from app.prompt.slots import Reason, SlotSet
from app.settings.slot_table import SHARING, SlotName
from app.settings.slots import ADVANCED
from tests.app.prompt.remembered import COUNTER, memories, memory, prompt, story

A_FEW = trial(max_examples=40, deadline=None)  # each assembles several prompts
BUDGETED = (*SHARING, SlotName.TRIGGERED)
_budgets = st.fixed_dictionaries({f"budget_{n}": st.integers(0, 90) for n in BUDGETED})


SAME_WORDS = tuple(
    memory(text, tier, id=f"id{number}", importance=1, subject="Vera")
    for number, (text, tier) in enumerate(
        [("X", Tier.ARCS), ("X", Tier.LONG_TERM), ("X", Tier.ARCS), ("[", Tier.LONG_TERM)]
    )
)


def shown(slots: SlotSet) -> dict[str, tuple[str, ...]]:
    return {content.key: content.shown for content in slots.contents}


def all_shown(slots: SlotSet) -> set[str]:
    return {one for ids in shown(slots).values() for one in ids}


# Between these totals the running recap comes in, and what stands beside it is weighed anew: one
# memory gave way to another.
BESIDE_A_RECAP = tuple(
    memory(text, tier, id=id_, **{"subject": "Vera"} | more)
    for id_, text, tier, more in (
        ("id0", "|[", Tier.ARCS, {"importance": 1, "is_pinned": True}),
        ("id1", "X", Tier.EPISTEMIC, {"type": "hiding", "subject": "You", "target": "Vera"}),
        ("id2", "a]Y →] }\n}", Tier.LONG_TERM, {"importance": 1}),
        ("id3", "X[X[Y[.XXX[[a→b", Tier.ARCS, {"subject": "Odo"}),
        ("id4", "cXb.X.a→[b", Tier.EPISTEMIC, {"type": "knows"}),
        ("id7", "Y", Tier.ARCS, {"importance": 3, "is_pinned": True}),
        (
            "id8",
            "X",
            Tier.STATE_LEDGER,
            {"type": "character", "field": "location", "importance": 3},
        ),
        ("id9", "X", Tier.SESSION, {"type": "scene", "importance": 1}),
        ("id10", "X", Tier.SESSION, {"type": "development", "importance": 1}),
    )
)


# Where there is no room for its long-term slot, the one of what is called up tells it.
CALLED_UP = (
    memory(
        "}",
        Tier.LONG_TERM,
        at=1,
        id="id0",
        type="event",
        subject="Odo",
        target="Vera",
        importance=3,
        witnessed_by=("Vera",),
    ),
)


def words_of(held: tuple[Memory, ...]) -> dict[str, str]:
    return {one.id: " ".join(one.text.split()).casefold() for one in held}


def words_shown(held: tuple[Memory, ...], slots: SlotSet) -> set[str]:
    texts = words_of(held)
    return {texts[one] for one in all_shown(slots)}


@A_FEW
@given(memories(), _budgets, st.booleans())
def test_no_slot_is_over_its_budget_its_frame_counted(
    held: tuple[Memory, ...], budgets: dict[str, Any], is_unified: bool
) -> None:
    slots = prompt(held, budget_mode=ADVANCED, slots_unified=is_unified, **budgets)
    for slot in slots.slots:
        assert slot.tokens == COUNTER.count(slot.text) <= slot.budget
        assert slot.tokens <= slot.full_tokens or is_unified
    for content in slots.contents:
        assert content.tokens <= content.budget


@A_FEW
@given(memories(), _budgets, st.sampled_from(BUDGETED), st.integers(1, 200))
def test_a_larger_budget_never_shows_less(
    held: tuple[Memory, ...], budgets: dict[str, Any], name: SlotName, more: int
) -> None:
    values: dict[str, Any] = {"budget_mode": ADVANCED, "budgets_adaptive": False}
    small = prompt(held, **values, **budgets)
    budgets[f"budget_{name}"] += more
    large = prompt(held, **values, **budgets)
    assert set(shown(small).get(name.key, ())) <= set(shown(large).get(name.key, ()))
    assert words_shown(held, small) <= words_shown(held, large)


@A_FEW
@example(SAME_WORDS, 10, 2, False)
@example(BESIDE_A_RECAP, 86, 30, True)
@example(CALLED_UP, 12, 28, False)
@given(memories(), st.integers(0, 300), st.integers(1, 100), st.booleans())
def test_a_larger_total_never_shows_less_of_a_long_story_and_is_kept(
    held: tuple[Memory, ...], total: int, more: int, is_unified: bool
) -> None:
    of = story(running="What was.\nWhat came.\nWhat is.")
    of = replace(of, message_tokens=(1000,) * len(of.messages))
    small = prompt(held, of=of, total=total, slots_unified=is_unified)
    large = prompt(held, of=of, total=total + more, slots_unified=is_unified)
    assert small.total_tokens <= total
    recaps = [set(slots.slots[0].text.splitlines()) for slots in (small, large)]
    assert recaps[0] <= recaps[1]
    if recaps[0] < recaps[1]:
        return  # it tells more itself, and by that it is told anew what else is worth its room
    assert words_shown(held, small) <= words_shown(held, large)
    # Of two memories in the same words one is told: with more room it may be another slot's.
    words = words_of(held)
    times = Counter(words.values())
    alone = {one for one, text in words.items() if times[text] == 1}
    now = {key: set(ids) for key, ids in shown(large).items()}
    now.setdefault(SlotName.TRIGGERED.key, set()).update(now.get(SlotName.LONG.key, ()))
    for key, ids in shown(small).items():
        assert alone.intersection(ids) <= now.get(key, set()), key


def called_up(slots: SlotSet) -> set[str]:
    """Memories that the moment calls up, whichever slot tells them."""
    contents = [one for one in slots.contents if one.key == SlotName.TRIGGERED.key]
    told = {id_ for content in contents for id_ in content.shown}
    return told | {out.memory for content in contents for out in content.left_out}


@A_FEW
@given(memories(), _budgets, st.one_of(st.none(), st.integers(0, 200)))
def test_what_outranks_another_never_goes_before_it(
    held: tuple[Memory, ...], budgets: dict[str, Any], total: int | None
) -> None:
    held = tuple(replace(one, text=f"{one.text} {n}") for n, one in enumerate(held))
    of = story()
    of = replace(of, message_tokens=(1000,) * len(of.messages))  # none is in the prompt itself
    everything = prompt(held, of=of)
    for content in prompt(held, of=of, budget_mode=ADVANCED, total=total, **budgets).contents:
        ranking, told = shown(everything).get(content.key, ()), content.shown
        if content.key == SlotName.LONG.key:  # in scarce room those first that are called up now
            called = called_up(everything)
            ranking = tuple(one for one in ranking if one not in called)
            told = tuple(one for one in told if one not in called)
        if content.key != SlotName.TRIGGERED.key:
            assert told == ranking[: len(told)]
        cut = {one.memory for one in content.left_out}
        assert cut.isdisjoint(content.shown)


@A_FEW
@given(memories(), st.one_of(st.none(), st.integers(0, 200)), st.booleans())
def test_nothing_is_told_twice_or_lost_without_a_reason(
    held: tuple[Memory, ...], total: int | None, is_unified: bool
) -> None:
    slots = prompt(held, total=total, slots_unified=is_unified)
    told = [one for ids in shown(slots).values() for one in ids]
    assert len(told) == len(set(told))
    keys = [slot.key for slot in slots.slots]
    assert len(keys) == len(set(keys))
    for content in prompt(held, slots_unified=is_unified).contents:
        for one in content.left_out:
            if one.reason is Reason.ELSEWHERE:
                text = next(memory.text for memory in held if memory.id == one.memory)
                words = " ".join(text.split()).casefold()
                assert words in words_shown(held, prompt(held, slots_unified=is_unified))
    ways = (prompt(held), prompt(held, slots_unified=True), prompt(held, slots_macros="forced"))
    assert len({frozenset(all_shown(way)) for way in ways}) == 1


@A_FEW
@given(memories(), st.sampled_from(["", "Vera", "Odo"]))
def test_no_text_of_a_story_becomes_a_macro_or_a_line_of_its_own(
    held: tuple[Memory, ...], responder: str
) -> None:
    for slot in prompt(held, turn=Turn(responder)).slots:
        assert not re.search(r"\{\{(?!(char|user|group|persona)\}\})", slot.text)
    lines = {line for slot in prompt(held).slots for line in slot.text.splitlines()}
    for one in held:
        for part in one.text.split("\n")[1:]:
            assert part not in lines or not part.strip() or part in one.text.split("\n")[:1]


@A_FEW
@given(memories())
def test_the_same_story_gives_the_same_text_also_when_it_is_told_in_another_order(
    held: tuple[Memory, ...],
) -> None:
    first = prompt(held)
    assert first == prompt(held)
    assert {s.key: s.text for s in first.slots}.keys() == {s.key for s in prompt(held[::-1]).slots}


# A long thread stood behind a feeling in a small total and before it in a larger one.
LONG_THREAD = tuple(
    memory(text, tier, at=at, id=id_, **{"subject": "Vera"} | more)
    for id_, text, tier, at, more in (
        ("id0", "→Xb\n.b{b→b", Tier.SESSION, 1, {"type": "revelation", "subject": "Odo"}),
        (
            "id1",
            "\na[ac→Xc|bX→ Xc\n{Y{c\nbaX\n|{b{..",
            Tier.ARCS,
            0,
            {"subject": "No{{one}}", "target": "Vera", "importance": 1, "is_pinned": True},
        ),
        ("id2", "[] ", Tier.EPISTEMIC, 1, {"type": "suspects", "importance": 1, "is_pinned": True}),
        ("id3", "Ya ", Tier.SESSION, 2, {"type": "detail", "subject": "", "is_pinned": True}),
        ("id4", "|", Tier.SESSION, 0, {"type": "detail", "subject": "Odo"}),
        (
            "id5",
            " Y.|}b",
            Tier.STATE_LEDGER,
            0,
            {"type": "place", "subject": "Odo", "field": "occupants", "importance": 1},
        ),
        (
            "id7",
            "] }Y{ a",
            Tier.EPISTEMIC,
            2,
            {"type": "hiding", "target": "Vera", "importance": 1},
        ),
        (
            "id8",
            "YY→",
            Tier.SESSION,
            3,
            {"type": "development", "subject": "Odo", "importance": 3, "is_pinned": True},
        ),
        ("id10", "{c→", Tier.SESSION, 3, {"type": "detail", "subject": "You", "is_pinned": True}),
        ("id13", "X", Tier.RELATIONSHIPS, 2, {"type": "feeling", "importance": 1}),
    )
)


@A_FEW
@example(LONG_THREAD, 8, 1)
@given(memories(), st.integers(8, 40), st.integers(1, 40))
def test_a_larger_total_of_the_tiers_never_shows_less_and_lending_stays_within_it(
    held: tuple[Memory, ...], hundreds: int, more: int
) -> None:
    long = tuple(replace(one, text=one.text * 30) for one in held)
    small, large = (prompt(long, budget_total=n * 100) for n in (hundreds, hundreds + more))
    nine = {name.key for name in SHARING}
    assert sum(c.tokens for c in small.contents if c.key in nine) <= hundreds * 100 + 1
    words = {one.id: " ".join(one.text.split()) for one in long}
    # The same words may be already in another part then.
    said = [{words[id_] for ids in shown(s).values() for id_ in ids} for s in (small, large)]
    assert said[0] <= said[1]


@pytest.mark.pitfall(48)
def test_no_tag_and_no_square_bracket_is_told_that_a_model_would_copy_into_the_story() -> None:
    told = [memory(f"Words of {tier.value}.", tier) for tier in Tier]
    slots = prompt(told).slots
    assert sum("Words of" in slot.text for slot in slots) >= 4
    for one in slots:
        assert not set("[]<>") & set(one.text.replace("<Recap>", "")), one.key
