"""Which messages lack a recap, and the work of writing it. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from app.core.operations import OperationKind, OperationSpec
from app.core.translation import N_
from app.settings.recaps import RecapSettings
from app.story.inclusion import InclusionRules, exclusion_reason
from app.story.messages import (
    Absence,
    Message,
    MessageKind,
    MessageRecap,
)
from app.story.story import Story
from app.work.planning.writing import Writing

PRIORITY_MESSAGE = 1  # after all recaps of scenes
MESSAGES_PER_PLAN = 400


def are_message_recaps_wanted(settings: Mapping[str, Any], writing: Writing) -> bool:
    """Whether messages are recapped by themselves: by rules, or by a model."""
    recaps = RecapSettings(settings)
    is_free = writing.of(OperationKind.MESSAGE_RECAP).is_free
    return recaps.message_recaps_auto if is_free else recaps.message_recaps_model


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


def planned_message_recaps(
    story: Story, chat_id: int, settings: Mapping[str, Any], writing: Writing
) -> list[OperationSpec]:
    """Those that are made by themselves, newest first. The trailing reply may still be swiped: it
    waits in any case (read-behind).
    """
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
