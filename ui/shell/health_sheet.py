"""How each part is doing, with a button for the next sensible step, and a report to send."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.core.part_health import PARTS, Health, HealthItem, Light
from app.core.translation import N_, tr, tr_in
from app.views.health_report import Remedy
from ui.controls.buttons import Button, ButtonRole
from ui.controls.labels import Label, meta, section
from ui.controls.surfaces import FloatingSheet, Line
from ui.theme import current_tokens
from ui.theme.fonts import MEDIUM, ui_font
from ui.theme.icons import icon_pixmap
from ui.theme.palette import T2_ROLE
from ui.theme.style import rounded

WIDTH = 460
NAMES = {
    "sillytavern": "SillyTavern",
    "bridge": N_("Bridge"),
    "queue": N_("Work"),
    "backend": N_("Model"),
}
WORDS = {
    Remedy.CHOOSE_FOLDER: N_("Choose the folder"),
    Remedy.INSTALL_BRIDGE: N_("Install the bridge"),
    Remedy.PAIR_AGAIN: N_("Rewrite it"),
    Remedy.SHOW_CODE: N_("Pair again"),
    Remedy.SEE_PROMPT: N_("See the prompt"),
    Remedy.OPEN_PAGE: N_("Open SillyTavern"),
    Remedy.CHOOSE_CHAT: N_("Choose a chat"),
    Remedy.READ_AGAIN: N_("Read again"),
    Remedy.SEE_COPIES: N_("See its copies"),
    Remedy.GO_ON: N_("Go on"),
    Remedy.SEE_WORK: N_("See the work"),
    Remedy.CHOOSE_MODEL: N_("Choose a model"),
}
LIGHT_WORDS = {
    Light.GOOD: N_("good"),
    Light.IDLE: N_("waiting"),
    Light.WORKING: N_("working"),
    Light.BAD: N_("needs your attention"),
    Light.OFF: N_("off"),
}
REPORT = N_(
    "The report contains states, versions and numbers, but no story text, names, folders or keys."
)
COPIED = N_("Copied. Paste it where you ask for help.")


def part_name(part: str) -> str:
    """What a part is called."""
    return tr_in("a part of Tavernkeep", "Reading") if part == "reading" else tr(NAMES[part])


class HealthRow(QWidget):
    """One part: its light, its name and sentence, and what to do.

    Signals:
        remedy_wanted: Remedy.
    """

    remedy_wanted = Signal(object)

    def __init__(self, part: str) -> None:
        super().__init__()
        self._part = part
        self._remedy: Remedy | None = None
        self._lamp = _Lamp()
        self.sentence = Label(font=ui_font(11.5), tone=T2_ROLE, wraps=True)
        self.fix = Button("", role=ButtonRole.PLAIN)
        self.fix.clicked.connect(self._on_fix)
        words = QVBoxLayout()
        words.setSpacing(1)
        words.addWidget(Label(part_name(part), font=ui_font(12.5, MEDIUM)))
        words.addWidget(self.sentence)
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 7, 10, 7)
        row.setSpacing(10)
        row.addWidget(self._lamp, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(words, 1)
        row.addWidget(self.fix, 0, Qt.AlignmentFlag.AlignVCenter)

    def show_item(self, item: HealthItem, remedy: Remedy | None) -> None:
        """Say how the part is doing."""
        self._remedy = remedy
        self._lamp.show_light(item.light)
        self._lamp.setAccessibleName(f"{part_name(self._part)}: {tr(LIGHT_WORDS[item.light])}")
        self.sentence.setText(item.sentence)
        self.fix.setVisible(remedy is not None)
        if remedy is not None:
            self.fix.set_text(tr(WORDS[remedy]))

    def _on_fix(self) -> None:
        if self._remedy is not None:
            self.remedy_wanted.emit(self._remedy)


class HealthSheet(FloatingSheet):
    """Over the status bar, until Escape. report: the text that is copied.

    Signals:
        remedy_wanted: Remedy; the sheet has gone by then.
    """

    remedy_wanted = Signal(object)

    def __init__(self, report: Callable[[], str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._report = report
        self._anchor: QWidget | None = None
        self.rows = {part: HealthRow(part) for part in PARTS}
        inner = QVBoxLayout()
        inner.setContentsMargins(8, 14, 8, 10)
        inner.setSpacing(0)
        title = section(tr("How Tavernkeep is doing"))
        title.setContentsMargins(10, 0, 10, 6)
        inner.addWidget(title)
        for part, row in self.rows.items():
            if part != PARTS[0]:
                inner.addWidget(Line())
            row.remedy_wanted.connect(self._on_remedy)
            inner.addWidget(row)
        inner.addWidget(Line())
        foot = QHBoxLayout()
        foot.setContentsMargins(10, 10, 10, 0)
        foot.setSpacing(10)
        self.told = meta(tr(REPORT), wraps=True)
        self.copy = Button(tr("Copy a report"), icon="copy")
        self.copy.clicked.connect(self._on_copy)
        foot.addWidget(self.told, 1)
        foot.addWidget(self.copy)
        inner.addLayout(foot)
        column = self.layout()
        assert isinstance(column, QVBoxLayout)
        column.addLayout(inner)

    def show_health(self, health: Health, remedy: Callable[[HealthItem], Remedy | None]) -> None:
        """Say how things are."""
        for part, row in self.rows.items():
            item = getattr(health, part)
            row.show_item(item, remedy(item))
        if self.isVisible():
            self._fit()

    def open_above(self, anchor: QWidget) -> None:
        """Show over `anchor`, at its left."""
        self.told.setText(tr(REPORT))
        self._anchor = anchor
        self._fit()
        self.show()
        shown = [row.fix for row in self.rows.values() if not row.fix.isHidden()]
        (*shown, self.copy)[0].setFocus(Qt.FocusReason.PopupFocusReason)

    def _fit(self) -> None:
        """As high as its sentences, above its anchor."""
        if self._anchor is not None:
            # Else what stood there before is measured: layouts learn of a new text by an event.
            for shown in (*self.rows.values(), self):
                layout = shown.layout()
                assert layout is not None
                layout.activate()
                shown.updateGeometry()
            width = WIDTH + 2 * self.MARGIN
            height = self.heightForWidth(width)
            at = self._anchor.mapToGlobal(QPoint(4, self.MARGIN - 4 - height))
            self.setGeometry(QRect(at, QSize(width, height)))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close()
        else:
            super().keyPressEvent(event)

    def _on_remedy(self, remedy: Remedy) -> None:
        self.close()
        self.remedy_wanted.emit(remedy)

    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(self._report())
        self.told.setText(tr(COPIED))


class _Lamp(QWidget):
    """A dot for good, a ring for off or waiting, a triangle for what needs the user."""

    def __init__(self) -> None:
        super().__init__()
        self._light = Light.OFF
        self.setFixedSize(14, 18)

    def show_light(self, light: Light) -> None:
        self._light = light
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current_tokens()
        painter = QPainter(self)
        if self._light is Light.BAD:
            pixmap = icon_pixmap("triangle", t.failed.text, 14, self.devicePixelRatioF())
            painter.drawPixmap(0, 2, pixmap)
            return
        dot = QRectF(2, 5, 9, 9)
        if self._light in (Light.OFF, Light.IDLE):
            rounded(painter, dot, 4.5, None, t.t3, 1.35)
            return
        tone: QColor = t.accent if self._light is Light.WORKING else t.included.fill
        rounded(painter, dot, 4.5, tone)
