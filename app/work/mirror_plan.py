"""What SillyTavern's chat does not say yet of what Tavernkeep knows. Pure but for reading lines."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from app.sillytavern.chat_edit import ChatEdit, LineEdit
from app.sillytavern.chat_file import ChatSnapshot
from app.sillytavern.extras_writing import Mirrored, mirrored
from app.sillytavern.message_extras import HIDDEN, OWN_KEY
from app.story.auto_hide import OFF, HidePlan, HideState, covered_end, plan_hiding
from app.story.messages import digest
from app.story.recaps import RunningVersion
from app.story.story import Story


@dataclass(frozen=True, slots=True)
class Difference:
    """What is to be written. edits: by index of the message, `is_hidden` included."""

    edits: Mapping[int, LineEdit] = field(default_factory=dict)
    metadata: Mapping[str, Any] = field(default_factory=dict)
    hiding: HidePlan = field(default_factory=lambda: HidePlan((), (), {}))

    def __bool__(self) -> bool:
        return bool(self.edits or self.metadata)

    def for_file(self, snapshot: ChatSnapshot) -> ChatEdit:
        """The same as an edit of the file that was read."""
        numbers = snapshot.line_numbers
        lines = {int(numbers[index]): edit for index, edit in self.edits.items()}
        return ChatEdit(lines, self.metadata if snapshot.has_header else {})


def is_wanted(settings: Mapping[str, Any]) -> bool:
    """Whether a chat with these settings is written at all."""
    return bool(settings["mirror_to_chat"]) or settings["auto_hide_scenes"] != OFF


def difference(
    story: Story,
    snapshot: ChatSnapshot,
    settings: Mapping[str, Any],
    states: Mapping[str, HideState],
    deleted: Sequence[RunningVersion] = (),
) -> Difference:
    """What the chat lacks, by the settings; nothing when it says all of it.

    snapshot: the reading that the story shows. states: what is remembered of hidden messages.
    deleted: versions of the running recap that the user threw away.
    """
    found = Mirrored()
    if settings["mirror_to_chat"]:
        found = mirrored(
            story,
            snapshot.lines,
            snapshot.chat_metadata,
            leave_out=int(settings["running_recap_leave_out"]),
            deleted=deleted,
            is_of_other_swipe=_other_swipes(snapshot),
        )
    hiding = _hiding(story, settings, states)
    edits = dict(found.lines)
    for ranges, is_hidden in ((hiding.hide, True), (hiding.unhide, False)):
        for index in chain.from_iterable(range(first, last + 1) for first, last in ranges):
            old = edits.get(index, LineEdit())
            mark = {OWN_KEY: {HIDDEN: is_hidden}}
            edits[index] = LineEdit({**old.extra, **mark}, {**old.every_swipe, **mark}, is_hidden)
    return Difference(edits, found.metadata, hiding)


def _hiding(story: Story, settings: Mapping[str, Any], states: Mapping[str, HideState]) -> HidePlan:
    newest = int(settings["auto_hide_scenes"])
    if newest == OFF and not states:
        return HidePlan((), (), {})
    covered = 0
    if settings["running_recap_enabled"]:
        positions = {message.anchor: index for index, message in enumerate(story.messages)}
        covered = covered_end(story.running, positions)
    breaks = [scene.last for scene in story.scenes if scene.is_closed]
    return plan_hiding(story.messages, breaks, newest, covered, states)


def _other_swipes(snapshot: ChatSnapshot) -> Callable[[int, str], bool]:
    """Whether a swipe of a message that is not shown has this content hash, by the file."""
    lines: list[bytes] = []

    def is_of_other_swipe(index: int, content_hash: str) -> bool:
        if not lines:
            lines.extend(_raw_lines(snapshot.path))
        number = int(snapshot.line_numbers[index])
        try:
            swipes = json.loads(lines[number - 1])["swipes"]
        except (IndexError, KeyError, TypeError, ValueError, RecursionError):
            return False
        shown = snapshot.lines[index].swipe
        return isinstance(swipes, list) and any(
            isinstance(text, str) and digest(text) == content_hash
            for at, text in enumerate(swipes)
            if at != shown
        )

    return is_of_other_swipe


def _raw_lines(path: Path) -> list[bytes]:
    try:
        return path.read_bytes().split(b"\n")
    except OSError:
        return [b""]
