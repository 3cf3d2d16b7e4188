"""The examples and tables of seeds 000 to 002, as spec/auto-recap.md §10 corrects them.

What seed 003 shows stands in test_message_data_examples.py, the golden numbers where their rules
are tested.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from app.companion import Companion, open_companion
from app.core.paths import user_folders
from app.core.resources import RESOURCES
from app.llm.tokenizer import counter_for
from app.prompt.rendering.recap_slots import running_recap_slot
from app.prompt.slots import Slot
from app.settings.recaps import RecapSettings
from app.settings.slot_table import Position, Role
from app.settings.values import REGISTRY, Settings
from app.sillytavern.bridge.bridge_protocol import EVENTS
from app.work.chats import open_chats
from app.work.chats.mirroring import mirror
from tests.app.prompt.remembered import story
from tests.labelled import WrittenTavern

RECAP = "## Characters\nAlice: Warrior princess\n\n## Locations\nKingdom of Light"


def settings(**values: Any) -> dict[str, Any]:
    return {name: setting.default for name, setting in REGISTRY.items()} | values


def slot(recap: str, **values: Any) -> Slot:
    told = story(running=recap)
    count = counter_for().count
    return running_recap_slot(told, settings(**values), budget=1000, count=count)


# --- seed 000


@pytest.mark.weakness(23)
def test_flow_5_without_a_choice_ten_percent_of_the_context_are_819_tokens() -> None:
    """§10, 21: the code had no default, and so no limit."""
    assert RecapSettings(settings()).inclusion_rules(8192).limit_tokens == 819
    absolute = settings(inclusion_limit_type="tokens", inclusion_limit=700)
    assert RecapSettings(absolute).inclusion_rules(8192).limit_tokens == 700


def test_saves_wait_a_second_and_frequent_refreshes_300_milliseconds() -> None:
    """§10, 5: seed 002 says 300 of what is 1000, "typically 300ms" of refreshes."""
    assert mirror.DEBOUNCE_SECONDS == 1.0
    assert open_chats.REFRESH_SECONDS == 0.3


# --- seed 001


def test_the_settings_of_the_injection_have_the_defaults_of_the_table() -> None:
    """§10, 1 to 4: 2 stands before the main prompt."""
    told = slot(RECAP)
    assert (told.position, told.depth, told.role, told.scan) == (
        *(Position.BEFORE_PROMPT, 2, Role.SYSTEM, False),
    )
    assert told.key == "auto_recap_memory_scene"
    placed = {"position": 1, "depth": 0, "role": 2, "scan": True}
    told = slot(RECAP, **{f"running_recap_{name}": value for name, value in placed.items()})
    assert (told.position, told.depth, told.role, told.scan) == (
        *(Position.IN_CHAT, 0, Role.ASSISTANT, True),
    )


TRIGGERS = {
    "CHAT_CHANGED": "chat_changed",
    "MESSAGE_SENT": "message_sent",
    "MESSAGE_RECEIVED": "message_received",
    "MESSAGE_EDITED": "message_edited",
    "MESSAGE_SWIPED": "message_swiped",
    "MESSAGE_DELETED": "message_deleted",
    "MORE_MESSAGES_LOADED": "more_loaded",
    "CHAT_RENAMED": "chat_renamed",
}


def test_every_trigger_is_heard_by_the_bridge_and_known_to_the_program() -> None:
    """What each of them does is tested in test_link.py and in a real SillyTavern."""
    heard = (RESOURCES / "bridge" / "events.js").read_text(encoding="utf-8")
    told = dict(re.findall(r"^    (\w+): \['(\w+)'", heard, re.MULTILINE))
    assert {constant: told.get(constant) for constant in TRIGGERS} == TRIGGERS
    assert set(TRIGGERS.values()) | {"refresh_asked"} <= EVENTS
    commands = (RESOURCES / "bridge" / "commands.js").read_text(encoding="utf-8")
    assert "name: 'recap-refresh-memory'" in commands


# --- seed 002


@pytest.mark.weakness(22)
def test_example_2_the_recap_stands_in_its_frame() -> None:
    frame = "=== STORY CONTEXT ===\n\n{{running_recap}}\n\n=== END CONTEXT ==="
    told = slot(RECAP, running_recap_template=frame)
    assert told.text == f"=== STORY CONTEXT ===\n\n{RECAP}\n\n=== END CONTEXT ==="
    assert slot(RECAP, running_recap_template="  ").text == RECAP
    twice = slot("Here.", running_recap_template="{{running_recap}} {{running_recap}}")
    assert twice.text == "Here. Here."
    odd = "It cost $& and $1, $$5 or \\1 \\g<0> a lamp."
    assert slot(odd, running_recap_template="<{{running_recap}}>").text == f"<{odd}>"


def test_example_3_on_for_all_chats_off_for_one_and_back_to_what_holds_for_all() -> None:
    wishes = Settings()
    assert wishes.for_chat(789)["running_recap_enabled"] is True
    wishes.put("running_recap_enabled", False, chat_id=123)
    wishes.put("running_recap_enabled", True, chat_id=456)
    assert wishes.for_chat(123)["running_recap_enabled"] is False
    assert wishes.for_chat(456)["running_recap_enabled"] is True
    wishes.put("running_recap_enabled", False)
    assert wishes.for_chat(789)["running_recap_enabled"] is False
    assert wishes.for_chat(456)["running_recap_enabled"] is True


@pytest_asyncio.fixture
async def companion(
    demo_tavern: WrittenTavern, tmp_path: Path
) -> AsyncIterator[tuple[Companion, Path]]:
    folders = user_folders(tmp_path / "own")
    async with open_companion(folders, tavern=demo_tavern.user_folder, watch=False) as opened:
        await opened.open_story(demo_tavern.chat)
        await opened.settled(demo_tavern.chat)
        yield opened, demo_tavern.chat


async def test_examples_1_and_5_a_chat_is_told_its_recap_until_it_is_switched_off(
    companion: tuple[Companion, Path],
) -> None:
    program, path = companion

    async def text() -> str:
        told = (await program.slots(path)).slots
        return next((s.text for s in told if s.key == "auto_recap_memory_scene"), "")

    story_now = program.story(path)
    assert story_now is not None
    assert story_now.running.current is not None
    assert story_now.running.current.content in await text()
    await program.put_setting("running_recap_enabled", False, path=path)
    assert await text() == ""
    await program.put_setting("running_recap_enabled", True, path=path)
    assert story_now.running.current.content in await text()
