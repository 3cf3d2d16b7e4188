"""Other words in recaps, their pins and memories: one step, and all that was is there again."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from app.core.errors import UsageError
from app.memory.lifecycle.policy import Policy
from app.story.recap_texts.pinned import Pin
from app.story.recap_texts.replacing import Wording
from app.views.replacing import Part
from tests.labelled import WrittenTavern
from tests.memory_world import World, opened

RENAMED = Wording("Zora", "Beth")


@pytest_asyncio.fixture
async def world(demo_tavern: WrittenTavern, tmp_path: Path) -> AsyncIterator[World]:
    """A chat where Zora stands in a recap of each kind, in a pin and in a memory."""
    async with opened(demo_tavern, tmp_path / "own data") as world:
        companion, chat = world.companion, demo_tavern.chat
        await companion.put_setting("memory_auto", False)
        await companion.open_story(chat)
        await companion.settled(chat)
        story = companion.story(chat)
        assert story is not None
        closing = next(scene.closing for scene in story.scenes if scene.closing is not None)
        await companion.edits.edit_scene_recap(chat, closing.anchor, "Zora opens Zora's gate.")
        await companion.edits.edit_running_recap(chat, "Zora has the key.")
        await companion.edits.messages.edit(chat, story.messages[3].anchor, "Zora waits.")
        await companion.pins.pin(chat, Pin("Zora has the key.", "", story.messages[-1].anchor))
        await world.write(world.kept("Zora fears bees.", 2), world.kept("Nobody else.", 2))
        yield world


def told(world: World) -> dict[str, int]:
    """How often each name stands in what counts now."""
    companion, chat = world.companion, world.tavern.chat
    story = companion.story(chat)
    assert story is not None
    current = story.running.current
    recaps = [story.scene_recap(scene) for scene in story.scenes]
    texts = [
        *(recap.text for recap in recaps if recap is not None),
        *(recap.text for recap in story.message_recaps.values()),
        *(standing.memory.text for standing in companion.memory(chat).memories),
        *(pin.text for pin in companion.pins.of(chat)),
        current.content if current is not None else "",
    ]
    return {name: sum(text.count(name) for text in texts) for name in ("Zora", "Beth")}


async def test_all_texts_change_in_one_step_and_come_back_in_one(world: World) -> None:
    companion, chat = world.companion, world.tavern.chat
    before = told(world)
    assert before == {"Zora": 6, "Beth": 0}
    found = companion.replacing.finds(chat, RENAMED)
    assert told(world) == before
    assert found.texts == dict.fromkeys(Part, 1)
    example = next(one for one in found.examples if one.part is Part.MESSAGES)
    assert (example.index, example.before, example.after) == (3, "Zora waits.", "Beth waits.")
    made = await companion.replacing.replace(chat, RENAMED)
    assert made.texts == found.texts
    assert told(world) == {"Zora": 0, "Beth": 6}
    assert await companion.edits.undo_labels(chat) == ("“Beth” for “Zora”", "")
    await companion.edits.undo(chat)
    assert told(world) == before


async def test_versions_stay_and_what_was_folded_in_stays_folded_in(world: World) -> None:
    companion, chat = world.companion, world.tavern.chat
    story = companion.story(chat)
    assert story is not None
    closing = next(scene.closing for scene in story.scenes if scene.closing is not None)
    versions = story.recaps[closing.anchor]
    await companion.replacing.replace(chat, RENAMED, [Part.SCENES])
    story = companion.story(chat)
    assert story is not None
    now = story.recaps[closing.anchor]
    assert [recap.text for recap in now[:-1]] == [recap.text for recap in versions]
    assert now[-1].is_current
    assert (now[-1].made_by, now[-1].combined_at) == (
        versions[-1].made_by,
        versions[-1].combined_at,
    )
    running = story.running.current
    assert running is not None
    assert running.content == "Zora has the key."


async def test_what_is_only_read_here_is_not_changed(world: World) -> None:
    companion, chat = world.companion, world.tavern.chat
    await companion.memories.set_policy(chat, Policy.READ_ONLY)
    assert Part.MEMORIES not in companion.replacing.finds(chat, RENAMED).texts


async def test_words_that_find_nothing_are_no_step(world: World) -> None:
    companion, chat = world.companion, world.tavern.chat
    labels = await companion.edits.undo_labels(chat)
    assert (await companion.replacing.replace(chat, Wording("Zebra", "x"))).count == 0
    assert await companion.edits.undo_labels(chat) == labels
    for wrong in (Wording("  ", "x"), Wording("y" * 201, "x")):
        with pytest.raises(UsageError):
            companion.replacing.finds(chat, wrong)
