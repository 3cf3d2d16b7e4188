"""Icons: SVG files whose stroke is coloured when they are drawn."""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from app.core.resources import RESOURCES

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
