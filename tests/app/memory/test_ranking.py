"""Which memories matter most, in the long run and at this moment."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.languages import load_packs
from app.memory.ranking import (
    TURN_SHARE,
    Moment,
    hybrid,
    kept_per_type,
    keywords,
    newcomers,
    ranked,
    utilities,
    within_caps,
)
from app.memory.records import Entity, Expiration, Grounding, Memory, Tier
from app.memory.similarity import Vectors

COMMON = frozenset(word for pack in load_packs() for word in pack.stopwords)


def fact(id_: str, text: str = "x", type_: str = "fact") -> Memory:
    return Memory(id_, 1, Tier.LONG_TERM, type_, text)


def detail(id_: str, type_: str = "detail") -> Memory:
    return Memory(id_, 1, Tier.SESSION, type_, id_, expiration=Expiration.SESSION)


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (replace(fact("b"), importance=3), fact("w")),
        (fact("b"), replace(fact("w"), expiration=Expiration.SCENE)),
        (replace(fact("b"), confidence=0.9), fact("w")),
        (fact("b", type_="relationship"), fact("w")),
        (fact("b", type_="preference"), fact("w")),
        (replace(fact("b"), recalls=5), fact("w")),
        (replace(fact("b"), last_confirmed=2e9), replace(fact("w"), last_confirmed=1e9)),
    ],
)
def test_each_quality_counts(better: Memory, worse: Memory) -> None:
    assert ranked([worse, better], utilities([worse, better]))[0] is better


def test_the_numbers_are_those_of_the_formula() -> None:
    memory = replace(fact("m", type_="relationship"), recalls=50, last_confirmed=1e10)
    expected = 200 + 105 + 0.7 * 25 + 75 + 20 + 20 + 1
    assert utilities([memory])["m"] == pytest.approx(expected)


def test_among_equals_the_newest_comes_first() -> None:
    old, new = replace(fact("a"), created=1.0), replace(fact("z"), created=2.0)
    assert ranked([old, new], utilities([old, new])) == (new, old)


def test_long_entries_and_large_pools_win_nothing() -> None:
    short = fact("short", "harbour lamps")
    long = fact("long", "harbour lamps " + " ".join(f"word{n}" for n in range(50)))
    worth = utilities([short, long], COMMON)
    assert worth["short"] > worth["long"]
    many = [fact(str(n), "harbour lamps burn") for n in range(40)]
    assert max(utilities(many).values()) - max(utilities(many[:1]).values()) <= 20


def test_keywords_are_those_of_any_language() -> None:
    assert keywords("Der Schlüssel liegt bei ihm im Turm", COMMON) == {"schlüssel", "liegt", "turm"}
    assert keywords("Ключ лежит в башне", COMMON) == {"ключ", "лежит", "башне"}
    assert keywords("猫が好き") == {"猫", "が", "好", "き"}
    assert keywords("it is so at an", COMMON) == set()


def test_who_is_spoken_of_counts_by_any_of_their_names() -> None:
    entity = Entity("e", 1, "Jean-Luc Marsh", aliases=("the Captain",))
    memory = replace(fact("m"), entities=("Jean-Luc Marsh",))

    def worth(*recent: str) -> float:
        return hybrid([memory], Moment(recent, 0.0, entities=(entity,)))["m"]

    base = worth("nothing", "else")
    assert worth("Jean-Luc Marsh's boat", "ok") == pytest.approx(base + 100)
    assert worth("ask the Captain", "ok") == pytest.approx(base + 100)
    assert worth("ask the captain", "ok") == pytest.approx(base)
    assert worth("Jean-Luc Marsh", "older", "messages") == pytest.approx(base)


def test_open_arcs_and_the_last_turn_count_by_likeness() -> None:
    memory = fact("m", "red lamps burn")
    alone = hybrid([memory], Moment(()))["m"]
    with_arc = hybrid([memory], Moment((), arcs=("red lamps burn", "else")))["m"]
    assert with_arc - alone == pytest.approx(60)
    vectors = Vectors.of({"red lamps burn": [1, 0], "a glow": [0.6, 0.8]})
    for profile, share in TURN_SHARE.items():
        moment = Moment(("a glow",), share, vectors=vectors)
        assert hybrid([memory], moment)["m"] - alone == pytest.approx(60 * share), profile


def test_one_missing_vector_makes_all_go_by_words() -> None:
    memories = [fact("a", "red fox"), fact("b", "shy owl")]
    vectors = Vectors.of({"red fox": [1, 0], "red owl": [1, 0]})
    worth = hybrid(memories, Moment(("red owl",), 1.0, vectors=vectors))
    assert worth["a"] == pytest.approx(worth["b"])


def test_passing_things_count_while_they_last_and_contradictions_less() -> None:
    scene = replace(detail("d"), expiration=Expiration.SCENE)
    assert hybrid([scene], Moment(()))["d"] - utilities([scene])["d"] == pytest.approx(22.5)
    wrong = replace(fact("w"), contradicts=("x",))
    assert hybrid([wrong], Moment(()))["w"] - utilities([wrong])["w"] == pytest.approx(-50)


def test_triggers_count_twice_the_own_words_and_three_at_most() -> None:
    memory = replace(fact("m", "honey bees sting fiercely"), triggers=("hospital", "bee sting"))
    worth = {
        text: hybrid([memory], Moment((text,), 0.0))["m"] - utilities([memory])["m"]
        for text in (
            "nothing",
            "to the hospital",
            "the hospital after a bee sting",
            "honey",
            "honey bees sting fiercely",
        )
    }
    assert list(worth.values()) == pytest.approx([0, 80, 160, 40, 120])


def test_no_type_fills_the_long_term() -> None:
    assert (kept_per_type(25), kept_per_type(50)) == (7, 13)
    facts = [replace(fact(f"f{n}"), importance=3) for n in range(40)]
    events = [replace(fact(f"e{n}", type_="event"), importance=1) for n in range(9)]
    kept = within_caps([*facts, *events], Tier.LONG_TERM, 25)
    assert [sum(m.type == t for m in kept) for t in ("fact", "event")] == [18, 7]


def test_what_no_other_type_needs_is_left_to_those_that_do() -> None:
    facts, events = [fact(str(n)) for n in range(40)], [fact("e", type_="event")]
    kept = within_caps([*facts, *events], Tier.LONG_TERM, 25)
    assert [sum(m.type == t for m in kept) for t in ("fact", "event")] == [24, 1]


def test_no_tier_keeps_more_than_its_most() -> None:
    assert len(within_caps([detail(str(n)) for n in range(40)], Tier.SESSION, 30)) == 30


def test_a_newcomer_that_matters_more_takes_the_place_of_the_least() -> None:
    memories = [replace(fact(str(n)), importance=2) for n in range(25)]
    weaker, stronger = replace(fact("w"), importance=1), replace(fact("s"), importance=3)
    assert weaker not in within_caps([*memories, weaker], Tier.LONG_TERM, 25)
    assert stronger in within_caps([*memories, stronger], Tier.LONG_TERM, 25)


def test_what_is_yours_is_always_kept() -> None:
    yours = replace(fact("y"), importance=1, grounding=Grounding.YOURS)
    pinned = replace(fact("p"), importance=1, is_pinned=True)
    memories = [replace(fact(str(n)), importance=3) for n in range(20)]
    assert {yours, pinned} <= set(within_caps([*memories, yours, pinned], Tier.LONG_TERM, 5))


def test_a_pass_adds_so_many_of_a_type_the_best_of_them() -> None:
    candidates = [replace(fact(str(n)), importance=1 + n % 3) for n in range(6)]
    candidates.append(fact("e", type_="event"))
    assert [m.id for m in newcomers(candidates, 2)] == ["2", "5", "e"]


@given(
    st.lists(
        st.tuples(st.text("ab cü猫", max_size=10), st.integers(1, 3), st.booleans()), max_size=8
    ),
    st.text("ab cü猫", max_size=20),
)
def test_worth_is_a_number_for_any_text_and_order_does_not_matter(
    parts: list[tuple[str, int, bool]], recent: str
) -> None:
    memories = [
        replace(fact(str(n), text), importance=i, triggers=(text,) if has else ())
        for n, (text, i, has) in enumerate(parts)
    ]
    moment = Moment((recent, recent), arcs=(recent,))
    worth = hybrid(memories, moment, COMMON)
    backwards = hybrid(memories[::-1], moment, COMMON)
    assert worth == pytest.approx(backwards)
    assert [m.id for m in ranked(memories, worth)] == [m.id for m in ranked(memories[::-1], worth)]
