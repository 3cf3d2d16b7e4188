"""What fails in a part is said by the companion, for as long as it lives."""

from __future__ import annotations

import asyncio
import gc
from pathlib import Path

import pytest

from app import watched_parts
from app.companion import open_companion
from app.core.part_health import Health, Light
from app.core.paths import user_folders
from app.work.scheduling import health
from tests.chat_files import message, write_chat
from tests.fakes import MODEL, FakeLlm
from tests.labelled import WrittenTavern


async def test_what_fails_in_a_part_is_heard_of(demo_tavern: WrittenTavern, tmp_path: Path) -> None:
    folders = user_folders(tmp_path / "own data")
    async with open_companion(folders, tavern=demo_tavern.user_folder) as companion:
        gc.collect()
        said: list[tuple[Path, str]] = []
        companion.trouble.connect(lambda trouble: said.append(trouble))
        chat = demo_tavern.user_folder / "chats" / "a.jsonl"
        companion._chats.failed.emit((chat, "The chat is broken."))
        companion.prompts.broken.emit("A prompt is broken.")
        companion._link.refused.emit((chat, "smart_memory_long"))
    about = [(chat, "The chat is broken."), (companion.prompts.folder, "A prompt is broken.")]
    assert said[:2] == about
    assert said[2][0] == chat
    assert "smart_memory_long" in said[2][1]


async def test_an_error_of_work_that_ended_is_told_for_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing else happened, and the window and SillyTavern's page told of it for minutes."""
    for module in (watched_parts, health):
        monkeypatch.setattr(module, "TOLD_SECONDS", 0.3)
    path = write_chat(tmp_path / "chat.jsonl", [message(number) for number in range(40)])
    with FakeLlm(lambda _: "The night was long, and nobody spoke.") as llm:
        async with open_companion(
            user_folders(tmp_path / "own"), llm=f"openai:{MODEL}@{llm.url}", watch=False
        ) as companion:
            await companion.put_setting("scene_detector", "model")
            await companion.put_setting("memory_auto", False)
            said: list[Health] = []
            companion.health_changed.connect(lambda one: said.append(one))
            await companion.open_story(path)
            await companion.breaks.begin(path)
            await companion.settled(path)
            async with asyncio.timeout(10):
                while not said or said[-1].backend.light is Light.BAD:  # noqa: ASYNC110
                    await asyncio.sleep(0.05)
            assert any(one.backend.light is Light.BAD for one in said)
            assert said[-1] == companion.health
