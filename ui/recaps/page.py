"""The recaps page: versions at the left, one of them to read or edit, or two to compare."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QAction, QShowEvent
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from app.core.translation import tr
from app.prompt.reach import Reached
from app.story.story import Story
from app.views.story_change import StoryChange
from ui.core.session import Session
from ui.recaps.commands import RecapCommands
from ui.recaps.comparing.pane import ComparePane
from ui.recaps.comparing.two_versions import TwoVersions
from ui.recaps.counts import RecapCounts
from ui.recaps.draft_keeper import DraftKeeper
from ui.recaps.draft_offer import DraftOffer
from ui.recaps.kept_versions import KeptVersions
from ui.recaps.lore import LorePane
from ui.recaps.pinning import RecapPinning
from ui.recaps.rail import RecapRail
from ui.recaps.reading import ReadingPane
from ui.recaps.refused import grey_changes
from ui.recaps.subject import RecapSubject
from ui.recaps.version_rows import VersionModel, VersionRow, row_before


class RecapsPage(QWidget):
    """`rail` belongs in the window's left pane, `tools` in its header.

    Signals:
        header_changed: title, place or tools became others.
        recaps_asked: the reader wants recaps; what they take, what begins it.
    """

    header_changed = Signal()
    recaps_asked = Signal(object, object)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._subject = RecapSubject(session, self.recaps_asked.emit)
        self._kept = KeptVersions(session, lambda: self._subject.anchor, self)
        self._follows_current = True
        self._is_filling = False
        self._filled: Story | None = None  # whose versions are shown
        self._is_stale = False
        self._scene_followed = ""  # what was chosen on the page Story when that was last heeded
        self.model = VersionModel()
        self.commands = RecapCommands(self)
        self.rail = RecapRail(self.model, self.commands)
        self.list = self.rail.list
        self.reading = ReadingPane()
        self.comparison = ComparePane()
        self.lore = LorePane(session)
        self.drafts = DraftKeeper(session, self)
        self._draft = DraftOffer(self.drafts, self.reading, self.model)
        self._comparing = TwoVersions(self.comparison, self.model, self.drafts, self)
        self._counts = RecapCounts(
            session,
            self._subject,
            self.rail,
            self.reading,
            self.comparison,
            self._comparing.sides,
            lambda: self.is_comparing,
        )
        self.pinning = RecapPinning(
            session,
            self.reading,
            self.commands.pin,
            lambda: self._subject.anchor,
            lambda: self.model.rows,
        )
        self._untold = session.reach.untold
        self._stack = QStackedWidget()
        self._stack.addWidget(self.reading)
        self._stack.addWidget(self.comparison)
        self._stack.addWidget(self.lore)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._stack)
        self._connect()
        if session.companion.is_reading_only:
            grey_changes(self.commands, self.rail, self.reading, self.comparison)
        self._on_chat_opened(session.story)

    def _connect(self) -> None:
        session, rail, reading = self._session, self.rail, self.reading
        session.chat_opened.connect(self._on_chat_opened)
        session.story_changed.connect(self._on_story_changed)
        session.reach_changed.connect(self._on_reach_changed)
        for news in (session.operations_changed, session.catch_up_offered):
            news.connect(self._show_empty)
        self._kept.next_known.connect(self._show_next)
        self._kept.deleted_changed.connect(self._fill)
        self.list.selectionModel().currentChanged.connect(self._on_row)
        self.list.side_asked.connect(self.put_side)
        self.list.delete_asked.connect(self._delete)
        rail.scene_chosen.connect(self._on_scene_chosen)
        rail.lore_chosen.connect(self._on_lore_chosen)
        rail.write_asked.connect(self._on_write_asked)
        rail.redo_asked.connect(self._on_redo_asked)
        rail.rebuild_asked.connect(lambda: self._subject.rebuild())
        rail.clear_asked.connect(self._on_clear_asked)
        rail.model_asked.connect(lambda: self._subject.redo_made_without_model())
        rail.wanted_scene = self._wanted_scene
        rail.let_go = lambda: self._subject.let_go
        rail.made_without_model = lambda: self._subject.made_without_model
        rail.again_asked.connect(lambda: self._subject.tell_again())
        reading.edit_begun.connect(self._counts.count_made)
        reading.edited.connect(self._on_edited)
        reading.keep_asked.connect(self._on_edit_kept)
        reading.editing_ended.connect(self._on_editing_ended)
        reading.use_asked.connect(self.use_shown)
        reading.restore_asked.connect(self._on_restore)
        reading.delete_asked.connect(self._on_delete)
        reading.compare_asked.connect(self.compare_shown)
        reading.back_asked.connect(self._show_comparison)
        reading.rebuild_asked.connect(lambda: self._subject.rebuild())
        self.comparison.closed.connect(self.close_comparison)
        self._connect_comparing()
        self.pinning.text_made.connect(self._on_text_made)
        doing = {
            self.commands.edit: self._on_write_asked,
            self.commands.write: self._on_write_asked,
            self.commands.compare: self.compare_shown,
            self.commands.use: self.use_shown,
        }
        for action, slot in doing.items():
            action.triggered.connect(slot)

    def _connect_comparing(self) -> None:
        comparing = self._comparing
        comparing.opening.connect(self._on_comparison_opening)
        comparing.opened.connect(self._on_comparison_opened)
        comparing.changed.connect(self._on_sides_changed)
        comparing.edited.connect(self._counts.count_soon)
        comparing.made.connect(self._on_result_kept)

    # What the window asks

    @property
    def is_comparing(self) -> bool:
        """Whether two versions are shown side by side."""
        return self._stack.currentWidget() is self.comparison

    @property
    def title(self) -> str:
        """For the header."""
        return tr("Compare") if self.is_comparing else tr("Recaps")

    @property
    def place(self) -> str:
        """For the header, "" for the story's name."""
        pair = self._comparing.pair
        if not self.is_comparing or pair is None:
            return ""
        return tr("{left} with {right}, word by word", left=pair[0].word, right=pair[1].word)

    @property
    def tools(self) -> QWidget | None:
        """For the header, None for the usual ones."""
        return self.comparison.tools if self.is_comparing else None

    @property
    def navigator(self) -> QWidget:
        """The list for the window's left side."""
        return self.rail

    @property
    def command_icons(self) -> Mapping[QAction, str]:
        """The commands for the palette, each with its icon's name."""
        self.rail.offer()
        return self.commands.icons

    def take_focus(self) -> None:
        """Give the keyboard to the list of versions, or to the two that are compared."""
        if self.is_comparing:
            self.comparison.columns.right.setFocus(Qt.FocusReason.OtherFocusReason)
        elif self._stack.currentWidget() is self.lore:
            self.lore.area.setFocus(Qt.FocusReason.OtherFocusReason)
        elif self.rail.isVisible():
            self.list.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self.reading.text.prose.setFocus(Qt.FocusReason.OtherFocusReason)

    # The story

    def _on_chat_opened(self, story: Story | None) -> None:
        self._kept.deleted = ()
        self._close_sides()
        self._follows_current = True
        self.rail.show_scenes(story)
        self.rail.choose("")

    def _on_story_changed(self, change: StoryChange) -> None:
        """Most changes are a new message, which leaves all recaps as they were."""
        story, filled = self._session.story, self._filled
        is_same = story is not None and filled is not None and story.has_versions_of(filled)
        if is_same and not (change.recaps or change.running):
            self._filled = story
            self.rail.show_scenes(story)
        elif self.isVisible():
            self._follow()
        else:
            self._is_stale = True

    def _on_reach_changed(self, reach: Reached) -> None:
        """Which scenes the running recap holds nothing of changes with some of its versions."""
        if reach.untold == self._untold:
            return
        self._untold = reach.untold
        if self.isVisible():
            self._fill()
        else:
            self._is_stale = True

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._is_stale:
            self._follow()
        if self.rail.anchor and not self.is_comparing and not self.reading.is_editing:
            self.rail.follow_wanted()

    def _wanted_scene(self) -> str:
        """Chosen on the page Story since that was last asked, "" for none: who chooses here looks
        at that one.
        """
        chosen = self._session.chosen_scene
        wanted = "" if chosen == self._scene_followed else chosen
        self._scene_followed = chosen
        return wanted

    def _follow(self) -> None:
        """Show what became of the story."""
        self._is_stale = False
        self.rail.show_scenes(self._session.story)
        self._fill()
        self._kept.fetch()

    def _on_scene_chosen(self, anchor: str) -> None:
        if self.reading.is_editing:
            self._draft.leave()
        self._subject = RecapSubject(self._session, self.recaps_asked.emit, anchor)
        self._counts.subject = self._subject
        self._kept.next_number = None
        self._follows_current = True
        self._close_sides()
        self._fill()
        self._kept.fetch()
        self._look_for_draft()

    def _on_lore_chosen(self) -> None:
        if self.reading.is_editing:
            self._draft.leave()
        self._close_sides()
        self.lore.refresh()
        self._stack.setCurrentWidget(self.lore)
        self.header_changed.emit()

    def _fill(self) -> None:
        """Show the versions of what is looked at; the row stays where it was."""
        self._filled = self._session.story
        rows = self._subject.rows(self._kept.deleted)
        current = next((row.number for row in rows if row.is_current), None)
        shown = self.reading.row
        wanted = shown.number if shown is not None and not self._follows_current else current
        self._is_filling = True
        self.model.show_rows(rows)
        index = self.model.index_of(wanted)
        self.list.setCurrentIndex(index if index.isValid() else self.model.index(0))
        self._is_filling = False
        self._show_row()
        self._comparing.show_sides()
        self._counts.count_versions()

    # Reading

    def shown_row(self) -> VersionRow | None:
        """The version that the list's cursor is on."""
        return self.list.version_at(self.list.currentIndex())

    def use_shown(self) -> None:
        """Inject the version that is read, or let it count for its scene."""
        row = self.shown_row()
        if row is not None:
            self._subject.use(row.number)

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
        before = row_before(row := self.shown_row(), self.model.rows)
        self.reading.show_row(row, before, can_delete=self._subject.can_delete)
        self._counts.show_size()
        self._show_empty()
        self.pinning.follow()
        self._show_back()

    def _show_empty(self, _news: object = None) -> None:
        if self.reading.row is None:
            words = self._subject.empty_words(has_deleted=bool(self._kept.deleted))
            self.reading.show_empty(words)

    def _show_back(self) -> None:
        pair = self._comparing.pair
        words = (
            tr("Back to {left} with {right}", left=pair[0].word, right=pair[1].word)
            if pair is not None
            else ""
        )
        self.reading.show_back(words)

    def _on_write_asked(self) -> None:
        self._stack.setCurrentWidget(self.reading)
        self.header_changed.emit()
        if not self.reading.is_editing:
            self.reading.begin_edit()

    def _on_edited(self, text: str) -> None:
        self.drafts.note(text, self.reading.base)
        self._counts.count_soon()

    def _on_text_made(self, text: str) -> None:
        row = self.shown_row()
        self._keep(text, row.number if row is not None else None)

    def _on_edit_kept(self, text: str) -> None:
        self._keep(text, self.reading.base, was_in_prompt=self.reading.is_base_in_prompt)

    def _keep(self, text: str, base: int | None, *, was_in_prompt: bool = False) -> None:
        self._draft.end()
        self._follows_current = True
        self._subject.keep(text, base, was_in_prompt=was_in_prompt)

    def _on_editing_ended(self) -> None:
        self._draft.leave()
        self._show_row()
        self._look_for_draft()

    # Drafts

    def _look_for_draft(self) -> None:
        self.drafts.look_for(self._subject.kind, self._subject.anchor)

    # Versions away and back

    def _on_delete(self) -> None:
        row = self.shown_row()
        if row is not None:
            self._delete(row.number)

    def _delete(self, number: int) -> None:
        is_there = any(row.number == number and not row.is_deleted for row in self.model.rows)
        if is_there and self._subject.can_delete:
            if self._comparing.sides.side_of(number):
                self._close_sides()
            self._subject.delete(number)

    def _on_restore(self) -> None:
        row = self.shown_row()
        if row is not None:
            self._subject.restore(row.number)

    def _on_clear_asked(self) -> None:
        self._close_sides()
        self._subject.clear()

    def _on_redo_asked(self) -> None:
        self._subject.redo()

    # Comparing

    def compare_shown(self) -> None:
        """Compare the version that is read with the one before it."""
        self._comparing.compare(self.shown_row())

    def put_side(self, side: str, number: int) -> None:
        """Put a version left or right; asked for a second time, end the comparison."""
        if self._comparing.sides.holds(side, number):
            self.close_comparison()
        else:
            self._comparing.put(side, number, self.shown_row())

    def _on_comparison_opening(self) -> None:
        if self.reading.is_editing:
            self._on_editing_ended()

    def _on_comparison_opened(self) -> None:
        self._show_next()
        self._counts.count_made()
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
        self._stack.setCurrentWidget(self.reading)
        self._comparing.clear()
        self._show_back()
        self.header_changed.emit()

    def _on_sides_changed(self) -> None:
        self._counts.show_growth()
        if self.is_comparing and self._comparing.pair is None:
            self._close_sides()  # one of them is there no more

    def _show_next(self) -> None:
        number = self._kept.next_number
        word = f"v{number + 1}" if number is not None else ""
        self.comparison.show_next(word)
        self.reading.show_next(word)

    def _on_result_kept(self, text: str, base: int) -> None:
        self._keep(text, base)
        self._close_sides()
        self._show_row()
        self.take_focus()
