"""What fails in a part is said by the companion, for as long as it lives."""

from __future__ import annotations

import gc
from pathlib import Path

from app.companion import open_companion
from app.core.paths import user_folders
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
