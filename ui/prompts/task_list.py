"""The list of tasks: whose prompt is in force where that is not ours, and which is written on."""

from __future__ import annotations

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QPersistentModelIndex,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QFrame, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app.core.translation import tr
from app.llm.prompts.prompt_library import PromptTask
from ui.prompts.words import state_word
from ui.theme import Tokens, current_tokens
from ui.theme.fonts import MEDIUM, SEMIBOLD, ui_font
from ui.theme.icons import icon_pixmap
from ui.theme.style import rounded

ROW_HEIGHT, OURS_HEIGHT = 52, 36
BESIDE = 66  # px that a title leaves free beside it: margins, the sign of a draft, the scroll bar
TASK_ROLE = Qt.ItemDataRole.UserRole
DRAFT_ROLE = Qt.ItemDataRole.UserRole + 1
TITLE_PX = 12.5
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
Index = QModelIndex | QPersistentModelIndex


class TaskModel(QAbstractListModel):
    """One row for each task."""

    def __init__(self) -> None:
        super().__init__()
        self._tasks: tuple[PromptTask, ...] = ()
        self._drafted: frozenset[str] = frozenset()

    def show_tasks(self, tasks: tuple[PromptTask, ...]) -> None:
        """Show these; a list of the same tasks keeps its place."""
        if [task.task for task in tasks] == [task.task for task in self._tasks]:
            self._tasks = tasks
            self._tell()
            return
        self.beginResetModel()
        self._tasks = tasks
        self.endResetModel()

    def show_drafted(self, drafted: frozenset[str]) -> None:
        """Mark the tasks that something is being written for."""
        if drafted != self._drafted:
            self._drafted = drafted
            self._tell()

    def _tell(self) -> None:
        if self._tasks:
            self.dataChanged.emit(self.index(0), self.index(len(self._tasks) - 1))

    def place_of(self, task: str) -> QModelIndex:
        """The row of a task, none for one that there is not."""
        places = [n for n, row in enumerate(self._tasks) if row.task == task]
        return self.index(places[0]) if places else QModelIndex()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._tasks)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or not 0 <= index.row() < len(self._tasks):
            return None
        task = self._tasks[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return tr(task.title)
        if role == Qt.ItemDataRole.AccessibleDescriptionRole:
            word = state_word(task)
            if task.task in self._drafted:
                word = f"{word}, {tr('a draft is being written')}"
            return word
        if role == Qt.ItemDataRole.ToolTipRole:
            return tr(task.purpose)
        if role == TASK_ROLE:
            return task
        if role == DRAFT_ROLE:
            return task.task in self._drafted
        return None


class TaskList(QListView):
    """The row with the keyboard is edited.

    Signals:
        chosen: name of the task.
    """

    chosen = Signal(str)

    def __init__(self, model: TaskModel) -> None:
        super().__init__()
        self._tasks = model
        self.setModel(model)
        self.setItemDelegate(_TaskDelegate(self))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(tr("Prompts by task"))
        self.setAutoFillBackground(False)
        self.viewport().setAutoFillBackground(False)
        self.setMouseTracking(True)
        self.selectionModel().currentChanged.connect(self._on_current)
        model.dataChanged.connect(self.scheduleDelayedItemsLayout)  # rows differ in height

    @property
    def title_width(self) -> int:
        """Px that show the longest title whole."""
        rows = range(self._tasks.rowCount())
        titles = (str(self._tasks.index(row).data()) for row in rows)
        metrics = QFontMetrics(ui_font(TITLE_PX, SEMIBOLD))
        return BESIDE + max(map(metrics.horizontalAdvance, titles), default=0)

    def choose(self, task: str) -> None:
        """Put the keyboard's row on a task."""
        self.setCurrentIndex(self._tasks.place_of(task))

    def _on_current(self, now: QModelIndex, _before: QModelIndex) -> None:
        task = now.data(TASK_ROLE)
        if isinstance(task, PromptTask):
            self.chosen.emit(task.task)


def _says_state(task: object) -> bool:
    """Whether there is more to say than that a prompt is ours, as most are."""
    return isinstance(task, PromptTask) and (
        bool(task.problem) or task.is_outdated or task.is_yours
    )


class _TaskDelegate(QStyledItemDelegate):
    def __init__(self, view: QListView) -> None:
        super().__init__(view)
        self._view = view

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        task = index.data(TASK_ROLE)
        return QSize(120, ROW_HEIGHT if _says_state(task) else OURS_HEIGHT)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        task = index.data(TASK_ROLE)
        if not isinstance(task, PromptTask):
            return
        t = current_tokens()
        painter.save()
        area = QRectF(option.rect).adjusted(0, 2, 0, -2)
        is_selected = bool(option.state & QStyle.StateFlag.State_Selected)
        has_focus = self._view.hasFocus()
        if is_selected:
            rounded(painter, area, 8, t.raised)
            bar = QRectF(area.x(), area.y() + 9, 3, area.height() - 18)
            rounded(painter, bar, 1.5, t.ring if has_focus else t.t3)
            if has_focus and option.state & QStyle.StateFlag.State_KeyboardFocusChange:
                rounded(painter, area, 8, None, t.ring, t.ring_width)
        elif option.state & QStyle.StateFlag.State_MouseOver:
            rounded(painter, area, 8, t.hover)
        says_state = _says_state(task)
        title = area.adjusted(12, 5, -10, -23 if says_state else -5)
        if index.data(DRAFT_ROLE):
            pixmap = icon_pixmap("pencil", t.edited.text, 13, self._view.devicePixelRatioF())
            painter.drawPixmap(round(area.right() - 22), round(title.center().y() - 6), pixmap)
            title.setRight(area.right() - 28)
        self._draw(painter, title, tr(task.title), SEMIBOLD if is_selected else MEDIUM, t.t1)
        if says_state:
            self._paint_state(painter, area.adjusted(12, 24, -10, -5), task, t)
        painter.restore()

    def _paint_state(self, painter: QPainter, line: QRectF, task: PromptTask, t: Tokens) -> None:
        icon, ink = "", t.t3
        if task.problem:
            icon, ink = "triangle", t.failed.text
        elif task.is_outdated:
            icon, ink = "loop", t.edited.text
        elif task.is_yours:
            icon, ink = "person", t.t2
        if icon:
            pixmap = icon_pixmap(icon, ink, 12, self._view.devicePixelRatioF())
            painter.drawPixmap(round(line.x()), round(line.center().y() - 6), pixmap)
            line.setLeft(line.x() + 17)
        self._draw(painter, line, state_word(task), MEDIUM, ink, px=11.5)

    def _draw(
        self,
        painter: QPainter,
        line: QRectF,
        words: str,
        weight: QFont.Weight,
        ink: QColor,
        *,
        px: float = TITLE_PX,
    ) -> None:
        painter.setFont(ui_font(px, weight))
        painter.setPen(ink)
        shown = painter.fontMetrics().elidedText(
            words, Qt.TextElideMode.ElideRight, int(line.width())
        )
        painter.drawText(line, LEFT, shown)
