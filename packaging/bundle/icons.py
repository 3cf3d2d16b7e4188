"""The program's icon, drawn from the lantern: PNG on Linux, ICO on Windows, ICNS on macOS."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from provision.places import CHECKOUT

LANTERN = CHECKOUT / "resources" / "icons" / "lantern.svg"
GROUND, EDGE, FLAME = "#1B1712", "#3A2F1E", "#F4AE3D"
# The lantern is 16 wide; with its ground 24, so that it does not touch the edge.
DRAWING = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">
<rect x="0.5" y="0.5" width="23" height="23" rx="5.2" fill="{ground}" stroke="{edge}"/>
<g transform="translate(4 4)" {lantern}</g>
</svg>
"""
OPENING = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" '


def drawing() -> str:
    """The icon as SVG."""
    # Not an SVG within an SVG, which Qt does not draw.
    lantern = LANTERN.read_text(encoding="utf-8").strip().replace("currentColor", FLAME)
    lantern = lantern.removeprefix(OPENING).removesuffix("</svg>")
    return DRAWING.format(ground=GROUND, edge=EDGE, lantern=lantern)


def icon_file(folder: Path) -> Path | None:
    """Write the file that goes into the program itself; None on Linux, where none can."""
    form = {"win32": "ico", "darwin": "icns"}.get(sys.platform)
    if form is None:
        return None
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"tavernkeep.{form}"
    draw(file, 1024 if form == "icns" else 256)
    return file


def draw(file: Path, side: int) -> None:
    """Draw it `side` pixels wide; the file's ending says its form. Raises OSError."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtCore import QByteArray
    from PySide6.QtGui import QImage, QPainter
    from PySide6.QtSvg import QSvgRenderer

    image = QImage(side, side, QImage.Format.Format_ARGB32)
    image.fill(0)
    painter = QPainter(image)
    QSvgRenderer(QByteArray(drawing().encode())).render(painter)
    painter.end()
    if not image.save(str(file)):
        raise OSError(f"Qt could not write {file.name}.")
