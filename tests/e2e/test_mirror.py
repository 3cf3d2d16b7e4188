"""Mirroring with nothing faked: the companion, its bridge, and a real SillyTavern with its page."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser

from app.companion import Companion, open_companion
from app.core.paths import user_folders
from app.story.story import Story
from app.work.chats.mirroring import mirror
from tests.chat_files import save_like_sillytavern
from tests.e2e import sillytavern
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
        await companion.edits.scenes.mark(path, story.messages[1].anchor, name="At the mill")
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


LENGTH = 24
# A user, an extension or a script that adds a message and has the chat saved, again and again.
SAVE_AGAIN_AND_AGAIN = f"""() => {{
    window.said = 0;
    window.saving = (async () => {{
        while (window.said < 40) {{
            await {CONTEXT}.executeSlashCommandsWithOptions(`/send Said ${{window.said++}}.`);
            await {CONTEXT}.saveChat();
        }}
    }})();
}}"""


@asynccontextmanager
async def mirroring(
    tavern: RunningTavern, page: TavernPage, own: Path, name: str
) -> AsyncIterator[tuple[Companion, Path]]:
    """A chat of LENGTH messages that the page shows, beside a program that may write into it."""
    path = tavern.chat_path(name)
    texts = [f"The tide of {name}, part {n}." for n in range(LENGTH)]
    sillytavern.write_chat(path, sillytavern.dialogue(*texts))
    await page.open_chat(name)
    async with open_companion(user_folders(own), tavern=tavern.user_folder) as companion:
        await companion.open_story(path)
        for setting, value in (
            ("scene_breaks_auto", False),
            ("scene_minimum_length", 1),
            ("running_recap_leave_out", 0),
            ("mirror_to_chat", True),
        ):
            await companion.put_setting(setting, value)
        await until(lambda: path in companion.chats_in_pages)
        yield companion, path


async def end_scene(companion: Companion, path: Path, index: int) -> None:
    anchor = told(companion, path).messages[index].anchor
    await companion.edits.scenes.mark(path, anchor, name=f"Scene {index}")


def told(companion: Companion, path: Path) -> Story:
    story = companion.story(path)
    assert story is not None
    return story


def lines_of(path: Path) -> list[dict[str, Any]]:
    """The messages that the file holds."""
    return [json.loads(line) for line in path.read_text().splitlines()[1:]]


def names_of(path: Path) -> dict[int, str]:
    """The scenes that the file knows, by their last message."""
    blocks = {n: line["extra"].get(NS, {}) for n, line in enumerate(lines_of(path))}
    return {n: block["scene_break_name"] for n, block in blocks.items() if "scene_break" in block}


async def test_a_page_that_saves_all_the_time_loses_nothing_and_gets_all_of_it(
    tavern: RunningTavern, page: TavernPage, tmp_path: Path
) -> None:
    async with mirroring(tavern, page, tmp_path / "own", "Busy") as (companion, path):
        await companion.put_setting("auto_hide_scenes", 1)
        await page.evaluate(SAVE_AGAIN_AND_AGAIN)
        ends = range(3, LENGTH, 4)
        for index in ends:
            await end_scene(companion, path, index)
        await page.evaluate("() => window.saving")
        await until(lambda: list(names_of(path)) == list(ends))
        hidden = [n < LENGTH for n in range(LENGTH + 40)]
        await until(lambda: [line["is_system"] for line in lines_of(path)] == hidden)
        texts = [line["mes"] for line in lines_of(path)]
        assert texts[LENGTH:] == [f"Said {n}." for n in range(40)]
        assert texts[:LENGTH] == [f"The tide of Busy, part {n}." for n in range(LENGTH)]
        held = await page.evaluate(f"() => JSON.stringify({CONTEXT}.chat)")
        assert json.loads(held) == lines_of(path)
        await until(lambda: "Busy" not in companion.health.sillytavern.sentence)


async def test_of_two_pages_none_saves_over_what_the_other_said(
    browser: Browser, tavern: RunningTavern, page: TavernPage, tmp_path: Path
) -> None:
    context = await browser.new_context()
    other = TavernPage(await context.new_page(), tavern.llm)
    try:
        async with mirroring(tavern, page, tmp_path / "own", "Twice") as (companion, path):
            await other.load(tavern.url)
            await other.open_chat("Twice")
            await until(lambda: companion.chats_in_pages == (path, path))
            # SillyTavern tells no page of the other: what is said in one is not in the other.
            await page.send("Said in one.")
            await until(lambda: len(told(companion, path).messages) == LENGTH + 2)
            await end_scene(companion, path, 3)
            scene = f"() => {CONTEXT}.chat[3].extra.{NS}?.scene_break_name === 'Scene 3'"
            await other.page.wait_for_function(scene)
            assert await other.length() == LENGTH
            assert names_of(path) == {3: "Scene 3"}
        # Closed, the program waits no longer for what it asked for.
        assert lines_of(path)[LENGTH]["mes"] == "Said in one."
    finally:
        await context.close()


async def test_a_backup_that_was_brought_back_is_not_saved_over(
    tavern: RunningTavern, page: TavernPage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mirror, "PAUSES", (0, 1))
    async with mirroring(tavern, page, tmp_path / "own", "Earlier") as (companion, path):
        earlier = b"\n".join(path.read_bytes().split(b"\n")[:13])
        save_like_sillytavern(path, earlier)
        await companion.open_story(path)
        await end_scene(companion, path, 3)
        await until(lambda: "open the chat again" in companion.health.sillytavern.sentence)
        assert path.read_bytes() == earlier
        # The user does so, and the page has what the file has.
        await page.open_chat("Mill")
        await page.open_chat("Earlier")
        await until(lambda: names_of(path) == {3: "Scene 3"})
        texts = [json.loads(line)["mes"] for line in earlier.splitlines()[1:]]
        assert [line["mes"] for line in lines_of(path)] == texts
        await until(lambda: "open the chat again" not in companion.health.sillytavern.sentence)


async def until(found: Callable[[], bool], seconds: float = 20.0) -> None:
    """Look again and again until it is so."""
    async with asyncio.timeout(seconds):
        while not found():  # noqa: ASYNC110
            await asyncio.sleep(0.1)
