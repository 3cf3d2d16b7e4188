"""What is said of the bridge is why no page comes, and changes with what lies in its folder."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from websockets.asyncio.client import connect
from websockets.typing import Origin, Subprotocol

from app.core.part_health import HealthItem, Light
from app.core.tasks import TaskSupervisor
from app.llm.tokenizer import counter_for
from app.prompt.generation import Turn
from app.prompt.slots import SlotSet
from app.settings.values import Settings
from app.sillytavern.bridge import bridge_installer
from app.sillytavern.data_folders import find_taverns
from app.store.store import Store
from app.views.health_report import Remedy, remedy_for
from app.work.chats.open_chat import OpenChat
from app.work.chats.open_chats import OpenChats
from app.work.pages import bridge_watch
from app.work.pages.bridge_setup import BridgeSetup
from app.work.pages.link import BridgeLink
from tests.labelled import WrittenTavern


async def no_slots(_chat: OpenChat, _turn: Turn) -> SlotSet:
    return SlotSet()


@pytest_asyncio.fixture
async def link(
    demo_tavern: WrittenTavern,
    store: Store,
    tasks: TaskSupervisor,
    monkeypatch: pytest.MonkeyPatch,
) -> AsyncIterator[BridgeLink]:
    monkeypatch.setattr(bridge_watch, "LOOK_SECONDS", 0.02)
    chats = OpenChats(store, counter_for(), (), Settings({}), tasks)
    link = BridgeLink(chats, no_slots)
    bridge_installer.install(demo_tavern.user_folder)
    yield link
    chats.close()
    await link.aclose()


async def until(link: BridgeLink, words: str) -> HealthItem:
    heard = asyncio.Event()
    link.changed.connect(lambda _: heard.set())
    async with asyncio.timeout(20):
        while words not in link.health.sentence:
            heard.clear()
            await heard.wait()
    return link.health


def remedy(item: HealthItem) -> Remedy | None:
    return remedy_for(item, has_tavern=True, is_paused=False)


def extension(tavern: WrittenTavern) -> Path:
    return bridge_installer.extension_folder(tavern.user_folder)


async def test_right_after_the_start_a_page_is_looked_for_and_nobody_is_told_to_reload(
    link: BridgeLink, demo_tavern: WrittenTavern, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bridge_watch, "SEEK_SECONDS", 0.3)
    await link.start(find_taverns(demo_tavern.user_folder))
    assert link.health == HealthItem(
        "bridge", Light.IDLE, "Bridge is looking for SillyTavern's page"
    )
    assert (await until(link, "reload")).light is Light.IDLE


async def test_a_page_that_went_is_not_looked_for_as_at_the_start(
    link: BridgeLink, demo_tavern: WrittenTavern
) -> None:
    await link.start(find_taverns(demo_tavern.user_folder))
    paired = json.loads((extension(demo_tavern) / "pairing.json").read_text())
    async with connect(
        f"ws://127.0.0.1:{paired['port']}",
        origin=Origin("http://127.0.0.1:8000"),
        subprotocols=[Subprotocol("tavernkeep.v1"), Subprotocol(f"token.{paired['token']}")],
        proxy=None,
    ) as page:
        await page.send(json.dumps({"type": "hello", "version": "0.4.2", "page": "p"}))
        await until(link, "1 page")
    await until(link, "reload")


async def test_a_bridge_that_was_taken_out_is_offered_again_and_found_when_it_returns(
    link: BridgeLink, demo_tavern: WrittenTavern
) -> None:
    await link.start(find_taverns(demo_tavern.user_folder))
    folder = extension(demo_tavern)
    kept = folder.with_name("away")
    shutil.move(folder, kept)
    item = await until(link, "not installed")
    assert remedy(item) is Remedy.INSTALL_BRIDGE
    (kept / "pairing.json").unlink()
    shutil.move(kept, folder)
    await until(link, "Bridge is looking")
    assert json.loads((folder / "pairing.json").read_text())["port"]


async def test_a_password_that_differs_is_said_and_written_again_on_demand(
    link: BridgeLink, demo_tavern: WrittenTavern
) -> None:
    await link.start(find_taverns(demo_tavern.user_folder))
    pairing = extension(demo_tavern) / "pairing.json"
    ours = json.loads(pairing.read_text())
    pairing.write_text(json.dumps(ours | {"token": "another"}))
    item = await until(link, "a different password")
    assert item.light is Light.BAD
    assert remedy(item) is Remedy.PAIR_AGAIN
    await BridgeSetup(link).pair_again()
    assert "a different password" not in link.health.sentence
    assert json.loads(pairing.read_text())["token"] == ours["token"]


async def test_a_bridge_that_is_switched_off_is_not_waited_for(
    link: BridgeLink, demo_tavern: WrittenTavern
) -> None:
    await link.start(find_taverns(demo_tavern.user_folder))
    off = {"extension_settings": {"disabledExtensions": ["third-party/tavernkeep"]}}
    (demo_tavern.user_folder / "settings.json").write_text(json.dumps(off))
    assert remedy(await until(link, "switched off")) is None
