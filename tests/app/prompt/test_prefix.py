"""How much of a prompt was read before, and which part of it ended that."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.prompt.prefix import prefix_break
from app.prompt.turns import Share
from app.settings.slot_table import Position
from tests.prompt_turns import LONG, PROFILES, SESSION, count, slot, turn

CARD = ("system", "Write the next reply of Midge.")  # 6 words
FIRST, SECOND, THIRD = ("user", "Hello there."), ("assistant", "Hm."), ("user", "What now then?")


def near(text: str) -> object:
    return slot(SESSION, text, position=Position.IN_CHAT, depth=1)


def test_the_same_prompt_breaks_nothing() -> None:
    one = turn(prompt=(CARD, FIRST))
    assert prefix_break(one, one, count) is None


def test_a_chat_that_goes_on_reads_nothing_again() -> None:
    broken = prefix_break(
        turn(prompt=(CARD, FIRST)), turn(prompt=(CARD, FIRST, SECOND, THIRD)), count
    )
    assert broken is not None
    assert broken.share is Share.CHAT
    assert (broken.kept, broken.again, broken.new) == (8, 0, 4)
    assert broken.total == 12


def test_a_slot_at_the_head_has_everything_behind_it_read_again() -> None:
    old, new = slot(LONG, "The well is deep."), slot(LONG, "The well is dry.")
    before = turn(old, prompt=(CARD, ("system", old.text), FIRST, SECOND))
    after = turn(new, prompt=(CARD, ("system", new.text), FIRST, SECOND, THIRD))
    broken = prefix_break(before, after, count)
    assert broken is not None
    assert broken.slot == new
    assert broken.before is None or broken.before == old
    # "The well is d" was read before, the other words of the chat are again.
    assert broken.kept == 6 + 4
    assert broken.again == 3
    assert broken.total == 6 + 4 + 6


def test_a_slot_that_moves_on_with_the_chat_is_read_again() -> None:
    session = near("Dov holds the lamp.")
    inside = ("system", "Dov holds the lamp.")
    before = turn(session, prompt=(CARD, inside, FIRST))  # type: ignore[arg-type]
    after = turn(session, prompt=(CARD, FIRST, SECOND, inside, THIRD))  # type: ignore[arg-type]
    broken = prefix_break(before, after, count)
    assert broken is not None
    assert broken.share is Share.CHAT
    assert broken.before == session
    assert broken.kept == 6
    assert broken.again == 4 + 2


def test_a_slot_that_is_gone_is_named() -> None:
    long = slot(LONG, "The well is deep.")
    before = turn(long, prompt=(CARD, ("system", long.text), FIRST))
    broken = prefix_break(before, turn(prompt=(CARD, FIRST)), count)
    assert broken is not None
    assert (broken.slot, broken.before, broken.again) == (None, long, 2)


def test_without_prompts_the_first_slot_that_differs_is_named() -> None:
    head, tail = slot(PROFILES, "Midge mends."), near("Dov holds the lamp.")
    other = near("Dov lost the lamp.")
    broken = prefix_break(turn(tail, head), turn(other, head), count)  # type: ignore[arg-type]
    assert broken is not None
    assert broken.slot == other
    assert broken.total is None
    assert prefix_break(turn(tail, head), turn(head, tail), count) is None  # type: ignore[arg-type]


WORDS = st.lists(st.sampled_from(("a", "b", "c d", "e")), max_size=6)
PROMPTS = st.lists(
    st.tuples(st.sampled_from(("system", "user", "assistant")), WORDS.map(" ".join)), min_size=1
)


@given(PROMPTS, PROMPTS)
def test_all_tokens_of_a_prompt_are_accounted_for(
    before: list[tuple[str, str]], after: list[tuple[str, str]]
) -> None:
    broken = prefix_break(turn(prompt=tuple(before)), turn(prompt=tuple(after)), count)
    if broken is None:
        assert [one for one in after if one[1]][: len(before)] == [one for one in before if one[1]]
    else:
        assert broken.total == sum(count(text) for _, text in after)
        assert min(broken.kept or 0, broken.again or 0, broken.new or 0) >= 0
