"""Histories in which memory once was lost or told twice; test_story_machine found them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest
import pytest_asyncio

from app.companion import Companion, open_companion
from app.core.paths import user_folders
from app.story.story import Story
from tests.chat_page import ChatPage, Clock

SCENES = (
    "I nod at the guard and say nothing.",
    "Mira counts the lamps along the quay and frowns at the last one.",
    "“You owe me nine coins,” I tell her, and I mean it.",
    "She laughs, and the two of them argue about it until the tide turns.",
    "The next morning, Mira wakes to gulls on the roof and bread from the oven.",
    "I ask her whether the guard came back in the night.",
    "“Twice,” she says, and shows the marks on the door.",
    "Three days later, riders reach the gates of Velm Castle under a grey sky.",
    "I give the steward our letter and wait in the rain.",
    "The steward reads it twice before he lets them in.",
    "A week later, at the market, they bargain over salt and rope.",
    "I carry the rope.",
)


@pytest.fixture
def page(tmp_path: Path) -> ChatPage:
    (tmp_path / "data" / "default-user" / "characters").mkdir(parents=True)
    path = tmp_path / "data" / "default-user" / "chats" / "Mira" / "Mira.jsonl"
    path.parent.mkdir(parents=True)
    made = ChatPage(path, Clock(is_exact=True), "integrity 1")
    for number, text in enumerate(SCENES):
        made.insert(number, text, is_user=number % 2 == 0)
    made.save()
    return made


def program(tmp_path: Path) -> AbstractAsyncContextManager[Companion]:
    folders = user_folders(tmp_path / "own data")
    return open_companion(folders, tavern=tmp_path / "data" / "default-user", watch=False)


@pytest_asyncio.fixture
async def companion(tmp_path: Path, page: ChatPage) -> AsyncIterator[Companion]:
    async with program(tmp_path) as opened:
        yield opened


async def settled(companion: Companion, page: ChatPage) -> Story:
    await companion.open_story(page.path)
    return await companion.settled(page.path)


async def test_a_chat_changed_and_renamed_twice_while_nobody_looked_keeps_its_names(
    tmp_path: Path, page: ChatPage
) -> None:
    async with program(tmp_path) as companion:
        story = await settled(companion, page)
        first = story.messages[story.scenes[0].last].anchor
        await companion.edits.scenes.rename(page.path, first, "Nine coins")
    page.regenerate("The last reply is another one now.")
    page.rename(page.path.with_name("Another name.jsonl"))
    page.save()
    async with program(tmp_path) as companion:
        await settled(companion, page)
        await companion.edits.scenes.rename(page.path, first, "Ten coins")
        page.rename(page.path.with_name("A third name.jsonl"))
        assert (await settled(companion, page)).breaks[first].name == "Ten coins"
        assert (await companion.edits.undo_labels(page.path))[0] == "name of scene 1"


async def test_a_branch_whose_sibling_was_deleted_goes_on_from_its_parent(
    companion: Companion, page: ChatPage
) -> None:
    story = await settled(companion, page)
    sibling = page.branch(page.path.with_name("Mira - Branch #1.jsonl"), 4, integrity="integrity 1")
    sibling.save()
    await settled(companion, sibling)
    sibling.path.unlink()
    last = story.scenes[-2].last
    anchor = story.messages[last].anchor
    await companion.edits.scenes.rename(page.path, anchor, "By hand")
    branch = page.branch(page.path.with_name("Mira - Branch #2.jsonl"), 12, integrity="integrity 1")
    branch.save()
    assert (await settled(companion, branch)).breaks[anchor].name == "By hand"


async def test_a_branch_where_a_deleted_one_ended_is_of_the_parent_as_it_is(
    companion: Companion, page: ChatPage
) -> None:
    await settled(companion, page)
    sibling = page.branch(page.path.with_name("Mira - Branch #1.jsonl"), 8, integrity="integrity 1")
    sibling.save()
    await settled(companion, sibling)
    sibling.path.unlink()
    page.move(2, 3)
    page.save()
    anchor = (await settled(companion, page)).messages[5].anchor
    await companion.edits.scenes.mark(page.path, anchor, name="By hand")
    branch = page.branch(page.path.with_name("Mira - Branch #2.jsonl"), 8, integrity="integrity 1")
    branch.save()
    assert (await settled(companion, branch)).breaks[anchor].name == "By hand"


async def test_a_chat_of_which_every_message_changed_unseen_is_still_the_renamed_one(
    tmp_path: Path, page: ChatPage
) -> None:
    async with program(tmp_path) as companion:
        before = await settled(companion, page)
    del page.messages[3:]
    for at in range(3):
        page.edit(at, f"Another text, the {at + 1}.")
    page.rename(page.path.with_name("Another name.jsonl"))
    page.save()
    async with program(tmp_path) as companion:
        assert (await settled(companion, page)).breaks == before.breaks


async def test_a_removed_break_lets_no_other_one_be_found_after_a_restart(
    tmp_path: Path, page: ChatPage
) -> None:
    async with program(tmp_path) as companion:
        story = await settled(companion, page)
        hand = story.messages[story.scenes[-1].first].anchor
        await companion.edits.scenes.mark(page.path, hand)
        page.send("I look around.", "At dusk, two days later, the gate opens.")
        page.send("I go in.", "She follows.")
        page.save()
        before = await settled(companion, page)
        for scene in before.scenes[:-1]:
            await companion.edits.scenes.hide(page.path, before.messages[scene.last].anchor)
        story = await companion.settled(page.path)
    async with program(tmp_path) as companion:
        assert (await settled(companion, page)).breaks == story.breaks


async def test_an_edit_is_of_the_running_recap_that_is_in_the_prompt(
    companion: Companion, page: ChatPage
) -> None:
    await companion.put_setting("running_recap_leave_out", 0)
    story = await settled(companion, page)
    assert len(story.running.versions) > 1
    del page.messages[story.scenes[0].last + 2 :]  # the newest version tells of what is gone
    page.save()
    await settled(companion, page)
    await companion.edits.edit_running_recap(page.path, "They argued on the quay.")
    assert "They argued on the quay." in (await companion.slots(page.path)).slots[0].text


async def test_what_is_set_on_a_short_reply_stays_when_the_reply_is_continued(
    companion: Companion, page: ChatPage
) -> None:
    page.send("I wait.", "She nods.")
    page.save()
    anchor = (await settled(companion, page)).messages[-1].anchor
    await companion.edits.scenes.mark(page.path, anchor, name="The nod")
    page.continue_reply(" Then she puts the lamp out and closes the shutters for the night.")
    page.save()
    story = await settled(companion, page)
    assert story.messages[-1].anchor == anchor
    assert story.scenes[-1].name == "The nod"


async def test_a_copy_of_a_chat_that_shrank_has_all_that_was_written_of_its_messages(
    companion: Companion, page: ChatPage
) -> None:
    before = await settled(companion, page)
    last = before.messages[before.scenes[-2].last].anchor
    await companion.edits.scenes.rename(page.path, last, "By hand")
    await companion.edits.edit_running_recap(page.path, "The riders are at the gates.")
    before = await settled(companion, page)
    whole = page.path.read_bytes()
    del page.messages[3:]
    page.save()
    await settled(companion, page)
    copy = page.path.with_name("Mira, as it was.jsonl")
    copy.write_bytes(whole)
    await companion.open_story(copy)
    story = await companion.settled(copy)
    assert story.breaks[last].name == "By hand"
    assert story.recaps == before.recaps
    assert story.running.versions == before.running.versions
