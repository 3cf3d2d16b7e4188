"""Mirroring with nothing faked: the companion, its bridge, and a real SillyTavern with its page."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from app.companion import open_companion
from app.paths import user_folders
from tests.e2e.conftest import RunningTavern
from tests.e2e.page import CONTEXT, TavernPage

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.timeout(180),
]

NS = "auto_recap_memory"


async def test_what_tavernkeep_knows_is_in_the_page_and_in_the_file_it_saved(
    tavern: RunningTavern, page: TavernPage, tmp_path: Path
) -> None:
    folders = user_folders(tmp_path / "own data")
    path = tavern.chat_path("Mill")
    await page.open_chat("Mill")
    async with open_companion(folders, tavern=tavern.user_folder) as companion:
        story = await companion.open_story(path)
        await companion.put_setting("scene_minimum_length", 1)
        await companion.put_setting("running_recap_leave_out", 0)
        await companion.edits.mark_break(path, story.messages[1].anchor, name="At the mill")
        await companion.settled(path)
        assert NS not in path.read_text()
        await companion.put_setting("mirror_to_chat", True)
        await companion.put_setting("auto_hide_scenes", 1)
        await page.page.wait_for_function(
            f"() => {CONTEXT}.chat[1].is_system && {CONTEXT}.chat[1].extra.{NS}?.scene_recap_hash",
            timeout=60_000,
        )
        await page.page.wait_for_function(f"() => !{CONTEXT}.chat[2].is_system")
        await until(lambda: '"hidden":true' in path.read_text())
        header, first, second, *_ = map(json.loads, path.read_text().splitlines())
        block = second["extra"][NS]
        assert (block["scene_break"], block["scene_break_name"]) == (True, "At the mill")
        assert block["scene_recap_versions"] == [block["scene_recap_memory"]]
        assert (first["is_system"], second["is_system"]) == (True, True)
        storage = header["chat_metadata"]["auto_recap_running_scene_recaps"]
        assert (storage["chat_id"], storage["versions"][-1]["new_scene_index"]) == ("Mill", 1)
        await companion.put_setting("auto_hide_scenes", -1)
        await until(lambda: '"is_system":true' not in path.read_text())
        # Said a moment after the file: the writer looks once more whether all is in it.
        await until(lambda: "Mill" not in companion.health.sillytavern.sentence)


async def until(found: Callable[[], bool], seconds: float = 20.0) -> None:
    """Look again and again until it is so."""
    async with asyncio.timeout(seconds):
        while not found():  # noqa: ASYNC110
            await asyncio.sleep(0.1)
