"""What of the planned work has to come before what. Pure."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Sequence
from dataclasses import replace

from app.core.operations import Operation, OperationKind, OperationSpec
from app.story.recaps import BUILT_IN
from app.story.scenes import BreakOrigin
from app.story.story import Story
from app.work.planning.planner import PRIORITY_NEWEST, PRIORITY_SCENE


def in_dependency_order(story: Story, specs: Sequence[OperationSpec]) -> tuple[OperationSpec, ...]:
    """The specs, each with what it comes after.

    A scene is recapped after the search that may cut it in two, and folded in after its recap is
    made anew: else a text would be paid for, or folded in, that is about to change. None of this
    is needed: where a search or a recap fails, what comes after it goes on with what there is; but
    not with what was written without a model, where a model is to write it.
    """
    searches = _searches_by_scene(story, specs)
    recaps: dict[str, tuple[str, ...]] = {
        spec.anchor: (spec.key,) for spec in specs if spec.kind is OperationKind.SCENE_RECAP
    }
    needed = {anchor for anchor in recaps if _is_without_model(story, anchor)}
    before = {OperationKind.SCENE_RECAP: searches, OperationKind.RUNNING_RECAP: recaps}
    found = []
    for spec in specs:
        keys = before.get(spec.kind, {}).get(spec.anchor, ())
        if spec.kind is OperationKind.RUNNING_RECAP and spec.anchor in needed:
            found.append(replace(spec, needs=(*spec.needs, *keys)))
        else:
            found.append(replace(spec, after=(*spec.after, *keys)) if keys else spec)
    return tuple(found)


def out_of_turn(
    queued: Collection[Operation], planned: Sequence[OperationSpec], *, current: int | None
) -> set[int]:
    """Numbers of the queued recaps of scenes that are to be queued anew, behind those of earlier
    scenes that only now are known: a search, or the user, made other scenes of what waited. Each
    recap is written knowing what came before, and asks for a fold as well, which one that goes
    ahead cannot.

    Likewise those that waited among others, and go ahead of them now: what they tell of fell out of
    the prompt.

    planned: what may be queued, in the order of the story. current: number of what is in hand. What
    was tried before, or has its place from the user, stays.
    """
    waiting = {operation.spec.work: operation for operation in queued}
    found: set[int] = set()
    is_behind = False
    for spec in planned:
        if spec.kind is not OperationKind.SCENE_RECAP:
            continue
        operation = waiting.get(spec.work)
        goes_ahead = spec.priority == PRIORITY_NEWEST
        if operation is None:
            is_behind |= spec.priority == PRIORITY_SCENE
        elif (goes_ahead or (is_behind and spec.priority == PRIORITY_SCENE)) and (
            operation.id != current and _came_by_itself(operation)
        ):
            found.add(operation.id)
    return found


def _came_by_itself(operation: Operation) -> bool:
    """Whether nothing would be lost if it were queued anew."""
    is_put = operation.moved_rank is not None or operation.pauses_before
    return not operation.attempts and not is_put and operation.rank == PRIORITY_SCENE


def without(
    unwanted: Sequence[OperationSpec], specs: Sequence[OperationSpec], story: Story
) -> list[OperationSpec]:
    """The others, without what comes after these; but whoever ends a scene by hand waits for its
    recap, and not for a search in it that nobody has said yes to. A fold waits for no recap of a
    later scene that is not made yet: it is asked for by itself then. Nor does a recap wait for a
    fold that nobody wants.
    """
    keys = {spec.key for spec in unwanted}
    folds = {spec.key for spec in unwanted if spec.kind is OperationKind.RUNNING_RECAP}
    recapped = {spec.anchor for spec in unwanted if spec.kind is OperationKind.SCENE_RECAP}

    def goes_on(spec: OperationSpec) -> bool:
        if spec.kind is OperationKind.RUNNING_RECAP:
            return spec.anchor not in recapped
        if spec.kind is not OperationKind.SCENE_RECAP:
            return False
        return keys.intersection(spec.after) <= folds or _is_ended_by_hand(story, spec.anchor)

    left = []
    for spec in specs:
        if spec.key in keys:
            continue
        if not keys & set(spec.after):
            left.append(spec)
        elif goes_on(spec):
            left.append(replace(spec, after=tuple(key for key in spec.after if key not in keys)))
    return left


def _is_ended_by_hand(story: Story, anchor: str) -> bool:
    mark = story.breaks.get(anchor)
    return mark is not None and mark.origin is BreakOrigin.HAND


def _is_without_model(story: Story, closing: str) -> bool:
    """Whether the scene that this message closes is told by what rules wrote."""
    told = (recap for recap in story.recaps.get(closing, ()) if recap.is_current)
    return any(recap.made_by == BUILT_IN for recap in told)


def _searches_by_scene(story: Story, specs: Sequence[OperationSpec]) -> dict[str, tuple[str, ...]]:
    """Keys of the searches in each closed scene, by the anchor that closes it."""
    searches = [spec for spec in specs if spec.kind is OperationKind.DETECT_BREAKS]
    if not searches:
        return {}
    positions = {message.anchor: index for index, message in enumerate(story.messages)}
    ends = [scene.last for scene in story.scenes]
    found: dict[str, tuple[str, ...]] = {}
    for spec in searches:
        last = bisect_left(ends, positions.get(spec.anchor, len(positions)))
        first = last
        if spec.params.get("several"):  # about all scenes that it reaches into
            first = bisect_left(ends, positions.get(spec.params["eligible"][0], 0))
        for scene in story.scenes[first : last + 1]:
            if scene.closing is not None:
                anchor = scene.closing.anchor
                found[anchor] = (*found.get(anchor, ()), spec.key)
    return found
