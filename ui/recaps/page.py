"""The recaps page: versions of the running recap at the left, the chosen one to read or edit."""

from __future__ import annotations

import time

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from app.story.recaps import RunningVersion, visible_versions
from app.story.story import Story
from ui.controls.buttons import Button, ButtonRole
from ui.controls.labels import Label, body, meta, section
from ui.controls.prose import ProseField
from ui.controls.surfaces import Line
from ui.inspector.words import REASONS, origin_words, short_time, version_word
from ui.recaps.versions import CURRENT_ROLE, LATEST_ROLE, VERSION_ROLE, Index, VersionModel
from ui.session import Session
from ui.theme import current_tokens
from ui.theme.fonts import MEDIUM, SEMIBOLD, ui_font
from ui.theme.palette import T3_ROLE
from ui.theme.style import rounded

RAIL = 228
ROW_HEIGHT = 52
COLUMN = 720
EMPTY = (
    "No version yet. The running recap grows when a scene closes; each step, and each edit of "
    "yours, is kept here."
)


class RecapsPage(QWidget):
    """Reading a version changes nothing; "Use this version" does."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.model = VersionModel()
        self.list = QListView()
        self.list.setModel(self.model)
        self.list.setItemDelegate(_VersionDelegate(self.list))
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setAccessibleName("Versions of the running recap")
        self.list.viewport().setAutoFillBackground(False)
        self.list.setMouseTracking(True)
        self.list.selectionModel().currentChanged.connect(self._on_current)
        self._title = section()
        self._origin = Label(font=ui_font(12), tone=T3_ROLE)
        self._use = Button("Use this version", icon="check")
        self._use.clicked.connect(self._on_use)
        self._edit = Button("Edit", icon="pencil")
        self._edit.clicked.connect(self._begin_edit)
        self._keep = Button("Keep", icon="check", role=ButtonRole.MAIN, hint="Ctrl Return")
        self._keep.clicked.connect(self._on_keep)
        self._drop = Button("Leave as it was", role=ButtonRole.QUIET)
        self._drop.clicked.connect(self._end_edit)
        self._text = ProseField("Text of the version", px=15.5, line_px=24)
        self._text.committed.connect(self._on_keep)
        self._text.escaped.connect(self._end_edit)
        self._empty = body(EMPTY)
        self._build()
        session.chat_opened.connect(self.show_story)
        session.story_changed.connect(self._on_story_changed)
        self.show_story(session.story)
        self._show_edit(False)

    def _build(self) -> None:
        rail = QWidget()
        rail.setFixedWidth(RAIL)
        left = QVBoxLayout(rail)
        left.setContentsMargins(8, 12, 8, 12)
        left.setSpacing(8)
        title = meta("Versions")
        title.setContentsMargins(8, 0, 0, 0)
        left.addWidget(title)
        left.addWidget(self.list, 1)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self._title)
        head.addWidget(self._origin, 1)
        for button in (self._use, self._edit, self._drop, self._keep):
            head.addWidget(button)
        reading = QVBoxLayout()
        reading.setContentsMargins(24, 12, 24, 16)
        reading.setSpacing(16)
        reading.addLayout(head)
        reading.addWidget(self._empty)
        self._text.setMaximumWidth(COLUMN)
        reading.addWidget(self._text, 1)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(rail)
        row.addWidget(Line(is_upright=True))
        row.addLayout(reading, 1)

    def show_story(self, story: Story | None) -> None:
        """Show its versions, newest first; the row stays on the version it was on."""
        shown = self.shown_version()
        versions: tuple[RunningVersion, ...] = ()
        current = None
        if story is not None:
            positions = {message.anchor: index for index, message in enumerate(story.messages)}
            versions = visible_versions(story.running.versions, positions)
            current = story.running.current_version
        was_current = shown is None or self.model.current == shown.version
        self.model.show_versions(versions, current)
        wanted = current if was_current or shown is None else shown.version
        index = self.model.index_of(wanted)
        self.list.setCurrentIndex(index if index.isValid() else self.model.index(0))
        self._show_version()

    def take_focus(self) -> None:
        """Give the keyboard to the list of versions."""
        self.list.setFocus(Qt.FocusReason.OtherFocusReason)

    def shown_version(self) -> RunningVersion | None:
        """The version that is read now."""
        index = self.list.currentIndex()
        version: RunningVersion | None = index.data(VERSION_ROLE) if index.isValid() else None
        return version

    def use_shown(self) -> None:
        """Inject the version that is read."""
        self._on_use()

    def _on_story_changed(self, _change: object) -> None:
        if not self._text.is_editing:
            self.show_story(self._session.story)

    def _on_current(self) -> None:
        self._show_edit(False)
        self._show_version()

    def _show_version(self) -> None:
        version = self.shown_version()
        for widget in (self._title, self._origin, self._use, self._edit, self._text):
            widget.setVisible(version is not None)
        self._empty.setVisible(version is None)
        if version is None:
            return
        is_current = version.version == self.model.current
        self._title.setText(version_word(version))
        self._origin.setText(
            origin_words(version, now=time.time()) + (", in the prompt" if is_current else "")
        )
        self._use.setVisible(not is_current)
        self._text.set_text(version.content)

    def _on_use(self) -> None:
        version, path = self.shown_version(), self._session.path
        if version is not None and path is not None:
            deed = self._session.companion.edits.select_running_version(path, version.version)
            self._session.do(deed, name="choose a version")

    def _begin_edit(self) -> None:
        self._show_edit(True)

    def _show_edit(self, is_editing: bool) -> None:
        self._text.set_editing(is_editing)
        self._keep.setVisible(is_editing)
        self._drop.setVisible(is_editing)
        self._edit.setVisible(not is_editing and self.shown_version() is not None)

    def _on_keep(self) -> None:
        text, path = self._text.text.strip(), self._session.path
        self._show_edit(False)
        if text and path is not None:
            deed = self._session.companion.edits.edit_running_recap(path, text)
            self._session.do(deed, name="keep your edit")

    def _end_edit(self) -> None:
        self._show_edit(False)
        self._show_version()


class _VersionDelegate(QStyledItemDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(RAIL - 16, ROW_HEIGHT)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        t = current_tokens()
        version: RunningVersion = index.data(VERSION_ROLE)
        area = QRectF(option.rect).adjusted(0, 2, 0, -2)
        state = option.state
        painter.save()
        if state & QStyle.StateFlag.State_Selected:
            rounded(painter, area, 8, t.raised)
            lamp = t.ring if state & QStyle.StateFlag.State_Active else t.t3
            rounded(painter, QRectF(area.x(), area.y() + 10, 3, area.height() - 20), 1.5, lamp)
        elif state & QStyle.StateFlag.State_MouseOver:
            rounded(painter, area, 8, t.hover)
        left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        top, foot = area.adjusted(12, 5, -10, -24), area.adjusted(12, 24, -10, -5)
        painter.setFont(ui_font(13, SEMIBOLD))
        painter.setPen(t.t1)
        painter.drawText(top, left, version_word(version))
        x = painter.fontMetrics().horizontalAdvance(version_word(version)) + 8
        painter.setFont(ui_font(11.5))
        painter.setPen(t.t3)
        made = short_time(version.created, now=time.time())
        painter.drawText(top.adjusted(x, 0, 0, 0), left, made)
        x += painter.fontMetrics().horizontalAdvance(made) + 8
        if index.data(LATEST_ROLE):
            painter.setFont(ui_font(11.5, MEDIUM))
            painter.setPen(t.accent_text)
            painter.drawText(top.adjusted(x, 0, 0, 0), left, "latest")
        if index.data(CURRENT_ROLE):
            painter.setFont(ui_font(11, MEDIUM))
            painter.setPen(t.included.text)
            right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(top, right, "in the prompt")
        painter.setFont(ui_font(12))
        painter.setPen(t.t2)
        painter.drawText(foot, left, row_words(version))
        painter.restore()


def row_words(version: RunningVersion) -> str:
    """Why the version was made."""
    if version.reason == "fold" and version.scene_count:
        scenes = f"Scenes 1–{version.scene_count}" if version.scene_count > 1 else "Scene 1"
        return f"{scenes} folded in"
    return REASONS.get(version.reason, version.reason).capitalize()
