"""Which memories a scene gave."""

from __future__ import annotations

from dataclasses import replace

from app.memory.documents.browsing import Wanted, arranged, read_query
from app.memory.documents.scene_memories import ids_by_scene, memories_by_scene
from app.memory.records import Memory, Source, Tier
from app.memory.standing import Ground, Standing, Status
from app.story.scenes import Scene

GROUND = Ground(1, {f"m{index}": index for index in range(9)}, {}, 8)
SCENES = (Scene(1, 0, 3, None), Scene(2, 4, 6, None), Scene(3, 7, 8, None))


def standing(name: str, *places: int, status: Status = Status.ACTIVE, chat: int = 1) -> Standing:
    sources = tuple(Source(chat, f"m{place}") for place in places)
    return Standing(Memory(name, 1, Tier.SESSION, "detail", name, sources=sources), status)


def by_scene(*standings: Standing, scenes: tuple[Scene, ...] = SCENES) -> list[list[str]]:
    given = memories_by_scene(scenes, standings, GROUND)
    return [[one.memory.id for one in memories] for memories in given]


def test_a_memory_belongs_to_each_scene_that_it_cites() -> None:
    memories = (standing("first", 0, 3), standing("both", 3, 4), standing("last", 8))
    assert by_scene(*memories) == [["first", "both"], ["both"], ["last"]]


def test_a_search_for_a_scene_finds_what_it_gave_and_a_minus_all_else() -> None:
    memories = (standing("first", 0, 3), standing("both", 3, 4), standing("last", 8))
    scenes = ids_by_scene(SCENES, memories, GROUND)
    for text, found in (
        ("scene:1", {"first", "both"}),
        ("scene:#2", {"both"}),
        ("-scene:1", {"last"}),
        ("scene:9", set()),
        ("scene:x", set()),
    ):
        rows = arranged(memories, Wanted(query=read_query(text), scenes=scenes)).rows
        assert {row.standing.memory.id for row in rows if row.standing is not None} == found, text


def test_what_ended_since_was_given_all_the_same_and_what_lost_its_ground_was_not() -> None:
    lost = [
        standing(status.value, 5, status=status)
        for status in (Status.STALE, Status.WITHDRAWN, Status.REJECTED, Status.WAITING)
    ]
    assert by_scene(standing("ended", 5, status=Status.ENDED), *lost) == [[], ["ended"], []]
    assert by_scene(standing("of another chat", 5, chat=2), standing("of none")) == [[], [], []]


def test_a_break_that_moves_takes_the_memories_along() -> None:
    moved = (replace(SCENES[0], last=5), replace(SCENES[1], first=6), SCENES[2])
    assert by_scene(standing("five", 5), scenes=moved) == [["five"], [], []]
