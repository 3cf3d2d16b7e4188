"""Words to read and to write: each text comes in letters of its own."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from ui.controls.prose import Prose


def bold_lines(prose: Prose) -> list[str]:
    document = prose.document()
    blocks = [document.findBlockByNumber(n) for n in range(document.blockCount())]
    found = []
    for block in blocks:
        cursor = QTextCursor(block)
        cursor.movePosition(QTextCursor.MoveOperation.NextCharacter)
        if cursor.charFormat().font().pixelSize() == 12 and block.text():
            found.append(block.text())
    return found


def test_what_was_written_at_a_heading_does_not_make_all_later_texts_headings(
    dressed: QApplication,
) -> None:
    prose = Prose("Recap", has_headings=True)
    text = "STATE\nAnn is at the mill.\nBo sleeps."
    prose.set_text(text)
    headings = bold_lines(prose)
    assert headings == ["STATE"]
    prose.setReadOnly(False)
    prose.moveCursor(QTextCursor.MoveOperation.Start)
    QTest.keyClicks(prose, "They came. ")
    prose.set_text("Another recap.\n\nSTATE\nIt rains.")
    assert bold_lines(prose) == headings
    prose.set_text(text)
    assert bold_lines(prose) == headings


def test_what_is_written_before_a_heading_is_in_plain_letters(dressed: QApplication) -> None:
    prose = Prose("Recap", has_headings=True)
    prose.set_text("STATE\nAnn is at the mill.")
    prose.setReadOnly(False)
    prose.moveCursor(QTextCursor.MoveOperation.Start)
    QTest.keyClicks(prose, "They came.")
    QTest.keyClick(prose, Qt.Key.Key_Return)
    assert prose.toPlainText() == "They came.\nSTATE\nAnn is at the mill."
    assert bold_lines(prose) == ["STATE"]
