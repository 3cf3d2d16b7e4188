"""Icons: SVG files whose stroke is coloured when they are drawn."""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QByteArray, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QIconEngine, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from app.paths import RESOURCES

ICONS = RESOURCES / "icons"


@cache
def _source(name: str) -> str:
    return (ICONS / f"{name}.svg").read_text(encoding="utf-8")


@cache
def _pixmap(name: str, colour: str, alpha: int, size: float, dpr: float) -> QPixmap:
    side = max(1, round(size * dpr))
    pixmap = QPixmap(side, side)
    pixmap.fill(Qt.GlobalColor.transparent)
    text = _source(name).replace("currentColor", colour)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setOpacity(alpha / 255)
    QSvgRenderer(QByteArray(text.encode())).render(painter, QRectF(0, 0, side, side))
    painter.end()
    pixmap.setDevicePixelRatio(dpr)
    return pixmap


def icon_names() -> tuple[str, ...]:
    """Every shape there is."""
    return tuple(sorted(path.stem for path in ICONS.glob("*.svg")))


def icon_pixmap(name: str, color: QColor | str, size: float = 16, dpr: float = 1.0) -> QPixmap:
    """The icon in one colour. size in device-independent px; raises OSError for an unknown name."""
    colour = QColor(color)
    return _pixmap(name, colour.name(), colour.alpha(), float(size), float(dpr))


class _TintedEngine(QIconEngine):
    """Draws an icon at any scale, in one colour."""

    def __init__(self, name: str, colour: QColor) -> None:
        super().__init__()
        self._name = name
        self._colour = QColor(colour)

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        area = QRectF(rect)
        dpr = painter.device().devicePixelRatioF()
        side = min(area.width(), area.height())
        pixmap = icon_pixmap(self._name, self._colour, side, dpr)
        left = area.x() + (area.width() - side) / 2
        top = area.y() + (area.height() - side) / 2
        painter.drawPixmap(QRectF(left, top, side, side), pixmap, QRectF(pixmap.rect()))

    def pixmap(self, size: QSize, mode: object, state: object) -> QPixmap:
        return icon_pixmap(self._name, self._colour, min(size.width(), size.height()), 1.0)

    def scaledPixmap(self, size: QSize, mode: object, state: object, scale: float) -> QPixmap:
        side = min(size.width(), size.height()) / scale
        return icon_pixmap(self._name, self._colour, side, scale)

    def clone(self) -> QIconEngine:
        return _TintedEngine(self._name, self._colour)


def tinted_icon(name: str, color: QColor | str) -> QIcon:
    """The icon as a QIcon, for actions and menus; sharp at every device pixel ratio."""
    return QIcon(_TintedEngine(name, QColor(color)))
