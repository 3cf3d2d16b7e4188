"""Of what a group remembers each member has what they witnessed, with room of their own."""

from __future__ import annotations

from collections.abc import Sequence

from app.memory.lifecycle.sharing import canons_of, is_theirs, kept_of_each, with_canons
from app.memory.records import Document, DocumentKind, Memory, Remembered, Tier

ASH, MIDGE = frozenset({"ash"}), frozenset({"midge", "marjorie"})


def seen(number: int, *witnesses: str) -> Memory:
    return Memory(f"m{number}", 1, Tier.LONG_TERM, "fact", "x", witnessed_by=witnesses)


def first_two(memories: Sequence[Memory]) -> Sequence[Memory]:
    return memories[:2]


def ids(memories: Sequence[Memory]) -> list[str]:
    return [memory.id for memory in memories]


def test_a_member_has_what_they_witnessed_by_any_of_their_names() -> None:
    alone = seen(1, "Ana", "Marjorie")
    assert is_theirs(alone, MIDGE)
    assert not is_theirs(alone, ASH)
    assert is_theirs(seen(2), ASH)  # nobody noted who was there


def test_what_one_saw_often_takes_no_room_of_what_another_saw() -> None:
    memories = [*(seen(n, "Ana", "Ash") for n in range(4)), seen(8, "Midge"), seen(9, "Ana")]
    assert ids(kept_of_each(memories, [ASH, MIDGE], first_two)) == ["m0", "m1", "m8", "m9"]
    both = [seen(n, "Ash", "Midge") for n in range(4)]
    assert ids(kept_of_each(both, [ASH, MIDGE], first_two)) == ["m0", "m1"]
    for alone in ((), (ASH,)):
        assert ids(kept_of_each(memories, alone, first_two)) == ["m0", "m1"]


def test_a_canon_that_was_written_elsewhere_counts_by_its_age() -> None:
    def canon(name: str, of: str, created: float) -> Document:
        return Document(name, 1, DocumentKind.CANON, name, subject=of, created=created)

    elsewhere = [canon("old", "Midge", 1.0), canon("new", "midge", 3.0), canon("other", "Ash", 9.0)]
    found = canons_of(elsewhere, ["Midge"])
    own = Remembered(documents=(canon("mine", "Midge", 2.0),))
    assert [d.id for d in with_canons(own, found).documents] == ["old", "mine", "new"]
    assert with_canons(own, own.documents) is own
