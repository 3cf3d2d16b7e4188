"""Who was away is not told what changed meanwhile; who was there, is."""

from __future__ import annotations

from pathlib import Path

from app.prompt.generation import Turn
from app.settings.slot_table import SlotName
from tests.chat_files import message
from tests.scripted_memory import Play, Script, playing

LINES = {
    "sit in the mill": "[present:sources={n}] Ana, Mira, Tam | the mill",
    "into the jar": "[state:silver ring:object:sources={n}] location=clay jar",
    "Tam goes out": "[leave:sources={n}] Tam | the mill",
    "into the chest": (
        "[state:silver ring:object:sources={n}] location=oak chest\n"
        "[event:3:permanent:sources={n}] Mira hid the silver ring in the oak chest."
    ),
    "Tam comes in": "[enter:sources={n}] Tam | the mill",
}
TOLD = (
    "Ana, Mira and Tam sit in the mill.",
    "Mira puts the silver ring into the jar.",
    "Tam goes out for wood.",
    "Mira puts the silver ring into the chest.",
    "“And now?” I ask.",
    "“Now we wait,” says Mira.",
)


async def prompt_of(play: Play, name: str) -> dict[str, str]:
    slots = await play.companion.slots(play.path, turn=Turn(name))
    return {slot.key: slot.text for slot in slots.slots}


async def test_who_was_away_believes_what_was_so_before_and_is_not_told_more(
    tmp_path: Path,
) -> None:
    async with playing(tmp_path, Script(LINES)) as play:
        play.messages += [message(n, text, name="Mira") for n, text in enumerate(TOLD)]
        await play.follow()
        away, there = await prompt_of(play, "Tam"), await prompt_of(play, "Mira")
        knowing = SlotName.EPISTEMIC.key
        assert "silver ring, location: clay jar" in away[knowing]
        assert "oak chest" in "".join(there.values())
        for key in (SlotName.STATE_LEDGER.key, SlotName.LONG.key, SlotName.TRIGGERED.key):
            assert "oak chest" not in away.get(key, "")
        hidden = play.standing("Mira hid").memory
        assert set(hidden.witnessed_by) == {"Ana", "Mira"}

        play.messages += [
            message(n, text, name="Mira")
            for n, text in enumerate(("Tam comes in.", "He nods.", "We eat."), len(TOLD))
        ]
        await play.follow()
        back = await prompt_of(play, "Tam")
        assert "oak chest" in "".join(back.values())
        assert "clay jar" not in back.get(knowing, "")
