"""What Tavernkeep knows of a chat, in the shapes that ST-Auto-Recap keeps in it. Pure.

Shapes: spec/auto-recap.md §1.2 to §1.5 and §12. Each function compares with what the chat holds and
gives only what has to be written: nothing for what says the same already. What others wrote and we
do not know stays: versions are only added, and foreign ones are set aside, never dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from app.sillytavern.chat_edit import Block, Blocks, LineEdit
from app.sillytavern.chat_line import RECAP_NAMESPACES, ChatLine
from app.sillytavern.extensions.message_extras import is_readable, message_recap, recap_block
from app.sillytavern.extensions.running_writing import running_values
from app.sillytavern.extensions.scene_writing import forgotten_scene, scene_values
from app.sillytavern.extensions.string_hash import string_hashes
from app.story.clearance import Forgotten
from app.story.inclusion import Inclusion, InclusionState
from app.story.messages import MessageRecap
from app.story.story import Story

NAMESPACE = RECAP_NAMESPACES[0]
INCLUDED = "Recap of message(s)"
NOTHING_FORGOTTEN = Forgotten()

Positions = Mapping[str, int]  # of messages in the chat, by anchor
# Of a message whose recap was cleared (spec/auto-recap.md §1.7).
CLEARED_GROUP: Block = {
    "memory": None,
    "error": None,
    "reasoning": None,
    "prefill": None,
    "edited": False,
    "exclude": False,
    "include": None,
}

_INCLUDED_STATES = (InclusionState.INCLUDED, InclusionState.LONG_TERM)


@dataclass(frozen=True, slots=True)
class Mirrored:
    """What has to be written. lines: by index of the message. metadata: by key."""

    lines: dict[int, LineEdit] = field(default_factory=dict)
    metadata: dict[str, Any] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.lines or self.metadata)


# 8 parameters: all that is written beside one message.
def mirrored(
    story: Story,
    lines: Sequence[ChatLine],
    metadata: Mapping[str, Any],
    *,
    leave_out: int = 0,
    forgotten: Forgotten = NOTHING_FORGOTTEN,
    with_inclusion: bool = True,
    is_of_other_swipe: Callable[[int, str], bool] = lambda _index, _hash: False,
    swipe_recaps: Callable[[int], Sequence[MessageRecap]] = lambda _index: (),
) -> Mirrored:
    """All that the chat does not say yet.

    lines: parallel to the story's messages. metadata: the chat's. leave_out: newest scenes that
    stay out of the running recap. forgotten: what the user put away. is_of_other_swipe: whether a
    swipe of message `index` that is not shown has this content hash. swipe_recaps: what those
    swipes hold.
    """
    positions = {message.anchor: index for index, message in enumerate(story.messages)}
    edits: dict[int, LineEdit] = {}
    for found in (
        _scenes(story, lines, positions, forgotten),
        _message_recaps(story, lines, positions, is_of_other_swipe, with_inclusion=with_inclusion),
        _forgotten_scenes(story, lines, positions, forgotten),
        _forgotten_messages(story, lines, positions, forgotten, swipe_recaps),
    ):
        for index, edit in found:
            edits[index] = _joined(edits[index], edit) if index in edits else edit
    running = running_values(
        metadata,
        story.running,
        positions,
        name=story.chat.title,
        leave_out=leave_out,
        deleted=forgotten.running,
    )
    return Mirrored(edits, running)


def _scenes(
    story: Story, lines: Sequence[ChatLine], positions: Positions, forgotten: Forgotten
) -> Iterator[tuple[int, LineEdit]]:
    scenes = {scene.closing.anchor: scene for scene in story.scenes if scene.closing is not None}
    for anchor, mark in story.breaks.items():
        index = positions.get(anchor)
        if index is None:
            continue
        recaps = story.recaps.get(anchor, ())
        gone = forgotten.scene_recaps.get(anchor, ())
        values = scene_values(lines[index], mark, scenes.get(anchor), recaps, index, gone)
        if values:
            yield index, LineEdit({NAMESPACE: values}, {NAMESPACE: values})


def _message_recaps(
    story: Story,
    lines: Sequence[ChatLine],
    positions: Positions,
    is_of_other_swipe: Callable[[int, str], bool],
    *,
    with_inclusion: bool,
) -> Iterator[tuple[int, LineEdit]]:
    for anchor, recap in story.message_recaps.items():
        index = positions.get(anchor)
        if index is None:
            continue
        told = story.inclusion[index] if with_inclusion and index < len(story.inclusion) else None
        line = lines[index]
        if recap.source_hash in ("", line.content_hash):
            values = message_values(line, recap, told)
        elif line.swipes > 1 and is_of_other_swipe(index, recap.source_hash):
            values = cleared_values(line, recap)
        else:
            continue  # the text was edited since: what stands there goes with it, stale as here
        if values:
            yield index, LineEdit({NAMESPACE: values})


def _forgotten_scenes(
    story: Story, lines: Sequence[ChatLine], positions: Positions, forgotten: Forgotten
) -> Iterator[tuple[int, LineEdit]]:
    for anchor in forgotten.scenes - story.breaks.keys():
        index = positions.get(anchor)
        gone = forgotten.scene_recaps.get(anchor, ())
        values = {} if index is None else forgotten_scene(lines[index], gone)
        if index is not None and values:
            yield index, LineEdit({NAMESPACE: values}, {NAMESPACE: values})


def _forgotten_messages(
    story: Story,
    lines: Sequence[ChatLine],
    positions: Positions,
    forgotten: Forgotten,
    swipe_recaps: Callable[[int], Sequence[MessageRecap]],
) -> Iterator[tuple[int, LineEdit]]:
    for anchor, records in forgotten.messages.items():
        index = positions.get(anchor)
        if index is None:
            continue
        held = story.message_recaps.get(anchor)
        is_known = held is not None and held.source_hash in ("", lines[index].content_hash)
        others = swipe_recaps(index) if lines[index].swipes > 1 else ()
        more = forgotten_message(lines[index], records, others, is_known=is_known)
        if more:
            yield index, more


def _joined(one: LineEdit, other: LineEdit) -> LineEdit:
    """Both edits of a message, in our namespace."""

    def joined(first: Blocks, second: Blocks) -> Blocks:
        block = {**first.get(NAMESPACE, {}), **second.get(NAMESPACE, {})}
        return {NAMESPACE: block} if block else {}

    return LineEdit(joined(one.extra, other.extra), joined(one.every_swipe, other.every_swipe))


# --- one message


def message_values(line: ChatLine, recap: MessageRecap, told: Inclusion | None = None) -> Block:
    """The message group (spec/auto-recap.md §1.2) of the text shown now.

    told: what became of its recap, None to leave `include` alone.
    """
    if not is_readable(line):
        return {}
    held, block = message_recap(line) or MessageRecap(), recap_block(line)
    values: dict[str, Any] = {}
    if _group(held) != _group(recap):
        values = {
            "memory": recap.text or None,
            "error": recap.error or None,
            "edited": recap.is_edited,
            "exclude": recap.is_excluded,
        }
        if held.text != recap.text:
            values |= {"reasoning": recap.reasoning or None, "prefill": recap.prefill or None}
            if "hash" in block:  # of an earlier form, which tells by it that the text changed
                values["hash"] = str(string_hashes([line.text])[0])
        if recap.is_remembered or held.is_remembered:
            values["remember"] = recap.is_remembered
    elif recap.reasoning and held.reasoning != recap.reasoning:  # of the same words, made anew
        values = {"reasoning": recap.reasoning, "prefill": recap.prefill or None}
    if told is not None and recap.text:
        is_included = told.state in _INCLUDED_STATES
        if bool(block.get("include")) != is_included:
            values["include"] = INCLUDED if is_included else None
    return values


def cleared_values(line: ChatLine, recap: MessageRecap) -> Block:
    """Clears what a new swipe copied from another one (spec/auto-recap.md §1.7, "Swipe event").

    recap: of that other swipe.
    """
    held = message_recap(line)
    if held is None or not is_readable(line) or _group(held) != _group(recap):
        return {}
    return message_values(line, MessageRecap())


def forgotten_message(
    line: ChatLine,
    records: Sequence[MessageRecap],
    others: Sequence[MessageRecap],
    *,
    is_known: bool,
) -> LineEdit:
    """Clears what the user cleared; what others wrote since stays.

    records: what was cleared. others: what the swipes hold that are not shown. is_known: the text
    shown has a recap or marks again.
    """
    gone = {_group(record) for record in records}
    held = message_recap(line)
    if not is_readable(line):
        return LineEdit()
    is_cleared = held is not None and not is_known and _group(held) in gone
    extra = dict(message_values(line, MessageRecap())) if is_cleared else {}
    if extra and recap_block(line).get("include"):
        extra["include"] = None
    are_cleared = bool(others) and all(_group(other) in gone for other in others)
    return LineEdit(
        {NAMESPACE: extra} if extra else {}, {NAMESPACE: CLEARED_GROUP} if are_cleared else {}
    )


def _group(recap: MessageRecap) -> tuple[object, ...]:
    return recap.text, recap.error, recap.is_edited, recap.is_excluded, recap.is_remembered
