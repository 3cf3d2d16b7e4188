"""What SillyTavern's chat does not say yet of what Tavernkeep knows. Pure but for reading lines."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from app.settings.program import ProgramSettings
from app.settings.recaps import RecapSettings
from app.settings.slot_table import Position
from app.settings.slots import SlotSettings
from app.sillytavern.chat_edit import ChatEdit, LineEdit
from app.sillytavern.chat_file import ChatSnapshot
from app.sillytavern.extensions.extras_writing import Mirrored, mirrored
from app.sillytavern.extensions.message_extras import HIDDEN, OWN_KEY, other_swipe_recaps
from app.story.auto_hide import OFF, HidePlan, HideState, covered_end, plan_hiding
from app.story.clearance import Forgotten
from app.story.messages import MessageRecap, digest
from app.story.story import Story

NOTHING_FORGOTTEN = Forgotten()


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
    return (
        ProgramSettings(settings).mirror_to_chat
        or ProgramSettings(settings).auto_hide_scenes != OFF
    )


def difference(
    story: Story,
    snapshot: ChatSnapshot,
    settings: Mapping[str, Any],
    states: Mapping[str, HideState],
    forgotten: Forgotten = NOTHING_FORGOTTEN,
) -> Difference:
    """What the chat lacks, by the settings; nothing when it says all of it.

    snapshot: the reading that the story shows. states: what is remembered of hidden messages.
    forgotten: what the user put away.
    """
    found, other_swipes = Mirrored(), _OtherSwipes(snapshot)
    if ProgramSettings(settings).mirror_to_chat:
        found = mirrored(
            story,
            snapshot.lines,
            snapshot.chat_metadata,
            leave_out=RecapSettings(settings).running_recap_leave_out,
            forgotten=forgotten,
            is_of_other_swipe=other_swipes.has_text,
            swipe_recaps=other_swipes.recaps,
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
    newest = ProgramSettings(settings).auto_hide_scenes
    if newest == OFF and not states:
        return HidePlan((), (), {})
    covered = 0
    if _is_told(settings):
        positions = {message.anchor: index for index, message in enumerate(story.messages)}
        covered = covered_end(story.running, positions)
    breaks = [scene.last for scene in story.scenes if scene.is_closed]
    return plan_hiding(story.messages, breaks, newest, covered, states)


def _is_told(settings: Mapping[str, Any]) -> bool:
    """Whether the running recap gets into prompts at all: else nothing tells of what is hidden."""
    recaps = RecapSettings(settings)
    is_sent = SlotSettings(settings).slots_enabled and recaps.running_recap_enabled
    return is_sent and recaps.running_recap_at.position is not Position.NONE


class _OtherSwipes:
    """The swipes of messages that are not shown, by the file; read when the first is asked for."""

    def __init__(self, snapshot: ChatSnapshot) -> None:
        self._snapshot = snapshot
        self._lines: list[bytes] = []

    def has_text(self, index: int, content_hash: str) -> bool:
        """Whether one of a message has this content hash."""
        try:
            swipes = json.loads(self._line(index))["swipes"]
        except (KeyError, TypeError, ValueError, RecursionError):
            return False
        shown = self._snapshot.lines[index].swipe
        return isinstance(swipes, list) and any(
            isinstance(text, str) and digest(text) == content_hash
            for at, text in enumerate(swipes)
            if at != shown
        )

    def recaps(self, index: int) -> tuple[MessageRecap, ...]:
        """The recaps that those of a message hold."""
        return other_swipe_recaps(self._line(index))

    def _line(self, index: int) -> bytes:
        if not self._lines:
            self._lines = _raw_lines(self._snapshot.path)
        number = int(self._snapshot.line_numbers[index])
        return self._lines[number - 1] if number <= len(self._lines) else b""


def _raw_lines(path: Path) -> list[bytes]:
    try:
        return path.read_bytes().split(b"\n")
    except OSError:
        return [b""]
