"""Beside SillyTavern: the window follows its page, and both sides say so when one of them is not
there, though its socket may be open.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import threading
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from app.companion import Companion, open_companion
from app.core.part_health import Light
from app.core.paths import user_folders
from tests.disk_faults import full_database
from tests.e2e import sillytavern
from tests.e2e.conftest import RunningTavern
from tests.e2e.page import TavernPage
from tests.e2e.program import Program
from tests.e2e.window import Window, open_window, until
from tests.fakes import MODEL, FakeLlm, RecordedRequest, Wire
from ui.library.chats import CHAT_ROLE, IN_PAGE_ROLE

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.timeout(180),
]

BOUND_MS = 30_000


async def badge(page: TavernPage, state: str) -> None:
    await page.page.wait_for_selector(f"#tavernkeep_badge[data-state='{state}']", timeout=BOUND_MS)


async def test_a_program_that_hangs_is_away_and_comes_back(
    tavern: RunningTavern, page: TavernPage, tmp_path: Path
) -> None:
    await page.open_chat("Harbour")
    program = Program(tavern.user_folder, tmp_path / "own", "builtin")
    await asyncio.to_thread(program.start)
    try:
        await badge(page, "ready")
        await asyncio.sleep(5)  # it has asked once
        assert program.process is not None
        began = time.monotonic()
        program.process.send_signal(signal.SIGSTOP)
        try:
            await badge(page, "away")
            assert time.monotonic() - began < 30
            await page.slash("/tk-recap")
            await page.page.wait_for_selector(
                ".toast-warning:has-text('Tavernkeep is not connected.')"
            )
        finally:
            program.process.send_signal(signal.SIGCONT)
        await badge(page, "ready")
    finally:
        await asyncio.to_thread(program.stop)


@pytest_asyncio.fixture(loop_scope="session")
async def companion(
    tavern: RunningTavern, page: TavernPage, tmp_path: Path
) -> AsyncIterator[Companion]:
    async with open_companion(
        user_folders(tmp_path / "own"), tavern=tavern.user_folder.parent, llm="builtin"
    ) as running:
        await badge(page, "ready")
        yield running


async def light(companion: Companion, wanted: Light) -> str:
    async with asyncio.timeout(BOUND_MS / 1000):
        while companion.health.sillytavern.light is not wanted:  # noqa: ASYNC110
            await asyncio.sleep(0.1)
    return companion.health.sillytavern.sentence


async def test_a_server_that_is_gone_is_told_of_on_both_sides(
    tavern: RunningTavern, page: TavernPage, companion: Companion
) -> None:
    assert await light(companion, Light.GOOD) == "SillyTavern connected"
    group = os.getpgid(tavern.server.process.pid)
    os.killpg(group, signal.SIGSTOP)
    try:
        said = await light(companion, Light.BAD)
        assert said == "SillyTavern's server does not answer, although its page is open"
        await badge(page, "trouble")
    finally:
        os.killpg(group, signal.SIGCONT)
    await light(companion, Light.GOOD)
    await badge(page, "ready")


async def test_a_server_that_has_ended_is_known_to_be_gone_within_seconds(
    page: TavernPage, companion: Companion
) -> None:
    """It was called connected six seconds after its end: one that has ended refuses at once."""
    await light(companion, Light.GOOD)
    asked = "**/tavernkeep/manifest.json*"
    await page.page.route(asked, lambda route: route.abort("connectionrefused"))
    began = time.monotonic()
    try:
        await light(companion, Light.BAD)
        assert time.monotonic() - began < 6
    finally:
        await page.page.unroute(asked)
    await light(companion, Light.GOOD)


async def test_the_start_looks_for_the_page_that_is_open_and_finds_it(
    tavern: RunningTavern, page: TavernPage, tmp_path: Path
) -> None:
    said: list[str] = []
    async with open_companion(
        user_folders(tmp_path / "own"), tavern=tavern.user_folder.parent, llm="builtin"
    ) as running:
        said.append(running.health.bridge.sentence)
        await light(running, Light.GOOD)
        said.append(running.health.bridge.sentence)
    assert "reload" not in said[0]
    assert said[1].endswith("1 page")


@pytest_asyncio.fixture(loop_scope="session")
async def window(companion: Companion, page: TavernPage) -> AsyncIterator[Window]:
    """The window, once its first run has chosen the chat that the page shows."""
    await page.open_chat("Harbour")
    async with open_window(companion) as window:
        window.shown.begin()
        first_run = window.shown.first_run
        assert first_run is not None
        first_run.rail.step_wanted.emit(len(first_run.steps) - 1)
        await until(lambda: first_run.chat.chosen and first_run.chat.chosen.title == "Harbour")
        first_run.closed.emit()
        await window.shows("Harbour")
        yield window


async def test_the_window_follows_the_page_to_another_chat_and_back(
    window: Window, page: TavernPage, tavern: RunningTavern, companion: Companion
) -> None:
    await page.open_chat("Mill")
    await window.shows("Mill")
    window.desk.open_chats()
    rows = window.desk._popover._model
    listed = [rows.index(row) for row in range(rows.rowCount())]
    marked = [row.data(CHAT_ROLE).path for row in listed if row.data(IN_PAGE_ROLE)]
    assert marked == [tavern.chat_path("Mill")]
    window.desk._popover.hide()
    await page.open_chat("Harbour")
    await window.shows("Harbour")
    assert window.notice.sentence == ""
    assert companion.chats_in_pages == (tavern.chat_path("Harbour"),)

    await window.desk.session.open_path(tavern.chat_path("Mill"))  # looked at on purpose
    await page.send("I stay at the harbour.")
    await asyncio.sleep(0.5)
    assert window.chat == "Mill"
    banner = window.shown.frame.banner
    assert banner.way_on == "Go back to it"
    banner.take_up()
    await window.shows("Harbour")
    await page.open_chat("Mill")
    await window.shows("Mill")


async def test_a_server_that_hangs_is_said_in_the_window(
    window: Window, page: TavernPage, tavern: RunningTavern
) -> None:
    await until(lambda: window.fact("sillytavern") == "SillyTavern connected")
    group = os.getpgid(tavern.server.process.pid)
    os.killpg(group, signal.SIGSTOP)
    try:
        await until(lambda: "server does not answer" in window.fact("sillytavern"))
    finally:
        os.killpg(group, signal.SIGCONT)
    await until(lambda: window.fact("sillytavern") == "SillyTavern connected")
    await badge(page, "ready")


async def test_a_full_disk_is_said_on_both_sides_and_the_story_goes_on(
    window: Window, page: TavernPage, tavern: RunningTavern, companion: Companion
) -> None:
    path = tavern.chat_path("Harbour")

    def shown() -> int:
        story = window.desk.session.story
        return 0 if story is None else len(story.messages)

    before = shown()
    async with full_database(companion):
        await companion.put_setting("window_state", "x" * 200_000)
        await until(lambda: "disk is full" in window.fact("reading"))
        assert window.notice.way_on == "Try now"
        await badge(page, "trouble")
        await page.send("Is there room for one more line?")
        await until(lambda: shown() == before + 2)
        await companion.settled(path)
        assert not companion.work.is_paused
    await until(lambda: window.fact("reading").startswith("Up to date with the chat: "))
    await until(lambda: window.notice.sentence == "")
    await badge(page, "ready")


async def test_a_folder_that_is_moved_away_is_said_on_both_sides_until_it_is_back(
    window: Window, page: TavernPage, tavern: RunningTavern, companion: Companion
) -> None:
    folder = tavern.user_folder.parent
    away = folder.with_name("elsewhere")
    before = len(companion.story(tavern.chat_path("Harbour")).messages)  # type: ignore[union-attr]
    folder.rename(away)
    try:
        await until(lambda: "folder is gone" in window.fact("sillytavern"))
        assert window.notice.way_on == "Choose the folder", window.notice.sentence
        await page.page.wait_for_selector("#tavernkeep_badge[title*='folder is gone']")
        await badge(page, "trouble")
        assert companion.story(tavern.chat_path("Harbour")) is not None
    finally:
        assert not folder.exists()  # nobody has put it back empty
        away.rename(folder)
    await until(lambda: window.fact("sillytavern") == "SillyTavern connected")
    await until(lambda: window.notice.sentence == "")
    await badge(page, "ready")
    await page.send("And here it is again.")
    await until(lambda: len(window.desk.session.story.messages) == before + 2)  # type: ignore[union-attr]


async def test_a_key_that_is_refused_is_said_and_go_on_tries_again_what_it_stopped(
    window: Window, page: TavernPage, tavern: RunningTavern, companion: Companion
) -> None:
    def refuse(wire: Wire) -> None:
        wire.head(401, "application/json")
        wire.send(b'{"error": {"message": "Incorrect API key provided"}}')

    path = tavern.chat_path("Harbour")
    story = companion.story(path)
    assert story is not None
    anchors = [message.anchor for message in story.messages[:2]]
    with FakeLlm(lambda _: refuse) as model:
        await companion.put_setting("backend", f"openai:{MODEL}@{model.url}")
        await companion.edits.messages.write(path, anchors)
        await until(lambda: companion.work.is_paused)
        assert "API key" in window.fact("queue")
        assert window.notice.way_on == "Enter the key"
        await badge(page, "trouble")
        asked = len(model.requests)
        model.reply = lambda _: "The harbour lay in fog."
        window.shown.actions_["pause"].trigger()  # which says "Go on"
        await until(lambda: len(model.requests) == asked + len(anchors))
        await companion.settled(path)
        after = companion.story(path)
        assert after is not None
        assert all("fog" in after.message_recaps[anchor].text for anchor in anchors)
        await until(lambda: window.notice.sentence == "")
        await badge(page, "ready")
        await companion.put_setting("backend", "builtin")


async def test_a_long_chat_s_newest_scenes_are_recapped_first_and_reach_the_prompt(
    tavern: RunningTavern, page: TavernPage, tmp_path: Path
) -> None:
    """All of it was read before the first recap came, which told of what nobody plays any more."""
    days, a_day, so_far, gate = 120, 10, 4, threading.Event()
    talk = " ".join(["And so on, of rope and tar and weather."] * 12)  # so that few days are sent
    texts = [
        f'***\n\n*The next morning, on day {n // a_day}, they meet at the quay.* "You are late."'
        if n % a_day == 0
        else f'"So you say, for the {n}th time. {talk}" *She turns her cup a little.*'
        for n in range(days * a_day)
    ]
    sillytavern.write_chat(tavern.chat_path("Years"), sillytavern.dialogue(*texts))
    told: list[int] = []

    def recap(request: RecordedRequest) -> str:
        day = int(re.findall(r"on day (\d+),", request.text.partition("<scene>")[2])[0])
        told.append(day)
        if len(told) > so_far:
            gate.wait(BOUND_MS / 1000)
        return json.dumps({"name": f"Day {day}", "recap": {"developments": [f"Deed {day}."]}})

    await page.open_chat("Years")
    with FakeLlm(recap) as model:
        async with open_companion(
            user_folders(tmp_path / "own"),
            tavern=tavern.user_folder.parent,
            llm=f"openai:{MODEL}@{model.url}",
        ) as running:
            running.settings.put("scene_detector", "heuristic")
            await badge(page, "ready")
            try:
                await until(lambda: len(told) > so_far)
                sent = (await page.send("And what of today?")).text
            finally:
                gate.set()
    # What the prompt holds word for word is neither told again nor recapped before the others.
    unsent = [day for day in range(days) if f"on day {day}," not in sent]
    newest = told[:so_far]
    assert newest == unsent[::-1][:so_far]
    assert all(f"Deed {day}." in sent for day in newest)
    await page.open_chat("Harbour")


async def test_what_was_learned_of_a_chat_is_kept_for_it_and_the_connection(
    tavern: RunningTavern, page: TavernPage, tmp_path: Path
) -> None:
    folders, root = user_folders(tmp_path / "own"), tavern.user_folder.parent
    harbour = tavern.chat_path("Harbour")

    async def known(companion: Companion) -> tuple[int, int]:
        """Tokens of the context as SillyTavern said it, 0 for never; and of what is fixed in it."""
        found = await companion.budgets.preview(harbour)
        return found.context if found.is_context_said else 0, found.card

    async def learned(companion: Companion, before: int) -> tuple[int, int]:
        await page.send("What time is it?")
        async with asyncio.timeout(BOUND_MS / 1000):
            while (found := await known(companion))[0] in (0, before):  # noqa: ASYNC110
                await asyncio.sleep(0.1)
        await companion.settled(harbour)
        return found

    await page.open_chat("Harbour")
    async with open_companion(folders, tavern=root, llm="builtin") as first:
        await until(lambda: first.chats_in_pages == (harbour,))
        await first.open_story(harbour)
        assert (await known(first))[0] == 0
        by_chat = await learned(first, 0)
        await page.open_chat("Mill")
    async with open_companion(folders, tavern=root, llm="builtin") as second:
        await until(lambda: second.chats_in_pages == (tavern.chat_path("Mill"),))
        await second.open_story(harbour)
        assert await known(second) == by_chat
        await page.open_chat("Harbour")
        async with page.text_completion():  # another connection holds another number
            assert await learned(second, by_chat[0]) != by_chat
    assert page.errors == []
