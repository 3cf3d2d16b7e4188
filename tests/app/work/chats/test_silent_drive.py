"""SillyTavern on a network drive: what changes there is found by looking, and that is said."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from app.companion import open_companion
from app.core import folder_watcher
from app.core.paths import user_folders
from app.work.chats import library
from tests.labelled import WrittenTavern


async def deaf(*_: Any, **options: Any) -> AsyncGenerator[set[Any], None]:
    """Such a drive's events."""
    while True:
        await asyncio.sleep(options["timeout_ms"] / 1000)
        yield set()


@pytest.mark.slow
async def test_a_chat_that_another_machine_writes_is_read_and_the_drive_named(
    tmp_path: Path, demo_tavern: WrittenTavern, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library, "is_silent", lambda _: True)
    monkeypatch.setattr(library, "LOOK_SECONDS", 0.2)
    monkeypatch.setattr(folder_watcher, "folder_events", deaf)
    async with open_companion(
        user_folders(tmp_path / "own"), tavern=demo_tavern.user_folder, llm="builtin"
    ) as companion:
        assert "its drive does not report changes" in companion.health.sillytavern.sentence

        def length() -> int:
            story = companion.story(demo_tavern.chat)
            return 0 if story is None else len(story.messages)

        await companion.open_story(demo_tavern.chat)
        before = length()
        *lines, last = demo_tavern.chat.read_text("utf-8").splitlines()
        demo_tavern.chat.write_text("\n".join([*lines, last, last]), "utf-8")
        async with asyncio.timeout(20):
            while length() == before:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
