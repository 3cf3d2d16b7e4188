"""Neither side says "connected" of one that hangs or is gone though its socket is open."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from app.companion import Companion, open_companion
from app.core.part_health import Light
from app.core.paths import user_folders
from tests.e2e.conftest import RunningTavern
from tests.e2e.page import TavernPage
from tests.e2e.program import Program

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
            await page.page.wait_for_selector(".toast-warning:has-text('It is not connected.')")
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
        assert said == "SillyTavern's server does not answer, though its page is open"
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
