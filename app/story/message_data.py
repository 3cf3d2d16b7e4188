"""What may be done to a message's recap and marks (seed 003; spec/auto-recap.md §1.7). Pure.

Each text that a message showed, each swipe, has a record of its own, by its content hash: a swipe
back finds its recap and its marks again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum

from msgspec import structs

from app.story.messages import Absence, Message, MessageRecap

NO_RECAP = MessageRecap()


class Mark(StrEnum):
    """A mark that the user sets on a message."""

    EXCLUDED = "is_excluded"
    REMEMBERED = "is_remembered"


def shown(records: Iterable[MessageRecap], content_hash: str) -> MessageRecap:
    """The record of the text shown, else the newest of the others, which is stale then.

    records: of one message, oldest first.
    """
    newest = NO_RECAP
    for record in records:
        if record.source_hash == content_hash:
            return record
        newest = record
    return newest


def edited(old: MessageRecap, text: str, message: Message) -> MessageRecap:
    """The recap with the user's own words for the text shown now; the same when they are equal.

    Who writes a first recap, or removes one, lifts the marks too.
    """
    if text == old.text:
        return old
    keeps_marks = bool(old.text and text)
    return MessageRecap(
        text=text,
        is_excluded=old.is_excluded and keeps_marks,
        is_remembered=old.is_remembered and keeps_marks,
        is_edited=bool(text),
        source_hash=message.content_hash,
        absence=Absence.UNKNOWN if text else Absence.REMOVED,
        swipe=message.swipe,
    )


def cleared(message: Message) -> MessageRecap:
    """The record of a text of which nothing is known, and nothing wanted."""
    return MessageRecap(
        source_hash=message.content_hash, absence=Absence.REMOVED, swipe=message.swipe
    )


def taken_over(other: MessageRecap, message: Message) -> MessageRecap:
    """The recap of another swipe, marks included, for the text shown now."""
    return structs.replace(other, source_hash=message.content_hash, swipe=message.swipe)


def marked(old: MessageRecap, mark: Mark, value: bool, message: Message) -> MessageRecap:
    """The record with a mark set or lifted. A new record is of the text shown now."""
    made = structs.replace(old, **{mark.value: value})
    if old == NO_RECAP:
        made = structs.replace(made, source_hash=message.content_hash, swipe=message.swipe)
    return made


def toggled(
    recaps: Mapping[str, MessageRecap],
    messages: Sequence[Message],
    mark: Mark,
    value: bool | None = None,
) -> dict[str, MessageRecap]:
    """The records, by anchor, that change when a mark is toggled on several messages.

    recaps: by anchor. value: to set on all of them. None sets it on those that lack it, and lifts
    it only where all of them have it.
    """
    olds = {m.anchor: recaps.get(m.anchor, NO_RECAP) for m in messages}
    if value is None:
        value = not all(getattr(old, mark.value) for old in olds.values())
    return {
        m.anchor: marked(olds[m.anchor], mark, value, m)
        for m in messages
        if getattr(olds[m.anchor], mark.value) is not value
    }


def of_previous_swipe(
    records: Iterable[MessageRecap], swipe_hashes: Sequence[str], swipe: int
) -> MessageRecap | None:
    """The record of the swipe before `swipe`, None for the first one or when there is none.

    swipe_hashes: content hashes of all swipes' texts, in order.
    """
    if not 0 < swipe <= len(swipe_hashes):
        return None
    wanted = swipe_hashes[swipe - 1]
    return next((record for record in records if record.source_hash == wanted), None)
