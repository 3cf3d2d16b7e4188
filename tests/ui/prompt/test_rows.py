"""A prompt as rows: also what fell out of it without anybody's doing is to be seen."""

from __future__ import annotations

from app.prompt.slots import LeftOut, Reason, SlotContent, SlotSet
from app.settings.slot_table import SlotName
from ui.prompt.rows import coming_rows


def test_a_slot_that_tells_nothing_but_of_an_earlier_scene_is_shown_with_it() -> None:
    def rows(reason: Reason) -> list[str]:
        left_out = (LeftOut("goals: find the ring", reason),)
        content = SlotContent(SlotName.PROFILES.key, (), left_out, 0, 300, 0)
        shown = coming_rows(SlotSet(contents=(content,)), 5)
        return [row.slot.key for row in shown if row.slot is not None and row.content is content]

    assert rows(Reason.PAST) == [SlotName.PROFILES.key]
    assert rows(Reason.ELSEWHERE) == []
