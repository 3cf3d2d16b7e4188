"""A prompt as rows: also what fell out of it without anybody's doing is to be seen."""

from __future__ import annotations

from PySide6.QtGui import QAction
from pytestqt.qtbot import QtBot

from app.prompt.slots import (
    RUNNING_RECAP_KEY,
    LeftOut,
    Reason,
    RecapShown,
    Slot,
    SlotContent,
    SlotSet,
)
from app.prompt.turns import Wire
from app.settings.slot_table import Position, Role, SlotName
from ui.controls.labels import Label
from ui.inspector.next_prompt import NextPrompt
from ui.prompt.cards import SlotCard
from ui.prompt.rows import coming_rows


def test_a_slot_that_tells_nothing_but_of_an_earlier_scene_is_shown_with_it() -> None:
    def rows(reason: Reason) -> list[str]:
        left_out = (LeftOut("goals: find the ring", reason),)
        content = SlotContent(SlotName.PROFILES.key, (), left_out, 0, 300, 0)
        shown = coming_rows(SlotSet(contents=(content,)), 5, Wire.CHAT)
        return [row.slot.key for row in shown if row.slot is not None and row.content is content]

    assert rows(Reason.PAST) == [SlotName.PROFILES.key]
    assert rows(Reason.ELSEWHERE) == []


def test_the_running_recap_names_its_version_and_what_others_tell_of_it(qtbot: QtBot) -> None:
    """It stood there with another version's text and without what was open, unexplained."""
    slot = Slot(
        RUNNING_RECAP_KEY, Position.IN_PROMPT, 0, Role.SYSTEM, False, "It rained.", 4, 1_000, 4
    )

    def words(recap: RecapShown) -> str:
        card = SlotCard()
        qtbot.addWidget(card)
        rows = coming_rows(SlotSet((slot,), recap=recap), 5, Wire.CHAT)
        card.show_row(next(row for row in rows if row.slot is slot))
        return card.passages_text

    assert words(RecapShown(238, 238)) == "From version v239."
    whole = words(RecapShown(238, 238, (), 30))
    assert whole.endswith(
        "Of its 30 tokens, 4 are in the prompt; 26 are told by the messages or by other parts."
    )
    told = words(RecapShown(238, 229, ("state", "open")))
    assert told.startswith("From version v239; events up to version v230")
    assert told.endswith("Open threads and how things stand are told by other parts.")


def test_what_other_chats_say_stands_in_italics_and_is_counted(qtbot: QtBot) -> None:
    """Lines of unrelated stories stood among those of this one, as if they were of it."""
    key, lines = SlotName.LONG.key, "- The well is deep.\n- The ford is closed."
    slot = Slot(key, Position.IN_PROMPT, 0, Role.SYSTEM, False, lines, 8, 100, 8)
    foreign = ("- The ford is closed.",)
    content = SlotContent(key, ("a", "b"), (), 8, 100, 8, elsewhere=foreign)
    card = SlotCard()
    qtbot.addWidget(card)
    slots = SlotSet((slot,), contents=(content,))
    card.show_row(next(row for row in coming_rows(slots, 5, Wire.CHAT) if row.slot is slot))
    assert card.passages_text == "1 memory of another chat, in italics."
    assert card.exact_text == lines
    looks = {
        line: cursor.charFormat().fontItalic()
        for line in lines.splitlines()
        if (cursor := card._text.document().find(line)) is not None
    }
    assert list(looks.values()) == [False, True]
    pane = NextPrompt(QAction("See the exact text"))
    qtbot.addWidget(pane)
    pane.show_slots(slots, "")
    (name,) = pane.area.findChildren(Label)
    assert name.toolTip().endswith("1 of another chat")
