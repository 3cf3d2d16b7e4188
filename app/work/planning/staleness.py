"""Whether queued work is still what the story, the settings and the model call for. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from app.core.operations import (
    MEMORY_KINDS,
    Operation,
    OperationKind,
    OperationSpec,
    Work,
)
from app.settings.scenes import SceneSettings
from app.story.break_search import ScenesOfMessages
from app.story.story import Story
from app.work.planning.break_planner import HEURISTIC, search_key, search_of
from app.work.planning.memory_planner import pass_spec
from app.work.planning.message_recap_planner import (
    are_message_recaps_wanted,
    message_recap_specs,
    needs_recap,
)
from app.work.planning.planner import fold_again, next_fold, scene_recap_spec
from app.work.planning.writing import Writing

# What `plan`, `search_specs`, `next_pass` and `plan_documents` speak for; other kinds are left to
# who queued them.
PLANNED = frozenset(
    {
        OperationKind.DETECT_BREAKS,
        OperationKind.SCENE_RECAP,
        OperationKind.RUNNING_RECAP,
        OperationKind.MESSAGE_RECAP,
        *MEMORY_KINDS,
    }
)


def renewed(
    spec: OperationSpec,
    story: Story,
    settings: Mapping[str, Any],
    writing: Writing,
) -> tuple[OperationSpec, ...]:
    """The same wish as it would be planned now, () when there is nothing left of it."""
    chat, again = spec.chat, str(spec.params.get("again", ""))
    if spec.kind is OperationKind.SCENE_RECAP:
        scene = story.scene_ending_at(spec.anchor)
        if scene is None:
            return ()
        now = scene_recap_spec(story, chat, scene, settings, writing, again=again)
        return (replace(now, priority=spec.priority),)
    if spec.kind is OperationKind.RUNNING_RECAP:
        fold = next_fold(story, chat, settings, writing)
        if fold is not None and fold.anchor == spec.anchor:
            return (fold,)
        if not spec.is_asked_for:
            return ()
        # Who asks for it knows of what stands in for it.
        redone = fold_again(story, chat, spec.anchor, settings, writing)
        return () if redone is None else (replace(redone, priority=spec.priority),)
    if spec.kind is OperationKind.MESSAGE_RECAP:
        # By the places that the story has: thousands of these may be asked for at once.
        found = (story.places.get(anchor) for anchor in spec.params["anchors"])
        messages = [story.messages[place] for place in found if place is not None]
        return tuple(
            message_recap_specs(
                messages,
                chat,
                writing,
                priority=spec.priority,
                again=again,
                places=story.places,
            )
        )
    if spec.kind is OperationKind.MEMORY_PASS:
        places = {message.anchor: index for index, message in enumerate(story.messages)}
        new = [places[anchor] for anchor in spec.params["anchors"] if anchor in places]
        if len(new) < len(spec.params["anchors"]):
            return ()
        read = pass_spec(story, chat, settings, writing, new, again=again)
        return (replace(read, priority=spec.priority),)
    if spec.kind is OperationKind.DETECT_BREAKS:
        place = ScenesOfMessages(story.messages, story.message_tokens, story.breaks, ())
        search = search_of(place, spec)
        is_same = search is not None and search_key(place, search, writing) == spec.key
        return (spec,) if is_same else ()
    if spec.kind is OperationKind.CONTINUITY:
        # Of a reply that was swiped away nobody wants to know what it contradicts.
        message = next((m for m in story.messages if m.anchor == spec.anchor), None)
        then = spec.params.get("hash")
        is_there = message is not None and then in (None, message.content_hash)
        return (spec,) if is_there else ()
    return (spec,)


def is_outdated(
    spec: OperationSpec, story: Story, settings: Mapping[str, Any], writing: Writing
) -> bool:
    """Whether its story is no longer the one that this was begun with."""
    return all(now.work != spec.work for now in renewed(spec, story, settings, writing))


def is_wanted(
    operation: Operation,
    story: Story,
    settings: Mapping[str, Any],
    writing: Writing,
    planned: Collection[OperationSpec],
    works: Collection[Work],
) -> bool:
    """Whether what waits is to be done after all.

    planned: all that the story lacks now; works: what each of them is.
    """
    spec = operation.spec
    if spec.kind not in PLANNED or spec.work in works:
        return True
    if spec.is_asked_for and spec.kind is not OperationKind.DETECT_BREAKS:
        return any(now.work == spec.work for now in renewed(spec, story, settings, writing))
    if spec.kind is OperationKind.MESSAGE_RECAP:
        return _is_message_recap_wanted(spec, story, settings, writing)
    if spec.kind is OperationKind.DETECT_BREAKS:
        # Nothing new came in this run: what an earlier one was about to ask is asked still.
        is_off = (
            SceneSettings(settings).scene_detector == HEURISTIC
            or not SceneSettings(settings).scene_breaks_auto
        )
        # About a stretch nobody asks by news: what is not planned was answered meanwhile.
        is_planned = any(other.kind is spec.kind for other in planned)
        is_left = not (is_off or is_planned or spec.params.get("several"))
        return is_left and bool(renewed(spec, story, settings, writing))
    return False


def _is_message_recap_wanted(
    spec: OperationSpec, story: Story, settings: Mapping[str, Any], writing: Writing
) -> bool:
    """Not only what is planned now: fewer than a batch, or old by now, it is wanted still."""
    if not are_message_recaps_wanted(settings, writing):
        return False
    wanted = frozenset(spec.params["anchors"])
    lacks = any(
        needs_recap(message, story.message_recaps.get(message.anchor), settings)
        for message in story.messages
        if message.anchor in wanted
    )
    return lacks and any(now.work == spec.work for now in renewed(spec, story, settings, writing))
