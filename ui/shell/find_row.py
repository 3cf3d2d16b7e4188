"""One find as a row: two lines of its text with the words marked, and where it stands."""

from __future__ import annotations

import re
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QTextCharFormat, QTextLayout, QTextOption
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from app.views.search_results import Hit
from ui.shell.entries import Index, painted_ground
from ui.theme import current_tokens
from ui.theme.fonts import MEDIUM, story_font, ui_font
from ui.theme.icons import icon_pixmap

ROW = 72
LEFT = 36
LINES = 2
FIND_ROLE = Qt.ItemDataRole.UserRole
_SPACE = re.compile(r"\s")


@dataclass(frozen=True, slots=True)
class Find:
    """A hit, and where it stands in words."""

    hit: Hit
    place: str


class FindDelegate(QStyledItemDelegate):
    """Paints a Find."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(200, ROW)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        t = current_tokens()
        find: Find = index.data(FIND_ROLE)
        painter.save()
        area = painted_ground(painter, option)
        name = "layers" if find.hit.memory_id else "chat"
        icon = icon_pixmap(name, t.t2, 14, painter.device().devicePixelRatioF())
        painter.drawPixmap(int(area.x()) + 11, int(area.y()) + 10, icon)
        painter.setPen(t.prose)
        width = area.width() - LEFT - 14
        text = _laid_out(find.hit, width)
        text.draw(painter, QPointF(area.x() + LEFT, area.y() + 5))
        painter.setFont(ui_font(11, MEDIUM))
        painter.setPen(t.t3)
        foot = QRectF(area.x() + LEFT, area.bottom() - 22, width, 18)
        place = painter.fontMetrics().elidedText(
            find.place, Qt.TextElideMode.ElideRight, int(width)
        )
        painter.drawText(foot, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, place)
        painter.restore()


def _laid_out(hit: Hit, width: float) -> QTextLayout:
    """The snippet on at most two lines, its words in the colour of what is said."""
    t = current_tokens()
    snippet = _SPACE.sub(" ", hit.snippet)  # one for one: the marks stay where they are
    layout = QTextLayout(snippet, story_font(13.5))
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    layout.setTextOption(option)
    ranges = []
    for begin, end in hit.marks:
        mark = QTextLayout.FormatRange()
        mark.start, mark.length = begin, end - begin
        shape = QTextCharFormat()
        shape.setForeground(t.accent_text)
        shape.setFontWeight(600)
        mark.format = shape
        ranges.append(mark)
    layout.setFormats(ranges)
    layout.beginLayout()
    for number in range(LINES):
        line = layout.createLine()
        if not line.isValid():
            break
        line.setLineWidth(width)
        line.setPosition(QPointF(0, number * 20.0))
    layout.endLayout()
    return layout
