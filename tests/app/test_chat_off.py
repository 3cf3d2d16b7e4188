"""Off for a chat: no work, nothing told, nothing deleted, and on again as before."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from app.commands import main
from app.companion import Companion, open_companion
from app.core.errors import UsageError
from app.core.operations import FINISHED
from app.core.paths import user_folders
from app.views.away_recap import AwayRecap
from tests.labelled import WrittenTavern


@pytest_asyncio.fixture
async def companion(demo_tavern: WrittenTavern, tmp_path: Path) -> AsyncIterator[Companion]:
    folders = user_folders(tmp_path / "own data")
    async with open_companion(folders, tavern=demo_tavern.user_folder, watch=False) as opened:
        yield opened


async def switch(companion: Companion, path: Path, *, is_off: bool) -> None:
    await companion.put_setting("chat_off", is_off, path=path, noted_in=path)


async def test_nothing_is_told_while_it_is_off_and_all_of_it_when_it_is_on_again(
    companion: Companion, demo_tavern: WrittenTavern
) -> None:
    path = demo_tavern.chat
    await companion.open_story(path)
    story, _ = await companion.finished(path)
    before = (await companion.slots(path)).slots
    assert any(slot.text for slot in before)
    await switch(companion, path, is_off=True)
    off = await companion.slots(path)
    assert not any(slot.text for slot in off.slots)
    assert "off for this chat" in off.warnings[0]
    now = companion.story(path)
    assert now is not None
    assert now.running == story.running
    await companion.edits.undo(path)
    assert (await companion.slots(path)).slots == before


async def test_no_work_is_done_while_it_is_off(
    companion: Companion, demo_tavern: WrittenTavern
) -> None:
    path = demo_tavern.chat
    companion.work.pause()
    await companion.open_story(path)
    await companion.settled(path)
    await switch(companion, path, is_off=True)
    companion.work.resume()
    story, said = await companion.finished(path)
    assert story.running.current is None
    assert all(op.status in FINISHED for op in companion.work.operations), said
    with pytest.raises(UsageError, match="off for this chat"):
        await companion.wanted_texts.ask(path, "summary")
    await switch(companion, path, is_off=False)
    story, _ = await companion.finished(path)
    assert story.running.current is not None


async def test_what_is_asked_for_while_it_is_off_does_not_wait_for_the_cap_of_the_day(
    companion: Companion, demo_tavern: WrittenTavern
) -> None:
    path = demo_tavern.chat
    story = await companion.open_story(path)
    companion.work.pause()
    await companion.edits.messages.write(path, [story.messages[0].anchor])
    await switch(companion, path, is_off=True)
    assert any("off" in operation.held for operation in companion.work.operations)
    assert companion.work.held_back == ()


async def test_what_happened_before_is_not_told_while_it_is_off(
    companion: Companion, demo_tavern: WrittenTavern
) -> None:
    path, told = demo_tavern.chat, list[AwayRecap]()
    await companion.open_story(path)
    await companion.finished(path)
    companion.away_recap.connect(lambda recap: told.append(recap))
    await switch(companion, path, is_off=True)
    companion._away_recaps.ask(path)
    await asyncio.sleep(0.2)
    assert not told
    await switch(companion, path, is_off=False)
    companion._away_recaps.ask(path)
    async with asyncio.timeout(10):
        while not told:  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def test_slash_commands_switch_pause_clear_and_count(
    companion: Companion, demo_tavern: WrittenTavern
) -> None:
    path, order = demo_tavern.chat, companion.orders.do
    await order_open(companion, path)
    said = (await order(path, "off"))["said"]
    assert "off for this chat" in said
    assert "/tk-on" in said
    assert "tavernkeep switch" not in said  # that is for a terminal
    assert companion.setting("chat_off", path=path).value is True
    await order(path, "on")
    assert companion.setting("chat_off", path=path).value is False
    assert (await companion.edits.undo(path)).startswith("setting Tavernkeep is off")
    await order(path, "on")
    await order(path, "pause")
    assert companion.work.is_paused
    await order(path, "clear")
    await order(path, "continue")
    assert not companion.work.is_paused
    items = (await order(path, "tokens"))["items"]
    total = (await companion.slots(path)).total_tokens
    assert items[0]["text"].replace(",", "").startswith(str(total))
    assert "Running recap" in {item["label"] for item in items}
    companion._chats.required(path).context_tokens = 2_000  # as a turn says it
    items = (await order(path, "tokens"))["items"]
    expected = (await companion.next_prompt(path)).total_tokens
    assert 0 < expected < total
    assert items[0]["text"].replace(",", "").startswith(f"{expected} ")
    with pytest.raises(UsageError):
        await order(path, "dance")


async def order_open(companion: Companion, path: Path) -> None:
    await companion.open_story(path)
    await companion.finished(path)


def test_the_command_switches_and_says_how_it_is(
    demo_tavern: WrittenTavern, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    where = ["--tavern", str(demo_tavern.user_folder), "--data-dir", str(tmp_path / "own")]
    chat = str(demo_tavern.chat)
    assert main(["switch", chat, "off", *where]) == 0
    said = capsys.readouterr().out
    assert "off for this chat" in said
    assert "tavernkeep switch CHAT on" in said
    assert main(["slots", chat, *where, "--json"]) == 0
    assert '"slots": []' in capsys.readouterr().out
    assert main(["switch", chat, "on", *where]) == 0
    capsys.readouterr()
    assert main(["switch", chat, *where, "--json"]) == 0
    assert '"off": false' in capsys.readouterr().out
