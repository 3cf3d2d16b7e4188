"""Documents of the messages near the viewport, and the heights of all that were ever laid out."""

from __future__ import annotations

from collections import OrderedDict

from PySide6.QtGui import QTextBlockFormat, QTextCursor, QTextDocument, QTextOption

from app.story.messages import Message
from ui.story.messages.message_html import Inks, message_html
from ui.theme.fonts import story_font
from ui.theme.source import ThemeSource

LINE_HEIGHT = 1.55
PARAGRAPH_GAP = 8

KEPT_DOCUMENTS = 64  # three full viewports; a document of 450 characters takes about 30 kB
KEPT_HEIGHTS = 250_000


class MessageTexts:
    """Lays out messages once per width, font and palette, and remembers how high they were.

    Keys are content hashes, so a swipe back or an undone edit finds its layout again.
    """

    def __init__(self, theme: ThemeSource) -> None:
        self._theme = theme
        self._documents: OrderedDict[tuple[str, int], QTextDocument] = OrderedDict()
        self._heights: dict[tuple[str, int], float] = {}
        self._inks = self._inks_now()

    def forget_colours(self) -> None:
        """The palette changed: texts look different and stay as high."""
        self._documents.clear()
        self._inks = self._inks_now()

    def forget_sizes(self) -> None:
        """The reading font changed: nothing fits any more."""
        self._documents.clear()
        self._heights.clear()

    def known_height(self, message: Message, width: int) -> float | None:
        """Height in px if this text was laid out at this width before."""
        return self._heights.get((message.content_hash, width))

    def height(self, message: Message, width: int) -> float:
        """Height of the text in px, laying it out if need be."""
        known = self._heights.get((message.content_hash, width))
        if known is not None:
            return known
        return float(self.document(message, width).size().height())

    def document(self, message: Message, width: int) -> QTextDocument:
        """The text laid out `width` px wide; belongs to this cache, paint it at once."""
        key = (message.content_hash, width)
        document = self._documents.get(key)
        if document is not None:
            self._documents.move_to_end(key)
            return document
        document = self._laid_out(message.text, width)
        self._documents[key] = document
        if len(self._documents) > KEPT_DOCUMENTS:
            self._documents.popitem(last=False)
        if len(self._heights) >= KEPT_HEIGHTS:
            self._heights.clear()
        self._heights[key] = document.size().height()
        return document

    def _laid_out(self, text: str, width: int) -> QTextDocument:
        document = QTextDocument()
        document.setUndoRedoEnabled(False)
        document.setDocumentMargin(0)
        document.setDefaultFont(story_font(self._theme.reading_px))
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        document.setDefaultTextOption(option)
        document.setHtml(message_html(text, self._inks))
        lines = QTextBlockFormat()
        height = round(self._theme.reading_px * LINE_HEIGHT)
        lines.setLineHeight(height, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
        lines.setTopMargin(PARAGRAPH_GAP)
        cursor = QTextCursor(document)
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.mergeBlockFormat(lines)
        first = QTextBlockFormat()
        first.setTopMargin(0)
        QTextCursor(document.firstBlock()).mergeBlockFormat(first)
        document.setTextWidth(width)
        return document

    def _inks_now(self) -> Inks:
        tokens = self._theme.tokens
        return Inks(
            say=tokens.say.name(),
            narr=tokens.narr.name(),
            meta=tokens.t3.name(),
            code=tokens.t2.name(),
        )
