"""Words that are painted by hand are broken where there is room, and cut at the end of the last
line only."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QApplication

from ui.controls.fields import Choice
from ui.controls.wrapping import wrapped
from ui.theme.fonts import ui_font

LONG = "The model answered twice with something other than keywords. Try it again or choose another"


def test_a_long_sentence_has_two_lines_before_it_is_cut(dressed: QApplication) -> None:
    face = QFontMetrics(ui_font(12))
    whole = face.horizontalAdvance(LONG)
    assert wrapped(LONG, face, whole + 1) == [LONG]
    lines = wrapped(LONG, face, int(whole * 0.6))
    assert len(lines) == 2
    assert " ".join(lines) == LONG
    short = wrapped(LONG, face, whole // 4)
    assert len(short) == 2
    assert short[1].endswith("…")
    assert all(face.horizontalAdvance(line) <= whole // 4 for line in short)
    assert wrapped(LONG, face, whole // 4, 1) == [
        face.elidedText(LONG, Qt.TextElideMode.ElideRight, whole // 4)
    ]
    assert wrapped("", face, 100) == []


def test_nothing_is_cut_that_had_room_for_a_second_line(dressed: QApplication) -> None:
    """A line that is wider by a part of a pixel was taken for one that fits, and cut."""
    face = QFontMetrics(ui_font(12))
    for minute in range(60):
        text = f"Bridge 0.4.4, 1 page, connected at 01:{minute:02}"
        whole = face.horizontalAdvance(text)
        for width in range(whole - 2, whole + 3):
            assert " ".join(wrapped(text, face, width)) == text


def test_a_choice_without_room_ends_in_an_ellipsis(dressed: QApplication) -> None:
    narrow = Choice("Scene")
    narrow.addItem(LONG)
    narrow.addItem(LONG[:20])
    narrow.resize(120, narrow.height())
    shown = narrow.grab().toImage()
    narrow.setItemText(0, LONG + " that nobody sees")
    assert narrow.grab().toImage() == shown  # what is beyond the ellipsis is not painted
    assert narrow.view().textElideMode() is Qt.TextElideMode.ElideRight
    narrow.deleteLater()
