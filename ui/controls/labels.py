"""Text on the window: one class, with the roles of type and the tones of text."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction, QFont, QPainter, QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from ui.theme import current_tokens, theme
from ui.theme.fonts import MEDIUM, REGULAR, SEMIBOLD, display_font, ui_font
from ui.theme.palette import T1_ROLE, T2_ROLE, T3_ROLE
from ui.theme.tokens import Tokens


def plain_tip(text: str) -> str:
    """A tooltip that shows `text` as it is: Qt takes what looks like markup for markup."""
    lines = escape(text, quote=False).replace("\n", "<br>")
    return f"<p>{lines}</p>" if text else ""


def safe_tip(text: str) -> str:
    """The text itself as a tooltip, unless Qt might take it for markup."""
    return plain_tip(text) if "<" in text else text


def menu_text(words: str) -> str:
    """Words as an action's text: a menu takes a lone & for the mark of a key."""
    return words.replace("&", "&&")


def words_of(action: QAction) -> str:
    """An action's text as people read it."""
    return action.text().replace("&&", "&")


class Label(QLabel):
    """Plain text, always: what comes from a chat or a model is never read as markup."""

    def __init__(
        self,
        text: str = "",
        *,
        font: QFont | None = None,
        tone: QPalette.ColorRole = T1_ROLE,
        wraps: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setText(text)
        self.setFont(font if font is not None else ui_font(12))
        self.setForegroundRole(tone)
        self.setWordWrap(wraps)


class ToneLabel(Label):
    """Words in the colour of a state: failed, pending or included; they wrap."""

    def __init__(self, *, font: QFont) -> None:
        super().__init__(font=font, wraps=True)
        self._state = "failed"
        theme.changed.connect(self._dress)

    def show_words(self, text: str, state: str) -> None:
        """state: a state's name among the theme's tokens."""
        self._state = state
        self.setText(text)
        self._dress(current_tokens())

    def _dress(self, tokens: Tokens) -> None:
        palette = self.palette()
        palette.setColor(T1_ROLE, getattr(tokens, self._state).text)
        self.setPalette(palette)


class ElidedLabel(Label):
    """One line that ends in an ellipsis where room runs out; the whole text is its tooltip."""

    def __init__(
        self,
        text: str = "",
        *,
        font: QFont | None = None,
        tone: QPalette.ColorRole = T1_ROLE,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(text, font=font, tone=tone, parent=parent)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def minimumSizeHint(self) -> QSize:
        return QSize(24, super().minimumSizeHint().height())

    def setText(self, text: str) -> None:
        super().setText(text)
        self._tell_whole()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._tell_whole()

    def _tell_whole(self) -> None:
        is_cut = self.fontMetrics().horizontalAdvance(self.text()) > self.width()
        self.setToolTip(plain_tip(self.text()) if is_cut else "")

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        text = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, self.width())
        painter.drawText(self.rect(), int(self.alignment() | Qt.AlignmentFlag.AlignVCenter), text)


def headline(text: str = "") -> Label:
    """A headline figure or the title of an empty page."""
    return Label(text, font=display_font(24))


def page_title(text: str = "") -> Label:
    return Label(text, font=ui_font(15, SEMIBOLD))


def section(text: str = "") -> Label:
    return Label(text, font=ui_font(13, SEMIBOLD))


def body(text: str = "", *, wraps: bool = True) -> Label:
    return Label(text, font=ui_font(12, REGULAR), tone=T2_ROLE, wraps=wraps)


def meta(text: str = "", *, wraps: bool = False) -> Label:
    return Label(text, font=ui_font(11, MEDIUM), tone=T3_ROLE, wraps=wraps)
