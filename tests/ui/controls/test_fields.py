"""Fields show what is chosen in them."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QHBoxLayout,
    QLabel,
    QStyleOptionComboBox,
    QVBoxLayout,
    QWidget,
)
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


def test_a_brief_list_gets_the_room_that_longer_items_need(qtbot: QtBot) -> None:
    """From v10 on the field of versions showed an ellipsis alone."""
    row, choice = QWidget(), Choice("Versions", is_brief=True)
    qtbot.addWidget(row)
    line = QHBoxLayout(row)
    line.addWidget(QLabel("Running recap"), 1)
    line.addWidget(choice)
    choice.addItem("v1")
    row.resize(300, 40)
    row.show()
    before = choice.width()
    choice.clear()
    choice.addItems(["v1024", "v1"])
    qtbot.waitUntil(lambda: choice.width() == choice.sizeHint().width() > before)


def test_an_open_list_shows_each_item_whole_and_twenty_of_them(qtbot: QtBot) -> None:
    """Ten lines of "The breathing and the…" were to be chosen from."""
    choice = Choice("Scene")
    qtbot.addWidget(choice)
    choice.addItems([f"{n}  The breathing and the long way down to the harbour" for n in range(40)])
    choice.setFixedWidth(200)
    choice.show()
    choice.showPopup()
    view = choice.view()
    assert view.viewport().width() >= view.sizeHintForColumn(0)
    assert view.viewport().height() >= 20 * view.sizeHintForRow(0)
    choice.hidePopup()


def test_what_is_typed_finds_an_item_though_the_list_changes_meanwhile(qtbot: QtBot) -> None:
    """While a chat is worked on its scenes get their names: the open list was made anew with each,
    and what had been looked for in it was lost.
    """
    choice = Choice("Scene")
    qtbot.addWidget(choice)
    choice.addItems([f"{n}  Scene" for n in range(1, 100)])
    choice.setCurrentIndex(98)
    taken: list[str] = []
    choice.activated.connect(lambda place: taken.append(choice.itemText(place)))

    def fill() -> None:
        choice.clear()
        choice.addItems([f"{n}  Named" for n in range(100)])

    choice.show()
    choice.showPopup()
    qtbot.keyClicks(choice.view(), "86")
    choice.fill(fill)
    qtbot.keyClick(choice.view(), Qt.Key.Key_Return)
    assert taken == ["86  Scene"]
    qtbot.waitUntil(lambda: choice.itemText(86) == "86  Named")


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
