"""What the user does to messages in SillyTavern's page, and what becomes of the memory of them."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from app.prompt.slots import RUNNING_RECAP_KEY
from app.work.chats.open_chats import LONGEST_REFRESH_SECONDS
from tests.e2e.conftest import RunningTavern
from tests.e2e.memory import Memory, open_memory
from tests.e2e.page import CONTEXT, TavernPage

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.timeout(120),
]

THINGS = [f"item-{number}" for number in range(20)]


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def memory(
    tavern: RunningTavern, page: TavernPage, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Memory]:
    async with open_memory(tavern, page, tmp_path_factory.mktemp("own data")) as memory:
        yield memory


async def test_an_edit_makes_its_scene_be_recapped_anew(
    tavern: RunningTavern, page: TavernPage, memory: Memory
) -> None:
    await memory.write(tavern.chat_path("Edited"), 8, breaks=(1, 3, 5))
    assert memory.scene_things()[2] == THINGS[4:6]
    asked = memory.requests
    await page.edit(4, "There was item-new here.")
    await memory.until(lambda: memory.scene_things()[2] == ["item-new", "item-5"])
    await memory.settled()
    assert memory.requests == asked + 1
    assert memory.stale() == []
    # The newest closed scene is not folded in yet: what the prompt gets is as before.
    await memory.slot_tells(*THINGS[:4])


async def test_an_edit_in_what_is_folded_in_shows_as_stale_and_asks_nothing(
    tavern: RunningTavern, page: TavernPage, memory: Memory
) -> None:
    await memory.write(tavern.chat_path("Edited early"), 6, breaks=(1, 3))
    asked = memory.requests
    await page.edit(0, "There was item-new here.")
    await memory.until(lambda: memory.stale() == [1])
    await memory.settled()
    assert memory.requests == asked
    await memory.slot_tells(*THINGS[:2])
    await page.edit(0, "There was item-0 in Edited early.")
    await memory.until(lambda: memory.stale() == [])


async def test_a_swipe_back_brings_its_recap_back_without_a_request(
    tavern: RunningTavern, page: TavernPage, memory: Memory
) -> None:
    anchors = await memory.write(tavern.chat_path("Swiped"), 5, breaks=(1, 4))
    await memory.companion.edits.messages.write(memory.path, anchors[4:])
    await memory.until(lambda: "item-4" in memory.message_recap(anchors[4]).text)
    await memory.settled()
    page.llm.reply = lambda request: "There was item-other instead."
    await page.swipe("right", 1)
    await memory.until(lambda: memory.scene_things()[1] == [*THINGS[2:4], "item-other"])
    await memory.settled()
    message = memory.story.messages[4]
    assert (message.anchor, message.swipe, message.swipes) == (anchors[4], 1, 2)
    assert memory.message_recap(anchors[4]).source_hash != message.content_hash
    asked = memory.requests
    await page.swipe("left", 0)
    await memory.until(lambda: memory.scene_things()[1] == THINGS[2:5])
    await memory.settled()
    message = memory.story.messages[4]
    assert (message.anchor, message.swipe) == (anchors[4], 0)
    assert memory.message_recap(anchors[4]).source_hash == message.content_hash
    assert memory.requests == asked
    assert memory.stale() == []
    await page.swipe("right", 1)
    await memory.until(lambda: memory.scene_things()[1] == [*THINGS[2:4], "item-other"])
    await memory.settled()
    assert memory.requests == asked


async def test_a_deleted_message_in_the_middle_leaves_the_others_who_they_are(
    tavern: RunningTavern, page: TavernPage, memory: Memory
) -> None:
    anchors = await memory.write(tavern.chat_path("Cut"), 8, breaks=(1, 3, 5))
    asked = memory.requests
    await page.delete(4)
    await memory.until(lambda: len(memory.story.messages) == 7)
    assert [m.anchor for m in memory.story.messages] == anchors[:4] + anchors[5:]
    await memory.until(lambda: memory.scene_things()[2] == ["item-5"])
    await memory.settled()
    assert memory.requests == asked + 1
    assert [(s.first, s.last) for s in memory.story.scenes] == [(0, 1), (2, 3), (4, 4), (5, 6)]
    await memory.slot_tells(*THINGS[:4])


async def test_the_last_message_deleted_plans_nothing(
    tavern: RunningTavern, page: TavernPage, memory: Memory
) -> None:
    await memory.write(tavern.chat_path("Shortened"), 6, breaks=(1, 3))
    asked = memory.requests
    await page.delete(5)
    await memory.until(lambda: len(memory.story.messages) == 5)
    await memory.settled()
    assert (memory.requests, memory.planned(), memory.stale()) == (asked, [], [])
    await memory.slot_tells(*THINGS[:2])


async def test_what_is_deleted_to_the_end_takes_its_versions_out_of_the_prompt(
    tavern: RunningTavern, page: TavernPage, memory: Memory
) -> None:
    await memory.write(tavern.chat_path("Deleted"), 8, breaks=(1, 3, 5))
    await memory.slot_tells(*THINGS[:4])
    asked = memory.requests
    await page.delete_from(3)
    await memory.until(lambda: len(memory.story.messages) == 3)
    await memory.slot_tells(*THINGS[:2])
    await memory.settled()
    assert memory.requests == asked
    assert len(memory.story.running.versions) == 2  # and nothing is thrown away


async def test_hiding_and_showing_in_the_page_arrives_and_costs_nothing(
    tavern: RunningTavern, page: TavernPage, memory: Memory
) -> None:
    await memory.write(tavern.chat_path("Hidden"), 6, breaks=(1, 3))
    asked = memory.requests
    await page.slash("/hide 1-2")
    await memory.until(lambda: memory.story.messages[1].is_hidden)
    assert [m.is_hidden for m in memory.story.messages] == [False, True, True, False, False, False]
    await page.slash("/unhide 1")
    await memory.until(lambda: not memory.story.messages[1].is_hidden)
    assert memory.story.messages[2].is_hidden
    await memory.settled()
    assert (memory.requests, memory.planned(), memory.stale()) == (asked, [], [])
    await memory.slot_tells(*THINGS[:2])


async def test_messages_moved_and_inserted_keep_who_they_are(
    tavern: RunningTavern, page: TavernPage, memory: Memory
) -> None:
    anchors = await memory.write(tavern.chat_path("Moved"), 8, breaks=(1, 3))
    asked = memory.requests
    await page.move_up(6)
    await memory.until(
        lambda: memory.texts[5:7] == [f"There was {THINGS[i]} in Moved." for i in (6, 5)]
    )
    order = [*anchors[:5], anchors[6], anchors[5], anchors[7]]
    assert [message.anchor for message in memory.story.messages] == order
    # As extensions do: into the array, drawn, saved, and no event at all.
    await page.evaluate(
        f"""async () => {{
            const context = {CONTEXT};
            const line = {{ name: 'Seraphina', mes: 'It was an aside.', extra: {{}} }};
            line.send_date = new Date().toISOString();
            context.chat.splice(5, 0, line);
            await context.saveChat();
        }}"""
    )
    await memory.until(lambda: len(memory.story.messages) == 9)
    found = [message.anchor for message in memory.story.messages]
    assert found[:5] + found[6:] == order
    assert found[5] not in anchors
    await memory.settled()
    assert (memory.requests, memory.stale()) == (asked, [])
    await memory.slot_tells(*THINGS[:2])


@pytest.mark.parametrize("how", ["slash command", "button"])
async def test_a_refresh_by_hand_reads_again_and_sets_the_slots_anew(
    tavern: RunningTavern, page: TavernPage, memory: Memory, how: str
) -> None:
    path = tavern.chat_path(f"Refreshed by {how}")
    await memory.write(path, 6, breaks=(1, 3))
    await page.evaluate(f"() => {CONTEXT}.setExtensionPrompt('{RUNNING_RECAP_KEY}', '', -1, 0)")
    await memory.slot_tells()
    if how == "button":
        await memory.companion.sync()
    else:
        await page.slash("/recap-refresh-memory")
    await memory.slot_tells(*THINGS[:2])


async def test_a_burst_of_edits_makes_few_readings(
    tavern: RunningTavern, page: TavernPage, memory: Memory
) -> None:
    path = tavern.chat_path("Burst")
    await memory.write(path, 6, breaks=(1, 3))
    memory.changes.clear()
    asked = memory.requests
    milliseconds = await page.evaluate(
        f"""async () => {{
            const context = {CONTEXT};
            const start = performance.now();
            for (let round = 0; round < 20; round += 1) {{
                context.chat[4].mes = `There was item-${{round}} at last.`;
                await context.eventSource.emit(context.eventTypes.MESSAGE_EDITED, 4);
                await context.eventSource.emit(context.eventTypes.MESSAGE_UPDATED, 4);
                await context.saveChat();
            }}
            return performance.now() - start;
        }}"""
    )
    await memory.until(lambda: "item-19 at last" in memory.texts[4])
    await memory.settled()
    told = [c for c in memory.changes if c.chat.path == path and c.first_message is not None]
    assert len(told) <= 2 + milliseconds / 1000 / LONGEST_REFRESH_SECONDS
    assert memory.requests == asked  # nobody recaps a scene that has not ended


async def test_a_branch_opens_with_what_is_known_up_to_its_point(
    tavern: RunningTavern, page: TavernPage, memory: Memory
) -> None:
    path = tavern.chat_path("Trunk")
    anchors = await memory.write(path, 8, breaks=(1, 3, 5))
    asked = memory.requests
    name = await page.slash("/branch-create 4")
    assert await page.open_name() == name
    await memory.follow(tavern.chat_path(name))
    assert [message.anchor for message in memory.story.messages] == anchors[:5]
    assert memory.scene_things() == [THINGS[:2], THINGS[2:4], []]
    assert memory.versions() == [THINGS[:2], THINGS[:4]]
    await memory.slot_tells(*THINGS[:4])
    # And one that leaves the newest version behind.
    await page.open_chat("Trunk")
    name = await page.slash("/branch-create 2")
    await memory.follow(tavern.chat_path(name))
    assert [message.anchor for message in memory.story.messages] == anchors[:3]
    assert memory.versions() == [THINGS[:2]]
    await memory.slot_tells(*THINGS[:2])
    # Nor does its parent hear of it.
    memory.watch(path)
    assert memory.versions() == [THINGS[:2], THINGS[:4]]
    assert memory.requests == asked


async def test_a_checkpoint_opens_with_what_is_known_up_to_its_point(
    tavern: RunningTavern, page: TavernPage, memory: Memory
) -> None:
    anchors = await memory.write(tavern.chat_path("Way"), 8, breaks=(1, 3, 5))
    asked = memory.requests
    name = await page.slash("/checkpoint-create mesId=3 Halt")
    await page.slash("/checkpoint-go 3")
    assert await page.open_name() == name
    await memory.follow(tavern.chat_path(name))
    assert [message.anchor for message in memory.story.messages] == anchors[:4]
    assert memory.scene_things() == [THINGS[:2], THINGS[2:4]]
    assert memory.versions() == [THINGS[:2], THINGS[:4]]
    assert memory.requests == asked
    # It goes its own way from there.
    page.llm.reply = lambda request: "There was item-way here."
    await page.send("There was item-turn here.")
    await memory.until(lambda: len(memory.story.messages) == 6)
    await memory.companion.edits.scenes.mark(memory.path, memory.story.messages[5].anchor)
    await memory.settled()
    assert memory.scene_things()[2] == ["item-turn", "item-way"]
    await page.open_chat("Way")
    await memory.slot_tells(*THINGS[:4])


async def test_a_renamed_chat_keeps_everything(
    tavern: RunningTavern, page: TavernPage, memory: Memory
) -> None:
    old = tavern.chat_path("Old name")
    anchors = await memory.write(old, 8, breaks=(1, 3, 5))
    await memory.companion.edits.scenes.rename(old, anchors[1], "The first")
    await memory.companion.put_setting("running_recap_budget", 900, path=old)
    await memory.companion.put_setting("mirror_to_chat", True, path=old)
    await memory.until(lambda: "auto_recap_memory" in old.read_text())
    before, asked = memory.story, memory.requests
    await page.slash("/renamechat New name")
    assert await page.open_name() == "New name"
    await memory.follow(tavern.chat_path("New name"))
    after = memory.story
    assert after.messages == before.messages
    assert (after.breaks, after.recaps, after.running) == (
        before.breaks,
        before.recaps,
        before.running,
    )
    assert memory.companion.setting("running_recap_budget", path=memory.path).value == 900
    await memory.slot_tells(*THINGS[:4])
    # And is followed under its new name.
    await page.edit(4, "There was item-new here.")
    await memory.until(lambda: memory.scene_things()[2] == ["item-new", "item-5"])
    await memory.settled()
    assert memory.requests == asked + 1
    assert not old.exists()
    assert memory.troubles == []
    assert "Old name" not in memory.companion.health.sillytavern.sentence


async def test_what_happens_in_a_groups_chat_arrives_too(
    tavern: RunningTavern, page: TavernPage, memory: Memory
) -> None:
    await page.slash("/go Crew")
    await page.evaluate(f"() => {CONTEXT}.openGroupChat('Crew', 'Gathering')")
    path = tavern.user_folder / "group chats" / "Gathering.jsonl"
    await memory.follow(path)
    for number in range(2, 6):
        await page.slash(f"/sendas name=Bram There was item-{number} here.")
    await memory.until(lambda: len(memory.story.messages) == 6)
    anchors = [message.anchor for message in memory.story.messages]
    for index in (1, 3):
        await memory.companion.edits.scenes.mark(path, anchors[index])
    await memory.settled()
    assert memory.scene_things() == [[], THINGS[2:4], []]
    asked = memory.requests
    await page.edit(2, "There was item-new here.")
    await memory.until(lambda: memory.scene_things()[1] == ["item-new", "item-3"])
    await page.delete(2)
    await memory.until(lambda: memory.scene_things()[1] == ["item-3"])
    assert [message.anchor for message in memory.story.messages] == anchors[:2] + anchors[3:]
    await memory.settled()
    assert memory.requests == asked + 2
    await page.slash("/hide 0")
    await memory.until(lambda: memory.story.messages[0].is_hidden)


async def test_neither_the_page_nor_the_program_reports_an_error(
    page: TavernPage, memory: Memory
) -> None:
    assert page.errors == []
    assert memory.troubles == []
