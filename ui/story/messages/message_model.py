"""The story as a model of rows that says exactly which of them changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from app.core.translation import N_, tr
from app.prompt.reach import NOTHING_REACHED, Mend, Reach, Reached, mend_of
from app.story.inclusion import Inclusion, InclusionState
from app.story.messages import Message, MessageRecap
from app.story.scenes import Scene
from app.story.story import ChatKind, ChatRef, Story
from ui.story import words
from ui.story.messages.rows import Place, RowChange, RowKind, RowLayout, change_between
from ui.story.reach_look import reach_word

AnyIndex = QModelIndex | QPersistentModelIndex

STALE_SCENE = N_("The scene has changed since its recap was written.")
_NO_INCLUSION = Inclusion(InclusionState.NONE, "")
_NO_RECAP = MessageRecap()


@dataclass(frozen=True, slots=True)
class MessageRow:
    """What a message's row shows. reach: how it gets into the prompt, None where that is not shown
    beside it. is_left_out: memory does not read it.
    """

    index: int
    message: Message
    inclusion: Inclusion
    recap: MessageRecap
    tokens: int
    reach: Reach | None = None
    is_left_out: bool = False


@dataclass(frozen=True, slots=True)
class SceneRow:
    """What a scene's divider or folded row shows.

    cue: how the break above the row was found, "" above the first scene. recap: one line of the
    scene's recap. is_stale: the scene changed since. stand_in: who wrote it in place of whom, ""
    for the usual writer. why_here: what the model gave as its reason for the break above, or "".
    """

    scene: Scene
    name: str
    cue: str
    recap: str
    is_folded: bool
    is_stale: bool = False
    stand_in: str = ""
    why_here: str = ""


def _never(_scene: Scene) -> bool:
    return False


def empty_story() -> Story:
    """A story of no chat, for before one is opened."""
    return Story(ChatRef(Path(), ChatKind.FILE, ""))


class MessageModel(QAbstractTableModel):
    """One column over a frozen Story: scene dividers, folded scenes and messages.

    An append is an insertion, a fold a removal; only another chat resets the model. Rows are
    computed from the scenes, so 100,000 messages cost nothing until they are shown.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._story = empty_story()
        self._layout = RowLayout()
        self._is_stale: Callable[[Scene], bool] = _never
        self._stale: dict[int, bool] = {}  # of the scenes that were looked at
        self.reach: Reached | None = None  # shown beside messages, None for their recaps' states
        self.left_out: frozenset[str] = frozenset()  # anchors that memory does not read
        self.injects_recaps = True  # whether message recaps go into the prompt
        # While rows are being exchanged, the new ones that are not announced yet.
        self._absent_first = 0
        self._absent_count = 0

    @property
    def story(self) -> Story:
        """The story shown."""
        return self._story

    @property
    def layout(self) -> RowLayout:
        """Which row shows what."""
        return self._layout

    def ask_staleness(self, is_stale: Callable[[Scene], bool]) -> None:
        """Who says whether a closed scene changed since its recap; asked once per state."""
        self._is_stale = is_stale
        self._stale.clear()

    def set_story(self, story: Story, *, first_changed: int | None = 0) -> None:
        """Show another state of the story; another chat resets, anything else is exact.

        first_changed: messages before it are as they were; None: every message is.
        """
        layout = RowLayout(story.scenes)
        self._stale.clear()
        if story.chat.path != self._story.chat.path or not self._layout.count:
            self.beginResetModel()
            self._story, self._layout = story, layout
            self.endResetModel()
            return
        if first_changed is None:
            first_changed = min(len(story.messages), len(self._story.messages))
        change = change_between(
            self._layout,
            layout,
            self._story.messages,
            story.messages,
            first_changed=first_changed,
        )
        before, self._story = self._story, story
        self._exchange(layout, change)
        self._announce_contents(before, change, first_changed)

    def _exchange(self, layout: RowLayout, change: RowChange) -> None:
        nowhere = QModelIndex()
        if change.removed:
            self.beginRemoveRows(nowhere, change.first, change.first + change.removed - 1)
        self._layout = layout
        self._absent_first, self._absent_count = change.first, change.inserted
        if change.removed:
            self.endRemoveRows()
        if change.inserted:
            self.beginInsertRows(nowhere, change.first, change.first + change.inserted - 1)
        self._absent_count = 0
        if change.inserted:
            self.endInsertRows()

    def _announce_contents(self, before: Story, change: RowChange, first_changed: int) -> None:
        """Say which of the rows that stayed may show something else now."""
        story = self._story
        last = self._layout.count - 1
        if last < 0:
            return
        first = last + 1
        # The view repaints what it shows and asks for nothing else: comparing 100,000 states to
        # name fewer rows would cost more than it saves.
        parts = ("scenes", "recaps", "message_recaps", "inclusion", "message_tokens")
        if any(getattr(story, part) is not getattr(before, part) for part in parts):
            first = 0
        if first_changed < len(story.messages):
            first = min(first, self._layout.row_of_message(first_changed))
        end = change.first + change.inserted  # a new row is not a changed one
        for top, foot in ((first, change.first - 1), (max(first, end), last)):
            if top <= foot:
                self.dataChanged.emit(self.index(top, 0), self.index(foot, 0))

    # What rows hold

    def place(self, row: int) -> Place:
        """What a row shows, as scene and message numbers."""
        if self._absent_count and row >= self._absent_first:
            row += self._absent_count
        return self._layout.place(row)

    def message_row(self, row: int) -> MessageRow | None:
        """The message a row shows, None for the row of a scene."""
        place = self.place(row)
        return self.message_at(place.message) if place.kind is RowKind.MESSAGE else None

    def message_at(self, index: int) -> MessageRow:
        """The message at `index` of the story, with what is known of it."""
        story = self._story
        message = story.messages[index]
        return MessageRow(
            index,
            message,
            story.inclusion[index] if index < len(story.inclusion) else _NO_INCLUSION,
            story.message_recaps.get(message.anchor, _NO_RECAP),
            story.message_tokens[index] if index < len(story.message_tokens) else 0,
            self.reach_of(index),
            message.anchor in self.left_out,
        )

    def reach_of(self, index: int) -> Reach | None:
        """How a message gets into the prompt, None where the recaps' states are shown instead."""
        if self.reach is None:
            return None
        codes = self.reach.codes
        return Reach(codes[index]) if index < len(codes) else Reach.VERBATIM

    def mend_of(self, index: int) -> Mend:
        """What would bring a message into the prompt that does not reach it."""
        return mend_of(self._story, self.reach or NOTHING_REACHED, index)

    def scene_row(self, row: int) -> SceneRow | None:
        """The scene a divider or folded row stands for, None for a message."""
        place = self.place(row)
        if place.kind is RowKind.MESSAGE:
            return None
        story, scene = self._story, self._layout.scenes[place.scene]
        above = self._layout.scenes[place.scene - 1].closing if place.scene else None
        return SceneRow(
            scene,
            words.scene_name(story, scene),
            words.break_cue(above) if above else "",
            words.first_line(story, scene),
            place.kind is RowKind.FOLDED,
            self._is_scene_stale(place.scene),
            words.stand_in(story, scene),
            words.why_here(above) if above else "",
        )

    def _is_scene_stale(self, number: int) -> bool:
        scene = self._layout.scenes[number]
        if scene.closing is None or self._story.scene_recap(scene) is None:
            return False
        if number not in self._stale:
            self._stale[number] = self._is_stale(scene)
        return self._stale[number]

    # Qt's questions

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else self._layout.count - self._absent_count

    def columnCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else 1

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> Any:
        """None: a screen reader would say row numbers that nobody sees."""
        return None

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        return (
            Qt.ItemFlag.ItemIsEnabled
            | Qt.ItemFlag.ItemIsSelectable
            | Qt.ItemFlag.ItemNeverHasChildren
        )

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or role != Qt.ItemDataRole.AccessibleTextRole:
            return None  # the delegate asks for rows, not for roles
        row = self.message_row(index.row())
        if row is not None:
            said = words.spoken_message(row.index, row.message, row.inclusion, row.recap)
            if row.is_left_out:
                said = f"{said} {tr('Not read for memory.')}"
            return said if row.reach is None else f"{said} {reach_word(row.reach)}."
        scene = self.scene_row(index.row())
        if scene is None:
            return None
        spoken = words.spoken_scene(scene.scene, scene.name, scene.is_folded)
        spoken = f"{spoken} {tr(STALE_SCENE)}" if scene.is_stale else spoken
        return f"{spoken} {scene.why_here}".rstrip()
