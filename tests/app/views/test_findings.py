"""What other extensions left, in the words in which it is offered."""

from __future__ import annotations

import pytest

from app.memory.records import Memory, MemoryChange, Tier
from app.story.messages import MessageRecap
from app.views.findings import Finding, Findings, Left, Omission, omitted_words


def memory(name: str) -> Memory:
    return Memory(name, 1, Tier.LONG_TERM, "fact", "The mill stands empty.")


@pytest.mark.parametrize("why", Omission)
def test_each_reason_is_said_in_words_of_its_own_for_one_and_for_many(why: Omission) -> None:
    one, many = omitted_words(why, 1), omitted_words(why, 3)
    assert one.startswith("1 ")
    assert many.startswith("3 ")
    others = {omitted_words(other, 3) for other in Omission if other is not why}
    assert many not in others


def test_what_is_not_there_is_not_offered() -> None:
    """Of an extension all of whose things are left out only the reasons are told."""
    nothing = Finding("MemoryBooks", left_out={Omission.EMPTY: 2, Omission.OFF: 0})
    assert not nothing
    assert nothing.parts == ()
    assert nothing.reasons == (omitted_words(Omission.EMPTY, 2),)
    assert not Findings((nothing,))
    assert Findings((nothing,)).whose == ()


def test_what_is_there_is_counted_by_its_kinds() -> None:
    left = Left(message_recaps={"a": MessageRecap("One."), "b": MessageRecap("Two.")})
    found = Finding("CharMemory", left, MemoryChange((memory("m"),)))
    all_of_it = Findings((Finding("MemoryBooks"), found))
    assert all_of_it
    assert all_of_it.whose == ("CharMemory",)
    assert all_of_it.parts == ("2 message recaps", "1 memory")
