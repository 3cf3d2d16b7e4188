"""Clearing a chat's memory: seven counts beforehand, one step, and all of it back by undo."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from app.companion import Companion, open_companion
from app.core.paths import user_folders
from app.story.break_search import Searched
from app.story.clearance import Clearance
from app.story.message_data import Mark
from app.story.messages import MessageRecap
from app.story.scenes import BreakOrigin
from app.story.story import Story
from tests.chat_files import message, write_chat

LENGTH = 24
BREAKS = (7, 15)


@pytest_asyncio.fixture
async def companion(tmp_path: Path) -> AsyncIterator[Companion]:
    async with open_companion(user_folders(tmp_path / "own data"), watch=False) as companion:
        yield companion


async def opened(companion: Companion, tmp_path: Path, *, by_itself: bool) -> Path:
    """A story with a bit of everything. by_itself: breaks and recaps are also found unasked."""
    texts = [f"Mira carried {n} lanterns to the harbour of Vell." for n in range(LENGTH)]
    texts[11] = "Mira falls asleep after the last page, and the candle burns out.\n\n***"
    texts[12] = "Three days later, riders reach the gates of Velm Castle under a grey sky."
    path = write_chat(tmp_path / "chat.jsonl", [message(n, text) for n, text in enumerate(texts)])
    for name in ("scene_breaks_auto", "message_recaps_auto"):
        await companion.put_setting(name, by_itself)
    story = await companion.open_story(path)
    anchors = [m.anchor for m in story.messages]
    for number, index in enumerate(BREAKS, 1):
        await companion.edits.scenes.mark(path, anchors[index], name=f"Scene {number}")
    await companion.settled(path)
    await companion.edits.messages.edit(path, anchors[2], "By hand.")
    await companion.edits.messages.mark(path, [anchors[3]], Mark.EXCLUDED)
    await companion.edits.edit_scene_recap(path, anchors[7], "They met.")
    store, chat_id = companion._store, companion._chats.required(path).chat_id
    searched = Searched(anchors[0], anchors[5], anchors[0], anchors[6], "digest", "a model", False)
    other = {anchors[2]: MessageRecap("Of another swipe.", source_hash="another text", swipe=1)}

    def unit() -> None:
        store.scenes.add_searched(chat_id, searched)
        store.recaps.save_message_recaps(chat_id, other)

    await store.run(unit)
    return path


def story_of(companion: Companion, path: Path) -> Story:
    story = companion.story(path)
    assert story is not None
    return story


async def test_seven_counts_say_what_would_go(companion: Companion, tmp_path: Path) -> None:
    path = await opened(companion, tmp_path, by_itself=False)
    counted = await companion.edits.clearance(path)
    assert counted == Clearance(
        messages=4,
        message_recaps=1,
        scene_recaps=2,
        scene_breaks=2,
        searched=1,
        swipe_recaps=1,
        running_versions=1,
    )
    assert counted.parts == (
        "4 messages with data",
        "1 message recap",
        "1 recap of another swipe",
        "2 scene breaks",
        "2 scene recaps",
        "1 stretch searched for breaks",
        "1 running recap version",
    )


@pytest.mark.weakness(53)
async def test_nothing_is_left_and_undo_brings_exactly_all_of_it_back(
    companion: Companion, tmp_path: Path
) -> None:
    path = await opened(companion, tmp_path, by_itself=False)
    before, counted = story_of(companion, path), await companion.edits.clearance(path)
    assert await companion.edits.clear_all(path) == counted
    await companion.settled(path)
    story = story_of(companion, path)
    assert (story.breaks, story.recaps, story.message_recaps) == ({}, {}, {})
    assert (story.running.versions, story.running.current) == ((), None)
    assert len(story.scenes) == 1
    assert not await companion.edits.clearance(path)
    assert await companion.edits.undo(path) == "clear everything"
    assert story_of(companion, path) == before
    assert await companion.edits.clearance(path) == counted
    assert await companion.edits.redo(path) == "clear everything"
    assert story_of(companion, path) == story


async def test_what_was_made_anew_gives_way_to_what_undo_brings_back(
    companion: Companion, tmp_path: Path
) -> None:
    path = await opened(companion, tmp_path, by_itself=True)
    await companion.settled(path)
    before = story_of(companion, path)
    await companion.edits.clear_all(path)
    anew = await companion.settled(path)
    assert [b.origin for b in anew.breaks.values()] == [BreakOrigin.HEURISTIC]
    assert anew.message_recaps[anew.messages[2].anchor].text != "By hand."
    assert anew.recaps
    await companion.edits.undo(path)
    companion.work.pause()
    assert story_of(companion, path) == before
    await companion.edits.redo(path)
    again = story_of(companion, path)
    assert (again.breaks, again.message_recaps) == (anew.breaks, anew.message_recaps)
    assert again.running == anew.running


async def test_a_chat_of_which_nothing_is_known_has_nothing_to_clear(
    companion: Companion, tmp_path: Path
) -> None:
    path = write_chat(tmp_path / "chat.jsonl", [message(0)])
    await companion.open_story(path)
    assert not await companion.edits.clear_all(path)
    assert await companion.edits.undo_labels(path) == ("", "")
