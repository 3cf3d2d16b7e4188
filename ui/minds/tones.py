"""How each attitude looks, the same on map, table, timeline and cards: line, icon and colour."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen

from app.memory.epistemic.map_view import Attitude
from ui.theme import Tokens
from ui.theme.fonts import SEMIBOLD, ui_font
from ui.theme.icons import icon_pixmap
from ui.theme.style import rounded
from ui.theme.tokens import TIERS

ICONS = {
    Attitude.KNOWS: "check",
    Attitude.SUSPECTS: "question",
    Attitude.BELIEVES: "unequal",
    Attitude.UNAWARE: "eye-off",
    Attitude.HIDING: "mask",
    Attitude.KEPT: "barred",
}
DISC = 18.0  # px, of a glyph on a line
FAINT = 0.42  # what was not chosen (look.md §3)
GROUND_SHARE = {True: 0.24, False: 0.26}  # of a person's hue in its disc, by is_dark
_PERSON_HUES = tuple(TIERS)


def ink(t: Tokens, attitude: Attitude) -> QColor:
    """Colour of an attitude's icon and line."""
    return {
        Attitude.KNOWS: t.included.text,
        Attitude.SUSPECTS: t.long_term.text,
        Attitude.BELIEVES: t.out_of_budget.text,
        Attitude.UNAWARE: t.excluded.text,
        Attitude.HIDING: t.edited.text,
        Attitude.KEPT: t.edited.text,
    }[attitude]


def stroke(
    painter: QPainter,
    path: QPainterPath,
    attitude: Attitude,
    t: Tokens,
    *,
    ground: QColor,
    is_faint: bool = False,
) -> None:
    """Draw a line in its grammar: solid, dashed, double, dotted, or thick with a stitched core."""
    colour = ink(t, attitude)
    if is_faint:
        colour = t.receding(colour, FAINT)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    match attitude:
        case Attitude.KNOWS:
            painter.strokePath(path, _pen(colour, 1.7))
        case Attitude.SUSPECTS:
            painter.strokePath(path, _pen(colour, 1.7, (4.2, 3.4)))
        case Attitude.UNAWARE:
            painter.strokePath(path, _pen(colour, 1.7, (0.1, 3.2), is_round=True))
        case Attitude.KEPT:
            painter.strokePath(path, _pen(colour, 1.5, (3.4, 2.6, 0.1, 2.6), is_round=True))
        case Attitude.BELIEVES:
            painter.strokePath(path, _pen(colour, 4.2))
            painter.strokePath(path, _pen(ground, 2.0))
        case Attitude.HIDING:
            painter.strokePath(path, _pen(colour, 4.0))
            painter.strokePath(path, _pen(ground, 1.1, (3.0, 3.0)))


def _pen(
    colour: QColor, width: float, dashes: Sequence[float] = (), *, is_round: bool = False
) -> QPen:
    pen = QPen(colour, width)
    pen.setCapStyle(Qt.PenCapStyle.RoundCap if is_round else Qt.PenCapStyle.FlatCap)
    if dashes:
        pen.setDashPattern(list(dashes))
    return pen


# 7 parameters: what a glyph looks like, the rest by name.
def paint_glyph(
    painter: QPainter,
    centre: QPointF,
    attitude: Attitude,
    t: Tokens,
    *,
    ground: QColor,
    is_faint: bool = False,
    disc: float = DISC,
) -> None:
    """The icon in a disc on the ground, so that no line runs through it."""
    colour = ink(t, attitude)
    edge = t.receding(colour, 0.6) if is_faint else colour
    area = QRectF(centre.x() - disc / 2, centre.y() - disc / 2, disc, disc)
    rounded(painter, area, disc / 2, ground, edge)
    side = round(disc * 0.66)
    pixmap = icon_pixmap(ICONS[attitude], colour, side, sharpness(painter))
    painter.setOpacity(0.8 if is_faint else 1.0)
    painter.drawPixmap(QPointF(centre.x() - side / 2, centre.y() - side / 2), pixmap)
    painter.setOpacity(1.0)


def sharpness(painter: QPainter) -> float:
    """Device pixels for one of the painter's: icons stay sharp on a map that is zoomed."""
    device = painter.device()
    dpr = device.devicePixelRatioF() if device is not None else 1.0
    return round(dpr * abs(painter.transform().m11()), 2) or 1.0


def person_hue(t: Tokens, place: int) -> QColor:
    """Hue of the person at a place in the order of people."""
    return t.slot_hues[_PERSON_HUES[(place * 3) % len(_PERSON_HUES)]]


def paint_person(painter: QPainter, area: QRectF, name: str, place: int, t: Tokens) -> None:
    """A disc with initials; area is a square."""
    hue = person_hue(t, place)
    rounded(painter, area, area.width() / 2, mixed(hue, t.stage, GROUND_SHARE[t.is_dark]))
    painter.setFont(ui_font(max(10, round(area.width() * 0.38)), SEMIBOLD))
    painter.setPen(mixed(hue, QColor("#FFFFFF"), 0.86) if t.is_dark else hue.darker(185))
    painter.drawText(area, Qt.AlignmentFlag.AlignCenter, initials(name))


def initials(name: str) -> str:
    """Two letters for a name: of its last two words."""
    words = [word for word in name.split() if word[:1].isalnum()]
    if len(words) >= 2:
        return (words[-2][:1] + words[-1][:1]).upper()
    return words[0][:2].capitalize() if words else "?"


def mixed(colour: QColor, ground: QColor, share: float) -> QColor:
    """`share` of the colour over the ground, opaque."""
    rest = 1 - share
    return QColor(
        round(colour.red() * share + ground.red() * rest),
        round(colour.green() * share + ground.green() * rest),
        round(colour.blue() * share + ground.blue() * rest),
    )


def paint_veil(painter: QPainter, area: QRectF, text: str, t: Tokens, *, bar: float = 8.0) -> None:
    """Bars in place of the words of one line: that there is something, and no letter of it."""
    x = area.left()
    top = area.center().y() - bar / 2
    for word in text.split():
        width = min(8 + 5.0 * min(len(word), 9), area.right() - x)
        if width < 14:
            return
        rounded(painter, QRectF(x, top, width, bar), bar / 2, t.line2)
        x += width + 5
