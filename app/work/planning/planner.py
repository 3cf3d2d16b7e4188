"""What an event makes necessary: story and settings in, operations out. Pure."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from app.core.operations import OperationKind, OperationSpec
from app.core.translation import N_
from app.llm.prompts.prompt_files import STAGED_RECAP
from app.settings.recaps import RecapSettings
from app.settings.scenes import SceneSettings
from app.settings.slots import SlotSettings
from app.story.break_search import is_choosable
from app.story.messages import (
    Message,
)
from app.story.recaps import YOU, SceneRecap
from app.story.scenes import Scene, scene_digest
from app.story.story import Story
from app.work.planning.folding import (
    behind_the_fold,
    covered_until,
    fold_base,
    is_kept_from_rules,
    scenes_to_fold,
)
from app.work.planning.message_recap_planner import (
    are_message_recaps_wanted,
    planned_message_recaps,
)
from app.work.planning.writing import Writing

# What the user asked for goes before all. Folds go before further recaps so that the prompt
# gains from each; then, of a long backlog, the newest scenes that prompts do not hold themselves,
# the newest first, since they tell them by themselves; then the story from its beginning. Single
# messages come last
# (PRIORITY_MESSAGE).
PRIORITY_NEWEST = 15
PRIORITY_FOLD = 20
PRIORITY_SCENE = 10
LONG_BACKLOG = 20  # scenes: fewer are recapped within minutes
NOTHING_TOLD = scene_digest(())


def recapped_messages(
    messages: Sequence[Message], scene: Scene, speakers: str = "both"
) -> tuple[Message, ...]:
    """What a scene recap is made from: messages with text, notices left out.

    speakers: whose, "both", "character" or "user". A scene that holds none of theirs is read
    whole: without its recap nothing behind it could be folded in.
    """
    return _recapped(messages[scene.first : scene.last + 1], speakers)


def source_digest(story: Story, scene: Scene, settings: Mapping[str, Any]) -> str:
    """Digest of what a scene's recap would be made from now; of nothing, NOTHING_TOLD."""
    speakers = SceneSettings(settings).scene_recap_messages

    def made(inside: Sequence[Message]) -> str:
        return scene_digest(_recapped(inside, speakers))

    # Asked of every scene that is not folded in, each time that something was finished.
    return story.places.digest_of(scene.first, scene.last, ("scene recap", speakers), made)


def _recapped(inside: Sequence[Message], speakers: str) -> tuple[Message, ...]:
    return tuple(message for message in inside if is_choosable(message, speakers)) or tuple(
        message for message in inside if is_choosable(message)
    )


def plan(
    story: Story,
    chat_id: int,
    settings: Mapping[str, Any],
    writing: Writing,
    *,
    held_from: int | None = None,
) -> tuple[OperationSpec, ...]:
    """All operations that the story lacks by the settings; nothing that is there already.

    held_from: index of the first message that prompts hold themselves, None while unknown.

    Reading again after each finished operation, the planner needs no memory of its own: the next
    fold is planned when the recap that it needs is there.
    """
    specs: list[OperationSpec] = []
    if SceneSettings(settings).scene_recaps_auto:
        recaps = _scene_recaps(story, chat_id, settings, writing)
        specs += _newest_first(recaps, story, settings, held_from)
    if RecapSettings(settings).running_recap_auto:
        fold = next_fold(story, chat_id, settings, writing)
        specs = _with_fold(story, specs, fold, settings, writing) if fold else specs
    if are_message_recaps_wanted(settings, writing):
        specs += planned_message_recaps(story, chat_id, settings, writing)
    return tuple(specs)


def are_folds_beside(settings: Mapping[str, Any], writing: Writing) -> bool:
    """Whether a request for a scene's recap may ask for a fold, too: one model makes both, and by
    itself.
    """
    if not RecapSettings(settings).running_recap_auto or in_stages(settings, writing):
        return False
    recaps, folds = map(writing.of, (OperationKind.SCENE_RECAP, OperationKind.RUNNING_RECAP))
    return recaps.spec == folds.spec and recaps.folds_beside


def fold_beside(
    story: Story, chat_id: int, scene: Scene, settings: Mapping[str, Any], writing: Writing
) -> OperationSpec | None:
    """The fold that the request for this scene's recap may ask for, too."""
    if not are_folds_beside(settings, writing) or scene not in behind_the_fold(story, settings):
        return None
    return next_fold(story, chat_id, settings, writing)


def _with_fold(
    story: Story,
    recaps: Sequence[OperationSpec],
    fold: OperationSpec,
    settings: Mapping[str, Any],
    writing: Writing,
) -> list[OperationSpec]:
    """These recaps with the fold, which comes after the one whose request asks for it, too. Where
    it is asked for alone, the recaps of later scenes come after it, also while it waits to be
    tried again: each that went ahead would leave one more fold to be paid for by itself.
    """
    found = {spec.anchor: place for place, spec in enumerate(recaps)}
    specs, folded = list(recaps), story.scene_ending_at(fold.anchor)
    # Of what is made anew first, nobody knows yet how it is folded in.
    if folded is None or fold.anchor in found or not are_folds_beside(settings, writing):
        return [*specs, fold]
    for scene in behind_the_fold(story, settings):
        place = found.get(scene.closing.anchor) if scene.closing is not None else None
        if place is not None:
            label = N_("Recap of scene {n}, asked together with how to add scene {folded}")
            label = label.format(n=scene.number, folded=folded.number)
            specs[place] = replace(specs[place], label=label)
            return [*specs, replace(fold, after=(specs[place].key,))]
    return [*(_behind(spec, fold) for spec in specs), fold]


def _behind(spec: OperationSpec, fold: OperationSpec) -> OperationSpec:
    """The newest scenes of a long backlog wait for no fold: theirs are asked for alone anyway."""
    if spec.priority != PRIORITY_SCENE:
        return spec
    return replace(spec, after=(*spec.after, fold.key))


# 7 parameters: a scene, and what its text is made with.
def scene_recap_spec(
    story: Story,
    chat_id: int,
    scene: Scene,
    settings: Mapping[str, Any],
    writing: Writing,
    *,
    priority: int = PRIORITY_SCENE,
    again: str = "",
) -> OperationSpec:
    """The recap of a closed scene. again: makes the work new although its inputs are not."""
    assert scene.closing is not None
    writing = writing.of(OperationKind.SCENE_RECAP)
    digest = source_digest(story, scene, settings)
    least, most = recap_bounds(settings)
    is_staged = in_stages(settings, writing)
    form = (STAGED_RECAP, writing.version_of(STAGED_RECAP)) if is_staged else ()
    return OperationSpec(
        kind=OperationKind.SCENE_RECAP,
        chat=chat_id,
        key=writing.key(OperationKind.SCENE_RECAP, digest, f"{least}-{most}", again, *form),
        anchor=scene.closing.anchor,
        label=N_("Recap of scene {n}").format(n=scene.number),
        priority=priority,
        params={"tokens": least, "most": most, "again": again, "staged": is_staged},
    )


def recap_bounds(settings: Mapping[str, Any]) -> tuple[int, int]:
    """Tokens that a scene's recap takes at least and at most, however long the scene."""
    least = SceneSettings(settings).scene_recap_tokens
    return least, max(least, SceneSettings(settings).scene_recap_most)


def in_stages(settings: Mapping[str, Any], writing: Writing) -> bool:
    """Whether scene recaps are made in stages; without a model there are none."""
    is_free = writing.of(OperationKind.SCENE_RECAP).is_free
    return SceneSettings(settings).scene_recap_form == "staged" and not is_free


def _scene_recaps(
    story: Story, chat_id: int, settings: Mapping[str, Any], writing: Writing
) -> list[OperationSpec]:
    covered, specs = covered_until(story), []
    writing = writing.of(OperationKind.SCENE_RECAP)
    # Nearly all scenes of a long story are recapped and folded in.
    behind = bisect_right(story.scenes, covered, key=lambda scene: scene.last)
    for scene in story.scenes[min(behind, story.unrecapped_from) :]:
        if scene.closing is None:
            continue
        recap = story.scene_recap(scene)
        # What was folded in, or written by hand, is never replaced unasked: it shows as stale.
        if recap is not None and (scene.last <= covered or recap.made_by == YOU):
            continue
        # Nor is a model's work by what is written without one.
        if recap is not None and writing.is_free and not recap.is_without_model:
            continue
        digest = source_digest(story, scene, settings)
        if digest == NOTHING_TOLD or (recap is not None and recap.source_digest == digest):
            continue
        specs.append(scene_recap_spec(story, chat_id, scene, settings, writing))
    return specs


def _newest_first(
    specs: list[OperationSpec], story: Story, settings: Mapping[str, Any], held_from: int | None
) -> list[OperationSpec]:
    """Of a long backlog, the scenes that the prompt tells by themselves before all others: the
    newest of those that it does not hold word for word. A short one goes in the order of the story:
    each scene's recap is written knowing what came before.
    """
    shown = SlotSettings(settings).scenes_shown if SlotSettings(settings).scenes_enabled else 1
    if len(specs) <= max(shown, LONG_BACKLOG):
        return specs
    end = len(story.messages) if held_from is None else held_from
    told = [s.closing.anchor for s in story.scenes if s.closing is not None and s.first < end]
    newest = frozenset(told[-shown:])
    first = [replace(spec, priority=PRIORITY_NEWEST) for spec in specs if spec.anchor in newest]
    return first[::-1] + [spec for spec in specs if spec.anchor not in newest]


def is_scene_recap_stale(story: Story, scene: Scene, settings: Mapping[str, Any]) -> bool:
    """Whether a scene's recap tells of other messages, or of other words, than the scene holds."""
    recap = story.scene_recap(scene)
    if recap is None or not recap.source_digest:
        return False
    return recap.source_digest != source_digest(story, scene, settings)


def recap_of_now(story: Story, scene: Scene, settings: Mapping[str, Any]) -> SceneRecap | None:
    """The version of a stale recap that was written of just what the scene holds now, None for
    none: what is undone, or swiped back, has its recap already.
    """
    current = story.scene_recap(scene)
    if current is None or not is_scene_recap_stale(story, scene, settings):
        return None
    digest = source_digest(story, scene, settings)
    versions = story.recaps.get(current.anchor, ())
    written = [version for version in versions if version.source_digest == digest]
    kept = [version for version in written if not version.is_without_model]
    # Without a model, what rules wrote is as good as what they would write again.
    return kept[-1] if kept else written[-1] if written and current.is_without_model else None


def next_fold(
    story: Story, chat_id: int, settings: Mapping[str, Any], writing: Writing
) -> OperationSpec | None:
    """The fold that the running recap lacks next; None when it is complete or has to wait."""
    wanting = scenes_to_fold(story, settings)
    return _fold(story, chat_id, wanting[0], settings, writing) if wanting else None


def fold_again(
    story: Story, chat_id: int, anchor: str, settings: Mapping[str, Any], writing: Writing
) -> OperationSpec | None:
    """The fold of the scene that ends here, where rules did it in place of a model that gave
    nothing of use; None where that is not so.
    """
    scene = story.scene_ending_at(anchor)
    told = [v for v in story.running.versions if v.last_anchor == anchor and not v.is_retired]
    if scene is None or not told or not told[-1].is_stand_in:
        return None
    return _fold(story, chat_id, scene, settings, writing)


def _fold(
    story: Story, chat_id: int, scene: Scene, settings: Mapping[str, Any], writing: Writing
) -> OperationSpec | None:
    assert scene.closing is not None
    recap = story.scene_recap(scene)
    if recap is None:
        return None
    base = fold_base(story, scene.first + 1)
    writing = writing.of(OperationKind.RUNNING_RECAP)
    if writing.is_free and is_kept_from_rules(story, scene, base):
        return None
    tokens = recap_room(settings)
    name = story.scene_name(scene) or recap.name
    inputs = (base.content if base else "", name, recap.text, str(tokens))
    return OperationSpec(
        kind=OperationKind.RUNNING_RECAP,
        chat=chat_id,
        key=writing.key(OperationKind.RUNNING_RECAP, *inputs),
        anchor=scene.closing.anchor,
        label=N_("Add scene {n} to the running recap").format(n=scene.number),
        priority=PRIORITY_FOLD,
        params={"tokens": tokens},
    )


def recap_room(settings: Mapping[str, Any]) -> int:
    """Tokens that the running recap itself may take: its budget without the frame, about."""
    frame = RecapSettings(settings).running_recap_frame.replace("{{running_recap}}", "")
    return max(40, RecapSettings(settings).running_recap_budget - len(frame) // 3 - 8)
