"""Fixtures of the end-to-end tests: SillyTavern, a browser with its page, and a fake model.

`tavern` runs SillyTavern with the bridge installed; `page` shows it; `bridge` is a BridgeServer in
the test process, for tests that leave the rest of the program out. A test of the whole program
takes `tavern` and `page` and starts the program itself. All of them live as long as a module.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, async_playwright

from app.sillytavern.bridge import bridge_installer
from tests.character_card import write_card
from tests.e2e import sillytavern
from tests.e2e.bridge import RecordingBridge
from tests.e2e.page import TavernPage
from tests.fakes import FakeLlm
from tests.paused_loop import pytest_runtest_protocol as pytest_runtest_protocol

CHROMIUM_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    # Nothing outside of this computer is reached, whatever a page asks for.
    "--host-resolver-rules=MAP * ~NOTFOUND, "
    "EXCLUDE 127.0.0.1, EXCLUDE 127.0.0.2, EXCLUDE localhost",
]

CHATS = {
    "Harbour": sillytavern.dialogue(
        "The harbour lay still under the fog.",
        "I look for the ferry.",
        "The ferry left an hour ago.",
        "Then we wait.",
    ),
    "Mill": sillytavern.dialogue(
        "The mill wheel had stopped turning.",
        "Who stopped it?",
        "Nobody knows.",
    ),
}


@dataclass(frozen=True, slots=True)
class RunningTavern:
    """A SillyTavern that runs now, with the bridge, two chats of Seraphina, and a group."""

    url: str
    user_folder: Path
    llm: FakeLlm
    log: Path
    server: sillytavern.Server

    def chat_path(self, name: str) -> Path:
        return self.user_folder / "chats" / sillytavern.CHARACTER / f"{name}.jsonl"


@pytest.fixture(scope="session")
def sillytavern_package() -> Path:
    package = sillytavern.find_sillytavern()
    if package is None:
        pytest.skip("TAVERNKEEP_TEST_MISSING_SILLYTAVERN: no SillyTavern to test with")
    return package


@pytest.fixture(scope="session")
def chromium() -> Path:
    program = sillytavern.find_chromium()
    if program is None:
        pytest.skip("TAVERNKEEP_TEST_MISSING_CHROMIUM: no Chromium to test with")
    return program


@pytest.fixture(scope="session")
def template(sillytavern_package: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data root as SillyTavern's first start leaves it."""
    folder = tmp_path_factory.mktemp("template")
    sillytavern.start_server(sillytavern_package, folder / "data", folder).stop()
    return folder / "data"


@pytest.fixture(scope="module")
def llm() -> Iterator[FakeLlm]:
    with FakeLlm() as fake:
        yield fake


@pytest.fixture(scope="module")
def tavern(
    sillytavern_package: Path,
    template: Path,
    llm: FakeLlm,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[RunningTavern]:
    folder = tmp_path_factory.mktemp("tavern")
    shutil.copytree(template, folder / "data")
    user_folder = folder / "data" / "default-user"
    sillytavern.patch_settings(user_folder, llm)
    for name, messages in CHATS.items():
        path = user_folder / "chats" / sillytavern.CHARACTER / f"{name}.jsonl"
        sillytavern.write_chat(path, messages)
    card = user_folder / "characters" / "Bram.png"
    write_card(card, name="Bram", description="A ferryman.", first_message="Hm.")
    members = [f"{sillytavern.CHARACTER}.png", card.name]
    sillytavern.write_group(user_folder, "Crew", members, "Gathering")
    path = user_folder / "group chats" / "Gathering.jsonl"
    sillytavern.write_chat(path, sillytavern.dialogue("The crew is here.", "So am I."))
    bridge_installer.install(user_folder)
    server = sillytavern.start_server(sillytavern_package, folder / "data", folder)
    yield RunningTavern(server.url, user_folder, llm, server.log, server)
    server.stop()


@pytest_asyncio.fixture(loop_scope="session", scope="session")
async def browser(chromium: Path) -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        if firefox := os.environ.get("TAVERNKEEP_TEST_FIREFOX"):
            # Through WebDriver BiDi, as which it takes what this needs from Firefox 143 on.
            browser = await playwright.firefox.launch(
                executable_path=firefox, headless=True, channel="moz-firefox"
            )
        else:
            browser = await playwright.chromium.launch(
                executable_path=chromium, headless=True, args=CHROMIUM_ARGUMENTS
            )
        yield browser
        await browser.close()


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def page(browser: Browser, tavern: RunningTavern) -> AsyncIterator[TavernPage]:
    """SillyTavern's page, ready, with no particular chat open."""
    context = await browser.new_context()
    page = TavernPage(await context.new_page(), tavern.llm)
    await page.load(tavern.url)
    yield page
    await context.close()


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def bridge(tavern: RunningTavern) -> AsyncIterator[RecordingBridge]:
    bridge = RecordingBridge(tavern.user_folder)
    await bridge.start()
    yield bridge
    await bridge.aclose()
