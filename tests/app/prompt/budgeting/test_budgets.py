"""Ten budgets: one total to the last token, turns, tuning to demand (vectors of the spec)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.languages import load_packs
from app.memory.records import Tier
from app.prompt.budgeting.adaptive import FACTORS, adapted, turn_kind
from app.prompt.budgeting.auto_tune import LEAST, Tuning, target, tuned
from app.prompt.budgeting.budgets import budgets_of, levelled, room_in, shares
from app.prompt.slots import TurnKind
from app.settings.slot_table import DEFAULTS, SHARING, SlotName
from app.settings.slots import ADVANCED
from app.settings.values import REGISTRY

PACKS = load_packs()
SHARED_DEFAULTS = {name: DEFAULTS[name] for name in SHARING}


def settings(**values: Any) -> dict[str, Any]:
    return {name: setting.default for name, setting in REGISTRY.items()} | values


@pytest.mark.pitfall(43)
def test_the_defaults_are_the_shares_of_their_own_total() -> None:
    assert sum(SHARED_DEFAULTS.values()) == 3750 == REGISTRY["budget_total"].default
    assert dict(shares(3750)) == SHARED_DEFAULTS


@given(st.integers(0, 20_000))
def test_shares_are_exactly_the_total_and_each_within_one_of_its_part(total: int) -> None:
    dealt = shares(total)
    assert sum(dealt.values()) == total
    assert all(abs(dealt[name] - total * DEFAULTS[name] / 3750) < 1 for name in SHARING)


@given(st.integers(8, 79), st.integers(1, 40))
def test_a_larger_total_on_the_slider_never_gives_a_tier_less(hundreds: int, more: int) -> None:
    small, large = shares(hundreds * 100), shares((hundreds + more) * 100)
    assert all(small[name] <= large[name] for name in SHARING)


def test_changing_the_mode_forgets_neither_the_total_nor_the_budgets() -> None:
    own = settings(budget_long=1000, budget_total=800, budget_short=700)
    assert budgets_of(own)[SlotName.LONG] == 107
    assert sum(budgets_of(own)[name] for name in SHARING) == 800
    own["budget_mode"] = ADVANCED
    assert budgets_of(own)[SlotName.LONG] == 1000
    assert budgets_of(own)[SlotName.SHORT] == 700


def test_the_context_bounds_all_slots_together() -> None:
    assert room_in(None, None) is None
    assert room_in(4000, None) == 2000
    assert room_in(4000, 900) == 900
    assert room_in(1000, 900) == 500
    assert room_in(4000, 0) == 0


def test_what_the_card_takes_leaves_the_slots_less_and_the_chat_its_part() -> None:
    assert room_in(4000, None, 1000) == 2000
    assert room_in(4000, None, 3000) == 500
    assert room_in(4000, 300, 3000) == 300
    assert room_in(4000, None, 9000) == 1
    assert room_in(None, None, 9000) is None


_amounts = st.lists(st.tuples(st.integers(0, 3000), st.integers(0, 3000)), max_size=6)


@given(_amounts, st.integers(0, 5000), st.integers(0, 500))
def test_what_one_leaves_goes_to_others_and_more_never_gives_less(
    amounts: list[tuple[int, int]], total: int, more: int
) -> None:
    demands, weights = [a for a, _ in amounts], [b for _, b in amounts]
    small, large = levelled(demands, weights, total), levelled(demands, weights, total + more)
    assert sum(small) <= total
    assert all(got <= demand for got, demand in zip(small, demands, strict=True))
    assert all(a <= b for a, b in zip(small, large, strict=True))
    if sum(demands) <= total:
        assert list(small) == demands
    else:
        assert sum(small) > total - len(demands)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("She leans in to whisper, and her lips touch his ear.", TurnKind.INTIMATE),
        ("Hours later, they kissed and fell into an embrace.", TurnKind.INTIMATE),
        ("They arrived at the inn, where wolves were attacking the door.", TurnKind.TRANSITION),
        ("The boy runs away.", TurnKind.ACTION),
        ("He ran.", TurnKind.DIALOGUE),
        ("“And then?” she said.", TurnKind.DIALOGUE),
        ("", TurnKind.DIALOGUE),
        ("Er küsste sie auf die Stirn und streichelte ihre Hand.", TurnKind.INTIMATE),
        ("Am nächsten Morgen war das Haus leer.", TurnKind.TRANSITION),
        ("На следующее утро они вернулись в город.", TurnKind.TRANSITION),
        ("Elle s'enfuit dans la nuit, et le sang coule.", TurnKind.ACTION),
    ],
)
def test_a_turn_is_read_from_its_words(text: str, kind: TurnKind) -> None:
    assert turn_kind(text, PACKS) is kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("“Don't touch that!” Odo says. “I told you not to touch it.”", TurnKind.DIALOGUE),
        ("He blows the crowd a kiss and bows.", TurnKind.DIALOGUE),
        ("“Keep in touch,” she said, and gave him the letter.", TurnKind.DIALOGUE),
        ("She whispers: “The guard is asleep. Whisper, or he wakes.”", TurnKind.DIALOGUE),
        ("He kisses the coin for luck, draws, and the guards attack.", TurnKind.ACTION),
        ("The next morning she touches the cold stove.", TurnKind.TRANSITION),
        ("„Fass das nicht an“, flüstert er. „Flüstere wenigstens.“", TurnKind.DIALOGUE),
        ("She whispers, and touches the map. " + "They talk of taxes. " * 60, TurnKind.DIALOGUE),
        ("她轻声说：“把门关上。”", TurnKind.DIALOGUE),
    ],
)
def test_one_word_of_closeness_makes_no_moment_intimate(text: str, kind: TurnKind) -> None:
    """A reply that told of a touched door shifted tokens as for a love scene."""
    assert turn_kind(text, PACKS) is kind


@pytest.mark.parametrize("pack", PACKS, ids=lambda pack: pack.code)
def test_every_language_knows_all_kinds_of_turns(pack: Any) -> None:
    turns = {cue for word in ("x",) for cue in pack.turns.cues_of(word)}
    assert turns == set()
    assert {kind.value for kind in TurnKind} - {"dialogue"} <= set().union(
        *map(_cues, pack.turns._before.nodes)
    )


def _cues(node: Any) -> set[str]:
    children = (*node.words.values(), *node.prefixes.values(), *node.classes.values())
    return set(node.cues).union(*map(_cues, children))


@pytest.mark.parametrize(
    ("kind", "tokens"),
    [
        (TurnKind.DIALOGUE, [597, 319, 209, 697, 478]),
        (TurnKind.ACTION, [400, 520, 360, 700, 320]),
        (TurnKind.TRANSITION, [466, 335, 279, 847, 373]),
        (TurnKind.INTIMATE, [448, 478, 299, 557, 518]),
    ],
)
def test_a_turn_moves_tokens_between_five_tiers_only(kind: TurnKind, tokens: list[int]) -> None:
    after = adapted(DEFAULTS, kind)
    assert [after[name] for name in FACTORS[kind]] == tokens
    assert sum(tokens) == sum(DEFAULTS[name] for name in FACTORS[kind])
    assert all(after[name] == DEFAULTS[name] for name in DEFAULTS if name not in FACTORS[kind])
    with pytest.raises(TypeError):
        after[SlotName.LONG] = 1  # type: ignore[index]


@pytest.mark.parametrize(("full", "tokens"), [(435, 500), (480, 550), (620, 700), (1000, 1150)])
def test_demand_is_met_with_a_margin_in_steps(full: int, tokens: int) -> None:
    assert target(full, 0) == tokens


@given(st.integers(0, 6000))
def test_what_is_needed_is_never_less_than_what_it_takes_in_full(full: int) -> None:
    """Profiles that needed 56 tokens were to get 50."""
    assert full <= target(full, 0) <= max((full * 115 + 2_500) / 100, full + 50)


_full = st.dictionaries(st.sampled_from(SHARING), st.integers(0, 6000))


KINDS = st.sampled_from(list(TurnKind))


@given(st.integers(800, 9000), KINDS, st.lists(KINDS, max_size=8))
def test_a_turn_takes_as_much_as_before_and_the_head_goes_by_the_last_ones(
    total: int, kind: TurnKind, head: list[TurnKind]
) -> None:
    before = shares(total)
    after = adapted(before, kind, head)
    assert sum(after.values()) == total
    for name in (SlotName.LONG, SlotName.PROFILES):
        assert after[name] == adapted(before, TurnKind.DIALOGUE, head)[name]
        if not head:
            assert after[name] == before[name]
        elif len(set(head)) == 1:
            assert after[name] == adapted(before, head[0])[name]


@given(_full, st.integers(8, 80).map(lambda n: n * 100))
def test_tuning_moves_the_total_to_what_is_cut(full: dict[SlotName, int], total: int) -> None:
    before = shares(total)
    after, changes = tuned(before, full, total)
    assert sum(after[name] for name in SHARING) == total
    needs = {name: target(full.get(name, 0), 0) for name in SHARING}
    if not full:
        assert not changes
    for name in full:
        assert after[name] >= min(needs[name], before[name]) - 1
    if sum(max(need, LEAST) for need in needs.values()) <= total:
        assert all(after[name] >= needs[name] for name in SHARING)
    assert {change.name for change in changes} == {n for n in SHARING if after[n] != before[n]}


@pytest.mark.parametrize("total", [3000, 3750, 4500, 6000])
def test_one_tier_that_is_cut_gets_what_empty_ones_do_not_need(total: int) -> None:
    after, changes = tuned(shares(total), {SlotName.LONG: 926}, total)
    assert after[SlotName.LONG] >= 1050
    assert sum(after[name] for name in SHARING) == total
    told = {change.name: change.sentence for change in changes}
    assert told[SlotName.LONG].startswith("Long-term:")


def test_tuning_says_what_it_changed_and_leaves_the_users_values_alone() -> None:
    before = dict(DEFAULTS)
    after, (change,) = tuned(before, {SlotName.LONG: 1000, SlotName(Tier.ARCS): 20})
    assert before == dict(DEFAULTS)
    assert after[SlotName.LONG] == 1150
    assert (
        change.sentence
        == "Long-term: raised from 500 to 1150 tokens, because it needs 1000 in full."
    )


def test_what_nobody_else_needs_is_not_said_to_be_needed() -> None:
    """ "Needed 174" stood beside a budget that was raised to 560."""
    total = 4_000
    _, changes = tuned(shares(total), {SlotName(Tier.ARCS): 174, SlotName.LONG: 300}, total)
    spare = next(change for change in changes if change.after > change.before and change.full)
    assert spare.is_spare
    assert "nothing else needs the rest" in spare.sentence
    _, (needed,) = tuned(dict(DEFAULTS), {SlotName.LONG: 1_000})
    assert not needed.is_spare
    assert "because it needs 1000 in full" in needed.sentence


@given(_full, st.integers(8, 80).map(lambda n: n * 100))
def test_budgets_that_were_taken_from_tuning_are_not_tuned_back(
    full: dict[SlotName, int], total: int
) -> None:
    """Taken over, they are the user's own: only what is cut is proposed to grow."""
    taken, _ = tuned(shares(total), full, total)
    again, changes = tuned(taken, full)
    for change in changes:
        if taken[change.name] < full[change.name]:
            assert again[change.name] == target(full[change.name], 0)
        else:
            assert change.after < change.before, "what fits is not proposed to grow"


@pytest.mark.parametrize(
    ("before", "after", "full", "said"),
    [
        (100, 300, 0, "raised from 100 to 300 tokens that nothing else needs"),
        (100, 300, 250, "raised from 100 to 300 tokens, because it needs 250"),
        (100, 900, 250, "it needs 250 in full, and nothing else needs the rest"),
        (300, 100, 250, "lowered from 300 to 100 tokens, because others are cut more"),
        (300, 100, 80, "lowered from 300 to 100 tokens, because it needs 80 in full"),
    ],
)
def test_why_a_budget_was_changed_is_said(before: int, after: int, full: int, said: str) -> None:
    assert said in Tuning(SlotName.LONG, before, after, full).sentence
