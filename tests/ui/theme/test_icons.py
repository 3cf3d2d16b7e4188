"""Icons exist for all who ask, in the colour and at the sharpness that was asked for."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication

from ui.core.actions import _ACTIONS
from ui.theme.icons import icon_names, icon_pixmap

UI = Path(__file__).parents[3] / "ui"
NAMED = re.compile(r"""(?:icon=|icon_pixmap\(|IconButton\(\s*|set_icon\()"([a-z][a-z-]+)\"""")


def test_every_icon_that_code_names_exists() -> None:
    named = {name for path in UI.rglob("*.py") for name in NAMED.findall(path.read_text("utf-8"))}
    named |= {spec.icon for spec in _ACTIONS if spec.icon}
    assert named <= set(icon_names())


@pytest.mark.parametrize("name", icon_names())
def test_an_icon_is_drawn_in_one_colour_at_the_device_scale(qapp: QApplication, name: str) -> None:
    pixmap = icon_pixmap(name, QColor("#F4AE3D"), 16, 2.0)
    assert (pixmap.width(), pixmap.devicePixelRatio()) == (32, 2.0)
    picture = pixmap.toImage()
    drawn = [
        picture.pixelColor(x, y)
        for x in range(32)
        for y in range(32)
        if picture.pixelColor(x, y).alpha() > 200
    ]
    assert drawn
    assert all(abs(colour.red() - 0xF4) < 8 and abs(colour.blue() - 0x3D) < 8 for colour in drawn)
