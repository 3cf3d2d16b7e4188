"""Fields show what is chosen in them."""

from __future__ import annotations

from PySide6.QtWidgets import QAbstractButton, QStyleOptionComboBox, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from ui.controls.fields import Choice, ChoiceCard, Segments


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


def test_words_beside_cards_and_the_cards_turn_each_other_off_no_more(qtbot: QtBot) -> None:
    """In the first run two chats stood as chosen, once a part of the plan was."""
    step = QWidget()
    qtbot.addWidget(step)
    parts = Segments("What is done", {"all": "All", "recaps": "Recaps"})
    cards = [ChoiceCard(name, "") for name in ("Ada", "Bert", "Clara")]
    column = QVBoxLayout(step)
    for widget in (parts, *cards):
        column.addWidget(widget)
    words = parts.findChildren(QAbstractButton)
    for card in (*cards, *reversed(cards)):
        for word in words:
            word.click()
            card.click()
            assert [one for one in cards if one.isChecked()] == [card]
            assert [one for one in words if one.isChecked()] == [word]
