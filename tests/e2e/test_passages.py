"""An old thing that no memory holds comes back into a real request, for whoever knows it."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from app.sillytavern.bridge import bridge_installer
from tests.character_card import write_card
from tests.e2e import sillytavern
from tests.e2e.conftest import RunningTavern
from tests.e2e.page import CONTEXT, TavernPage
from tests.e2e.sillytavern import CHARACTER, USER_NAME, write_chat
from tests.e2e.slots_world import SlotsWorld, open_slots_world
from tests.fakes import FakeLlm

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.timeout(180),
]

TOLD = "I buried the tin whistle beneath the quince tree, by the north wall."
QUESTION = "Tell me again, where did you bury that tin whistle?"
FILLER = "We walk on through the long grass, and the wind turns, and nobody says much at all, {}."
FILLERS = 180
NARROW, WIDE = 2_500, 8_000  # tokens of the context


@pytest.fixture(scope="module")
def tavern(
    sillytavern_package: Path,
    template: Path,
    llm: FakeLlm,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[RunningTavern]:
    """A SillyTavern with a group of two."""
    folder = tmp_path_factory.mktemp("passages")
    shutil.copytree(template, folder / "data")
    user_folder = folder / "data" / "default-user"
    sillytavern.patch_settings(user_folder, llm)
    write_card(user_folder / "characters" / "Bram.png", name="Bram", description="A ferryman.")
    members = [f"{CHARACTER}.png", "Bram.png"]
    sillytavern.write_group(user_folder, "Crew", members, "Gathering")
    bridge_installer.install(user_folder)
    server = sillytavern.start_server(sillytavern_package, folder / "data", folder)
    yield RunningTavern(server.url, user_folder, llm, server.log, server)
    server.stop()


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def world(
    tavern: RunningTavern, page: TavernPage, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[SlotsWorld]:
    tavern.llm.reply = lambda _: "So be it."
    async with open_slots_world(tavern, page, tmp_path_factory.mktemp("own")) as world:
        # What is told in time is another test's matter, and machines that test are busy.
        world.world.companion._link._server.turn_wait_seconds = 5.0
        await page.reload()
        yield world


def written(path: Path, *told: tuple[str, str], others: tuple[str, ...]) -> int:
    """A chat that begins with what is told, then goes on; gives how many messages told it."""
    filler = [(others[n % len(others)], FILLER.format(n)) for n in range(FILLERS)]
    lines = [
        {"name": name, "is_user": name == USER_NAME, "mes": text} for name, text in (*told, *filler)
    ]
    write_chat(path, lines)
    return len(told)


async def shown(world: SlotsWorld, page: TavernPage, path: Path, who: str) -> None:
    await world.open(path, who)
    await context(page, NARROW)
    await world.settled(1)


async def context(page: TavernPage, tokens: int) -> None:
    await page.evaluate(
        f"n => {{ {CONTEXT}.chatCompletionSettings.openai_max_context = n; }}", tokens
    )


async def test_what_is_asked_for_comes_back_from_a_message_that_is_no_longer_sent(
    world: SlotsWorld, tavern: RunningTavern, page: TavernPage
) -> None:
    path = tavern.user_folder / "chats" / CHARACTER / "Whistle.jsonl"
    told = (("Seraphina", TOLD), (USER_NAME, "Good."))
    length = len(told) + FILLERS
    written(path, *told, others=(USER_NAME, "Seraphina"))
    await shown(world, page, path, "Seraphina")
    await world.put(slot_short_position=-1)  # notes of what fell out would tell it as well
    try:
        unasked = await page.send("I am tired, and it is late.")
        assert TOLD not in unasked.text
        await world.settled(
            length + 2
        )  # a turn that comes while much is read may not be waited for
        asked = await page.send(QUESTION)
        assert asked.text.count(TOLD) == 1
        await world.settled(length + 4)
        await world.put(passages_enabled=False)
        assert TOLD not in (await page.send(QUESTION)).text
    finally:
        await context(page, WIDE)


async def test_who_was_not_there_is_not_told(
    world: SlotsWorld, tavern: RunningTavern, page: TavernPage
) -> None:
    path = tavern.user_folder / "group chats" / "Gathering.jsonl"
    told = (("Seraphina", TOLD), (USER_NAME, "Good."), ("Seraphina", "Nobody saw us."))
    last = written(path, *told, others=("Seraphina", "Bram", USER_NAME)) - 1
    await shown(world, page, path, "Crew")
    await world.world.companion.edits.scenes.mark(path, world.world.anchors[last])
    try:
        seraphina, bram = await page.send_to_group(QUESTION, members=2)
        assert TOLD in seraphina.text
        assert TOLD not in bram.text
        await world.settled(last + 1 + FILLERS + 3)
        await world.world.companion.edits.scenes.delete(path, world.world.anchors[last])
        _, bram = await page.send_to_group(QUESTION, members=2)
        assert TOLD in bram.text  # in one scene with all that follows, where he speaks
    finally:
        await context(page, WIDE)
