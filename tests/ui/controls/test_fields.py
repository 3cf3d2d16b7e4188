"""Fields show what is chosen in them."""

from __future__ import annotations

from PySide6.QtWidgets import QStyleOptionComboBox
from pytestqt.qtbot import QtBot

from ui.controls.fields import Choice


def test_a_list_is_as_wide_as_its_longest_word(qtbot: QtBot) -> None:
    """ "v11 neueste" stood as "v11 neue…" beside an empty margin."""
    choice = Choice("Versions")
    qtbot.addWidget(choice)
    choice.addItems(["v1", "v11  neueste", "Die Sprache der Geschichte, wo sie bekannt ist"])
    choice.resize(choice.sizeHint())
    choice.setCurrentIndex(2)
    option = QStyleOptionComboBox()
    choice.initStyleOption(option)
    assert choice._cut(option) == choice.currentText()
