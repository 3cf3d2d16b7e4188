"""The line over the foot of a page that says what went wrong, and what can be done."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QHBoxLayout, QWidget
from shiboken6 import isValid

from app.core.translation import tr
from ui.controls.buttons import Button, ButtonRole, IconButton
from ui.controls.holding import Unaimed
from ui.controls.labels import Label
from ui.controls.surfaces import CARD_RADIUS
from ui.controls.timers import once
from ui.theme import current_tokens
from ui.theme.fonts import MEDIUM, ui_font
from ui.theme.icons import icon_pixmap
from ui.theme.style import rounded

NO_CHOICES: Mapping[str, str] = {}
MOST_CHOICES = 2
INFORMS_SECONDS, FAILED_SECONDS = 30.0, 60.0


@dataclass(frozen=True, slots=True)
class Offer:
    """A sentence that stands until taken up, closed or withdrawn. way_on: "" for no button. is_bad:
    it tells of something that does not work. choices: further ways, by their keys. pages: those it
    is about, none for all. seconds: for which it is shown at most, None without an end.
    """

    sentence: str
    way_on: str = ""
    is_bad: bool = False
    choices: Mapping[str, str] = field(default_factory=dict)
    pages: frozenset[str] = frozenset()
    seconds: float | None = None


class Notice(QWidget):
    """One sentence, at most one way on, and a way to close it. Hidden while there is none.

    stays: it cannot be closed, and has a place of its own; else it lies over the page. A failure is
    shown over what is offered, never beside it, unless that tells of something worse and came
    later; the same one again is no second one. What only informs goes by itself, not while the
    pointer is on it.

    Signals:
        acted: the way on of an offer was pressed; its key.
        chosen: a further way of an offer was pressed; its key, and that of the way.
        closed: an offer was closed; its key.
    """

    acted = Signal(str)
    chosen = Signal(str, str)
    closed = Signal(str)

    def __init__(self, parent: QWidget | None = None, *, stays: bool = False) -> None:
        super().__init__(parent)
        self._failure = ""
        self._is_bad = False
        self._offers: dict[str, Offer] = {}
        self._urgent: set[str] = set()  # bad ones that came after the failure
        self.setAccessibleName(tr("Notice"))
        self._floats = not stays
        self._page = ""
        self._shown = Offer("")
        self._end = once(self, 0, self._on_end)
        row = QHBoxLayout(self)
        row.setContentsMargins(42, 7, 12, 7)
        row.setSpacing(8)
        self._sentence = Label(font=ui_font(12, MEDIUM), wraps=True)
        self._sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._way_on = Button("", role=ButtonRole.PLAIN)
        self._way_on.clicked.connect(self._on_acted)
        self._choices = [Button("", role=ButtonRole.QUIET) for _ in range(MOST_CHOICES)]
        for choice in self._choices:
            choice.clicked.connect(self._on_chosen)
        self._close = IconButton("cross", tr("Close this notice"), side=24, icon_size=13)
        self._close.clicked.connect(self.close_shown)
        self._unaimed = Unaimed(self._way_on, *self._choices)
        self._came_from: QWidget | None = None
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._on_focus_changed)
        for button in (self._way_on, *self._choices, self._close):
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click leaves the focus where it is
        row.addWidget(self._sentence, 1)
        row.addWidget(self._way_on)
        for choice in self._choices:
            row.addWidget(choice)
            choice.hide()
        row.addWidget(self._close)
        self._close.setVisible(not stays)
        self.hide()

    @property
    def sentence(self) -> str:
        """What it says; "" while hidden."""
        return self._sentence.text() if not self.isHidden() else ""

    @property
    def way_on(self) -> str:
        """What the button says; "" while there is none."""
        is_shown = not self.isHidden() and not self._way_on.isHidden()
        return self._way_on.text() if is_shown else ""

    def say(self, sentence: str) -> None:
        """Show a failure until it is closed or replaced."""
        self._failure = sentence
        self._urgent.clear()
        self._refresh()

    def take_back(self, sentence: str) -> None:
        """What failed works again."""
        if self._failure == sentence:
            self.forget_failure()

    def forget_failure(self) -> None:
        """What failed is no longer of interest."""
        self._failure = ""
        self._refresh()

    @property
    def ways(self) -> tuple[str, ...]:
        """What the further buttons say."""
        return tuple(button.text() for button in self._choices if not button.isHidden())

    def choose(self, label: str) -> None:
        """Press a further button."""
        next(button for button in self._choices if button.text() == label).click()

    # 7 parameters: an offer's words and ways, most with a default.
    def offer(
        self,
        key: str,
        sentence: str,
        *,
        way_on: str = "",
        is_bad: bool = False,
        choices: Mapping[str, str] = NO_CHOICES,
        pages: Collection[str] = (),
        seconds: float | None = None,
    ) -> None:
        """Show a sentence with a way on, until it is taken up, closed or withdrawn; without one it
        only informs, and goes after a time. pages, seconds: see Offer.
        """
        if seconds is None and not (way_on or choices or is_bad):
            seconds = INFORMS_SECONDS
        made = Offer(sentence, way_on, is_bad, choices, frozenset(pages), seconds)
        if self._offers.get(key) != made:
            self._offers.pop(key, None)
            self._offers[key] = made
            if is_bad:
                self._urgent.add(key)
            self._refresh()

    def amend(self, key: str, sentence: str) -> None:
        """Say it in other words where it still stands; it stands no longer for that."""
        if (made := self._offers.get(key)) is not None:
            self._offers[key] = replace(made, sentence=sentence)
            self._refresh()

    def follow_page(self, page: str) -> None:
        """Another page is shown: what is about others waits for them."""
        self._page = page
        self._refresh()

    def withdraw(self, key: str) -> None:
        """What was offered is not to be had any more; an offer that is not there is fine."""
        if self._offers.pop(key, None) is not None:
            self._refresh()

    def take_up(self) -> None:
        """Press the way on."""
        self._on_acted()

    @property
    def can_close(self) -> bool:
        """Whether it stands there, with a way to close it."""
        return not self.isHidden() and not self._close.isHidden()

    def close_shown(self) -> None:
        """Close what is shown; what stands behind it is shown next."""
        if key := self._shown_key():
            del self._offers[key]
            self.closed.emit(key)
        else:
            self._failure = ""
        self._refresh()

    def _shown_key(self) -> str:
        """The newest offer; "" while a failure is shown, or nothing."""
        about = (
            key
            for key, offer in reversed(self._offers.items())
            if (not offer.pages or self._page in offer.pages)
            and (not self._failure or key in self._urgent)
        )
        return next(about, "")

    def _on_end(self) -> None:
        if self.underMouse():
            self._end.start()
        elif key := self._shown_key():
            self.withdraw(key)
        else:
            self.forget_failure()

    def _on_focus_changed(self, old: QWidget | None, new: QWidget | None) -> None:
        own = (self._way_on, *self._choices, self._close)
        if new in own and old not in own:
            self._came_from = old

    def _give_focus_back(self) -> None:
        """Hiding what has the focus would send it on to whatever comes next on the page."""
        focused, before = QApplication.focusWidget(), self._came_from
        if (
            focused in (self._way_on, *self._choices, self._close)
            and before is not None
            and isValid(before)
        ):
            before.setFocus(Qt.FocusReason.OtherFocusReason)

    def _refresh(self) -> None:
        self._give_focus_back()
        shown = Offer(self._failure, is_bad=True, seconds=FAILED_SECONDS)
        if key := self._shown_key():
            shown = self._offers[key]
        self._time(shown)
        self._sentence.setText(shown.sentence)
        self._way_on.set_text(shown.way_on)
        self._way_on.setVisible(bool(shown.way_on))
        labels = (*shown.choices.values(), *[""] * MOST_CHOICES)
        for button, label in zip(self._choices, labels, strict=False):
            button.set_text(label)
            button.setVisible(bool(label))
        self._is_bad = shown.is_bad
        self.setVisible(bool(shown.sentence))
        self.update()

    def _time(self, shown: Offer) -> None:
        """Other words for the same are no reason to stand longer."""
        if replace(shown, sentence="") != self._shown:
            self._unaimed.begin()
        if replace(shown, sentence="") != self._shown or not self._end.isActive():
            self._end.stop()
            if shown.sentence and shown.seconds is not None and self._floats:
                self._end.start(int(shown.seconds * 1000))
        self._shown = replace(shown, sentence="")

    def _on_acted(self) -> None:
        key = self._shown_key()
        if key:
            self.withdraw(key)
            self.acted.emit(key)

    def _on_chosen(self) -> None:
        key, button = self._shown_key(), self.sender()
        place = next((n for n, one in enumerate(self._choices) if one is button), None)
        if key and place is not None:
            choice = tuple(self._offers[key].choices)[place]
            self.withdraw(key)
            self.chosen.emit(key, choice)

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current_tokens()
        painter = QPainter(self)
        if self._floats:
            rounded(painter, self.rect(), CARD_RADIUS, t.float_, t.line2)
        else:
            painter.fillRect(self.rect(), t.well)
            painter.fillRect(0, self.height() - 1, self.width(), 1, t.line)
        tone = t.failed.text if self._is_bad else t.t2
        icon = "triangle" if self._is_bad else "info"
        pixmap = icon_pixmap(icon, tone, 15, self.devicePixelRatioF())
        painter.drawPixmap(17, (self.height() - 15) // 2, pixmap)
