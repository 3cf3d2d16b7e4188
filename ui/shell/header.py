"""The head of the stage: the page's title, where one is, search, and the page's actions."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAction, QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QMenu, QSizePolicy, QWidget

from app.core.translation import tr
from ui.controls.buttons import Button, IconButton, key_text
from ui.controls.labels import ElidedLabel, page_title, safe_tip, words_of
from ui.theme import current_tokens
from ui.theme.fonts import MEDIUM, ui_font
from ui.theme.icons import icon_pixmap
from ui.theme.palette import T3_ROLE
from ui.theme.style import rounded

HEIGHT = 48
PLACE_FROM = 80  # px
WIDE = 860
LEAST_SEARCH = 84
MOST_PLACE, PLACED = 190, 720  # px of where one is that are kept, in a header as wide as that


class SearchButton(QAbstractButton):
    """Looks like a field and opens the palette of commands."""

    def __init__(self, action: QAction, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._hint = key_text(action.shortcut())
        self._width = 300
        self.setAccessibleName(words_of(action))
        self.setToolTip(safe_tip(action.toolTip()))
        self.clicked.connect(action.trigger)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        # It gives way before a button beside it loses its word.
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setMaximumWidth(self._width)

    def set_room(self, px: int, *, is_narrow: bool) -> None:
        """Take as much of so many px as it is worth in a narrow header, or in a wide one."""
        width = max(LEAST_SEARCH, min(150 if is_narrow else 300, px))
        if width != self._width:
            self._width = width
            self.setMaximumWidth(width)
            self.updateGeometry()

    def sizeHint(self) -> QSize:
        return QSize(self._width, 28)

    def minimumSizeHint(self) -> QSize:
        return QSize(LEAST_SEARCH, 28)

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current_tokens()
        painter = QPainter(self)
        rounded(painter, self.rect(), 7, t.hover if self.underMouse() else t.well, t.line)
        pixmap = icon_pixmap("search", t.t2, 14, self.devicePixelRatioF())
        painter.drawPixmap(10, 7, pixmap)
        painter.setFont(ui_font(12))
        painter.setPen(t.t3)
        area = QRectF(32, 0, self.width() - 40, self.height())
        middle = Qt.AlignmentFlag.AlignVCenter
        hint = ui_font(10, MEDIUM)
        room = int(area.width()) - QFontMetrics(hint).horizontalAdvance(self._hint) - 8
        painter.drawText(area, middle | Qt.AlignmentFlag.AlignLeft, self._words_in(room))
        painter.setFont(hint)
        painter.setPen(t.t2)
        painter.drawText(area, middle | Qt.AlignmentFlag.AlignRight, self._hint)

    def _words_in(self, room: int) -> str:
        """What fits whole; the icon and the key say enough where no word does."""
        metrics = QFontMetrics(ui_font(12))
        said = (tr("Search the story or run a command"), tr("Search or run"), tr("Search"))
        return next((one for one in said if metrics.horizontalAdvance(one) <= room), "")


class _Place(ElidedLabel):
    """Two letters of where one is say nothing: then it is not there."""

    def paintEvent(self, event: QPaintEvent) -> None:
        fits = self.fontMetrics().horizontalAdvance(self.text()) <= self.width()
        if fits or self.width() >= PLACE_FROM:
            super().paintEvent(event)


class Header(QWidget):
    """48 px: title, one line of place, then search and actions at the right.

    Signals:
        left_toggled, right_toggled: a button for an overlaid pane was pressed.
    """

    left_toggled = Signal()
    right_toggled = Signal()

    def __init__(
        self, search: QAction, undo: QAction, history: QAction, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setFixedHeight(HEIGHT)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 0, 11, 0)
        row.setSpacing(8)
        self._left = IconButton("panel-left", tr("Show scenes"), is_framed=True)
        self._left.clicked.connect(self.left_toggled)
        self._title = page_title()
        self._place = _Place(font=ui_font(12), tone=T3_ROLE)
        self._search = SearchButton(search)
        self._right = IconButton("panel-right", tr("Show the running recap"), is_framed=True)
        self._right.clicked.connect(self.right_toggled)
        row.addWidget(self._left)
        row.addWidget(self._title)
        row.addSpacing(4)
        row.addWidget(self._place, 1)
        self._undo = IconButton("undo", undo.text(), is_framed=True)
        self._undo.follow(undo)
        self._undo.hide()
        self._history = IconButton("clock", history.text(), is_framed=True)
        self._history.follow(history)
        self._history.hide()
        # First, as before the tools of pages that have their own.
        row.addWidget(self._undo)
        row.addWidget(self._history)
        row.addWidget(self._search)
        self._actions = QHBoxLayout()
        self._actions.setSpacing(8)
        row.addLayout(self._actions)
        self._more = IconButton("more", tr("More actions for this story"), is_framed=True)
        self._more.clicked.connect(self._open_more)
        self._more.hide()
        self._menu = QMenu(self)
        row.addWidget(self._more)
        self._tools: QWidget | None = None
        row.addWidget(self._right)
        self.set_panes(left=False, right=False)

    def set_tools(self, tools: QWidget | None) -> None:
        """A page's own tools in place of search and actions; None for none."""
        if tools is self._tools:
            return
        row = self.layout()
        assert isinstance(row, QHBoxLayout)
        if self._tools is not None:
            row.removeWidget(self._tools)
            self._tools.hide()
        self._tools = tools
        self._search.setVisible(tools is None)
        if tools is not None:
            row.insertWidget(row.count() - 1, tools)
            tools.show()

    def set_more(self, actions: Sequence[QAction]) -> None:
        """What stands in the menu of further commands."""
        if self._menu.actions() != list(actions):  # or it would empty under the pointer
            self._menu.clear()
            self._menu.addActions(list(actions))

    def show_more(self, is_shown: bool) -> None:
        """Whether there is something that they could be done with."""
        self._more.setVisible(is_shown)

    def _open_more(self) -> None:
        below = self._more.mapToGlobal(QPoint(0, self._more.height() + 4))
        # Never exec(): it would hold up every other task.
        self._menu.popup(below)

    def show_undo(self, is_shown: bool) -> None:
        """Whether there is something on the page that could be taken back."""
        self._undo.setVisible(is_shown)
        self._history.setVisible(is_shown)

    def show_place(self, title: str, place: str) -> None:
        """Say where one is."""
        self._title.setText(title)
        self._place.setText(place)
        self._fit()

    def set_panes(
        self,
        *,
        left: bool,
        right: bool,
        left_name: str = "",
        right_name: str = "",
    ) -> None:
        """Which panes need a button because they are laid over the page, and its name."""
        self._left.set_name(left_name)
        self._right.set_name(right_name)
        self._left.setVisible(left)
        self._right.setVisible(right)

    def set_actions(self, actions: Sequence[tuple[QAction, str]]) -> None:
        """Buttons for the page's actions, each with an icon."""
        while (item := self._actions.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        for action, icon in actions:
            button = Button(words_of(action), icon=icon)
            button.follow(action)
            self._actions.addWidget(button)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def event(self, event: QEvent) -> bool:
        """A button that was added counts only once it is shown, which asks for a layout."""
        done = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self._fit()
        return done

    def minimumSizeHint(self) -> QSize:
        return QSize(320, HEIGHT)

    def _fit(self) -> None:
        # The words of buttons go before where one is, and that before a wide field for search.
        place, layout = self._place, self.layout()
        if layout is None:
            return
        # Never more than its hint: what the others need would then depend on what is kept.
        kept = min(MOST_PLACE, place.sizeHint().width()) if self.width() >= PLACED else 0
        if self._search.isHidden():  # a page's own tools give way by themselves
            least = max(place.minimumWidth(), place.minimumSizeHint().width())
            others = layout.totalMinimumSize().width() - least
            place.setMinimumWidth(kept if others + kept <= self.width() else 0)
            return
        others = layout.totalSizeHint().width() - place.sizeHint().width()
        others -= self._search.sizeHint().width()
        if others + kept + LEAST_SEARCH > self.width():
            kept = 0
        place.setMinimumWidth(kept)
        room = self.width() - others - kept
        self._search.set_room(room, is_narrow=self.width() < WIDE)

    def paintEvent(self, event: QPaintEvent) -> None:
        # The hairline under the header belongs to pages without a strip of their own.
        return
