"""Over the map: what a reply gives away, sentence by sentence, with what speaks against it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.core.translation import tr, trn
from app.memory.epistemic.leaks import Leak, LeakKind
from app.memory.epistemic.map_view import EpistemicMapView
from app.memory.tiers.epistemic import title_of
from ui.controls.buttons import Button, ButtonRole, IconButton
from ui.controls.labels import ElidedLabel, Label
from ui.memories.pane.pieces import Link
from ui.minds.veil import Veil
from ui.minds.words import VEILED, leak_words, leaks_title
from ui.theme import current_tokens
from ui.theme.fonts import MEDIUM, SEMIBOLD, story_font, ui_font
from ui.theme.icons import icon_pixmap
from ui.theme.palette import T2_ROLE, T3_ROLE
from ui.theme.style import rounded

MOST = 3


class LeakStrip(QWidget):
    """Signals:
    message_asked: index of a message to go to. matter_asked: number.
    """

    message_asked = Signal(int)
    proposition_asked = Signal(int)

    def __init__(self, veil: Veil, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._veil = veil
        self._minds: EpistemicMapView | None = None
        self._leaks: Sequence[Leak] = ()
        self._message = 0
        self._is_whole = False
        self.title = ElidedLabel(font=ui_font(12.5, SEMIBOLD))
        self.close_button = IconButton("cross", tr("Close this"), side=24, icon_size=13)
        self.close_button.clicked.connect(self.hide)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self.title, 1)
        head.addWidget(self.close_button)
        self._rows = QVBoxLayout()
        self._rows.setSpacing(8)
        column = QVBoxLayout(self)
        column.setContentsMargins(56, 16, 24, 10)
        column.setSpacing(2)
        column.addLayout(head)
        column.addLayout(self._rows)
        veil.changed.connect(self._show)
        self.hide()

    @property
    def leaks(self) -> Sequence[Leak]:
        """What is listed."""
        return self._leaks

    def show_leaks(self, minds: EpistemicMapView, leaks: Sequence[Leak], message: int) -> None:
        """List what a message gives away; nothing is shown where there is nothing."""
        self._minds, self._message = minds, message
        self._leaks = sorted(leaks, key=lambda leak: leak.kind is LeakKind.TOLD)
        self._is_whole = False
        self._show()
        self.setVisible(bool(leaks))

    def _show(self) -> None:
        while (item := self._rows.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        minds = self._minds
        if minds is None or not self._leaks:
            return
        self.title.setText(leaks_title(self._leaks, self._message))
        most = len(self._leaks) if self._is_whole else MOST
        for leak in self._leaks[:most]:
            self._rows.addWidget(self._row(minds, leak))
        if len(self._leaks) > most:
            more = Button(
                trn("{n} more", "{n} more", len(self._leaks) - most),
                role=ButtonRole.QUIET,
                flush=Qt.Edge.LeftEdge,
            )
            more.clicked.connect(self._show_all)
            self._rows.addWidget(more)

    def _show_all(self) -> None:
        self._is_whole = True
        self._show()

    def _row(self, minds: EpistemicMapView, leak: Leak) -> QWidget:
        is_on_map = minds.knowledge.holds(leak.entry)  # a memory is not
        topic = minds.topic_of(leak.entry) if is_on_map else None
        is_veiled = topic is not None and self._veil.hides(topic)
        row = QWidget()
        column = QVBoxLayout(row)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        sentence = tr(VEILED) if is_veiled else f"“{leak.sentence.strip()}”"
        column.addWidget(Label(sentence, font=story_font(13.5), tone=T2_ROLE, wraps=True))
        foot = QHBoxLayout()
        foot.setSpacing(8)
        about = "" if is_veiled else f": {title_of(leak.entry.memory.text)}"
        why = ElidedLabel(
            f"{leak_words(leak, minds)}{about}", font=ui_font(11.5, MEDIUM), tone=T3_ROLE
        )
        foot.addWidget(why, 1)
        if topic is not None and is_veiled:
            show = Link(tr("Show it"), tr("Show this secret."))
            show.clicked.connect(lambda: self._veil.show(topic))
            foot.addWidget(show)
        foot.addWidget(self._link(tr("Evidence"), leak.entry.start))
        foot.addWidget(self._link(tr("Said in"), leak.message))
        if topic is not None:
            on_map = Link(tr("On the map"), tr("Choose this matter on the map."))
            on_map.clicked.connect(lambda: self.proposition_asked.emit(topic.number))
            foot.addWidget(on_map)
        column.addLayout(foot)
        return row

    def _link(self, word: str, message: int) -> Link:
        if message < 0:
            link = Link(
                tr("{word}: before the chat", word=word),
                tr("It was already so before this chat began."),
            )
            link.setEnabled(False)
            return link
        link = Link(
            f"{word} #{message}", tr("Go to message #{message} in the story.", message=message)
        )
        link.clicked.connect(lambda: self.message_asked.emit(message))
        return link

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current_tokens()
        painter = QPainter(self)
        is_leak = any(leak.kind is not LeakKind.TOLD for leak in self._leaks)
        edge = t.failed.text if is_leak else t.line2
        area = QRectF(self.rect()).adjusted(12, 8, -12, 0)
        rounded(painter, area, 8, t.stage, edge, 1.2)
        icon = "triangle" if is_leak else "info"
        ink = t.failed.text if is_leak else t.t2
        painter.drawPixmap(27, 20, icon_pixmap(icon, ink, 17, self.devicePixelRatioF()))
