"""Under the map: the scenes of the story, and a chosen proposition's way through them."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from app.core.translation import tr, tr_in
from app.memory.epistemic.map_view import Attitude, EpistemicMapView
from app.story.story import Story
from ui.controls.buttons import Button, ButtonRole, IconButton
from ui.controls.labels import ElidedLabel, Label
from ui.controls.timers import once
from ui.minds.lanes import BAND, FOOT, LANE, Lanes, paint_band
from ui.minds.scene_slider import SceneSlider
from ui.minds.tones import ICONS, ink
from ui.minds.veil import Veil
from ui.minds.words import LEGEND, PRESENCE, PRESENCE_TIP, TIPS, VEILED
from ui.theme import current_tokens
from ui.theme.fonts import MEDIUM, SEMIBOLD, ui_font
from ui.theme.icons import icon_pixmap
from ui.theme.palette import T3_ROLE

HEAD = 36
SHOWN_LANES = 4
PRESENCE_ROOM = 96  # px that one mark more takes in the legend
PLAY_MS = 900  # from one scene to the next
SETTLE_MS = 40


class LegendItem(QWidget):
    """A mark and its word. attitude: whose icon it is, None for the bands of who is there."""

    def __init__(self, attitude: Attitude | None) -> None:
        super().__init__()
        self._attitude = attitude
        self._word = tr(LEGEND[attitude] if attitude else PRESENCE)
        self._is_brief = False
        self.setAccessibleName(self._word)
        self.setToolTip(tr(TIPS[attitude] if attitude else PRESENCE_TIP))
        self.setFont(ui_font(12, MEDIUM))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def show_word(self, is_shown: bool) -> None:
        """Its word beside the icon, or only for who asks."""
        if self._is_brief is is_shown:
            self._is_brief = not is_shown
            self.updateGeometry()
            self.update()

    def sizeHint(self) -> QSize:
        word = 0 if self._is_brief else self.fontMetrics().horizontalAdvance(self._word) + 5
        return QSize(word + 16, 20)

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current_tokens()
        painter = QPainter(self)
        if self._attitude is None:
            paint_band(painter, QRectF(0, 9, 7, BAND), t, is_away=False)
            paint_band(painter, QRectF(7, 9, 7, BAND), t, is_away=True)
        else:
            colour = ink(t, self._attitude)
            pixmap = icon_pixmap(ICONS[self._attitude], colour, 14, self.devicePixelRatioF())
            painter.drawPixmap(0, 3, pixmap)
        if self._is_brief:
            return
        painter.setFont(self.font())
        painter.setPen(t.t2)
        painter.drawText(19, 0, self.width() - 19, 20, Qt.AlignmentFlag.AlignVCenter, self._word)


class Timeline(QWidget):
    """Signals:
    moved: index of the message that is looked at; -1 for the newest, whichever it is.
    """

    moved = Signal(int)

    def __init__(self, veil: Veil, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._veil = veil
        self._minds: EpistemicMapView | None = None
        self._proposition = -1
        self._person = ""
        self.slider = SceneSlider()
        self.lanes = Lanes()
        self.play = IconButton(
            "play",
            f"{tr('Replay how it spread, scene by scene')} ({tr_in('a key', 'Space')})",
            side=26,
        )
        self.now = Button(
            tr("Back to now"), icon="arrow-right", role=ButtonRole.QUIET, flush=Qt.Edge.RightEdge
        )
        self.title = ElidedLabel(font=ui_font(13, SEMIBOLD))
        self._sentence = Label("", font=ui_font(12, MEDIUM), tone=T3_ROLE)
        self._presence = LegendItem(None)
        self._legend = [*(LegendItem(a) for a in LEGEND), self._presence]
        self._player = QTimer(self)
        self._player.setInterval(PLAY_MS)
        self._player.timeout.connect(self._on_tick)
        self._settle = once(self, SETTLE_MS, self._tell)
        self._build()
        self.slider.valueChanged.connect(self._on_value)
        self.slider.play_asked.connect(self.toggle_play)
        self.play.clicked.connect(self.toggle_play)
        self.now.clicked.connect(self.go_to_now)
        veil.changed.connect(self._show_title)

    def _build(self) -> None:
        bar = QWidget()
        bar.setFixedHeight(HEAD)  # whatever stands in it, so that the map keeps its height
        head = QHBoxLayout(bar)
        head.setContentsMargins(12, 4, 16, 0)
        head.setSpacing(8)
        head.addWidget(self.play)
        head.addWidget(self.title)
        head.addWidget(self._sentence)
        head.addStretch(1)
        head.addSpacing(12)  # in a narrow window, where the title is as long as it may be
        for item in self._legend:
            head.addWidget(item)
            head.addSpacing(4)
        head.addWidget(self.now)
        self._area = QScrollArea()
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setWidgetResizable(True)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setWidget(self.lanes)
        self._area.setAccessibleName(tr("Lanes of the people who have to do with it"))
        # Always as high, so that the map above does not move with what is chosen.
        self._area.setFixedHeight(SHOWN_LANES * LANE + FOOT)
        self._area.viewport().setAutoFillBackground(False)
        self.lanes.setAutoFillBackground(False)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 1, 0, 4)
        column.setSpacing(4)
        column.addWidget(bar)
        column.addWidget(self.slider)
        column.addWidget(self._area)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    @property
    def at(self) -> int:
        """Index of the message; -1 for the newest, whichever it is."""
        value = self.slider.value()
        return -1 if value >= self.slider.maximum() else value

    @property
    def shown_at(self) -> int:
        """Index of the message, the newest one's own."""
        return self.slider.value()

    def show_story(self, story: Story) -> None:
        """Follow the story; who looks at the newest message goes on doing so."""
        was_now = self.at < 0
        last = max(0, len(story.messages) - 1)
        blocked = self.slider.blockSignals(True)
        self.slider.setMaximum(last)
        if was_now:
            self.slider.setValue(last)
        self.slider.blockSignals(blocked)
        self.slider.show_story(story)
        self._show_moment()

    def show_choice(self, minds: EpistemicMapView | None, proposition: int, person: str) -> None:
        """The proposition whose lanes are shown, and whose of them is in front."""
        if minds is not self._minds or proposition != self._proposition:
            self._minds, self._proposition = minds, proposition
            self.lanes.show_proposition(minds, proposition, self.slider.maximum())
        self._person = person
        self._show_title()
        self._show_moment()

    def _show_title(self) -> None:
        minds = self._minds
        if minds is None or not 0 <= self._proposition < len(minds.topics):
            self.title.setText(tr("The whole story"))
            self._sentence.setText("")
            self._show_room()
            return
        topic = minds.topic(self._proposition)
        self.title.setText(tr(VEILED) if self._veil.hides(topic) else topic.title)
        self._sentence.setText(tr("who learned of it, and when"))
        self._show_room()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._show_room()

    def _show_room(self) -> None:
        """The legend gives way last: first the sentence, then the words of the legend."""
        self._sentence.setVisible(self.width() >= 1080 and bool(self._sentence.text()))
        has_stays = self.lanes.has_stays
        self._presence.setVisible(has_stays)
        for item in self._legend:
            item.show_word(self.width() >= 760 + PRESENCE_ROOM * has_stays)

    def go_to(self, index: int) -> None:
        """Look at a message."""
        self.slider.setValue(index)

    def go_to_now(self) -> None:
        """Look at the newest message again."""
        self._player.stop()
        self._show_play()
        self.slider.setValue(self.slider.maximum())

    def toggle_play(self) -> None:
        """Go through the story scene by scene, from its beginning where one stands at its end."""
        if self._player.isActive():
            self._player.stop()
        else:
            if self.at < 0:
                self.slider.setValue(0)
            self._player.start()
        self._show_play()

    def _on_tick(self) -> None:
        self.slider.step_scene(1)
        if self.at < 0:
            self._player.stop()
            self._show_play()

    def _show_play(self) -> None:
        playing = self._player.isActive()
        self.play.set_icon("pause" if playing else "play")
        words = tr("Stop replaying") if playing else tr("Replay how it spread, scene by scene")
        self.play.set_name(f"{words} ({tr_in('a key', 'Space')})")

    def _on_value(self, _value: int) -> None:
        self._show_moment()
        self._settle.start()

    def _tell(self) -> None:
        self.moved.emit(self.at)

    def _show_moment(self) -> None:
        self.now.setVisible(self.at >= 0)
        self.lanes.show_moment(self.slider.value(), self._person)

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(0, 0, self.width(), 1, current_tokens().line)
