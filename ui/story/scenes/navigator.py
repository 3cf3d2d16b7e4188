"""The list of scenes beside the page, with what becomes of their messages."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable
from functools import partial

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QAction,
    QContextMenuEvent,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QResizeEvent,
    QShortcut,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from app.core.translation import N_, number, tr
from app.story.story import Story
from ui.controls.buttons import IconButton
from ui.controls.fields import Choice, FindField
from ui.controls.labels import Label, meta
from ui.controls.page_commands import is_letter_of_page
from ui.story import words
from ui.story.lettering import letters
from ui.story.lettering import meta as meta_letters
from ui.story.messages.settling_table import VisibleRange
from ui.story.scenes.bar_painter import BarPainter
from ui.story.scenes.bars import Bars, bucketed, no_bars
from ui.story.scenes.legend import Legend
from ui.story.scenes.reach_legend import ReachLegend
from ui.story.scenes.scene_model import SceneModel
from ui.theme.fonts import MEDIUM, SEMIBOLD, ui_font
from ui.theme.palette import T2_ROLE
from ui.theme.source import ThemeSource
from ui.theme.style import rounded

AnyIndex = QModelIndex | QPersistentModelIndex

WIDTH = 256
ROW = 50
NUMBER_RIGHT = 28
TITLE_LEFT = 36
TICK = 5
PROMPT, RECAPS = "prompt", "recaps"  # values of the setting story_colours
VIEWS = {PROMPT: N_("In the next prompt"), RECAPS: N_("Message recaps")}
FILTER_FROM = 12  # scenes; fewer are seen at a glance


class _SceneDelegate(QStyledItemDelegate):
    """Number, title, a tick per message, range."""

    def __init__(self, model: SceneModel, theme: ThemeSource, parent: QWidget) -> None:
        super().__init__(parent)
        self._model = model
        self._theme = theme
        self.bars = no_bars()
        self.painter = BarPainter(theme.tokens)
        self.hovered = -1
        self.current = -1
        self.has_focus = False
        self.by_key = False

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        return QSize(WIDTH, ROW)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        tokens, row = self._theme.tokens, index.row()
        area = option.rect
        card = QRect(area.x(), area.y() + 1, area.width(), ROW - 2)
        is_current = row == self.current
        if is_current:
            rounded(painter, card, 8, tokens.raised)
            bar = QRectF(card.x(), card.y() + 10, 3, card.height() - 20)
            rounded(painter, bar, 1.5, tokens.ring)
        elif row == self.hovered:
            rounded(painter, card, 8, tokens.hover)
        if is_current and self.has_focus and self.by_key:
            rounded(painter, QRectF(card), 8, None, tokens.ring, tokens.ring_width)
        scene = self._model.scene(row)
        name = words.scene_name(self._model.story, scene)
        has_name = bool(self._model.story.scene_name(scene))
        title = letters(12, SEMIBOLD)
        left, right, middle = card.x(), card.right() - 10, card.y() + 13.0
        numeral = letters(11, SEMIBOLD if is_current else MEDIUM)
        ink = tokens.accent_text if is_current else tokens.t3
        numeral.draw_right(painter, str(scene.number), ink, left + NUMBER_RIGHT - 4, middle)
        ink = tokens.t1 if is_current or row == self.hovered else tokens.t2
        if not has_name and not is_current:
            ink = tokens.t3
        title.draw(painter, name, ink, left + TITLE_LEFT - 4, middle, right - left - TITLE_LEFT + 4)
        span = words.scene_range(scene, is_open_ended=True)
        range_left = meta_letters().draw_right(painter, span, tokens.t3, right, card.y() + 34.5)
        room = int(range_left - 8 - (left + TITLE_LEFT - 4))
        self._paint_ticks(painter, QPoint(left + TITLE_LEFT - 4, card.y() + 31), row, room)

    def _paint_ticks(self, painter: QPainter, at: QPoint, row: int, room: int) -> None:
        scene = self._model.scene(row)
        part = slice(scene.first, scene.last + 1)
        ranks, tokens = self.bars.ranks[part], self.bars.tokens[part]
        columns = min(len(ranks), room // TICK)
        if columns < 1:
            return
        if columns < len(ranks):
            tokens, ranks = bucketed(tokens, ranks, columns)
        for place in range(columns):
            tick = QRectF(at.x() + place * TICK, at.y(), TICK - 1, 7)
            self.painter.tick(painter, int(ranks[place]), tick)


class SceneList(QTableView):
    """The scenes as rows of 50 px.

    Signals:
        scene_chosen: scene index, by click, Return or the arrow keys.
        rename_asked: scene index, by F2 or a double click.
        menu_asked: (scene index, QPoint on the screen).
    """

    scene_chosen = Signal(int)
    rename_asked = Signal(int)
    menu_asked = Signal(int, object)

    def __init__(self, model: SceneModel, theme: ThemeSource, parent: QWidget | None = None):
        super().__init__(parent)
        self._scenes = model
        self._delegate = _SceneDelegate(model, theme, self)
        self.setModel(model)
        self.setItemDelegate(self._delegate)
        self.setAccessibleName(tr("Scenes"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setMouseTracking(True)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.horizontalHeader().hide()
        self.horizontalHeader().setStretchLastSection(True)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(ROW)
        self.viewport().setAutoFillBackground(False)
        self.setAutoFillBackground(False)

    def set_bars(self, bars: Bars) -> None:
        self._delegate.bars = bars
        self.viewport().update()

    def set_scene(self, number: int) -> None:
        """Mark the scene one is in, and bring it into view."""
        row = self._scenes.row_of(number)
        if row == self._delegate.current:
            return
        self._delegate.current = row
        if row >= 0:
            self.selectionModel().setCurrentIndex(
                self._scenes.index(row, 0), self.selectionModel().SelectionFlag.NoUpdate
            )
        self.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        # Before it has a size, a list scrolls to nothing.
        self.scrollTo(self.currentIndex())

    def forget_colours(self, painter: BarPainter) -> None:
        self._delegate.painter = painter
        self.viewport().update()

    def _choose(self, row: int) -> None:
        if 0 <= row < self._scenes.rowCount():
            self.scene_chosen.emit(self._scenes.number(row))

    def keyboardSearch(self, search: str) -> None:
        if not is_letter_of_page(self, search):
            super().keyboardSearch(search)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self._delegate.by_key = True
        row, last = self._delegate.current, self._scenes.rowCount() - 1
        is_plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        match event.key() if is_plain else None:
            case Qt.Key.Key_Down | Qt.Key.Key_J:
                self._choose(min(row + 1, last))
            case Qt.Key.Key_Up | Qt.Key.Key_K:
                self._choose(max(row - 1, 0))
            case Qt.Key.Key_Home:
                self._choose(0)
            case Qt.Key.Key_End:
                self._choose(last)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self._choose(row)
            case Qt.Key.Key_F2 if row >= 0:
                self.rename_asked.emit(self._scenes.number(row))
            case _:
                event.ignore()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._delegate.by_key = False
        if event.button() == Qt.MouseButton.LeftButton:
            self._choose(self.rowAt(event.position().toPoint().y()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        row = self.rowAt(event.position().toPoint().y())
        if row >= 0:
            self.rename_asked.emit(self._scenes.number(row))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        row, point = self.rowAt(event.pos().y()), event.globalPos()
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            row = self._delegate.current
            area = self.visualRect(self._scenes.index(max(row, 0), 0))
            point = self.viewport().mapToGlobal(area.topLeft() + QPoint(TITLE_LEFT, 24))
        if row >= 0:
            self.menu_asked.emit(self._scenes.number(row), point)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hover(self.rowAt(event.position().toPoint().y()))

    def leaveEvent(self, event: QEvent) -> None:
        self._hover(-1)
        super().leaveEvent(event)

    def _hover(self, row: int) -> None:
        if row != self._delegate.hovered:
            self._delegate.hovered = row
            self.viewport().update()

    def focusInEvent(self, event: QFocusEvent) -> None:
        tabs = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason)
        self._delegate.has_focus = True
        self._delegate.by_key = event.reason() in tabs
        super().focusInEvent(event)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._delegate.has_focus = False
        super().focusOutEvent(event)
        self.viewport().update()


class Navigator(QWidget):
    """Scenes on the chrome, 256 px wide, with a slot for a header and the legend at the foot.

    Signals:
        scene_chosen, rename_asked: scene index.
        menu_asked: (scene index, QPoint on the screen).
        state_chosen: InclusionState whose next message is wanted, None for a changed one.
        view_chosen: what the colours are to show, one of VIEWS.
    """

    scene_chosen = Signal(int)
    rename_asked = Signal(int)
    menu_asked = Signal(int, object)
    state_chosen = Signal(object)
    view_chosen = Signal(str)

    def __init__(self, theme: ThemeSource, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._model = SceneModel(self)
        self._scene = -1
        self.list = SceneList(self._model, theme, self)
        self.legend = Legend(theme, self)
        self.reach_legend = ReachLegend(self)
        self.views = Choice(tr("What the colours show"))
        for view, title in VIEWS.items():
            self.views.addItem(tr(title), view)
        self.views.activated.connect(self._on_view_activated)
        self._counts = meta()
        self._search = IconButton("chip", "", side=22, icon_size=14)
        self._search.hide()
        self._filter = FindField(tr("Find a scene"))
        self._lay_out()
        self.list.scene_chosen.connect(self.scene_chosen)
        self.list.rename_asked.connect(self.rename_asked)
        self.list.menu_asked.connect(self.menu_asked)
        self.legend.state_chosen.connect(self.state_chosen)
        self._filter.textChanged.connect(self._on_filter_changed)
        theme.changed.connect(self._on_palette_changed)
        self.set_story(self._model.story, no_bars())

    def _lay_out(self) -> None:
        self.setMinimumWidth(180)
        title = QHBoxLayout()
        title.setContentsMargins(8, 0, 8, 0)
        title.addWidget(Label(tr("Scenes"), font=ui_font(12, MEDIUM), tone=T2_ROLE))
        title.addStretch(1)
        title.addWidget(self._counts)
        title.addSpacing(4)
        title.addWidget(self._search)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 0, 8, 6)
        column.setSpacing(0)
        column.addSpacing(10)
        column.addLayout(title)
        column.addSpacing(8)
        column.addWidget(self._filter)
        column.addSpacing(4)
        column.addWidget(self.list, 1)
        column.addSpacing(6)
        column.addWidget(self.views)
        column.addWidget(self.legend)
        column.addWidget(self.reach_legend)
        self.set_view(PROMPT)

    @property
    def scene(self) -> int:
        """Index of the scene one is in, -1 for none."""
        return self._scene

    def sizeHint(self) -> QSize:
        return QSize(WIDTH, 600)

    def answer(self, actions: Iterable[QAction], act: Callable[[QAction], None]) -> None:
        """Take the keys that the menu of a scene shows: the list stands outside of the page, which
        hears only of its own. act: does one of the actions with the marked scene.
        """
        for action in actions:
            for key in action.shortcuts():
                shortcut = QShortcut(key, self.list)
                shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
                shortcut.activated.connect(partial(act, action))

    def offer(self, search: QAction) -> None:
        """A button beside the title, for finding scenes."""
        self._search.follow(search)
        self._search.show()

    def set_story(self, story: Story, bars: Bars) -> None:
        """Show another state of the story. bars: of the recaps' states."""
        has_filter = len(story.scenes) >= FILTER_FROM
        # What was looked for in another chat finds nothing here, and a field that is not shown
        # cannot be emptied.
        if not has_filter or story.chat.path != self._model.story.chat.path:
            self._filter.clear()
        self._model.set_story(story)
        self.list.set_bars(bars)
        self.legend.set_bars(bars)
        still_open = int(bool(story.scenes) and not story.scenes[-1].is_closed)
        closed = len(story.scenes) - still_open
        self._counts.setText(
            tr("{closed} finished, {still_open} open", closed=number(closed), still_open=still_open)
            if story.scenes
            else ""
        )
        self._filter.setVisible(has_filter)
        self.list.set_scene(self._scene)

    def set_visible(self, visible: VisibleRange) -> None:
        """Mark the scene of the message in the viewport that is read."""
        scenes = self._model.story.scenes
        number = bisect_right(scenes, visible.place, key=lambda scene: scene.first) - 1
        self._scene = number if visible.last >= 0 else -1
        self.list.set_scene(self._scene)

    def _on_filter_changed(self, text: str) -> None:
        self._model.set_filter(text)
        self.list.set_scene(-1)
        self.list.set_scene(self._scene)

    def _on_palette_changed(self, _tokens: object) -> None:
        self.list.forget_colours(BarPainter(self._theme.tokens))
        self.legend.update()

    def set_view(self, view: str) -> None:
        """Which legend is shown, one of VIEWS."""
        self.views.setCurrentIndex(self.views.findData(view))
        self.legend.setVisible(view != PROMPT)
        self.reach_legend.setVisible(view == PROMPT)

    def _on_view_activated(self, row: int) -> None:
        self.view_chosen.emit(self.views.itemData(row))

    def set_injected(self, injects: bool) -> None:
        """Whether message recaps go into the prompt."""
        self.legend.set_injected(injects)
