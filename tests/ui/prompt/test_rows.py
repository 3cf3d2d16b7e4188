"""A prompt as rows: also what fell out of it without anybody's doing is to be seen."""

from __future__ import annotations

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
from app.settings.slot_table import Position, Role, SlotName
from ui.prompt.cards import SlotCard
from ui.prompt.rows import coming_rows


def test_a_slot_that_tells_nothing_but_of_an_earlier_scene_is_shown_with_it() -> None:
    def rows(reason: Reason) -> list[str]:
        left_out = (LeftOut("goals: find the ring", reason),)
        content = SlotContent(SlotName.PROFILES.key, (), left_out, 0, 300, 0)
        shown = coming_rows(SlotSet(contents=(content,)), 5)
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
        rows = coming_rows(SlotSet((slot,), recap=recap), 5)
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
