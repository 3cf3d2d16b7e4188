"""How far the running recap tells the story, what it builds on, and what comes next. Pure."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from app.settings.recaps import RecapSettings
from app.story.recaps import YOU, RunningRecap, RunningVersion, visible_versions
from app.story.scenes import Scene
from app.story.story import Story


def covered_until(story: Story) -> int:
    """Index of the last message that any usable version of the running recap covers, else -1.

    Versions that the user deleted count, or the next plan would make them again.
    """
    return story.places.last_of(story.running.reached)


def _reaches(story: Story) -> dict[int, int]:
    """Index of the last message covered by each version that can be built on, by its number."""
    places = story.places
    return {
        version.version: places.get(version.last_anchor, -1)
        for version in visible_versions(story.running.versions, places)
        if not version.is_retired
    }


def fold_base(story: Story, before: int) -> RunningVersion | None:
    """The version to build on for a scene that begins at message `before`.

    The chosen version where it reaches up to there, else the one that reaches farthest, the
    newest among equals; one that ends inside a scene, whose end was moved back, only where there is
    no other. None: begin anew.
    """
    reaching = {number: reach for number, reach in _reaches(story).items() if reach < before}
    usable = {n: reach for n, reach in reaching.items() if _ends_scene(story, reach)} or reaching
    if not usable:
        return None
    farthest = max(usable.values())
    equals = [number for number, reach in usable.items() if reach == farthest]
    current = story.running.current_version
    chosen = current if current in equals else max(equals)
    return next(v for v in story.running.versions if v.version == chosen)


def _ends_scene(story: Story, index: int) -> bool:
    """Whether a scene ends with this message now."""
    scene = story.scene_at(index) if index >= 0 else None
    return scene is not None and scene.is_closed and scene.last == index


def brought_back(story: Story) -> RunningVersion | None:
    """The version that told as many scenes as the one in the prompt before the end of the last of
    them was moved to where no scene ends any more; None where that is not so.
    """
    running, reaches = story.running, _reaches(story)
    current, reach = running.current, reaches.get(running.current_version or 0, -1)
    if current is None or current.version not in reaches or reach < 0:
        return None
    if current.made_by == YOU or _ends_scene(story, reach):
        return None
    others = [
        version
        for version in running.versions
        if version.scene_count == current.scene_count
        and version.first_anchor == current.first_anchor
        and _ends_scene(story, reaches.get(version.version, -1))
    ]
    return others[-1] if others else None


def held_back(story: Story) -> RunningVersion | None:
    """The version that the user chose or wrote although others tell more of the story, None where
    it is not so: nobody wants it followed by what was not built on it.
    """
    reaches = _reaches(story)
    number = story.running.current_version
    reach = reaches.get(number) if number is not None else None
    if reach is None or reach >= max(reaches.values()):
        return None
    return story.running.current


def told_before(story: Story, before: int) -> RunningVersion | None:
    """The version that tells what came before a scene that begins at message `before`, which may
    not tell all of it: none says what the user chose another one for.
    """
    chosen = held_back(story)
    if chosen is not None and story.places.get(chosen.last_anchor, -1) < before:
        return chosen
    return fold_base(story, before)


def scenes_to_fold(story: Story, settings: Mapping[str, Any]) -> Sequence[Scene]:
    """The scenes that the running recap is to tell and does not, in their order.

    Those of a version that the user deleted, or chose an earlier one for, are among them only once
    a further scene is: what is built then would be without them for good. While it is rebuilt, all
    are that the version in the prompt tells, which has to give way in the end.
    """
    scenes = story.scenes
    closed = scenes[:-1] if scenes and scenes[-1].closing is None else scenes
    end = max(0, len(closed) - RecapSettings(settings).running_recap_leave_out)
    rebuilt = story.running.current
    if rebuilt is not None and rebuilt.is_retired:
        reach = story.places.get(rebuilt.last_anchor, -1)
        end = max(end, bisect_right(closed, reach, key=lambda scene: scene.last))
    at = bisect_right(closed, covered_until(story), key=lambda scene: scene.last)
    if at >= end:
        return ()
    base = told_before(story, closed[at].first + 1)
    told = story.places.get(base.last_anchor, -1) if base else -1
    return closed[bisect_right(closed, told, key=lambda scene: scene.last) : end]


def behind_the_fold(story: Story, settings: Mapping[str, Any]) -> Sequence[Scene]:
    """The scenes whose recap may be asked for together with the fold that is next: those right
    behind what it folds in, as many as stay out of the running recap. None where there is nothing
    to merge with, since nobody is asked for that.
    """
    wanting = scenes_to_fold(story, settings)
    if not wanting or fold_base(story, wanting[0].first + 1) is None:
        return ()
    ahead = max(1, RecapSettings(settings).running_recap_leave_out)
    return story.scenes[wanting[0].number : wanting[0].number + ahead]


def scenes_let_go(story: Story, settings: Mapping[str, Any]) -> Sequence[Scene]:
    """The scenes that the running recap tells no more since the user deleted the versions that did,
    or chose one from before them, and that no further scene brings back yet.
    """
    if scenes_to_fold(story, settings):
        return ()
    chosen = held_back(story)
    if chosen is not None:
        only = replace(story.running, versions=(chosen,), forgone=frozenset())
        return scenes_to_fold(replace(story, running=only), settings)
    all_of_it = replace(story, running=replace(story.running, forgone=frozenset()))
    return scenes_to_fold(all_of_it, settings)


def is_being_rebuilt(story: Story) -> bool:
    """Whether the user has the running recap built anew: until it reaches as far, the one that it
    takes the place of is in the prompt.
    """
    current = story.running.current
    return current is not None and current.is_retired


def is_kept_from_rules(story: Story, scene: Scene, base: RunningVersion | None) -> bool:
    """Whether what a model wrote would be followed by what is written without one, which nobody
    asked for: the scene is told by its own recap then, and the running recap waits for a model.

    Whoever has the running recap rebuilt without a model wants that.
    """
    if base is None:
        return False
    places, versions = story.places, story.running.versions
    if any(v.is_retired and places.get(v.last_anchor, -1) >= scene.last for v in versions):
        return False
    # A text by hand is of whoever wrote what it was made from.
    before = [v for v in versions if v.version <= base.version and v.made_by != YOU]
    return bool(before) and before[-1].is_of_a_model


def folded_anew(story: Story, anchors: Collection[str]) -> int:
    """How many scenes are folded in anew once a model has recapped the scenes that these messages
    close after all: the running recap tells what rules made of one, and what was folded in behind
    it rests on that.
    """
    places = story.places
    starts = [
        places.get(anchor, -1)
        for anchor in anchors
        if any(r.is_current and r.is_locked and r.is_stand_in for r in story.recaps.get(anchor, ()))
    ]
    behind = [
        version
        for version in story.running.versions
        if starts and not version.is_retired and places.get(version.last_anchor, -1) >= min(starts)
    ]
    is_yours = any(version.made_by == YOU for version in behind)
    return 0 if is_yours else len({version.last_anchor for version in behind})


def was_set_aside(running: RunningRecap, version: RunningVersion) -> bool:
    """Whether such a version is there already and nothing is to be built on it: whoever has the
    recap built anew from a scene on is not given the same words again. Once other words were
    written since, what says behind them what it said before may say it for nothing.
    """
    retired = [old for old in running.versions if old.is_retired]
    said = {(old.last_anchor, old.content) for old in retired}
    newest = max(
        (
            old.version
            for old in retired
            if (old.last_anchor, old.content) == (version.last_anchor, version.content)
        ),
        default=None,
    )
    return newest is not None and not any(
        new.version > newest and not new.is_retired and (new.last_anchor, new.content) not in said
        for new in running.versions
    )


def was_taken_back(
    running: RunningRecap, base: RunningVersion | None, standing: RunningVersion | None
) -> bool:
    """Whether a rebuild was begun or undone while a scene was folded in: nothing is built any more
    on `base`, which it was built on. Of the first scene, whether `standing`, a version that counts,
    tells it already.
    """
    if base is None:
        return standing is not None and not standing.is_stand_in
    retired = {version.version for version in running.versions if version.is_retired}
    return not base.is_retired and base.version in retired
