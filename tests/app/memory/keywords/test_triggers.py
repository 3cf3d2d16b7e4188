"""Keywords: many memories with one request, and no word that says nothing (spec §8.4)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.memory.keywords.triggers import (
    MOST_TRIGGERS,
    due,
    keywords_in,
    listed,
    read_triggers,
    untriggered,
    with_triggers,
)
from app.memory.records import Grounding, Memory, Tier
from app.story.answers.task_answers import Unreadable


def memory(number: int, text: str = "", *triggers: str, tier: Tier = Tier.LONG_TERM) -> Memory:
    return Memory(f"m{number}", 1, tier, "fact", text or f"Fact {number}.", triggers=triggers)


BEES = memory(1, "She is allergic to bees")


@pytest.mark.parametrize(
    "answer",
    [
        "bees, allergic reaction, hospital trip, sting!",
        "1: bees, allergic reaction, hospital trip, sting!",
        "- 1. **Bees**, Allergic reaction; hospital trip, STING",
        "bees\nallergic reaction\nhospital trip\nsting!",
    ],
)
def test_the_words_of_the_memory_itself_are_none(answer: str) -> None:
    assert read_triggers(answer, [BEES]) == {"m1": ("reaction", "hospital", "trip", "sting")}


def test_each_line_goes_to_its_number() -> None:
    memories = [memory(1), memory(2), memory(3)]
    read = read_triggers("[3] storm, wind\n1) boat, harbour\n9: nobody\nThat is all.", memories)
    assert read == {"m3": ("storm", "wind"), "m1": ("boat", "harbour")}
    assert listed(memories).splitlines()[2].startswith("3. ")


@pytest.mark.parametrize("answer", ["", "NONE", "1: <word>, <word>", "I cannot.", "1: 12, 7"])
def test_an_answer_without_keywords_is_none(answer: str) -> None:
    with pytest.raises(Unreadable):
        read_triggers(answer, [memory(1), memory(2)])


def test_words_of_scripts_without_spaces_count() -> None:
    assert keywords_in("猫、医院", "她怕狗") == ("猫", "医院")


def test_a_word_that_calls_up_too_much_is_dropped() -> None:
    among = [memory(n, f"The harbour, part {n}") for n in range(4)] + [memory(9, "A storm")]
    changed = with_triggers([among[4]], {"m9": ("harbour", "wind")}, among)
    assert changed == (replace(among[4], triggers=("wind",)),)


@pytest.mark.parametrize(("held", "is_kept"), [(7, True), (8, False)])
def test_too_much_is_more_than_a_third_and_a_little(held: int, is_kept: bool) -> None:
    """Spec §8.4: more than ceil(0.35 n) of them."""
    among = [memory(n, f"The {'harbour' if n < held else 'market'}, {n}") for n in range(20)]
    changed = with_triggers([memory(99, "A storm")], {"m99": ("harbour",)}, among)
    assert bool(changed) is is_kept


def test_what_gets_no_keyword_is_not_changed() -> None:
    assert with_triggers([memory(1)], {}, [memory(1)]) == ()


def test_nobody_is_asked_twice_about_a_memory() -> None:
    memories = [memory(1), memory(2, "x", "word"), memory(3), memory(4)]
    assert [m.id for m in untriggered(memories)] == ["m3", "m4"]
    merged = replace(memory(5, "x", "word"), grounding=Grounding.DERIVED)
    assert [m.id for m in untriggered([*memories, merged])] == ["m3", "m4"]


@pytest.mark.real_model(15)
def test_memories_get_keywords_from_the_first_on_with_few_requests() -> None:
    """They were asked for only once there were twenty, which a short story never has."""
    held: list[Memory] = []
    asked: list[int] = []
    for number in range(100):
        held.append(memory(number))
        if wanted := due(held):
            asked.append(len(wanted))
            ids = {one.id for one in wanted}
            held = [replace(m, triggers=("word",)) if m.id in ids else m for m in held]
    assert asked[0] == 5
    assert asked == sorted(asked)
    assert len(asked) <= 8
    assert sum(asked) > 75


def test_other_tiers_are_not_called_up() -> None:
    assert untriggered([memory(1, tier=Tier.ARCS), memory(2, tier=Tier.EPISTEMIC)]) == ()


@given(st.text())
def test_any_answer_is_read_or_refused(text: str) -> None:
    try:
        read = read_triggers(text, [BEES, memory(2)])
    except Unreadable:
        return
    assert all(1 <= len(words) <= MOST_TRIGGERS for words in read.values())
