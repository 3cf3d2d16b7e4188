"""The demo story shows what memory is for, and what is done to its memories stays done."""

from __future__ import annotations

from pathlib import Path

from app.companion import open_companion
from app.core.paths import user_folders
from app.memory.records import Tier
from app.work.demo.demo_memories import MADE_BY


async def test_the_demo_opens_with_its_memories_once(tmp_path: Path) -> None:
    folders = user_folders(tmp_path / "own")
    tavern = tmp_path / "data"
    (tavern / "default-user" / "chats").mkdir(parents=True)
    (tavern / "default-user" / "characters").mkdir()
    for is_first in (True, False):
        async with open_companion(
            folders, tavern=tavern, llm="builtin", watch=False, keeps_memory=True
        ) as companion:
            path = companion.demo.path
            await companion.open_story(path)
            await companion.settled(path)
            memories = [s.memory for s in companion.memory(path).memories]
            if is_first:
                assert {m.tier for m in memories} == set(Tier)
                assert MADE_BY in {m.made_by for m in memories}
                await companion.memories.clear_tier(path, Tier.SESSION)
                await companion.open_story(path)
                assert not companion.memory(path).of(Tier.SESSION)
            else:
                assert {m.tier for m in memories} == set(Tier) - {Tier.SESSION}


async def test_recaps_alone_need_no_memories_of_the_demo(tmp_path: Path) -> None:
    tavern = tmp_path / "data"
    (tavern / "default-user" / "chats").mkdir(parents=True)
    (tavern / "default-user" / "characters").mkdir()
    folders = user_folders(tmp_path / "own")
    async with open_companion(folders, tavern=tavern, llm="builtin", watch=False) as companion:
        await companion.open_story(companion.demo.path)
        assert companion.memory(companion.demo.path).memories == ()
