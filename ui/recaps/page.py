"""The recaps page: versions at the left, one of them to read or edit, or two to compare."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from PySide6.QtCore import QModelIndex, Qt, QTimer, Signal
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from app.prompt.slots import RUNNING_RECAP_KEY
from app.story.drafts import RUNNING_RECAP, SCENE_RECAP, Draft
from app.story.recaps import RunningVersion
from app.story.story import Story
from ui.recaps.compare import ComparePane
from ui.recaps.draft_keeper import DraftKeeper
from ui.recaps.growth import GrowthPoint
from ui.recaps.rail import RecapRail
from ui.recaps.reading import ReadingPane
from ui.recaps.version_rows import (
    LEFT,
    RIGHT,
    VersionModel,
    VersionRow,
    running_rows,
    scene_rows,
)
from ui.session import Session

COUNT_MS = 150
EMPTY_RUNNING = (
    "No version yet. The running recap grows when a scene closes; each step, and each edit of "
    "yours, is kept here."
)
EMPTY_SCENE = "This scene has no recap yet. It is written by itself, or by you."


class RecapsPage(QWidget):
    """`rail` belongs in the window's left pane, `tools` in its header.

    Signals:
        header_changed: title, place or tools became others.
    """

    header_changed = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._anchor = ""  # of the scene that is looked at, "" for the running recap
        self._deleted: tuple[RunningVersion, ...] = ()
        self._tokens: dict[str, int] = {}  # by text
        self._sides: dict[str, int | None] = {LEFT: None, RIGHT: None}
        self._follows_current = True
        self._is_filling = False
        self.model = VersionModel()
        self.rail = RecapRail(self.model)
        self.list = self.rail.list
        self.reading = ReadingPane()
        self.comparison = ComparePane()
        self.drafts = DraftKeeper(session, self)
        self._count_timer = QTimer(self)
        self._count_timer.setSingleShot(True)
        self._count_timer.setInterval(COUNT_MS)
        self._count_timer.timeout.connect(self._count_result)
        self._stack = QStackedWidget()
        self._stack.addWidget(self.reading)
        self._stack.addWidget(self.comparison)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._stack)
        self._connect()
        self._on_chat_opened(session.story)

    def _connect(self) -> None:
        session, rail, reading, comparison = (
            self._session,
            self.rail,
            self.reading,
            self.comparison,
        )
        session.chat_opened.connect(self._on_chat_opened)
        session.story_changed.connect(self._on_story_changed)
        session.slots_changed.connect(self._on_slots_changed)
        self.list.selectionModel().currentChanged.connect(self._on_row)
        self.list.side_asked.connect(self.put_side)
        self.list.delete_asked.connect(self._delete)
        rail.scene_chosen.connect(self._on_scene_chosen)
        rail.write_asked.connect(self._on_write_asked)
        rail.redo_asked.connect(self._on_redo_asked)
        rail.clear_asked.connect(self._on_clear_asked)
        reading.edited.connect(self._on_edited)
        reading.keep_asked.connect(self._on_edit_kept)
        reading.editing_ended.connect(self._on_editing_ended)
        reading.use_asked.connect(self.use_shown)
        reading.restore_asked.connect(self._on_restore)
        reading.delete_asked.connect(self._on_delete)
        reading.compare_asked.connect(self.compare_shown)
        reading.back_asked.connect(self._show_comparison)
        reading.discard_asked.connect(self._on_discard)
        comparison.edited.connect(self._on_result_edited)
        comparison.keep_asked.connect(self.keep_result)
        comparison.closed.connect(self.close_comparison)
        self.drafts.found.connect(self._on_draft_found)

    # What the window asks

    @property
    def is_comparing(self) -> bool:
        """Whether two versions are shown side by side."""
        return self._stack.currentWidget() is self.comparison

    @property
    def title(self) -> str:
        """For the header."""
        return "Compare" if self.is_comparing else "Recaps"

    @property
    def place(self) -> str:
        """For the header, "" for the story's name."""
        left, right = self._row_at(LEFT), self._row_at(RIGHT)
        if not self.is_comparing or left is None or right is None:
            return ""
        return f"{left.word} with {right.word}, word by word"

    @property
    def tools(self) -> QWidget | None:
        """For the header, None for the usual ones."""
        return self.comparison.tools if self.is_comparing else None

    def take_focus(self) -> None:
        """Give the keyboard to the list of versions, or to the two that are compared."""
        if self.is_comparing:
            self.comparison.columns.right.setFocus(Qt.FocusReason.OtherFocusReason)
        elif self.rail.isVisible():
            self.list.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self.reading.text.prose.setFocus(Qt.FocusReason.OtherFocusReason)

    # The story

    def _on_chat_opened(self, story: Story | None) -> None:
        self._deleted = ()
        self._close_sides()
        self._follows_current = True
        self.rail.show_scenes(story)
        self.rail.choose("")

    def _on_story_changed(self, _change: object) -> None:
        self.rail.show_scenes(self._session.story)
        self._fill()
        self._fetch_deleted()

    def _on_scene_chosen(self, anchor: str) -> None:
        self._anchor = anchor
        self._follows_current = True
        self._close_sides()
        self._fill()
        self._fetch_deleted()
        self.drafts.look_for(SCENE_RECAP if anchor else RUNNING_RECAP, anchor)

    def _fetch_deleted(self) -> None:
        path = self._session.path
        if path is not None and not self._anchor:
            self._session.do(self._load_deleted(path), name="reading deleted versions")

    async def _load_deleted(self, path: Path) -> None:
        deleted = await self._session.companion.edits.deleted_running_versions(path)
        if path == self._session.path and deleted != self._deleted:
            self._deleted = deleted
            self._fill()

    def _fill(self) -> None:
        """Show the versions of what is looked at; the row stays where it was."""
        story = self._session.story
        rows: tuple[VersionRow, ...] = ()
        if story is not None:
            rows = (
                scene_rows(story, self._anchor)
                if self._anchor
                else running_rows(story, self._deleted)
            )
        current = next((row.number for row in rows if row.is_current), None)
        shown = self.reading.row
        wanted = shown.number if shown is not None and not self._follows_current else current
        self._is_filling = True
        self.model.show_rows(rows)
        index = self.model.index_of(wanted)
        self.list.setCurrentIndex(index if index.isValid() else self.model.index(0))
        self._is_filling = False
        self._show_row()
        self._show_sides()
        self._count(rows)

    # Reading

    def shown_row(self) -> VersionRow | None:
        """The version that the list's cursor is on."""
        return self.list.version_at(self.list.currentIndex())

    def use_shown(self) -> None:
        """Inject the version that is read, or let it count for its scene."""
        row, path = self.shown_row(), self._session.path
        if row is None or path is None:
            return
        edits = self._session.companion.edits
        deed = (
            edits.select_scene_recap_version(path, self._anchor, row.number)
            if self._anchor
            else edits.select_running_version(path, row.number)
        )
        self._session.do(deed, name="choosing a version")

    def _on_row(self, _now: QModelIndex, _before: QModelIndex) -> None:
        if self._is_filling:
            return
        row = self.shown_row()
        self._follows_current = row is not None and row.is_current
        if self.reading.is_editing:
            self._on_editing_ended()
        self._stack.setCurrentWidget(self.reading)
        self._show_row()
        self.header_changed.emit()

    def _show_row(self) -> None:
        if self.reading.is_editing:
            return
        row = self.shown_row()
        before = self._before(row)
        empty = EMPTY_SCENE if self._anchor else EMPTY_RUNNING
        self.reading.show_row(row, before, empty=empty, can_delete=not self._anchor)
        self._show_back()

    def _before(self, row: VersionRow | None) -> VersionRow | None:
        """The version before one, else the one after it."""
        others = [r for r in self.model.rows if not r.is_deleted]
        if row is None or row not in others or len(others) < 2:
            return None
        place = others.index(row)
        return others[place + 1] if place + 1 < len(others) else others[place - 1]

    def _show_back(self) -> None:
        left, right = self._row_at(LEFT), self._row_at(RIGHT)
        is_open = left is not None and right is not None
        words = f"Back to {left.word} with {right.word}" if is_open else ""  # type: ignore[union-attr]
        self.reading.show_back(words)

    def _on_write_asked(self) -> None:
        self._stack.setCurrentWidget(self.reading)
        self.header_changed.emit()
        if not self.reading.is_editing:
            self.reading.begin_edit()

    def _on_edited(self, text: str) -> None:
        self.drafts.note(text, self.reading.base)

    def _on_edit_kept(self, text: str) -> None:
        self._keep(text, self.reading.base)

    def _keep(self, text: str, base: int | None) -> None:
        path, edits = self._session.path, self._session.companion.edits
        if path is None:
            return
        self.drafts.forget()
        self.reading.show_draft(None)
        self._follows_current = True
        deed = (
            edits.edit_scene_recap(path, self._anchor, text)
            if self._anchor
            else edits.edit_running_recap(path, text, base=base)
        )
        self._session.do(deed, name="keeping your version")

    def _on_editing_ended(self) -> None:
        row, text = self.reading.row, self.reading.text.text
        self.reading.text.set_editing(False)
        if text.strip() == (row.text.strip() if row is not None else ""):
            self.drafts.discard()
        else:
            self.drafts.flush()
        self._show_row()
        self._look_for_draft()

    # Drafts

    def _look_for_draft(self) -> None:
        self.drafts.look_for(SCENE_RECAP if self._anchor else RUNNING_RECAP, self._anchor)

    def _on_draft_found(self, draft: Draft | None) -> None:
        texts = {row.text.strip() for row in self.model.rows if not row.is_deleted}
        if draft is not None and draft.text.strip() in texts | {""}:
            self.drafts.discard()  # it became a version before the program was killed
            draft = None
        self.reading.show_draft(draft)

    def _on_discard(self) -> None:
        self.drafts.discard()
        self.reading.show_draft(None)

    # Versions away and back

    def _on_delete(self) -> None:
        row = self.shown_row()
        if row is not None:
            self._delete(row.number)

    def _delete(self, number: int) -> None:
        path = self._session.path
        is_there = any(row.number == number and not row.is_deleted for row in self.model.rows)
        if path is not None and not self._anchor and is_there:
            if number in self._sides.values():
                self._close_sides()
            deed = self._session.companion.edits.delete_running_version(path, number)
            self._session.do(deed, name="deleting a version")

    def _on_restore(self) -> None:
        row, path = self.shown_row(), self._session.path
        if row is not None and path is not None:
            deed = self._session.companion.edits.restore_running_version(path, row.number)
            self._session.do(deed, name="restoring a version")

    def _on_clear_asked(self) -> None:
        path = self._session.path
        if path is not None:
            self._close_sides()
            deed = self._session.companion.edits.clear_running_recap(path)
            self._session.do(deed, name="deleting all versions")

    def _on_redo_asked(self) -> None:
        path = self._session.path
        if path is not None and self._anchor:
            deed = self._session.companion.edits.redo_scene_recap(path, self._anchor)
            self._session.do(deed, name="redoing the recap")

    # Comparing

    def compare_shown(self) -> None:
        """Compare the version that is read with the one before it."""
        row = self.shown_row()
        before = self._before(row)
        if row is not None and before is not None:
            left, right = sorted((row.number, before.number))
            self._sides = {LEFT: left, RIGHT: right}
            self._open_comparison()

    def put_side(self, side: str, number: int) -> None:
        """Put a version left or right; asked for a second time, end the comparison."""
        if self._sides[side] == number:
            self.close_comparison()
            return
        other = RIGHT if side == LEFT else LEFT
        if self._sides[other] == number:
            self._sides[other] = self._sides[side]
        self._sides[side] = number
        if self._sides[other] is None:
            shown = self.shown_row()
            if shown is not None and shown.number != number:
                self._sides[other] = shown.number
        if None not in self._sides.values():
            self._open_comparison()
        else:
            self._show_sides()

    def _row_at(self, side: str) -> VersionRow | None:
        number = self._sides[side]
        return next((row for row in self.model.rows if row.number == number), None)

    def _open_comparison(self) -> None:
        left, right = self._row_at(LEFT), self._row_at(RIGHT)
        if left is None or right is None:
            return
        if self.reading.is_editing:
            self._on_editing_ended()
        newest = max(row.number for row in self.model.rows)
        self.comparison.show_versions(left, right, self.model.tokens, f"v{newest + 2}")
        self._show_sides()
        self._count_result()
        self._show_comparison()

    def _show_comparison(self) -> None:
        self._stack.setCurrentWidget(self.comparison)
        self.header_changed.emit()
        self.take_focus()

    def close_comparison(self) -> None:
        """Back to reading; what was chosen stays as a draft."""
        self._close_sides()
        self._show_row()
        self._look_for_draft()
        self.take_focus()

    def _close_sides(self) -> None:
        self._sides = {LEFT: None, RIGHT: None}
        self._stack.setCurrentWidget(self.reading)
        self._show_sides()
        self._show_back()
        self.header_changed.emit()

    def _show_sides(self) -> None:
        self.model.show_sides(self._sides[LEFT], self._sides[RIGHT])
        self._show_growth()
        if self.is_comparing and (self._row_at(LEFT) is None or self._row_at(RIGHT) is None):
            self._close_sides()  # one of them is there no more

    def _base(self) -> int | None:
        """The version whose scenes the result covers: the one that reaches farther."""
        rows = [row for row in (self._row_at(LEFT), self._row_at(RIGHT)) if row is not None]
        return max(rows, key=lambda row: (row.reach, row.number)).number if rows else None

    def _on_result_edited(self) -> None:
        self.drafts.note(self.comparison.result_text, self._base())
        self._count_timer.start()
        self._show_repeated()

    def _show_repeated(self) -> None:
        text = self.comparison.result_text.strip()
        same = [row.word for row in self.model.rows if row.text.strip() == text]
        self.comparison.show_equal_to(same[0] if same else "")

    def keep_result(self) -> None:
        """Make the result a version, where it is one."""
        if self.comparison.tools.keep.isEnabled():
            text, base = self.comparison.result_text.strip(), self._base()
            self._keep(text, base)
            self._close_sides()
            self._show_row()
            self.take_focus()

    # Tokens

    def _count(self, rows: Sequence[VersionRow]) -> None:
        self._show_tokens()
        missing = [row.text for row in rows if row.text not in self._tokens]
        if missing:
            self._session.do(self._counted(missing, self._show_tokens), name="counting tokens")

    def _count_result(self) -> None:
        text = self.comparison.result_text
        self._session.do(self._counted([text], self._show_result_count), name="counting tokens")

    async def _counted(
        self, texts: Sequence[str], then: Callable[[Mapping[str, int]], None]
    ) -> None:
        count = self._session.companion.count_tokens
        then(await asyncio.to_thread(lambda: {text: count(text) for text in texts}))

    def _show_tokens(self, counted: Mapping[str, int] = MappingProxyType({})) -> None:
        self._tokens.update(counted)
        rows = self.model.rows
        known = {row.number: self._tokens[row.text] for row in rows if row.text in self._tokens}
        self._tokens = {row.text: known[row.number] for row in rows if row.number in known}
        self.model.show_tokens(known)
        self._show_growth()
        left, right = self._row_at(LEFT), self._row_at(RIGHT)
        if left is not None and right is not None:
            self.comparison.show_tokens((left, right), self.model.tokens)

    def _show_result_count(self, counted: Mapping[str, int]) -> None:
        tokens = counted.get(self.comparison.result_text)
        if tokens is not None:
            self.comparison.result.show_count(tokens, self.budget)

    def _show_growth(self) -> None:
        sides = {number: side for side, number in self._sides.items()}
        points = [
            GrowthPoint(row.word, self.model.tokens(row.number) or 0, sides.get(row.number, ""))
            for row in reversed(self.model.rows)
            if not row.is_deleted
        ]
        has_all = all(point.tokens for point in points)
        self.rail.show_growth(points if has_all else (), self.budget)

    @property
    def budget(self) -> int:
        """Tokens that the text may take in the prompt, 0 for no budget of its own."""
        if self._anchor:
            return 0
        slots = self._session.slots.slots
        return next((slot.budget for slot in slots if slot.key == RUNNING_RECAP_KEY), 0)

    def _on_slots_changed(self, _slots: object) -> None:
        self._show_growth()
