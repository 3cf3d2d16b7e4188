"""Paints a scene's divider and a folded scene."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, QRectF
from PySide6.QtGui import QPainter

from app.core.translation import tr
from ui.story import words
from ui.story.lettering import (
    centre_square,
    key_cap,
    letters,
    loud_meta,
    meta,
    scene_number,
)
from ui.story.messages import geometry as geo
from ui.story.messages.geometry import Column
from ui.story.messages.message_model import SceneRow
from ui.theme.fonts import MEDIUM, SEMIBOLD
from ui.theme.icons import icon_pixmap
from ui.theme.source import ThemeSource
from ui.theme.style import rounded

CARD_RADIUS = 8
STAND_IN_ROOM = 300  # px that number, name and range of a scene keep
GRIP_WIDTH = 24  # px of the rule that the dots of its grip take
GRIP_ROOM = GRIP_WIDTH + 12
LEAST_REASON = 140  # px in which a reason is worth beginning
CHEVRON_LEFT = 28  # centre of a divider's chevron, from the card's edge


class ScenePainter:
    """Draws the two kinds of scene rows in the theme's colours."""

    def __init__(self, theme: ThemeSource) -> None:
        self._theme = theme

    def paint(
        self,
        painter: QPainter,
        area: QRect,
        column: Column,
        row: SceneRow,
        *,
        is_lit: bool,
        is_held: bool = False,
    ) -> QRect:
        """Draw a scene's row; returns the part of it that is the scene's own.

        is_held: the pointer is where the break above can be taken hold of.
        """
        if row.is_folded:
            return self._paint_folded(painter, area, column, row, is_lit=is_lit)
        right, left = self._paint_divider(painter, area, column, row, is_lit=is_lit)
        middle = area.y() + geo.DIVIDER_HEIGHT / 2
        if is_lit and row.why_here and right - left > LEAST_REASON:
            room = right - left - GRIP_ROOM
            left = meta().draw(painter, row.why_here, self._theme.tokens.t2, left, middle, room)
            left = min(left, right - GRIP_ROOM) + 12
        self._paint_rule(painter, left, right, middle, is_held=is_held)
        return QRect(column.card_left, area.y(), column.card_width, geo.DIVIDER_HEIGHT)

    def _paint_divider(
        self, painter: QPainter, area: QRect, column: Column, row: SceneRow, *, is_lit: bool
    ) -> tuple[float, float]:
        """Words and chevron; returns where the rule behind them ends and begins."""
        tokens = self._theme.tokens
        card = QRect(column.card_left, area.y(), column.card_width, geo.DIVIDER_HEIGHT)
        if is_lit:
            rounded(painter, card, CARD_RADIUS, tokens.hover)
        middle = card.y() + geo.DIVIDER_HEIGHT / 2
        can_fold = row.scene.is_closed
        rule_end = column.card_left + CHEVRON_LEFT - (8 if can_fold else -8)
        painter.fillRect(
            QRectF(column.card_left, middle, rule_end - column.card_left, 1), tokens.line2
        )
        if can_fold:
            self._chevron(painter, "chevron-down", column.card_left + CHEVRON_LEFT, middle)
        title = letters(14, SEMIBOLD)
        left = scene_number().draw(
            painter, str(row.scene.number), tokens.accent_text, column.text_left, middle
        )
        right = float(column.text_right)
        if row.is_stale:
            right = self._stale(painter, right, middle) - 12
        elif row.cue:
            right = meta().draw_right(painter, row.cue, tokens.t3, right, middle) - 12
        if row.stand_in and right - left - meta().width(row.stand_in) > STAND_IN_ROOM:
            right = meta().draw_right(painter, row.stand_in, tokens.t3, right, middle) - 12
        span = words.scene_range(row.scene, is_open_ended=True)
        room = right - left - 4 - meta().width(span) - 40
        left = title.draw(painter, row.name, tokens.t1, left + 5, middle, room)
        left = meta().draw(painter, span, tokens.t3, left + 12, middle) + 12
        return right, left

    def _paint_rule(
        self, painter: QPainter, left: float, right: float, middle: float, *, is_held: bool
    ) -> None:
        """The line behind a divider's words; with dots to take hold of it by."""
        tokens = self._theme.tokens
        if right <= left:
            return
        if not is_held or right - left < GRIP_WIDTH:
            painter.fillRect(QRectF(left, middle, right - left, 1), tokens.line2)
            return
        centre = round((left + right) / 2)
        half = GRIP_WIDTH / 2
        for start, end in ((left, centre - half), (centre + half, right)):
            painter.fillRect(QRectF(start, middle, end - start, 1), tokens.line2)
        for column in (-6, -1, 4):
            for row in (-3, 2):
                painter.fillRect(QRectF(centre + column, middle + row, 2, 2), tokens.t2)

    def _paint_folded(
        self, painter: QPainter, area: QRect, column: Column, row: SceneRow, *, is_lit: bool
    ) -> QRect:
        tokens = self._theme.tokens
        card = QRect(column.card_left, area.y(), column.card_width, geo.FOLDED_HEIGHT)
        rounded(painter, card, CARD_RADIUS, tokens.hover if is_lit else tokens.well, tokens.line)
        middle = card.y() + geo.FOLDED_HEIGHT / 2
        self._chevron(painter, "chevron-right", column.card_left + 14, middle)
        number = letters(13, MEDIUM)
        left = number.draw(painter, str(row.scene.number), tokens.t3, column.text_left, middle)
        left = max(left + 8, column.text_left + 20)
        span = tr(
            "{scene_range}, {length} collapsed",
            scene_range=words.scene_range(row.scene),
            length=row.scene.length,
        )
        right = float(column.text_right)
        if row.is_stale:
            right = self._stale(painter, right, middle) - 12
        right = meta().draw_right(painter, span, tokens.t3, right, middle) - 16
        name_room = right - left if not row.recap else (right - left) * 0.55
        left = number.draw(painter, row.name, tokens.t2, left, middle, name_room) + 12
        letters(12).draw(painter, row.recap, tokens.t3, left, middle, right - left)
        return card

    def _stale(self, painter: QPainter, right: float, middle: float) -> float:
        """ "Stale. Redo R", ending at `right`; returns where it begins."""
        tokens = self._theme.tokens
        right = key_cap(painter, "R", right, middle, tokens.line2, tokens.t2) - 4
        return loud_meta().draw_right(
            painter, tr("Outdated. Redo"), tokens.stale.text, right, middle
        )

    def _chevron(self, painter: QPainter, name: str, centre: float, middle: float) -> None:
        side = 14
        ratio = painter.device().devicePixelRatioF()
        pixmap = icon_pixmap(name, self._theme.tokens.t2, side, ratio)
        box = QRectF(centre - side / 2, middle - side / 2, side, side)
        painter.drawPixmap(QPointF(centre_square(box, side)), pixmap)
