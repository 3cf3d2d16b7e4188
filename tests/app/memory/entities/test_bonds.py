"""Who and what is remembered together."""

from __future__ import annotations

from app.memory.entities.bonds import Bonds, bonds_of, memories_by_entity
from app.memory.records import Entity, Memory, Tier
from app.memory.standing import Standing, Status

MARA = Entity("mara", 1, "Mara", "character", aliases=("the Captain",))
DOV = Entity("dov", 1, "Dov", "character")
MILL = Entity("mill", 1, "Mill", "place")
ALL = (DOV, MARA, MILL)


def standing(name: str, *entities: str, status: Status = Status.ACTIVE, **more: str) -> Standing:
    fields = {"tier": Tier.LONG_TERM, "type": "fact", "text": name} | more
    return Standing(Memory(name, 1, entities=entities, **fields), status)  # type: ignore[arg-type]


def ids(standings: tuple[Standing, ...]) -> list[str]:
    return [one.memory.id for one in standings]


MEMORIES = (
    standing("together", "mara", "the captain", "Dov"),
    standing("feels", type="feeling", subject="Dov", target="The Captain"),
    standing("three", "Mara", "Dov", "Mill"),
    standing("herself", "Mara"),
    standing("gone", "Mara", "Dov", status=Status.ENDED),
    standing("waits", "Mara", "Dov", status=Status.WAITING),
    standing("nobody"),
)


def test_a_memory_counts_once_by_whatever_names_it_calls_somebody() -> None:
    named = memories_by_entity(ALL, MEMORIES)
    assert ids(named["mara"]) == ["together", "feels", "three", "herself"]
    assert ids(named["mill"]) == ["three"]


def test_those_most_remembered_with_one_come_first_and_what_names_nobody_else_last() -> None:
    bonds = bonds_of(MARA, ALL, memories_by_entity(ALL, MEMORIES))
    assert [(bond.entity.id, ids(bond.memories)) for bond in bonds.others] == [
        ("dov", ["together", "feels", "three"]),
        ("mill", ["three"]),
    ]
    assert ids(bonds.alone) == ["herself"]


def test_a_name_that_nothing_is_remembered_of_has_no_bonds() -> None:
    lone = Entity("lone", 1, "Lone")
    assert bonds_of(lone, (*ALL, lone), memories_by_entity((*ALL, lone), MEMORIES)) == Bonds()
