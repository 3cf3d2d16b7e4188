"""Which memories a scene gave. Pure. Source: seed 004, PS: source_memory_ids."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence

from app.memory.standing import LOST, Ground, Standing, Status
from app.story.scenes import Scene


def memories_by_scene(
    scenes: Sequence[Scene], standings: Iterable[Standing], ground: Ground
) -> tuple[tuple[Standing, ...], ...]:
    """For each scene, in their order, the memories that cite a message of it; those that ended
    later, too. It follows from their sources, so that a moved or split scene has its own at once.
    """
    found: list[list[Standing]] = [[] for _ in scenes]
    lasts = [scene.last for scene in scenes]
    unsettled = LOST | {Status.WAITING}
    for standing in standings:
        if standing.status in unsettled:
            continue
        places = {ground.place(source) for source in standing.memory.sources}
        for place in {bisect_left(lasts, index) for index in places if index >= 0}:
            if place < len(scenes):
                found[place].append(standing)
    return tuple(map(tuple, found))


def ids_by_scene(
    scenes: Sequence[Scene], standings: Iterable[Standing], ground: Ground
) -> dict[int, frozenset[str]]:
    """The same by the number of the scene, as ids."""
    given = memories_by_scene(scenes, standings, ground)
    return {
        scene.number: frozenset(standing.memory.id for standing in memories)
        for scene, memories in zip(scenes, given, strict=True)
    }
