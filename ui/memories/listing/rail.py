"""The tiers and what else is shown: the list at the left of the memories page."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QCheckBox,
    QHBoxLayout,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.core.translation import N_, number, tr
from app.memory.documents.browsing import LOST, Arranged, Show
from app.memory.records import Tier
from app.memory.standing import Status
from app.memory.tiers.table import TIERS
from ui.controls.labels import Label
from ui.controls.surfaces import scrolling
from ui.memories.listing.delegate import tier_hue
from ui.theme import current_tokens
from ui.theme.fonts import MEDIUM, SEMIBOLD, ui_font
from ui.theme.icons import icon_pixmap
from ui.theme.palette import T2_ROLE, T3_ROLE
from ui.theme.style import rounded

ALL, PEOPLE, TEXTS = "all", "people", "texts"
ROW_HEIGHT = 30
HERE, PINNED, BUILTIN = "here", "pinned", "built-in"
_SHOWS = (
    (
        Show.ENDED,
        N_("Ended"),
        N_("What was replaced, merged or resolved."),
    ),
    (
        Show.ASIDE,
        N_("Set aside"),
        N_(
            "What gave way to others: more are remembered than the settings keep in sight. Nothing "
            "says that it is over."
        ),
    ),
    (
        Show.LOST,
        N_("Source changed or gone"),
        N_("Their message has been edited, swiped or deleted."),
    ),
    (Show.WAITING, N_("Waiting for review"), N_("Memories without a source message.")),
    (Show.REJECTED, N_("Rejected"), N_("What you rejected.")),
)
_ONLY = (
    (
        HERE,
        N_("Only this chat"),
        N_("Only what this chat says, not what other chats with its character say."),
    ),
    (PINNED, N_("Pinned only"), N_("Only what you pinned.")),
    (BUILTIN, N_("Found without a model"), N_("Only what was found by rules, without a model.")),
)


HOLDS = "active"  # is shown always; so that what is kept is never empty


class MemoryRail(QWidget):
    """kept: what was shown at last, as of `shows_wanted`; "" at the first time.

    Signals:
    place_chosen: ALL, PEOPLE, TEXTS or a tier's value.
    shows_changed: what is shown beside what holds became different.
    shows_wanted: the same by a press of the user, to be `kept` until the next run.
    """

    place_chosen = Signal(str)
    shows_changed = Signal()
    shows_wanted = Signal(str)

    def __init__(self, kept: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.places: dict[str, PlaceButton] = {}
        self.shows: dict[str, QCheckBox] = {}
        self._counts: dict[str, Label] = {}
        self._here_before: bool | None = None  # what was chosen, while the chat stands alone
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(8, 6, 8, 12)
        column.setSpacing(0)
        column.addWidget(_heading(tr("Kinds of memory")))
        self._add(column, ALL, tr("All"), tr("All kinds of memory in one table."), icon="layers")
        for tier, spec in TIERS.items():
            words = spec.words
            self._add(column, tier.value, tr(words.name), tr(words.purpose), tier=tier)
        column.addSpacing(14)
        column.addWidget(_heading(tr("Made of memories")))
        self._add(
            column,
            PEOPLE,
            tr("People and things"),
            tr("Everyone and everything with a name."),
            icon="people",
        )
        self._add(
            column,
            TEXTS,
            tr("Texts"),
            tr("Profiles, canon and summaries."),
            icon="document",
        )
        column.addWidget(self._filters(kept))
        column.addStretch(1)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(scrolling(content, name=tr("Kinds of memory and filters")))
        self.places[ALL].setChecked(True)

    def _filters(self, kept: str) -> QWidget:
        """What is shown of the table's rows; elsewhere there is nothing that it could do."""
        filters = QWidget()
        column = QVBoxLayout(filters)
        column.setContentsMargins(0, 14, 0, 0)
        column.setSpacing(0)
        column.addWidget(_heading(tr("Show")))
        shown = kept.split(",") if kept else SHOWN_AT_FIRST
        for key, word, sentence in (*_SHOWS, *_ONLY):
            self._add_show(column, str(key), tr(word), tr(sentence), is_on=key in shown)
        for place in (PEOPLE, TEXTS):
            self.places[place].toggled.connect(
                lambda _is_on: filters.setVisible(self.place not in (PEOPLE, TEXTS))
            )
        return filters

    def _add(
        self,
        column: QVBoxLayout,
        key: str,
        word: str,
        sentence: str,
        *,
        icon: str = "",
        tier: Tier | None = None,
    ) -> None:
        button = PlaceButton(key, word, sentence, icon=icon, tier=tier)
        button.clicked.connect(self._on_place)
        self.places[key] = button
        column.addWidget(button)

    def _add_show(
        self, column: QVBoxLayout, key: str, word: str, sentence: str, *, is_on: bool
    ) -> None:
        box = QCheckBox(word)
        box.setFont(ui_font(12, MEDIUM))
        box.setChecked(is_on)
        box.setAccessibleName(word)
        box.setToolTip(sentence)
        box.setAccessibleDescription(sentence)
        box.toggled.connect(self._on_show)
        box.clicked.connect(self._on_pressed)
        count = Label(font=ui_font(12), tone=T3_ROLE)
        row = QHBoxLayout()
        row.setContentsMargins(8, 0, 10, 0)
        row.addWidget(box, 1)
        row.addWidget(count)
        holder = QWidget()
        holder.setFixedHeight(ROW_HEIGHT)
        holder.setLayout(row)
        column.addWidget(holder)
        self.shows[key] = box
        self._counts[key] = count

    @property
    def place(self) -> str:
        """What is chosen."""
        return next((key for key, button in self.places.items() if button.isChecked()), ALL)

    @property
    def show_set(self) -> frozenset[Show]:
        """What is shown beside what holds."""
        return frozenset(show for show in Show if self.shows[show.value].isChecked())

    def choose(self, key: str) -> None:
        """Go to a place, as by a press on it."""
        self.places[key].setChecked(True)
        self.place_chosen.emit(key)

    def show_alone(self, is_alone: bool) -> None:
        """What only other chats say is left out of the chat, or no more: the box follows, and can
        be pressed all the same. What is `kept` is what was chosen beside that.
        """
        box = self.shows[HERE]
        if is_alone and self._here_before is None:
            self._here_before = box.isChecked()
            box.setChecked(True)
        elif not is_alone and self._here_before is not None:
            box.setChecked(self._here_before)
            self._here_before = None

    def show_counts(self, arranged: Arranged, *, people: int, texts: int) -> None:
        """Say how many there are of each."""
        self.places[ALL].set_count(sum(arranged.held.values()))
        for tier in TIERS:
            self.places[tier.value].set_count(arranged.held.get(tier, 0))
        self.places[PEOPLE].set_count(people)
        self.places[TEXTS].set_count(texts)
        statuses: Mapping[Status, int] = arranged.statuses
        counts = {
            Show.ENDED.value: statuses.get(Status.ENDED, 0) - arranged.aside,
            Show.ASIDE.value: arranged.aside,
            Show.LOST.value: sum(statuses.get(status, 0) for status in LOST),
            Show.WAITING.value: statuses.get(Status.WAITING, 0),
            Show.REJECTED.value: statuses.get(Status.REJECTED, 0),
            HERE: arranged.here,
            PINNED: arranged.pinned,
            BUILTIN: arranged.builtin,
        }
        for key, count in counts.items():
            self._counts[key].setText(number(count))

    def _on_place(self) -> None:
        self.place_chosen.emit(self.place)

    def _on_show(self, _is_on: bool) -> None:
        self.shows_changed.emit()

    def _on_pressed(self) -> None:
        before = self._here_before
        is_here = self.shows[HERE].isChecked() if before is None else before
        here = (HERE,) if is_here else ()
        self.shows_wanted.emit(",".join((HOLDS, *sorted(self.show_set), *here)))


SHOWN_AT_FIRST = (Show.ENDED, Show.ASIDE, Show.LOST, Show.WAITING)


class PlaceButton(QAbstractButton):
    """A tier with its swatch, or a place with an icon, and how many it holds."""

    def __init__(
        self, key: str, word: str, sentence: str, *, icon: str = "", tier: Tier | None = None
    ) -> None:
        super().__init__()
        self.key = key
        self._icon, self._tier, self._count = icon, tier, 0
        self.setText(word)
        self.setToolTip(sentence)
        self.setCheckable(True)
        self.setAutoExclusive(True)
        self.setFont(ui_font(12.5, MEDIUM))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.set_count(0)

    @property
    def count(self) -> int:
        """How many it holds."""
        return self._count

    def set_count(self, count: int) -> None:
        """Say how many it holds."""
        self._count = count
        self.setAccessibleName(f"{self.text()}, {number(count)}")
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(180, ROW_HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current_tokens()
        painter = QPainter(self)
        area = QRectF(self.rect()).adjusted(0, 1, 0, -1)
        if self.isChecked():
            rounded(painter, area, 8, t.raised)
        elif self.underMouse():
            rounded(painter, area, 8, t.hover)
        ink: QColor = t.t1 if self.isChecked() or self.underMouse() else t.t2
        if self._tier is not None:
            rounded(painter, QRectF(13, area.center().y() - 5, 10, 10), 3, tier_hue(t, self._tier))
        else:
            pixmap = icon_pixmap(self._icon, ink, 15, self.devicePixelRatioF())
            painter.drawPixmap(10, round(area.center().y() - 7.5), pixmap)
        painter.setFont(ui_font(12.5, SEMIBOLD if self.isChecked() else MEDIUM))
        painter.setPen(ink)
        middle = Qt.AlignmentFlag.AlignVCenter
        count = number(self._count)
        room = area.adjusted(34, 0, -20 - painter.fontMetrics().horizontalAdvance(count), 0)
        words = painter.fontMetrics().elidedText(
            self.text(), Qt.TextElideMode.ElideRight, int(room.width())
        )
        painter.drawText(room, middle | Qt.AlignmentFlag.AlignLeft, words)
        painter.setFont(ui_font(12, MEDIUM))
        painter.setPen(t.t2 if self.isChecked() else t.t3)
        right = area.adjusted(0, 0, -10, 0)
        painter.drawText(right, middle | Qt.AlignmentFlag.AlignRight, count)


def _heading(text: str) -> Label:
    label = Label(text, font=ui_font(12, SEMIBOLD), tone=T2_ROLE)
    label.setContentsMargins(8, 4, 0, 6)
    return label
