"""The story as a reader works with it: by mouse, by keyboard and by menu."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QHelpEvent,
    QHideEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QToolTip, QWidget

from app.core.translation import tr
from app.story.story import Story
from ui.controls.labels import plain_tip
from ui.story.messages import geometry as geo
from ui.story.messages.break_drag import BreakDrag
from ui.story.messages.held_row import find, remember
from ui.story.messages.message_delegate import RowState
from ui.story.messages.message_model import MessageModel
from ui.story.messages.parts import FOLD, NAME, RECAP, REDO, is_grip, part_at
from ui.story.messages.row_tips import tip_of
from ui.story.messages.rows import RowKind
from ui.story.messages.settling_table import WHEEL_STEP, SettlingTable, Spot, VisibleRange
from ui.theme.source import ThemeSource

__all__ = ["ChatView", "VisibleRange"]

AnyIndex = QModelIndex | QPersistentModelIndex
MOVES = frozenset(
    getattr(Qt.Key, f"Key_{name}")
    for name in ("Down", "Up", "J", "K", "Home", "End", "PageDown", "PageUp", "Space", "Escape")
)


class ChatView(SettlingTable):
    """Shows a MessageModel and says what its reader asks for.

    Signals (visible_changed is SettlingTable's):
        tool_used: (tool, message index); tools are those of `geometry.TOOLS` and "redo".
        fold_asked: (scene index, fold or unfold).
        rename_asked, scene_redo_asked: scene index.
        break_dropped: (index of the scene that a dragged break ends, message index to end it at).
        menu_asked: QPoint on the screen; the row asked about is current.
        current_changed: nothing; another row is current, or none.
    """

    tool_used = Signal(str, int)
    fold_asked = Signal(int, bool)
    rename_asked = Signal(int)
    scene_redo_asked = Signal(int)
    break_dropped = Signal(int, int)
    menu_asked = Signal(object)
    current_changed = Signal()

    def __init__(
        self, model: MessageModel, theme: ThemeSource, parent: QWidget | None = None
    ) -> None:
        self._picked: dict[int, None] = {}  # messages chosen together that are no range
        super().__init__(model, theme, parent)
        self._pressed: tuple[int, str] = (-1, "")
        self._range_from = -1  # message where a choice of several began, -1 for one alone
        self.drag = BreakDrag(self, model, theme)
        self.drag.dropped.connect(self.break_dropped)
        self.drag.changed.connect(self.viewport().update)
        self.setAccessibleName(tr("Story"))
        theme.changed.connect(self._on_palette_changed)
        theme.reading_size_changed.connect(self._on_reading_size_changed)

    @property
    def rows(self) -> MessageModel:
        """What it shows."""
        return self._rows

    @property
    def attention(self) -> RowState:
        """Hovered and current row, as the delegate paints them."""
        return self._delegate.state

    def set_injected(self, injects: bool) -> None:
        """Whether message recaps go into the prompt."""
        self._rows.injects_recaps = injects
        self.viewport().update()

    # Another state of the story

    def show_story(self, story: Story, *, first_changed: int | None = 0) -> None:
        """Show another state of the story and hold still what is being read.

        A reader at the end stays at the end; another chat is shown from its end.
        """
        before = self._rows.story
        if story.messages is not before.messages:
            self._range_from, self.attention.chosen = -1, range(0)
            self._picked = {}
        is_other = story.chat.path != before.chat.path or not self._rows.rowCount()
        follows = self.is_at_end() and len(story.messages) > len(before.messages)
        reading = self._reference()
        held = remember(self._rows, reading.row, reading.y) if reading else None
        current = remember(self._rows, self.currentIndex().row())
        self._is_settling = True
        try:
            self._rows.set_story(story, first_changed=first_changed)
        finally:
            self._is_settling = False
        self.attention.hovered, self.attention.tool = -1, ""
        row = find(self._rows, current)
        if row >= 0 and not is_other:
            self.select_row(row)
        self.attention.current = self.currentIndex().row()
        row = find(self._rows, held)
        if is_other or follows:
            self.updateGeometries()
            self.scroll_to_end()
        else:
            self.updateGeometries()
            self.settle(Spot(row, held.y) if held and row >= 0 else None)
        self.drag.follow_story()

    def find_text(self, text: str) -> None:
        """Mark every place where `text` stands; "" marks none."""
        self.attention.found = text
        self.viewport().update()

    # The current row, and messages chosen together

    def forget_current(self) -> None:
        """Make no row current and show no ring."""
        self.attention.by_key = False
        keep = self.selectionModel().SelectionFlag.NoUpdate
        self.selectionModel().setCurrentIndex(QModelIndex(), keep)

    def currentChanged(self, current: AnyIndex, previous: AnyIndex) -> None:
        super().currentChanged(current, previous)
        self.attention.current = current.row()
        self.attention.chosen = self.chosen_messages()
        self._repaint_row(previous.row())
        self._repaint_row(current.row())
        self._reads_current = True
        if not self._is_settling:
            self._tell_visible()
        self.current_changed.emit()

    def current_message(self) -> int | None:
        """Index of the current message, None when a scene or nothing is current."""
        row = self.currentIndex().row()
        if not 0 <= row < self._rows.rowCount():
            return None
        place = self._rows.place(row)
        return place.message if place.kind is RowKind.MESSAGE else None

    def current_scene(self) -> int | None:
        """Index of the scene that the current row belongs to."""
        row = self.currentIndex().row()
        return self._rows.place(row).scene if 0 <= row < self._rows.rowCount() else None

    def choose(self, messages: Iterable[int]) -> None:
        """Choose messages together, wherever they stand; until another row becomes current that is
        none of them. None of them unchooses all.
        """
        self._range_from = -1
        self._picked = dict.fromkeys(messages)
        self.attention.chosen = self.chosen_messages()
        self.viewport().update()

    def chosen_messages(self) -> Collection[int]:
        """Indexes of the messages chosen together; empty while it is one alone."""
        current = self.current_message()
        if len(self._picked) > 1 and current in self._picked:
            return self._picked
        if current is None or self._range_from < 0 or self._range_from == current:
            return range(0)
        return range(min(current, self._range_from), max(current, self._range_from) + 1)

    def _extend(self, *, extends: bool) -> None:
        """Before another row becomes current: begin or go on choosing several, or end it."""
        current = self.current_message()
        self._picked = {}
        if not extends:
            self._range_from = -1
        elif self._range_from < 0 and current is not None:
            self._range_from = current
        if extends or self.attention.chosen:
            self.attention.chosen = self.chosen_messages()
            self.viewport().update()

    def is_on_scene(self) -> bool:
        """Whether the current row is a scene's own."""
        return self.current_scene() is not None and self.current_message() is None

    # Keyboard

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.drag.is_active:
            if event.key() == Qt.Key.Key_Escape:
                self._let_go()
            return
        self.attention.by_key = True
        held = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        steps = event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_J, Qt.Key.Key_K)
        extends = held == Qt.KeyboardModifier.ShiftModifier and steps
        plain = extends or not held
        if extends or (plain and event.key() in MOVES):
            self._extend(extends=extends)
        match event.key() if plain else None:
            case Qt.Key.Key_Down:
                self._step(1, reads=not extends)
            case Qt.Key.Key_Up:
                self._step(-1, reads=not extends)
            case Qt.Key.Key_J:
                self._step(1)
            case Qt.Key.Key_K:
                self._step(-1)
            case Qt.Key.Key_Home:
                self._go(0)
            case Qt.Key.Key_End:
                self._go(self._rows.rowCount() - 1)
                self.scroll_to_end()
            case Qt.Key.Key_PageDown | Qt.Key.Key_Space:
                self._page(1)
            case Qt.Key.Key_PageUp:
                self._page(-1)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self._open_current()
            case Qt.Key.Key_B if (message := self.current_message()) is not None:
                self.tool_used.emit("break", message)
            case Qt.Key.Key_Left:
                self._fold_current(True)
            case Qt.Key.Key_Right:
                self._fold_current(False)
            case _:
                event.ignore()

    def _go(self, row: int) -> None:
        if 0 <= row < self._rows.rowCount():
            self.select_row(row)
            self.scrollTo(self._rows.index(row, 0))
            self._repaint_row(row)

    def _step(self, by: int, *, reads: bool = False) -> None:
        """Go to the next row; `reads` scrolls through one that is higher than the viewport."""
        row = self.currentIndex().row()
        if row < 0 or not self.row_rect(row).intersects(self.viewport().rect()):
            self._go(max(self.rowAt(0), 0))
            return
        area, bottom = self.row_rect(row), self.viewport().height()
        hidden = area.bottom() - bottom if by > 0 else -area.top()
        if reads and hidden > 0 and area.height() > bottom:
            bar = self.verticalScrollBar()
            bar.setValue(bar.value() + by * min(hidden + 1, 3 * WHEEL_STEP))
        else:
            self._go(row + by)

    def _page(self, by: int) -> None:
        bar = self.verticalScrollBar()
        before = bar.value()
        bar.setValue(before + by * (self.viewport().height() - 2 * WHEEL_STEP))
        if bar.value() == before:
            self._go(self._rows.rowCount() - 1 if by > 0 else 0)
        else:
            self.select_row(max(self.rowAt(WHEEL_STEP), 0))

    def _open_current(self) -> None:
        scene = self.current_scene()
        if scene is not None and self.is_on_scene():
            place = self._rows.place(self.currentIndex().row())
            self.fold_asked.emit(scene, place.kind is not RowKind.FOLDED)

    def _fold_current(self, folds: bool) -> None:
        scene = self.current_scene()
        if scene is not None:
            self.fold_asked.emit(scene, folds)

    def focusInEvent(self, event: QFocusEvent) -> None:
        reasons = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason)
        if event.reason() in reasons:
            self.attention.by_key = True
            if not self.currentIndex().isValid() and self._rows.rowCount():
                self.select_row(max(self.rowAt(0), 0))
        self.attention.has_focus = True
        # Not QAbstractItemView's: it would make the first row current, and actions would mean it.
        QAbstractScrollArea.focusInEvent(self, event)
        self._repaint_row(self.attention.current)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._let_go()
        self.attention.has_focus = False
        super().focusOutEvent(event)
        self._repaint_row(self.attention.current)

    # Mouse

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        point = event.position().toPoint()
        if not self.drag.move(point):
            self._hover(*self._hit(point))

    def leaveEvent(self, event: QEvent) -> None:
        self._hover(-1, "")
        super().leaveEvent(event)

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        super().scrollContentsBy(dx, dy)
        if self.attention.hovered >= 0 and not self.drag.is_active:
            self._hover(-1, "")

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self.drag.is_active:
            self._let_go()
            return
        self.attention.by_key = False
        point = event.position().toPoint()
        row, part = self._hit(point)
        self._pressed = (row, part)
        if event.button() == Qt.MouseButton.LeftButton and row >= 0:
            self._extend(extends=event.modifiers() == Qt.KeyboardModifier.ShiftModifier)
        is_menu = event.button() == Qt.MouseButton.RightButton
        if row >= 0 and not (is_menu and self._is_chosen(row)):
            self.select_row(row)
        else:
            self._repaint_row(self.attention.current)
        is_left = event.button() == Qt.MouseButton.LeftButton
        if is_left and row >= 0 and is_grip(self._rows, row, part):
            self.drag.press(self._rows.place(row).scene, point)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        hit = self._hit(event.position().toPoint())
        if self.drag.release():
            self._hover(*hit)
            return
        row, part = hit
        if event.button() != Qt.MouseButton.LeftButton or hit != self._pressed or row < 0:
            return
        place = self._rows.place(row)
        if part == FOLD:
            self.fold_asked.emit(place.scene, place.kind is not RowKind.FOLDED)
        elif part == REDO and place.kind is not RowKind.MESSAGE:
            self.scene_redo_asked.emit(place.scene)
        elif part in (*geo.TOOLS, REDO):
            self.tool_used.emit(part, place.message)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._let_go()
        row, part = self._hit(event.position().toPoint())
        if row >= 0 and part == NAME:
            self.rename_asked.emit(self._rows.place(row).scene)

    def _let_go(self) -> None:
        """Leave a break that is in hand where it was."""
        self.drag.cancel()
        self._pressed = (-1, "")

    def hideEvent(self, event: QHideEvent) -> None:
        self._let_go()
        super().hideEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.drag.is_active:
            self.drag.paint(QPainter(self.viewport()))

    def _hit(self, point: QPoint) -> tuple[int, str]:
        """Row under a point and which part of it, as in `parts.part_at`."""
        row, column = self.rowAt(point.y()), self.column
        if row < 0 or not column.card_left <= point.x() < column.card_left + column.card_width:
            return -1, ""
        part = part_at(self._rows, row, self.row_rect(row), column, point)
        return row, part if self.attention.can_change or part == RECAP else ""

    def _hover(self, row: int, part: str) -> None:
        state = self.attention
        if (row, part) == (state.hovered, state.tool):
            return
        before = state.hovered
        state.hovered, state.tool = row, part
        if row >= 0 and is_grip(self._rows, row, part):
            self.viewport().setCursor(Qt.CursorShape.SplitVCursor)
        else:
            self.viewport().unsetCursor()
        self._repaint_row(before)
        self._repaint_row(row)

    def _repaint_row(self, row: int) -> None:
        if 0 <= row < self._rows.rowCount():
            # A ring reaches 2 px out of its row.
            self.viewport().update(self.row_rect(row).adjusted(0, -3, 0, 3))

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            row, part = self._hit(event.pos())
            in_gutter = event.pos().x() < self.column.text_left - 8
            tip = tip_of(self._rows, row, part, in_gutter=in_gutter) if row >= 0 else ""
            QToolTip.showText(event.globalPos(), plain_tip(tip), self)
            return True
        return super().viewportEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            row = self.currentIndex().row()
            point = self.viewport().mapToGlobal(
                self.row_rect(row).topLeft() + QPoint(self.column.text_left, 24)
            )
        else:
            row, point = self._hit(event.pos())[0], event.globalPos()
        if row >= 0:
            if not self._is_chosen(row):
                self._extend(extends=False)
                self.select_row(row)
            self.menu_asked.emit(point)

    def _is_chosen(self, row: int) -> bool:
        """Whether a row is one of several that are chosen together."""
        place = self._rows.place(row)
        return place.kind is RowKind.MESSAGE and place.message in self.chosen_messages()

    # The theme

    def _on_palette_changed(self, _tokens: object) -> None:
        self._delegate.texts.forget_colours()
        self.viewport().update()

    def _on_reading_size_changed(self, _px: float) -> None:
        spot = self._reference()
        self._delegate.texts.forget_sizes()
        self.settle(spot)
        self.viewport().update()
