"""What an event makes necessary: story and settings in, operations out. Pure."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from app.core.operations import OperationKind, OperationSpec
from app.core.translation import N_
from app.llm.prompts.prompt_files import STAGED_RECAP
from app.settings.recaps import RecapSettings
from app.settings.scenes import SceneSettings
from app.settings.slots import SlotSettings
from app.story.break_search import is_choosable
from app.story.inclusion import InclusionRules, exclusion_reason
from app.story.messages import (
    Absence,
    Message,
    MessageKind,
    MessageRecap,
    combined_digest,
)
from app.story.recaps import YOU
from app.story.scenes import Scene, scene_digest
from app.story.story import Story
from app.work.planning.folding import (
    behind_the_fold,
    covered_until,
    fold_base,
    is_kept_from_rules,
    scenes_to_fold,
)

# What the user asked for goes before all. Folds go before further recaps so that the prompt
# gains from each; then, of a long backlog, the newest scenes, the newest first, since the prompt
# tells them by themselves; then the story from its beginning. Single messages come last.
PRIORITY_NEWEST = 15
PRIORITY_FOLD = 20
PRIORITY_SCENE = 10
PRIORITY_MESSAGE = 1
LONG_BACKLOG = 20  # scenes: fewer are recapped within minutes
MESSAGES_PER_PLAN = 400
NOTHING_TOLD = scene_digest(())


@dataclass(frozen=True, slots=True)
class Writing:
    """Who writes: the part of an operation's identity that is not the story's.

    spec: backend. prompt_version: as the writer says it. is_free: costs no request.
    context_tokens: of the model, None while unknown. versions: prompt versions of single kinds of
    work, in place of prompt_version. reasoning_tokens: before an answer, as seen so far.
    write_speed: tokens a second in a test of the model, None where it was not tested.
    others: who writes kinds of work that the user gave to another model. folds_beside: see
    RecapWriter.
    """

    spec: str
    prompt_version: str
    is_free: bool
    context_tokens: int | None = None
    versions: Mapping[str, str] = field(default_factory=dict)
    reasoning_tokens: int = 0
    write_speed: float | None = None
    others: Mapping[OperationKind, Writing] = field(default_factory=dict)
    folds_beside: bool = False

    def of(self, kind: OperationKind) -> Writing:
        """Who does this kind of work."""
        return self.others.get(kind, self)

    @property
    def asks_nobody(self) -> bool:
        """Whether no kind of work costs a request."""
        return self.is_free and all(other.is_free for other in self.others.values())

    @property
    def specs(self) -> str:
        """The backends of all kinds of work; that of one for everything as it is."""
        others = [f"{kind}={other.spec}" for kind, other in sorted(self.others.items())]
        return "|".join((self.spec, *others))

    def version_of(self, work: str) -> str:
        """Prompt version of one kind of work: a prompt that it does not need does not count."""
        return self.versions.get(work, self.prompt_version)

    def key(self, kind: OperationKind, *inputs: str) -> str:
        """Idempotency key: kind, inputs, backend and prompt version (design.md, decision 5)."""
        by = self.of(kind)
        return combined_digest(kind.value, by.spec, by.version_of(kind.value), *inputs)


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
    story: Story, chat_id: int, settings: Mapping[str, Any], writing: Writing
) -> tuple[OperationSpec, ...]:
    """All operations that the story lacks by the settings; nothing that is there already.

    Reading again after each finished operation, the planner needs no memory of its own: the next
    fold is planned when the recap that it needs is there.
    """
    specs: list[OperationSpec] = []
    if SceneSettings(settings).scene_recaps_auto:
        specs += _scene_recaps(story, chat_id, settings, writing)
    if RecapSettings(settings).running_recap_auto:
        fold = next_fold(story, chat_id, settings, writing)
        specs = _with_fold(story, specs, fold, settings, writing) if fold else specs
    if are_message_recaps_wanted(settings, writing):
        specs += _message_recaps(story, chat_id, settings, writing)
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
    """These recaps with the fold, which comes after the one whose request asks for it, too."""
    found = {spec.anchor: place for place, spec in enumerate(recaps)}
    specs, folded = list(recaps), story.scene_ending_at(fold.anchor)
    # Of what is made anew first, nobody knows yet how it is folded in.
    if folded is None or fold.anchor in found or not are_folds_beside(settings, writing):
        return [*specs, fold]
    for scene in behind_the_fold(story, settings):
        place = found.get(scene.closing.anchor) if scene.closing is not None else None
        if place is not None:
            label = N_("Recap of scene {n}, and scene {folded} added to the running recap")
            label = label.format(n=scene.number, folded=folded.number)
            specs[place] = replace(specs[place], label=label)
            return [*specs, replace(fold, after=(specs[place].key,))]
    return [*specs, fold]


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
    return _newest_first(specs, settings)


def _newest_first(specs: list[OperationSpec], settings: Mapping[str, Any]) -> list[OperationSpec]:
    """Of a long backlog, the scenes that the prompt tells by themselves before all others. A short
    one goes in the order of the story: each scene's recap is written knowing what came before.
    """
    shown = SlotSettings(settings).scenes_shown if SlotSettings(settings).scenes_enabled else 1
    if len(specs) <= max(shown, LONG_BACKLOG):
        return specs
    newest = [replace(spec, priority=PRIORITY_NEWEST) for spec in specs[-shown:]]
    return newest[::-1] + specs[:-shown]


def is_scene_recap_stale(story: Story, scene: Scene, settings: Mapping[str, Any]) -> bool:
    """Whether a scene's recap tells of other messages, or of other words, than the scene holds."""
    recap = story.scene_recap(scene)
    if recap is None or not recap.source_digest:
        return False
    return recap.source_digest != source_digest(story, scene, settings)


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


def are_message_recaps_wanted(settings: Mapping[str, Any], writing: Writing) -> bool:
    """Whether messages are recapped by themselves: by rules, or by a model."""
    recaps = RecapSettings(settings)
    is_free = writing.of(OperationKind.MESSAGE_RECAP).is_free
    return recaps.message_recaps_auto if is_free else recaps.message_recaps_model


def recap_room(settings: Mapping[str, Any]) -> int:
    """Tokens that the running recap itself may take: its budget without the frame, about."""
    frame = RecapSettings(settings).running_recap_frame.replace("{{running_recap}}", "")
    return max(40, RecapSettings(settings).running_recap_budget - len(frame) // 3 - 8)


def message_recap_specs(
    messages: Sequence[Message],
    chat_id: int,
    writing: Writing,
    *,
    priority: int = PRIORITY_MESSAGE,
    again: str = "",
    places: Mapping[str, int] | None = None,
) -> list[OperationSpec]:
    """Recaps of these messages: with a model an operation each, else one for all of them.

    again: makes the work new although its inputs are not. places: index of a message by anchor.
    """
    writing = writing.of(OperationKind.MESSAGE_RECAP)
    groups = [list(messages)] if writing.is_free else [[message] for message in messages]
    return [
        OperationSpec(
            kind=OperationKind.MESSAGE_RECAP,
            chat=chat_id,
            key=writing.key(OperationKind.MESSAGE_RECAP, *(m.content_hash for m in group), again),
            anchor=group[0].anchor,
            label=_label(group, places or {}),
            priority=priority,
            params={"anchors": [message.anchor for message in group], "again": again},
        )
        for group in groups
        if group
    ]


def _label(messages: Sequence[Message], places: Mapping[str, int]) -> str:
    if len(messages) > 1:
        return N_("Recaps of {n} messages").format(n=len(messages))
    index = places.get(messages[0].anchor)
    return N_("Recap of a message") if index is None else N_("Recap of #{n}").format(n=index)


def _counts(story: Story, index: int, rules: InclusionRules) -> bool:
    """Whether a recap of the message would count: for another one nobody pays unasked."""
    message = story.messages[index]
    recap = story.message_recaps.get(message.anchor, MessageRecap())
    tokens = story.message_tokens[index] if index < len(story.message_tokens) else None
    is_long = tokens is None or tokens >= rules.minimum_tokens
    return is_long and not exclusion_reason(message, recap, rules)


def _message_recaps(
    story: Story, chat_id: int, settings: Mapping[str, Any], writing: Writing
) -> list[OperationSpec]:
    """Newest first. The trailing reply may still be swiped: it waits in any case (read-behind)."""
    waiting = max(1, RecapSettings(settings).message_recap_delay)
    writing = writing.of(OperationKind.MESSAGE_RECAP)
    settled = story.messages[: max(0, len(story.messages) - waiting)]
    limit = 0 if writing.is_free else RecapSettings(settings).message_recap_limit
    rules = RecapSettings(settings).inclusion_rules()
    missing = []
    first = len(settled) - (limit or len(settled))
    for index in reversed(_unrecapped(settled, story.message_recaps, max(0, first))):
        message = settled[index]
        recap = story.message_recaps.get(message.anchor)
        if needs_recap(message, recap, settings) and _counts(story, index, rules):
            missing.append(message)
            if len(missing) == MESSAGES_PER_PLAN:
                break
    if not writing.is_free and len(missing) < RecapSettings(settings).message_recap_batch:
        return []
    return message_recap_specs(missing, chat_id, writing, places=story.places)


def _unrecapped(
    messages: Sequence[Message], recaps: Mapping[str, MessageRecap], first: int
) -> list[int]:
    """Indexes, from `first` on, that may need a recap: nearly all of a long chat have theirs."""
    known = recaps.get
    return [
        index
        for index, message in enumerate(messages[first:], first)
        if (recap := known(message.anchor)) is None
        or not recap.text
        or recap.source_hash != message.content_hash
    ]


def missing_recaps(story: Story, settings: Mapping[str, Any]) -> list[Message]:
    """Messages without a recap of their text as it is: those that failed among them, and those
    whose recap the user took away.
    """
    settings = {**settings, "message_recap_again": True, "message_recap_on_swipe": True}
    rules = RecapSettings(settings).inclusion_rules()
    missing = []
    for index, message in enumerate(story.messages):
        recap = story.message_recaps.get(message.anchor)
        if recap is not None and not recap.is_excluded and _has_none(recap):
            recap = None
        if needs_recap(message, recap, settings) and _counts(story, index, rules):
            missing.append(message)
    return missing


def _has_none(recap: MessageRecap) -> bool:
    """Whether writing it failed, or the user took it away."""
    return bool(recap.error) or recap.absence is Absence.REMOVED


def needs_recap(message: Message, recap: MessageRecap | None, settings: Mapping[str, Any]) -> bool:
    """Whether a message lacks a recap of its text as it is. What was written by hand stays."""
    if message.kind is MessageKind.NOTICE or not any(map(str.isalpha, message.text)):
        return False  # nothing to say of "..."
    if recap is None:
        return True
    if recap.is_edited or recap.is_excluded:
        return False
    if recap.absence is Absence.REMOVED:
        return False
    is_outdated = bool(recap.source_hash) and recap.source_hash != message.content_hash
    if not recap.text and not recap.error:
        return is_outdated or recap.absence is Absence.UNKNOWN
    if not is_outdated:
        return False
    recaps = RecapSettings(settings)
    is_swiped = recap.swipe != message.swipe
    return recaps.message_recap_on_swipe if is_swiped else recaps.message_recap_again
