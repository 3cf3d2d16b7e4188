"""Sheets that lie over the page, with and without something that composes the screen."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QGuiApplication, QImage
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from ui.controls import surfaces
from ui.controls.surfaces import FloatingSheet

TRANSLUCENT = Qt.WidgetAttribute.WA_TranslucentBackground


def test_a_sheet_is_cut_to_its_ground_where_nothing_can_show_through(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All popups stood in a thick black frame on a screen of X without a compositor."""
    for is_composed in (True, False):
        monkeypatch.setattr(surfaces, "can_be_translucent", lambda on=is_composed: on)
        sheet = FloatingSheet()
        qtbot.addWidget(sheet)
        sheet.resize(200, 120)
        sheet.ensurePolished()
        sheet.grab()
        assert sheet.testAttribute(TRANSLUCENT) is is_composed
        edge = sheet.MARGIN - 1
        whole = QRect(0, 0, 200, 120)
        cut = whole.adjusted(edge, edge, -edge, -edge)
        assert sheet.mask().boundingRect() == (QRect() if is_composed else cut)


def test_no_black_is_around_a_sheet_on_the_screen(qtbot: QtBot) -> None:
    if QGuiApplication.platformName() != "xcb":
        pytest.skip("seen only on a real screen, where test_real_screen.py runs it")
    ground = QWidget()
    qtbot.addWidget(ground)
    ground.setStyleSheet("background: white")
    ground.setGeometry(0, 0, 600, 400)
    ground.show()
    qtbot.waitExposed(ground)
    sheet = FloatingSheet(ground)
    layout = sheet.layout()
    assert layout is not None
    layout.addWidget(QLabel("Words"))
    sheet.setGeometry(100, 100, 300, 150)
    sheet.show()
    screen = QGuiApplication.primaryScreen()

    def edge() -> QColor:
        image = screen.grabWindow(0, 0, 0, 600, 400).toImage()
        image = image.convertToFormat(QImage.Format.Format_RGB32)
        return image.pixelColor(104, 175)

    qtbot.waitUntil(lambda: edge().lightness() > 200, timeout=5_000)
