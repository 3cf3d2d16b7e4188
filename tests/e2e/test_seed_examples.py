"""Examples of the known designs, played in SillyTavern's page (seeds 000 and 003)."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from app.prompt.slots import MESSAGE_RECAPS_KEY
from tests.e2e.conftest import RunningTavern
from tests.e2e.memory import Memory, open_memory, things_in
from tests.e2e.page import CONTEXT, TavernPage

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.timeout(120),
]

NS = "auto_recap_memory"


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def memory(
    tavern: RunningTavern, page: TavernPage, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Memory]:
    async with open_memory(tavern, page, tmp_path_factory.mktemp("own data")) as memory:
        yield memory


def block_of(path: Path, index: int) -> dict[str, Any]:
    """What the file holds of a message for ST-Auto-Recap."""
    line = json.loads(path.read_text().splitlines()[index + 1])
    block: dict[str, Any] = line["extra"].get(NS, {})
    return block


async def page_tells(page: TavernPage, *things: str) -> None:
    """Wait until the page's slot of message recaps tells of these things, and of no others."""
    script = f"""things => {{
        const text = {CONTEXT}.extensionPrompts.{MESSAGE_RECAPS_KEY}?.value ?? '';
        const told = [...new Set(text.match(/\\bitem-\\w+/g) ?? [])];
        return JSON.stringify(told) === JSON.stringify(things);
    }}"""
    await page.page.wait_for_function(script, arg=list(things), timeout=15_000)


async def test_each_switch_of_what_counts_takes_its_recaps_out_of_the_prompt_and_back(
    tavern: RunningTavern, page: TavernPage, memory: Memory
) -> None:
    """Yours, hidden ones, the narrator's: each alone, and all as they were."""
    await memory.write(tavern.chat_path("Switches"), 6, breaks=(1, 3))
    await page.slash("/sys There was item-narrated in Switches.")
    await page.slash("/hide 2")
    await memory.until(lambda: len(memory.story.messages) == 7)
    await memory.until(lambda: memory.story.messages[2].is_hidden)
    anchors = [message.anchor for message in memory.story.messages]
    await memory.companion.edits.messages.write(memory.path, anchors)
    await memory.settled()
    for name, value in (
        ("message_recaps_inject", True),
        ("inclusion_limit_type", "tokens"),
        ("inclusion_limit", 4000),
        ("inclusion_lag", 0),
    ):
        await memory.companion.put_setting(name, value, path=memory.path)
    every = [*(f"item-{number}" for number in range(6)), "item-narrated"]
    await page_tells(page, *every)
    for name, left_out in (
        ("include_user_messages", {"item-1", "item-3", "item-5"}),
        ("include_hidden_messages", {"item-2"}),
        ("include_narrator_messages", {"item-narrated"}),
    ):
        await memory.companion.put_setting(name, False, path=memory.path)
        await page_tells(page, *(thing for thing in every if thing not in left_out))
        await memory.companion.put_setting(name, True, path=memory.path)
        await page_tells(page, *every)


async def test_a_scene_of_another_name_has_it_in_the_page_and_in_the_file(
    tavern: RunningTavern, page: TavernPage, memory: Memory
) -> None:
    path = tavern.chat_path("Named")
    anchors = await memory.write(path, 6, breaks=(1, 3))
    await memory.companion.put_setting("mirror_to_chat", True, path=path)
    await memory.until(lambda: block_of(path, 1).get("scene_break"))
    recap = block_of(path, 1)["scene_recap_memory"]
    await memory.companion.edits.scenes.rename(path, anchors[1], "The quay at dusk")
    named = f"() => {CONTEXT}.chat[1].extra.{NS}?.scene_break_name === 'The quay at dusk'"
    await page.page.wait_for_function(named, timeout=15_000)
    await memory.until(lambda: block_of(path, 1)["scene_break_name"] == "The quay at dusk")
    assert block_of(path, 1)["scene_recap_memory"] == recap


async def test_a_swipe_back_has_its_own_recap_in_the_page_again(
    tavern: RunningTavern, page: TavernPage, memory: Memory
) -> None:
    path = tavern.chat_path("Back")
    anchors = await memory.write(path, 5, breaks=(1, 3))
    await memory.companion.put_setting("mirror_to_chat", True, path=path)
    await memory.companion.put_setting("message_recap_on_swipe", True, path=path)
    await memory.companion.edits.messages.write(path, anchors[4:])
    await memory.until(lambda: "item-4" in str(block_of(path, 4).get("memory")))
    page.llm.reply = lambda request: "There was item-other instead."
    await page.swipe("right", 1)
    await memory.until(lambda: "item-other" in memory.texts[4])
    await memory.companion.edits.messages.write(path, anchors[4:])
    await memory.until(lambda: "item-other" in str(block_of(path, 4).get("memory")))
    asked = memory.requests
    for direction, swipe, thing in (("left", 0, "item-4"), ("right", 1, "item-other")):
        await page.swipe(direction, swipe)
        await memory.until(lambda thing=thing: thing in memory.texts[4])  # type: ignore[misc]
        shown = f"() => ({CONTEXT}.chat[4].extra.{NS}?.memory ?? '').includes('{thing}')"
        await page.page.wait_for_function(shown, timeout=15_000)
        await memory.settled()
    assert memory.requests == asked
    line = json.loads(path.read_text().splitlines()[5])
    kept = [things_in(info["extra"][NS]["memory"]) for info in line["swipe_info"]]
    assert kept == [["item-4"], ["item-other"]]


async def test_what_the_extension_writes_meanwhile_stays_beside_what_is_mirrored(
    tavern: RunningTavern, page: TavernPage, memory: Memory
) -> None:
    path = tavern.chat_path("Both")
    anchors = await memory.write(path, 6, breaks=(1, 3))
    await memory.companion.put_setting("mirror_to_chat", True, path=path)
    await memory.until(lambda: block_of(path, 1).get("scene_break"))
    theirs = {"memory": "Their own words of item-5.", "include": "Recap", "error": None}
    await page.evaluate(
        f"""async theirs => {{
            const {{ chat, saveChat }} = {CONTEXT};
            chat[5].extra.{NS} = theirs;
            chat[5].extra.another_extension = {{ kept: true }};
            await saveChat();
        }}""",
        theirs,
    )
    await memory.companion.edits.scenes.rename(path, anchors[3], "Meanwhile")
    await memory.until(lambda: block_of(path, 3)["scene_break_name"] == "Meanwhile")
    await memory.settled()
    held = await page.evaluate(f"() => {CONTEXT}.chat[5].extra")
    assert held[NS]["memory"] == theirs["memory"]
    assert held["another_extension"] == {"kept": True}
    assert block_of(path, 5)["memory"] == theirs["memory"]


async def test_a_branch_of_a_chat_with_a_lorebook_keeps_both_and_is_no_other_chat(
    tavern: RunningTavern, page: TavernPage, memory: Memory
) -> None:
    """What was kept in the parent's file says the parent's name; the branch is told it all the
    same, as far as it shares the messages.
    """
    path = tavern.chat_path("Bound")
    anchors = await memory.write(path, 8, breaks=(1, 3, 5))
    await memory.companion.put_setting("mirror_to_chat", True, path=path)
    await memory.until(lambda: block_of(path, 5).get("scene_break"))
    await page.evaluate(
        f"""async () => {{
            {CONTEXT}.chatMetadata.world_info = 'Lanterns';
            await {CONTEXT}.saveChat();
        }}"""
    )
    await memory.settled()
    asked = memory.requests
    branch = tavern.chat_path(await page.slash("/branch-create 4"))
    await memory.follow(branch)
    header = json.loads(branch.read_text().splitlines()[0])["chat_metadata"]
    assert header["world_info"] == "Lanterns"
    assert header["auto_recap_running_scene_recaps"]["chat_id"] == "Bound"
    assert [message.anchor for message in memory.story.messages] == anchors[:5]
    assert len(memory.versions()) == 2
    await memory.slot_tells(*(f"item-{number}" for number in range(4)))
    assert memory.requests == asked
    # Without its lorebook, as when that was deleted, it is told the same.
    await page.evaluate(
        f"""async () => {{
            delete {CONTEXT}.chatMetadata.world_info;
            await {CONTEXT}.saveChat();
        }}"""
    )
    await page.reload()
    await page.open_chat(branch.stem)
    await memory.slot_tells(*(f"item-{number}" for number in range(4)))


async def test_the_newest_reply_is_checked_and_texts_are_asked_for_by_words_in_the_page(
    tavern: RunningTavern, page: TavernPage, memory: Memory
) -> None:
    """Seed 004, PD2 and PD3: by hand, also where nothing of it is done by itself."""
    path = tavern.chat_path("Checked")
    await memory.write(path, 7, breaks=(1, 3))  # the last one is a reply
    said = "() => [...document.querySelectorAll('#toast-container .toast')].map(t => t.innerText)"
    await page.evaluate("() => toastr.remove()")
    await page.slash("/tk-continuity")
    await memory.until(lambda: memory.asked_for("contradicts the facts"))
    await memory.settled()
    assert "item-6" in memory.asked_for("contradicts the facts")[0]
    assert ["checks the newest reply" in text for text in await page.evaluate(said)] == [True]
    await page.evaluate("() => toastr.remove()")
    await page.slash("/tk-canon")
    (why_not,) = await page.evaluate(said)
    assert "summed up" in why_not
    await page.slash("/tk-summary")
    await memory.until(lambda: memory.asked_for("[SUMMARY]"))
    await memory.settled()


async def test_a_swipe_in_the_page_ends_the_check_of_the_reply_at_once(
    tavern: RunningTavern, page: TavernPage, memory: Memory
) -> None:
    """Seed 004, EV4."""
    path = tavern.chat_path("Swiped")
    await memory.write(path, 7, breaks=(1, 3))
    page.llm.reply = lambda request: "There was something else."
    asked = len(memory.asked_for("contradicts the facts"))
    with memory.dripping("contradicts the facts") as (begun, left):
        await page.slash("/tk-continuity")
        await memory.until(begun.is_set)
        assert not left.is_set()
        await page.swipe("right", 1)
        await memory.until(left.is_set)
        await memory.settled()
    assert len(memory.asked_for("contradicts the facts")) == asked + 1


async def test_no_error_reached_the_page(page: TavernPage, memory: Memory) -> None:
    assert page.errors == []
    assert memory.troubles == []
