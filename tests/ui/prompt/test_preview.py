"""The rows of a prompt, one below the other."""

from __future__ import annotations

from dataclasses import replace

from pytestqt.qtbot import QtBot

from app.prompt.slots import RUNNING_RECAP_KEY, LeftOut, Reason, SlotContent, SlotSet
from app.prompt.turns import Share, Wire
from tests.prompt_turns import LONG, slot
from ui.prompt.preview import PromptPreview
from ui.prompt.rows import PromptRow, coming_rows

NOTE = "From version v18: what happened as version v16 tells it. " * 3


def row(key: str, lines: int) -> PromptRow:
    one = replace(slot(LONG, "\n".join(f"Line {n} of the text." for n in range(lines))), key=key)
    return PromptRow("Recap", Share.SLOT, one.tokens, one.text, NOTE, one)


def test_a_part_of_which_all_was_left_out_is_not_called_empty_alone(qtbot: QtBot) -> None:
    """ "Empty: nothing is set here." stood above "1 left out"."""
    preview = PromptPreview("nothing")
    qtbot.addWidget(preview)
    bare = replace(slot(LONG, ""), key="a")
    content = SlotContent("a", (), (LeftOut("The bridge fell.", Reason.BUDGET),), 0, 10, 5)
    preview.show_rows([PromptRow("Facts", Share.SLOT, 0, "", "", bare, content)], None)
    assert preview.cards["a"].exact_text == "All of it was left out."


def test_a_recap_of_a_chat_that_is_sent_whole_says_who_tells_it() -> None:
    bare = replace(slot(LONG, ""), key=RUNNING_RECAP_KEY)
    (note,) = (
        row.note
        for row in coming_rows(SlotSet((bare,), whole_recap=201), 69, Wire.CHAT)
        if row.slot is not None
    )
    assert note == "The messages that are sent tell all of it."


def test_a_text_that_grew_pushes_down_what_stands_below_it(qtbot: QtBot) -> None:
    preview = PromptPreview("nothing")
    qtbot.addWidget(preview)
    preview.resize(930, 520)
    preview.show()
    preview.show_rows([row("a", 3), row("b", 4)], None)
    card = preview.cards["a"]
    qtbot.waitUntil(lambda: card._passages.y() > card._text.geometry().bottom() > 0)
    short = card._text.height()
    preview.show_rows([row("a", 12), row("b", 4)], None)

    def has_grown() -> None:
        text, note = card._text.geometry(), card._passages.geometry()
        assert text.height() > short
        assert text.bottom() < note.top()
        assert note.bottom() < card.whole.geometry().top()
        assert card.geometry().bottom() < preview.cards["b"].geometry().top()

    qtbot.waitUntil(has_grown)
