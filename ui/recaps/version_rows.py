"""The versions of a recap as rows: newest first, deleted ones under a heading of their own."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt

from app.core.translation import N_, number, tr, trn
from app.story.recap_texts.by_hand import reworded
from app.story.recaps import YOU, RunningVersion, SceneRecap, visible_versions
from app.story.story import Story
from ui.controls.dates import time_words
from ui.core.slot_words import REASONS, author_words

Index = QModelIndex | QPersistentModelIndex

ROW_ROLE = Qt.ItemDataRole.UserRole
SIDE_ROLE = Qt.ItemDataRole.UserRole + 1
TOKENS_ROLE = Qt.ItemDataRole.UserRole + 2
DELETED = N_("Deleted")
CURRENT = N_("in use")  # how much of it the prompt tells is said beside it
LEFT, RIGHT = "L", "R"


@dataclass(frozen=True, slots=True)
class VersionRow:
    """One version of whatever recap. number: as in the data, from 0. why: what it came of; brief:
    as much of that as has room in a narrow list, "" for as much as fits.

    reach: how far into the story it goes, for choosing what an edit of two versions builds on.
    quote: words of the story that it goes on from, on a line of their own. is_locked: the running
    recap holds it. told: what the running recap tells of its scene, "" where that is nothing.
    reworded: sentences of the user's that the version before said and this one says no more.
    is_stale: the scene changed since. is_gone: nothing of its scene is left in the running recap.
    """

    number: int
    text: str
    created: float
    made_by: str
    why: str
    reach: int = 0
    is_current: bool = False
    is_latest: bool = False
    is_deleted: bool = False
    quote: str = ""
    is_locked: bool = False
    told: str = ""
    reworded: int = 0
    is_stale: bool = False
    brief: str = ""
    is_gone: bool = False

    @property
    def word(self) -> str:
        """v7; people count from 1."""
        return f"v{self.number + 1}"

    @property
    def author(self) -> str:
        """Who wrote it, for a line of facts."""
        return author_words(self.made_by)


def running_rows(story: Story, deleted: Sequence[RunningVersion]) -> tuple[VersionRow, ...]:
    """Versions of the running recap that this chat may know of, newest first, then deleted ones."""
    positions = story.places

    def row(version: RunningVersion, *, is_deleted: bool) -> VersionRow:
        is_current = version.version == story.running.current_version and not is_deleted
        return VersionRow(
            version.version,
            version.content,
            version.created,
            version.made_by,
            running_why(version),
            reach=positions.get(version.last_anchor, -1),
            is_current=is_current,
            is_latest=bool(visible) and version is visible[-1],
            is_deleted=is_deleted,
            reworded=len(reworded(visible, version)) if is_current else 0,
        )

    visible = visible_versions(story.running.versions, positions)
    gone = visible_versions(deleted, positions)
    return (
        *(row(version, is_deleted=False) for version in reversed(visible)),
        *(row(version, is_deleted=True) for version in reversed(gone)),
    )


def running_why(version: RunningVersion) -> str:
    """Why a version of the running recap was made."""
    if version.is_stand_in and version.scene_count == 1:
        return tr("Scene 1, temporary, made without the model")
    if version.is_stand_in:
        # The scenes first: a narrow list cuts the end.
        return tr("Scenes 1–{last}, temporary, made without the model", last=version.scene_count)
    if version.reason == "fold" and version.scene_count:
        if version.scene_count == 1:
            return tr("Scene 1 added")
        return tr("Scenes 1–{last} added", last=version.scene_count)
    return _sentence(tr(REASONS.get(version.reason, version.reason)))


def scene_rows(story: Story, anchor: str, *, is_gone: bool = False) -> tuple[VersionRow, ...]:
    """Versions of the recap of the scene that `anchor` closes, newest first. is_gone: the running
    recap holds nothing of it any more.
    """
    versions = story.recaps.get(anchor, ())
    return tuple(
        VersionRow(
            recap.version,
            recap.text,
            recap.created,
            recap.made_by,
            scene_why(recap, versions[number - 1] if number else None),
            is_current=recap.is_current,
            is_latest=number == len(versions) - 1,
            is_locked=recap.is_locked,
            is_gone=is_gone,
            told=told_words(recap, versions, is_gone=is_gone),
        )
        for number, recap in reversed(tuple(enumerate(versions)))
    )


def told_words(recap: SceneRecap, versions: Sequence[SceneRecap], *, is_gone: bool) -> str:
    """What the running recap tells of a scene, for one of its versions; "" where it tells nothing.

    A version that is written or chosen after another was folded in is told by a rebuild only.
    """
    if recap.is_locked and is_gone:
        return tr("not in the running recap any more")
    if recap.is_locked:
        return tr("told by the running recap")
    told = [version for version in versions if version.is_locked]
    if recap.is_current and told:
        return tr("while the running recap still tells its v{number}", number=told[-1].version + 1)
    return ""


def scene_why(recap: SceneRecap, before: SceneRecap | None) -> str:
    """Why a version of a scene's recap was made. before: the version before it."""
    if recap.made_by == YOU:
        return tr("Your edit")
    if recap.is_imported:
        return tr("Found in the chat")
    if recap.is_taken_over:
        return tr("Imported from {extension}", extension=recap.made_by)
    if recap.is_stand_in:
        return tr("Temporary, made without the model")
    if before is None:
        return tr("First version")
    is_same = recap.source_digest == before.source_digest or not before.source_digest
    return tr("Redone") if is_same else tr("Scene changed")


def over_words(tokens: int) -> str:
    """That a version is longer than its budget. tokens: by how much."""
    return tr("{tokens} over its budget: the prompt tells what matters most", tokens=number(tokens))


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def row_before(row: VersionRow | None, rows: Sequence[VersionRow]) -> VersionRow | None:
    """The version before one, else the one after it. rows: newest first."""
    others = [other for other in rows if not other.is_deleted]
    if row is None or row not in others or len(others) < 2:
        return None
    place = others.index(row)
    return others[place + 1] if place + 1 < len(others) else others[place - 1]


class VersionModel(QAbstractListModel):
    """Rows of versions, and before the deleted ones a row that says so."""

    def __init__(self) -> None:
        super().__init__()
        self._rows: list[VersionRow | None] = []  # None: the heading
        self._tokens: Mapping[int, int] = {}
        self._budget = 0
        self._sides: dict[int, str] = {}

    @property
    def rows(self) -> tuple[VersionRow, ...]:
        """The versions without the heading."""
        return tuple(row for row in self._rows if row is not None)

    def show_rows(self, rows: Sequence[VersionRow]) -> None:
        """Rows come in the order of the list, deleted ones last."""
        shown: list[VersionRow | None] = [row for row in rows if not row.is_deleted]
        deleted = [row for row in rows if row.is_deleted]
        if deleted:
            shown += [None, *deleted]
        if [_key(row) for row in shown] != [_key(row) for row in self._rows]:
            self.beginResetModel()
            self._rows = shown
            self.endResetModel()
        else:
            self._rows = shown
            self._tell()

    def show_tokens(self, tokens: Mapping[int, int]) -> None:
        """Tokens of each version, by its number."""
        self._tokens = tokens
        self._tell()

    def show_budget(self, budget: int) -> None:
        """Tokens that one of them may take in the prompt, 0 for no budget of its own."""
        if budget != self._budget:
            self._budget = budget
            self._tell()

    def over(self, number: int) -> int:
        """Tokens that a version has beyond its budget, 0 for none."""
        return max(0, self._tokens.get(number, 0) - self._budget) if self._budget else 0

    def show_sides(self, left: int | None, right: int | None) -> None:
        """Which versions are compared; None for none."""
        sides = {left: LEFT, right: RIGHT}
        self._sides = {number: side for number, side in sides.items() if number is not None}
        self._tell()

    @property
    def is_comparing(self) -> bool:
        """Whether two versions stand side by side."""
        return len(self._sides) > 1

    def tokens(self, number: int) -> int | None:
        """Tokens of a version, None while they are counted."""
        return self._tokens.get(number)

    def most_tokens(self) -> int:
        """Tokens of the longest version."""
        return max((self._tokens.get(row.number, 0) for row in self.rows), default=0)

    def index_of(self, number: int | None) -> QModelIndex:
        """The row of a version; invalid when it is not there."""
        for place, row in enumerate(self._rows):
            if row is not None and row.number == number:
                return self.index(place)
        return QModelIndex()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._rows)

    def flags(self, index: Index) -> Qt.ItemFlag:
        if index.isValid() and self._rows[index.row()] is None:
            return Qt.ItemFlag.NoItemFlags
        return super().flags(index)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        row = self._rows[index.row()]
        if role == ROW_ROLE:
            return row
        if row is None:
            return tr(DELETED) if role == Qt.ItemDataRole.DisplayRole else None
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return self._words(row)
        if role == SIDE_ROLE:
            return self._sides.get(row.number, "")
        if role == TOKENS_ROLE:
            return self._tokens.get(row.number)
        return None

    def _words(self, row: VersionRow) -> str:
        """All that the row shows, for who hears it."""
        words = [row.word, *([time_words(row.created, now=time.time())] if row.created else [])]
        words.append(row.why)
        words += [row.quote] if row.quote else []
        tokens = self._tokens.get(row.number)
        words += [trn("{n} token", "{n} tokens", tokens)] if tokens is not None else []
        over = self.over(row.number)
        words += [over_words(over)] if over else []
        words += [tr(CURRENT)] if row.is_current else []
        words += [row.told] if row.told else []
        words += [tr("deleted")] if row.is_deleted else []
        side = self._sides.get(row.number)
        words += [tr("compared, left") if side == LEFT else tr("compared, right")] if side else []
        return ", ".join(words)

    def _tell(self) -> None:
        if self._rows:
            self.dataChanged.emit(self.index(0), self.index(len(self._rows) - 1))


def _key(row: VersionRow | None) -> tuple[int, bool] | None:
    return None if row is None else (row.number, row.is_deleted)
