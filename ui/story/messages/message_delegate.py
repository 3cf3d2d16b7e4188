"""Paints the rows of the story: messages with their recap, dividers and folded scenes."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize
from PySide6.QtGui import QAbstractTextDocumentLayout, QColor, QPainter, QPalette, QTextDocument
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.core.translation import N_, tr
from app.prompt.reach import Reach
from app.story.inclusion import InclusionState
from ui.story import words
from ui.story.lettering import (
    centre_square,
    hatch_brush,
    key_cap,
    letters,
    loud_meta,
    meta,
)
from ui.story.messages import geometry as geo
from ui.story.messages.geometry import Column, column_in
from ui.story.messages.message_model import MessageModel, MessageRow
from ui.story.messages.message_text import MessageTexts
from ui.story.messages.scene_painter import ScenePainter
from ui.story.reach_look import ICONS, paint_reach, reach_brush, reach_colour
from ui.theme.fonts import SEMIBOLD
from ui.theme.icons import icon_pixmap
from ui.theme.source import ThemeSource
from ui.theme.style import rounded
from ui.theme.tokens import Tokens, faded

AnyIndex = QModelIndex | QPersistentModelIndex

CARD_RADIUS = 8
SELECTION_BAR = 3
WORD_GAP = 10
MOST_MARKS = 200  # found places drawn in one message
TOOL_ICONS = {
    "remember": "bookmark",
    "exclude": "barred",
    "edit": "pencil",
    "break": "split",
}
TOOL_TIPS = {
    "remember": N_("Keep this message's recap even when the budget is full. (M)"),
    "exclude": N_("Leave this message's recap out of the prompt; the message itself stays. (X)"),
    "edit": N_("Write this message's recap yourself. (E)"),
    "break": N_("End the scene with this message. (B)"),
}
NOT_INJECTED = N_("Message recaps are not added to the prompt right now, because of the settings.")
EXCLUDED_AHEAD = N_("No recap yet. One written later is left out, as you chose; the message stays.")
EXCLUDED = N_("You left its recap out. The message stays in the chat and the prompt.")


@dataclass(slots=True)
class RowState:
    """What the view knows about attention: rows are -1 for none, tool is a name or ""."""

    hovered: int = -1
    tool: str = ""
    current: int = -1
    has_focus: bool = False
    by_key: bool = False
    found: str = ""
    chosen: Collection[int] = range(0)  # messages chosen together
    can_change: bool = True  # else nothing is offered that would change the story


class MessageDelegate(QStyledItemDelegate):
    """One delegate for every kind of row; it reads the model's rows, not its roles."""

    def __init__(self, model: MessageModel, theme: ThemeSource, parent: QWidget) -> None:
        super().__init__(parent)
        self._model = model
        self._theme = theme
        self._scenes = ScenePainter(theme)
        self.texts = MessageTexts(theme)
        self.state = RowState()

    # Heights

    def row_height(self, row: int, column: Column) -> int:
        """The row's real height in px; lays the text out if it never was."""
        shown = self._model.message_row(row)
        if shown is None:
            scene = self._model.scene_row(row)
            is_folded = scene is not None and scene.is_folded
            return geo.FOLDED_HEIGHT + geo.FOLDED_GAP if is_folded else self._divider_height()
        text = self.texts.height(shown.message, column.text_width)
        return geo.message_height(text, has_recap_line=has_recap_line(shown))

    def _divider_height(self) -> int:
        return geo.DIVIDER_HEIGHT + geo.DIVIDER_GAP

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        column = column_in(option.rect.width())
        return QSize(option.rect.width(), self.row_height(index.row(), column))

    # Painting

    @property
    def _tones(self) -> Tokens:
        """The palette of what becomes of recaps."""
        return self._theme.tokens

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        row, area = index.row(), option.rect
        column = column_in(area.width())
        tokens = self._theme.tokens
        painter.save()
        shown = self._model.message_row(row)
        if shown is not None:
            self._paint_message(painter, area, column, row, shown)
            card = geo.card_rect(area, column)
        else:
            scene = self._model.scene_row(row)
            assert scene is not None
            is_hovered = row == self.state.hovered
            is_lit = is_hovered or row == self.state.current
            is_held = is_hovered and self.state.tool == "name" and scene.scene.number > 1
            card = self._scenes.paint(painter, area, column, scene, is_lit=is_lit, is_held=is_held)
            if row == self.state.current:
                self._paint_bar(painter, card, tokens)
        if row == self.state.current and self.state.has_focus and self.state.by_key:
            self._paint_ring(painter, card, tokens)
        painter.restore()

    def _paint_message(
        self, painter: QPainter, area: QRect, column: Column, row: int, shown: MessageRow
    ) -> None:
        tokens = self._theme.tokens
        card = geo.card_rect(area, column)
        is_current = row == self.state.current
        is_lit = is_current or row == self.state.hovered
        is_chosen = shown.index in self.state.chosen
        if is_current or is_chosen:
            rounded(painter, card, CARD_RADIUS, tokens.raised, tokens.line)
            self._paint_bar(painter, card, tokens, is_whole=is_chosen)
        elif is_lit:
            rounded(painter, card, CARD_RADIUS, tokens.hover)
        text_height = self.texts.height(shown.message, column.text_width)
        room = column.text_width
        has_tools = is_lit and self.state.can_change
        if has_tools:
            room -= geo.tools_rect(area, column).width()
        self._paint_name(painter, card, column, shown, room, is_lit=is_lit)
        self._paint_gutter(painter, card, column, shown, round(text_height))
        self._paint_text(painter, card, column, shown)
        foot = card.y() + geo.TEXT_TOP + round(text_height) + geo.RECAP_GAP
        self._paint_recap(painter, column, foot + geo.RECAP_HEIGHT / 2 - 0.5, shown)
        if has_tools:
            self._paint_tools(painter, area, column, row, shown)

    def _paint_bar(
        self, painter: QPainter, card: QRect, tokens: Tokens, *, is_whole: bool = False
    ) -> None:
        """The bar of the selected row, or the whole edge of several; t3 without focus."""
        height = card.height() - 12 if is_whole else min(card.height() - 12, 44)
        bar = QRectF(card.x(), card.y() + 6, SELECTION_BAR, height)
        rounded(painter, bar, 1.5, tokens.ring if self.state.has_focus else tokens.t3)

    def _paint_ring(self, painter: QPainter, card: QRect, tokens: Tokens) -> None:
        ring = QRectF(card).adjusted(-2, 0, 2, 2)
        rounded(painter, ring, CARD_RADIUS + 2, None, tokens.ring, tokens.ring_width)

    def _paint_name(
        self,
        painter: QPainter,
        card: QRect,
        column: Column,
        shown: MessageRow,
        room: float,
        *,
        is_lit: bool,
    ) -> None:
        tokens = self._theme.tokens
        middle = card.y() + 14
        right = column.text_left + room
        name = shown.message.name or tr("No name")
        ink = tokens.t1 if is_lit else tokens.t2
        bold = letters(12, SEMIBOLD)
        left = bold.draw(painter, name, ink, column.text_left, middle, room * 0.6) + WORD_GAP
        facts = [f"#{shown.index}"]
        if shown.tokens:
            facts.append(words.token_count(shown.tokens))
        if shown.message.swipes > 1:
            facts.append(
                tr(
                    "swipe {swipe} of {swipes}",
                    swipe=shown.message.swipe + 1,
                    swipes=shown.message.swipes,
                )
            )
        if shown.message.is_hidden:
            facts.append(tr("hidden in SillyTavern"))
        if shown.is_left_out:
            facts.append(tr("not read for memory"))
        for fact in facts:
            if left + meta().width(fact) > right:
                return
            left = meta().draw(painter, fact, tokens.t3, left, middle) + WORD_GAP
        if shown.inclusion.is_edited and left + 60 < right:
            ink = tokens.edited.text
            self._icon(painter, "pencil", ink, QRectF(left, middle - 7, 14, 14), 13)
            loud_meta().draw(painter, tr("edited"), ink, left + 19, middle)

    def _paint_gutter(
        self, painter: QPainter, card: QRect, column: Column, shown: MessageRow, text_height: int
    ) -> None:
        """Icon of the state beside the name, rail in its colour beside the text."""
        tokens = self._tones
        inclusion = shown.inclusion
        centre = column.card_left + geo.ICON
        if shown.reach is not None:
            self._paint_reach(painter, card, centre, shown.reach, text_height)
            return
        icon = words.STALE_ICON if inclusion.is_stale else words.STATE_ICONS.get(inclusion.state)
        if icon:
            ink = tokens.stale.text if inclusion.is_stale else tokens.text_tone(inclusion.state)
            box = QRectF(centre - geo.ICON / 2, card.y() + 14 - geo.ICON / 2, geo.ICON, geo.ICON)
            self._icon(painter, icon, ink, box, geo.ICON)
        rail = QRectF(
            centre - 1, card.y() + geo.TEXT_TOP - 1, geo.RAIL_WIDTH, max(text_height - 1, 8)
        )
        fill = tokens.fill(inclusion.state)
        if inclusion.is_stale:
            painter.fillRect(rail, hatch_brush(tokens.stale.text, faded(fill, 0.3)))
        elif inclusion.state is InclusionState.EXCLUDED:
            rounded(painter, rail, 1.5, None, tokens.ctl)
        elif inclusion.state is InclusionState.NONE:
            paint_rail(painter, rail, tokens.line)
        elif inclusion.state is InclusionState.OUT_OF_BUDGET:
            paint_rail(painter, rail, tokens.receding(fill, 0.62))
            painter.fillRect(QRectF(rail.x(), rail.y(), geo.RAIL_WIDTH, 2), fill)
        else:
            paint_rail(painter, rail, fill)

    def _paint_reach(
        self, painter: QPainter, card: QRect, centre: int, reach: Reach, text_height: int
    ) -> None:
        tokens = self._tones
        icon = ICONS.get(reach)
        if icon is not None:
            box = QRectF(centre - geo.ICON / 2, card.y() + 14 - geo.ICON / 2, geo.ICON, geo.ICON)
            self._icon(painter, icon, reach_colour(tokens, reach), box, geo.ICON)
        rail = QRectF(centre - 2, card.y() + geo.TEXT_TOP - 1, geo.RAIL_WIDTH + 1, 0)
        rail.setHeight(max(text_height - 1, 8))
        paint_reach(painter, tokens, reach, reach_brush(tokens, reach), rail)

    def _paint_text(
        self, painter: QPainter, card: QRect, column: Column, shown: MessageRow
    ) -> None:
        document = self.texts.document(shown.message, column.text_width)
        context = QAbstractTextDocumentLayout.PaintContext()
        palette = QPalette()
        palette.setColor(QPalette.ColorRole.Text, self._theme.tokens.prose)
        context.palette = palette
        left, top = column.text_left, card.y() + geo.TEXT_TOP
        # A message may be many viewports high: lines outside are not drawn.
        exposed = QRectF(painter.clipBoundingRect()) if painter.hasClipping() else QRectF()
        device = painter.device()
        window = exposed if exposed.isValid() else QRectF(0, 0, device.width(), device.height())
        context.clip = window.translated(-left, -top)
        if self.state.found:
            context.selections = found_selections(document, self.state.found, self._theme.tokens)
        painter.save()
        painter.translate(left, top)
        document.documentLayout().draw(painter, context)
        painter.restore()

    def _paint_recap(
        self, painter: QPainter, column: Column, middle: float, shown: MessageRow
    ) -> None:
        tokens = self._tones
        inclusion, recap = shown.inclusion, shown.recap
        if not has_recap_line(shown):
            return
        left, right = float(column.text_left), float(column.text_right)
        body = letters(12)
        if not shows_recap_text(shown):
            ink = tokens.text_tone(inclusion.state)
            if inclusion.state is InclusionState.FAILED:
                right = self._paint_redo(painter, tr("Try again"), ink, right, middle) - WORD_GAP
            body.draw(painter, state_sentence(shown), ink, left, middle, right - left)
            return
        if inclusion.is_stale:
            ink = tokens.stale.text
            right = (
                self._paint_redo(painter, tr("Outdated. Redo"), ink, right, middle) - 2 * WORD_GAP
            )
        else:
            ink = recap_ink(tokens, shown)
            if inclusion.tokens:
                counted = words.token_count(inclusion.tokens)
                right = meta().draw_right(painter, counted, tokens.t3, right, middle) - WORD_GAP
        left = loud_meta().draw(painter, tr("Recap"), ink, left, middle) + 11
        ink = tokens.t3 if inclusion.is_stale else tokens.t2
        body.draw(painter, " ".join(recap.text[:600].split()), ink, left, middle, right - left)

    def _paint_redo(
        self, painter: QPainter, word: str, ink: QColor, right: float, middle: float
    ) -> float:
        tokens = self._theme.tokens
        right = key_cap(painter, "R", right, middle, tokens.line2, tokens.t2) - 4
        return loud_meta().draw_right(painter, word, ink, right, middle)

    def _paint_tools(
        self, painter: QPainter, area: QRect, column: Column, row: int, shown: MessageRow
    ) -> None:
        tokens = self._theme.tokens
        rounded(
            painter,
            geo.tools_rect(area, column),
            7,
            tokens.float_,
            tokens.line2,
        )
        for tool in geo.TOOLS:
            box = geo.tool_rect(area, column, tool)
            is_hovered = row == self.state.hovered and tool == self.state.tool
            if is_hovered:
                rounded(painter, box.adjusted(2, 2, -2, -2), 5, tokens.hover)
            ink = tokens.t1 if is_hovered else tokens.t2
            if tool == "remember" and shown.recap.is_remembered:
                ink = tokens.long_term.text
            elif tool == "exclude" and shown.recap.is_excluded:
                ink = tokens.accent_text
            self._icon(painter, TOOL_ICONS[tool], ink, QRectF(box), 15)

    def _icon(self, painter: QPainter, name: str, ink: QColor, area: QRectF, side: float) -> None:
        pixmap = icon_pixmap(name, ink, side, painter.device().devicePixelRatioF())
        painter.drawPixmap(centre_square(area, side), pixmap)


def paint_rail(painter: QPainter, rail: QRectF, fill: QColor) -> None:
    """A bar with soft ends. Filling a rounded path of this height takes 0.3 ms, this 0.01."""
    painter.fillRect(rail.adjusted(0, 1, 0, -1), fill)
    soft = QColor(fill)
    soft.setAlphaF(fill.alphaF() * 0.6)
    painter.fillRect(QRectF(rail.x(), rail.y(), rail.width(), 1), soft)
    painter.fillRect(QRectF(rail.x(), rail.bottom() - 1, rail.width(), 1), soft)


def state_tip(shown: MessageRow, *, injects: bool = True) -> str:
    """One sentence on where the message's recap goes, for its icon.

    injects: whether message recaps go into the prompt at all.
    """
    state, reason = shown.inclusion.state, shown.inclusion.reason
    parts = [] if state is InclusionState.NONE else [f"{words.state_word(state)}."]
    if reason:
        parts.append(tr(reason))
    if shown.inclusion.is_stale:
        parts.append(tr("The message has changed since its recap was written."))
    if parts and not injects and state is not InclusionState.NONE:
        parts.append(tr(NOT_INJECTED))
    return " ".join(parts)


def is_left_out(shown: MessageRow) -> bool:
    """Whether the user took this very message out; rules that leave out whole kinds are silent."""
    return shown.inclusion.state is InclusionState.EXCLUDED and shown.recap.is_excluded


def has_failed(shown: MessageRow) -> bool:
    """Whether its recap could not be made."""
    return shown.inclusion.state is InclusionState.FAILED


def shows_recap_text(shown: MessageRow) -> bool:
    """Whether the line under the text holds the recap itself."""
    return bool(shown.recap.text) and not is_left_out(shown) and not has_failed(shown)


def has_recap_line(shown: MessageRow) -> bool:
    """Whether a line follows the text: the recap, or why there is none that counts."""
    return bool(shown.recap.text) or is_left_out(shown) or has_failed(shown)


def recap_ink(tokens: Tokens, shown: MessageRow) -> QColor:
    """Colour of the word before a recap: that of the colours which the page shows, so that a recap
    that is merely not sent does not look like a fault.
    """
    if shown.reach is None:
        return tokens.text_tone(shown.inclusion.state)
    return reach_colour(tokens, Reach.RECAP) if shown.reach is Reach.RECAP else tokens.t3


def needs_redo(shown: MessageRow) -> bool:
    """Whether the message's own recap failed, or no longer fits its text."""
    return has_failed(shown) or (shown.inclusion.is_stale and shows_recap_text(shown))


def state_sentence(shown: MessageRow) -> str:
    """What stands in the recap's place where it does not count."""
    if is_left_out(shown) and not shown.recap.text:
        return tr(EXCLUDED_AHEAD)
    if is_left_out(shown):
        return tr(shown.inclusion.reason or EXCLUDED)
    reason = shown.recap.error or shown.inclusion.reason
    return tr(reason) if reason.startswith("No ") else tr("No recap: {reason}", reason=tr(reason))


def found_selections(
    document: QTextDocument, text: str, tokens: Tokens
) -> list[QAbstractTextDocumentLayout.Selection]:
    """Marks over every place where `text` stands in a document."""
    marks: list[QAbstractTextDocumentLayout.Selection] = []
    cursor = document.find(text)
    while not cursor.isNull() and len(marks) < MOST_MARKS:
        mark = QAbstractTextDocumentLayout.Selection()
        mark.cursor = cursor
        mark.format.setBackground(tokens.accent)
        mark.format.setForeground(tokens.accent_ink)
        marks.append(mark)
        cursor = document.find(text, cursor)
    return marks
