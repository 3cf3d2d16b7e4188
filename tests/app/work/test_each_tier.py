"""Each tier from what a model noted to what the next prompt tells, in one chat and in the next."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from app.memory.records import DocumentKind, Tier
from app.memory.standing import Status
from app.settings.slot_table import SlotName
from tests.app.prompt.remembered import text_of
from tests.chat_files import HEADER, message, write_chat
from tests.scripted_memory import Play, Script, playing

SMALL: dict[str, Any] = {"profiles_enabled": False, "canon_auto": False, "slots_refresh_every": 1}


async def told(play: Play, name: SlotName, path: Path | None = None) -> list[str]:
    """The lines of a slot of the next prompt, without its heading."""
    slots = await play.companion.slots(path or play.path)
    return [line.removeprefix("- ") for line in text_of(slots, name).splitlines()[1:] if line]


async def other_chat(play: Play) -> Path:
    """Another story with the same character, of a few words."""
    path = play.path.with_name("Mira - other.jsonl")
    header = HEADER | {"chat_metadata": {"integrity": "another"}}
    write_chat(path, [message(n, f"Another day, part {n}.") for n in range(3)], header)
    await play.companion.open_story(path)
    await play.companion.settled(path)
    return path


async def test_session_memories_of_all_types_stay_in_their_chat_and_are_noted_once(
    tmp_path: Path,
) -> None:
    script = Script(
        {
            "cellar": "[scene:2:session:sources={n}] The story goes on in a cold cellar.\n"
            "[revelation:3:session:sources={n}] Bram turns out to be the smuggler.\n"
            "[development:2:session:sources={n}] Mira has begun to trust Ana.\n"
            "[detail:2:session:sources={n}] A rope of green silk hangs from the beam.",
            "again": "[detail:2:session:sources={n}] A rope of green silk hangs from the old beam.",
        }
    )
    async with playing(tmp_path, script, **SMALL) as play:
        await play.add(
            "In the cellar Mira smiles, for she has begun to trust Ana. Bram turns out to be the "
            "smuggler. A rope of green silk hangs from the beam.",
            "I look about.",
            "And?",
            "Again the rope of green silk on the old beam.",
            "",
            "",
        )
        held = [s.memory for s in play.view.of(Tier.SESSION) if s.is_active]
        assert sorted(m.type for m in held) == ["detail", "development", "revelation", "scene"]
        assert sum("green silk" in m.text for m in held) == 1
        lines = await told(play, SlotName.SESSION)
        assert any("smuggler" in line for line in lines)
        assert any("green silk" in line for line in lines)
        there = await other_chat(play)
        assert not play.companion.memory(there).of(Tier.SESSION)
        assert "smuggler" not in "\n".join(await told(play, SlotName.SESSION, there))


async def test_long_term_memories_reach_other_chats_and_what_changed_replaces_what_was_so(
    tmp_path: Path,
) -> None:
    script = Script(
        {
            "lighthouse": "[fact:3:permanent:sources={n}] Mira lives in the old lighthouse.\n"
            "[event:2:permanent:sources={n}] Mira and Ana sank the smuggler's boat.\n"
            "[preference:2:permanent:sources={n}] Mira loves bitter tea.\n"
            "[fact:1:permanent:sources={n}] Mira might be a spy, perhaps.",
            "moved": "[fact:3:permanent:sources={n}] Mira no longer lives in the old lighthouse.",
        }
    )
    async with playing(tmp_path, script, **SMALL) as play:
        await play.add(
            "Mira lives in the old lighthouse and loves bitter tea. With Ana she sank the "
            "smuggler's boat. A spy, perhaps?",
            "",
            "",
            "Mira has moved out of the old lighthouse.",
            "",
            "",
        )
        by_text = {s.memory.text: s for s in play.view.of(Tier.LONG_TERM)}
        assert not any("spy" in text for text in by_text)  # a guess is no fact
        was = by_text["Mira lives in the old lighthouse."]
        now = by_text["Mira no longer lives in the old lighthouse."]
        assert (was.status, now.status) == (Status.ENDED, Status.ACTIVE)
        assert was.ending is not None
        assert was.ending.by == now.memory.id
        there = await other_chat(play)
        lines = await told(play, SlotName.LONG, there)
        assert "Mira loves bitter tea." in lines
        assert "Mira no longer lives in the old lighthouse." in lines
        assert "Mira lives in the old lighthouse." not in lines


async def test_an_arc_is_told_while_it_is_open_and_summed_up_when_it_ends(tmp_path: Path) -> None:
    script = Script(
        {
            "from the tower": "[arc:sources={n}] Who has taken the silver key from the tower?\n"
            "[arc:sources={n}] Will the ferry ever come back from Oss?",
            "stolen by Bram": "[resolved:sources={n}] Who has taken the silver key from the tower? "
            "| Bram stole the key and gave it back.",
        },
        {"INSUFFICIENT_EVIDENCE": "[1: RESOLVED] Bram stole the silver key and gave it back."},
    )
    async with playing(tmp_path, script, hardware_profile="b", **SMALL) as play:
        await play.add("The silver key is gone from the tower, the ferry from Oss.", "", "")
        assert len(await told(play, SlotName(Tier.ARCS))) == 2
        await play.add("The silver key was stolen by Bram.", "", "", "")
        assert await told(play, SlotName(Tier.ARCS)) == ["Will the ferry ever come back from Oss?"]
        found = next(s for s in play.view.of(Tier.ARCS) if "silver key" in s.memory.text)
        assert found.status is Status.ENDED
        texts = [d for d in play.view.documents if d.kind is DocumentKind.ARC_SUMMARY]
        assert [d.subject for d in texts] == [found.memory.id]


async def test_the_ledger_keeps_each_field_until_it_is_said_anew_or_cleared(tmp_path: Path) -> None:
    script = Script(
        {
            "limps in": "[state:Mira:character:sources={n}] location=the mill | injuries=a cut hand"
            " | mood=calm | hostility_level=high\n"
            "[state:Silver Key:object:sources={n}] owner=Mira | location=her pocket",
            "bandage": "[state:Mira:character:sources={n}] injuries=- | mood=glad\n"
            "[state:Silver Key:object:sources={n}] owner=Ana",
        }
    )
    async with playing(tmp_path, script, **SMALL) as play:
        await play.add("Mira limps in.", "", "")
        (line, _) = sorted(await told(play, SlotName.STATE_LEDGER))
        assert "a cut hand" in line
        assert "hostility" not in line
        await play.add("A bandage, and the key is mine.", "", "", "")
        mira, key = sorted(await told(play, SlotName.STATE_LEDGER))
        assert "location: the mill" in mira
        assert "mood: glad" in mira
        assert "cut hand" not in mira
        assert "owner: Ana" in key
        assert "owner: Mira" not in key
